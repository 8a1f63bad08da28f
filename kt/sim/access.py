"""Reading and writing views: boxes as strided copies, points by gather and scatter.

Every access checks its coordinates against the view and its bytes against the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.ir.numbers import decode, encode
from kt.sim import flat, partitions
from kt.sim.errors import Fault, RangeFault
from kt.sim.memory import ONES, Region, extremes
from kt.sim.races import Cells, Shadow, point_cells
from kt.sim.values import Distributed, View

Memory = Any
"""A View or a Distributed."""


def read_box(
    view: Memory, origin: Sequence[Any], extents: Sequence[int], axes: Sequence[int], frame: Any
) -> np.ndarray:
    """The elements of the box at ``origin``; axis k of the result runs along dimension ``axes[k]``."""
    if isinstance(view, Distributed):
        return partitions.read_parts(view, origin, extents, axes, frame)
    try:
        region = box_region(view, origin, extents, axes, frame.tiles, "reads")
    except RangeFault:
        if not view.bank.flat:
            raise
        return flat.read(view, *flat.points_of(origin, extents, axes), frame)
    if frame.journal is not None:
        frame.journal.read(region, frame.lanes)
    return region.read(frame.tiles, frame.order)


def write_box(
    view: Memory,
    origin: Sequence[Any],
    extents: Sequence[int],
    axes: Sequence[int],
    values: Any,
    frame: Any,
) -> None:
    """Store ``values``, whose axis k runs along dimension ``axes[k]``."""
    values = np.asarray(values)
    if isinstance(view, Distributed):
        partitions.write_parts(view, origin, extents, axes, values, frame)
        return
    try:
        region = box_region(view, origin, extents, axes, frame.tiles, "writes")
    except RangeFault:
        if not view.bank.flat:
            raise
        flat.write(view, *flat.points_of(origin, extents, axes), values, frame)
        return
    if frame.journal is not None:
        frame.journal.write(region, frame.lanes)
    region.write(values, frame.tiles, frame.order)


def read_all(view: Memory, frame: Any) -> np.ndarray:
    """All elements of a view."""
    rank = len(view.shape)
    return read_box(view, (0,) * rank, view.shape, range(rank), frame)


def write_all(view: Memory, values: Any, frame: Any) -> None:
    rank = len(view.shape)
    write_box(view, (0,) * rank, view.shape, range(rank), values, frame)


def box_region(
    view: View,
    origin: Sequence[Any],
    extents: Sequence[int],
    axes: Sequence[int],
    tiles: np.ndarray,
    verb: str,
) -> Region:
    """The bytes of a box, after checks that it lies in the view and in the memory."""
    size, address = view.dtype.itemsize, view.address
    for d, (first, extent, stride) in enumerate(zip(origin, extents, view.strides)):
        if extent and not within(first, extent, view.shape[d]):
            raise outside(view, origin, extents, d, tiles, verb)
        address = address + first * (stride * size)
    bank, row = view.bank, view.row
    region_shape = tuple([extents[d] for d in axes])
    strides = tuple([view.strides[d] * size for d in axes])
    below, above = _span(region_shape, strides, size)
    if isinstance(address, np.ndarray):
        low, high = extremes(address)
        low, high = low + below, high + above
    else:
        low, high = address + below, address + above
    extent = None
    if 0 not in extents:
        if low < 0 or high > bank.capacity:
            raise _beyond(view, np.atleast_1d(address), below, above, tiles, verb)
        bank.reach(high)
        extent = _extent(view, address, low, high, (below, above), tiles)
    if bank.meter is not None:
        bank.meter.box(bank, address, region_shape, strides, size, tiles, verb)
    start = row * bank.pitch + address
    if isinstance(start, np.ndarray) and len(start) != len(tiles):
        start = np.broadcast_to(start, (len(tiles),))
    return Region(bank, start, region_shape, strides, view.dtype, extent)


def _extent(view: View, address: Any, low: int, high: int, span: Any, tiles: np.ndarray) -> Any:
    """The buffer that an access touches; the fault of one that leaves it names the tile."""
    try:
        return view.bank.extent_of(view.address, low, high)
    except RangeFault:
        if np.ndim(address) == 0:
            raise
    bases = np.broadcast_to(view.address, (len(tiles),))
    for tile, base, at in zip(tiles, bases, np.broadcast_to(address, (len(tiles),))):
        try:
            view.bank.extent_of(int(base), int(at) + span[0], int(at) + span[1])
        except RangeFault as fault:
            fault.tile = int(tile)
            raise
    raise AssertionError("the batch leaves its buffer, but none of its tiles does")


def _span(shape: Sequence[int], strides: Sequence[int], size: int) -> tuple[int, int]:
    """Lowest byte and one past the highest of a strided box, relative to its first element."""
    low = high = 0
    for extent, stride in zip(shape, strides):
        step = (extent - 1) * stride
        if step < 0:
            low += step
        else:
            high += step
    return low, high + size


def overlap(a: View, b: View) -> bool:
    """Whether the bytes between first and last element of two views have some in common."""
    if a.bank is not b.bank:
        return False
    (low, high), (first, last) = (
        _span(v.shape, [s * v.dtype.itemsize for s in v.strides], v.dtype.itemsize) for v in (a, b)
    )
    meets = (a.address + low < b.address + last) & (b.address + first < a.address + high)
    return bool(np.any(meets & (np.asarray(a.row) == b.row)))


def _beyond(
    view: View, every: np.ndarray, below: int, above: int, tiles: np.ndarray, verb: str
) -> RangeFault:
    bad = int(np.argmax((every + below < 0) | (every + above > view.bank.capacity)))
    at = int(every[bad])
    return RangeFault(
        f"{verb} bytes {at + below}..{at + above - 1} of memory {view.bank.name}, which has "
        f"{view.bank.capacity} bytes",
        _tile(tiles, bad, len(every) > 1),
    )


def within(first: Any, extent: int, size: int) -> bool:
    if isinstance(first, np.ndarray):
        low, high = extremes(first)
        return low >= 0 and high + extent <= size
    return first >= 0 and first + extent <= size


def outside(
    view: Any, origin: Sequence[Any], extents: Sequence[int], d: int, tiles: np.ndarray, verb: str
) -> RangeFault:
    first = np.atleast_1d(origin[d])
    bad = int(np.argmax((first < 0) | (first + extents[d] > view.shape[d])))
    corner = [int(np.atleast_1d(o)[bad if np.ndim(o) else 0]) for o in origin]
    last = [c + e - 1 for c, e in zip(corner, extents)]
    return RangeFault(
        f"{verb} coordinates {corner} to {last} of the view {view.label()}: dimension {d} has "
        f"coordinates 0 to {view.shape[d] - 1}",
        _tile(tiles, bad, np.ndim(origin[d]) > 0),
    )


def _tile(tiles: np.ndarray, position: int, known: bool) -> int | None:
    if known or len(tiles) == 1:
        return int(tiles[position if known else 0])
    return None


# -- points --------------------------------------------------------------------------------------


def read_points(
    view: Memory, coordinates: Sequence[Any], shape: tuple[int, ...], frame: Any
) -> np.ndarray:
    """The elements at ``coordinates`` (per dimension an array that broadcasts to ``shape``)."""
    if isinstance(view, Distributed):
        return partitions.read_scattered(view, coordinates, shape, frame)
    try:
        bank, byte, extent = _addresses(view, coordinates, shape, frame, "reads")
    except RangeFault:
        if not view.bank.flat:
            raise
        return flat.read(view, coordinates, shape, frame)
    size = view.dtype.itemsize
    if frame.journal is not None and byte.size:
        frame.journal.read(*_points(view, byte, shape, extent, frame))
    if bank.valid is not None:
        ones = ONES[size]
        if extent is None and (fresh := _elements(bank.valid, byte, ones.dtype) != ones).any():
            at = np.argwhere(fresh)[0]
            raise Fault(
                f"reads memory {bank.name} at byte {int(byte[tuple(at)])}, which was never written "
                f"(element {at[byte.ndim - len(shape) :].tolist()} of the access)",
                _tile(frame.tiles, int(at[0]) if len(at) else 0, byte.ndim > len(shape)),
            )
        if frame.order is not None and bank.tracked:
            shadow, cells = _cells(bank, extent, byte, shape, frame, size)
            shadow.read(cells, frame.order, f"{bank.name} near byte {_first(byte)}")
    return decode(_elements(bank.data, byte, view.dtype.storage), view.dtype)


def write_points(
    view: Memory, coordinates: Sequence[Any], shape: tuple[int, ...], values: Any, frame: Any
) -> None:
    """Store ``values`` at ``coordinates``; where one repeats, the last in order wins."""
    if isinstance(view, Distributed):
        partitions.write_scattered(view, coordinates, shape, values, frame)
        return
    values = np.asarray(values)
    try:
        bank, byte, extent = _addresses(view, coordinates, shape, frame, "writes")
    except RangeFault:
        if not view.bank.flat:
            raise
        flat.write(view, coordinates, shape, values, frame)
        return
    if values.ndim > len(shape) and byte.ndim == len(shape):
        byte = np.broadcast_to(byte, values.shape)
    stored = np.broadcast_to(encode(values, view.dtype), byte.shape)
    if frame.journal is not None and byte.size:
        frame.journal.write(*_points(view, byte, shape, extent, frame))
    _put(bank.data, byte, stored, view.dtype.storage)
    if bank.valid is not None:
        if extent is None:
            ones = ONES[view.dtype.itemsize]
            _put(bank.valid, byte, np.broadcast_to(ones, byte.shape), ones.dtype)
        if frame.order is not None and bank.tracked:
            shadow, cells = _cells(bank, extent, byte, shape, frame, view.dtype.itemsize)
            shadow.write(cells, frame.order, f"{bank.name} near byte {_first(byte)}")


def _points(
    view: View, byte: np.ndarray, shape: tuple[int, ...], extent: Any, frame: Any
) -> tuple[Region, np.ndarray]:
    """Elements as boxes of one element each, and the lane of each."""
    starts = np.broadcast_to(byte, (len(frame.lanes), *shape)).reshape(-1)
    region = Region(view.bank, starts, (), (), view.dtype, extent)
    return region, np.repeat(frame.lanes, len(starts) // len(frame.lanes))


def _cells(
    bank: Any, extent: Any, byte: np.ndarray, shape: tuple[int, ...], frame: Any, size: int
) -> tuple[Shadow, Cells]:
    shadow = bank.shadow_of(extent, size)
    start = 0 if extent is None else extent.start
    return shadow, point_cells(byte, byte.ndim > len(shape), frame.tiles, size, start, shadow)


def _first(byte: np.ndarray) -> int:
    return int(byte.flat[0]) if byte.size else 0


def _addresses(
    view: View, coordinates: Sequence[Any], shape: tuple[int, ...], frame: Any, verb: str
) -> tuple[Any, np.ndarray, Any]:
    """Bank, byte address in it of every element, shaped (batch,)? + shape, and the buffer if it is one."""
    offset: Any = 0
    for d, c in enumerate(coordinates):
        bad = (np.asarray(c) < 0) | (np.asarray(c) >= view.shape[d])
        if np.any(bad):
            at = tuple(np.argwhere(bad)[0]) if np.ndim(bad) else ()
            value = int(np.asarray(c)[at])
            raise RangeFault(
                f"{verb} coordinate {value} along dimension {d} of the view {view.label()}, which has "
                f"coordinates 0 to {view.shape[d] - 1} there",
                _tile(frame.tiles, int(at[0]) if at else 0, np.ndim(c) > len(shape)),
            )
        offset = offset + np.asarray(c, np.int64) * view.strides[d]
    spread = (-1, *(1,) * len(shape))
    address, row = (
        v.reshape(spread) if isinstance(v, np.ndarray) else v for v in (view.address, view.row)
    )
    local = address + offset * view.dtype.itemsize
    extent = None
    if np.size(local):
        low, high = int(np.min(local)), int(np.max(local)) + view.dtype.itemsize
        if low < 0 or high > view.bank.capacity:
            raise RangeFault(
                f"{verb} bytes {low}..{high - 1} of memory {view.bank.name}, which has "
                f"{view.bank.capacity} bytes"
            )
        view.bank.reach(high)
        extent = view.bank.extent_of(view.address, low, high)
    byte = row * view.bank.pitch + local
    lead = (len(frame.tiles),) if np.ndim(byte) > len(shape) else ()
    byte = np.broadcast_to(byte, (*lead, *shape))
    if view.bank.meter is not None:
        size = view.dtype.itemsize
        view.bank.meter.points(view.bank, byte, bool(lead), frame.tiles, size, verb)
    return view.bank, byte, extent


def _elements(buffer: np.ndarray, byte: np.ndarray, kind: np.dtype) -> np.ndarray:
    size = kind.itemsize
    if not (byte % size).any():
        return buffer.view(kind)[byte // size]
    bytes_ = buffer[byte[..., None] + np.arange(size)]
    return np.ascontiguousarray(bytes_).view(kind)[..., 0]


def _put(buffer: np.ndarray, byte: np.ndarray, values: np.ndarray, kind: np.dtype) -> None:
    size = kind.itemsize
    if not (byte % size).any():
        buffer.view(kind)[byte // size] = values
        return
    as_bytes = np.ascontiguousarray(values, kind)[..., None].view(np.uint8)
    buffer[byte[..., None] + np.arange(size)] = as_bytes
