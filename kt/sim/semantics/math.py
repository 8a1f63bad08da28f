"""`math` ops. Transcendental ones are evaluated in float64 and rounded once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from kt.ir.numbers import DType
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics import special
from kt.sim.semantics.floats import maximum, minimum, working
from kt.sim.semantics.registry import check, semantics, signed, unsigned, wide
from kt.sim.semantics.unary import unary


def _round_half_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


for _name, _function in (
    ("exp", np.exp),
    ("exp2", np.exp2),
    ("expm1", np.expm1),
    ("log", np.log),
    ("log2", np.log2),
    ("log10", np.log10),
    ("log1p", np.log1p),
    ("sqrt", np.sqrt),
    ("rsqrt", lambda x: 1.0 / np.sqrt(x)),
    ("cbrt", np.cbrt),
    ("sin", np.sin),
    ("cos", np.cos),
    ("tan", np.tan),
    ("asin", np.arcsin),
    ("acos", np.arccos),
    ("atan", np.arctan),
    ("sinh", np.sinh),
    ("cosh", np.cosh),
    ("tanh", np.tanh),
    ("asinh", np.arcsinh),
    ("acosh", np.arccosh),
    ("atanh", np.arctanh),
    ("erf", special.erf),
    ("erfc", special.erfc),
    ("absf", np.abs),
    ("floor", np.floor),
    ("ceil", np.ceil),
    ("round", _round_half_away),
    ("roundeven", np.rint),
    ("trunc", np.trunc),
):
    unary(f"math.{_name}", _function)


@semantics("math.sincos")
def sincos(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """(sin, cos)."""
    return rounded(np.sin(wide(a)), dtype), rounded(np.cos(wide(a)), dtype)


@semantics("math.atan2")
def atan2(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Angle of the point (b, a)."""
    return rounded(np.arctan2(wide(a), wide(b)), dtype)


@semantics("math.powf", "math.fpowi")
def power(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """a^b, for a float or an integer exponent."""
    exponent = wide(signed(b, in_dtypes[1]) if in_dtypes[1].is_integer else b)
    return rounded(np.power(wide(a), exponent), dtype)


@semantics("math.copysign")
def copysign(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Magnitude of a, sign of b."""
    return rounded(np.copysign(np.asarray(a, dtype.compute), np.asarray(b, dtype.compute)), dtype)


@semantics("math.clampf")
def clampf(a: Any, low: Any, high: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """min(max(a, low), high); NaN propagates."""
    work = working(dtype)
    raised = maximum(np.asarray(a, work), np.asarray(low, work))
    return rounded(minimum(raised, np.asarray(high, work)), dtype)


@semantics("math.fma")
def fma(a: Any, b: Any, c: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """a·b + c with one rounding."""
    return fused_multiply_add(wide(a), wide(b), wide(c), dtype)


def fused_multiply_add(a: np.ndarray, b: np.ndarray, c: np.ndarray, dtype: DType) -> Any:
    """a·b + c of float64 operands that hold values of `dtype`, rounded once to it."""
    if dtype.name == "f64":
        return _exact_fma(a, b, c)
    # The product of two numbers of at most 24 bits is exact in float64. Its sum with c need not
    # be, and may sit just beside a tie of the result type (1 + 2^-8 + 2^-100 in bf16), so the sum
    # is rounded to odd: the error of the addition says which way the exact value lies.
    product = a * b
    total = np.asarray(product + c)
    back = total - product
    error = (product - (total - back)) + (c - back)
    bits = total.view(np.int64)
    inexact = (error != 0) & np.isfinite(total)
    outward = inexact & ((error < 0) != (total < 0))
    odd = ((bits - outward) | inexact).view(np.float64)
    return rounded(odd, dtype)


def _exact_fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """float64 fma by exact rationals, element by element."""
    a, b, c = np.broadcast_arrays(a, b, c)
    plain = a * b + c
    # An exact zero takes its sign from the float evaluation; special values are right there too.
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    out = np.array(plain, np.float64)
    for index in np.argwhere(finite):
        at = tuple(index)
        exact = Fraction(float(a[at])) * Fraction(float(b[at])) + Fraction(float(c[at]))
        if exact:
            out[at] = _nearest(exact)
    return out


def _nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf


@semantics("math.isnan")
def isnan(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Whether NaN (never, for df16, whose merged code is held as an infinity)."""
    return np.isnan(wide(a))


@semantics("math.isinf")
def isinf(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Whether infinite."""
    return np.isinf(wide(a))


@semantics("math.isfinite")
def isfinite(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Whether neither infinite nor NaN."""
    return np.isfinite(wide(a))


@semantics("math.isnormal")
def isnormal(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Whether neither zero, subnormal, infinite nor NaN."""
    a = wide(a)
    return np.isfinite(a) & (np.abs(a) >= in_dtypes[0].format.min_normal)


# Integers


@semantics("math.absi")
def absi(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Absolute value; the smallest integer stays itself."""
    return rounded(np.abs(signed(a, dtype)), dtype)


def _population(x: np.ndarray) -> np.ndarray:
    """Number of set bits of uint64 values, by sums over ever wider fields."""
    for shift, mask in (
        (1, 0x5555555555555555),
        (2, 0x3333333333333333),
        (4, 0x0F0F0F0F0F0F0F0F),
    ):
        x = (x & np.uint64(mask)) + (x >> np.uint64(shift) & np.uint64(mask))
    return x * np.uint64(0x0101010101010101) >> np.uint64(56)


@semantics("math.ctpop")
def ctpop(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Number of set bits."""
    return rounded(_population(unsigned(a, dtype).astype(np.uint64)), dtype)


@semantics("math.ctlz")
def ctlz(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Number of leading zeros; the width for 0."""
    x = unsigned(a, dtype).astype(np.uint64)
    for shift in (1, 2, 4, 8, 16, 32):
        x = x | x >> np.uint64(shift)
    return rounded(np.uint64(dtype.bits) - _population(x), dtype)


@semantics("math.cttz")
def cttz(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Number of trailing zeros; the width for 0."""
    x = unsigned(a, dtype).astype(np.uint64)
    below = ~x & (x - np.uint64(1))
    return rounded(np.minimum(_population(below), np.uint64(dtype.bits)), dtype)


@semantics("math.ipowi")
def ipowi(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """a^b; a negative exponent gives the truncated reciprocal power (0 unless a is 1 or -1)."""
    base, exponent = np.broadcast_arrays(signed(a, dtype), signed(b, in_dtypes[1]))
    check((base == 0) & (exponent < 0), "ipowi: zero to a negative power")
    left = np.maximum(exponent, 0)
    square = base.astype(np.int64)
    result = np.ones_like(square)
    while (left > 0).any():
        result = np.where(left & 1, result * square, result)
        square = square * square
        left = left >> 1
    parity = np.where(exponent & 1, base, 1)
    reciprocal = np.where(np.abs(base) == 1, parity, 0)
    return rounded(np.where(exponent < 0, reciprocal, result), dtype)
