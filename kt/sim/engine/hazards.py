"""Finding accesses to the same bytes that nothing orders, and signals that nobody awaits.

Every unit has a vector clock, and a second one for its asynchronous transfers, which are complete only
after a signal with ``wait``. A vector or token carries the clock of who gives it to who takes it. Each
byte of a memory knows its last writer and its last reader of each unit. An access races with an earlier
one that doesn't happen before it: whichever comes first on real hardware is chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import define, field

from kt.ir.diagnostics import Note, RunError
from kt.sim.engine.access import Accessor
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.stores import Store

if TYPE_CHECKING:
    from kt.sim.engine.process import Process

Place = slice | np.ndarray

BLOCK = 8
"""Binary digits of an address within a block of bytes."""
MOST_BLOCKS = 64
"""Blocks of an access up to which it pays to look at each of them."""
MOST_PENDING = 4096


@define(eq=False)
class Marks:
    """Per byte of a part of a memory: number and time of the last access by an agent, its instruction.

    The part begins at ``start`` and grows with what is accessed: most units keep to a small one. Most
    accesses lie apart: ``latest`` tells so, for it has the last time of each agent by block of bytes.
    Bytes are looked at, and what is ``pending`` written down, only where it doesn't.
    """

    start: int = 0
    agent: np.ndarray = field(factory=lambda: np.zeros(0, np.int32))
    time: np.ndarray = field(factory=lambda: np.zeros(0, np.int64))
    pc: np.ndarray = field(factory=lambda: np.zeros(0, np.int32))
    latest: dict[int, dict[int, int]] = field(factory=dict)
    pending: dict[tuple[int, int], tuple[int, int, int]] = field(factory=dict)
    """Contiguous accesses in order: (agent, time, instruction) by first byte and end."""

    def reach(self, first: int, end: int) -> None:
        """Have room for the bytes from ``first`` to ``end``."""
        size = len(self.time)
        if not size:
            self.start = first
        below = max(self.start - first, 0)
        above = max(end - self.start - size, 0)
        if not below and not above:
            return
        if size:  # grow by at least half, so that a walk over a memory stays linear
            below = min(max(below, size // 2), self.start) if below else 0
            above = max(above, size // 2) if above else 0
        self.start -= below
        for name in ("agent", "time", "pc"):
            old = getattr(self, name)
            made = np.zeros(below + size + above, old.dtype)
            made[below : below + size] = old
            setattr(self, name, made)

    def mark(self, place: Place, blocks: Sequence[int], agent: int, time: int, pc: int) -> None:
        """An access by ``agent``, whose times never go back."""
        for block in blocks:
            known = self.latest.get(block)
            if known is None:
                self.latest[block] = {agent: time}
            else:
                known[agent] = time
        if not isinstance(place, slice):
            self.settle()
            self._write(place, agent, time, pc)
            return
        key = place.start, place.stop
        self.pending.pop(key, None)
        self.pending[key] = agent, time, pc
        if len(self.pending) > MOST_PENDING:
            self.settle()

    def settle(self) -> None:
        """Write down what is pending."""
        for (first, end), (agent, time, pc) in self.pending.items():
            self._write(slice(first, end), agent, time, pc)
        self.pending.clear()

    def _write(self, place: Place, agent: int, time: int, pc: int) -> None:
        self.reach(*_span(place))
        where = _moved(place, self.start)
        self.agent[where] = agent
        self.time[where] = time
        self.pc[where] = pc

    def passed(self, blocks: Sequence[int], clock: np.ndarray) -> bool:
        """Whether all accesses to these blocks surely happened before ``clock``."""
        if len(blocks) > MOST_BLOCKS:
            return False
        for block in blocks:
            for agent, time in self.latest.get(block, _NOBODY).items():
                if time > clock[agent]:
                    return False
        return True

    def known(self, place: Place) -> Place | None:
        """The bytes of ``place`` that have marks, counted from ``start``; None if there are none."""
        first, end = _span(place)
        stop = self.start + len(self.time)
        if end <= self.start or first >= stop:
            return None
        if isinstance(place, slice):
            return _moved(slice(max(first, self.start), min(end, stop)), self.start)
        if first < self.start or end > stop:
            place = place[(place >= self.start) & (place < stop)]
        return _moved(place, self.start)


def _span(place: Place) -> tuple[int, int]:
    """First byte of a place, and the one behind its last."""
    if isinstance(place, slice):
        return place.start, place.stop
    return int(place.min()), int(place.max()) + 1


def _blocks(place: Place) -> Sequence[int]:
    """The blocks in which the bytes of a place lie."""
    if isinstance(place, slice):
        return range(place.start >> BLOCK, ((place.stop - 1) >> BLOCK) + 1)
    return np.unique(place >> BLOCK).tolist()


def _moved(place: Place, start: int) -> Place:
    if isinstance(place, slice):
        return slice(place.start - start, place.stop - start)
    return place - start


@define(eq=False)
class Shadow:
    """What is known about the bytes of one memory in this launch."""

    store: Store
    writes: Marks = field(factory=Marks)
    reads: dict[int, Marks] = field(factory=dict)
    """By agent."""


@define(eq=False)
class Hazards:
    """The detector of one launch. Agent ``i`` is process i, agent ``n + i`` its transfers."""

    processes: Sequence[Process]
    clocks: list[np.ndarray]
    shadows: dict[int, Shadow] = field(factory=dict)

    @classmethod
    def of(cls, processes: Sequence[Process]) -> Hazards:
        agents = 2 * len(processes)
        clocks = [np.zeros(agents, np.int64) for _ in range(agents)]
        for number, clock in enumerate(clocks):
            clock[number] = 1
        return cls(processes, clocks)

    # -- order -----------------------------------------------------------------------------------

    def release(self, process: Process) -> np.ndarray:
        """The clock that a vector or token carries; what the unit does next comes after it."""
        clock = self.clocks[process.number]
        carried = clock.copy()
        clock[process.number] += 1
        return carried

    def acquire(self, process: Process, carried: np.ndarray) -> None:
        """What the giver did happened before what the unit does next."""
        clock = self.clocks[process.number]
        np.maximum(clock, carried, out=clock)

    def settle(self, process: Process) -> None:
        """The unit's transfers are complete."""
        self.acquire(process, self.clocks[len(self.processes) + process.number])

    # -- accesses --------------------------------------------------------------------------------

    def load(self, process: Process, accessor: Accessor, byte: int, pc: int) -> None:
        self._read(process, process.number, accessor, byte, pc)

    def store(self, process: Process, accessor: Accessor, byte: int, pc: int) -> None:
        self._write(process, process.number, accessor, byte, pc)

    def transfer(
        self, process: Process, load: Accessor, source: int, store: Accessor, target: int, pc: int
    ) -> None:
        """A copy, done by the unit's own agent from now on."""
        agent = len(self.processes) + process.number
        clock = self.clocks[agent]
        np.maximum(clock, self.clocks[process.number], out=clock)
        clock[agent] += 1
        self._read(process, agent, load, source, pc)
        self._write(process, agent, store, target, pc)

    def _shadow(self, accessor: Accessor, byte: int) -> tuple[Shadow, Place, Sequence[int]]:
        """What is known about a memory; the bytes of an access, and the blocks in which they lie."""
        place, store = accessor.place(byte), accessor.store
        found = self.shadows.get(id(store))
        if found is None:
            found = self.shadows[id(store)] = Shadow(store)
        return found, place, _blocks(place)

    def _read(self, process: Process, agent: int, accessor: Accessor, byte: int, pc: int) -> None:
        shadow, place, blocks = self._shadow(accessor, byte)
        clock = self.clocks[agent]
        if not shadow.writes.passed(blocks, clock):
            self._check(process, clock, shadow.writes, shadow.store, place, pc, _STALE)
        marks = shadow.reads.get(agent)
        if marks is None:
            marks = shadow.reads[agent] = Marks()
        marks.mark(place, blocks, agent, int(clock[agent]), pc)

    def _write(self, process: Process, agent: int, accessor: Accessor, byte: int, pc: int) -> None:
        shadow, place, blocks = self._shadow(accessor, byte)
        clock = self.clocks[agent]
        if not shadow.writes.passed(blocks, clock):
            self._check(process, clock, shadow.writes, shadow.store, place, pc, _OVERWRITE)
        for marks in shadow.reads.values():
            if not marks.passed(blocks, clock):
                self._check(process, clock, marks, shadow.store, place, pc, _ANTI)
        shadow.writes.mark(place, blocks, agent, int(clock[agent]), pc)

    def _check(
        self,
        process: Process,
        clock: np.ndarray,
        marks: Marks,
        store: Store,
        where: Place,
        pc: int,
        what: tuple[str, str],
    ) -> None:
        """RunError unless the accesses that are marked at a place happened before."""
        marks.settle()
        known = marks.known(where)
        if known is None:
            return
        others = marks.agent[known]
        late = marks.time[known] > clock[others]
        if not late.any():
            return
        at = int(late.argmax())
        place = known.start + at if isinstance(known, slice) else int(known[at])
        other = self.processes[int(others[at]) % len(self.processes)]
        other_pc, byte = int(marks.pc[place]), marks.start + place
        name = other.op_name(other_pc)
        raise process.fault(
            RunError(
                f"{what[0]} byte {byte} of {store.name}, which '{name}' op on unit {other.name} "
                f"{what[1]}; nothing orders the two",
                hint="a signal is missing between these units, or its sender doesn't wait for its "
                "transfers",
                notes=[Note(f"the other access, by {other.name}", other.location(other_pc))],
            ),
            pc,
        )

    # -- the end ---------------------------------------------------------------------------------

    def check_queues(self, fifos: Iterable[Fifo], tokens: Iterable[Tokens]) -> None:
        """RunError if vectors or tokens were given that nobody took."""
        by_unit = {p.unit: p for p in self.processes}

        def name(unit: int) -> str:
            return by_unit[unit].name if unit in by_unit else self._unit_name(unit)

        left: list[str] = []
        queues: list[tuple[Any, int, str]] = [(q, len(q.items), "vector") for q in fifos]
        queues += [(q, len(q.given), "token") for q in tokens]
        for queue, count, what in queues:
            if count:
                plural = "s" if count > 1 else ""
                left.append(
                    f"{name(queue.target)} never takes {count} {what}{plural} of {name(queue.source)}"
                )
        if left:
            program = self.processes[0].run.loaded.image.name
            raise RunError(
                f"unmatched signals in program '{program}': {'; '.join(left)}",
                hint="every send needs a receive, and every signal a wait for it",
            )

    def _unit_name(self, unit: int) -> str:
        return self.processes[0].run.loaded.program.units[unit].name


_NOBODY: dict[int, int] = {}
_STALE = ("reads", "writes (the copy may be stale)")
_OVERWRITE = ("overwrites", "writes as well")
_ANTI = ("overwrites", "may still read")
