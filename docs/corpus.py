#!/usr/bin/env python3
"""Writes ``docs/corpus.md``: what ``kt check`` says of every kernel of the corpus.

    python docs/corpus.py                   # all kernels: takes half an hour
    python docs/corpus.py row_sum col_max   # only these rows anew
    python docs/corpus.py --check           # exit code 1 if the file isn't current
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

import kt
from kt.passes.checking import check_kernel
from kt.passes.compiler import Options

FILE = Path(__file__).with_name("corpus.md")
FOLDER = Path(__file__).parent.parent / "tests" / "corpus" / "kernels"
DEVICES = ("spyre", "mesh", "toy")
MODES = ("capacity", "upstream")
RUNS = [(device, mode) for device in DEVICES for mode in MODES]


@frozen
class Outcome:
    """What came of a kernel: ``cycles`` where the check is clean, else what was said."""

    cycles: int | None = None
    refused: str = ""
    failed: str = ""

    def __str__(self) -> str:
        if self.cycles is not None:
            return f"{self.cycles:,}"
        return f"refused: {self.refused}" if self.refused else f"**{self.failed}**"


@cache
def corpus() -> Any:
    """The module with the inputs of the kernels."""
    spec = importlib.util.spec_from_file_location("kt_corpus_inputs", FOLDER / "kernels.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names() -> list[str]:
    return sorted(corpus().KERNELS)


def outcome(name: str, device: str, mode: str) -> Outcome:
    """Check a kernel after every pass, down to the decoded artifact."""
    module = kt.parse_file(FOLDER / f"{name}.mlir")
    inputs = corpus().make_inputs(corpus().KERNELS[name])
    try:
        report = check_kernel(module, device, inputs, options=Options(mode=mode))
    except kt.KtError as error:
        return Outcome(refused=short(error))
    if report.failed is not None:
        return Outcome(failed=f"{report.failed.name} changed the meaning")
    assert report.run is not None
    return Outcome(cycles=report.run.cycles)


def short(error: kt.KtError) -> str:
    """The message without names and places."""
    return error.message.partition("\n")[0].replace("|", "\\|")


def row(name: str) -> str:
    """The line of one kernel."""
    cells = [str(outcome(name, device, mode)) for device, mode in RUNS]
    return f"| `{name}` | {' | '.join(cells)} |"


def rows(text: str) -> dict[str, str]:
    """The lines of a written table, by kernel."""
    return {m[1]: m[0] for m in re.finditer(r"^\| `(\w+)` \|.*$", text, re.MULTILINE)}


def document(lines: dict[str, str]) -> str:
    """The whole file."""
    cells = [cell for line in lines.values() for cell in line.split(" | ")[1:]]
    refused = sum(cell.startswith("refused") for cell in cells)
    wrong = sum(cell.startswith("**") for cell in cells)
    left = [f"`{name}`" for name in names() if name not in lines]
    title = " | ".join(f"{device}, {mode}" for device, mode in RUNS)
    return "\n".join([
        "# The corpus",
        "",
        "Written by `python docs/corpus.py`; don't edit it.",
        "Every kernel of `tests/corpus/kernels` went through `kt check` on every device, in both modes of",
        "`plan-schedule`: the IR after each pass, the DataflowIR and the decoded artifact ran on the same inputs,",
        "accesses that no signal orders being errors, and gave what the kernel means. The numbers are the modelled",
        "cycles of the artifact. A refused kernel can't run on the device, for the reason that stands there.",
        "",
        f"{len(cells)} checks: {len(cells) - refused - wrong} clean, {refused} refused, {wrong} wrong.",
        *([f"Not checked for this table: {', '.join(left)}."] if left else []),
        "",
        f"| kernel | {title} |",
        f"|---|{'---:|' * len(RUNS)}",
        *(lines[name] for name in sorted(lines)),
    ]) + "\n"  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kernel", nargs="*", help="only these; default: all")
    parser.add_argument("--check", action="store_true", help="only say whether the file is current")
    args = parser.parse_args(arguments)
    strange = [name for name in args.kernel if name not in names()]
    if strange:
        parser.error(f"no kernel '{strange[0]}'; kernels: {', '.join(names())}")
    written = FILE.read_text() if FILE.is_file() else ""
    lines = {name: line for name, line in rows(written).items() if name in names()}
    for name in args.kernel or names():
        lines[name] = row(name)
        print(lines[name], file=sys.stderr, flush=True)
        if not args.check:  # row by row: what is done stays when somebody can't wait
            FILE.write_text(document(lines))
    if args.check and document(lines) != written:
        print("docs/corpus.md isn't current: run python docs/corpus.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
