"""All points of a finite affine set, as an array in lexicographic order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from kt.ir.affine.bounds import bounds
from kt.ir.affine.box import Box, split_dim
from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import AffineExpr
from kt.ir.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kt.ir.affine.set import AffineSet


def box_points(box: Box) -> NDArray[np.int64]:
    """The points of a box: (npoints, rank) int64 in lexicographic order."""
    if any(max(-lo, hi) >= 1 << 62 for lo, hi in box):
        raise AffineError(f"points of the box {box} do not fit 64 bits")
    shape = tuple(hi - lo for lo, hi in box)
    points = np.indices(shape, dtype=np.int64).reshape(len(shape), math.prod(shape)).T
    return np.ascontiguousarray(points + np.array([lo for lo, _ in box], dtype=np.int64))


def filtered_points(bound_set: AffineSet, box: Box, limit: int) -> NDArray[np.int64]:
    """The points of a symbol-free set inside `box`, built up dim by dim.

    Constraints are used as soon as their last dim is reached: linear ones narrow its range per
    prefix, the others filter afterwards. Raises AffineError beyond `limit` candidates.
    """
    _check_width(bound_set, box)
    points = np.zeros((1, 0), dtype=np.int64)
    for expr, eq in zip(bound_set.constraints, bound_set.eq_flags):
        if not expr.dim_mask:
            points = points[_holds(expr, eq, points)]
    for position, (lo, hi) in enumerate(box):
        lowest = np.full(len(points), lo, dtype=np.int64)
        highest = np.full(len(points), hi - 1, dtype=np.int64)
        filters: list[tuple[AffineExpr, bool]] = []
        for expr, eq in zip(bound_set.constraints, bound_set.eq_flags):
            if expr.max_dim != position:
                continue
            split = split_dim(expr, position)
            if split is None or not split[0]:
                filters.append((expr, eq))
                continue
            # factor * d + rest >= 0 turns over at d = bound / |factor|.
            factor, rest = split[0], _column(split[1], points)
            bound = -rest if factor > 0 else rest
            if factor > 0 or eq:
                lowest = np.maximum(lowest, -(-bound // abs(factor)))
            if factor < 0 or eq:
                highest = np.minimum(highest, bound // abs(factor))
        points = _extend(points, lowest, highest, limit, bound_set)
        for expr, eq in filters:
            points = points[_holds(expr, eq, points)]
    return points


def _check_width(bound_set: AffineSet, box: Box) -> None:
    """Raise AffineError if some intermediate value may not fit the 64 bits of NumPy's integers."""
    ranges = [(lo, max(lo, hi - 1)) for lo, hi in box]
    for expr in bound_set.constraints:
        for node in expr.walk():
            known = bounds(node, ranges)
            if known is not None and max(-known[0], known[1]) >= 1 << 62:
                raise AffineError(f"values of '{expr}' do not fit 64 bits within {ranges}")


def _extend(
    points: NDArray[np.int64],
    lowest: NDArray[np.int64],
    highest: NDArray[np.int64],
    limit: int,
    bound_set: AffineSet,
) -> NDArray[np.int64]:
    """Every prefix followed by every value of its own range."""
    counts = np.maximum(highest - lowest + 1, 0)
    total = int(counts.sum())
    check_limit(total, limit, bound_set)
    starts = np.cumsum(counts) - counts
    values = np.arange(total, dtype=np.int64) + np.repeat(lowest - starts, counts)
    return np.concatenate((np.repeat(points, counts, axis=0), values[:, None]), axis=1)


def check_limit(total: int, limit: int, bound_set: AffineSet) -> None:
    """Raise AffineError if `total` points are more than `limit`."""
    if total > limit:
        raise AffineError(
            f"affine set '{bound_set}' has too many points to list: {total} (limit {limit})"
        )


def _column(expr: AffineExpr, points: NDArray[np.int64]) -> NDArray[np.int64]:
    value = expr.eval(cast("Sequence[NDArray[np.int64]]", list(points.T)))
    return np.broadcast_to(np.asarray(value, dtype=np.int64), (len(points),))


def _holds(expr: AffineExpr, eq: bool, points: NDArray[np.int64]) -> NDArray[np.bool_]:
    value = _column(expr, points)
    return value == 0 if eq else value >= 0
