"""Show what each pass did to a kernel, or what is different between two files.

A value keeps its name from pass to pass, so that renumbering is no change; in lines that changed, the
changed words are marked. '<' and '>' mark what only moved.

  kt diff examples/add.mlir --device toy                  every pass that changed something
  kt diff examples/add.mlir --device toy --stat           the table alone, and operation counts
  kt diff examples/add.mlir --device toy --pass '*loops' --why
  kt diff examples/add.mlir --device toy --against input --pass wrap-program-dfir
  kt diff examples/add.mlir --device toy --html diff.html
  kt diff examples/add.mlir --device toy --dump-dir dumps; kt diff dumps
  kt diff a.mlir b.mlir                                   two files, matched by structure
  kt diff before/ after/                                  two runs, pass by pass

Passes are named as in the table: by name (the second 'cse' is cse#2), pattern or number. In the pager,
n and N jump between passes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kt.cli import common
from kt.ir.diagnostics import InternalError, KtError

if TYPE_CHECKING:
    from kt.view.pipeline import PipelineDiff


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", metavar="FILE", nargs="+", help="a kernel; two files; one or two directories of dumps")
    add("--device", metavar="D", help="name of a shipped device, or a device file")
    add("--pass-pipeline", metavar="P", help="these passes instead of the device's pipeline")
    add(
        "--func", metavar="NAME",
        help="the kernel, if the file has several; else only changes inside this symbol",
    )  # fmt: skip
    what = parser.add_argument_group("what to show")
    add = what.add_argument
    add("--pass", "--only", dest="passes", metavar="P[,P]", action="append", help="only these passes")
    add("--from", dest="first", metavar="P", help="from this pass on")
    add("--to", dest="last", metavar="P", help="up to this pass")
    add("--against", metavar="P", help="compare with the IR after this pass ('input': the kernel)")
    add("--op", metavar="GLOB", help="only changes of these operations: 'linalg.*'")
    add("--changed-only", action="store_true", help="only passes with changes (default)")
    add("--all", action="store_true", help="unchanged passes as well, and every line")
    add("--context", "-U", metavar="N", type=_count, default=3, help="unchanged lines around (3)")
    add("--stat", "--stats", action="store_true", help="tables only: passes, operations by name")
    add("--why", action="store_true", help="the rewrite rules behind every hunk, and their source")
    add("--raw-names", action="store_true", help="values as the printer numbers them")
    how = parser.add_argument_group("how to show it")
    add = how.add_argument
    group = how.add_mutually_exclusive_group()
    group.add_argument("--side-by-side", "-y", action="store_true", help="two columns (default from 150 wide)")
    group.add_argument("--unified", "-u", action="store_true", help="one column")
    add("--no-words", action="store_true", help="don't mark words within lines")
    add("--color", choices=("auto", "always", "never"), default="auto", help="NO_COLOR is honoured")
    add("--theme", choices=("dark", "light"), help="colours (default: KT_THEME, or the terminal's)")
    add("--width", metavar="N", type=_count, help="columns (default: the terminal's)")
    pager = how.add_mutually_exclusive_group()
    pager.add_argument("--pager", action="store_true", help="page even what fits on the screen")
    pager.add_argument("--no-pager", action="store_true", help="never page (default: what doesn't fit)")
    add("-o", dest="out", metavar="F", help="write to a file: .html, .svg, .json, or text (.txt)")
    add("--html", metavar="F", help="write one self-contained HTML page")
    add("--svg", metavar="F", help="write the screen as a picture")
    add("--dump-dir", metavar="DIR", help="write the IR after every pass that changed it")
    common.add_compile_options(parser)
    add = parser.add_argument
    add("--conventions", choices=("kt", "scheduler", "ktir-cpu"), help=argparse.SUPPRESS)
    add("--lenient", action="store_true", help="accept contradictions that upstream's tools accept")
    common.add_json_option(parser)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number, not '{text}'")
    return int(text)


_TEXT = ("", ".txt", ".diff", ".log")
"""Suffixes of plain text."""


def execute(args: argparse.Namespace) -> int:
    suffix = Path(args.out or "").suffix
    if suffix not in (".html", ".svg", ".json", *_TEXT):
        raise KtError(
            f"-o {args.out}: '{suffix}' is no form of a difference",
            hint="known: .html, .svg, .json; .txt, .diff, .log or no suffix for text",
            code="option",
        )
    if suffix in (".html", ".svg"):
        setattr(args, suffix[1:], args.out)
        args.out = None
    diff = _collect(args)
    if args.dump_dir:
        from kt.view.dumps import write_stages

        written = write_stages(diff.stages, Path(args.dump_dir))
        print(f"{len(written)} files in {args.dump_dir}", file=sys.stderr)
    if args.html:
        from kt.view.page import page

        common.write_text(page(diff), args.html)
    if args.svg:
        from kt.view.svg import svg_of

        common.write_text(svg_of(diff, _width(args), "kt diff", args.theme != "light"), args.svg)
    if args.json or suffix == ".json":
        data = {"ok": diff.error is None, **diff.to_json(), **_error(diff)}
        common.write_text(json.dumps(data), args.out)
    elif not (args.html or args.svg or args.dump_dir):
        _show(args, diff)
    if isinstance(diff.error, InternalError):
        raise diff.error  # a bug, after what could be seen of it
    if diff.error is not None:
        if not args.json:
            from kt.cli.errors import print_diagnostics

            print_diagnostics(diff.error.diagnostics)
        return 1
    return 0


# -- collecting --------------------------------------------------------------------------------------


def _collect(args: argparse.Namespace) -> PipelineDiff:
    from kt.view.pipeline import PipelineDiff

    error, func = None, args.func
    if len(args.inputs) > 2:
        raise KtError("at most two files can be compared", code="option")
    befores: Any = ()
    if len(args.inputs) == 2 and all(Path(path).is_dir() for path in args.inputs):
        from kt.view.dumps import read_runs

        befores, stages = read_runs(*map(Path, args.inputs))
        title = " → ".join(args.inputs)
    elif len(args.inputs) == 2:
        from kt.parse import parse_text
        from kt.view.record import stages_of

        texts = [common.read_source(path) for path in args.inputs]
        stages = stages_of([(name, parse_text(text, name)) for text, name in texts])
        title = " → ".join(args.inputs)
    elif args.inputs[0] != "-" and Path(args.inputs[0]).is_dir():
        from kt.view.dumps import read_stages

        stages, title = read_stages(Path(args.inputs[0])), args.inputs[0]
    else:
        stages, title, error, func = _run(args)
    made = PipelineDiff(
        title, stages, _selection(args, func), columns=_columns(args), words=not args.no_words, befores=befores
    )
    made.error = error
    if args.theme:
        from kt.view.themes import THEMES

        made.theme = THEMES[args.theme]
    return made


def _run(args: argparse.Namespace) -> tuple[Any, str, KtError | None, str | None]:
    """Run the pipeline and keep its stages; a pass that refuses ends it."""
    from kt.passes.compiler import Compilation
    from kt.passes.manager import parse_pipeline
    from kt.view.record import Recorder

    args.file = args.inputs[0]
    module = common.read_kernel(args)
    functions = [op.symbol for op in module.body.ops if op.name == "func.func"]
    several = len(functions) > 1 and (args.func or "").removeprefix("@") in functions
    kernel = args.func.removeprefix("@") if several else None
    recorder = Recorder(args.raw_names)
    compilation = Compilation.start(module, args.device, kernel, common.compile_options(args))
    recorder.start(compilation.module)
    passes: Any = parse_pipeline(args.pass_pipeline) if args.pass_pipeline else None
    error = None
    try:
        compilation.lower(instruments=[recorder], passes=passes)
    except KtError as refusal:
        if len(recorder.stages) == 1:
            raise
        error = refusal
    title = f"@{compilation.kernel} on {compilation.device.name}"
    return recorder.stages, title, error, None if several else args.func


def _selection(args: argparse.Namespace, func: str | None) -> Any:
    from kt.view.pipeline import Selection

    passes = tuple(p.strip() for text in args.passes or () for p in text.split(",")) or None
    return Selection(
        passes, args.first, args.last, args.against, args.all, func, args.op, args.context, args.why
    )


def _error(diff: PipelineDiff) -> dict[str, Any]:
    return {} if diff.error is None else {"error": diff.error.to_json()}


# -- showing -----------------------------------------------------------------------------------------


def _columns(args: argparse.Namespace) -> int | None:
    return 2 if args.side_by_side else 1 if args.unified else None


def _width(args: argparse.Namespace) -> int:
    import shutil

    return max(60, min(250, args.width or shutil.get_terminal_size((100, 24)).columns))


def _show(args: argparse.Namespace, diff: PipelineDiff) -> None:
    from kt.view.paging import as_plain, in_colour, show
    from kt.view.screen import overview, render, statistics
    from kt.view.themes import PLAIN, default_theme

    width = _width(args)
    if args.out or not in_colour(args.color):
        diff.theme = PLAIN
    theme = diff.theme or default_theme()
    if args.stat:
        lines = [*overview(diff, width, theme), *statistics(diff, width, theme)]
    else:
        lines = list(render(diff, width))
    if args.out:
        common.write_text(as_plain(lines), args.out)
    else:
        show(lines, args.color, width, pager=not args.no_pager, always=args.pager)
