"""Accesses to distributed views: each element through the partition that holds its coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.sim import access
from kt.sim.errors import Diverged, Fault
from kt.sim.values import Distributed, View, is_batched


def read_parts(
    view: Distributed,
    origin: Sequence[Any],
    extents: Sequence[int],
    axes: Sequence[int],
    frame: Any,
) -> np.ndarray:
    corner = _corner(origin, frame)
    _inside(view, corner, extents, frame, "reads")
    out = np.empty(tuple(extents), view.dtype.compute)
    for part, window, local, size in _overlaps(view, corner, extents):
        found = access.read_box(part, local, size, range(len(size)), frame)
        if is_batched(found, len(size)):
            raise Diverged(frame.lanes)
        out[window] = found
    return np.ascontiguousarray(out.transpose(axes))


def write_parts(
    view: Distributed,
    origin: Sequence[Any],
    extents: Sequence[int],
    axes: Sequence[int],
    values: np.ndarray,
    frame: Any,
) -> None:
    corner = _corner(origin, frame)
    if len(frame.tiles) > 1:
        raise Diverged(frame.lanes)
    _inside(view, corner, extents, frame, "writes")
    straight = values.transpose(np.argsort(axes))
    for part, window, local, size in _overlaps(view, corner, extents):
        access.write_box(part, local, size, range(len(size)), straight[window], frame)


def _corner(origin: Sequence[Any], frame: Any) -> list[int]:
    """The first coordinates of a box as ints; the batch is split when they differ."""
    for first in origin:
        if isinstance(first, np.ndarray) and first.ndim and (first != first[0]).any():
            raise Diverged(first)
    return [int(np.atleast_1d(first)[0]) for first in origin]


def _inside(
    view: Distributed, corner: list[int], extents: Sequence[int], frame: Any, verb: str
) -> None:
    for d, (first, extent) in enumerate(zip(corner, extents)):
        if extent and not access.within(first, extent, view.shape[d]):
            raise access.outside(view, corner, extents, d, frame.tiles, verb)


def _overlaps(view: Distributed, corner: list[int], extents: Sequence[int]) -> list[Any]:
    """Parts of a box by partition: (partition, slices of the box, local corner, extents).

    The first partition that holds a coordinate has it. Fault when one is in no partition.
    """
    covered = np.zeros(tuple(extents), bool)
    found = []
    for part in view.parts:
        box = part.coordinates.as_box(part.symbols) if part.coordinates else None
        if box is None:
            raise Fault("accesses a box of a distributed view whose partitions are no boxes")
        low = [max(c, lo) for c, (lo, _) in zip(corner, box)]
        high = [min(c + e, hi) for c, e, (_, hi) in zip(corner, extents, box)]
        if any(a >= b for a, b in zip(low, high)):
            continue
        window = tuple(slice(a - c, b - c) for a, b, c in zip(low, high, corner))
        local = [a - lo for a, (lo, _) in zip(low, box)]
        if covered[window].any():
            found += _pieces(part, covered, window, corner, box)
        else:
            found.append((part, window, local, [b - a for a, b in zip(low, high)]))
        covered[window] = True
    if not covered.all():
        missing = [int(i) + c for i, c in zip(np.argwhere(~covered)[0], corner)]
        raise Fault(
            f"coordinate {missing} of the distributed view {view.label()} is in no partition"
        )
    return found


def _pieces(part: View, covered: np.ndarray, window: Any, corner: list[int], box: Any) -> list[Any]:
    """The single elements of a window that no earlier partition has."""
    pieces = []
    for index in np.argwhere(~covered[window]):
        at = [int(i) + s.start for i, s in zip(index, window)]
        local = [a + c - lo for a, c, (lo, _) in zip(at, corner, box)]
        pieces.append((part, tuple(slice(a, a + 1) for a in at), local, [1] * len(at)))
    return pieces


def _owners(view: Distributed, coordinates: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Coordinates as full arrays, and per element the number of its partition."""
    full = [np.broadcast_to(np.asarray(c, np.int64), shape) for c in coordinates]
    owner = np.full(shape, -1)
    for number, part in enumerate(view.parts):
        assert part.coordinates is not None
        holds = np.ones(shape, bool)
        space = part.coordinates.bind_symbols(part.symbols)
        for expr, equal in zip(space.constraints, space.eq_flags):
            value = np.broadcast_to(expr.eval(full, ()), shape)
            holds &= value == 0 if equal else value >= 0
        owner[(owner < 0) & holds] = number
    if (owner < 0).any():
        at = tuple(np.argwhere(owner < 0)[0])
        missing = [int(c[at]) for c in full]
        raise Fault(
            f"coordinate {missing} of the distributed view {view.label()} is in no partition"
        )
    return full, owner


def _local(part: View, full: list[np.ndarray], mask: np.ndarray) -> list[np.ndarray]:
    box = part.coordinates.bounding_box(part.symbols) if part.coordinates else None
    lows = [lo for lo, _ in box] if box else [0] * len(full)
    return [c[mask] - lo for c, lo in zip(full, lows)]


def _one_tile(frame: Any) -> None:
    if len(frame.tiles) > 1:
        raise Diverged(frame.lanes)


def read_scattered(
    view: Distributed, coordinates: Sequence[Any], shape: Any, frame: Any
) -> np.ndarray:
    _one_tile(frame)
    full, owner = _owners(view, coordinates, shape)
    out = np.empty(shape, view.dtype.compute)
    for number, part in enumerate(view.parts):
        mask = owner == number
        if mask.any():
            local = _local(part, full, mask)
            out[mask] = access.read_points(part, local, local[0].shape, frame)
    return out


def write_scattered(
    view: Distributed, coordinates: Sequence[Any], shape: Any, values: Any, frame: Any
) -> None:
    _one_tile(frame)
    full, owner = _owners(view, coordinates, shape)
    values = np.broadcast_to(values, shape)
    for number, part in enumerate(view.parts):
        mask = owner == number
        if mask.any():
            local = _local(part, full, mask)
            access.write_points(part, local, local[0].shape, values[mask], frame)
