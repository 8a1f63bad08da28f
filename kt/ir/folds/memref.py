"""Folds of ``memref``: casts that say nothing, and known extents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.folding import CHANGED, folder, int_of

Consts = Sequence[Attribute | None]


def source_of(value: Value, *names: str) -> Value | None:
    """The first operand of the op that makes ``value``, if it is one of ``names``."""
    op = value.defining_op
    return op.operands[0] if op is not None and op.name in names else None


@folder("memref.cast", "memref.memory_space_cast")
def fold_cast(op: Operation, constants: Consts) -> Any:
    """A cast to the same type is its operand; of two casts only the outer one matters."""
    source, wanted = op.operands[0], op.results[0].type
    if source.type is wanted:
        return source
    before = source_of(source, op.name)
    if before is None or not isinstance(before.type, t.MemRefType):
        return None
    if before.type is wanted:
        return before
    if op.name == "memref.cast" and not _less_known(source.type, before.type):
        return None
    op.operands = (before,)
    return CHANGED


def _less_known(cast: Any, original: Any) -> bool:
    """Whether ``cast`` only forgot what ``original`` said, so that any further cast may follow it."""
    if not isinstance(cast, t.MemRefType) or cast.rank != original.rank:
        return False
    strides, offset = cast.strides_and_offset()
    known, start = original.strides_and_offset()
    pairs = zip((*cast.shape, *strides, offset), (*original.shape, *known, start), strict=True)
    return all(a in (b, t.DYNAMIC) for a, b in pairs)


@folder("memref.load", "memref.store", "memref.dealloc", "memref.copy")
def fold_access(op: Operation, constants: Consts) -> Any:
    """An access through a cast that forgot something is an access to the original."""
    operands = [_original(v) for v in op.operands]
    if all(a is b for a, b in zip(operands, op.operands, strict=True)):
        return None
    op.operands = operands
    return CHANGED


def _original(value: Value) -> Value:
    before = source_of(value, "memref.cast")
    known = before is not None and isinstance(before.type, t.MemRefType)
    return before if known and _less_known(value.type, before.type) else value  # type: ignore


@folder("memref.reinterpret_cast")
def fold_reinterpret(op: Operation, constants: Consts) -> Any:
    """Offset, sizes and strides count from the base, whatever views of it lie in between."""
    before = source_of(op.operands[0], "memref.cast", "memref.reinterpret_cast")
    if before is None:
        return None
    op.operands = (before, *op.operands[1:])
    return CHANGED


@folder("memref.dim", "tensor.dim")
def fold_dim(op: Any, constants: Consts) -> Any:
    number, type = int_of(constants[1]), op.source.type
    if number is None or not isinstance(type, t.ShapedType) or not 0 <= number < type.rank:
        return None
    extent = type.shape[number]  # type: ignore[attr-defined]
    if extent != t.DYNAMIC:
        return IntegerAttr(extent, t.index)
    maker = op.source.defining_op
    if maker is not None and maker.name in ("memref.cast", "tensor.cast"):
        if not isinstance(maker.operands[0].type, t.ShapedType):
            return None
        op.operands = (maker.operands[0], op.operands[1])
        return CHANGED
    if maker is None or maker.name not in ("memref.alloc", "memref.alloca", "tensor.empty"):
        return None
    return maker.dynamic_sizes[type.shape[:number].count(t.DYNAMIC)]  # type: ignore[attr-defined]


@folder("memref.rank", "tensor.rank")
def fold_rank(op: Operation, constants: Consts) -> Any:
    type = op.operands[0].type
    return IntegerAttr(type.rank, t.index) if isinstance(type, t.ShapedType) else None
