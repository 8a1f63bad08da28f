"""Kernels as text: access tiles, tiles that diverge or talk to each other, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine
from kt.sim.simulate import simulate


def box(*extents: int) -> str:
    names = [f"d{i}" for i in range(len(extents))]
    bounds = ", ".join(f"{d} >= 0, -{d} + {n - 1} >= 0" for d, n in zip(names, extents))
    return f"affine_set<({', '.join(names)}) : ({bounds or '0 == 0'})>"


def view(pointer: str, *extents: int, element: str = "f32", space: str = "global") -> str:
    strides = [int(np.prod(extents[i + 1 :])) for i in range(len(extents))]
    shape = "x".join(map(str, extents))
    return (
        f"ktdp.construct_memory_view {pointer}, sizes: {list(extents)}, strides: {strides} "
        f"{{coordinate_set = {box(*extents)}, memory_space = #ktdp.memory_space<{space}>}} "
        f": memref<{shape}x{element}>"
    )


def tile(base: str, subscripts: str, space: str, order: str, type: str, shape: str) -> str:
    return (
        f"ktdp.construct_access_tile {base}[{subscripts}] {{access_tile_set = {space}, "
        f"access_tile_order = affine_map<{order}>}} : {type} -> !ktdp.access_tile<{shape}xindex>"
    )


def run(text: str, arguments: Any, **options: Any) -> dict[str, np.ndarray]:
    return simulate(parse_text(text), arguments, **options)


def numbers(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


# -- access tiles --------------------------------------------------------------------------------


def test_the_order_is_a_sort_key() -> None:
    x = numbers(3, 4, 5)
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = {view("%x", 3, 4, 5)}
      %w = {view("%y", 3, 4, 2)}
      %a = {tile("%v", "%c0, %c1, 2", box(2, 3, 3), "(a, b, c) -> (b, c, a)", "memref<3x4x5xf32>", "3x3x2")}
      %t = ktdp.load %a : <3x3x2xindex> -> tensor<3x3x2xf32>
      %b = {tile("%w", "%c0, %c0, %c0", box(3, 3, 2), "(a, b, c) -> (a, b, c)", "memref<3x4x2xf32>", "3x3x2")}
      ktdp.store %t, %b : tensor<3x3x2xf32>, <3x3x2xindex>
      return
    }}"""
    y = run(text, {"x": x, "y": np.zeros((3, 4, 2), np.float32)})["y"]
    assert (y[:, :3] == x[0:2, 1:4, 2:5].transpose(1, 2, 0)).all()
    assert (y[:, 3] == 0).all()


def test_a_tile_that_is_no_box_lists_its_points_in_order() -> None:
    x = numbers(4, 4)
    triangle = "affine_set<(i, j) : (i >= 0, -i + 3 >= 0, j >= 0, i - j >= 0)>"
    line = "affine_set<(i) : (i >= 0, -i + 9 >= 0)>"
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %v = {view("%x", 4, 4)}
      %w = {view("%y", 10)}
      %a = "ktdp.construct_access_tile"(%v, %c0, %c0) <{{access_tile_set = {triangle},
        access_tile_order = affine_map<(i, j) -> (j, i)>, base_map = affine_map<(i, j) -> (i, j)>,
        operandSegmentSizes = array<i32: 1, 2, 0>}}> : (memref<4x4xf32>, index, index) -> !ktdp.access_tile<2x5xindex>
      %t = ktdp.load %a : <2x5xindex> -> tensor<2x5xf32>
      %u = tensor.collapse_shape %t [[0, 1]] : tensor<2x5xf32> into tensor<10xf32>
      %b = {tile("%w", "%c0", line, "(i) -> (i)", "memref<10xf32>", "10")}
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
  %v = {view("%x", 5, 5)}
  %n = {view("%i", 4, 3, element="i32")}
  %w = {view("%y", 4, 3)}
  %a = ktdp.construct_indirect_access_tile intermediate_variables(%r, %c)
    %v[ind(%n[%row + %r, %c]), ind(%n[%row + %r, 2])] {{
    variables_space_set = {box(2, 3)}, variables_space_order = affine_map<(r, c) -> (r, c)>
  }} : memref<5x5xf32>, memref<4x3xi32>, memref<4x3xi32> -> !ktdp.access_tile<2x3xindex>
  %d = ktdp.load %a : <2x3xindex> -> tensor<2x3xf32>
  %b = {tile("%w", "%row, %c0", box(2, 3), "(r, c) -> (r, c)", "memref<4x3xf32>", "2x3")}
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
      %v = {view("%y", 7, 2, element="i64")}
      %ri = arith.index_cast %r : index to i64
      %hi = arith.index_cast %half : index to i64
      %e = tensor.from_elements %ri, %hi : tensor<1x2xi64>
      %b = {tile("%v", "%t, %c0", box(1, 2), "(i, j) -> (i, j)", "memref<7x2xi64>", "1x2")}
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
      %u = {view("%c0", 1, element="i64", space="ct_local")}
      %c10 = arith.constant 10 : index
      %n = arith.muli %p, %c10 : index
      %m = arith.addi %n, %q : index
      %mi = arith.index_cast %m : index to i64
      %e = tensor.from_elements %mi : tensor<1xi64>
      %a = {tile("%u", "%c0", box(1), "(i) -> (i)", "memref<1xi64>", "1")}
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

ROW = tile("%v", "%t, %c0", box(1, 4), "(i, j) -> (i, j)", "memref<4x4xf32>", "1x4")
OUT = tile("%w", "%t, %c0", box(1, 4), "(i, j) -> (i, j)", "memref<4x4xf32>", "1x4")


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
      %v = {view("%x", 4, 4)}
      %w = {view("%y", 4, 4)}
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


# -- arguments -----------------------------------------------------------------------------------

COPY = f"""func.func @f(%x: index, %y: index) {{
  %c0 = arith.constant 0 : index
  %v = {view("%x", 6, element="ELEMENT")}
  %w = {view("%y", 6, element="ELEMENT")}
  %a = {tile("%v", "%c0", box(6), "(i) -> (i)", "memref<6xELEMENT>", "6")}
  %t = ktdp.load %a : <6xindex> -> tensor<6xELEMENT>
  %u = arith.addf %t, %t : tensor<6xELEMENT>
  %b = {tile("%w", "%c0", box(6), "(i) -> (i)", "memref<6xELEMENT>", "6")}
  ktdp.store %u, %b : tensor<6xELEMENT>, <6xindex>
  return
}}"""


def test_odd_floats_are_codes_or_float32_values() -> None:
    text = COPY.replace("ELEMENT", "!spyreop.df16")
    codes = np.array(
        [0x3E00, 0x3C5D, 0, 0x4B20, 0x3733, 0xBE00], np.uint16
    )  # 1, .5908, 0, 100, .1, -1
    got = run(text, {"x": codes, "y": np.zeros(6, np.uint16)})["y"]
    assert got.tolist() == [0x4000, 0x3E5D, 0, 0x4D20, 0x3933, 0xC000]
    values = np.array([1, 0.5908203125, 0, 100, 0.5, -1], np.float32)
    got = run(text, {"x": values, "y": np.zeros(6, np.float32)})["y"]
    assert (got == 2 * values).all()


def test_an_array_of_another_type_is_refused() -> None:
    with pytest.raises(
        RunError, match="argument 'x' is an array of float64, but the kernel views it as f16"
    ):
        run(COPY.replace("ELEMENT", "f16"), {"x": np.zeros(6)})


def test_unknown_and_surplus_arguments_are_refused() -> None:
    text = COPY.replace("ELEMENT", "f16")
    with pytest.raises(RunError, match="there is no argument 'z'"):
        run(text, {"z": np.zeros(6)})
    with pytest.raises(RunError, match="3 arguments for a function of 2"):
        run(text, [np.zeros(6, np.float16)] * 3)
    with pytest.raises(RunError, match="no function @g in the module"):
        run(text, (), func="g")


def test_buffers_can_be_placed_and_contents_last() -> None:
    text = COPY.replace("ELEMENT", "f32")
    machine = Machine()
    x = numbers(6)
    run(text, [x, x], machine=machine, memory_map={"y": 4096})
    fixed = text.replace("%x: index, ", "").replace(
        "%v =", "%p = arith.constant 1024 : index\n%v ="
    )
    again = run(
        fixed.replace("memory_view %x", "memory_view %p"),
        {"y": np.zeros(6, np.float32)},
        machine=machine,
    )
    assert (again["y"] == 4 * x).all()


def test_pointer_arithmetic_counts_elements_or_bytes_by_convention() -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %d = arith.constant DISTANCE : index
      %q = arith.addi %x, %d : index
      %v = {view("%q", 2)}
      %w = {view("%y", 2)}
      %a = {tile("%v", "%c0", box(2), "(i) -> (i)", "memref<2xf32>", "2")}
      %t = ktdp.load %a : <2xindex> -> tensor<2xf32>
      %b = {tile("%w", "%c0", box(2), "(i) -> (i)", "memref<2xf32>", "2")}
      ktdp.store %t, %b : tensor<2xf32>, <2xindex>
      return
    }}"""
    x, y = numbers(8), np.zeros(2, np.float32)
    assert run(text.replace("DISTANCE", "4"), [x, y])["y"].tolist() == [4, 5]
    scheduler = (
        f'module attributes {{kt.conventions = "scheduler"}} {{ {text.replace("DISTANCE", "16")} }}'
    )
    assert run(scheduler, [x, y])["y"].tolist() == [4, 5]
    assert run(text.replace("DISTANCE", "6"), ())["x"].shape == (8,)


def test_two_element_sizes_of_one_argument() -> None:
    halves = view("%x", 4, element="f16")
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %pad = {view("%y", 4, element="f16")}
      %v = {view("%x", 4)}
      %h = {halves}
      %a = {tile("%h", "%c0", box(4), "(i) -> (i)", "memref<4xf16>", "4")}
      %t = ktdp.load %a : <4xindex> -> tensor<4xf16>
      %b = {tile("%pad", "%c0", box(4), "(i) -> (i)", "memref<4xf16>", "4")}
      ktdp.store %t, %b : tensor<4xf16>, <4xindex>
      return
    }}"""
    x = numbers(4)
    assert run(text, [x, np.zeros(4, np.float16)])["y"].tobytes() == x.tobytes()[:8]
    moved = text.replace(halves, "ktdp.construct_memory_view %q," + halves.split(",", 1)[1])
    moved = moved.replace(
        "%pad =", "%c2 = arith.constant 2 : index\n%q = arith.addi %x, %c2 : index\n%pad ="
    )
    with pytest.raises(
        RunError, match="argument 'x' is viewed as f16 and f32, which differ in size"
    ):
        run(moved, [x, np.zeros(4, np.float16)])


def test_a_scalar_that_decides_a_size_must_be_given() -> None:
    text = f"""func.func @f(%y: index, %n: index, %s: f32) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %w = {view("%y", 1)}
      scf.for %i = %c0 to %n step %c1 {{
        %e = tensor.from_elements %s : tensor<1xf32>
        %b = {tile("%w", "%c0", box(1), "(i) -> (i)", "memref<1xf32>", "1")}
        ktdp.store %e, %b : tensor<1xf32>, <1xindex>
      }}
      return
    }}"""
    with pytest.raises(RunError, match="argument 'n' decides a size, a bound or an address"):
        run(text, ())
    first, again, other = (run(text, {"n": 1}, seed=s)["y"] for s in (1, 1, 2))
    assert first == again != other


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [None, 1])
def test_out_of_range_names_op_tile_coordinates_and_memory(batch: int | None) -> None:
    text = exchange("").replace("grid = [4]", "grid = [5]")
    with pytest.raises(RunError) as info:
        run(text, {"x": numbers(4, 4)}, batch=batch)
    assert "'ktdp.load' op on tile 4: reads coordinates [4, 0] to [4, 3]" in info.value.message
    assert "4x4xf32 in global" in info.value.message
    assert info.value.location.position() is not None


def test_checks_can_be_switched_off() -> None:
    text = f"""func.func @f(%y: index) {{
      %c0 = arith.constant 0 : index
      %u = {view("%c0", 4, space="ct_local")}
      %w = {view("%y", 4)}
      %a = {tile("%u", "%c0", box(4), "(i) -> (i)", "memref<4xf32>", "4")}
      %t = ktdp.load %a : <4xindex> -> tensor<4xf32>
      %b = {tile("%w", "%c0", box(4), "(i) -> (i)", "memref<4xf32>", "4")}
      ktdp.store %t, %b : tensor<4xf32>, <4xindex>
      return
    }}"""
    with pytest.raises(RunError, match="reads memory ct_local at byte 0, which was never written"):
        run(text, ())
    assert run(text, (), checks=False)["y"].tolist() == [0, 0, 0, 0]


def test_an_op_without_meaning_is_named() -> None:
    text = """func.func @f() {
      "no.such"() : () -> ()
      return
    }"""
    module = parse_text(text, allow_unregistered=True)
    with pytest.raises(RunError, match=r"'no.such' op: can't be executed") as info:
        simulate(module)
    assert info.value.location.position().line == 2  # type: ignore[union-attr]


def test_division_by_zero_is_located() -> None:
    text = """func.func @f(%a: i32) {
      %z = arith.constant 0 : i32
      %q = arith.divsi %a, %z : i32
      return
    }"""
    with pytest.raises(RunError, match=r"'arith.divsi' op on tile 0: divsi: division by zero"):
        run(text, [1])


def test_control_flow_per_element_is_refused() -> None:
    text = """func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
      %e = tensor.empty() : tensor<3xf32>
      %one = arith.constant 1.0 : f32
      %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
          iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
      ^bb0(%v: f32, %old: f32):
        %o = arith.negf %v : f32
        %big = arith.cmpf ogt, %v, %one : f32
        %s = scf.if %big -> (f32) { scf.yield %v : f32 } else { scf.yield %o : f32 }
        linalg.yield %s : f32
      } -> tensor<3xf32>
      return %r : tensor<3xf32>
    }"""
    with pytest.raises(RunError, match="control flow that differs between the elements"):
        run(text, [np.array([0, 2, 0], np.float32)])
    assert run(text, [np.array([2, 3, 4], np.float32)])["result0"].tolist() == [2, 3, 4]


def test_a_bad_divisor_of_a_map_is_located() -> None:
    text = """func.func @f(%n: index) -> index {
      %q = affine.apply affine_map<(d)[s] -> (d mod s)>(%n)[%n]
      return %q : index
    }"""
    assert run(text, [7])["result0"] == 0
    with pytest.raises(RunError, match=r"'affine.apply' op on tile 0:") as info:
        run(text, [0])
    assert info.value.location.position().line == 2  # type: ignore[union-attr]
