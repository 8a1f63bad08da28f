"""Access descriptors bound to the memory that one process sees through them."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.binary.model import Access
from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, dtype, encode
from kt.sim.engine.resources import Way
from kt.sim.engine.stores import Store

MAX_ELEMENTS = 1 << 24
"""Elements that one instruction may move."""


@frozen(eq=False)
class Layout:
    """The elements of an access, for one number of time steps, relative to its first one."""

    low: int
    high: int
    """Least and greatest element."""
    size: int
    """Bytes of all of them together."""
    offsets: np.ndarray | None
    """Byte offset of each in order; None if they follow each other."""
    run: int
    """Bytes of each contiguous piece."""
    runs: np.ndarray
    """Byte offsets at which the pieces begin."""

    @classmethod
    def of(cls, access: Access, counts: tuple[int, ...], item: int) -> Layout:
        """The layout when the time dimensions have these extents."""
        dims = [
            *((n, d.stride) for n, d in zip(counts, access.time_dims, strict=True)),
            *access.lane_dims,
        ]
        total = 1
        for count, _ in dims:
            total *= max(count, 0)
        if total > MAX_ELEMENTS:
            raise RunError(f"moves {total} elements at once; {MAX_ELEMENTS} is the limit")
        if not total:
            return cls(0, -1, 0, np.zeros(0, np.int64), item, np.zeros(0, np.int64))
        elements = np.zeros((), np.int64)
        for count, stride in dims:
            elements = elements[..., None] + np.arange(count) * stride
        flat = elements.reshape(-1)
        bounds = np.concatenate([[0], np.flatnonzero(np.diff(flat) != 1) + 1, [flat.size]])
        lengths = np.diff(bounds)
        offsets = flat * item
        even = bool((lengths == lengths[0]).all())
        return cls(
            int(flat.min()),
            int(flat.max()),
            flat.size * item,
            None if len(lengths) == 1 else offsets,
            int(lengths[0]) * item if even else item,
            offsets[bounds[:-1]] if even else offsets,
        )


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
        if layout.offsets is None:
            start = byte + layout.low * self.item
            return slice(start, start + layout.size)
        return ((byte + layout.offsets)[:, None] + np.arange(self.item)).reshape(-1)

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
        raw = self.read_raw(byte)
        return decode(raw.copy() if self.layout.offsets is None else raw, self.type)

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
        starts = phase + layout.runs
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
