"""What several subcommands share: options, reading kernels and arguments, writing, tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kt.ir.diagnostics import KtError

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console


# -- options -------------------------------------------------------------------------------------


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """The file, which function of it, for which device, and how to read it."""
    parser.add_argument("file", metavar="FILE", help="kernel text; '-' reads standard input")
    parser.add_argument("--device", metavar="D", help="name of a shipped device, or a device file")
    parser.add_argument("--func", metavar="NAME", help="the kernel, if the file has several")
    parser.add_argument(
        "--conventions",
        choices=("kt", "scheduler", "ktir-cpu"),
        help="how the file counts addresses and tiles (default: what it says itself, or kt)",
    )
    parser.add_argument(
        "--lenient", action="store_true", help="accept contradictions that upstream's tools accept"
    )


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    """What decides the schedule."""
    parser.add_argument(
        "--mode",
        choices=("capacity", "upstream"),
        default="capacity",
        help="how tiles are chosen: the largest that fit (default), or upstream's local rules",
    )
    parser.add_argument("--plan", metavar="F", help="JSON file with plans by program")
    parser.add_argument(
        "--no-verify", action="store_true", help="don't verify the IR after every pass (faster)"
    )


def add_remarks_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--remarks",
        action="store_true",
        help="say on standard error what passes chose for which line, and why: plans, places of buffers, …",
    )


def add_argument_options(parser: argparse.ArgumentParser) -> None:
    """The kernel's arguments."""
    parser.add_argument(
        "--input", metavar="NAME=F.npy", action="append", default=[], help="array of an argument"
    )
    parser.add_argument(
        "--arg", metavar="NAME=VALUE", action="append", default=[], help="number of an argument"
    )
    parser.add_argument(
        "--seed", type=_seed, default=0, help="seed of the arguments that aren't given (default: 0)"
    )


def add_output_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        metavar="NAME=F.npy",
        action="append",
        default=[],
        help="file for a buffer as it is after the run",
    )


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _seed(text: str) -> int:
    """A number for NumPy's generator."""
    if (seed := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"a seed is 0 or more, not {seed}")
    return seed


# -- reading -------------------------------------------------------------------------------------


def read_source(path: str) -> tuple[str, str]:
    """Text of a file or of standard input, and its name for messages."""
    from kt.ir.diagnostics import ParseError
    from kt.parse import read_text

    if path != "-":
        return read_text(path), path
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig"), "<stdin>"
    except UnicodeDecodeError as error:
        raise ParseError(f"standard input is not UTF-8 at byte {error.start}") from None


def read_kernel(args: argparse.Namespace) -> Any:
    """The module that the kernel options name, verified."""
    from kt.ir.attributes import StringAttr
    from kt.ir.verifier import verify
    from kt.parse import parse_text

    module = parse_text(*read_source(args.file))
    if args.conventions:
        module.attributes["kt.conventions"] = StringAttr(args.conventions)
    verify(module, args.lenient)
    return module


def compile_options(args: argparse.Namespace) -> Any:
    """The compiler options that the compile options name."""
    from kt.passes.compiler import Options

    return Options(
        mode=args.mode,
        plan=read_json(args.plan) if args.plan else None,
        verify_each=not args.no_verify,
        lenient=args.lenient,
    )


def read_json(path: str) -> Any:
    """An object from a JSON file. KtError with the place where it isn't JSON."""
    from kt.ir.diagnostics import FileLoc, Source

    text, name = read_source(path)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:  # a number or a nesting too long for Python, too
        location = FileLoc(Source(name, text), getattr(error, "pos", 0))
        raise KtError(f"not JSON: {getattr(error, 'msg', error)}", location, code="plan") from None
    if not isinstance(found, dict):
        raise KtError(f"'{name}' holds no JSON object", FileLoc(Source(name, text), 0), code="plan")
    return found


def read_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments that ``--input`` and ``--arg`` give, by name."""
    found: dict[str, Any] = {}
    for name, path in _pairs(args.input, "--input", "NAME=FILE.npy"):
        found[name] = _load_array(path)
    for name, text in _pairs(args.arg, "--arg", "NAME=NUMBER"):
        if name in found:
            raise KtError(f"argument '{name}' is given twice", code="argument")
        found[name] = _number(name, text)
    return found


def output_files(args: argparse.Namespace, known: Sequence[str]) -> dict[str, str]:
    """The files that ``--output`` names; KtError for a buffer that isn't there."""
    found = dict(_pairs(args.output, "--output", "NAME=FILE.npy"))
    for name in found:
        if name not in known:
            raise KtError(
                f"there is no buffer '{name}' to write",
                hint=f"the buffers are: {', '.join(known) or 'none'}",
                code="argument",
            )
    return found


def _pairs(given: Sequence[str], option: str, form: str) -> list[tuple[str, str]]:
    pairs = []
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise KtError(f"{option} {text}: expected {form}", code="argument")
        if name in dict(pairs):
            raise KtError(f"{option}: '{name}' is given twice", code="argument")
        pairs.append((name.removeprefix("%"), value))
    return pairs


def _load_array(path: str) -> np.ndarray:
    import numpy as np

    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise KtError(f"cannot read '{path}': {error.strerror or error}", code="argument") from None
    except (ValueError, EOFError) as error:
        why = "" if "pickle" in str(error) else f": {error}"
        raise KtError(
            f"'{path}' is no array of NumPy's .npy form{why}", hint="write it with numpy.save", code="argument"
        ) from None
    if not isinstance(array, np.ndarray):
        raise KtError(
            f"'{path}' holds several arrays", hint="save one with numpy.save", code="argument"
        )
    return array


def _number(name: str, text: str) -> int | float:
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise KtError(f"argument '{name}': '{text}' is no number", code="argument") from None


# -- writing -------------------------------------------------------------------------------------


def write_text(text: str, path: str | None) -> None:
    """Text to a file, or to standard output."""
    if path is None or path == "-":
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        from kt.binary.files import write_atomically

        write_atomically(path, (text if text.endswith("\n") else text + "\n").encode())


def write_arrays(files: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> None:
    """Buffers as .npy files."""
    import io

    import numpy as np

    from kt.binary.files import write_atomically

    for name, path in files.items():
        buffer = io.BytesIO()
        np.save(buffer, arrays[name])
        write_atomically(path, buffer.getvalue())


def print_json(data: Mapping[str, Any]) -> None:
    print(json.dumps(data))


def print_remarks(context: Any, everything: bool = False) -> None:
    """Warnings of a compilation, for people; also what passes chose, and why, if they ask for it."""
    from kt.cli.errors import print_diagnostics

    if found := [d for d in context.remarks if everything or d.severity == "warning"]:
        print_diagnostics(found)


# -- for people ----------------------------------------------------------------------------------


def console() -> Console:
    """Standard output with tables and, on a terminal, colours."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A plain table; the first column is text, numbers of the others stand right."""
    from rich.box import SIMPLE
    from rich.table import Table

    made = Table(title=title or None, box=SIMPLE, show_edge=False, title_justify="left", title_style="bold")
    for i, name in enumerate(columns):
        numbers = bool(rows) and all(_is_number(row[i]) for row in rows)
        made.add_column(name, justify="right" if numbers else "left")
    for row in rows:
        made.add_row(*(f"{cell:,}" if isinstance(cell, (int, float)) else str(cell) for cell in row))
    return made


def _is_number(cell: Any) -> bool:
    """A number, one as text, or the dash that stands for none."""
    return isinstance(cell, (int, float)) or cell == "—" or str(cell).replace(",", "").isdigit()


def file_name(path: str) -> str:
    """The stem of a kernel's file, for a name of what is made from it."""
    return "kernel" if path == "-" else Path(path).stem
