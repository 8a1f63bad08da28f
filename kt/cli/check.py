"""Run a kernel's IR after every pass, and its artifact, and compare with what the kernel means.

Names the first pass that changed the meaning.

  kt check examples/silu.mlir --device toy
"""

from __future__ import annotations

import argparse

from kt.cli import common
from kt.ir.diagnostics import KtError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_kernel_options(parser)
    common.add_argument_options(parser)
    common.add_compile_options(parser)
    common.add_remarks_option(parser)
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.passes.checking import check_kernel

    module = common.read_kernel(args)
    options = common.compile_options(args)
    report = check_kernel(
        module, args.device, common.read_arguments(args), args.func, args.seed, options
    )
    failed = report.failed
    if args.json:
        summary = report.to_json()
        if failed is not None:
            summary["error"] = KtError(f"after {failed.name}: {failed.message}").to_json()
        common.print_json(summary)
        return 0 if report.ok else 1
    common.print_remarks(report.context, args.remarks)
    out = common.console()
    for entry in report.entries:
        mark = "[green]ok[/green]  " if entry.ok else "[red]FAIL[/red]"
        off = f"  (off by at most {entry.max_error:.3g})" if entry.ok and entry.max_error else ""
        out.print(f"{mark} {entry.seconds * 1e3:8.1f} ms  ", end="")
        out.print(f"{entry.name}{off}", markup=False)
    if failed is None:
        out.print(f"@{report.kernel} means the same after every pass", markup=False)
    else:
        out.print(
            f"@{report.kernel}: '{failed.name}' changed the meaning: {failed.message}", markup=False
        )
    return 0 if report.ok else 1
