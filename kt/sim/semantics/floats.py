"""Float `arith` ops: add, sub, mul, div, rem, neg, max, min, compare, select."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.registry import semantics


def working(*dtypes: Any) -> type:
    """NumPy type in which + - * / of these dtypes are computed before the one rounding.

    Types of p ≤ 11 significant bits use float32. Rounding twice is innocuous there, because
    24 ≥ 2p + 2: a product is exact in float32; a sum that is not exact lies far from any tie of
    the narrow type; a quotient or square root that is no tie keeps a relative distance of at
    least 2^-(2p+1) from one, more than float32's half ulp. So float32 never invents a tie, which
    is all that matters for ties-to-even and ties-away alike. Ops with longer exact results (fma)
    must not rely on this.
    """
    return np.float64 if any(dtype.name == "f64" for dtype in dtypes) else np.float32


def _binary(name: str, ufunc: Callable[..., Any]) -> None:
    @semantics(name)
    def run(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        work = np.float64 if dtype.name == "f64" else np.float32
        return rounded(ufunc(np.asarray(a, work), np.asarray(b, work)), dtype)


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IEEE maximum: NaN propagates, -0 < +0."""
    return _signed_zero(np.maximum(a, b), a, b, 1)


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """IEEE minimum: NaN propagates, -0 < +0."""
    return _signed_zero(np.minimum(a, b), a, b, -1)


def maxnum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As maximum, but a single NaN operand is ignored."""
    return _signed_zero(np.fmax(a, b), a, b, 1)


def minnum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As minimum, but a single NaN operand is ignored."""
    return _signed_zero(np.fmin(a, b), a, b, -1)


def _signed_zero(result: Any, a: np.ndarray, b: np.ndarray, sign: int) -> Any:
    """NumPy may return either operand for (-0, +0); ±(±a ± b) has the sign of the right one."""
    zeros = (a == 0) & (b == 0)
    return np.where(zeros, sign * (sign * a + sign * b), result) if zeros.any() else result


for _name, _ufunc in (
    ("arith.addf", np.add),
    ("arith.subf", np.subtract),
    ("arith.mulf", np.multiply),
    ("arith.divf", np.divide),
    ("arith.remf", np.fmod),  # exact in any format that holds both operands
    ("arith.maximumf", maximum),
    ("arith.minimumf", minimum),
    ("arith.maxnumf", maxnum),
    ("arith.minnumf", minnum),
    ("spyreop.realdiv", np.divide),
):
    _binary(_name, _ufunc)


@semantics("arith.negf")
def negf(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Flip the sign, also of zeros and NaNs."""
    return np.negative(np.asarray(a, dtype.compute))


_ORDERED = {
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "one": lambda a, b: (a < b) | (a > b),
    "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "false": lambda a, b: np.zeros(np.broadcast_shapes(a.shape, b.shape), bool),
}
# An unordered predicate is the negation of the opposite ordered one.
_UNORDERED = {
    "une": "oeq",
    "ule": "ogt",
    "ult": "oge",
    "uge": "olt",
    "ugt": "ole",
    "ueq": "one",
    "uno": "ord",
    "true": "false",
}


@semantics("arith.cmpf")
def cmpf(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Compare by one of the 16 predicates; the result is i1."""
    work = working(*in_dtypes)
    a, b = np.asarray(a, work), np.asarray(b, work)
    predicate = attrs["predicate"]
    if predicate in _UNORDERED:
        return np.logical_not(_ORDERED[_UNORDERED[predicate]](a, b))
    return _ORDERED[predicate](a, b)


@semantics("arith.select")
def select(condition: Any, a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """`a` where the condition holds, else `b`."""
    chosen = np.where(np.asarray(condition, bool), a, b)
    return chosen.astype(dtype.compute, copy=False)
