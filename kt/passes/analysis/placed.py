"""What the kernel placed itself: address ranges of views with constant starts, per memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.dialects import ktdp
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.index_maps import constant_index

if TYPE_CHECKING:
    from kt.arch import Memory


def _function_of(op: Operation) -> Operation:
    return next((a for a in op.ancestors() if a.name == "func.func"), op)


def reserved_bytes(op: Operation, memory: Memory) -> int:
    """First byte behind all views that the program of ``op`` places in ``memory``; 0 without any."""
    end = 0
    for view in _function_of(op).walk():
        if isinstance(view, ktdp.ConstructMemoryViewOp) and _lies_in(view, memory):
            end = max(end, _end_of(view))
    return end


def _lies_in(view: Operation, memory: Memory) -> bool:
    """Whether a view is cast to a memory of this kind, as path expansion makes it."""
    types = [user.results[0].type for user in view.results[0].users if user.results]
    return any(
        isinstance(type, t.MemRefType) and type.memory_space is memory.kind_attr for type in types
    )


def _end_of(view: Operation) -> int:
    start = constant_index(view.operands[0])
    type = view.results[0].type
    if start is None or not isinstance(type, t.MemRefType) or not type.has_static_shape:
        return 0
    strides, _ = type.strides_and_offset()
    sizes = getattr(view, "static_strides", None)
    if sizes is not None and t.DYNAMIC not in sizes.values:
        strides = sizes.values
    last = sum((n - 1) * s for n, s in zip(type.shape, strides, strict=True))
    return (start + last + 1) * item_size(type)
