"""Coordinates out of range as ktir-cpu takes them (``kt.conventions = "ktir-cpu"``).

A coordinate is nothing but strides added to an address: one that is out of range may fall on another
element of the same buffer. Beyond the buffer that the view begins in, reads give zero and writes are
dropped; a view that begins in no buffer is a fault all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.ir.numbers import decode, encode
from kt.sim.errors import Fault
from kt.sim.memory import Extent
from kt.sim.values import View


def points_of(
    origin: Sequence[Any], extents: Sequence[int], axes: Sequence[int]
) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """Coordinates of a box per dimension, and its shape; axis k runs along dimension ``axes[k]``."""
    axes = list(axes)
    found = []
    for d, (first, extent) in enumerate(zip(origin, extents)):
        spread = [1] * len(axes)
        spread[axes.index(d)] = -1
        first = np.asarray(first)
        found.append(
            first.reshape((*first.shape, *(1,) * len(axes))) + np.arange(extent).reshape(spread)
        )
    return found, tuple(extents[d] for d in axes)


def _places(view: View, coordinates: Sequence[Any], shape: tuple[int, ...], frame: Any) -> Any:
    """Byte address of every element and whether it lies in the view's buffer; (tiles, *shape)."""
    if frame.journal is not None:
        raise Fault("coordinates out of range, which no journal notes")
    spread = (-1, *(1,) * len(shape))
    count = len(frame.tiles)
    bases = np.broadcast_to(view.address, (count,))
    extents = [_buffer(view, int(base)) for base in bases]
    byte = bases.reshape(spread)
    for c, stride in zip(coordinates, view.strides):
        byte = byte + np.asarray(c, np.int64) * stride * view.dtype.itemsize
    byte = np.broadcast_to(byte, (count, *shape))
    low = np.array([e.start for e in extents]).reshape(spread)
    high = np.array([e.end for e in extents]).reshape(spread)
    return byte, (byte >= low) & (byte + view.dtype.itemsize <= high)


def _buffer(view: View, base: int) -> Extent:
    found = view.bank.extent_at(base)
    if found is None:
        raise Fault(f"accesses memory {view.bank.name} at byte {base}, which is in no buffer")
    return found


def read(view: View, coordinates: Sequence[Any], shape: tuple[int, ...], frame: Any) -> np.ndarray:
    """The elements, (tiles, *shape), or of that shape for one tile; zeros beyond the buffer."""
    byte, inside = _places(view, coordinates, shape, frame)
    found = np.zeros(byte.shape, view.dtype.compute)
    raw = view.bank.data[byte[inside][:, None] + np.arange(view.dtype.itemsize)]
    found[inside] = decode(np.ascontiguousarray(raw).view(view.dtype.storage)[:, 0], view.dtype)
    return found[0] if len(frame.tiles) == 1 else found


def write(
    view: View, coordinates: Sequence[Any], shape: tuple[int, ...], values: Any, frame: Any
) -> None:
    """Store what lies in the buffer; where an address repeats, the last in order wins."""
    byte, inside = _places(view, coordinates, shape, frame)
    values = np.asarray(values)
    stored = encode(values, view.dtype)
    if values.ndim == len(shape):
        stored = np.broadcast_to(stored, byte.shape)
    chosen = np.ascontiguousarray(stored[inside])
    places = byte[inside][:, None] + np.arange(view.dtype.itemsize)
    view.bank.data[places] = chosen.view(np.uint8).reshape(len(chosen), -1)
