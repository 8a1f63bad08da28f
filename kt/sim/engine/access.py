"""Access descriptors bound to the memory that one process sees through them."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.binary.model import Access
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, dtype, encode
from kt.sim.engine.resources import Way
from kt.sim.engine.stores import Store

MAX_PIECES = 1 << 22
"""Separate pieces of memory that one instruction may touch."""

Dims = tuple[tuple[int, int], ...]
"""Counts and strides, outermost first."""


@frozen(eq=False, slots=False)
class Layout:
    """The elements of an access, for one number of time steps, relative to its first one."""

    low: int
    high: int
    """Least and greatest element."""
    size: int
    """Bytes of all of them together."""
    run: int
    """Bytes of each contiguous piece."""
    pieces: Dims
    """Where the pieces begin, in elements."""
    item: int

    @classmethod
    def of(cls, access: Access, counts: tuple[int, ...], item: int) -> Layout:
        """The layout when the time dimensions have these extents. RunError if it is too scattered."""
        dims = [
            *((n, d.stride) for n, d in zip(counts, access.time_dims, strict=True)),
            *access.lane_dims,
        ]
        total = prod(max(count, 0) for count, _ in dims)
        if not total:
            return cls(0, -1, 0, item, (), item)
        low = sum(min(0, (count - 1) * stride) for count, stride in dims)
        high = sum(max(0, (count - 1) * stride) for count, stride in dims)
        run, outer = 1, [(count, stride) for count, stride in dims if count > 1]
        while outer and outer[-1][1] == run:
            run *= outer.pop()[0]
        if total // run > MAX_PIECES:
            raise RunError(
                f"touches {total // run} pieces of memory at once; {MAX_PIECES} is the limit"
            )
        return cls(low, high, total * item, run * item, tuple(outer), item)

    @property
    def contiguous(self) -> bool:
        """Whether the elements follow each other."""
        return not self.pieces

    @cached_property
    def starts(self) -> np.ndarray:
        """Byte offsets of the pieces, in order."""
        found = np.zeros((), np.int64)
        for count, stride in self.pieces:
            found = found[..., None] + np.arange(count) * stride
        return found.reshape(-1) * self.item

    @cached_property
    def offsets(self) -> np.ndarray:
        """Byte offset of every byte, in order."""
        return (self.starts[:, None] + np.arange(self.run)).reshape(-1)


@define(eq=False)
class Accessor:
    """What a process does with one access descriptor: check, read, write, count, cost.

    An access at element ``e`` and byte ``b`` (of its first element) is inside view and memory if
    ``first <= e <= last`` and ``byte_first <= b <= byte_last``.
    """

    access: Access
    store: Store
    way: Way
    layouts: dict[tuple[int, ...], Layout]
    """Layouts by extents of the time dimensions; shared by all processes."""
    type: DType = field(init=False)
    item: int = field(init=False)
    layout: Layout = field(init=False)
    first: int = field(init=False)
    last: int = field(init=False)
    byte_first: int = field(init=False)
    byte_last: int = field(init=False)
    uses: int = 0
    """Bytes that were named, and moved, since the last ``settle``."""
    moved: int = 0
    _costs: dict[int, dict[int, tuple[int, int]]] = field(factory=dict)
    _phases: dict[int, tuple[int, int]] = field(init=False)
    """Cost by place of the first byte in its granule, for the present layout."""

    def __attrs_post_init__(self) -> None:
        self.type = dtype(self.access.dtype)
        self.item = self.type.itemsize
        dims = self.access.time_dims
        self.resize(tuple(1 if d.is_register else d.count for d in dims))

    def resize(self, counts: tuple[int, ...]) -> None:
        """Set the extents of all time dimensions."""
        layout = self.layouts.get(counts)
        if layout is None:
            layout = self.layouts[counts] = Layout.of(self.access, counts, self.item)
        self.layout = layout
        self._phases = self._costs.setdefault(id(layout), {})
        self.first = self.access.minimum - layout.low
        self.last = self.access.maximum - layout.high
        self.byte_first = -layout.low * self.item
        self.byte_last = self.store.size - (layout.high + 1) * self.item

    def refuse(self, element: int, byte: int) -> None:
        """RunError unless all elements lie in the view and in the memory."""
        layout, access = self.layout, self.access
        if not layout.size:
            return
        if element < self.first or element > self.last:
            bad = element + (layout.low if element < self.first else layout.high)
            raise RunError(
                f"accesses element {bad} of a view of elements {access.minimum} to {access.maximum}"
            )
        if byte < self.byte_first or byte > self.byte_last:
            first = byte + layout.low * self.item
            end = byte + (layout.high + 1) * self.item
            store = self.store
            raise RunError(
                f"accesses bytes {first} to {end - 1} of {store.name}, which has {store.size} bytes"
            )

    def place(self, byte: int) -> slice | np.ndarray:
        """Which bytes of the memory the access means, flat."""
        layout = self.layout
        self.store.reach(byte + (layout.high + 1) * self.item)
        if layout.contiguous:
            return slice(byte, byte + layout.size)
        return byte + layout.offsets

    # -- data ------------------------------------------------------------------------------------

    def read_raw(self, byte: int) -> np.ndarray:
        """The elements in storage form, flat; may be a view of the memory."""
        where, store = self.place(byte), self.store
        if store.valid is not None:
            written = store.valid[where]
            if not written.all():
                self._unwritten(where, int(written.argmin()))
        raw = store.data[where]
        if isinstance(where, slice) and where.start % self.item:
            raw = raw.copy()
        return raw.view(self.type.storage)

    def _unwritten(self, where: slice | np.ndarray, number: int) -> None:
        at = where.start + number if isinstance(where, slice) else int(where[number])
        raise RunError(f"reads byte {at} of {self.store.name}, which was never written")

    def write_raw(self, byte: int, values: np.ndarray) -> None:
        """Store elements that are in storage form, flat."""
        where, store = self.place(byte), self.store
        store.data[where] = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        if store.valid is not None:
            store.valid[where] = True

    def read(self, byte: int) -> Any:
        """The lanes of a vector load, in run-time representation."""
        layout, store = self.layout, self.store
        if layout.pieces:
            return decode(self.read_raw(byte), self.type)
        end = byte + layout.size
        if end > len(store.data):
            store.reach(end)
        if store.valid is not None and not store.valid[byte:end].all():
            self._unwritten(slice(byte, end), int(store.valid[byte:end].argmin()))
        return decode(store.data[byte:end].copy().view(self.type.storage), self.type)

    def write(self, byte: int, values: Any) -> None:
        """Store the lanes of a vector."""
        self.write_raw(byte, encode(values, self.type))

    # -- cost ------------------------------------------------------------------------------------

    def take(self, byte: int) -> tuple[int, int]:
        """Count an access: the bytes that its granules move, and for how long they flow."""
        phase = byte % self.way.granule
        found = self._phases.get(phase)
        if found is None:
            moved = self._moved(phase)
            found = self._phases[phase] = (moved, self.way.cycles(moved))
        self.uses += self.layout.size
        self.moved += found[0]
        return found

    def _moved(self, phase: int) -> int:
        layout, granule = self.layout, self.way.granule
        if granule == 1:
            return layout.size
        if not layout.size:
            return 0
        starts = phase + layout.starts
        granules = -(-(starts + layout.run) // granule) - starts // granule
        return int(granules.sum()) * granule

    def settle(self, writes: bool) -> None:
        """Add what was counted to the memory's traffic."""
        traffic = self.store.traffic
        if writes:
            traffic.written += self.uses
            traffic.moved_written += self.moved
        else:
            traffic.read += self.uses
            traffic.moved_read += self.moved
        self.uses = self.moved = 0
