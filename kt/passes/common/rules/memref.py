"""Canonical forms of ``memref`` (and of slices of tensors): constant sizes become static."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, StridedLayoutAttr
from kt.ir.core import Operation, Value
from kt.ir.dialects import memref, tensor
from kt.ir.dialects.common import Mixed, extents_of
from kt.ir.dialects.memref_views import subview_type
from kt.ir.dialects.tensor_slices import slice_parts
from kt.ir.folding import constant_int
from kt.ir.rewriter import Rewriter, canonicalization


def replace_and_cast(op: Operation, made: Operation, cast: type[Operation], rw: Rewriter) -> bool:
    """Replace ``op`` by ``made``, whose type says more: users get a cast to the type they know."""
    old, new = op.results[0], made.results[0]
    new.name_hint = old.name_hint
    if new.type is old.type:
        rw.replace(op, made)
    else:
        rw.replace(op, rw.create(cast, new, result_types=[old.type]))
    return True


def known_sizes(
    shape: Sequence[int], sizes: Sequence[Value]
) -> tuple[list[int], list[Value]] | None:
    """Extents and operands after constants moved into the extents; None if there are none."""
    extents, left, rest = [], [], iter(sizes)
    for extent in shape:
        if extent == t.DYNAMIC:
            value = next(rest)
            number = constant_int(value)
            if number is not None and number >= 0:
                extent = number
            else:
                left.append(value)
        extents.append(extent)
    return (extents, left) if len(left) < len(sizes) else None


@canonicalization("memref.alloc", "memref.alloca", name="constant-extents")
def constant_extents(op: Any, rw: Rewriter) -> bool:
    """alloc(%c4) : memref<?xf16> is alloc() : memref<4xf16>, cast."""
    type = op.memref.type
    found = known_sizes(type.shape, op.dynamic_sizes)
    if found is None:
        return False
    extents, left = found
    made_type = t.MemRefType(tuple(extents), type.element_type, type.layout, type.memory_space)
    properties = dict(op.properties)
    counts = [len(left), len(op.symbol_operands)]
    properties["operandSegmentSizes"] = DenseArrayAttr.of(counts, t.i32)
    made = type_of(op)(
        (*left, *op.symbol_operands), (made_type,), properties, op.attributes, location=op.location
    )
    return replace_and_cast(op, rw.insert(made), memref.CastOp, rw)


def type_of(op: Operation) -> type[Operation]:
    return op.__class__


@canonicalization("memref.alloc", "memref.alloca", name="unread-alloc")
def unread_alloc(op: Any, rw: Rewriter) -> bool:
    """Memory that is only written (and freed) goes, with the writes."""
    for user in op.memref.users:
        store = user.name == "memref.store" and user.operands[0] is not op.memref
        if not store and user.name != "memref.dealloc":
            return False
    for user in op.memref.users:
        rw.erase(user)
    rw.erase(op)
    return True


def _known(entries: Sequence[Mixed]) -> list[Mixed]:
    numbers = [e if isinstance(e, int) else constant_int(e) for e in entries]
    return [e if n is None else n for e, n in zip(entries, numbers, strict=True)]


@canonicalization(
    "memref.reinterpret_cast", "memref.subview", "tensor.extract_slice", name="constant-slice"
)
def constant_slice(op: Any, rw: Rewriter) -> bool:
    """Constant offsets, sizes and strides become static; the type says so, a cast forgets it."""
    lists = (op.mixed_offsets, op.mixed_sizes, op.mixed_strides)
    known = [_known(entries) for entries in lists]
    if all(tuple(a) == tuple(b) for a, b in zip(known, lists, strict=True)):
        return False
    if any(isinstance(n, int) and n < 0 for n in known[1]):
        return False
    type = _slice_type(op, known)
    operands, statics = slice_parts(*known)
    made = rw.create(
        type_of(op), op.source, *operands, **statics, result_types=[type], attributes=op.attributes
    )
    cast = tensor.CastOp if isinstance(type, t.TensorType) else memref.CastOp
    return replace_and_cast(op, made, cast, rw)


def _slice_type(op: Any, known: Sequence[Sequence[Mixed]]) -> t.Type:
    """The type of a slice with these parts; the old one where dimensions are dropped."""
    old = op.results[0].type
    offsets, sizes, strides = (extents_of(entries) for entries in known)
    if len(sizes) != old.rank:
        return old
    if isinstance(old, t.TensorType):
        return t.TensorType(sizes, old.element_type, old.encoding)
    if op.name == "memref.subview":
        return subview_type(op.source.type, offsets, sizes, strides)
    layout = StridedLayoutAttr(strides, offsets[0])
    return t.MemRefType(sizes, old.element_type, layout, old.memory_space)
