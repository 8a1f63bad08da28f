#!/usr/bin/env python3
"""Writes ``docs/ops.md``, the table of every operation, from their declarations.

    python docs/ops.py            # writes docs/ops.md
    python docs/ops.py --check    # exit code 1 if it isn't current
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kt.ir import registry

FILE = Path(__file__).with_name("ops.md")
LEVELS = {
    "KTIR": ("ktdp", "spyreop", "kt", "linalg", "tensor", "memref", "math"),
    "ScheduleIR": ("ktdf",),
    "ScheduleIR, lowered": ("ktdf_lowering",),
    "DataflowIR": ("dataflow", "uniform", "agen", "vectorchain", "symbol"),
    "device": ("ktdf_arch", "pdl"),
    "every level": ("builtin", "func", "arith", "scf", "cf", "affine"),
}


def summary(cls: type) -> str:
    """First paragraph of the docstring, as one line of a table."""
    paragraph = (cls.__doc__ or "").strip().partition("\n\n")[0]
    text = " ".join(paragraph.split()).replace("``", "`")
    return text.partition("::")[0].replace("|", "\\|")


def form(cls: type) -> str:
    """Whether an operation has syntax of its own."""
    from kt.parse.grammar import load_syntax
    from kt.parse.syntax_api import SYNTAX

    name = cls.name  # type: ignore[attr-defined]
    load_syntax(name.partition(".")[0])
    return "" if name in SYNTAX or cls.assembly_format is not None else "generic only"  # type: ignore[attr-defined]


def document() -> str:
    """The whole file."""
    registry.load_all()
    ops = {n: c for n, c in registry.OPS.items() if n.partition(".")[0] in registry.DIALECTS}
    lines = [
        "# Operations",
        "",
        "Written by `python docs/ops.py` from the declarations; don't edit it.",
        f"{len(ops)} operations of {len(registry.DIALECTS)} dialects. Any other operation is kept in generic form.",
    ]
    for level, dialects in LEVELS.items():
        lines += ["", f"## {level}"]
        for dialect in dialects:
            names = sorted(n for n in ops if n.partition(".")[0] == dialect)
            lines += ["", f"### {dialect}", "", "| operation | level | what it does | form |", "|---|---|---|---|"]
            lines += [f"| `{n}` | {level} | {summary(ops[n])} | {form(ops[n])} |" for n in names]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether the file is current")
    args = parser.parse_args()
    text = document()
    if not args.check:
        FILE.write_text(text)
    elif not FILE.is_file() or FILE.read_text() != text:
        print("docs/ops.md isn't current: run python docs/ops.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
