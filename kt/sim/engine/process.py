"""One unit running its stream: local clock, queues, ports, counters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.binary.isa import Op
from kt.ir.diagnostics import RunError
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.ports import Accessor, serve
from kt.sim.engine.vectors import first_lane, splat

if TYPE_CHECKING:
    from kt.sim.engine.launch import LaunchRun


@define(eq=False)
class Process:
    """A process; generated code calls its methods. Cycles count from the start of the launch."""

    run: LaunchRun
    stream: int
    ordinal: int
    unit: int
    """Index of the unit in the program."""
    tables: list[int]
    accessors: list[Accessor]
    constants: list[Any]
    issue: int
    sync: int
    t: int = 0
    pc: int = 0
    busy: int = 0
    stall_in: int = 0
    stall_out: int = 0
    stall_sync: int = 0
    done_at: int = 0
    """When the last asynchronous transfer is complete."""
    code: Iterator[int] = field(init=False)
    splat = staticmethod(splat)
    first_lane = staticmethod(first_lane)

    @property
    def name(self) -> str:
        return self.run.program.units[self.unit].name

    # -- queues ----------------------------------------------------------------------------------

    def fifo_to(self, unit: int, pc: int) -> Fifo:
        self.pc = pc
        return self.run.fifo(self.unit, unit)

    def fifo_from(self, unit: int, pc: int) -> Fifo:
        self.pc = pc
        return self.run.fifo(unit, self.unit)

    def push(self, queue: Fifo, now: int, vector: Any) -> int:
        start = queue.push(now, vector, vector.nbytes)
        if start > now:
            self.stall_out += start - now
        if queue.reader is not None:
            self.run.wake(queue.reader)
            queue.reader = None
        return start

    def took(self, queue: Fifo, now: int, vector: Any, lanes: int, pc: int) -> None:
        if len(vector) != lanes:
            raise self.fault(
                RunError(
                    f"receives a vector of {len(vector)} lanes where {lanes} are expected"
                ),
                pc,
            )
        if queue.depth is not None:
            queue.space.append(now)
            if queue.writer is not None:
                self.run.wake(queue.writer)
                queue.writer = None

    def tokens_from(self, unit: int) -> Tokens:
        return self.run.tokens(unit, self.unit)

    def give(self, unit: int, now: int, wait: bool) -> int:
        """Give a token; first wait for one's own transfers if so asked."""
        now += self.sync
        self.busy += self.sync
        if wait and self.done_at > now:
            self.stall_sync += self.done_at - now
            now = self.done_at
        channel = self.run.tokens(self.unit, unit)
        channel.given.append(now)
        if channel.reader is not None:
            self.run.wake(channel.reader)
            channel.reader = None
        return now

    # -- memory ----------------------------------------------------------------------------------

    def vector(self, now: int, accessor: Accessor, byte: int) -> int:
        """Cycle after a vector load or store that starts now."""
        moved = accessor.moved(byte)
        cost = max(self.issue, accessor.port.cycles(moved))
        store = accessor.port.store
        end = now + cost
        if store.bandwidth is not None:
            end = max(end, serve(store, now, moved))
        self.busy += cost
        self.run.record(self, now, end)
        return end

    def transfer(
        self, now: int, load: Accessor, source: int, store: Accessor, target: int
    ) -> int:
        """Copy; the unit is busy while bytes flow, the last of them arrive a latency later."""
        store.write_raw(target, load.read_raw(source))
        sizes = (load.moved(source), store.moved(target))
        cost = max(load.port.cycles(sizes[0]), store.port.cycles(sizes[1]))
        end = now + self.issue + cost
        for accessor, size in zip((load, store), sizes, strict=True):
            if accessor.port.store.bandwidth is not None:
                end = max(end, serve(accessor.port.store, now + self.issue, size))
        self.busy += self.issue + cost
        self.done_at = max(self.done_at, end + load.port.latency + store.port.latency)
        self.run.record(self, now, end)
        return end

    # -- faults ----------------------------------------------------------------------------------

    def step(self, step: int, pc: int) -> int:
        if step < 1:
            raise self.fault(RunError(f"a loop has step {step}; it must be positive"), pc)
        return step

    def unknown(self, pc: int) -> None:
        op: Op = self.run.image.streams[self.stream].code[pc].op
        raise self.fault(RunError(f"instruction {op.name} can't be executed"), pc)

    def fault(self, error: RunError, pc: int | None = None) -> RunError:
        """The error with unit, operation and source location."""
        pc = self.pc if pc is None else pc
        program, image = self.run.program, self.run.call.image
        location = program.location(image, self.stream, pc)
        op = program.op_name(image, self.stream, pc)
        what = f"'{op}' op" if op else f"instruction {pc}"
        message = f"{what} on unit {self.name}: {error.message}"
        return RunError(message, location or error.location, hint=error.hint, notes=error.notes)

    def state(self, pc: int) -> str:
        """What the process waits for, for the deadlock report."""
        instruction = self.run.image.streams[self.stream].code[pc]
        verb = {
            Op.SEND: "waits for space in the FIFO to",
            Op.RECV: "waits for a vector from",
            Op.SYNCR: "waits for a token of",
        }.get(instruction.op, "waits at")
        op = self.run.program.op_name(self.run.call.image, self.stream, pc)
        peer = self.run.waiting_for(self)
        return f"{self.name} {verb} {peer}" + (f" ('{op}')" if op else "")
