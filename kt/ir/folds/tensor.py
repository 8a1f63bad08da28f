"""Folds of ``tensor``: casts and slices that change nothing, elements of constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.core import Operation
from kt.ir.folding import CHANGED, folder, int_of
from kt.ir.folds import memref as memref

Consts = Sequence[Attribute | None]


@folder("tensor.cast")
def fold_cast(op: Operation, constants: Consts) -> Any:
    source, wanted = op.operands[0], op.results[0].type
    if source.type is wanted:
        return source
    before = memref.source_of(source, "tensor.cast")
    if before is None or not isinstance(before.type, t.TensorType):
        return None
    if before.type is wanted:
        return before
    middle = source.type
    forgot = isinstance(middle, t.TensorType) and all(
        a in (b, t.DYNAMIC) for a, b in zip(middle.shape, before.type.shape, strict=True)
    )
    if not forgot:
        return None
    op.operands = (before,)
    return CHANGED


@folder("tensor.extract_slice")
def fold_extract_slice(op: Any, constants: Consts) -> Any:
    return op.source if _is_whole(op, op.source.type) else None


@folder("tensor.insert_slice")
def fold_insert_slice(op: Any, constants: Consts) -> Any:
    return op.source if _is_whole(op, op.dest.type) else None


def _is_whole(op: Any, type: Any) -> bool:
    """Whether a slice is all of a static tensor."""
    return (
        op.source.type is op.results[0].type is type
        and type.has_static_shape
        and not any(op.static_offsets)
        and all(n == 1 for n in op.static_strides)
        and op.static_sizes.values == type.shape
    )


@folder("tensor.extract")
def fold_extract(op: Any, constants: Consts) -> Any:
    """An element of a constant, or of listed elements."""
    maker = op.tensor.defining_op
    if maker is not None and maker.name == "tensor.splat":
        return maker.operands[0]
    held = constants[0]
    if isinstance(held, DenseElementsAttr) and held.is_splat:
        return element_attr(held, 0)
    places = [int_of(c) for c in constants[1:]]
    if any(p is None for p in places) or not op.tensor.type.has_static_shape:
        return None
    flat = 0
    for place, extent in zip(places, op.tensor.type.shape, strict=True):
        if place is None or not 0 <= place < extent:
            return None
        flat = flat * extent + place
    if maker is not None and maker.name == "tensor.from_elements":
        return maker.operands[flat]
    return element_attr(held, flat) if isinstance(held, DenseElementsAttr) else None


def element_attr(held: DenseElementsAttr, index: int) -> Attribute | None:
    """One element of a constant, counted in row-major order; None for formats without NumPy type."""
    element, type = held.to_numpy().reshape(-1)[index], held.type.element_type
    if isinstance(type, (t.IntegerType, t.IndexType)):
        return IntegerAttr(int(element), type)
    return FloatAttr.of(float(element), type) if element.dtype.kind == "f" else None
