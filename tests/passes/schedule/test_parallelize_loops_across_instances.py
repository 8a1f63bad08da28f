"""Loops spread over the equal units of a core."""

from __future__ import annotations

import numpy as np
import pytest

import kt
from kt.ir.dialects import ktdf
from kt.passes.compiler import Compilation
from kt.passes.manager import PassManager

KERNEL = """
func.func @f(%x: index, %out: index) attributes {{grid = [2]}} {{
  %c0 = arith.constant 0 : index
  %id = ktdp.get_compute_tile_id : index
  %xv = ktdp.construct_memory_view %x, sizes: [2, {rows}, {cols}], strides: [{tile}, {cols}, 1] {{
    coordinate_set = affine_set<(i, j, k) : (i >= 0, -i + 1 >= 0, j >= 0, -j + {rows} - 1 >= 0, k >= 0, -k + {cols} - 1 >= 0)>,
    memory_space = #ktdp.memory_space<global>}} : memref<2x{rows}x{cols}xf16>
  %ov = ktdp.construct_memory_view %out, sizes: [2, {rows}, {cols}], strides: [{tile}, {cols}, 1] {{
    coordinate_set = affine_set<(i, j, k) : (i >= 0, -i + 1 >= 0, j >= 0, -j + {rows} - 1 >= 0, k >= 0, -k + {cols} - 1 >= 0)>,
    memory_space = #ktdp.memory_space<global>}} : memref<2x{rows}x{cols}xf16>
  %xt = ktdp.construct_access_tile %xv[%id, %c0, %c0] {{
    access_tile_set = affine_set<(i, j, k) : (i >= 0, -i >= 0, j >= 0, -j + {rows} - 1 >= 0, k >= 0, -k + {cols} - 1 >= 0)>,
    access_tile_order = affine_map<(i, j, k) -> (i, j, k)>}} : memref<2x{rows}x{cols}xf16> -> !ktdp.access_tile<1x{rows}x{cols}xindex>
  %ot = ktdp.construct_access_tile %ov[%id, %c0, %c0] {{
    access_tile_set = affine_set<(i, j, k) : (i >= 0, -i >= 0, j >= 0, -j + {rows} - 1 >= 0, k >= 0, -k + {cols} - 1 >= 0)>,
    access_tile_order = affine_map<(i, j, k) -> (i, j, k)>}} : memref<2x{rows}x{cols}xf16> -> !ktdp.access_tile<1x{rows}x{cols}xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<1x{rows}x{cols}xindex> -> tensor<1x{rows}x{cols}xf16>
  %b = arith.addf %a, %a : tensor<1x{rows}x{cols}xf16>
  ktdp.store %b, %ot : tensor<1x{rows}x{cols}xf16>, !ktdp.access_tile<1x{rows}x{cols}xindex>
  return
}}
"""


def module_of(rows, cols):
    return kt.parse(KERNEL.format(rows=rows, cols=cols, tile=rows * cols))


def inputs(rows, cols):
    x = np.random.default_rng(rows).standard_normal((2, rows, cols)).astype(np.float16)
    return {"x": x, "out": np.zeros_like(x)}


@pytest.mark.parametrize(("rows", "cols"), [(8, 128), (7, 64), (1, 200), (13, 100), (1, 64), (37, 1)])
def test_any_extent_gives_the_same(rows, cols):
    report = kt.check(module_of(rows, cols), "spyre", inputs(rows, cols))
    assert report.failed is None


@pytest.mark.parametrize("tile", [1, 2, 3, 5])
def test_tiles_with_a_rest(tile):
    plan = {"local_schedule_0": {"tile": {"1": tile, "2": 1}, "depth": 2}}
    program = kt.compile(module_of(7, 128), "spyre", plan=plan)
    given = inputs(7, 128)
    kernel = kt.Runtime(kt.device("spyre"), hazards=True).load(program)
    np.testing.assert_array_equal(kernel(given)["out"], given["x"] + given["x"])


def test_all_instances_work_and_take_half_of_the_time_each():
    device = kt.device("spyre")
    kernel = kt.Runtime(device).load(kt.compile(module_of(16, 256), device))
    kernel(inputs(16, 256))
    compute = {n: u.busy for n, u in kernel.last.units.items() if f"-{device.tag(device.compute_kind)}" in n}
    assert len(compute) == 2 * device.num_slices([device.compute_kind]) == 4
    assert set(compute.values()) == {16 * 256 // 64 // 2}


def test_a_device_with_one_unit_of_each_kind_is_left_alone():
    compilation = Compilation.start(module_of(4, 32), "toy")
    module = compilation.lower("schedule")
    assert not any(isinstance(op, ktdf.ParallelOp) for op in module.walk())


def test_the_bound_is_a_number_where_tiles_are_whole():
    plan = {"local_schedule_0": {"tile": {"1": 4, "2": 1}, "depth": 2}}
    for rows, known in ((8, True), (7, False)):
        compilation = Compilation.start(module_of(rows, 128), "spyre")
        compilation.options = type(compilation.options)(plan=plan)
        module = compilation.lower("schedule")
        found = [op for op in module.walk() if isinstance(op, ktdf.ParallelOp)]
        assert found
        for op in found:
            assert (op.upper_bounds[0].defining_op.name == "arith.constant") is known


def test_it_changes_nothing_the_second_time():
    module = Compilation.start(module_of(8, 128), "spyre").lower("schedule")
    before = str(module)
    context = Compilation.start(module_of(8, 128), "spyre").context
    PassManager(["parallelize-loops-across-instances"]).run(module, context)
    assert str(module) == before
    assert "ktdf.parallel" in before
