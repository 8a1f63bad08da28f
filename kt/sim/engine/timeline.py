"""What units did when, for timelines and reports."""

from __future__ import annotations

from attrs import define

from kt.ir.diagnostics import UNKNOWN, Location

KINDS = ("busy", "stall_in", "stall_out", "sync")


@define(eq=False)
class Event:
    """Cycles ``start`` to ``end`` of one unit.

    ``kind``: ``busy``, ``stall_in``, ``stall_out`` or ``sync``, as in :class:`UnitTimes`; the events of
    a kind add up to the unit's account. ``name`` is the operation.
    """

    unit: str
    kind: str
    start: int
    end: int
    pc: int = -1
    name: str = ""
    location: Location = UNKNOWN
    program: str = ""

    @property
    def cycles(self) -> int:
        return self.end - self.start


@define
class UnitTimes:
    """Cycles of one unit: at work; waiting for vectors, for room; signals; with nothing to run."""

    busy: int = 0
    stall_in: int = 0
    stall_out: int = 0
    sync: int = 0
    idle: int = 0

    @property
    def cycles(self) -> int:
        """All of them."""
        return self.busy + self.stall_in + self.stall_out + self.sync + self.idle

    def add(self, other: UnitTimes) -> None:
        self.busy += other.busy
        self.stall_in += other.stall_in
        self.stall_out += other.stall_out
        self.sync += other.sync
        self.idle += other.idle

    def to_json(self) -> dict[str, int]:
        return {
            "busy": self.busy,
            "stall_in": self.stall_in,
            "stall_out": self.stall_out,
            "sync": self.sync,
            "idle": self.idle,
        }
