"""Skipping what repeats.

The engine is a deterministic machine: if its state returns, apart from a shift of all times and from
counters of loops whose trips cost the same, what happened in between happens again, until one of these
loops comes to an end. The state is everything that decides what comes next: where each unit stands,
its clock, what is under way in queues, and until when shared parts are taken. Times so far back that
nobody can notice them count as equal. Whole repetitions are skipped: loops move on, and the cycles are
added to the accounts at the end, while the clocks themselves stay as they are.

Accesses that are skipped are not checked against their bounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.binary.isa import Op
from kt.sim.engine.resources import Bandwidth
from kt.sim.engine.trips import Trips

if TYPE_CHECKING:
    from kt.sim.engine.launch import LaunchRun
    from kt.sim.engine.process import Process

KEPT = 48
"""States that are remembered."""
PATIENCE = 32
"""States that are looked at before looking becomes rarer."""
OFTEN, RAREST = 2, 1024
"""Trips of the busiest unit from one look to the next."""
START = 256
"""Trips before the first look: short runs are over by then."""

Frame = dict[str, Any]


@define(eq=False)
class State:
    """One moment: ``key`` is what decides what comes next, the rest are counters.

    Per process: loops with their trips; cycles, and cycles of each stall; bytes of each access.
    """

    key: tuple[Any, ...]
    loops: list[list[tuple[Trips, int]]]
    accounts: list[list[int]]
    traffic: list[list[tuple[int, int]]]


@define(eq=False)
class Extrapolation:
    """The search for repetition in one launch, each time that the busiest unit begins a trip."""

    run: LaunchRun
    states: deque[State] = field(factory=lambda: deque(maxlen=KEPT))
    trips: list[int] = field(init=False)
    leader: int = 0
    """The process that has made most trips."""
    seen: int = 0
    waited: int = -START
    every: int = OFTEN
    cycles: int = 0
    """Cycles that were skipped."""

    def __attrs_post_init__(self) -> None:
        self.trips = [0] * len(self.run.loaded.processes)

    def next_trip(self, process: Process) -> None:
        """``process`` begins a trip: if everything is as it was before, skip repetitions."""
        number = process.number
        self.trips[number] += 1
        if number != self.leader:
            if self.trips[number] > 2 * self.trips[self.leader] + PATIENCE:
                self.leader = number
            return
        self.waited += 1
        if self.waited < self.every:
            return
        self.waited = 0
        self.seen += 1
        if self.seen % PATIENCE == 0 and self.every < RAREST:
            self.every *= 2
        now = self._state(process)
        found = [(self._repetitions(s, now), s) for s in self.states if s.key == now.key]
        times, before = max(found, key=lambda f: f[0] * self._cycles(f[1], now), default=(0, now))
        if times:
            self._skip(before, now, times)
            self.seen, self.every = 0, OFTEN
            now = self._state(process)
        self.states.append(now)

    def _cycles(self, before: State, now: State) -> int:
        return now.accounts[self.leader][0] - before.accounts[self.leader][0]

    # -- states ----------------------------------------------------------------------------------

    def _state(self, leader: Process) -> State:
        """The present state. Nothing can happen any more before the first unit that isn't blocked."""
        run = self.run
        processes = run.loaded.processes
        frames = [_frame(p) for p in processes]
        running = [p.number for p in processes if not p.ended and p not in run.blocked]
        front = min(frames[n]["t"] for n in running)
        accounts = [self._account(p, f, front) for p, f in zip(processes, frames, strict=True)]
        base = frames[leader.number]["t"]
        waiting = {process: pc for _, _, process, pc in run.turns}
        key: list[Any] = [
            leader.number,
            tuple(p.number for p in run.ready),
            tuple(sorted((t - base, number) for t, number, _, _ in run.turns)),
            tuple(sorted((p.number, pc) for p, pc in run.blocked.items())),
        ]
        key += [
            _position(p, f, base, waiting.get(p)) for p, f in zip(processes, frames, strict=True)
        ]
        clocks = {p.unit: f["t"] for p, f in zip(processes, frames, strict=True) if f}
        key += self._queues(clocks, front, base)
        return State(
            tuple(key),
            [[(trips, trips.index) for trips in p.loops] for p in processes],
            accounts,
            [[(a.uses, a.moved) for a in p.accessors] for p in processes],
        )

    def _account(self, process: Process, frame: Frame, front: int) -> list[int]:
        """Cycles and stalls, those skipped included. A blocked unit has waited up to ``front``."""
        if not frame:
            return [0, 0, 0, 0]
        found = [frame[n] + more for n, more in zip(_ACCOUNTS, process.skipped, strict=True)]
        pc = self.run.blocked.get(process)
        if pc is not None and frame["t"] < front:
            found[0] += front - frame["t"]
            found[_STALLS[process.instruction(pc).op]] += front - frame["t"]
            frame["t"] = front
        return found

    def _queues(self, clocks: dict[int, int], front: int, base: int) -> Iterator[Any]:
        """What is under way. A time that the one who will look at it has passed is as good as now."""
        loaded = self.run.loaded
        for fifo in loaded.fifos.values():
            reader, writer = clocks.get(fifo.target, base), clocks.get(fifo.source, base)
            yield fifo.slots, fifo.room, max(fifo.free, writer) - base
            yield tuple(max(x, reader) - base for _, x, _ in fifo.items)
            yield tuple((max(x, writer) - base, m) for x, m in fifo.freed)
        for tokens in loaded.tokens.values():
            reader = clocks.get(tokens.target, base)
            yield tuple(max(x, reader) - base for x in tokens.given)
        for part in loaded.machine.costs.resources:
            ends = [part.free] if isinstance(part, Bandwidth) else sorted(part.ends)
            yield tuple(max(x, front) - base for x in ends)

    # -- repetition ------------------------------------------------------------------------------

    def _repetitions(self, before: State, now: State) -> int:
        """How often what lies between the two states certainly happens again."""
        found: int | None = None
        for process, old, new in zip(
            self.run.loaded.processes, before.loops, now.loops, strict=True
        ):
            if process.ended:
                continue
            level = self._advanced(old, new)
            if level is None:
                return 0
            if level < len(new):
                trips, first, last = new[level][0], old[level][1], new[level][1]
                end = self._same_to(process, trips, first)
                found = min(
                    (end - last) // (last - first), len(trips.values) if found is None else found
                )
        return max(0, found or 0)

    def _advanced(self, old: list[tuple[Trips, int]], new: list[tuple[Trips, int]]) -> int | None:
        """The loop that moved on; the number of loops if none did; None if the loops differ otherwise."""
        if len(old) != len(new):
            return None
        for level, ((a, i), (b, j)) in enumerate(zip(old, new, strict=True)):
            if a is not b or j < i:
                return None
            if j > i:
                inner = zip(old[level + 1 :], new[level + 1 :], strict=True)
                same = all(
                    c.pc == d.pc and k == n and c.values == d.values for (c, k), (d, n) in inner
                )
                return level if same else None
        return len(new)

    def _same_to(self, process: Process, trips: Trips, first: int) -> int:
        if not trips.same_from <= first <= trips.same_to:
            facts = self.run.loaded.loop_facts(process, trips.pc)
            trips.same_from = trips.same_to = first
            if facts is not None:
                trips.same_to = facts.same_to(_frame(process), trips.values, first)
        return trips.same_to

    def _skip(self, before: State, now: State, times: int) -> None:
        """Let what lies between the two states have happened so many times more."""
        self.cycles += times * self._cycles(before, now)
        for number, process in enumerate(self.run.loaded.processes):
            if process.ended:
                continue
            old, new = before.loops[number], now.loops[number]
            level = self._advanced(old, new)
            if level is not None and level < len(new):
                new[level][0].index += times * (new[level][1] - old[level][1])
            for at in range(len(_ACCOUNTS)):
                more = now.accounts[number][at] - before.accounts[number][at]
                process.skipped[at] += times * more
            pairs = zip(process.accessors, before.traffic[number], now.traffic[number], strict=True)
            for accessor, (uses, moved), (more_uses, more_moved) in pairs:
                accessor.uses += times * (more_uses - uses)
                accessor.moved += times * (more_moved - moved)


_ACCOUNTS = ("t", "si", "so", "sy")
_STALLS = {Op.RECV: 1, Op.SEND: 2, Op.SYNCR: 3}


def _frame(process: Process) -> Frame:
    """The variables of a process; none once it has ended, those of a start before it begins."""
    frame = getattr(process.code, "gi_frame", None)
    if frame is None or process.ended:
        return {}
    found = dict(frame.f_locals)
    if "t" not in found:
        found |= dict.fromkeys((*_ACCOUNTS, "done"), 0)
    found["place"] = frame.f_lasti
    return found


def _position(process: Process, frame: Frame, base: int, turn: int | None) -> tuple[Any, ...]:
    """Where a process stands; ``turn``: the instruction that waits for its turn."""
    if not frame:
        return ()
    now = frame["t"]
    found: list[Any] = [frame["place"], now - base, max(frame["done"] - now, 0)]
    found += [max(frame.get(r, 0) - now, 0) for r in process.source.arrivals]
    found += [trips.pc for trips in process.loops]
    if turn is not None:  # in the middle of it
        found += [frame.get(name) for name in ("m", "k", "n", "j")]
        if process.instruction(turn).op is Op.SEND:
            found += [frame["x"] - base, frame["u"] - base]
    return tuple(found)
