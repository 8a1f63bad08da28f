"""Counted loops: how often they run, the values of their variables, and their steps.

Every loop asks the machine for its trips before the first one (:meth:`kt.sim.machine.Machine.take`), so
that a loop that would never end is refused instead. No list of all trips is ever made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from kt.ir.core import Value
from kt.ir.diagnostics import RunError
from kt.sim.interp import Frame, Interpreter, Step
from kt.sim.machine import Machine
from kt.sim.values import merge, rank_of, select, uniform


@frozen
class Lattice:
    """The points of a nest of counted loops, in lexicographic order."""

    ranges: tuple[range, ...]
    count: int

    @classmethod
    def of(cls, bounds: Iterable[tuple[Any, Any, Any]], machine: Machine) -> Lattice:
        """From low, high and step of each loop, the same for all tiles, or they diverge.

        RunError when these are more trips than the machine has left.
        """
        found = [tuple(uniform(number) for number in bound) for bound in bounds]
        count = math.prod(trips(*bound) for bound in found)
        machine.take(count)
        return cls(tuple(range(*bound) for bound in found), count)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return _points(self.ranges)

    def part(self, first: int, last: int) -> list[np.ndarray]:
        """The points from number ``first`` up to before ``last``: an array per variable."""
        numbers = np.arange(first, min(last, self.count), dtype=np.int64)
        places = np.unravel_index(numbers, tuple(len(r) for r in self.ranges))
        return [r.start + r.step * place for r, place in zip(self.ranges, places)]


def _points(ranges: tuple[range, ...]) -> Iterator[tuple[int, ...]]:
    """What itertools.product gives, which would keep every range as a tuple."""
    if not ranges:
        return iter(((),))
    return ((first, *rest) for first in ranges[0] for rest in _points(ranges[1:]))


def trips(low: Any, high: Any, step: Any) -> Any:
    """The number of a counted loop's iterations: an int, or an array over the batch."""
    if type(low) is type(high) is type(step) is int and step > 0:
        return max(0, -((low - high) // step))
    if np.min(step) <= 0:
        raise RunError(f"the step of a loop must be positive, but is {int(np.min(step))}")
    if not (np.ndim(low) or np.ndim(high) or np.ndim(step)):
        return max(0, -((int(low) - int(high)) // int(step)))
    low, high, step = np.broadcast_arrays(*(np.asarray(n, np.int64) for n in (low, high, step)))
    apart = high.astype(np.uint64) - low.astype(np.uint64)  # may be more than int64 holds
    found = (apart - np.uint64(1)) // step.astype(np.uint64) + np.uint64(1)
    return np.where(high > low, found, np.uint64(0))


def counted_loop(
    op: Any,
    inits: Sequence[Value],
    bounds: Callable[[Frame], tuple[Any, Any, Any]],
    interp: Interpreter,
) -> Step:
    """The step of a counted loop with carried values; ``bounds`` gives low, high and step.

    Tiles may start, end and step differently: those with fewer iterations just leave earlier. Where
    tiles wait for each other in the body they diverge instead.
    """
    body, results, tick = interp.code(op.body), op.results, interp.ticker(op)
    ranks = [rank_of(value.type) for value in results]

    def waiting(frame: Frame, low: Any, step: Any, count: int) -> Iterator[Any]:
        carried: tuple[Any, ...] = tuple([frame[v] for v in inits])
        for number in range(count):
            pending = body(frame, (low + number * step, *carried))
            if pending is not None:
                yield from pending
            carried = frame.out
        frame.update(zip(results, carried))

    def run(frame: Frame, low: Any, step: Any, count: Any, first: int, carried: Any) -> Any:
        """Iterations from number ``first`` on; the values that are carried out."""
        common = int(np.min(count))
        for number in range(first, common):
            body(frame, (low + number * step, *carried))
            carried = frame.out
            if tick is not None:
                tick((number + 1) / common)
        if not np.ndim(count) or (count == common).all():
            return carried
        longer = np.flatnonzero(count > common)
        part = frame.part(longer)
        picked: Any = int(longer[0]) if len(longer) == 1 else longer
        low, step, rest = (select(value, 0, picked) for value in (low, step, count))
        inner = [select(value, rank, picked) for value, rank in zip(carried, ranks)]
        after = run(part, low, step, rest, common, inner)
        total, done = len(frame.tiles), np.flatnonzero(count == common)
        one: Any = int(done[0]) if len(done) == 1 else done
        return [
            merge([(done, select(old, rank, one)), (longer, new)], rank, total)
            for old, new, rank in zip(carried, after, ranks)
        ]

    def start(frame: Frame) -> Any:
        low, high, step = bounds(frame)
        count = trips(low, high, step)
        if body.waits:
            count = uniform(count)
        interp.machine.take(count if type(count) is int else int(np.max(count)))
        if body.waits:
            return waiting(frame, low, step, count)
        frame.update(zip(results, run(frame, low, step, count, 0, [frame[v] for v in inits])))
        return None

    return start
