"""One launch of a program: processes, scheduling by cycles, deadlock report."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

import numpy as np
from attrs import define, field

from kt.ir.diagnostics import RunError
from kt.sim.engine.access import Accessor
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.extrapolate import Extrapolation
from kt.sim.engine.hazards import Hazards
from kt.sim.engine.loaded import LoadedImage
from kt.sim.engine.process import Process
from kt.sim.engine.timeline import Event, UnitTimes

FAULTS = (RunError, ZeroDivisionError, NameError)
"""What a program can do wrong while its code runs; the last: it reads a register that is not set."""
SHOWN = 16
"""Units that a deadlock report lists."""


@define(eq=False)
class LaunchRun:
    """The state of one launch."""

    loaded: LoadedImage
    limit: int
    ready: deque[Process] = field(factory=deque)
    turns: list[tuple[int, int, Process, int]] = field(factory=list)
    """Cycle, process, and where it stands (its instruction)."""
    blocked: dict[Process, int] = field(factory=dict)
    events: list[list[Event]] = field(factory=list)
    """Per process, in order."""
    links: dict[tuple[str, str], int] = field(factory=dict)
    """Bytes between memories and units, by the kinds of both, in the direction of flow."""
    hazards: Hazards | None = None
    extrapolation: Extrapolation | None = None

    def execute(self) -> int:
        """Run all processes to their ends; returns the cycles that the launch took."""
        processes = self.loaded.processes
        self.loaded.reset()
        self.events = [[] for _ in processes]
        if self.loaded.mode.hazards:
            self.hazards = Hazards.of(processes)
        if self.loaded.mode.extrapolate:
            self.extrapolation = Extrapolation(self)
        for process in processes:
            process.start(self)
        self.ready.extend(processes)
        try:
            with np.errstate(all="ignore"):  # vector instructions are unguarded
                self._run()
        finally:
            for process in processes:
                for number, accessor in enumerate(process.accessors):
                    writes = number in process.stores
                    self._count(process, accessor, writes)
                    accessor.settle(writes)
        if self.blocked:
            raise self._deadlock()
        if self.hazards is not None:
            self.hazards.check_queues(self.loaded.fifos.values(), self.loaded.tokens.values())
        return max((max(p.t, p.done_at) for p in processes), default=0)

    def _count(self, process: Process, accessor: Accessor, writes: bool) -> None:
        """Add bytes to the link between a unit's kind and a memory's, and to those on a longer way."""
        unit, memory = self.loaded.image.streams[process.stream].kind, accessor.store.kind
        near = (unit, memory) if writes else (memory, unit)
        for key in (near, *accessor.way.between) if accessor.moved else ():
            self.links[key] = self.links.get(key, 0) + accessor.moved

    def _run(self) -> None:
        """Units run ahead until they must wait; whoever uses shared parts goes in order of cycles.

        Once nobody can run, every other unit either waits for one that stands in ``turns``, or stands
        there itself: no request can still come that is earlier than the first one.
        """
        ready, turns, blocked = self.ready, self.turns, self.blocked
        while True:
            if ready:
                process = ready.popleft()
            elif turns:
                process = heappop(turns)[2]
            else:
                return
            try:
                pc = next(process.code, None)
            except FAULTS as error:
                raise self._fault(process, error) from None
            if pc is None:
                continue
            if pc < 0:
                heappush(turns, (process.t, process.number, process, ~pc))
            else:
                blocked[process] = pc

    def _fault(self, process: Process, error: Exception) -> RunError:
        """The error with the instruction that was executed, found by its line of code."""
        pc, here = -1, False
        step = error.__traceback__
        while step is not None:
            here = step.tb_frame.f_code is process.source.function.__code__
            if here:
                pc = process.source.pcs[step.tb_lineno - 1]
            step = step.tb_next
        if isinstance(error, NameError) and not here:
            raise error
        if isinstance(error, RunError) and error.location.position():
            return error
        return process.fault(error, pc)

    def next_trip(self, process: Process) -> None:
        """A unit begins a trip of a loop."""
        assert self.extrapolation is not None
        self.extrapolation.next_trip(process)

    def wake(self, process: Process) -> None:
        """Let a blocked process go on."""
        del self.blocked[process]
        self.ready.append(process)

    def fifo(self, source: int, target: int) -> Fifo:
        return self.loaded.fifo(source, target)

    def tokens(self, source: int, target: int) -> Tokens:
        return self.loaded.token_queue(source, target)

    def times(self, cycles: int) -> dict[str, UnitTimes]:
        """The accounts of all units; each adds up to ``cycles``."""
        return {
            p.name: UnitTimes(p.busy, p.stall_in, p.stall_out, p.sync, cycles - p.t)
            for p in self.loaded.processes
        }

    def timeline(self) -> list[Event]:
        """All events, with names and places, by unit and cycle."""
        known: dict[tuple[int, int], tuple] = {}
        for process, events in zip(self.loaded.processes, self.events, strict=True):
            for event in events:
                key = (process.stream, event.pc)
                if key not in known:
                    known[key] = (process.op_name(event.pc), process.location(event.pc))
                event.name, event.location = known[key]
                event.program = self.loaded.image.name
        return [event for events in self.events for event in events]

    # -- deadlocks -------------------------------------------------------------------------------

    def _peers(self) -> dict[Process, int]:
        """The unit that each blocked process waits for."""
        found: dict[Process, int] = {}
        for queue in (*self.loaded.fifos.values(), *self.loaded.tokens.values()):
            if queue.reader is not None:
                found[queue.reader] = queue.source
            if isinstance(queue, Fifo) and queue.writer is not None:
                found[queue.writer] = queue.target
        return found

    def _deadlock(self) -> RunError:
        units, peers = self.loaded.program.units, self._peers()
        by_unit = {p.unit: p for p in self.loaded.processes}

        def peer(process: Process) -> str:
            other = by_unit.get(peers[process])
            name = units[peers[process]].name
            if other is None:
                return f"{name}, which runs no program"
            return f"{name}, which has ended" if other.ended else name

        waiting = list(self.blocked.items())
        ring = self._ring(waiting[0][0], peers, by_unit)
        listed = sorted(waiting, key=lambda item: (item[0] not in ring, item[0].number))
        text = "; ".join(p.state(self.blocked[p], peer(p)) for p in ring[:SHOWN])
        first = ring[0]
        return RunError(
            f"deadlock in program '{self.loaded.image.name}': {len(waiting)} of "
            f"{len(self.loaded.processes)} units can't go on; {text}",
            first.location(self.blocked[first]),
            notes=[p.state_note(pc, peer(p)) for p, pc in listed[:SHOWN]],
            hint="a send without a receive, a token that is never given, or a FIFO that is too shallow",
        )

    def _ring(
        self, start: Process, peers: dict[Process, int], by_unit: dict[int, Process]
    ) -> list[Process]:
        """The units that wait for each other in a circle, or the one at the end of the chain."""
        chain = [start]
        while True:
            following = by_unit.get(peers[chain[-1]])
            if following is None or following.ended:
                return chain[-1:]
            if following in chain:
                return chain[chain.index(following) :]
            chain.append(following)
