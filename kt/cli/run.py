"""Compile a kernel, run it on the simulated device, and compare with the KTIR executor.

Arguments that aren't given are random, from --seed. Prints cycles, traffic and utilisation.

  kt run examples/add.mlir --device toy
  kt run examples/rows.mlir --device spyre --arg n=21 --input x=x.npy --output out=out.npy
  kt run examples/add.mlir --level ktir            (the executor alone, no device needed)
  kt run examples/add.mlir --level ktir --device spyre    (with that device's cycle estimate)
  kt run programs.mlir --level dataflow --device toy      (DataflowIR; accesses that race are errors)
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kt.cli import common
from kt.ir.diagnostics import KtError, RunError

if TYPE_CHECKING:
    import numpy as np

    from kt.arch import Device
    from kt.binary import Program
    from kt.sim import Report
    from kt.sim.estimate import Estimate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_kernel_options(parser)
    common.add_argument_options(parser)
    common.add_output_option(parser)
    common.add_compile_options(parser)
    common.add_remarks_option(parser)
    parser.add_argument(
        "--level",
        choices=("ktir", "dataflow", "device"),
        default="device",
        help="ktir: only run the file's IR, of whatever level, by its meaning; dataflow: encode and "
        "run DataflowIR (--lenient: even if accesses race)",
    )
    parser.add_argument(
        "--no-compare", action="store_true", help="don't run the KTIR executor for comparison"
    )
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    return {"ktir": _interpret, "dataflow": _dataflow, "device": _run}[args.level](args)


def _interpret(args: argparse.Namespace) -> int:
    from kt.arch import device_ops, load_device
    from kt.cli.progress import bar
    from kt.sim.estimate import model_for
    from kt.sim.functions import find_function
    from kt.sim.machine import Machine
    from kt.sim.simulate import simulate

    module = common.read_kernel(args)
    source = args.device or (module if device_ops(module) else None)
    device = load_device(source) if source is not None else None
    kernel: Any = find_function(module, args.func)
    files = common.output_files(args, _buffers(module, kernel)) if args.output else {}
    given = common.read_arguments(args)
    model = model_for(device)
    machine = Machine(device=device)
    machine.meter = model.meter()
    with bar(f"@{kernel.symbol}") as machine.progress:
        found = simulate(module, given, kernel.symbol, machine=machine, seed=args.seed)
    estimate = model.evaluate(machine.meter)
    common.write_arrays(files, found)
    if args.json:
        shapes = {n: {"shape": list(a.shape), "dtype": str(a.dtype)} for n, a in found.items()}
        name = None if device is None else str(device.name)
        data = {"ok": True, "kernel": kernel.symbol, "device": name, "buffers": shapes}
        common.print_json({**data, "estimate": estimate.to_json()})
        return 0
    out = common.console()
    out.print(f"@{kernel.symbol} ran on the KTIR executor", markup=False)
    _show_estimate(estimate)
    out.print(_values(found))
    return 0


def _show_estimate(found: Estimate) -> None:
    """Cycles in total and of the tiles that differ, and the roofline."""
    out = common.console()
    out.print(
        f"estimate by the model of {found.model}: {found.cycles:,.6g} cycles without overlap, "
        f"{found.overlapped:,.6g} with all of it, mostly {found.bottleneck}; roofline "
        f"{found.roofline:,.6g} ({found.attainment:.0%} reached)",
        markup=False,
    )
    alike: dict[Any, list[int]] = {}
    for number, tile in enumerate(found.tiles):
        alike.setdefault(tile, []).append(number)
    slowest = sorted(alike.items(), key=lambda item: -item[0].serial)[:8]
    rows = [
        (_range(numbers), *(f"{x:,.6g}" for x in (t.compute, t.memory, t.exchange, t.serial)))
        for t, numbers in slowest
    ]
    more = len(alike) - len(slowest)
    if more:
        rows.append((f"{more} more", "", "", "", ""))
    out.print(common.table("", ("tile", "compute", "memory", "exchange", "sum"), rows))


def _range(numbers: list[int]) -> str:
    """``0-3, 8``: tile numbers, neighbours as ranges."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    text = ["-".join(map(str, part)) for part in parts]
    return ", ".join(text[:4]) + (", …" if len(text) > 4 else "")


def _buffers(module: Any, kernel: Any) -> list[str]:
    from kt.sim.buffers import parameters_of
    from kt.sim.functions import function_table

    names = [p.name for p in parameters_of(kernel, function_table(module).get)]
    return [*names, *(f"result{i}" for i in range(len(kernel.function_type.results)))]


def _dataflow(args: argparse.Namespace) -> int:
    import numpy as np

    from kt.arch import device_ops, load_device
    from kt.cli.launch import complete
    from kt.sim import Runtime
    from kt.sim.dataflow import program_of

    module = common.read_kernel(args)
    if args.device is None and not device_ops(module):
        raise KtError(
            "the programs run on a device, and none is named", hint="for example --device toy"
        )
    device = load_device(args.device or module)
    program = program_of(module, device, func=args.func)
    files = common.output_files(args, [a.name for a in program.arguments if a.kind == "address"])
    kernel = Runtime(device, hazards=not args.lenient).load(program)
    results = kernel(complete(program, device, common.read_arguments(args), args.seed))
    found = {name: np.asarray(array) for name, array in results.items()}
    common.write_arrays(files, found)
    if args.json:
        name = program.metadata.get("kernel")
        summary = {"ok": True, "kernel": name, "device": str(device.name), "max_error": None}
        common.print_json({**summary, **kernel.last.to_json()})
        return 0
    show_report(kernel.last, program, device)
    common.console().print(_values(found))
    return 0


def _run(args: argparse.Namespace) -> int:
    from kt.passes.checking import Oracle
    from kt.passes.compiler import Compilation
    from kt.view.buffers import Buffers

    module = common.read_kernel(args)
    compilation = Compilation.start(module, args.device, args.func, common.compile_options(args))
    buffers = [a.name for a in compilation.signature.arguments if a.kind == "address"]
    files = common.output_files(args, buffers)
    given = common.read_arguments(args)
    oracle = Oracle.of(compilation, given, args.seed)
    places = Buffers()
    compilation.lower(instruments=[places])
    program = compilation.encode()
    try:
        found = oracle.run_program(program)
    except RunError:
        _ = oracle.wanted  # if the kernel itself is wrong, its own error says it better
        raise
    report = oracle.report.run
    assert report is not None
    if args.no_compare:
        ok, error, message = True, None, ""
    else:
        result = oracle.compare(found)
        ok, error, message = result.ok, result.max_error, result.message
    if ok:
        common.write_arrays(files, found)
    summary = {
        "ok": ok,
        "kernel": compilation.kernel,
        "device": str(compilation.device.name),
        **report.to_json(),
        "max_error": error,
    }
    if args.json:
        if not ok:
            summary["error"] = KtError(message).to_json()
        common.print_json(summary)
    else:
        common.print_remarks(compilation.context, args.remarks)
        _show(summary, report, program, compilation.device, places.found, found, message)
    return 0 if ok else 1


def _show(
    summary: Mapping[str, Any],
    report: Report,
    program: Program,
    device: Device,
    buffers: Sequence[Any],
    found: Mapping[str, np.ndarray],
    message: str,
) -> None:
    show_report(report, program, device, buffers)
    out = common.console()
    out.print()
    out.print(_values(found))
    out.print()
    if not summary["ok"]:
        out.print(f"[red]differs from the KTIR executor[/red]: {message}")
    elif summary["max_error"] is not None:
        exact = summary["max_error"] == 0
        how = "equal bit by bit" if exact else f"equal within {summary['max_error']:.3g}"
        out.print(f"compared with the KTIR executor: [green]{how}[/green]")


def show_report(
    report: Report, program: Program, device: Device | None = None, buffers: Sequence[Any] = ()
) -> None:
    """Cycles, what limits them, units, traffic, and the map of the scratchpads."""
    import shutil

    from kt.view.paging import show
    from kt.view.report import render_report

    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    lines = list(render_report(report, program, device, buffers).lines(width))
    show(lines, width=width, pager=False)


def _values(found: Mapping[str, np.ndarray]) -> Any:
    """A table of buffers: shape, type, first elements."""
    rows = []
    for name, array in found.items():
        few = ", ".join(f"{x:.4g}" if array.dtype.kind == "f" else str(x) for x in array.flat[:4])
        dots = ", …" if array.size > 4 else ""
        rows.append((name, f"{'x'.join(map(str, array.shape))} {array.dtype}", few + dots))
    return common.table("", ("buffer", "array", "first elements"), rows)
