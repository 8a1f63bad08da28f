"""How one unit accesses one memory: addresses, granules, cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from attrs import define, field

from kt.binary.model import Access
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, dtype, encode
from kt.sim.engine.stores import Store


@define(eq=False)
class Port:
    """The way between a unit and a memory.

    ``bandwidth`` (bytes per cycle, None: unbounded) and ``latency`` are the link's; accesses move whole
    granules of ``granule`` bytes.
    """

    store: Store
    bandwidth: int | None
    latency: int
    granule: int

    def moved(self, starts: np.ndarray, size: int) -> int:
        """Bytes of the granules that runs of ``size`` bytes at these addresses touch."""
        if self.granule <= 1:
            return int(size * starts.size)
        first = starts // self.granule
        last = -(-(starts + size) // self.granule)
        return int((last - first).sum()) * self.granule

    def cycles(self, size: int) -> int:
        return 0 if self.bandwidth is None else -(-size // self.bandwidth)


@define(eq=False)
class Accessor:
    """An access descriptor of a stream, bound to the memory that one process sees through it."""

    access: Access
    port: Port
    writes: bool
    type: DType = field(init=False)
    item: int = field(init=False)
    offsets: np.ndarray = field(init=False)
    """Byte offset of each lane of each static time step, flat, relative to the first element."""
    low: int = field(init=False)
    high: int = field(init=False)
    size: int = field(init=False)
    contiguous: bool = field(init=False)
    run: int = field(init=False)
    """Bytes of the contiguous runs that the offsets consist of."""
    run_starts: np.ndarray = field(init=False)
    _moved: dict[int, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.type = dtype(self.access.dtype)
        self.item = self.type.itemsize
        counts = [d.count for d in self.access.time_dims if not d.is_register]
        self._layout(counts if len(counts) == len(self.access.time_dims) else [1] * len(self.access.time_dims))

    def _layout(self, counts: list[int]) -> None:
        dims = [
            *((n, d.stride) for n, d in zip(counts, self.access.time_dims, strict=True)),
            *self.access.lane_dims,
        ]
        elements = np.zeros((), np.int64)
        for count, stride in dims:
            elements = elements[..., None] + np.arange(count) * stride
        flat = elements.reshape(-1)
        self.low, self.high = int(flat.min()), int(flat.max())
        self.offsets = flat * self.item
        self.size = flat.size * self.item
        steps = np.flatnonzero(np.diff(flat) != 1) + 1
        bounds = np.concatenate([[0], steps, [flat.size]])
        lengths = np.diff(bounds)
        if (lengths == lengths[0]).all():
            self.run = int(lengths[0]) * self.item
            self.run_starts = self.offsets[bounds[:-1]]
        else:
            self.run, self.run_starts = self.item, self.offsets
        self.contiguous = len(lengths) == 1
        self._moved.clear()

    def resize(self, counts: list[int]) -> None:
        """Set the extents of the time dimensions (for those that a register gives)."""
        self._layout(counts)

    def check(self, element: int, byte: int) -> None:
        """RunError unless all elements lie in the view and in the memory."""
        if element + self.low < self.access.minimum or element + self.high > self.access.maximum:
            bad = element + (self.low if element + self.low < self.access.minimum else self.high)
            raise RunError(
                f"accesses element {bad} of a view of elements "
                f"{self.access.minimum} to {self.access.maximum}"
            )
        store = self.port.store
        first, end = byte + self.low * self.item, byte + (self.high + 1) * self.item
        if first < 0 or end > store.size:
            raise RunError(
                f"accesses bytes {first} to {end - 1} of {store.name}, which has {store.size} bytes"
            )
        if end > len(store.data):
            store.reach(end)

    def read_raw(self, byte: int) -> np.ndarray:
        """The elements in storage form, flat."""
        store = self.port.store
        if self.contiguous:
            start = byte + self.low * self.item
            raw = store.data[start : start + self.size]
            written = None if store.valid is None else store.valid[start : start + self.size]
            found = raw.view(self.type.storage) if start % self.item == 0 else raw.copy().view(self.type.storage)
        else:
            index = (byte + self.offsets)[:, None] + np.arange(self.item)
            found = store.data[index].reshape(-1).view(self.type.storage)
            written = None if store.valid is None else store.valid[index]
        if written is not None and not written.all():
            where = int(np.flatnonzero(~written.reshape(-1))[0])
            at = byte + int(self.offsets[where // self.item])
            raise RunError(f"reads byte {at} of {store.name}, which was never written")
        self._count(byte, reading=True)
        return found

    def write_raw(self, byte: int, values: np.ndarray) -> None:
        """Store elements that are in storage form, flat."""
        store = self.port.store
        flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        if self.contiguous:
            start = byte + self.low * self.item
            store.data[start : start + self.size] = flat
            if store.valid is not None:
                store.valid[start : start + self.size] = True
        else:
            index = ((byte + self.offsets)[:, None] + np.arange(self.item)).reshape(-1)
            store.data[index] = flat
            if store.valid is not None:
                store.valid[index] = True
        self._count(byte, reading=False)

    def read(self, byte: int) -> Any:
        """The lanes of a vector load, in run-time representation."""
        raw = self.read_raw(byte)
        return decode(raw.copy() if self.contiguous else raw, self.type)

    def write(self, byte: int, values: Any) -> None:
        """Store the lanes of a vector."""
        self.write_raw(byte, encode(values, self.type))

    def moved(self, byte: int) -> int:
        """Bytes that whole granules move for an access at this address."""
        phase = byte % max(1, self.port.granule)
        found = self._moved.get(phase)
        if found is None:
            found = self._moved[phase] = self.port.moved(phase + self.run_starts, self.run)
        return found

    def _count(self, byte: int, reading: bool) -> None:
        traffic = self.port.store.traffic
        if reading:
            traffic.read += self.size
            traffic.moved_read += self.moved(byte)
        else:
            traffic.written += self.size
            traffic.moved_written += self.moved(byte)


def serve(store: Store, now: int, size: int) -> int:
    """When a memory with limited bandwidth has moved ``size`` bytes that are asked for at ``now``."""
    assert store.bandwidth is not None
    start = max(now, store.free)
    store.free = start + math.ceil(size / store.bandwidth)
    return store.free
