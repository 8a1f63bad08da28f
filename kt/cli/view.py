"""Walk through the passes of a kernel: what each did, and what became of a line, down to instructions.

Arrow keys go through passes and lines, '/' searches, enter shows the history of a line from the kernel
to the binary, 'b' the binary itself, '?' all keys. Without a terminal, --keys plays keys and prints the
screen.

  kt view examples/add.mlir --device toy
  kt view examples/add.mlir --device toy --keys 'right right tab' --size 100x30
  kt view examples/add.mlir --device toy --keys 's :ktdp.load enter'
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from kt.cli import common
from kt.ir.diagnostics import InternalError, KtError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_kernel_options(parser)
    common.add_compile_options(parser)
    parser.add_argument("--keys", metavar="KEYS", help="keys to play, separated by spaces; then print")
    parser.add_argument("--size", metavar="WxH", type=_size, default=(100, 30), help="screen for --keys")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parser.add_argument("--svg", metavar="F", help="with --keys: write the screen as a picture")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) >= 20 and int(height) >= 4):
        raise argparse.ArgumentTypeError(f"expected columns x lines, as in 100x30, not '{text}'")
    return int(width), int(height)


def execute(args: argparse.Namespace) -> int:
    if args.keys is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise KtError(
            "kt view needs a terminal", hint="use `kt diff`, or play keys with --keys", code="option"
        )
    explorer = _explorer(args)
    if args.keys is None:
        from kt.view.keyboard import run

        run(explorer)
        return 0
    explorer.width, explorer.height = args.size
    for word in args.keys.split():
        typed = [*word, "enter"] if word[0] in "/:" and len(word) > 1 else [{"space": " "}.get(word, word)]
        for key in typed:
            explorer.press(key)
    _print(args, explorer)
    return 0


def _explorer(args: argparse.Namespace) -> Any:
    from kt.passes.compiler import Compilation
    from kt.view.explore import Explorer
    from kt.view.history import History, binary_lines
    from kt.view.pipeline import PipelineDiff
    from kt.view.record import Recorder

    module = common.read_kernel(args)
    recorder = Recorder()
    compilation = Compilation.start(module, args.device, args.func, common.compile_options(args))
    recorder.start(compilation.module)
    binary, message = [], ""
    try:
        compilation.lower(instruments=[recorder])
        binary = binary_lines(compilation.encode())
    except InternalError:
        raise
    except KtError as error:
        message = str(error)
    title = f"@{compilation.kernel} on {compilation.device.name}"
    explorer = Explorer(PipelineDiff(title, recorder.stages), History(recorder.stages, binary))
    explorer.message = message
    return explorer


def _print(args: argparse.Namespace, explorer: Any) -> None:
    from rich.console import Group

    from kt.view.paging import show

    lines = explorer.draw()
    if args.svg:
        from kt.view.svg import svg_of

        common.write_text(svg_of(Group(*lines), explorer.width, "kt view"), args.svg)
    else:
        show(lines, args.color, explorer.width, pager=False)
