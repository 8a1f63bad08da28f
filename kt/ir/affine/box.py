"""Box detection: which sets are products of intervals, and of which."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kt.ir.affine.expr import AffineBinary, AffineConst, AffineDim, AffineExpr, const
from kt.ir.affine.flatten import simplify

if TYPE_CHECKING:
    from kt.ir.affine.set import AffineSet

Box = tuple[tuple[int, int], ...]
"""Per dim: first value and one past the last; (x, x) where the dim has no value."""

# An end is an int, or -inf / +inf where the interval is open; infinities are the only floats.
_End = int | float


def as_box(affine_set: AffineSet, symbols: Sequence[int] = ()) -> Box | None:
    """The box that equals the set, or None if it is unbounded or no box is found.

    Found for any conjunction of constraints that each speak of one dim, with any coefficient and
    through constant divisions. An empty set of rank 0 has no box.
    """
    ranges: list[tuple[_End, _End]] = [(-math.inf, math.inf)] * affine_set.num_dims
    feasible = True
    for expr, eq in zip(*_bound(affine_set, symbols)):
        if expr.dim_mask & (expr.dim_mask - 1):
            expr = simplify(expr)
        if isinstance(expr, AffineConst):
            feasible &= expr.value == 0 if eq else expr.value >= 0
            continue
        solved = solve_range(expr, 0, 0 if eq else math.inf)
        if solved is None:
            return None
        position, lo, hi = solved
        ranges[position] = max(ranges[position][0], lo), min(ranges[position][1], hi)
    if not feasible:
        return ((0, 0),) * affine_set.num_dims or None
    box: list[tuple[int, int]] = []
    for lo, hi in ranges:
        if isinstance(lo, float) or isinstance(hi, float):
            return None
        box.append((lo, max(lo, hi + 1)))
    return tuple(box)


def _bound(
    affine_set: AffineSet, symbols: Sequence[int]
) -> tuple[tuple[AffineExpr, ...], tuple[bool, ...]]:
    bound = affine_set.bind_symbols(symbols)
    return bound.constraints, bound.eq_flags


def solve_range(expr: AffineExpr, lo: _End, hi: _End) -> tuple[int, _End, _End] | None:
    """Dim and range of that dim for which `lo <= expr <= hi`, if `expr` has one simple occurrence.

    The range may come out empty (its end below its start). None where the solutions are no range,
    as for `mod`, or where two parts of the expression depend on dims or symbols.
    """
    while isinstance(expr, AffineBinary):
        if not isinstance(expr.rhs, AffineConst):
            return None
        value = expr.rhs.value
        if expr.kind == "add":
            lo, hi = lo - value, hi - value
        elif expr.kind == "mul" and value:
            ends = (lo, hi) if value > 0 else (hi, lo)
            lo, hi = _ceil(ends[0], value), _floor(ends[1], value)
        elif expr.kind == "floordiv" and value > 0:
            lo, hi = lo * value, hi * value + value - 1
        elif expr.kind == "ceildiv" and value > 0:
            lo, hi = lo * value - value + 1, hi * value
        else:
            return None
        expr = expr.lhs
    return (expr.position, lo, hi) if isinstance(expr, AffineDim) else None


def _floor(end: _End, divisor: int) -> _End:
    return end // divisor if isinstance(end, int) else end * math.copysign(1, divisor)


def _ceil(end: _End, divisor: int) -> _End:
    return -(-end // divisor) if isinstance(end, int) else end * math.copysign(1, divisor)


def as_symbolic_box(
    affine_set: AffineSet,
) -> tuple[tuple[AffineExpr, ...], tuple[AffineExpr, ...]] | None:
    """Lower bounds and exclusive upper bounds per dim, as expressions over the symbols.

    None if some constraint speaks of two dims or of none, or a dim does not have exactly one bound
    on either side (several constant bounds count as one). The box may be empty for some symbols.
    """
    lowers: list[AffineExpr | None] = [None] * affine_set.num_dims
    uppers: list[AffineExpr | None] = [None] * affine_set.num_dims
    for expr, eq in zip(affine_set.constraints, affine_set.eq_flags):
        expr = simplify(expr)
        if isinstance(expr, AffineConst):
            if expr.value == 0 or (expr.value > 0 and not eq):
                continue
            return None
        position = expr.max_dim
        if position < 0 or expr.dim_mask != 1 << position:
            return None
        split = split_dim(expr, position)
        if split is None or not split[0]:
            return None
        factor, rest = split
        if eq and abs(factor) != 1:
            return None
        if factor > 0 or eq:
            bound = (-rest).ceildiv(factor)
            if not _tighten(lowers, position, bound, max):
                return None
        if factor < 0 or eq:
            bound = rest.floordiv(-factor) + 1
            if not _tighten(uppers, position, bound, min):
                return None
    if any(bound is None for bound in lowers + uppers):
        return None
    return tuple(b for b in lowers if b), tuple(b for b in uppers if b)


def _tighten(
    bounds: list[AffineExpr | None],
    position: int,
    new: AffineExpr,
    pick: Callable[[int, int], int],
) -> bool:
    """Combine a bound with what is known; False if the two cannot be compared."""
    new = simplify(new)
    old = bounds[position]
    if isinstance(old, AffineConst) and isinstance(new, AffineConst):
        new = const(pick(old.value, new.value))
    elif old is not None and old is not new:
        return False
    bounds[position] = new
    return True


def split_dim(expr: AffineExpr, position: int) -> tuple[int, AffineExpr] | None:
    """`expr` as `factor * d<position> + rest` where `rest` is free of that dim, else None."""
    if not expr.depends_on_dim(position):
        return 0, expr
    if isinstance(expr, AffineDim):
        return 1, const(0)
    assert isinstance(expr, AffineBinary)
    lhs = split_dim(expr.lhs, position)
    if lhs is None:
        return None
    if expr.kind == "add":
        rhs = split_dim(expr.rhs, position)
        return rhs and (lhs[0] + rhs[0], lhs[1] + rhs[1])
    if expr.kind == "mul" and isinstance(expr.rhs, AffineConst):
        return lhs[0] * expr.rhs.value, lhs[1] * expr.rhs
    return None
