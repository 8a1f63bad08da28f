"""Kernels as text: how arguments are bound, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_lines import numbers, run, tile, view

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine
from kt.sim.simulate import simulate

# -- arguments -----------------------------------------------------------------------------------

COPY = f"""func.func @f(%x: index, %y: index) {{
  %c0 = arith.constant 0 : index
  %v = {view("%x", [6], "ELEMENT")}
  %w = {view("%y", [6], "ELEMENT")}
  %a = {tile("%v", "%c0", [6], [6], "ELEMENT")}
  %t = ktdp.load %a : <6xindex> -> tensor<6xELEMENT>
  %u = arith.addf %t, %t : tensor<6xELEMENT>
  %b = {tile("%w", "%c0", [6], [6], "ELEMENT")}
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
      %v = {view("%q", [2])}
      %w = {view("%y", [2])}
      %a = {tile("%v", "%c0", [2], [2])}
      %t = ktdp.load %a : <2xindex> -> tensor<2xf32>
      %b = {tile("%w", "%c0", [2], [2])}
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
    halves = view("%x", [4], "f16")
    text = f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %pad = {view("%y", [4], "f16")}
      %v = {view("%x", [4])}
      %h = {halves}
      %a = {tile("%h", "%c0", [4], [4], "f16")}
      %t = ktdp.load %a : <4xindex> -> tensor<4xf16>
      %b = {tile("%pad", "%c0", [4], [4], "f16")}
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
      %w = {view("%y", [1])}
      scf.for %i = %c0 to %n step %c1 {{
        %e = tensor.from_elements %s : tensor<1xf32>
        %b = {tile("%w", "%c0", [1], [1])}
        ktdp.store %e, %b : tensor<1xf32>, <1xindex>
      }}
      return
    }}"""
    with pytest.raises(RunError, match="argument 'n' decides a size, a bound or an address"):
        run(text, ())
    first, again, other = (run(text, {"n": 1}, seed=s)["y"] for s in (1, 1, 2))
    assert first == again != other


# -- what is refused -----------------------------------------------------------------------------


def test_checks_can_be_switched_off() -> None:
    text = f"""func.func @f(%y: index) {{
      %c0 = arith.constant 0 : index
      %u = {view("%c0", [4], space="ct_local")}
      %w = {view("%y", [4])}
      %a = {tile("%u", "%c0", [4], [4])}
      %t = ktdp.load %a : <4xindex> -> tensor<4xf32>
      %b = {tile("%w", "%c0", [4], [4])}
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


COPY_ROWS = """#all = affine_set<(i) : (i >= 0, -i + 7 >= 0)>
#id = affine_map<(i) -> (i)>
func.func @f(%x: index, %y: index, %z: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
""" + "".join(
    f"""  %{n}v = ktdp.construct_memory_view %{n}, sizes: [8], strides: [1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<8xf16>
  %{n}t = ktdp.construct_access_tile %{n}v[%c0] {{access_tile_set = #all, access_tile_order = #id}}
    : memref<8xf16> -> !ktdp.access_tile<8xindex>
"""
    for n in "xyz"
) + """  %a = ktdp.load %xt : !ktdp.access_tile<8xindex> -> tensor<8xf16>
  %b = ktdp.load %yt : !ktdp.access_tile<8xindex> -> tensor<8xf16>
  %s = arith.addf %a, %b : tensor<8xf16>
  ktdp.store %s, %zt : tensor<8xf16>, !ktdp.access_tile<8xindex>
  return
}
"""


@pytest.mark.parametrize("empty", ["x", "y", "z"])
def test_an_empty_array_is_not_its_neighbour(empty) -> None:
    arguments = {name: np.ones(0 if name == empty else 8, np.float16) for name in "xyz"}
    with pytest.raises(RunError, match=f"but the buffer '{empty}' has the bytes"):
        simulate(parse_text(COPY_ROWS), arguments)


@pytest.mark.parametrize("number", [10**30, -(10**30)])
def test_a_number_that_no_index_holds(number) -> None:
    with pytest.raises(RunError, match=f"argument 'x': {number} doesn't fit index"):
        simulate(parse_text(COPY_ROWS), {"x": number, "y": np.ones(8, np.float16), "z": np.ones(8, np.float16)})
