"""Compile time: per pass, and how it grows with the number of operations.

    python benchmarks/compile.py [--device toy] [--ops 64 256 1024]

Prints the time of each pass for an elementwise kernel with its share of the whole, the ratio of the whole to parsing
the same text, and for chains of n operations the ratio of the time per operation to that of the
shortest chain (1.0 is linear growth).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import kt
from kt.passes.manager import PassContext, PassManager, Timing
from kt.passes.pipelines import pipeline

HERE = Path(__file__).parent
KERNEL = HERE.parent / "examples" / "silu_mul.mlir"

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


def compile_seconds(text: str, device: object, watch: Timing | None = None) -> tuple[float, float]:
    """Seconds to parse and to run the whole pipeline."""
    start = time.perf_counter()
    module = kt.parse(text)
    parsed = time.perf_counter()
    watchers = [watch] if watch is not None else []
    PassManager(pipeline(), instruments=watchers).run(module, PassContext(device=device))
    return parsed - start, time.perf_counter() - parsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="toy")
    parser.add_argument("--ops", nargs="+", type=int, default=[64, 256, 1024])
    args = parser.parse_args()
    device = kt.device(args.device)
    text = KERNEL.read_text(encoding="utf-8")
    compile_seconds(text, device)
    watch = Timing()
    parsing, compiling = compile_seconds(text, device, watch)
    for name, seconds in sorted(watch.seconds.items(), key=lambda item: -item[1]):
        print(f"{name:44} {1000 * seconds:8.2f} ms {100 * seconds / compiling:5.1f} %")
    print(f"{KERNEL.stem}: compiled in {1000 * compiling:.1f} ms, {compiling / parsing:.1f}x parsing")
    first = None
    for count in args.ops:
        _, seconds = compile_seconds(chain(count), device)
        first = first or seconds / count
        print(
            f"chain of {count:5}: {seconds:7.2f} s, {1e6 * seconds / count:8.0f} us per op, "
            f"growth {seconds / count / first:4.2f}x"
        )


if __name__ == "__main__":
    main()
