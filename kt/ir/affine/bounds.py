"""Interval arithmetic over affine expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kt.ir.affine.expr import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineSymbol,
    binary,
)
from kt.ir.affine.flatten import simplify

Range = tuple[int, int] | None
"""Inclusive bounds of a variable, None if nothing is known."""

# An end is an int, or -inf / +inf where the interval is open; infinities are the only floats.
_End = int | float
_Interval = tuple[_End, _End]
_ALL: _Interval = (-math.inf, math.inf)


def bounds(
    expr: AffineExpr, dim_ranges: Sequence[Range] = (), sym_ranges: Sequence[Range] = ()
) -> tuple[int, int] | None:
    """Inclusive bounds that hold for every point of the ranges, None if an end is unknown.

    Exact for linear expressions over non-empty ranges; otherwise possibly wider than the values
    taken. Positions beyond the given ranges count as unknown.
    """
    lo, hi = _interval(expr, dim_ranges, sym_ranges)
    # Merging like terms tightens sums but loosens `mod`, so both forms are asked.
    merged = simplify(expr)
    if merged is not expr:
        merged_lo, merged_hi = _interval(merged, dim_ranges, sym_ranges)
        lo, hi = max(lo, merged_lo), min(hi, merged_hi)
    if isinstance(lo, float) or isinstance(hi, float):
        return None
    return lo, hi


def drop_mods(expr: AffineExpr, dim_ranges: Sequence[Range] = ()) -> AffineExpr:
    """``expr`` with ``e mod k`` replaced by ``e`` wherever the ranges keep ``e`` within ``[0, k)``."""
    if not isinstance(expr, AffineBinary):
        return expr
    lhs, rhs = drop_mods(expr.lhs, dim_ranges), drop_mods(expr.rhs, dim_ranges)
    if expr.kind == "mod" and isinstance(rhs, AffineConst):
        found = bounds(lhs, dim_ranges)
        if found is not None and found[0] >= 0 and found[1] < rhs.value:
            return lhs
    return binary(expr.kind, lhs, rhs)


def _interval(expr: AffineExpr, dims: Sequence[Range], symbols: Sequence[Range]) -> _Interval:
    if isinstance(expr, AffineConst):
        return expr.value, expr.value
    if isinstance(expr, AffineDim):
        return _range(dims, expr.position)
    if isinstance(expr, AffineSymbol):
        return _range(symbols, expr.position)
    assert isinstance(expr, AffineBinary)
    lhs, rhs = _interval(expr.lhs, dims, symbols), _interval(expr.rhs, dims, symbols)
    if expr.kind == "add":
        return lhs[0] + rhs[0], lhs[1] + rhs[1]
    if expr.kind == "mul":
        products = [_product(a, b) for a in lhs for b in rhs]
        return min(products), max(products)
    if expr.kind == "mod":
        return _mod(lhs, rhs)
    if rhs[0] <= 0 <= rhs[1]:
        return _ALL
    quotients = [_quotient(expr.kind, a, b) for a in lhs for b in rhs]
    return min(quotients), max(quotients)


def _range(ranges: Sequence[Range], position: int) -> _Interval:
    known = ranges[position] if position < len(ranges) else None
    return _ALL if known is None else known


def _product(a: _End, b: _End) -> _End:
    return 0 if a == 0 or b == 0 else a * b


def _quotient(kind: str, a: _End, b: _End) -> _End:
    if isinstance(a, float):
        return a if b > 0 else -a
    if isinstance(b, float):  # the quotient tends to zero from the side of its sign
        negative = a != 0 and (a < 0) != (b < 0)
        if kind == "floordiv":
            return -1 if negative else 0
        return 0 if negative or a == 0 else 1
    return a // b if kind == "floordiv" else -(-a // b)


def _mod(lhs: _Interval, rhs: _Interval) -> _Interval:
    if rhs[1] <= 0:
        return _ALL  # never defined
    widest = rhs[1] - 1
    modulus = rhs[0]
    if modulus != rhs[1]:
        return 0, min(widest, lhs[1]) if lhs[0] >= 0 else widest
    lo, hi = lhs
    finite = isinstance(lo, int) and isinstance(hi, int)
    if finite and lo // modulus == hi // modulus:
        return lo % modulus, hi % modulus
    return 0, widest
