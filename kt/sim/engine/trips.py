"""Loops whose trips can be skipped while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from attrs import define

if TYPE_CHECKING:
    from kt.sim.engine.process import Process


@define(eq=False)
class Trips:
    """The values of a loop's counter. ``index``: the trip that is under way."""

    process: Process
    pc: int
    values: range
    index: int = -1
    same_from: int = 0
    same_to: int = -1
    """Trips that are known to cost the same, first and last; nothing is known at first."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> int:
        self.index += 1
        if self.index >= len(self.values):
            self.process.loops.pop()
            raise StopIteration
        self.process.run.next_trip(self.process)
        return self.values[self.index]
