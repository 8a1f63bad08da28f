"""Compile time: per pass, and how it grows with the number of operations.

    python benchmarks/compile.py [--device toy spyre] [--ops 64 128 256 512 1024]

For an elementwise kernel in a warm process: seconds from the parsed module to the artifact, the best of
several runs, and its ratio to parsing the text. For chains of n operations: time of each pass, and how
the time per operation of the longest chain compares with that of the shortest (1.0: linear growth).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import kt
from kt.arch import Device
from kt.passes.manager import PassContext, PassManager, Timing
from kt.passes.pipelines import pipeline

HERE = Path(__file__).parent
KERNELS = [HERE.parent / "examples" / name for name in ("add.mlir", "silu_mul.mlir")]
RUNS = 7

HEADER = """func.func @chain(%x: index, %out: index) attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index
  %xv = ktdp.construct_memory_view %x, sizes: [16, 64], strides: [64, 1] {{{view}}} : memref<16x64xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [16, 64], strides: [64, 1] {{{view}}} : memref<16x64xf16>
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {{{tile}}} : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  %ot = ktdp.construct_access_tile %ov[%c0, %c0] {{{tile}}} : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
  %v0 = ktdp.load %xt : !ktdp.access_tile<16x64xindex> -> tensor<16x64xf16>
"""
BOX = "affine_set<(i, j) : (i >= 0, -i + 15 >= 0, j >= 0, -j + 63 >= 0)>"


def chain(count: int) -> str:
    """A kernel with a chain of ``count`` additions and products."""
    text = HEADER.format(
        view=f"coordinate_set = {BOX}, memory_space = #ktdp.memory_space<global>",
        tile=f"access_tile_set = {BOX}, access_tile_order = affine_map<(i, j) -> (i, j)>",
    )
    for i in range(count):
        op = ("arith.addf", "arith.mulf")[i % 2]
        text += f"  %v{i + 1} = {op} %v{i}, %v0 : tensor<16x64xf16>\n"
    store = f"  ktdp.store %v{count}, %ot : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>\n"
    return f"{text}{store}  return\n}}\n"


def compile_seconds(text: str, device: Device, watch: Timing | None = None) -> tuple[float, float]:
    """Seconds to parse and to run the whole pipeline."""
    start = time.perf_counter()
    module = kt.parse(text)
    parsed = time.perf_counter()
    watchers = [watch] if watch is not None else []
    PassManager(pipeline(), instruments=watchers).run(module, PassContext(device=device))
    return parsed - start, time.perf_counter() - parsed


def artifact_seconds(text: str, device: Device) -> tuple[float, float, float]:
    """Least wall time and least CPU time of a compilation to the artifact, and least of parsing."""
    walls, cpus, parsing = [], [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        module = kt.parse(text)
        wall, cpu = time.perf_counter(), time.process_time()
        kt.compile(module, device)
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
        parsing.append(wall - start)
    return min(walls), min(cpus), min(parsing)


def chains(counts: list[int], device: Device) -> None:
    """The table of passes for chains of several lengths."""
    columns: list[dict[str, float]] = []
    for count in counts:
        watch = Timing()
        _, whole = compile_seconds(chain(count), device, watch)
        columns.append({**watch.seconds, "whole pipeline": whole})
    head = "".join(f"{n:>9}" for n in counts)
    print(f"{'chain of n operations: ms':44}{head}   growth")
    for name in sorted(columns[-1], key=lambda name: -columns[-1][name]):
        times = [column[name] for column in columns]
        growth = times[-1] / max(times[0], 1e-6) * counts[0] / counts[-1]
        print(f"{name:44}{''.join(f'{1e3 * x:9.1f}' for x in times)} {growth:7.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", nargs="+", default=["toy", "spyre"])
    parser.add_argument("--ops", nargs="+", type=int, default=[64, 128, 256, 512, 1024])
    args = parser.parse_args()
    for path in KERNELS:
        text = path.read_text(encoding="utf-8")
        for name in args.device:
            wall, cpu, parsing = artifact_seconds(text, kt.device(name))
            print(
                f"{path.stem:10} {name:6} compiled in {1e3 * wall:6.1f} ms ({1e3 * cpu:6.1f} ms of CPU), "
                f"{wall / parsing:4.1f}x parsing"
            )
    chains(args.ops, kt.device(args.device[0]))


if __name__ == "__main__":
    main()
