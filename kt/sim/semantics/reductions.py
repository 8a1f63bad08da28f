"""Reductions by a combiner op: identities, accumulator types, and whole-axis reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, dtype, int_dtype
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.floats import maximum, maxnum, minimum, minnum, working
from kt.sim.semantics.registry import lookup, signed, unsigned

_ACCUMULATING = ("arith.addf", "arith.mulf")


def _lowest(of: DType) -> float:
    return -np.inf if of.format and of.format.has_infinity else of.min


def _highest(of: DType) -> float:
    return np.inf if of.format and of.format.has_infinity else of.max


def _number_or(extreme: Callable[[DType], float]) -> Callable[[DType], float]:
    """What gives way to every number, infinities and other NaN included: NaN, where there is one."""
    return lambda of: np.nan if of.format and of.format.special != "merged" else extreme(of)


_IDENTITIES: dict[str, Callable[[DType], int | float]] = {
    "arith.addf": lambda of: 0.0,
    "arith.mulf": lambda of: 1.0,
    "arith.maximumf": _lowest,
    "arith.maxnumf": _number_or(_lowest),
    "arith.minimumf": _highest,
    "arith.minnumf": _number_or(_highest),
    "arith.addi": lambda of: 0,
    "arith.muli": lambda of: 1,
    "arith.andi": lambda of: -1,
    "arith.ori": lambda of: 0,
    "arith.xori": lambda of: 0,
    "arith.maxsi": lambda of: int_dtype(of.bits).min,
    "arith.minsi": lambda of: int_dtype(of.bits).max,
    "arith.maxui": lambda of: 0,
    "arith.minui": lambda of: -1,
}


def identity(name: str, of: DType) -> Any:
    """The value e with `name`(e, x) = x, as a scalar in the run-time representation of `of`.

    Raises RunError if the op has none.
    """
    if name not in _IDENTITIES:
        known = ", ".join(_IDENTITIES)
        raise RunError(
            f"'{name}' has no identity to start a reduction from", hint=f"known: {known}"
        )
    return np.asarray(rounded(_IDENTITIES[name](of), of))[()]


def accumulator_dtype(name: str, of: DType) -> DType:
    """The dtype that partial results of a reduction are kept in.

    f32 for sums and products of narrower floats (rounded once, at the end), else `of` itself.
    """
    narrow = of.is_float and of.bits < 32
    return dtype("f32") if narrow and name in _ACCUMULATING else of


@np.errstate(all="ignore")
def reduce(name: str, array: Any, axis: int | tuple[int, ...], of: DType, init: Any = None) -> Any:
    """Combine `array` over `axis` with the op `name`, starting from `init` (or the identity).

    Sums and products accumulate in `accumulator_dtype` and round once to `of`, the order within
    the axis being NumPy's; other ops of the table are exact in `of`; any further two-operand op is
    folded from the left in index order, rounded at each step, and needs `init` or a non-empty axis.
    """
    array = np.asarray(array)
    if name in _ACCUMULATING:
        return _accumulate(name, array, axis, of, init)
    if name in _FLOAT_EXTREMES:
        result = _float_extreme(name, array, axis, of)
    elif name in _INTEGER:
        view, ufunc = _INTEGER[name]
        values = view(array, of)
        start = np.asarray(view(identity(name, of), of)).astype(values.dtype)[()]
        result = rounded(ufunc.reduce(values, axis=axis, dtype=values.dtype, initial=start), of)
    else:
        return _fold(name, array, axis, of, init)
    return result if init is None else _combine(name, init, result, of)


def _accumulate(name: str, array: np.ndarray, axis: Any, of: DType, init: Any) -> Any:
    ufunc = np.add if name == "arith.addf" else np.multiply
    work = working(of)
    # NumPy starts an empty sum at the identity, a non-empty one at its first element.
    total = ufunc.reduce(array.astype(work, copy=False), axis=axis, dtype=work)
    return rounded(total if init is None else ufunc(np.asarray(init, work), total), of)


_FLOAT_EXTREMES = {
    "arith.maximumf": (np.maximum, maximum),
    "arith.minimumf": (np.minimum, minimum),
    "arith.maxnumf": (np.fmax, maxnum),
    "arith.minnumf": (np.fmin, minnum),
}

_INTEGER = {
    "arith.addi": (signed, np.add),
    "arith.muli": (signed, np.multiply),
    "arith.andi": (signed, np.bitwise_and),
    "arith.ori": (signed, np.bitwise_or),
    "arith.xori": (signed, np.bitwise_xor),
    "arith.maxsi": (signed, np.maximum),
    "arith.minsi": (signed, np.minimum),
    "arith.maxui": (unsigned, np.maximum),
    "arith.minui": (unsigned, np.minimum),
}


def _float_extreme(name: str, array: np.ndarray, axis: Any, of: DType) -> Any:
    ufunc, _ = _FLOAT_EXTREMES[name]
    values = array.astype(working(of), copy=False)
    result = ufunc.reduce(values, axis=axis, initial=identity(name, of))
    zero = result == 0
    if np.any(zero):
        # Among zeros NumPy keeps either; the maximum is +0 if there is one, the minimum -0.
        largest = name in ("arith.maximumf", "arith.maxnumf")
        negative = np.signbit(values)
        wanted = (values == 0) & (~negative if largest else negative)
        found = wanted.any(axis=axis)
        result = np.where(zero, np.copysign(0.0, np.where(found == largest, 1.0, -1.0)), result)
    return rounded(result, of)


def _combine(name: str, a: Any, b: Any, of: DType) -> Any:
    return lookup(name)(a, b, dtype=of, in_dtypes=(of, of), attrs={})


def _fold(name: str, array: np.ndarray, axis: Any, of: DType, init: Any) -> Any:
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    moved = np.moveaxis(array, axes, range(len(axes)))
    terms = moved.reshape(-1, *moved.shape[len(axes) :])
    if init is None:
        if not len(terms):
            raise RunError(f"'{name}' has no identity: an empty reduction needs a start value")
        init, terms = terms[0], terms[1:]
    result = init
    for term in terms:
        result = _combine(name, result, term, of)
    return result
