"""Streams: launches in order, run when somebody waits for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from kt.ir.diagnostics import KtError, RunError
from kt.sim.tensors import Tensor

if TYPE_CHECKING:
    from kt.sim.runtime import Kernel, Report

Results = dict[str, np.ndarray | Tensor]


@define(eq=False)
class Event:
    """The completion of one entry of a stream."""

    stream: Stream
    done: bool = False
    cycles: int = 0
    """Cycle of the stream at which the entry was complete."""
    report: Report | None = None
    results: Results = field(factory=dict)
    _error: KtError | None = None

    def wait(self) -> Results:
        """Run what comes before, and this; returns the buffers of a launch.

        RunError if it failed, or an earlier entry of its stream did.
        """
        self.stream.run_until(self)
        if self._error is not None:
            raise self._error
        return self.results


@define(eq=False)
class Stream:
    """A queue of launches that run in the order in which they were put in.

    Arguments are read when a launch is put in, device tensors when it runs. A launch that fails makes
    the stream fail: what comes behind it does not run.
    """

    cycles: int = 0
    """Cycles of all launches so far."""
    _entries: deque[tuple[Event, Any]] = field(factory=deque)
    _error: KtError | None = None

    def launch(self, kernel: Kernel, arguments: Mapping[str, Any] | Sequence[Any]) -> Event:
        """Put a launch in. RunError right away if the arguments can't be bound."""
        given = {
            name: np.array(value) if isinstance(value, np.ndarray) else value
            for name, value in kernel.names(arguments).items()
        }
        event = Event(self)

        def run() -> None:
            event.results = kernel(given)
            event.report = kernel.last
            self.cycles += kernel.last.cycles

        self._entries.append((event, run))
        return event

    def wait_for(self, other: Event) -> Event:
        """What is put in later runs after an event of another stream."""
        event = Event(self)

        def run() -> None:
            other.wait()
            self.cycles = max(self.cycles, other.cycles)

        self._entries.append((event, run))
        return event

    def record(self) -> Event:
        """An event for everything that was put in so far."""
        event = Event(self)
        self._entries.append((event, lambda: None))
        return event

    def synchronize(self) -> None:
        """Run everything. RunError if an entry failed."""
        self.record().wait()

    def run_until(self, event: Event) -> None:
        """Run entries in order, up to this one."""
        while not event.done and self._entries:
            current, run = self._entries.popleft()
            if self._error is None:
                try:
                    run()
                except KtError as error:
                    self._error = error
            current._error = self._error
            current.cycles = self.cycles
            current.done = True
        if not event.done:
            raise RunError("two streams wait for each other")
