"""Classes of silent errors that users of other tools have reported: what the right values are.

One test per class, numbered as in the list that the project keeps of them; addresses and memory: ``test_pitfalls_memory.py``.
"""

from __future__ import annotations

import numpy as np
import pytest
from kernel_lines import C, load, numbers, run, store, view

from kt.ir.diagnostics import RunError

F16 = np.float16


# 5. A constant that starts an accumulation is as new for every outer iteration.
def test_05_a_shared_constant_stays_clean() -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %v = {view("%x", [3, 4, 4])}
      %w = {view("%y", [3, 4, 4])}
      %zero = arith.constant dense<0.0> : tensor<4x4xf32>
      scf.for %i = %c0 to %c3 step %c1 {{
        {load("%a3", "%v", "%i, %c0, %c0", [1, 4, 4], [3, 4, 4])}
        %a = tensor.collapse_shape %a3 [[0, 1], [2]] : tensor<1x4x4xf32> into tensor<4x4xf32>
        %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<4x4xf32>) {{
          %n = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>)
            outs(%acc : tensor<4x4xf32>) -> tensor<4x4xf32>
          scf.yield %n : tensor<4x4xf32>
        }}
        %q = linalg.matmul ins(%a, %s : tensor<4x4xf32>, tensor<4x4xf32>)
          outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
        %r = tensor.expand_shape %q [[0, 1], [2]] output_shape [1, 4, 4]
          : tensor<4x4xf32> into tensor<1x4x4xf32>
        {store("%r", "%w", "%i, %c0, %c0", [1, 4, 4], [3, 4, 4])}
      }}
      return
    }}"""
    x = numbers(3, 4, 4) % 5
    y = run(text, [x, np.zeros_like(x)])["y"]
    assert (y == np.stack([a @ (2 * (a @ a)) for a in x])).all()


# 6. Hexadecimal float literals are bit patterns, and a truncation rounds.
def test_06_hexadecimal_floats() -> None:
    text = """func.func @f(%x: f32) -> (f16, f32, tensor<2xf16>, f16) {
      %a = arith.constant 0xFC00 : f16
      %b = arith.constant 0xFF800000 : f32
      %c = arith.constant dense<[0x3C00, 0x7BFF]> : tensor<2xf16>
      %t = arith.truncf %x : f32 to f16
      return %a, %b, %c, %t : f16, f32, tensor<2xf16>, f16
    }"""
    found = run(text, [1 + 3 * 2.0**-11])
    assert found["result0"] == -np.inf and found["result1"] == -np.inf
    assert found["result2"].tolist() == [1, 65504]
    assert found["result3"] == 1 + 2 * 2.0**-10  # a tie, to even


# 7. A reduction starts from what its destination holds.
@pytest.mark.parametrize(
    ("combiner", "start", "want"),
    [("arith.addf", 5, 5 + 21), ("arith.mulf", 2, 2 * 720), ("arith.maximumf", 9, 9),
     ("arith.minimumf", -3, -3)],
)  # fmt: skip
def test_07_a_reduction_has_a_start(combiner: str, start: float, want: float) -> None:
    text = f"""func.func @f(%x: tensor<2x3xf32>) -> tensor<2xf32> {{
      %s = arith.constant dense<{float(start)}> : tensor<2xf32>
      %r = linalg.reduce {{ {combiner} }} ins(%x : tensor<2x3xf32>) outs(%s : tensor<2xf32>)
        dimensions = [1]
      return %r : tensor<2xf32>
    }}"""
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    whole = text.replace("tensor<2xf32>", "tensor<f32>").replace("[1]", "[0, 1]")
    assert run(whole, [x])["result0"] == want
    fold = {"addf": np.add, "mulf": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum}
    ufunc = fold[combiner.split(".")[1]]
    assert run(text, [x])["result0"].tolist() == [ufunc.reduce(row, initial=start) for row in x]


# 10. A row's mean reaches every lane of the row.
def test_10_a_unit_axis_is_broadcast() -> None:
    text = """func.func @f(%x: tensor<5x200xf32>) -> tensor<5x200xf32> {
      %z = arith.constant dense<0.0> : tensor<5xf32>
      %n = arith.constant dense<200.0> : tensor<5xf32>
      %s = linalg.reduce { arith.addf } ins(%x : tensor<5x200xf32>) outs(%z : tensor<5xf32>)
        dimensions = [1]
      %m = arith.divf %s, %n : tensor<5xf32>
      %e = tensor.empty() : tensor<5x200xf32>
      %b = linalg.broadcast ins(%m : tensor<5xf32>) outs(%e : tensor<5x200xf32>) dimensions = [1]
      return %b : tensor<5x200xf32>
    }"""
    x = numbers(5, 200) % 8
    got = run(text, [x])["result0"]
    assert (got == np.repeat(x.mean(axis=1, keepdims=True), 200, axis=1)).all()


CONVERT = """func.func @f(%x: tensor<NxFROM>) -> tensor<NxTO> {
  %y = kt.convert %x : tensor<NxFROM> to tensor<NxTO>
  return %y : tensor<NxTO>
}"""


def _there_and_back(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Halves as df16 (their values), and those as halves again."""
    there = CONVERT.replace("FROM", "f16").replace("TO", "!spyreop.df16")
    back = CONVERT.replace("FROM", "!spyreop.df16").replace("TO", "f16")
    n = str(len(values))
    middle = run(there.replace("N", n), [values])["result0"]
    return middle, run(back.replace("N", n), [middle])["result0"]


# 11. The largest half survives df16, and infinities stay infinite.
def test_11_extreme_halves_saturate_on_the_way_back() -> None:
    values = np.array([65504, -65504, np.inf, -np.inf, 65472], F16)
    middle, back = _there_and_back(values)
    assert middle[:2].tolist() == [65536, -65536]
    assert back.tolist() == [65472, -65472, np.inf, -np.inf, 65472]


# 12. Subnormal halves are normal numbers of df16: exact both ways, as often as one likes.
def test_12_subnormal_halves_are_exact() -> None:
    values = np.arange(1, 512, dtype=np.uint16).view(F16)  # up to nine significant bits
    middle, back = _there_and_back(values)
    assert (middle == values.astype(np.float32)).all()
    assert (back == values).all()
    assert (_there_and_back(back)[1] == values).all()


# 14. What only some tiles hold can't be used on the others.
def test_14_partial_results_are_poison_elsewhere() -> None:
    text = f"""func.func @f(%y: index) attributes {{grid = [4]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%c0", [2], space="ct_local")}
      %one = arith.constant dense<1.0> : tensor<2xf32>
      %first = arith.cmpi eq, %t, %c1 : index
      scf.if %first {{ {store("%one", "%v", "%c0", [2], [2])} }}
      %there = {view("%c0", [2], space="ct_local, ct_id = OWNER")}
      {load("%d", "%there", "%c0", [2], [2])}
      %w = {view("%y", [4, 2])}
      %r = tensor.expand_shape %d [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
      {store("%r", "%w", "%t, %c0", [1, 2], [4, 2], name="%out")}
      return
    }}"""
    with pytest.raises(RunError, match="reads memory ct_local at byte 0, which was never written"):
        run(text.replace("OWNER", "2"), [np.zeros((4, 2), np.float32)])
    with pytest.raises(RunError, match="which tile 1 wrote in no order with it"):
        run(text.replace("OWNER", "1"), [np.zeros((4, 2), np.float32)])


# 15. A reduction whose outer loop runs once is nothing special.
@pytest.mark.parametrize("rows", [1, 2])
def test_15_reductions_with_a_single_trip(rows: int) -> None:
    text = f"""func.func @f(%x: index, %y: index) attributes {{grid = [{rows}]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [rows, 96])}
      %w = {view("%y", [rows])}
      %z = arith.constant dense<0.0> : tensor<1xf32>
      %s = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %z) -> (tensor<1xf32>) {{
        {load("%d", "%v", "%t, %c0", [1, 96], [rows, 96])}
        %n = linalg.reduce {{ arith.addf }} ins(%d : tensor<1x96xf32>) outs(%a : tensor<1xf32>)
          dimensions = [1]
        scf.yield %n : tensor<1xf32>
      }}
      {store("%s", "%w", "%t", [1], [rows])}
      return
    }}"""
    x = numbers(rows, 96)
    assert (run(text, [x, np.zeros(rows, np.float32)])["y"] == x.sum(axis=1)).all()


# 17. Tile ids and loops give several results in either form.
@pytest.mark.parametrize(("left", "p", "q"), [("%g:2", "%g#0", "%g#1"), ("%a, %b", "%a", "%b")])
def test_17_bundled_results(left: str, p: str, q: str) -> None:
    loop = {"%g:2": ("%r:2", "%r#0", "%r#1"), "%a, %b": ("%r, %s", "%r", "%s")}[left]
    text = f"""func.func @f() -> (index, index) attributes {{grid = [2, 3]}} {{
      {C}
      {left} = ktdp.get_compute_tile_id : index, index
      {loop[0]} = scf.for %i = %c0 to %c2 step %c1 iter_args(%m = {p}, %n = {q}) -> (index, index) {{
        %o = arith.addi %m, %n : index
        scf.yield %n, %o : index, index
      }}
      return {loop[1]}, {loop[2]} : index, index
    }}"""
    found = run(text)
    pairs = [(a, b) for a in range(2) for b in range(3)]
    assert found["result0"].tolist() == [a + b for a, b in pairs]
    assert found["result1"].tolist() == [a + 2 * b for a, b in pairs]


# 18. An element type may contain the letter x.
def test_18_tensors_of_index() -> None:
    text = """func.func @f(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<4xindex>) {
      %shape = arith.constant dense<[3, 4]> : tensor<2xindex>
      %y = tensor.reshape %x(%shape) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<3x4xf32>
      %i = arith.constant dense<[1, 2, 3, 4]> : tensor<4xindex>
      return %y, %i : tensor<3x4xf32>, tensor<4xindex>
    }"""
    x = numbers(2, 6)
    found = run(text, [x])
    assert (found["result0"] == x.reshape(3, 4)).all()
    assert found["result1"].tolist() == [1, 2, 3, 4]
