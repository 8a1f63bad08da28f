"""Simplification of whole expressions through a flat linear form.

Dims and symbols are the variables; every division or modulus by a constant becomes a local
variable `q = floor(e / c)` or `ceil(e / c)`. Rebuilding the sum merges like terms.
"""

from __future__ import annotations

import math

from kt.ir.affine.expr import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineSymbol,
    Kind,
    binary,
)

Row = dict[AffineExpr, int]
"""Coefficients by variable: dims, symbols and local quotients; the constant under `_ONE`."""

_ONE: AffineExpr = AffineConst(1)


def simplify(expr: AffineExpr) -> AffineExpr:
    """An equal expression with like terms merged: dims, symbols, quotients, constant.

    Expressions that multiply or divide by a symbol, and undefined ones (divisor below 1), are
    returned unchanged.
    """
    if not isinstance(expr, AffineBinary) or not expr.is_pure_affine:
        return expr
    locals_: list[AffineExpr] = []
    row = _flatten(expr, locals_)
    return expr if row is None else _rebuild(row, locals_)


def _flatten(expr: AffineExpr, locals_: list[AffineExpr]) -> Row | None:
    if isinstance(expr, AffineConst):
        return {_ONE: expr.value} if expr.value else {}
    if not isinstance(expr, AffineBinary):
        return {expr: 1}
    lhs = _flatten(expr.lhs, locals_)
    rhs = _flatten(expr.rhs, locals_)
    if lhs is None or rhs is None:
        return None
    if expr.kind == "add":
        return _sum(lhs, rhs)
    if expr.kind == "mul":
        if rhs.keys() - {_ONE}:
            lhs, rhs = rhs, lhs
        return _scale(lhs, rhs.get(_ONE, 0))
    divisor = rhs.get(_ONE, 0)
    if divisor <= 0:
        return None
    if expr.kind == "mod":
        return _flatten_mod(lhs, divisor, locals_)
    return _flatten_div(expr.kind, lhs, divisor, locals_)


def _flatten_mod(row: Row, modulus: int, locals_: list[AffineExpr]) -> Row:
    if all(value % modulus == 0 for value in row.values()):
        return {}
    common = math.gcd(modulus, *row.values())
    dividend = {variable: value // common for variable, value in row.items()}
    quotient = _rebuild(dividend, locals_) // (modulus // common)
    return _sum(row, _scale(_local(quotient, locals_), -modulus))


def _flatten_div(kind: Kind, row: Row, divisor: int, locals_: list[AffineExpr]) -> Row:
    common = math.gcd(divisor, *row.values())
    row = {variable: value // common for variable, value in row.items()}
    if divisor == common:
        return row
    quotient = binary(kind, _rebuild(row, locals_), divisor // common)
    return _local(quotient, locals_)


def _local(quotient: AffineExpr, locals_: list[AffineExpr]) -> Row:
    """The row of a quotient, which is its own local variable."""
    if isinstance(quotient, AffineConst):
        return {_ONE: quotient.value} if quotient.value else {}
    if quotient not in locals_:
        locals_.append(quotient)
    return {quotient: 1}


def _sum(lhs: Row, rhs: Row) -> Row:
    total = dict(lhs)
    for variable, value in rhs.items():
        total[variable] = total.get(variable, 0) + value
        if not total[variable]:
            del total[variable]
    return total


def _scale(row: Row, factor: int) -> Row:
    return {variable: value * factor for variable, value in row.items()} if factor else {}


def _rebuild(row: Row, locals_: list[AffineExpr]) -> AffineExpr:
    def order(variable: AffineExpr) -> tuple[int, int]:
        if isinstance(variable, AffineDim):
            return 0, variable.position
        if isinstance(variable, AffineSymbol):
            return 1, variable.position
        return (3, 0) if variable is _ONE else (2, locals_.index(variable))

    total: AffineExpr = AffineConst(0)
    for variable in sorted(row, key=order):
        total = total + variable * row[variable]
    return total


def linear_form(expr: AffineExpr) -> tuple[dict[int, int], dict[int, int], int] | None:
    """Coefficients by dim, coefficients by symbol and constant, or None if not linear.

    Only non-zero coefficients appear. An expression whose quotients cancel is linear too.
    """
    row = _flatten(expr, []) if expr.is_pure_affine else None
    if row is None:
        return None
    dims: dict[int, int] = {}
    symbols: dict[int, int] = {}
    for variable, value in row.items():
        if isinstance(variable, AffineDim):
            dims[variable.position] = value
        elif isinstance(variable, AffineSymbol):
            symbols[variable.position] = value
        elif variable is not _ONE:
            return None
    return dict(sorted(dims.items())), dict(sorted(symbols.items())), row.get(_ONE, 0)


def from_linear_form(dims: dict[int, int], symbols: dict[int, int], constant: int) -> AffineExpr:
    """The expression with these coefficients, in MLIR's order of terms."""
    total: AffineExpr = AffineConst(0)
    for position in sorted(dims):
        total = total + AffineDim(position) * dims[position]
    for position in sorted(symbols):
        total = total + AffineSymbol(position) * symbols[position]
    return total + constant


def coefficient_gcd(expr: AffineExpr) -> int | None:
    """The gcd of all dim and symbol coefficients (0 for a constant), None if not linear."""
    form = linear_form(expr)
    return None if form is None else math.gcd(*form[0].values(), *form[1].values())


def flat_row(expr: AffineExpr) -> tuple[Row, list[AffineExpr], int] | None:
    """Coefficients by variable, the local quotients among them, and the constant.

    None where `simplify` would give up too.
    """
    if not expr.is_pure_affine:
        return None
    locals_: list[AffineExpr] = []
    row = _flatten(expr, locals_)
    if row is None:
        return None
    constant = row.pop(_ONE, 0)
    used = [quotient for quotient in locals_ if quotient in row]
    return row, used, constant
