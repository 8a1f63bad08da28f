"""Rendezvous between units: one per hand-over, a second where a single copy is filled again."""

from __future__ import annotations

import pytest

import kt
from kt.ir.dialects.ktdf_lowering import SignalOp
from kt.passes.compiler import Compilation, Options
from kt.passes.pipelines import pipeline

ADD = """
#all = affine_set<(i, j) : (i >= 0, -i + 5 >= 0, j >= 0, -j + COLUMNS - 1 >= 0)>
#order = affine_map<(i, j) -> (i, j)>
func.func @add(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %xv = ktdp.construct_memory_view %x, sizes: [6, COLUMNS], strides: [COLUMNS, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<6xCOLUMNSxf16>
  %yv = ktdp.construct_memory_view %y, sizes: [6, COLUMNS], strides: [COLUMNS, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<6xCOLUMNSxf16>
  %zv = ktdp.construct_memory_view %z, sizes: [6, COLUMNS], strides: [COLUMNS, 1] {
      coordinate_set = #all, memory_space = #ktdp.memory_space<global>} : memref<6xCOLUMNSxf16>
  %xt = ktdp.construct_access_tile %xv[%c0, %c0] {access_tile_set = #all, access_tile_order = #order}
      : memref<6xCOLUMNSxf16> -> !ktdp.access_tile<6xCOLUMNSxindex>
  %yt = ktdp.construct_access_tile %yv[%c0, %c0] {access_tile_set = #all, access_tile_order = #order}
      : memref<6xCOLUMNSxf16> -> !ktdp.access_tile<6xCOLUMNSxindex>
  %zt = ktdp.construct_access_tile %zv[%c0, %c0] {access_tile_set = #all, access_tile_order = #order}
      : memref<6xCOLUMNSxf16> -> !ktdp.access_tile<6xCOLUMNSxindex>
  %a = ktdp.load %xt : !ktdp.access_tile<6xCOLUMNSxindex> -> tensor<6xCOLUMNSxf16>
  %b = ktdp.load %yt : !ktdp.access_tile<6xCOLUMNSxindex> -> tensor<6xCOLUMNSxf16>
  %s = arith.addf %a, %b : tensor<6xCOLUMNSxf16>
  ktdp.store %s, %zt : tensor<6xCOLUMNSxf16>, !ktdp.access_tile<6xCOLUMNSxindex>
  return
}
"""


@pytest.mark.parametrize("columns", [16, 20], ids=["whole vectors", "with a tail"])
@pytest.mark.parametrize(
    ("tiles", "depth", "each"),
    [(2, 2, 1), (2, 1, 2), (6, 2, 1), (6, 1, 1)],
    ids=["two copies", "one copy", "two copies, one tile", "one copy, one tile"],
)
def test_two_copies_need_no_release(columns, tiles, depth, each):
    """Operands come in, results go out: two hand-overs, whatever casts stand around the buffers."""
    plan = {"local_schedule_0": {"tile": {"0": tiles, "1": 3}, "depth": depth}}
    module = kt.parse(ADD.replace("COLUMNS", str(columns)))
    passes = pipeline("schedule", plan=plan)
    compilation = Compilation.start(module, "toy", options=Options(plan=plan))
    compilation.lower(passes=[*passes, "ktdf-to-ktdflowering"])
    signals = [op for op in compilation.module.walk() if isinstance(op, SignalOp)]
    assert len(signals) == 2 * each


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("rows", [1, 4], ids=["rows", "four rows and two"])
def test_the_meaning_stays(rows, depth):
    plan = {"local_schedule_0": {"tile": {"0": rows, "1": 1}, "depth": depth}}
    report = kt.check(kt.parse(ADD.replace("COLUMNS", "20")), "toy", plan=plan)
    assert report.failed is None
