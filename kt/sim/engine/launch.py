"""One launch of a program: processes, scheduling by cycles, deadlock report."""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.binary.model import Image
from kt.binary.plans import Call
from kt.binary.program import Program
from kt.ir.diagnostics import Note, RunError
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.ports import Accessor
from kt.sim.engine.process import Process

if TYPE_CHECKING:
    from kt.sim.engine.machine import DeviceMachine


@define(eq=False)
class Event:
    """What a unit did in some cycles, for timelines."""

    unit: str
    name: str
    start: int
    end: int


@define(eq=False)
class LaunchRun:
    """The state of one launch."""

    machine: DeviceMachine
    program: Program
    call: Call
    trace: bool = False
    processes: list[Process] = field(factory=list)
    fifos: dict[tuple[int, int], Fifo] = field(factory=dict)
    token_queues: dict[tuple[int, int], Tokens] = field(factory=dict)
    ready: deque[Process] = field(factory=deque)
    turns: list[tuple[int, int, Process]] = field(factory=list)
    blocked: dict[Process, int] = field(factory=dict)
    events: list[Event] = field(factory=list)

    @property
    def image(self) -> Image:
        return self.program.images[self.call.image]

    def execute(self) -> int:
        """Run all processes to their ends; returns the cycles that the launch took."""
        self._start()
        while self.ready or self.turns:
            if self.ready:
                process = self.ready.popleft()
            else:
                _, _, process = heapq.heappop(self.turns)
            self._advance(process)
        if self.blocked:
            raise self._deadlock()
        return max((max(p.t, p.done_at) for p in self.processes), default=0)

    def _start(self) -> None:
        tables = self.image.bind(self.call.symbols)
        code = self.machine.code(self.program, self.call.image)
        for number, stream in enumerate(self.image.streams):
            for ordinal, unit in enumerate(stream.units):
                mine = [table[ordinal] for table in tables[number]]
                process = Process(
                    self,
                    number,
                    ordinal,
                    unit,
                    mine,
                    self._accessors(number, unit, mine),
                    code.constants,
                    self.machine.costs.issue(stream.kind),
                    self.machine.costs.sync(stream.kind),
                )
                process.code = code.streams[number](process)
                self.processes.append(process)
                self.ready.append(process)

    def _accessors(self, stream: int, unit: int, tables: list[int]) -> list[Accessor]:
        found = []
        kind = self.image.streams[stream].kind
        stores = self.machine.code(self.program, self.call.image).stores[stream]
        for number, access in enumerate(self.image.streams[stream].accesses):
            place = self.program.units[tables[access.table]]
            store = self.machine.store(self.program, place, unit)
            port = self.machine.costs.port(kind, store, number in stores)
            found.append(Accessor(access, port, number in stores))
        return found

    def _advance(self, process: Process) -> None:
        try:
            pc = next(process.code, None)
        except RunError as error:
            raise (error if error.location.position() else process.fault(error)) from None
        except ZeroDivisionError:
            raise process.fault(RunError("divides by zero")) from None
        if pc is None:
            return
        if pc < 0:
            heapq.heappush(self.turns, (process.t, self.processes.index(process), process))
        else:
            self.blocked[process] = pc

    def wake(self, process: Process) -> None:
        del self.blocked[process]
        self.ready.append(process)

    # -- queues ----------------------------------------------------------------------------------

    def fifo(self, source: int, target: int) -> Fifo:
        found = self.fifos.get((source, target))
        if found is None:
            units = self.program.units
            depth, bandwidth, latency = self.machine.costs.queue(units[source], units[target])
            found = self.fifos[source, target] = Fifo(source, target, depth, bandwidth, latency)
        return found

    def tokens(self, source: int, target: int) -> Tokens:
        found = self.token_queues.get((source, target))
        if found is None:
            found = self.token_queues[source, target] = Tokens(source, target)
        return found

    def waiting_for(self, process: Process) -> str:
        """The unit that a blocked process waits for."""
        for queue in (*self.fifos.values(), *self.token_queues.values()):
            if queue.reader is process:
                return self.program.units[queue.source].name
            if getattr(queue, "writer", None) is process:
                return self.program.units[queue.target].name
        return "something that never comes"

    def _deadlock(self) -> RunError:
        waiting = list(self.blocked.items())
        notes = [
            Note(process.state(pc), self._place(process, pc)) for process, pc in waiting[:16]
        ]
        first, pc = waiting[0]
        return RunError(
            f"deadlock in program '{self.image.name}': {len(waiting)} of {len(self.processes)} "
            f"units wait for each other; {first.state(pc)}",
            self._place(first, pc),
            notes=notes,
            hint="a send without a receive, a token that is never given, or a FIFO that is too shallow",
        )

    def _place(self, process: Process, pc: int) -> Any:
        from kt.ir.diagnostics import UNKNOWN

        return self.program.location(self.call.image, process.stream, pc) or UNKNOWN

    def record(self, process: Process, start: int, end: int) -> None:
        """Keep what a unit did, if a timeline is wanted."""
        if self.trace and end > start:
            op = self.program.op_name(self.call.image, process.stream, process.pc)
            self.events.append(Event(process.name, op or "access", start, end))
