"""Memories of the simulated device as bytes, with counters of what moves."""

from __future__ import annotations

import numpy as np
from attrs import define, field

from kt.ir.diagnostics import RunError

UNKNOWN_SIZE = 1 << 40


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

    def minus(self, other: Traffic) -> Traffic:
        return Traffic(
            self.read - other.read,
            self.written - other.written,
            self.moved_read - other.moved_read,
            self.moved_written - other.moved_written,
        )

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

    A memory takes only as much of the host's as is used. ``private``: a register file of one unit.
    ``valid`` is None when nobody asks.
    """

    name: str
    kind: str
    size: int
    private: bool = False
    data: np.ndarray = field(init=False)
    valid: np.ndarray | None = field(init=False)
    traffic: Traffic = field(factory=Traffic)

    def __attrs_post_init__(self) -> None:
        self.data = np.zeros(0, np.uint8)
        self.valid = np.zeros(0, np.bool_)

    def reach(self, end: int) -> None:
        """Make the bytes below ``end`` exist. RunError if the memory doesn't have them."""
        have = len(self.data)
        if end <= have:
            return
        if end > self.size:
            raise RunError(f"{self.name} has {self.size} bytes, there is no byte {end - 1}")
        size = min(max(2 * have, end, 4096), self.size)
        try:
            data = np.zeros(size, np.uint8)
            valid = None if self.valid is None else np.zeros(size, np.bool_)
        except MemoryError:
            raise RunError(
                f"{self.name} has a byte {end - 1}, but this host has no room for it"
            ) from None
        data[:have] = self.data
        self.data = data
        if valid is not None:
            valid[:have] = self.valid
            self.valid = valid

    def put(self, address: int, raw: np.ndarray) -> None:
        """Write bytes from outside the program (binding a tensor); not counted."""
        flat = np.ascontiguousarray(raw).reshape(-1).view(np.uint8)
        self._inside(address)
        self.reach(address + len(flat))
        self.data[address : address + len(flat)] = flat
        if self.valid is not None:
            self.valid[address : address + len(flat)] = True

    def get(self, address: int, size: int) -> np.ndarray:
        """Bytes as they are, as a copy."""
        self._inside(address)
        self.reach(address + size)
        return self.data[address : address + size].copy()

    def forget(self, address: int, size: int) -> None:
        """Bytes whose contents mean nothing from now on."""
        if self.valid is not None:
            self.valid[address : address + size] = False

    def _inside(self, address: int) -> None:
        if address < 0:
            raise RunError(f"{self.name} has no byte {address}")
