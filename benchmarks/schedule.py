"""Modelled cycles of compiled kernels against the bound of the device.

    python benchmarks/schedule.py [--device spyre] [--mode capacity upstream] [FILE …]

The bound is max(device bytes / memory bandwidth, bytes per link of a core / its bandwidth, vector
instructions of a core) plus one unloaded fill (the latencies of the way in and the way out). Prints a
table with cycles / bound per kernel, device and mode; without files: ``benchmarks/kernels/``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kt
from kt.sim.inputs import generate_arguments
from kt.sim.runtime import Report
from kt.sim.simulate import find_function

HERE = Path(__file__).parent


def bound(report: Report, device: Any, tiles: int) -> float:
    """Least cycles in which the device could do what the report counts."""
    memory = device.global_memory
    kind = str(memory.kind)
    traffic = report.bytes[kind]
    limits = []
    if memory.bandwidth:
        limits.append((traffic.read + traffic.written) / memory.bandwidth)
    compute = device.compute_kind
    near = device.memory_path(device.local_memory(compute).kind, kind) if compute else ()
    inner = str(near[-2].kind) if len(near) > 1 else kind
    ways = ((device.route(kind, inner), traffic.read), (device.route(inner, kind), traffic.written))
    for route, size in ways:
        if route.bandwidth:
            limits.append(size / tiles / route.bandwidth)
    busy = [
        times.busy
        for name, times in report.units.items()
        if name.partition("-")[2].partition("-")[0] == device.tag(compute)
    ]
    limits.append(max(busy, default=0))
    fill = device.route(kind, compute).latency + device.route(compute, kind).latency
    return max(limits) + fill


def measure(path: Path, device: Any, mode: str) -> tuple[int, float, float]:
    """Cycles, bound and seconds of simulation of one kernel."""
    module = kt.parse_file(path)
    function = find_function(module)
    arguments = generate_arguments(module, function, seed=0)
    program = kt.compile(module, device, mode=mode)
    kernel = kt.Runtime(device, checks=False).load(program)
    start = time.perf_counter()
    kernel(arguments)
    seconds = time.perf_counter() - start
    return kernel.last.cycles, bound(kernel.last, device, program.num_cores), seconds


def rows(files: list[Path], devices: list[str], modes: list[str]) -> Iterator[str]:
    for path in files:
        for name in devices:
            for mode in modes:
                try:
                    cycles, least, seconds = measure(path, kt.device(name), mode)
                except kt.KtError as error:
                    yield f"{path.stem:24} {name:7} {mode:9} refused: {error.message}"
                    continue
                yield (
                    f"{path.stem:24} {name:7} {mode:9} {cycles:>10,} cycles {least:>12,.0f} bound "
                    f"{cycles / least:6.2f}x   ({seconds:.1f} s simulated)"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--device", nargs="+", default=["spyre"])
    parser.add_argument("--mode", nargs="+", default=["capacity", "upstream"])
    args = parser.parse_args()
    files = args.files or sorted((HERE / "kernels").glob("*.mlir"))
    for row in rows(files, args.device, args.mode):
        print(row, flush=True)


if __name__ == "__main__":
    main()
