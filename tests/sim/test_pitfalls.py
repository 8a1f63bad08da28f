"""Classes of silent errors that users of other tools have reported: what the right values are.

One test per class, numbered as in the list that the project keeps of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_lines import box, load, numbers, order, run, shaped, store, view

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine

C = "\n".join(f"%c{i} = arith.constant {i} : index" for i in (0, 1, 2, 3, 4))
F16 = np.float16


# 1. Displacements of the tiles count elements, whatever the unit of the base address.
@pytest.mark.parametrize(("conventions", "scale"), [("kt", 1), ("scheduler", 2), ("ktir-cpu", 1)])
def test_01_every_tile_works_at_its_own_distance(conventions: str, scale: int) -> None:
    text = f"""func.func @f(%x: index, %y: index, %z: index) attributes {{grid = [32]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %n = arith.constant {512 * scale} : index
      %far = arith.muli %t, %n : index
      %p = arith.addi %x, %far : index
      %q = arith.addi %y, %far : index
      %r = arith.addi %z, %far : index
      %a = {view("%p", [512], "f16")}
      %b = {view("%q", [512], "f16")}
      %c = {view("%r", [512], "f16")}
      {load("%u", "%a", "%c0", [512], [512], "f16")}
      {load("%v", "%b", "%c0", [512], [512], "f16")}
      %s = arith.addf %u, %v : tensor<512xf16>
      {store("%s", "%c", "%c0", [512], [512], "f16")}
      return
    }}"""
    x, y = numbers(32 * 512, dtype=F16) % 100, numbers(32 * 512, dtype=F16) % 7
    found = run(text, {"x": x, "y": y, "z": np.zeros_like(x)}, conventions)
    assert (found["z"] == x + y).all()


# 2. A pointer that a kernel computes counts elements of the view.
@pytest.mark.parametrize("element", ["f16", "f32", "f64", "i8", "i64"])
def test_02_a_computed_pointer_counts_elements(element: str) -> None:
    kind = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i64": np.int64}
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %p = arith.addi %x, %c3 : index
      %v = {view("%p", [4], element)}
      %w = {view("%y", [4], element)}
      {load("%d", "%v", "%c0", [4], [4], element)}
      {store("%d", "%w", "%c0", [4], [4], element)}
      return
    }}"""
    x = numbers(9, dtype=kind[element])
    assert run(text, [x, np.zeros(4, x.dtype)])["y"].tolist() == [3, 4, 5, 6]


# 3. The numbering of a grid is the last dimension's first; others by their conventions.
@pytest.mark.parametrize(
    ("conventions", "first"), [("kt", False), ("scheduler", False), ("ktir-cpu", True)]
)
def test_03_tiles_stamp_their_numbers(conventions: str, first: bool) -> None:
    text = f"""func.func @f() attributes {{grid = [2 : index, 3 : index, 2 : index]}} {{
      {C}
      %ten = arith.constant 10 : index
      %g:3 = ktdp.get_compute_tile_id : index, index, index
      %a = arith.muli %g#0, %ten : index
      %b = arith.addi %a, %g#1 : index
      %m = arith.muli %b, %ten : index
      %n = arith.addi %m, %g#2 : index
      %stamp = arith.index_cast %n : index to i64
      %d = tensor.from_elements %stamp : tensor<1xi64>
      %own = {view("%c0", [1], "i64", space="ct_local")}
      {store("%d", "%own", "%c0", [1], [1], "i64")}
      return
    }}"""
    machine = Machine()
    run(text, (), conventions, machine=machine)
    got = [int(machine.read("ct_local", 0, (1,), np.int64, tile=t)[0]) for t in range(12)]
    if first:
        want = [c + 10 * b + 100 * a for c in range(2) for b in range(3) for a in range(2)]
    else:
        want = [c + 10 * b + 100 * a for a in range(2) for b in range(3) for c in range(2)]
    assert got == want


# 4. A transfer moves all of a wide tile, each element once.
@pytest.mark.parametrize("shape", [(1, 1, 128), (2, 4, 8, 64), (3, 130)])
def test_04_wide_tiles_move_as_a_whole(shape: tuple[int, ...]) -> None:
    at = ", ".join(["%c0"] * len(shape))
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %v = {view("%x", shape)}
      %w = {view("%y", shape)}
      {load("%d", "%v", at, shape, shape)}
      {store("%d", "%w", at, shape, shape)}
      return
    }}"""
    x = numbers(*shape) + 1
    assert (run(text, [x, np.zeros_like(x)])["y"] == x).all()


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


# 8. A gather gives the same by a box, by points, and for tiles that start anywhere.
def _gather(subscripts: str, extents: str, columns: int = 6) -> str:
    return f"""func.func @f(%x: index, %i: index, %y: index, %s: index) attributes {{grid = [2]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [8, 6])}
      %n = {view("%i", [4], "i32")}
      %w = {view("%y", [4, columns])}
      %row = arith.muli %t, %c2 : index
      %a = ktdp.construct_indirect_access_tile intermediate_variables(%p, %q) %v[{subscripts}] {{
        variables_space_set = {box(2, columns)}, variables_space_order = {order(2)}
      }} : memref<8x6xf32>, {extents} -> {shaped("!ktdp.access_tile", [2, columns], "index")}
      %d = ktdp.load %a : {shaped("", [2, columns], "index")} -> {shaped("tensor", [2, columns], "f32")}
      {store("%d", "%w", "%row, %c0", [2, columns], [4, columns])}
      return
    }}"""


def test_08_gathers() -> None:
    x, i, y = numbers(8, 6), np.array([5, 2, 2, 7], np.int32), np.zeros((4, 6), np.float32)
    rows = _gather("ind(%n[%row + %p]), (%q)", "memref<4xi32>")
    assert (run(rows, {"x": x, "i": i, "y": y, "s": 0})["y"] == x[i]).all()
    part = _gather("ind(%n[%row + %p]), (%s + %q)", "memref<4xi32>", columns=3)
    narrow = np.zeros((4, 3), np.float32)
    assert (run(part, {"x": x, "i": i, "y": narrow, "s": 2})["y"] == x[i][:, 2:5]).all()
    with pytest.raises(RunError, match="reads coordinate 6 along dimension 1"):
        run(part, {"x": x, "i": i, "y": narrow, "s": 4})  # beyond the end: no padding with zeros
    both = _gather("ind(%n[%row + %p]), ind(%n[%q])", "memref<4xi32>, memref<4xi32>", columns=3)
    j = np.array([5, 2, 0, 1], np.int32)
    found = run(both, {"x": x, "i": j, "y": narrow, "s": 0})["y"]
    assert (found == x[j][:, j[:3]]).all()
    with pytest.raises(RunError, match="on tile 1: reads coordinate -1 along dimension 0"):
        run(rows, {"x": x, "i": np.array([0, 1, 2, -1], np.int32), "y": y, "s": 0})
    # The direct form of the same rows, by a box.
    direct = rows.replace("ind(%n[%row + %p])", "(%row + %p)").replace(", memref<4xi32> ->", " ->")
    assert (run(direct, {"x": x, "i": i, "y": y, "s": 0})["y"] == x[:4]).all()


# 9. Items have the size and the values of their type.
@pytest.mark.parametrize(
    ("element", "kind"),
    [("i8", np.int8), ("i16", np.int16), ("i32", np.int32), ("i64", np.int64), ("f16", np.float16),
     ("f32", np.float32), ("f64", np.float64)],
)  # fmt: skip
def test_09_item_sizes(element: str, kind: Any) -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %v = {view("%x", [3, 2], element)}
      %w = {view("%y", [3, 2], element)}
      {load("%d", "%v", "%c2, %c0", [1, 2], [3, 2], element)}
      {store("%d", "%w", "%c1, %c0", [1, 2], [3, 2], element)}
      return
    }}"""
    if np.dtype(kind).kind == "i":
        top = np.iinfo(kind).max
        x = np.array([[0, 1], [2, 3], [top, -top]], kind)
    else:
        x = np.array([[0, 1], [2, 3], [np.finfo(kind).max, np.finfo(kind).tiny]], kind)
    y = run(text, [x, np.zeros_like(x)])["y"]
    assert y.tobytes() == b"".join([bytes(x[0].nbytes), x[2].tobytes(), bytes(x[0].nbytes)])


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


# 13. A view may start anywhere, with any strides.
def test_13_views_with_offsets() -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %far = arith.constant 26 : index
      %p = arith.addi %x, %far : index
      %v = {view("%p", [3, 2], strides=[1, 12])}
      %w = {view("%y", [3, 2])}
      {load("%d", "%v", "%c1, %c0", [2, 2], [3, 2])}
      {store("%d", "%w", "%c0, %c0", [2, 2], [3, 2])}
      return
    }}"""
    x = numbers(6, 12)  # the view is x[2:4, 2:5] turned over; its rows 1 and 2 are read
    y = run(text, [x, np.zeros((3, 2), np.float32)])["y"]
    assert (y[:2] == x[2:4, 3:5].T).all() and (y[2] == 0).all()


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


# 16. An address of two buffers is refused, not guessed.
def test_16_an_address_has_one_base() -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %p = arith.addi %x, %y : index
      %v = {view("%p", [4])}
      %w = {view("%y", [4])}
      {load("%d", "%v", "%c0", [4], [4])}
      {store("%d", "%w", "%c0", [4], [4])}
      return
    }}"""
    with pytest.raises(
        RunError, match=r"the address of this view adds up '.' and '.', but a buffer"
    ):
        run(text, [numbers(8), numbers(4)])


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


# 19. A size that is known only at run time reaches every load and store.
@pytest.mark.parametrize("count", [1, 5, 64])
def test_19_dynamic_sizes(count: int) -> None:
    dynamic = """ktdp.construct_memory_view %PTR, sizes: [%n], strides: [1] {
      coordinate_set = affine_set<(i)[m] : (i >= 0, -i + m - 1 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<?xf32>"""
    access = """ktdp.construct_access_tile %VIEW[%c0] symbols(%n) {
      access_tile_set = affine_set<(i)[m] : (i >= 0, -i + m - 1 >= 0)>,
      access_tile_order = affine_map<(i) -> (i)>} : memref<?xf32> -> !ktdp.access_tile<?xindex>"""
    text = f"""func.func @f(%x: index, %y: index, %k: i32) {{
      {C}
      %n = arith.index_cast %k : i32 to index
      %v = {dynamic.replace("%PTR", "%x")}
      %w = {dynamic.replace("%PTR", "%y")}
      %a = {access.replace("%VIEW", "%v")}
      %d = ktdp.load %a : <?xindex> -> tensor<?xf32>
      %s = arith.addf %d, %d : tensor<?xf32>
      %b = {access.replace("%VIEW", "%w")}
      ktdp.store %s, %b : tensor<?xf32>, <?xindex>
      return
    }}"""
    x = numbers(count)
    assert (run(text, {"x": x, "y": np.zeros_like(x), "k": count})["y"] == 2 * x).all()
    with pytest.raises(RunError, match="but the buffer 'x' has the bytes 0"):
        run(text, {"x": x, "y": np.zeros_like(x), "k": count + 1})


# 20. An access may begin and end in the middle of a stick.
def test_20_parts_of_a_stick() -> None:
    text = f"""func.func @f(%x: index, %y: index) {{
      {C}
      %at = arith.constant 24608 : index
      %v = {view("%x", [100], "f16")}
      %w = {view("%y", [24800], "f16")}
      {load("%d", "%v", "%c3", [77], [100], "f16")}
      {store("%d", "%w", "%at", [77], [24800], "f16")}
      return
    }}"""
    x, y = numbers(100, dtype=F16), np.full(24800, -1, F16)
    found = run(text, [x, y])["y"]
    assert (found[24608:24685] == x[3:80]).all()
    assert (np.delete(found, slice(24608, 24685)) == -1).all()


# 21. Scratchpads hold what lives at one time; views of the same bytes count once.
def test_21_room_in_a_scratchpad() -> None:
    size = 1 << 19  # elements of f16: one of the two MiB
    first, again = (view("%c0", [size], "f16", space="ct_local") for _ in range(2))
    last = view("%last", [2], "f16", space="ct_local")
    text = f"""func.func @f(%n: index) -> tensor<{size}xf16> {{
      {C}
      %last = arith.constant LAST : index
      %one = arith.constant dense<1.0> : tensor<{size}xf16>
      %two = arith.constant dense<2.0> : tensor<2xf16>
      %a = {first}
      %b = {again}
      %e = {last}
      {store("%one", "%a", "%c0", [size], [size], "f16")}
      {store("%two", "%e", "%c0", [2], [2], "f16", name="%end")}
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> (tensor<{size}xf16>) {{
        {load("%d", "%b", "%c0", [size], [size], "f16")}
        %m = memref.alloc() : memref<{size}xf16, #ktdp.memory_space<ct_local>>
        %o = arith.addf %s, %d : tensor<{size}xf16>
        scf.yield %o : tensor<{size}xf16>
      }}
      return %r : tensor<{size}xf16>
    }}"""
    fits = (2 << 20) // 2 - 2
    found = run(text.replace("LAST", str(fits)), [9])["result0"]
    assert (found == 10).all()
    with pytest.raises(RunError, match="of memory ct_local, which has 2097152 bytes"):
        run(text.replace("LAST", str(fits + 1)), [1])
    alloc = "memref.alloc() : memref"
    large = text.replace("LAST", "0").replace(f"{alloc}<524288x", f"{alloc}<1048577x")
    with pytest.raises(RunError, match="doesn't fit memory ct_local of 2097152 bytes"):
        run(large, [1])


def test_conventions_are_known() -> None:
    module = parse_text(
        'module attributes {kt.conventions = "other"} { func.func @f() { return } }'
    )
    with pytest.raises(RunError, match="unknown conventions 'other'"):
        from kt.sim.simulate import simulate

        simulate(module)
