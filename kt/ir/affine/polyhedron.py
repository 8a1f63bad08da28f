"""Bounding boxes of general affine sets, by Fourier-Motzkin elimination over the rationals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import AffineBinary, AffineConst, AffineDim, AffineExpr
from kt.ir.affine.flatten import flat_row

if TYPE_CHECKING:
    from kt.ir.affine.set import AffineSet

# An inequality `sum(coefficient * variable) + constant >= 0`; quotients are variables too.
_Row = tuple[tuple[tuple[AffineExpr, int], ...], int]
_System = dict[tuple[tuple[AffineExpr, int], ...], int]
_MAX_ROWS = 2000

End = int | float


def dim_ranges(affine_set: AffineSet) -> list[tuple[End, End]] | None:
    """Inclusive range per dim that holds every point, ends infinite where unbounded.

    None if the set is found to be empty. The set must be free of symbols. Raises AffineError if
    a constraint is undefined or elimination grows beyond measure.
    """
    system = _system(affine_set)
    if system is None:
        return None
    ranges: list[tuple[End, End]] = []
    for position in range(affine_set.num_dims):
        target = AffineDim(position)
        projected = _project(system, target)
        if projected is None:
            return None
        lo, hi = -math.inf, math.inf
        for terms, constant in projected.items():
            factor = terms[0][1]
            if factor > 0:
                lo = max(lo, -(constant // factor))
            else:
                hi = min(hi, constant // -factor)
        if lo > hi:
            return None
        ranges.append((lo, hi))
    return ranges


def _system(affine_set: AffineSet) -> _System | None:
    """All constraints and the definitions of their quotients; None if one is contradictory."""
    system: _System = {}
    defined: list[AffineExpr] = []
    for expr, eq in zip(affine_set.constraints, affine_set.eq_flags):
        row, constant = _row(expr, defined)
        if not _add(system, row, constant) or (eq and not _add(system, _negated(row), -constant)):
            return None
    for quotient in defined:  # grows while quotients of quotients are met
        assert isinstance(quotient, AffineBinary)
        if quotient.kind == "add":  # a quotient that was built as a sum of simpler ones
            row, constant = _row(quotient, defined)
            row[quotient] = row.get(quotient, 0) - 1
            rows = [(row, constant), (_negated(row), -constant)]
        else:
            assert isinstance(quotient.rhs, AffineConst)
            divisor = quotient.rhs.value
            row, constant = _row(quotient.lhs, defined)
            row[quotient] = row.get(quotient, 0) - divisor
            # floor: 0 <= e - c*q <= c-1; ceil: 1-c <= e - c*q <= 0
            least, most = (0, divisor - 1) if quotient.kind == "floordiv" else (1 - divisor, 0)
            rows = [(row, constant - least), (_negated(row), most - constant)]
        if not all(_add(system, *row) for row in rows):
            return None
    return system


def _row(expr: AffineExpr, defined: list[AffineExpr]) -> tuple[dict[AffineExpr, int], int]:
    flat = flat_row(expr)
    if flat is None:
        raise AffineError(f"cannot bound '{expr}': it divides by zero or by a negative number")
    row, quotients, constant = flat
    defined += (quotient for quotient in quotients if quotient not in defined)
    return row, constant


def _negated(row: dict[AffineExpr, int]) -> dict[AffineExpr, int]:
    return {variable: -value for variable, value in row.items()}


def _add(system: _System, row: dict[AffineExpr, int], constant: int) -> bool:
    """Add an inequality, tightened to integers; False if it can never hold."""
    terms = {variable: value for variable, value in row.items() if value}
    if not terms:
        return constant >= 0
    common = math.gcd(*terms.values())
    constant //= common
    # Identity order would differ from run to run; the printed form does not.
    key = tuple(sorted(((v, c // common) for v, c in terms.items()), key=lambda t: str(t[0])))
    system[key] = min(system.get(key, constant), constant)
    return True


def _project(system: _System, target: AffineExpr) -> _System | None:
    """Eliminate every variable but `target`; None if the system is contradictory."""
    while True:
        counts: dict[AffineExpr, list[int]] = {}
        for terms in system:
            for variable, value in terms:
                counts.setdefault(variable, [0, 0])[value > 0] += 1
        counts.pop(target, None)
        if not counts:
            return system
        cheapest = min(counts, key=lambda v: (counts[v][0] * counts[v][1], str(v)))
        eliminated = _eliminate(system, cheapest)
        if eliminated is None:
            return None
        system = eliminated
        if len(system) > _MAX_ROWS:
            raise AffineError("affine set too complex to bound: too many coupled constraints")


def _eliminate(system: _System, variable: AffineExpr) -> _System | None:
    kept: _System = {}
    lowers: list[tuple[int, dict[AffineExpr, int], int]] = []
    uppers: list[tuple[int, dict[AffineExpr, int], int]] = []
    for terms, constant in system.items():
        row = dict(terms)
        factor = row.pop(variable, 0)
        if factor:
            (lowers if factor > 0 else uppers).append((abs(factor), row, constant))
        else:
            kept[terms] = constant
    for a, lower, lower_const in lowers:
        for b, upper, upper_const in uppers:
            row = {v: c * b for v, c in lower.items()}
            for v, c in upper.items():
                row[v] = row.get(v, 0) + c * a
            if not _add(kept, row, lower_const * b + upper_const * a):
                return None
    return kept
