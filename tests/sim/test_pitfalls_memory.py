"""Classes of silent errors that users of other tools have reported: addresses, tiles and memory.

One test per class, numbered as in the list that the project keeps of them; values: ``test_pitfalls_values.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_lines import C, box, load, numbers, order, run, shaped, store, view

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine
from kt.sim.simulate import simulate

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
        simulate(module)
