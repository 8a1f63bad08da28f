"""Run a kernel on the simulated device and show who did what when.

The screen has cycles, bounds and what limits the run, traffic of memories and links, the map of the
scratchpads, and a timeline. -o writes trace events for Perfetto or chrome://tracing: a process per core,
a thread per unit, one microsecond per cycle.

  kt trace examples/add.mlir --device toy
  kt trace examples/add.mlir --device toy -o trace.json
  kt trace examples/add.mlir --device toy --svg timeline.svg --roofline roof.svg
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

from kt.cli import common

if TYPE_CHECKING:
    from kt.binary import Program
    from kt.sim.runtime import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_kernel_options(parser)
    common.add_argument_options(parser)
    common.add_compile_options(parser)
    common.add_remarks_option(parser)
    add = parser.add_argument
    add("-o", dest="out", metavar="F", help="write trace events (JSON)")
    add("--svg", metavar="F", help="write the timeline as a picture")
    add("--roofline", metavar="F", help="write the roofline as a picture")
    add("--width", metavar="N", type=int, help="columns (default: the terminal's)")
    add("--color", choices=("auto", "always", "never"), default="auto", help="NO_COLOR is honoured")
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.passes.compiler import Compilation
    from kt.sim.runtime import Runtime
    from kt.view.buffers import Buffers

    module = common.read_kernel(args)
    compilation = Compilation.start(module, args.device, args.func, common.compile_options(args))
    arguments = _arguments(args, compilation)
    buffers = Buffers()
    compilation.lower(instruments=[buffers])
    program = compilation.encode()
    kernel = Runtime(compilation.device, trace=True).load(program)
    kernel(arguments)
    report = kernel.last
    title = f"@{compilation.kernel} on {compilation.device.name}: {report.cycles:,} cycles"
    _files(args, title, report, program, compilation.device)
    if args.json:
        common.print_json(_json(compilation, report, program))
    elif not (args.out or args.svg or args.roofline):
        common.print_remarks(compilation.context, args.remarks)
        _show(args, report, program, compilation.device, buffers.found)
    return 0


def _arguments(args: argparse.Namespace, compilation: Any) -> dict[str, Any]:
    from kt.sim.buffers import parameters_of
    from kt.sim.functions import find_function, function_table
    from kt.sim.inputs import generate_arguments
    from kt.sim.simulate import by_name

    module = compilation.module
    function: Any = find_function(module, compilation.kernel)
    parameters = parameters_of(function, function_table(module).get)
    given = by_name(common.read_arguments(args), parameters)
    return generate_arguments(module, function, args.seed, given)


def _files(
    args: argparse.Namespace, title: str, report: Report, program: Program, device: Any
) -> None:
    from kt.view import roofline, timeline

    if args.out:
        events = timeline.trace_json(report, program, str(device.name))
        common.write_text(json.dumps(events), args.out)
        print(f"{len(report.events):,} events in {args.out}; open it in ui.perfetto.dev", file=sys.stderr)
    if args.svg:
        common.write_text(timeline.svg(report, title), args.svg)
    if args.roofline:
        common.write_text(roofline.svg(roofline.roofline(report, program, device), title), args.roofline)


def _json(compilation: Any, report: Report, program: Program) -> dict[str, Any]:
    from kt.view.bounds import summarise

    summary = summarise(report, program, compilation.device)
    return {
        "ok": True,
        "kernel": compilation.kernel,
        "device": str(compilation.device.name),
        **report.to_json(),
        "units": {name: times.to_json() for name, times in report.units.items()},
        "links": {f"{a} -> {b}": moved for (a, b), moved in report.links.items()},
        "bounds": {bound.name: bound.cycles for bound in summary.bounds},
        "verdict": summary.verdict(),
    }


def _show(args: argparse.Namespace, report: Report, program: Program, device: Any, buffers: Any) -> None:
    from kt.view.paging import show
    from kt.view.report import render_report

    width = max(60, min(250, args.width or shutil.get_terminal_size((100, 24)).columns))
    lines = list(render_report(report, program, device, buffers).lines(width))
    show(lines, args.color, width, pager=False)
