"""Building binary expressions with local simplification, rule by rule as MLIR does it.

Each builder looks only a level or two into its operands; `flatten.simplify` does the rest.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import AffineBinary, AffineConst, AffineExpr
from kt.ir.lazy import np


def _require(holds: Any, what: str) -> None:
    if holds is not True and not np.all(holds):
        raise AffineError(f"affine {what}")


def apply_floordiv(lhs: Any, rhs: Any) -> Any:
    """Floor quotient of ints or arrays; AffineError for a zero divisor."""
    _require(rhs != 0, "division by zero")
    return lhs // rhs


def apply_ceildiv(lhs: Any, rhs: Any) -> Any:
    """Ceiling quotient of ints or arrays; AffineError for a zero divisor."""
    _require(rhs != 0, "division by zero")
    return -(-lhs // rhs)


def apply_mod(lhs: Any, rhs: Any) -> Any:
    """Non-negative remainder of ints or arrays; AffineError for a modulus below 1."""
    _require(rhs > 0, "modulus must be positive")
    return lhs % rhs


APPLY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "mod": apply_mod,
    "floordiv": apply_floordiv,
    "ceildiv": apply_ceildiv,
}


# Uniqued operands make a lookup far cheaper than a rebuild, and programs repeat few expressions.
_memoised = lru_cache(maxsize=1 << 13)


@_memoised
def add(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs + rhs`, simplified."""
    return _simplify_add(lhs, rhs) or AffineBinary("add", lhs, rhs)


def _simplify_add(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    lhs_const = isinstance(lhs, AffineConst)
    rhs_const = isinstance(rhs, AffineConst)
    if lhs_const and rhs_const:
        return AffineConst(lhs.value + rhs.value)
    # Constants go to the right of everything, symbolic operands to the right of others.
    if lhs_const or (not lhs.dim_mask and rhs.dim_mask):
        return add(rhs, lhs)
    if rhs_const and rhs.value == 0:
        return lhs
    if isinstance(lhs, AffineBinary) and lhs.kind == "add" and isinstance(lhs.rhs, AffineConst):
        if rhs_const:
            return add(lhs.lhs, AffineConst(lhs.rhs.value + rhs.value))
        return _merged(lhs, rhs) or add(add(lhs.lhs, rhs), lhs.rhs)
    return _merged(lhs, rhs) or _remainder(lhs, rhs)


def _merged(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    """`x * a + x * b` as `x * (a + b)`."""
    (x, a), (y, b) = _scaled(lhs), _scaled(rhs)
    return mul(x, AffineConst(a + b)) if x is y else None


def _scaled(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """`x * c` as (x, c), anything else as (expr, 1)."""
    if isinstance(expr, AffineBinary) and expr.kind == "mul" and isinstance(expr.rhs, AffineConst):
        return expr.lhs, expr.rhs.value
    return expr, 1


def _remainder(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    """`x - (x floordiv q) * q` as `x mod q`, where q is a positive constant or symbolic."""
    if not isinstance(rhs, AffineBinary):
        return None
    inner, factor = rhs.lhs, rhs.rhs
    if not isinstance(inner, AffineBinary):
        return None
    if inner.kind == "mul" and isinstance(factor, AffineConst) and factor.value == -1:
        quotient = inner.lhs  # ((x floordiv q) * q) * -1
        if not isinstance(quotient, AffineBinary) or quotient.kind != "floordiv":
            return None
        if quotient.rhs is inner.rhs and quotient.lhs is lhs:
            return mod(lhs, inner.rhs)
    if rhs.kind != "mul" or inner.kind != "floordiv":
        return None
    divisor = inner.rhs
    if (
        inner.lhs is lhs
        and isinstance(divisor, AffineConst)
        and divisor.value > 0
        and isinstance(factor, AffineConst)
        and factor.value == -divisor.value
    ):
        return mod(lhs, divisor)
    # The matching term may be the last one of a longer sum.
    if isinstance(lhs, AffineBinary) and lhs.kind == "add":
        last = _simplify_add(lhs.rhs, rhs)
        if last is not None:
            return add(lhs.lhs, last)
    return None


@_memoised
def mul(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs * rhs`, simplified; AffineError if both depend on dims."""
    lhs_const = isinstance(lhs, AffineConst)
    rhs_const = isinstance(rhs, AffineConst)
    if lhs_const and rhs_const:
        return AffineConst(lhs.value * rhs.value)
    if lhs.dim_mask and rhs.dim_mask:
        return AffineBinary("mul", lhs, rhs)  # raises
    if rhs.dim_mask or lhs_const:
        return mul(rhs, lhs)
    if rhs_const:
        if rhs.value == 1:
            return lhs
        if rhs.value == 0:
            return rhs
    if isinstance(lhs, AffineBinary) and lhs.kind == "mul" and isinstance(lhs.rhs, AffineConst):
        if rhs_const:
            return mul(lhs.lhs, AffineConst(lhs.rhs.value * rhs.value))
        return mul(mul(lhs.lhs, rhs), lhs.rhs)
    return AffineBinary("mul", lhs, rhs)


@_memoised
def floordiv(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs floordiv rhs`, simplified; a zero divisor is kept as it stands."""
    if not isinstance(rhs, AffineConst) or rhs.value == 0:
        return AffineBinary("floordiv", lhs, rhs)
    divisor = rhs.value
    if isinstance(lhs, AffineConst):
        return AffineConst(lhs.value // divisor)
    exact = _exact_quotient(lhs, divisor)
    if exact is not None:
        return exact
    if (
        isinstance(lhs, AffineBinary)
        and lhs.kind == "add"
        and (largest_divisor(lhs.lhs) % divisor == 0 or largest_divisor(lhs.rhs) % divisor == 0)
    ):
        return add(floordiv(lhs.lhs, rhs), floordiv(lhs.rhs, rhs))
    return AffineBinary("floordiv", lhs, rhs)


@_memoised
def ceildiv(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs ceildiv rhs`, simplified; a zero divisor is kept as it stands."""
    if not isinstance(rhs, AffineConst) or rhs.value == 0:
        return AffineBinary("ceildiv", lhs, rhs)
    if isinstance(lhs, AffineConst):
        return AffineConst(-(-lhs.value // rhs.value))
    return _exact_quotient(lhs, rhs.value) or AffineBinary("ceildiv", lhs, rhs)


def _exact_quotient(lhs: AffineExpr, divisor: int) -> AffineExpr | None:
    if divisor == 1:
        return lhs
    x, factor = _scaled(lhs)
    if x is not lhs and factor % divisor == 0:
        return mul(x, AffineConst(factor // divisor))
    return None


@_memoised
def mod(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """`lhs mod rhs`, simplified; a modulus below 1 is kept as it stands."""
    if not isinstance(rhs, AffineConst) or rhs.value < 1:
        return AffineBinary("mod", lhs, rhs)
    modulus = rhs.value
    if isinstance(lhs, AffineConst):
        return AffineConst(lhs.value % modulus)
    if largest_divisor(lhs) % modulus == 0:
        return AffineConst(0)
    if isinstance(lhs, AffineBinary):
        if lhs.kind == "add":
            if largest_divisor(lhs.lhs) % modulus == 0:
                return mod(lhs.rhs, rhs)
            if largest_divisor(lhs.rhs) % modulus == 0:
                return mod(lhs.lhs, rhs)
        elif lhs.kind == "mod" and isinstance(lhs.rhs, AffineConst):
            inner = lhs.rhs.value
            if inner >= 1 and inner % modulus == 0:
                return mod(lhs.lhs, rhs)
    return AffineBinary("mod", lhs, rhs)


def largest_divisor(expr: AffineExpr) -> int:
    """The largest integer known to divide every value of `expr`; 0 for the constant 0."""
    if isinstance(expr, AffineConst):
        return abs(expr.value)
    if not isinstance(expr, AffineBinary):
        return 1
    lhs = largest_divisor(expr.lhs)
    if expr.kind in ("floordiv", "ceildiv"):
        rhs = expr.rhs.value if isinstance(expr.rhs, AffineConst) else 0
        return abs(lhs // rhs) if rhs and lhs % rhs == 0 else 1
    rhs = largest_divisor(expr.rhs)
    return lhs * rhs if expr.kind == "mul" else math.gcd(lhs, rhs)


BUILDERS: dict[str, Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
    "add": add,
    "mul": mul,
    "mod": mod,
    "floordiv": floordiv,
    "ceildiv": ceildiv,
}
