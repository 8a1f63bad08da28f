"""Kernels as text: access tiles, and tiles that diverge or talk to each other."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_lines import box, numbers, run, tile, view

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine
from kt.sim.simulate import simulate

# -- access tiles --------------------------------------------------------------------------------


def test_the_order_is_a_sort_key() -> None:
    x = numbers(3, 4, 5)
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = {view("%x", [3, 4, 5])}
      %w = {view("%y", [3, 4, 2])}
      %a = ktdp.construct_access_tile %v[%c0, %c1, 2] {{access_tile_set = {box(2, 3, 3)},
        access_tile_order = affine_map<(a, b, c) -> (b, c, a)>}} : memref<3x4x5xf32> -> !ktdp.access_tile<3x3x2xindex>
      %t = ktdp.load %a : <3x3x2xindex> -> tensor<3x3x2xf32>
      %b = {tile("%w", "%c0, %c0, %c0", [3, 3, 2], [3, 4, 2])}
      ktdp.store %t, %b : tensor<3x3x2xf32>, <3x3x2xindex>
      return
    }}"""
    y = run(text, {"x": x, "y": np.zeros((3, 4, 2), np.float32)})["y"]
    assert (y[:, :3] == x[0:2, 1:4, 2:5].transpose(1, 2, 0)).all()
    assert (y[:, 3] == 0).all()


def test_a_tile_that_is_no_box_lists_its_points_in_order() -> None:
    x = numbers(4, 4)
    triangle = "affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, i - j >= 0)>"
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %v = {view("%x", [4, 4])}
      %w = {view("%y", [10])}
      %a = "ktdp.construct_access_tile"(%v, %c0, %c0) <{{access_tile_set = {triangle},
        access_tile_order = affine_map<(i, j) -> (j, i)>, base_map = affine_map<(i, j) -> (i, j)>,
        operandSegmentSizes = array<i32: 1, 2, 0>}}> : (memref<4x4xf32>, index, index) -> !ktdp.access_tile<2x5xindex>
      %t = ktdp.load %a : <2x5xindex> -> tensor<2x5xf32>
      %u = tensor.collapse_shape %t [[0, 1]] : tensor<2x5xf32> into tensor<10xf32>
      %b = {tile("%w", "%c0", [10], [10])}
      ktdp.store %u, %b : tensor<10xf32>, <10xindex>
      return
    }}"""
    y = run(text, {"x": x, "y": np.zeros(10, np.float32)})["y"]
    assert y.tolist() == [x[i, j] for j in range(4) for i in range(4) if i >= j]


def test_symbolic_extents_are_bound_from_operands() -> None:
    text = """func.func @f(%x: index, %y: index, %n: index) {
      %c0 = arith.constant 0 : index
      %v = ktdp.construct_memory_view %x, sizes: [%n, 6], strides: [6, 1] {
        coordinate_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 5 >= 0)>,
        memory_space = #ktdp.memory_space<global>} : memref<?x6xf32>
      %w = ktdp.construct_memory_view %y, sizes: [%n, 6], strides: [6, 1] {
        coordinate_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 5 >= 0)>,
        memory_space = #ktdp.memory_space<global>} : memref<?x6xf32>
      %a = ktdp.construct_access_tile %v[%c0, %c0] symbols(%n) {
        access_tile_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 5 >= 0)>,
        access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<?x6xf32> -> !ktdp.access_tile<?x6xindex>
      %t = ktdp.load %a : <?x6xindex> -> tensor<?x6xf32>
      %u = arith.addf %t, %t : tensor<?x6xf32>
      %b = ktdp.construct_access_tile %w[%c0, %c0] symbols(%n) {
        access_tile_set = affine_set<(i, j)[m] : (i >= 0, -i + m - 1 >= 0, j >= 0, -j + 5 >= 0)>,
        access_tile_order = affine_map<(i, j) -> (i, j)>} : memref<?x6xf32> -> !ktdp.access_tile<?x6xindex>
      ktdp.store %u, %b : tensor<?x6xf32>, <?x6xindex>
      return
    }"""
    x = numbers(7, 6)
    assert (run(text, {"x": x, "y": np.zeros_like(x), "n": 7})["y"] == 2 * x).all()
    generated = run(text, {"n": 5})
    assert generated["x"].shape == (5, 6)
    assert (generated["y"] == generated["x"] + generated["x"]).all()


GATHER = f"""func.func @f(%x: index, %i: index, %y: index) attributes {{grid = [2]}} {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = ktdp.get_compute_tile_id : index
  %row = arith.muli %t, %c2 : index
  %v = {view("%x", [5, 5])}
  %n = {view("%i", [4, 3], "i32")}
  %w = {view("%y", [4, 3])}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[ind(%n[%row + %r, %c]), ind(%n[%row + %r, 2])] {{
    variables_space_set = {box(2, 3)}, variables_space_order = affine_map<(r, c) -> (r, c)>
  }} : memref<5x5xf32>, memref<4x3xi32>, memref<4x3xi32> -> !ktdp.access_tile<2x3xindex>
  %d = ktdp.load %a : <2x3xindex> -> tensor<2x3xf32>
  %b = {tile("%w", "%row, %c0", [2, 3], [4, 3])}
  ktdp.store %d, %b : tensor<2x3xf32>, <2x3xindex>
  return
}}"""


def test_one_index_view_in_two_subscripts() -> None:
    x, i = numbers(5, 5), np.random.default_rng(1).integers(0, 5, (4, 3)).astype(np.int32)
    for batch in (None, 1):
        y = run(GATHER, {"x": x, "i": i, "y": np.zeros((4, 3), np.float32)}, batch=batch)["y"]
        assert (y == x[i, i[:, 2:]]).all()


@pytest.mark.parametrize("bad", [-1, 5])
def test_a_looked_up_index_out_of_range_is_refused(bad: int) -> None:
    i = np.zeros((4, 3), np.int32)
    i[3, 1] = bad
    with pytest.raises(
        RunError, match=f"on tile 1: reads coordinate {bad} along dimension 0"
    ) as info:
        run(GATHER, {"x": numbers(5, 5), "i": i})
    assert info.value.location.position() is not None


def test_generated_indices_lie_in_the_extent_that_they_index() -> None:
    found = run(GATHER, (), seed=5)
    assert found["i"].dtype == np.int32
    assert found["i"].min() >= 0 and found["i"].max() < 5
    assert (found["y"] == found["x"][found["i"], found["i"][:, 2:]]).all()


# -- tiles that diverge --------------------------------------------------------------------------


def test_tiles_with_different_trip_counts_and_branches() -> None:
    # y[t] = sum of 0..t, doubled on odd tiles, by nested control flow that depends on the tile
    text = f"""func.func @f(%y: index) attributes {{grid = [7]}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %t = ktdp.get_compute_tile_id : index
      %end = arith.addi %t, %c1 : index
      %s = scf.for %i = %c0 to %end step %c1 iter_args(%a = %c0) -> (index) {{
        %n = arith.addi %a, %i : index
        scf.yield %n : index
      }}
      %half = scf.while (%k = %s) : (index) -> index {{
        %go = arith.cmpi sgt, %k, %c2 : index
        scf.condition(%go) %k : index
      }} do {{
      ^bb0(%k: index):
        %m = arith.divui %k, %c2 : index
        scf.yield %m : index
      }}
      %bit = arith.remui %t, %c2 : index
      %odd = arith.cmpi eq, %bit, %c1 : index
      %r = scf.if %odd -> (index) {{
        %d = arith.muli %s, %c2 : index
        scf.yield %d : index
      }} else {{
        scf.yield %s : index
      }}
      %v = {view("%y", [7, 2], "i64")}
      %ri = arith.index_cast %r : index to i64
      %hi = arith.index_cast %half : index to i64
      %e = tensor.from_elements %ri, %hi : tensor<1x2xi64>
      %b = {tile("%v", "%t, %c0", [1, 2], [7, 2], "i64")}
      ktdp.store %e, %b : tensor<1x2xi64>, <1x2xindex>
      return
    }}"""

    def halved(n: int) -> int:
        return n if n <= 2 else halved(n // 2)

    sums = [t * (t + 1) // 2 for t in range(7)]
    want = [[s * 2 if t % 2 else s, halved(s)] for t, s in enumerate(sums)]
    for batch in (None, 3, 1):
        assert run(text, {"y": np.zeros((7, 2), np.int64)}, batch=batch)["y"].tolist() == want


def test_a_grid_runs_with_its_last_dimension_fastest() -> None:
    text = f"""func.func @f(%y: index) attributes {{grid = [2, 3]}} {{
      %c0 = arith.constant 0 : index
      %p, %q = ktdp.get_compute_tile_id : index, index
      %u = {view("%c0", [1], "i64", space="ct_local")}
      %c10 = arith.constant 10 : index
      %n = arith.muli %p, %c10 : index
      %m = arith.addi %n, %q : index
      %mi = arith.index_cast %m : index to i64
      %e = tensor.from_elements %mi : tensor<1xi64>
      %a = {tile("%u", "%c0", [1], [1], "i64")}
      ktdp.store %e, %a : tensor<1xi64>, <1xindex>
      return
    }}"""
    for conventions, order in (
        ("kt", [0, 1, 2, 10, 11, 12]),
        ("ktir-cpu", [0, 10, 1, 11, 2, 12]),
    ):
        module = parse_text(f'module attributes {{kt.conventions = "{conventions}"}} {{ {text} }}')
        machine = Machine()
        simulate(module, {"y": 0}, machine=machine)
        bank = machine.bank(None)
        first = bank.data.reshape(6, bank.pitch)[:, :8].copy().view(np.int64)[:, 0]
        assert first.tolist() == order


# -- values between tiles ------------------------------------------------------------------------

ROW = tile("%v", "%t, %c0", [1, 4], [4, 4])
OUT = tile("%w", "%t, %c0", [1, 4], [4, 4])


def exchange(body: str) -> str:
    return f"""
    #pair = affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 2 + 1 >= 0)>
    #lead = affine_set<(t)[g] : (t - g * 2 == 0)>
    #two = affine_set<(g) : (g >= 0, -g + 1 >= 0)>
    #partner = affine_set<(p)[c, g] : (p + c - g * 4 - 1 == 0)>
    func.func @f(%x: index, %y: index) attributes {{grid = [4]}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [4, 4])}
      %w = {view("%y", [4, 4])}
      %a = {ROW}
      %p = ktdp.load %a : <1x4xindex> -> tensor<1x4xf32>
      %b = {OUT}
      {body}
      return
    }}"""


PRODUCE = """%f = ktdp.inter_tile_produce producer_tiles_per_group = #pair
          -> !ktdp.tile_future<(tensor<1x4xf32>), groups = #two> {
        ^bb0(%g: index):
          ktdp.yield_partial %VALUE : tensor<1x4xf32>
        }"""
CONSUME = """ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #pair,
          producer_dependency_per_consumer = #partner
          : <(tensor<1x4xf32>), groups = #two> -> tensor<1x4xf32>"""


@pytest.mark.parametrize("batch", [None, 1, 3])
def test_partners_swap_values_in_a_loop(batch: int | None) -> None:
    body = f"""%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %p) -> (tensor<1x4xf32>) {{
        {PRODUCE.replace("%VALUE", "%s")}
        %q = {CONSUME}
        %n = arith.addf %q, %s : tensor<1x4xf32>
        scf.yield %n : tensor<1x4xf32>
      }}
      ktdp.store %r, %b : tensor<1x4xf32>, <1x4xindex>"""
    x = numbers(4, 4)
    y = run(exchange(body), {"x": x, "y": np.zeros_like(x)}, batch=batch)["y"]
    pairs = x.reshape(2, 2, 4).sum(axis=1)
    assert (y == 2 * np.repeat(pairs, 2, axis=0)).all()


REDUCE = f"""%z = arith.constant dense<0.0> : tensor<1x4xf32>
      {PRODUCE.replace("%VALUE", "%p")}
      %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #lead, identity(%z : tensor<1x4xf32>)
          : <(tensor<1x4xf32>), groups = #two> -> tensor<1x4xf32> {{
      ^bb0(%l: tensor<1x4xf32>, %m: tensor<1x4xf32>):
        %s = arith.addf %l, %m : tensor<1x4xf32>
        ktdp.yield_reduced %s : tensor<1x4xf32>
      }}"""


@pytest.mark.parametrize("batch", [None, 1])
def test_only_consumers_may_use_the_result(batch: int | None) -> None:
    store = "ktdp.store %r, %b : tensor<1x4xf32>, <1x4xindex>"
    with pytest.raises(RunError, match=r"on tile 1: uses the result of 'ktdp.inter_tile_reduce'"):
        run(exchange(REDUCE + store), {"x": numbers(4, 4)}, batch=batch)
    guarded = f"""%bit = arith.remui %t, %c2 : index
      %first = arith.cmpi eq, %bit, %c0 : index
      scf.if %first {{ {store} }}"""
    x = numbers(4, 4)
    y = run(exchange(REDUCE + guarded), {"x": x, "y": np.zeros_like(x)}, batch=batch)["y"]
    assert (y[::2] == x[::2] + x[1::2]).all()
    assert (y[1::2] == 0).all()


@pytest.mark.parametrize("batch", [None, 1])
def test_a_deadlock_names_who_waits_for_whom(batch: int | None) -> None:
    body = f"""%lone = arith.cmpi ne, %t, %c2 : index
      scf.if %lone {{
        {PRODUCE.replace("%VALUE", "%p")}
        %q = {CONSUME}
        ktdp.store %q, %b : tensor<1x4xf32>, <1x4xindex>
      }}"""
    with pytest.raises(RunError, match=r"deadlock: tile .*3.* waits at .*consume.* tile 2"):
        run(exchange(body), {"x": numbers(4, 4)}, batch=batch)


@pytest.mark.parametrize("batch", [None, 1])
def test_out_of_range_names_op_tile_coordinates_and_memory(batch: int | None) -> None:
    text = exchange("").replace("grid = [4]", "grid = [5]")
    with pytest.raises(RunError) as info:
        run(text, {"x": numbers(4, 4)}, batch=batch)
    assert "'ktdp.load' op on tile 4: reads coordinates [4, 0] to [4, 3]" in info.value.message
    assert "4x4xf32 in global" in info.value.message
    assert info.value.location.position() is not None
