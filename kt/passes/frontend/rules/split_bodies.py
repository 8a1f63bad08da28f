"""Cutting computations whose live vectors exceed the registers of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import UnitAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Block, BlockArgument, Operation, Value
from kt.ir.dialects import func, linalg
from kt.passes.analysis.registers import (
    IMMEDIATE,
    lane_bytes,
    peak_of,
    peak_of_block,
    registers_of,
)
from kt.passes.analysis.structured import body_types, is_pointwise
from kt.passes.analysis.target import compute_kind, lanes_for
from kt.passes.base import PassContext
from kt.passes.frontend.rules.fusion import CUT
from kt.passes.frontend.rules.generic import empty_like

if TYPE_CHECKING:
    from kt.arch import Device

Size = Callable[[Value], int]
WINDOW = 16
"""Places in front of the last possible one among which the cut that fewest values cross is chosen."""


def may_exceed(function: func.FuncOp, device: Device) -> bool:
    """Whether all pointwise bodies of a function together might need more than the registers."""
    registers = registers_of(device)
    if registers is None:
        return False
    needed = 0
    for op in function.walk():
        if is_pointwise(op) and isinstance(op, linalg.GenericOp):
            values = len(op.body.arguments) + sum(1 for _ in op.body.ops)
            needed += values * _vector(body_types(op), device)
    return needed > registers.size  # type: ignore[operator]


def _vector(types: Sequence[t.Type], device: Device) -> int:
    """Bytes of the vectors of a computation over some types, if they were all of the widest one."""
    kind = compute_kind(device)
    plain = [x for x in types if isinstance(x, (t.FloatType, t.IntegerType))]
    lanes = min((n for x in plain if (n := device.lanes(kind, x))), default=0)
    return lanes * max((x.itemsize for x in plain), default=0)


def fit_together(ops: Iterable[Operation], device: Device) -> bool:
    """Whether the vectors of several computations in one program fit, at most all live at a time."""
    registers = registers_of(device)
    if registers is None:
        return True
    bodies = [op for op in ops if is_pointwise(op) and isinstance(op, linalg.GenericOp)]
    needed = sum(
        peak_of_block(op.body, lane_bytes(lanes_for(device, body_types(op), op))).bytes
        for op in bodies
    )
    return needed <= registers.size  # type: ignore[operator]


def split_bodies(function: func.FuncOp, device: Device, ctx: PassContext) -> int:
    """Cut pointwise ops that need too many registers; how many cuts were made.

    ``y = f(x)`` becomes ``a = f1(x); y = f2(a, x)``, where ``a`` is what crosses the cut.
    """
    registers = registers_of(device)
    if registers is None:
        return 0
    cuts = 0
    for op in list(function.walk()):
        while (
            is_pointwise(op) and isinstance(op, linalg.GenericOp) and _shape_map(op).is_permutation
        ):
            size = lane_bytes(lanes_for(device, body_types(op), op))
            needed = peak_of_block(op.body, size).bytes
            room: int = registers.size  # type: ignore[assignment]
            at = _place(op, size, room) if needed > room else None
            if at is None:
                break
            ctx.remark(
                f"this computation needs {needed} bytes of {registers.kind}, which has {room}: "
                "it is cut in two, which hand over through memory",
                op.location,
            )
            op = _cut(op, at)
            cuts += 1
    return cuts


def _place(op: linalg.GenericOp, size: Size, room: int) -> int | None:
    """How many ops of a body come in front of the cut: as many as fit, few values crossing."""
    order = list(op.body.ops)[:-1]
    low, high = 0, len(order) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if _first_peak(op, order, middle, size) <= room:
            low = middle
        else:
            high = middle - 1
    choices = []
    for at in range(low, max(low - WINDOW, 0), -1):
        crossing = _crossing(order, at, op)
        plain = all(isinstance(v.type, (t.FloatType, t.IntegerType)) for v in crossing)
        if crossing and plain and _first_peak(op, order, at, size) <= room:
            choices.append((sum(str(v.type) == "i1" for v in crossing), len(crossing), -at))
    return -min(choices)[2] if choices else None


def _first_peak(op: linalg.GenericOp, order: list[Operation], at: int, size: Size) -> int:
    """Bytes that the first ``at`` ops need, if what later ones use of them is kept."""
    kept = _crossing(order, at, op)
    return peak_of(op.body.arguments, order[:at], size, kept).bytes


def _crossing(order: list[Operation], at: int, op: linalg.GenericOp) -> list[Value]:
    """Values of the first ops that later ones or the end use, each once; indices are made again."""
    first = {v for op in order[:at] if op.name not in IMMEDIATE for v in op.results}
    end = op.body.terminator
    assert end is not None
    used = [v for later in (*order[at:], end) for v in later.operands if v in first]
    return list(dict.fromkeys(used))


def _cut(op: linalg.GenericOp, at: int) -> linalg.GenericOp:
    """Put two halves in the op's place; the second one is returned."""
    order = list(op.body.ops)[:-1]
    end = op.body.terminator
    assert end is not None
    crossing = _crossing(order, at, op)
    build = Builder.before(op, op.location)
    like = op.outputs[0]
    empty = [empty_like(build, like, v.type) for v in crossing]
    same = [_shape_map(op)] * len(crossing)
    first = _half(op, build, order[:at], crossing, {}, empty, same)
    first.attributes[CUT] = UnitAttr()
    known = dict(zip(crossing, first.results, strict=True))
    again = [o for o in order[:at] if o.name in IMMEDIATE]
    second = _half(
        op, build, [*again, *order[at:]], list(end.operands), known,
        op.outputs, op.indexing_maps()[len(op.inputs) :],
    )  # fmt: skip
    second.attributes.update(op.attributes)
    op.replace_with(list(second.results))
    return second


def _half(
    op: linalg.GenericOp,
    build: Builder,
    ops: list[Operation],
    yielded: list[Value],
    known: Mapping[Value, Value],
    outputs: Sequence[Value],
    maps: Sequence[AffineMap],
) -> linalg.GenericOp:
    """A generic op of some ops of a body; ``known`` are tensors of elements that exist already."""
    used = {v for o in ops for v in o.operands}.union(yielded)
    arguments = [a for a in op.input_arguments if a in used]
    old, new = op.indexing_maps(), [v for v in known if v in used]

    def fill(block: Block, elements: list[BlockArgument]) -> list[Value]:
        copies: dict[Value, Value] = dict(zip([*arguments, *new], elements, strict=False))
        for o in ops:
            if any(v.has_uses for v in o.results):
                block.append(clone_ops([o], copies)[0])
        return [copies.get(v, v) for v in yielded]

    made = linalg.GenericOp.of(
        [*(op.inputs[a.index] for a in arguments), *(known[v] for v in new)],
        outputs,
        [*(old[a.index] for a in arguments), *[_shape_map(op)] * len(new), *maps],
        op.iterator_types(),
        fill,
        location=op.location,
    )
    return build.insert(made)


def _shape_map(op: linalg.GenericOp) -> AffineMap:
    """How the loops walk through the first result, which has the extents of all of them."""
    return op.indexing_maps()[len(op.inputs)]
