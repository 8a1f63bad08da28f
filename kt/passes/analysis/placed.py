"""Address ranges that a program must leave alone: what the kernel placed, what lives longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.attributes import AffineMapAttr, DictAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import affine, ktdp
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.index_maps import constant_index

if TYPE_CHECKING:
    from kt.arch import Device, Memory
    from kt.arch.memories import Part

ADDRESS = "kt.address"
"""On an allocation of the orchestrator: its byte address (of the first tile, in device memory)."""
STEP = "kt.step"
"""On an allocation in device memory: bytes from one tile's copy to that of the next."""
RESERVED = "kt.reserved"
"""On a program: bytes at the begin of memories, by kind, that other programs keep data in."""

EXCHANGE = "kt.exchange"
"""On a view: memory that the compiler took for the exchange between tiles."""
SLACK = 1 << 20
"""Bytes that are left free behind the tensors of a kernel."""


def heap_place(module: Operation, device: Device, size: int) -> int | None:
    """Where ``size`` bytes of device memory for the compiler begin; None if it has no room.

    Behind what the kernel's own tensors take at least, so that they find their places first; in a
    small memory as far up as possible. The runtime keeps tensors away from constant addresses.
    """
    memory = device.global_memory
    align = device.alignment(memory.kind)
    views = [op for op in module.walk() if isinstance(op, ktdp.ConstructMemoryViewOp)]
    taken: list[tuple[int, int]] = []
    floor = SLACK
    for view in views:
        type = view.results[0].type
        assert isinstance(type, t.MemRefType)
        length = _span(view)
        if view.attr(EXCHANGE) is not None:
            start = constant_index(view.operands[0])
            assert start is not None
            taken.append((start * item_size(type), (start + length) * item_size(type)))
        elif view.memory_space.is_global:
            floor += 2 * length * item_size(type)
    start = max([floor, *(end for _, end in taken)])
    start = -(-start // align) * align
    if memory.size is None or start + size <= memory.size:
        return start
    end = min([memory.size, *(first for first, _ in taken)])
    return (end - size) // align * align if end >= size else None


def in_part(build: Builder, tile: Value, address: Value, part: Part) -> Value:
    """An address, counted from the begin of a tile's part of a memory, in the whole memory."""
    start = (dim(0).floordiv(part.period) % part.count) * (part.size or 0) + dim(1)
    map = AffineMapAttr(AffineMap(2, 0, (start,)))
    return build.create(affine.ApplyOp, [tile, address], map=map).results[0]


def _span(view: ktdp.ConstructMemoryViewOp) -> int:
    """Elements from the first to the last of a view; 0 if that isn't known."""
    if t.DYNAMIC in (*view.static_sizes.values, *view.static_strides.values):
        return 0
    pairs = zip(view.static_sizes.values, view.static_strides.values, strict=True)
    return sum((n - 1) * s for n, s in pairs) + 1


def _function_of(op: Operation) -> Operation:
    return next((a for a in op.ancestors() if a.name == "func.func"), op)


def reserved_bytes(op: Operation, memory: Memory) -> int:
    """First byte of ``memory`` that the program of ``op`` may use for buffers of its own."""
    function = _function_of(op)
    found = function.attr(RESERVED)
    held = found.get(str(memory.kind)) if isinstance(found, DictAttr) else None
    end = held.value if held is not None else 0  # type: ignore[attr-defined]
    for view in function.walk():
        if isinstance(view, ktdp.ConstructMemoryViewOp) and _lies_in(view, memory):
            end = max(end, end_of_view(view))
    return end


def _lies_in(view: Operation, memory: Memory) -> bool:
    """Whether a view is cast to a memory of this kind, as path expansion makes it."""
    types = [user.results[0].type for user in view.results[0].users if user.results]
    return any(
        isinstance(type, t.MemRefType) and type.memory_space is memory.kind_attr for type in types
    )


def end_of_view(view: Operation) -> int:
    """First byte behind a view with a constant start; 0 for others, and for exchanges."""
    if view.attr(EXCHANGE) is not None:
        return 0
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
