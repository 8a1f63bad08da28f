"""What a launch costs on the host, against preparing the program and against compiling it again.

The time of simulating is left out: on a device it would be the device's. Run:
python benchmarks/launch.py [kernel file] [device]
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program
from kt.ir.numbers import dtype
from kt.parse import parse_path
from kt.sim import Runtime

KERNELS = Path(__file__).parents[1] / "tests" / "corpus" / "kernels"
DEFAULT = ("add_single", "affine_broadcast", "dynamic_rows", "relayout_copy", "layernorm_fwd")
LAUNCHES = 20


def arguments_of(program: Program, rows: int) -> dict[str, Any]:
    """Zeros for every buffer; unknown extents and integers are ``rows``."""
    found: dict[str, Any] = {}
    for argument in program.arguments:
        form = dtype(argument.dtype or "f16")
        if argument.kind == "address":
            shape = tuple(rows if n < 0 else n for n in argument.shape) or (rows,)
            found[argument.name] = np.zeros(shape, form.storage)
        else:
            found[argument.name] = rows if form.is_integer else 1.0
    return found


def measure(path: Path, device_name: str) -> None:
    """Print one line for a kernel."""
    device = load_device(device_name)
    compile_kernel(parse_path(path), device)  # grammars and tables of the process are loaded now
    start = perf_counter()
    program = compile_kernel(parse_path(path), device)
    compiling = perf_counter() - start

    data = program.to_bytes()
    start = perf_counter()
    program = Program.from_bytes(data)
    loading = perf_counter() - start
    runtime = Runtime(device)
    kernel = runtime.load(program)
    preparing = runtime.counters.prepare_seconds

    costs = []
    for number in range(LAUNCHES):
        kernel(arguments_of(program, 8 + number % 2))
        costs.append(kernel.last.overhead)
    launching, programs = min(costs), kernel.last.programs
    assert runtime.counters.prepared == 1 and runtime.counters.launches == LAUNCHES
    budget = 1e-3 + 20e-6 * programs
    print(
        f"{path.stem} on {device_name}: compile {compiling * 1e3:.0f} ms, load {loading * 1e3:.1f} ms, "
        f"prepare {preparing * 1e3:.1f} ms, launch {launching * 1e6:.0f} us for {programs} programs "
        f"(budget {budget * 1e6:.0f} us); launching again is {compiling / launching:,.0f} times "
        f"cheaper than compiling again, {preparing / launching:,.0f} times than preparing"
    )


def main() -> None:
    files = [Path(sys.argv[1])] if len(sys.argv) > 1 else [KERNELS / f"{n}.mlir" for n in DEFAULT]
    device = sys.argv[2] if len(sys.argv) > 2 else "toy"
    for path in files:
        measure(path, device)


if __name__ == "__main__":
    main()
