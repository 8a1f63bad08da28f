"""How many iterations of point loops to compute together: as much sharing as the registers allow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from kt.ir import types as t
from kt.ir.core import Operation, Value
from kt.ir.dialects import ktdf, linalg, scf
from kt.passes.analysis.registers import lane_bytes, peak_of_block, registers_of
from kt.passes.schedule.changing import Changing, even_trips

if TYPE_CHECKING:
    from kt.arch import Device

MOST = 16
"""Iterations together; more would hardly share more, and make long programs."""


def best_factors(
    pipeline: ktdf.PipelineOp, loops: Sequence[scf.ForOp], device: Device
) -> tuple[int, ...]:
    """Per loop around a pipeline, how many of its iterations to compute together (1: one by one).

    Counted is what its stages read per iteration inside their own loops: a slot that a loop doesn't
    change is read once for all iterations together. Of equals, the fewest iterations.
    """
    alone = (1,) * len(loops)
    registers = registers_of(device)
    if registers is None or not loops:
        return alone
    work = _Work.of(pipeline, loops)
    choices = [
        (work.reads(factors), math.prod(factors), factors)
        for factors in itertools.product(*(work.divisors(i) for i in range(len(loops))))
        if factors == alone
        or (math.prod(factors) <= MOST and work.bytes(factors) <= registers.size)  # type: ignore[operator]
    ]
    return min(choices)[2]


@define(eq=False)
class _Work:
    """The compute stage of a pipeline, and what each loop around it changes."""

    loops: Sequence[scf.ForOp]
    changing: list[Changing]
    inner: list[ktdf.ReadFromFifoOp] = field(factory=list)
    """Reads inside loops of the stage."""
    outer: list[ktdf.ReadFromFifoOp] = field(factory=list)
    carried: int = 0
    """Bytes of accumulators."""
    body: int = 0
    """Bytes that one computation needs at most, with all its results."""
    results: int = 0
    """Bytes of what the stage computes behind its loops."""

    @classmethod
    def of(cls, pipeline: ktdf.PipelineOp, loops: Sequence[scf.ForOp]) -> _Work:
        work = cls(loops, [Changing.of(loop.induction_variable, loop.body) for loop in loops])
        for op in pipeline.walk():
            inside = any(isinstance(a, scf.ForOp) for a in _up_to(op, pipeline))
            if isinstance(op, ktdf.ReadFromFifoOp):
                (work.inner if inside else work.outer).append(op)
            elif isinstance(op, scf.ForOp):
                work.carried += sum(map(_bytes, op.results))
            elif isinstance(op, linalg.GenericOp):
                lanes = max((_count(v) for v in (*op.inputs, *op.results)), default=1)
                size = lane_bytes(lanes)
                temporaries = sum(size(v) for inner in op.body.ops for v in inner.results)
                work.body = max(work.body, peak_of_block(op.body, size).bytes + temporaries)
                work.results += 0 if inside else sum(map(_bytes, op.results))
        return work

    def divisors(self, i: int) -> list[int]:
        """What a loop's factor may be."""
        trips = even_trips(self.loops[i])
        if trips is None or self.changing[i].refused is not None or not self.inner:
            return [1]
        return [n for n in range(1, min(trips, MOST) + 1) if trips % n == 0]

    def reads(self, factors: Sequence[int]) -> float:
        """Reads per iteration inside the stage's loops."""
        return sum(self.repeats(op, factors) for op in self.inner) / math.prod(factors)

    def repeats(self, op: ktdf.ReadFromFifoOp, factors: Sequence[int]) -> int:
        """How often a read stands there when so many iterations are computed together."""
        found = zip(factors, self.changing, strict=True)
        return math.prod(n for n, changing in found if op.fifo_slot in changing.slots)

    def bytes(self, factors: Sequence[int]) -> int:
        """Registers that the stage needs at most."""
        together = math.prod(factors)
        inner = sum(_bytes(op.result) * self.repeats(op, factors) for op in self.inner)
        outer = sum(_bytes(op.result) for op in self.outer) + self.results
        return together * (self.carried + outer) + inner + self.body


def _up_to(op: Operation, last: Operation) -> Iterator[Operation]:
    """The ops around ``op``, below ``last``."""
    return itertools.takewhile(lambda around: around is not last, op.ancestors())


def _count(value: Value) -> int:
    return value.type.num_elements() if isinstance(value.type, t.TensorType) else 1


def _bytes(value: Value) -> int:
    if not isinstance(value.type, t.TensorType):
        return 0
    return _count(value) * value.type.element_type.itemsize  # type: ignore[attr-defined]
