"""Byte-addressed memories.

A :class:`Bank` holds all memories of one kind in one array of bytes: a memory that every tile shares
is one row, a scratchpad kind has a row per tile. A :class:`Region` is a strided box of elements
inside a bank; typed NumPy windows onto it share the bytes. When several tiles run as one batch, a
region has one start per tile, and its data an axis for them in front.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.ir.numbers import DType, decode, encode
from kt.sim.errors import Diverged, Fault, RangeFault
from kt.sim.order import Order
from kt.sim.races import Cells, Shadow, box_cells, point_cells

ALIGNMENT = 256
"""Bytes: where the allocator places buffers."""

_FIRST_BYTES = 1 << 16
ONES = {
    1: np.uint8(1),
    2: np.uint16(0x0101),
    4: np.uint32(0x01010101),
    8: np.uint64(0x0101010101010101),
}


FEW = 64
"""Numbers of which Python finds the extremes faster than NumPy."""


def extremes(numbers: np.ndarray) -> tuple[int, int]:
    """The least and the largest of one number per tile."""
    if len(numbers) > FEW:
        return int(numbers.min()), int(numbers.max())
    every = numbers.tolist()
    return min(every), max(every)


def _even(numbers: np.ndarray, step: int) -> bool:
    """Whether each number is ``step`` more than the one before."""
    if len(numbers) > FEW:
        return bool((np.diff(numbers) == step).all())
    every, first = numbers.tolist(), int(numbers[0])
    return every == (list(range(first, first + len(every) * step, step)) if step else [first] * len(every))


def round_up(value: int, step: int) -> int:
    return -(-value // step) * step


@frozen
class Sharing:
    """What the tiles of a launch may have in common."""

    scratchpads: bool = True
    """Whether a tile may reach the scratchpads of others."""
    watched: Collection[str] | None = None
    """Buffers whose readers matter, because the kernel writes to them as well; None: all memory."""
    flat: bool = False
    """Whether the launch follows ktir-cpu's rule for coordinates that are out of range."""


@define(eq=False)
class Extent:
    """Bytes ``start`` to ``end`` of a shared memory that hold one buffer of the caller.

    Nothing may reach from inside of it to beyond its end, and all its bytes count as written.
    """

    name: str
    start: int
    end: int
    shadow: Shadow | None = None


@define(eq=False)
class Bank:
    """All memories of one kind: ``rows`` of ``capacity`` bytes, row r starting at byte r * pitch.

    A row has only as many bytes as have been used, so the pitch grows; what is kept between accesses
    is a row's number and an address in it.

    ``valid`` marks bytes that were written (None: not tracked). ``shadow`` knows who used the bytes
    outside of the extents during this launch; each extent has its own.
    """

    name: str
    capacity: int
    rows: int = 1
    row_of: np.ndarray | None = None
    """Row of each tile; None: all tiles use row 0."""
    per_tile: bool = False
    """Whether every tile has a row of its own, so that more tiles mean more rows."""
    flat: bool = field(init=False, default=False)
    """Whether coordinates out of range only move the address (see :mod:`kt.sim.flat`)."""
    private: bool = False
    """Whether each tile can only reach its own row, whatever the launch says."""
    tracked: bool = field(init=False, default=True)
    """Whether accesses of different tiles can meet here during this launch."""
    pitch: int = field(init=False)
    data: np.ndarray = field(init=False)
    valid: np.ndarray | None = field(init=False)
    watched: Collection[str] | None = field(init=False, default=None)
    """As in :class:`Sharing`."""
    shadow: Shadow | None = field(init=False, default=None)
    top: int = field(init=False, default=0)
    """First byte (of every row) that the allocator hasn't handed out."""
    meter: Any = field(init=False, default=None)
    """A :class:`kt.sim.meter.Meter` that is told of all accesses, or None."""
    extents: list[Extent] = field(init=False, factory=list)
    """The buffers of this launch, in order of their addresses."""

    def __attrs_post_init__(self) -> None:
        self.pitch = round_up(min(self.capacity, _FIRST_BYTES), 8)
        self.data = np.zeros(self.rows * self.pitch, np.uint8)
        self.valid = np.zeros(self.rows * self.pitch, np.uint8)

    def row_number(self, tiles: np.ndarray) -> Any:
        """Row of the tiles: an int when it is the same for all, else an array."""
        if self.row_of is None:
            return 0
        rows = self.row_of[tiles]
        return int(rows[0]) if len(rows) == 1 else rows

    def reach(self, end: int) -> None:
        """Make the bytes below ``end`` of every row exist: memory grows as it is used."""
        if end <= self.pitch:
            return
        old, self.pitch = self.pitch, round_up(max(end, min(2 * self.pitch, self.capacity)), 8)
        self._resize(self.rows, old)

    def _resize(self, rows: int, pitch: int) -> None:
        """Give the arrays their new size; they had rows of ``pitch`` bytes."""
        if self.shadow is not None:
            self.shadow.resize(rows, self.pitch, pitch)
        for name in ("data", "valid"):
            old = getattr(self, name)
            if old is not None:
                new = np.zeros((rows, self.pitch), old.dtype)
                new[: self.rows, :pitch] = old.reshape(self.rows, pitch)
                setattr(self, name, new.reshape(-1))
        self.rows = rows

    def allocate(self, size: int, alignment: int = ALIGNMENT) -> int:
        """Address of ``size`` fresh bytes, the same in every row. Fault when they don't fit."""
        address = round_up(self.top, alignment)
        if address + size > self.capacity:
            raise Fault(
                f"{size} bytes don't fit memory {self.name}: {self.top} of {self.capacity} bytes are in use"
            )
        self.top = address + size
        return address

    def hold(self, name: str, start: int, end: int) -> None:
        """From now on these bytes are one buffer, written as a whole."""
        bisect.insort(self.extents, Extent(name, start, end), key=lambda e: e.start)

    def release(self, top: int) -> None:
        """Give back all that was allocated from ``top`` on: its contents count as lost."""
        self.extents, self.top = [], top

    def extent_at(self, address: int) -> Extent | None:
        """The buffer that holds a byte; None when it is in none."""
        found = bisect.bisect_right(self.extents, address, key=lambda e: e.start) - 1
        extent = self.extents[found] if found >= 0 else None
        return extent if extent is not None and address < extent.end else None

    def extent_of(self, base: Any, low: int, high: int) -> Extent | None:
        """The buffer of views that begin at ``base``; bytes ``low`` to ``high`` - 1 are accessed.

        ``base`` is an int or an array over the batch. None when they begin in no buffer. RangeFault
        when the bytes reach out of the buffer; Diverged when the views begin in several.
        """
        if not self.extents:
            return None
        if isinstance(base, np.ndarray):
            found = [self.extent_at(int(base.min())), self.extent_at(int(base.max()))]
            if found[0] is not found[1]:
                every = [self.extent_at(int(b)) for b in base]
                raise Diverged(np.array([0 if e is None else e.start + 1 for e in every]))
            extent = found[0]
        else:
            extent = self.extent_at(base)
        if extent is not None and (low < extent.start or high > extent.end):
            raise RangeFault(
                f"bytes {low}..{high - 1} of memory {self.name}, but the buffer '{extent.name}' has the "
                f"bytes {extent.start}..{extent.end - 1}",
                hint="the view is larger than the array that it was given",
            )
        return extent

    def shadow_of(self, extent: Extent | None, itemsize: int) -> Shadow:
        """Who used the bytes of an extent, or those outside of all."""
        if extent is None:
            if self.shadow is None:
                self.shadow = Shadow(self.rows * self.pitch, 1, self.watched is None)
            return self.shadow
        if extent.shadow is None:
            size = extent.end - extent.start
            watches = self.watched is None or extent.name in self.watched
            granule = 1 if size % itemsize else itemsize
            extent.shadow = Shadow(size, granule, watches)
        return extent.shadow

    def add_rows(self, tiles: int) -> None:
        """Give further tiles their rows; those that are there keep their contents."""
        if self.per_tile and tiles > self.rows:
            self._resize(tiles, self.pitch)
            self.row_of = np.arange(tiles)

    def begin_launch(self, checks: bool, sharing: Sharing) -> None:
        """Forget the writers of earlier launches; without checks, stop tracking what is written."""
        self.watched, self.flat = sharing.watched, sharing.flat
        own_rows = self.per_tile or (self.row_of is not None and self.rows == len(self.row_of))
        self.tracked = not self.private and (sharing.scratchpads or not own_rows)
        self.shadow = None
        for extent in self.extents:
            extent.shadow = None
        if not checks:
            self.valid = None
        elif self.valid is None:
            # What ran without checks may have written anything.
            self.valid = np.ones(self.rows * self.pitch, np.uint8)


class Region:
    """A strided box of elements: ``shape`` and ``strides`` (bytes) from byte ``start`` of the bank.

    ``start`` is an int, or an array with one entry per tile of a batch. The window of a batch has an
    axis for the starts in front; ``picked`` are the boxes in it, all where they have a constant step.
    """

    __slots__ = (
        "bank", "batched", "dtype", "extent", "first", "picked", "shape", "starts", "strides", "whole",
    )  # fmt: skip

    def __init__(
        self,
        bank: Bank,
        start: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        dtype: DType,
        extent: Extent | None = None,
    ) -> None:
        self.bank, self.shape, self.strides = bank, shape, strides
        self.dtype, self.extent = dtype, extent
        self.batched = isinstance(start, np.ndarray)
        self.picked: Any = None
        if not self.batched:
            self.starts = self.first = int(start)
            self.whole: Any = (shape, strides)
            return
        self.starts, self.picked = start, slice(None)
        step = int(start[1]) - int(start[0]) if len(start) > 1 else 0
        if _even(start, step):
            self.first = int(start[0])
            self.whole = ((len(start), *shape), (step, *strides))
            return
        self.first = int(start.min())
        self.picked = start - self.first
        step = 1 if (self.picked % dtype.itemsize).any() else dtype.itemsize
        self.picked //= step
        self.whole = ((int(self.picked.max()) + 1, *shape), (step, *strides))

    def read(self, tiles: np.ndarray, order: Order | None) -> np.ndarray:
        """The elements in run-time representation, as a new array; (tiles, *shape) when batched."""
        if 0 in self.shape:
            lead = (len(tiles),) if self.batched else ()
            return np.zeros((*lead, *self.shape), self.dtype.compute)
        if self.bank.valid is not None:
            if self.extent is None:
                self._check_written(tiles)
            if order is not None and self.bank.tracked:
                shadow = self.bank.shadow_of(self.extent, self.dtype.itemsize)
                if shadow.minds_reads:
                    shadow.read(self._cells(tiles, shadow), order, self._where())
        found = self.gather(self.bank.data, self.dtype.storage)
        return decode(found, self.dtype)

    def write(self, values: np.ndarray, tiles: np.ndarray, order: Order | None) -> None:
        """Store values (run-time representation; with an axis for tiles in front or without)."""
        if 0 in self.shape:
            return
        bank = self.bank
        stored = encode(values, self.dtype)
        if stored.ndim > len(self.shape) and not self.batched:
            # Every tile of the batch writes the same place, one after the other.
            for i in range(len(tiles)):
                self.write(values[i], tiles[i : i + 1], order)
            return
        self._scatter(bank.data, self.dtype.storage, stored)
        if bank.valid is not None:
            if self.extent is None:
                ones = ONES[self.dtype.itemsize]
                self._scatter(bank.valid, ones.dtype, ones)
            if order is not None and bank.tracked:
                shadow = bank.shadow_of(self.extent, self.dtype.itemsize)
                shadow.write(self._cells(tiles, shadow), order, self._where())

    def _cells(self, tiles: np.ndarray, shadow: Shadow) -> Cells:
        start = 0 if self.extent is None else self.extent.start
        if not self.batched and len(tiles) > 1:
            tiles = np.unique(tiles)
        if isinstance(self.picked, np.ndarray):
            return point_cells(self.bytes(), True, tiles, self.dtype.itemsize, start, shadow)
        box = (self.first, *self.whole)
        return box_cells(box, self.batched, tiles, self.dtype.itemsize, start, shadow)

    def bytes(self) -> np.ndarray:
        """First byte of every element in the bank; (tiles,)? + shape."""
        found = np.asarray(self.starts)
        for extent, stride in zip(self.shape, self.strides):
            found = found[..., None] + np.arange(extent) * stride
        return found

    def _where(self) -> str:
        return f"{self.bank.name} near byte {self._address(self.first)}"

    # -- windows ---------------------------------------------------------------------------------

    def _window(self, buffer: np.ndarray, kind: np.dtype) -> np.ndarray:
        shape, strides = self.whole
        return np.ndarray(shape, kind, buffer, self.first, strides)

    def gather(self, buffer: np.ndarray, kind: np.dtype) -> np.ndarray:
        """The elements of an array that belongs to the bank's bytes, as a new array."""
        window = self._window(buffer, kind)
        if isinstance(self.picked, np.ndarray):
            return np.ascontiguousarray(window[self.picked])
        return np.array(window, order="C")

    def _scatter(self, buffer: np.ndarray, kind: np.dtype, values: Any) -> None:
        window = self._window(buffer, kind)
        window[... if self.picked is None else self.picked] = values

    # -- checks ----------------------------------------------------------------------------------

    def _check_written(self, tiles: np.ndarray) -> None:
        assert self.bank.valid is not None
        ones = ONES[self.dtype.itemsize]
        window = self._window(self.bank.valid, ones.dtype)
        if isinstance(self.picked, np.ndarray):
            window = window[self.picked]
        if (window == ones).all():
            return
        at = np.argwhere(window != ones)[0]
        byte = int(self.bytes()[tuple(at)])
        who: int | None = int(tiles[0]) if len(tiles) == 1 else None
        if self.batched:
            who, at = int(tiles[at[0]]), at[1:]
        raise Fault(
            f"reads memory {self.bank.name} at byte {self._address(byte)}, which was never written "
            f"(element {[int(i) for i in at]} of the access)",
            who,
        )

    def _address(self, byte: int) -> int:
        return byte % self.bank.pitch if self.bank.rows > 1 else byte

