"""Compile a kernel to an artifact, or print the IR of a level.

  kt compile kernel.mlir --device toy -o kernel.ktb
  kt compile kernel.mlir --device toy --emit schedule
  kt compile kernel.mlir --device toy --emit plan -o plan.json      (edit it, give it back by --plan)
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from kt.cli import common

EMIT = {
    "ktir": "normalised KTIR",
    "plan": "what was decided, as JSON",
    "schedule": "pipelines with buffers and addresses",
    "dataflow": "one program per unit",
    "binary": "the artifact (default)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_kernel_options(parser)
    common.add_compile_options(parser)
    common.add_remarks_option(parser)
    parser.add_argument(
        "--emit",
        choices=tuple(EMIT),
        default="binary",
        help="; ".join(f"{k}: {v}" for k, v in EMIT.items()),
    )
    parser.add_argument(
        "-o", dest="out", metavar="FILE",
        help="where to write (default: standard output; for the artifact FILE's name with .ktb)",
    )  # fmt: skip
    parser.add_argument(
        "--no-debug", action="store_true", help="leave source positions out of the artifact"
    )
    parser.add_argument(
        "--timing", action="store_true", help="print the time of every pass to standard error"
    )
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    from kt.passes.compiler import Compilation
    from kt.passes.instruments import Timing
    from kt.passes.schedule.complete_plan import emitted_plans

    module = common.read_kernel(args)
    compilation = Compilation.start(module, args.device, args.func, common.compile_options(args))
    timing = Timing()
    plans: dict[str, Any] = {}
    if args.emit == "plan":
        plans = emitted_plans(compilation, [timing])
    else:
        compilation.lower("dataflow" if args.emit == "binary" else args.emit, [timing])
    common.print_remarks(compilation.context, args.remarks)
    if args.timing:
        print(timing.report(), file=sys.stderr)
    if args.emit == "binary":
        return _artifact(args, compilation)
    if args.emit == "plan":
        text = json.dumps(plans, indent=2)
    else:
        from kt.parse import print_op

        text = print_op(compilation.module)
    common.write_text(text, args.out)
    return 0


def _artifact(args: argparse.Namespace, compilation: Any) -> int:
    from kt.binary.files import write_atomically

    program = compilation.encode()
    data = program.to_bytes(debug=not args.no_debug)
    path = args.out or f"{common.file_name(args.file)}.ktb"
    if path == "-":
        sys.stdout.buffer.write(data)
        return 0
    write_atomically(path, data)
    device = str(compilation.device.name)
    if args.json:
        common.print_json(
            {
                "ok": True, "kernel": compilation.kernel, "device": device, "file": path,
                "size": len(data), "programs": len(program.images), "build_id": program.build_id,
            }
        )  # fmt: skip
    else:
        count = len(program.images)
        print(
            f"{path}: @{compilation.kernel} for {device}, {count} program{'s' * (count != 1)}, "
            f"{len(data):,} bytes"
        )
    return 0
