"""Who wrote and read the bytes of a memory last: finds accesses of tiles that nothing orders.

A :class:`Shadow` keeps, per granule, the event (see :class:`kt.sim.order.Order`) that wrote it and,
where the kernel both reads and writes a buffer, the events that read it. An access is described by
:class:`Cells`: where its granules lie in the shadow, for one tile, for a batch, or for several tiles
that touch the same ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.sim.errors import Fault
from kt.sim.order import Order

MANY = np.iinfo(np.uint16).max
"""Stamp of granules that several tiles have read; who they are stands in the log."""


@frozen
class Cells:
    """Granules of one access: a strided box (``first``, ``shape``, ``strides``) or an array of places.

    ``batched`` says that the first axis runs over ``tiles``; otherwise all of them touch the same.
    """

    tiles: np.ndarray
    batched: bool
    places: Any

    def of(self, stamps: np.ndarray) -> np.ndarray:
        """The stamps: a window for a box, a copy for places."""
        if isinstance(self.places, np.ndarray):
            return stamps[self.places]
        first, shape, strides = self.places
        width = stamps.itemsize
        return np.ndarray(shape, stamps.dtype, stamps, first * width, [s * width for s in strides])

    def put(self, stamps: np.ndarray, values: Any) -> None:
        if isinstance(self.places, np.ndarray):
            stamps[self.places] = values
        else:
            self.of(stamps)[...] = values

    def own(self, order: Order) -> np.ndarray | None:
        """The tiles' current events, shaped like the stamps; None for several tiles on the same."""
        events = order.current[self.tiles]
        if not self.batched:
            return events if len(events) == 1 else None
        axes = self.places.ndim if isinstance(self.places, np.ndarray) else len(self.places[1])
        return events.reshape(-1, *(1,) * (axes - 1))

    @property
    def apart(self) -> bool:
        """Whether the tiles surely touch different granules: each box ends before the next begins."""
        if not self.batched or isinstance(self.places, np.ndarray):
            return not self.batched and len(self.tiles) == 1
        _, shape, (step, *strides) = self.places
        return abs(step) > sum([(n - 1) * abs(s) for n, s in zip(shape[1:], strides)])

    def per_tile(self) -> list[Cells]:
        """The same access as one of each tile."""
        if not self.batched:
            return [
                Cells(self.tiles[i : i + 1], False, self.places) for i in range(len(self.tiles))
            ]
        found = []
        for i in range(len(self.tiles)):
            if isinstance(self.places, np.ndarray):
                places: Any = self.places[i]
            else:
                first, shape, strides = self.places
                places = (first + i * strides[0], shape[1:], strides[1:])
            found.append(Cells(self.tiles[i : i + 1], False, places))
        return found


@define(eq=False)
class Shadow:
    """Stamps of ``size`` bytes, one for each ``granule`` of bytes."""

    size: int
    granule: int = 1
    watches_reads: bool = False
    writers: np.ndarray | None = field(init=False, default=None)
    readers: np.ndarray | None = field(init=False, default=None)
    log: list[tuple[Cells, int]] = field(init=False, factory=list)
    """Reads of granules that had another reader, with their event."""

    @property
    def minds_reads(self) -> bool:
        """Whether a read can be in no order with a write, or has to be remembered."""
        return self.watches_reads or self.writers is not None

    def refine(self) -> None:
        """One stamp per byte from now on."""
        if self.granule > 1:
            for name in ("writers", "readers"):
                old = getattr(self, name)
                setattr(self, name, None if old is None else np.repeat(old, self.granule))
            self.log = [(_bytewise(cells, self.granule), event) for cells, event in self.log]
            self.granule = 1

    def resize(self, rows: int, pitch: int, old: int) -> None:
        """Rows get ``pitch`` bytes instead of ``old``; there are ``rows`` of them (one stamp a byte)."""
        for name in ("writers", "readers"):
            stamps = getattr(self, name)
            if stamps is not None:
                new = np.zeros((rows, pitch), np.uint16)
                before = stamps.reshape(-1, old)
                new[: len(before), :old] = before
                setattr(self, name, new.reshape(-1))
        moved, every = [], np.arange(self.size)
        for cells, event in self.log:
            places = cells.of(every)
            moved.append((Cells(cells.tiles, False, places // old * pitch + places % old), event))
        self.log, self.size = moved, rows * pitch

    def read(self, cells: Cells, order: Order, where: str) -> None:
        """Check that all writers come before; remember the readers."""
        if self.writers is not None:
            self._check(self.writers, cells, order, where, "reads", "wrote")
        if self.watches_reads:
            if self.readers is None:
                self.readers = np.zeros(self.size // self.granule, np.uint16)
            self._remember(cells, order)

    def write(self, cells: Cells, order: Order, where: str) -> None:
        """Check that all writers and readers come before; remember the writers."""
        if self.writers is None:
            self.writers = np.zeros(self.size // self.granule, np.uint16)
        else:
            self._check(self.writers, cells, order, where, "writes", "wrote")
        if self.readers is not None:
            self._check_readers(cells, order, where)
        own = cells.own(order)
        if own is not None:
            cells.put(self.writers, own)
            if cells.apart or (cells.of(self.writers) == own).all():
                return
        for one in cells.per_tile():  # tiles of one batch that write the same granules
            self._check(self.writers, one, order, where, "writes", "wrote")
            one.put(self.writers, order.current[one.tiles[0]])

    def _check(
        self, stamps: np.ndarray, cells: Cells, order: Order, where: str, verb: str, did: str
    ) -> None:
        found, own = cells.of(stamps), cells.own(order)
        clear = found == 0
        if own is not None:
            clear |= found == own
        if clear.all():
            return
        for one in cells.per_tile():
            tile = int(one.tiles[0])
            other = order.unordered_writer(one.of(stamps), tile)
            if other is not None:
                raise _race(verb, where, other, did, tile)

    def _remember(self, cells: Cells, order: Order) -> None:
        assert self.readers is not None
        own = cells.own(order)
        if own is not None:
            before = cells.of(self.readers)
            if ((before == 0) | (before == own)).all():
                cells.put(self.readers, own)
                if cells.apart or (cells.of(self.readers) == own).all():
                    return
        for one in cells.per_tile():
            event = order.current[one.tiles[0]]
            before = one.of(self.readers)
            alone = (before == 0) | (before == event)
            if not alone.all():
                self._log_first_readers(one, before, order)
                self.log.append((one, int(event)))
            one.put(self.readers, np.where(alone, event, np.uint16(MANY)))

    def _log_first_readers(self, cells: Cells, before: np.ndarray, order: Order) -> None:
        """The readers that were alone so far: from now on the log tells of them."""
        assert self.readers is not None
        places = cells.of(np.arange(len(self.readers)))
        for event in np.unique(before).tolist():
            if event not in (0, MANY):
                tile = np.array([order.events[event][0]])
                self.log.append((Cells(tile, False, places[before == event]), event))

    def _check_readers(self, cells: Cells, order: Order, where: str) -> None:
        assert self.readers is not None
        for one in cells.per_tile():
            tile = int(one.tiles[0])
            found = one.of(self.readers)
            if ((found == 0) | (found == order.current[tile])).all():
                continue
            alone = np.where(found == MANY, np.uint16(0), found)
            other = order.unordered_writer(alone, tile)
            if other is None and (found == MANY).any():
                other = self._unordered_reader(one, tile, order)
            if other is not None:
                raise _race("writes", where, other, "read", tile)

    def _unordered_reader(self, cells: Cells, tile: int, order: Order) -> int | None:
        assert self.readers is not None
        mask = np.zeros(len(self.readers), np.uint16)
        cells.put(mask, 1)
        for read, event in self.log:
            reader, epoch = order.events[event]
            if reader != tile and order.seen[tile, reader] < epoch and read.of(mask).any():
                return reader
        return None


def _bytewise(cells: Cells, granule: int) -> Cells:
    """The same cells when each of them becomes ``granule`` cells."""
    if isinstance(cells.places, np.ndarray):
        places: Any = cells.places[..., None] * granule + np.arange(granule)
    else:
        first, shape, strides = cells.places
        places = (first * granule, (*shape, granule), (*(s * granule for s in strides), 1))
    return Cells(cells.tiles, cells.batched, places)


def _race(verb: str, where: str, other: int, did: str, tile: int) -> Fault:
    return Fault(
        f"{verb} memory {where}, which tile {other} {did} in no order with it",
        tile,
        hint="order the two by an inter-tile operation, or let one tile own the data",
    )


def box_cells(
    box: Any, batched: bool, tiles: np.ndarray, itemsize: int, start: int, shadow: Shadow
) -> Cells:
    """Cells of elements: first byte, shape and strides of ``box``; ``start``: the shadow's first byte."""
    first, shape, strides = box
    if shadow.granule > 1:
        every = (first - start, *strides)
        if itemsize != shadow.granule or any(n % itemsize for n in every):
            shadow.refine()
    scale = shadow.granule
    places: Any = ((first - start) // scale, tuple(shape), tuple(s // scale for s in strides))
    if scale == 1 and itemsize > 1:
        places = (places[0], (*shape, itemsize), (*places[2], 1))
    return Cells(tiles, batched, places)


def point_cells(
    byte: np.ndarray, batched: bool, tiles: np.ndarray, itemsize: int, start: int, shadow: Shadow
) -> Cells:
    """Cells of elements at byte addresses, (tiles,)? + shape."""
    local = byte - start
    if shadow.granule > 1 and (itemsize != shadow.granule or (local % itemsize).any()):
        shadow.refine()
    if shadow.granule > 1:
        return Cells(tiles, batched, local // shadow.granule)
    return Cells(tiles, batched, local[..., None] + np.arange(itemsize))
