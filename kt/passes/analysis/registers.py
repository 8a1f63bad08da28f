"""Room that live vectors take in an engine's own memory: arguments, results, accumulators.

Constants are part of the instruction that uses them and take none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir import types as t
from kt.ir.core import Block, Operation, Value
from kt.passes.analysis.target import compute_kind

if TYPE_CHECKING:
    from kt.arch import Device, Memory

IMMEDIATE = ("arith.constant", "kt.splat", "linalg.index")


@frozen
class Peak:
    """The most bytes that are live at a time, and the op at which they are."""

    bytes: int
    op: Operation | None = None


def registers_of(device: Device) -> Memory | None:
    """The compute unit's own memory, if it has exactly one with a size."""
    memory = device.local_memory(compute_kind(device))
    return memory if memory is not None and memory.size is not None else None


def lane_bytes(lanes: int) -> Callable[[Value], int]:
    """Bytes of a vector of so many elements for a value of a scalar body."""

    def size(value: Value) -> int:
        if isinstance(value.type, (t.FloatType, t.IntegerType)):
            return lanes * value.type.itemsize
        return 0

    return size


def vector_bytes(value: Value) -> int:
    """Bytes of a vector; what is none lies in no vector register."""
    if not isinstance(value.type, t.VectorType):
        return 0
    return value.type.num_elements() * value.type.element_type.itemsize  # type: ignore[attr-defined]


def peak_of(
    arguments: Iterable[Value],
    ops: Iterable[Operation],
    size: Callable[[Value], int],
    kept: Iterable[Value] = (),
    base: int = 0,
) -> Peak:
    """The peak while ``ops`` run in order; ``kept`` stay live behind them, ``base`` bytes throughout.

    Arguments are live from the beginning, until their last use.
    """
    order = list(ops)
    last: dict[Value, int] = {}
    for i, op in enumerate(order):
        for value in _used(op):
            last[value] = i
    last.update(dict.fromkeys(kept, len(order)))
    live = {v: size(v) for v in arguments if v in last}
    total = base + sum(live.values())
    peak = Peak(total, order[0] if order else None)
    for i, op in enumerate(order):
        if op.name in IMMEDIATE:
            continue
        if op.regions:
            peak = max(peak, _inside(op, live, total, last, i, size), key=lambda p: p.bytes)
        for value in op.results:
            live[value] = size(value)
            total += live[value]
        if total > peak.bytes:
            peak = Peak(total, op)
        for value in (*_used(op), *op.results):
            if last.get(value, -1) <= i:
                total -= live.pop(value, 0)
    return peak


def _inside(
    op: Operation,
    live: dict[Value, int],
    total: int,
    last: dict[Value, int],
    i: int,
    size: Callable[[Value], int],
) -> Peak:
    """The peak of the regions of op number ``i``. What a loop starts from becomes its argument."""
    blocks = [b for region in op.regions for b in region.blocks]
    inner = {v for b in blocks for inside in b.ops for v in _used(inside)}
    passed = sum(live.get(v, 0) for v in set(op.operands) - inner if last.get(v) == i)
    peaks = [peak_of(b.arguments, b.ops, size, base=total - passed) for b in blocks]
    return max(peaks, key=lambda p: p.bytes, default=Peak(0))


def _used(op: Operation) -> list[Value]:
    """Operands of an op and of what is inside it."""
    if not op.regions:
        return list(op.operands)
    return [v for inner in op.walk() for v in inner.operands]


def peak_of_block(block: Block, size: Callable[[Value], int]) -> Peak:
    """The peak of a whole block."""
    return peak_of(block.arguments, block.ops, size)
