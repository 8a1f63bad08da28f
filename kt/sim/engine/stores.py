"""Memories of the simulated device as bytes, with counters of what moves."""

from __future__ import annotations

import numpy as np
from attrs import define, field

from kt.binary.model import MemoryInfo


@define
class Traffic:
    """Bytes of one memory: what programs name, and what whole granules move."""

    read: int = 0
    written: int = 0
    moved_read: int = 0
    moved_written: int = 0

    def add(self, other: Traffic) -> None:
        self.read += other.read
        self.written += other.written
        self.moved_read += other.moved_read
        self.moved_written += other.moved_written

    def to_json(self) -> dict[str, int]:
        return {
            "read": self.read,
            "written": self.written,
            "moved_read": self.moved_read,
            "moved_written": self.moved_written,
        }


@define(eq=False)
class Store:
    """One memory: ``data`` bytes, and ``valid``, which marks bytes that were ever written.

    ``bandwidth`` is in bytes per cycle for all users together (None: unbounded); ``free`` is the cycle
    from which the memory serves the next request.
    """

    name: str
    kind: str
    size: int
    bandwidth: int | None = None
    data: np.ndarray = field(init=False)
    valid: np.ndarray | None = field(init=False)
    traffic: Traffic = field(factory=Traffic)
    free: int = 0

    def __attrs_post_init__(self) -> None:
        self.data = np.zeros(0, np.uint8)
        self.valid = np.zeros(0, np.bool_)

    def reach(self, end: int) -> None:
        """Make bytes below ``end`` exist; memories take only what is used."""
        have = len(self.data)
        if end <= have:
            return
        size = min(max(2 * have, end, 4096), max(self.size, end))
        data = np.zeros(size, np.uint8)
        data[:have] = self.data
        self.data = data
        if self.valid is not None:
            valid = np.zeros(size, np.bool_)
            valid[:have] = self.valid
            self.valid = valid

    def put(self, address: int, raw: np.ndarray) -> None:
        """Write bytes from outside the program (binding a tensor); not counted."""
        flat = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
        self.reach(address + len(flat))
        self.data[address : address + len(flat)] = flat
        if self.valid is not None:
            self.valid[address : address + len(flat)] = True

    def get(self, address: int, size: int) -> np.ndarray:
        """Bytes as they are, as a copy."""
        self.reach(address + size)
        return self.data[address : address + size].copy()

    @classmethod
    def of(cls, info: MemoryInfo, name: str, bandwidth: int | None) -> Store:
        return cls(name, info.kind, info.size or 1 << 40, bandwidth)
