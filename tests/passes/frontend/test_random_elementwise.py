"""Random elementwise kernels keep their meaning through every pass of the frontend."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_text import KernelText, shaped

from kt.passes.pipelines import ktir_to_schedule

EXTENTS = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 23])
BINARY = {"f": ["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minnumf"],
          "i": ["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.andi"]}  # fmt: skip
UNARY = ["arith.negf", "math.absf"]
CASTS = {
    "f16": [("f16", None), ("f32", "arith.extf"), ("i16", "arith.bitcast")],
    "f32": [("f32", None), ("f16", "arith.truncf"), ("f16", "kt.convert")],
    "i32": [("i32", None), ("f32", "arith.sitofp"), ("i8", "arith.trunci")],
    "i16": [("i16", None), ("i32", "arith.extsi")],
    "i8": [("i8", None), ("f16", "arith.uitofp")],
}
LOADS = ["full", "row", "column", "transposed", "reordered", "scalar", "splat", "constant"]


def operand(k, draw, number, shape, element):
    """A tensor of the shape from memory, in one of several layouts, or from a scalar."""
    name, rank = f"x{number}", len(shape)
    type = shaped("tensor", shape, element)
    kind = draw(st.sampled_from(LOADS))
    if kind == "splat":
        return k.op("tensor.splat", k.scalar(name, element, 3), type=type)
    if kind == "constant":
        number = "2.5" if element[0] == "f" else "3"
        return k.op(f"arith.constant dense<{number}>", type=type)
    if kind == "full" or rank < 2:
        return k.load(k.buffer(name, shape, element))
    if kind == "reordered":
        view = k.buffer(name, shape[::-1], element)
        return k.load(view, order=list(range(rank))[::-1])
    if kind == "transposed":
        loaded = k.load(k.buffer(name, shape[::-1], element))
        order = list(range(rank))[::-1]
        source = shaped("tensor", shape[::-1], element)
        return k.linalg("transpose", [(loaded, source)], type, f" permutation = {order}")
    kept = {"row": [rank - 1], "column": [0], "scalar": []}[kind]
    part = tuple(shape[d] for d in kept)
    loaded = k.load(k.buffer(name, part, element))
    dropped = [d for d in range(rank) if d not in kept]
    return k.linalg(
        "broadcast", [(loaded, shaped("tensor", part, element))], type, f" dimensions = {dropped}"
    )


@st.composite
def kernels(draw):
    k = KernelText(seed=draw(st.integers(0, 5)))
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=3)))
    element = draw(st.sampled_from(["f16", "f32", "i32", "i16", "i8"]))
    type = shaped("tensor", shape, element)
    values = [operand(k, draw, i, shape, element) for i in range(draw(st.integers(1, 3)))]
    for _ in range(draw(st.integers(0, 4))):
        one, other = (draw(st.sampled_from(values)) for _ in range(2))
        choice = draw(st.integers(0, 3))
        if choice == 0:
            compare = "arith.cmpf olt" if element[0] == "f" else "arith.cmpi slt"
            bits = shaped("tensor", shape, "i1")
            mask = k.op(f"{compare},", one, other, type=type)
            values.append(k.op("arith.select", mask, one, values[0], type=f"{bits}, {type}"))
        elif element[0] == "f" and choice == 1:
            values.append(k.op(draw(st.sampled_from(UNARY)), one, type=type))
        else:
            op = draw(st.sampled_from(BINARY[element[0]]))
            values.append(k.op(op, one, other, type=type))
    for i in range(draw(st.integers(1, 2))):
        value = values[-1 - i % len(values)]
        target, cast = draw(st.sampled_from(CASTS[element]))
        if cast:
            value = k.op(cast, value, type=type, to=shaped("tensor", shape, target))
        strides = None
        if draw(st.booleans()):  # column-major
            strides = [1]
            for n in shape[:-1]:
                strides.append(strides[-1] * n)
        k.store(value, k.buffer(f"y{i}", shape, target, strides, fill=False))
    return k


@st.composite
def row_kernels(draw):
    """Compute tiles take rows in turn; the operand of the column is another part of each row."""
    tiles, rows, n = (draw(st.integers(1, 4)), draw(st.integers(0, 6)), draw(EXTENTS))
    k = KernelText(grid=(tiles,), seed=draw(st.integers(0, 5)))
    whole = (max(rows, 1), n)
    x, y = k.buffer("x", whole, "f16"), k.buffer("y", whole, "f16", fill=False)
    s = k.buffer("s", whole[:1], "f16")
    k.lines += [
        "%t = ktdp.get_compute_tile_id : index",
        f"%rows = arith.constant {rows} : index",
        f"%tiles = arith.constant {tiles} : index",
        "scf.for %r = %t to %rows step %tiles {",
    ]
    type = f"tensor<1x{n}xf16>"
    a, b = k.load(x, (1, n), ("%r", 0)), k.load(s, (1,), ("%r",))
    wide = k.linalg("broadcast", [(b, "tensor<1xf16>")], type, " dimensions = [1]")
    value = k.op("arith.mulf", a, wide, type=type)
    if draw(st.booleans()):
        k.store(value, x, (1, n), ("%r", 0))
    k.store(k.op("arith.addf", value, a, type=type), y, (1, n), ("%r", 0))
    k.line("}")
    return k


@given(row_kernels(), st.sampled_from(["toy", "spyre"]))
@settings(max_examples=15, deadline=None)
def test_rows_in_turn(levels, k, device):
    *_, differing = levels(k.text, device, ktir_to_schedule(), k.data)
    assert differing == []


@given(kernels(), st.sampled_from(["toy", "spyre"]))
@settings(max_examples=25, deadline=None)
def test_elementwise(levels, k, device):
    *_, differing = levels(k.text, device, ktir_to_schedule(), k.data)
    assert differing == []


@pytest.mark.sweep
@given(kernels(), st.sampled_from(["toy", "spyre"]))
@settings(max_examples=1000, deadline=None)
def test_elementwise_sweep(levels, k, device):
    *_, differing = levels(k.text, device, ktir_to_schedule(), k.data)
    assert differing == []
