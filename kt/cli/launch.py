"""Run a saved artifact on the simulated device.

The device is the one that the artifact names, or --device.

  kt launch kernel.ktb --input x=x.npy --input y=y.npy --output z=z.npy
  kt compile kernel.mlir --device toy -o - | kt launch -
  kt launch exported/ --seed 3                     (what kt dump --spyrecode wrote)
"""

from __future__ import annotations

import argparse
import sys
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kt.cli import common
from kt.ir.diagnostics import ArtifactError, RunError

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.binary import Program


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.ktb", help="the artifact, '-' for standard input (or a SpyreCode directory)")
    parser.add_argument("--device", metavar="D", help="the device, if kt doesn't ship it")
    parser.add_argument(
        "--allow-mismatch",
        action="store_true",
        help="run even if the device file has changed since",
    )
    common.add_argument_options(parser)
    common.add_output_option(parser)
    common.add_json_option(parser)


def execute(args: argparse.Namespace) -> int:
    import numpy as np

    from kt.arch import load_device
    from kt.cli.run import show_report
    from kt.sim import Runtime

    program = load(args.file)
    device = load_device(args.device or device_of(program))
    buffers = [a.name for a in program.arguments if a.kind == "address"]
    files = common.output_files(args, buffers)
    kernel = Runtime(device, allow_mismatch=args.allow_mismatch).load(program)
    found = kernel(complete(program, device, common.read_arguments(args), args.seed))
    common.write_arrays(files, {name: np.asarray(array) for name, array in found.items()})
    summary = {
        "ok": True,
        "kernel": program.metadata.get("kernel"),
        "device": str(device.name),
        **kernel.last.to_json(),
        "max_error": None,
    }
    if args.json:
        common.print_json(summary)
        return 0
    show_report(kernel.last, program, device)
    return 0


def load(path: str) -> Program:
    """The program of a file, of standard input ('-'), or of a SpyreCode directory that kt wrote."""
    from kt.binary import Program
    from kt.binary.spyrecode import import_directory

    if path == "-":
        return Program.from_bytes(sys.stdin.buffer.read())
    if Path(path).is_dir():
        return import_directory(path)
    try:
        return Program.load(path)
    except ArtifactError as error:
        if Path(path).suffix == ".mlir":
            error.diagnostics[
                0
            ].hint = "compile it first: kt compile FILE --device D; or run it: kt run"
        raise


def device_of(program: Program) -> str:
    """The shipped device that an artifact names. RunError when it is none that kt ships."""
    from kt.arch import shipped_devices

    name = program.metadata.get("device", {}).get("name")
    if name not in shipped_devices():
        raise RunError(
            f"the artifact was compiled for device '{name}', which doesn't come with kt",
            hint="give its file by --device",
        )
    return name


def complete(program: Program, device: Device, given: dict[str, Any], seed: int) -> dict[str, Any]:
    """The given arguments, and random ones for buffers whose shape the artifact knows."""
    from kt.ir.numbers import dtype
    from kt.sim.inputs import random_array, random_of

    found = dict(given)
    for argument in program.arguments:
        if argument.name in found:
            continue
        if argument.kind != "address" or not argument.dtype or -1 in argument.shape:
            form = "--arg {0}=NUMBER" if argument.kind == "scalar" else "--input {0}=FILE.npy"
            raise RunError(
                f"argument '{argument.name}' must be given", hint=form.format(argument.name)
            )
        form = dtype(argument.dtype)
        size, room = prod(argument.shape) * form.itemsize, device.global_memory.size
        if room is not None and size > room:
            raise RunError(
                f"argument '{argument.name}' has {size} bytes, the device's memory {room}",
                hint=f"--input {argument.name}=FILE.npy, if less is enough",
            )
        random = random_of(seed, argument.name)
        found[argument.name] = random_array(argument.shape, form, random)
    return found
