"""One unit running its stream: local clock, queues, accounts, faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from attrs import define, field

from kt.binary.isa import Op
from kt.ir.diagnostics import UNKNOWN, Location, Note, RunError
from kt.sim.engine.access import Accessor
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.code import StreamCode
from kt.sim.engine.timeline import Event
from kt.sim.engine.trips import Trips
from kt.sim.engine.vectors import first_lane, splat

if TYPE_CHECKING:
    from kt.sim.engine.launch import LaunchRun

WAITS = {
    Op.SEND: "waits for room in the FIFO to",
    Op.RECV: "waits for a vector from",
    Op.SYNCR: "waits for a token of",
}


@define(eq=False)
class Process:
    """A process; generated code calls its methods. Cycles count from the start of the launch."""

    number: int
    """Its place in program-unit order."""
    stream: int
    unit: int
    """Index of the unit in the program."""
    name: str
    tables: list[int]
    """This unit's entry of every table of the stream."""
    accessors: list[Accessor]
    stores: frozenset[int]
    """Accesses that write."""
    constants: list[Any]
    source: StreamCode
    run: LaunchRun = field(init=False)
    code: Iterator[int] = field(init=False)
    t: int = 0
    ended: bool = False
    stall_in: int = 0
    stall_out: int = 0
    sync: int = 0
    done_at: int = 0
    """When the last of its stores and transfers is complete."""
    left: int = 0
    """Trips of loops that it may still make."""
    loops: list[Trips] = field(factory=list)
    """Loops that it is in, outermost first; kept only if trips may be skipped."""
    skipped: list[int] = field(factory=lambda: [0, 0, 0, 0])
    """Cycles that were skipped: all, and those of each stall."""
    splat = staticmethod(splat)
    first_lane = staticmethod(first_lane)

    def start(self, run: LaunchRun) -> None:
        """Begin a launch."""
        self.run = run
        self.t = self.stall_in = self.stall_out = self.sync = self.done_at = 0
        self.ended = False
        self.loops, self.skipped = [], [0, 0, 0, 0]
        self.left = run.limit
        self.code = self.source.function(self)

    def finish(self, t: int, stall_in: int, stall_out: int, sync: int, done_at: int) -> None:
        """The end of the stream, with its accounts."""
        cycles, more_in, more_out, more_sync = self.skipped
        self.t, self.done_at, self.ended = t + cycles, done_at + cycles, True
        self.stall_in, self.stall_out = stall_in + more_in, stall_out + more_out
        self.sync = sync + more_sync

    @property
    def busy(self) -> int:
        """Cycles at work."""
        return self.t - self.stall_in - self.stall_out - self.sync

    def trips(self, pc: int, start: int, stop: int, step: int) -> range:
        """The values of a loop's counter."""
        if step < 1:
            raise RunError(f"a loop has step {step}; it must be positive")
        count = max(0, -((start - stop) // step))
        self.left -= count
        if self.left < 0:
            limit = self.run.limit
            what = f"a loop has {count} trips" if count > limit else "a loop goes on"
            raise RunError(
                f"{what}, but all loops of a unit have {limit} together in a launch",
                hint="Runtime(max_trips=…) lets them have more",
            )
        return range(start, stop, step)

    def watched(self, pc: int, start: int, stop: int, step: int) -> Trips:
        """The same, in a way that trips can be skipped."""
        found = Trips(self, pc, self.trips(pc, start, stop, step))
        self.loops.append(found)
        return found

    # -- queues ----------------------------------------------------------------------------------

    def fifo_to(self, unit: int) -> Fifo:
        return self.run.fifo(self.unit, unit)

    def fifo_from(self, unit: int) -> Fifo:
        return self.run.fifo(unit, self.unit)

    def tokens_to(self, unit: int) -> Tokens:
        return self.run.tokens(self.unit, unit)

    def tokens_from(self, unit: int) -> Tokens:
        return self.run.tokens(unit, self.unit)

    def wake_reader(self, queue: Fifo | Tokens) -> None:
        """Let the one go on that waits for this queue to have something."""
        assert queue.reader is not None
        self.run.wake(queue.reader)
        queue.reader = None

    def wake_writer(self, queue: Fifo) -> None:
        """Let the one go on that waits for room."""
        assert queue.writer is not None
        self.run.wake(queue.writer)
        queue.writer = None

    def full(self, queue: Fifo, size: int) -> None:
        """Wait for room. RunError if there never is enough."""
        if (queue.size is not None and size > queue.size) or (
            queue.depth is not None and queue.depth < 1
        ):
            raise RunError(f"sends {size} bytes through a FIFO that holds {queue.size}")
        queue.writer = self

    def enter(self, queue: Fifo, now: int, size: int, cycles: int) -> int:
        """The cycle at which a vector enters links that others use as well."""
        start = queue.way.start(now)
        queue.way.hold(start, size, cycles)
        return start

    def mismatch(self, found: tuple[str, int], wanted: tuple[str, int]) -> NoReturn:
        raise RunError(
            f"receives a vector of {found[1]} lanes of {found[0]} where {wanted[1]} of {wanted[0]} "
            "are expected"
        )

    # -- reports ---------------------------------------------------------------------------------

    def note(self, pc: int, kind: str, start: int, end: int) -> None:
        """Keep what the unit did; one event for cycles in a row."""
        if end > start:
            events = self.run.events[self.number]
            last = events[-1] if events else None
            if last is not None and last.end == start and last.pc == pc and last.kind == kind:
                last.end = end
            else:
                events.append(Event(self.name, kind, start, end, pc))

    def unknown(self, name: str) -> NoReturn:
        raise RunError(
            f"'{name}' is an operation that only the hardware knows",
            hint="the simulator runs what the device file or the op's semantics define",
        )

    def location(self, pc: int) -> Location:
        """Where an instruction comes from in the source."""
        return self.run.loaded.program.location(self.run.loaded.number, self.stream, pc) or UNKNOWN

    def op_name(self, pc: int) -> str:
        """What an instruction is called: its op in the source, else its op code."""
        loaded = self.run.loaded
        name = loaded.program.op_name(loaded.number, self.stream, pc) if pc >= 0 else ""
        return name or (self.instruction(pc).op.name.lower() if pc >= 0 else "start")

    def instruction(self, pc: int) -> Any:
        return self.run.loaded.image.streams[self.stream].code[pc]

    def fault(self, error: Exception, pc: int) -> RunError:
        """An error with unit, operation and source location."""
        hint, notes, location = None, (), self.location(pc)
        if isinstance(error, RunError):
            message, hint, notes = error.message, error.hint, error.notes
        elif isinstance(error, ZeroDivisionError):
            message = "divides by zero"
        else:
            message = f"uses a register that was never set ({error})"
        text = f"'{self.op_name(pc)}' op on unit {self.name}: {message}"
        return RunError(text, location, hint=hint, notes=notes)

    def state(self, pc: int, peer: str) -> str:
        """What the process waits for, for the deadlock report."""
        return f"{self.name} {WAITS[self.instruction(pc).op]} {peer}"

    def state_note(self, pc: int, peer: str) -> Note:
        return Note(f"{self.state(pc, peer)} ('{self.op_name(pc)}')", self.location(pc))
