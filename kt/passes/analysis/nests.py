"""Programs, loop nests around pipelines, and what a value depends on."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from kt.ir.attributes import IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.dialects import func, ktdf, memref, scf
from kt.ir.effects import is_pure
from kt.ir.types import i64
from kt.passes.analysis.index_maps import constant_index

DIM = "kt.dim"
"""Discardable attribute of loops: the iteration dimension that they count."""


def programs(module: Operation) -> Iterator[func.FuncOp]:
    """Functions with pipelines in them, in textual order."""
    for op in module.walk_type(func.FuncOp):
        if any(isinstance(inner, ktdf.PipelineOp) for inner in op.walk()):
            yield op


def loop_dim(loop: Operation) -> int | None:
    """The iteration dimension that a loop counts, if it is tagged."""
    found = loop.attr(DIM)
    return found.value if isinstance(found, IntegerAttr) else None


def set_loop_dim(loop: Operation, number: int) -> None:
    loop.attributes[DIM] = IntegerAttr(number, i64)


def trip_count(loop: scf.ForOp) -> int | None:
    """Iterations of a loop with constant bounds, else None."""
    bounds = [constant_index(v) for v in (loop.lower_bound, loop.upper_bound, loop.step)]
    if None in bounds:
        return None
    lower, upper, step = bounds
    return max(0, -((lower - upper) // step))  # type: ignore[operator]


def is_parallel(loop: Operation) -> bool:
    """Whether the iterations of a loop may run in any order."""
    return loop.attr("loop_type") is ktdf.PARALLEL_LOOP


@frozen(eq=False)
class Nest:
    """A pipeline and the tagged loops directly around it, outermost first."""

    pipeline: ktdf.PipelineOp
    loops: tuple[scf.ForOp, ...]

    @property
    def root(self) -> Operation:
        """The outermost op of the nest."""
        return self.loops[0] if self.loops else self.pipeline

    @property
    def dims(self) -> tuple[int | None, ...]:
        return tuple(loop_dim(loop) for loop in self.loops)


def nests(function: Operation) -> list[Nest]:
    """One nest per outermost pipeline of a function.

    A loop belongs to the nest when it is tagged (``kt.dim`` or ``loop_type``) and holds just one
    thing that isn't pure arithmetic: the next loop, or the pipeline.
    """
    found = []
    for op in function.walk():
        if not isinstance(op, ktdf.PipelineOp) or op.parent_of_type(ktdf.PipelineOp):
            continue
        loops: list[scf.ForOp] = []
        inner: Operation = op
        while isinstance(loop := inner.parent_op, scf.ForOp) and _is_tagged(loop):
            if any(other.regions for other in loop.body.ops if other is not inner):
                break
            loops.append(loop)
            inner = loop
        found.append(Nest(op, tuple(reversed(loops))))
    return found


def _is_tagged(loop: Operation) -> bool:
    return loop_dim(loop) is not None or loop.attr("loop_type") is not None


def depends_on(value: Value, target: Value) -> bool:
    """Whether ``value`` is computed from ``target`` (through operands, not through regions)."""
    stack, seen = [value], {value}
    while stack:
        current = stack.pop()
        if current is target:
            return True
        op = current.defining_op
        for operand in op.operands if op is not None else ():
            if operand not in seen:
                seen.add(operand)
                stack.append(operand)
    return False


def is_index_code(op: Operation) -> bool:
    """Whether an op only computes indices: pure, or the load of a coordinate.

    What coordinates are looked up in never changes while a program runs, so that the load may move.
    """
    return is_pure(op) or isinstance(op, memref.LoadOp)


def is_inside(value: Value, op: Operation) -> bool:
    """Whether a value is defined inside ``op``."""
    block = value.parent_block
    owner = block.parent_op if block is not None else None
    return owner is not None and op.is_ancestor_of(owner)
