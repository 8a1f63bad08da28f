"""Integer `arith` ops. Results wrap at the declared width; undefined ones raise ArithmeticFault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.numbers import int_dtype
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.registry import check, semantics, signed, unsigned


def _binary(name: str, view: Callable[..., np.ndarray], function: Callable[..., Any]) -> None:
    @semantics(name)
    def run(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        return rounded(function(view(a, dtype), view(b, dtype)), dtype)


def _divide(
    name: str, view: Callable[..., np.ndarray], function: Callable[..., Any], fits: bool
) -> None:
    """A division: `fits` says that the result of MIN by -1 is representable (remainder, unsigned)."""
    verb = name.partition(".")[2]

    @semantics(name)
    def run(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        a, b = view(a, dtype), view(b, dtype)
        check(b == 0, f"{verb}: division by zero")
        if not fits:
            lowest = int_dtype(dtype.bits).min
            check((a == lowest) & (b == -1), f"{verb}: {lowest} / -1 overflows {dtype}")
        return rounded(function(a, b), dtype)


def _truncated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    floor = a // b
    return floor + ((floor * b != a) & ((a < 0) != (b < 0)))


def _ceiling(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    floor = a // b
    return floor + (floor * b != a).astype(floor.dtype)


def _remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Sign of the dividend; by -1 it is 0, computed by 1 as C's MIN % -1 is undefined."""
    return np.fmod(a, np.where(b == -1, b.dtype.type(1), b))


for _name, _view, _function in (
    ("arith.addi", signed, np.add),
    ("arith.subi", signed, np.subtract),
    ("arith.muli", signed, np.multiply),
    ("arith.andi", signed, np.bitwise_and),
    ("arith.ori", signed, np.bitwise_or),
    ("arith.xori", signed, np.bitwise_xor),
    ("arith.maxsi", signed, np.maximum),
    ("arith.minsi", signed, np.minimum),
    ("arith.maxui", unsigned, np.maximum),
    ("arith.minui", unsigned, np.minimum),
    ("spyreop.addi32toi32", signed, np.add),
    ("spyreop.muli32toi32", signed, np.multiply),
    ("spyreop.addi64toi64", signed, np.add),
):
    _binary(_name, _view, _function)

for _name, _view, _function, _fits in (
    ("arith.divsi", signed, _truncated, False),
    ("arith.divui", unsigned, np.floor_divide, True),
    ("arith.floordivsi", signed, np.floor_divide, False),
    ("arith.ceildivsi", signed, _ceiling, False),
    ("arith.ceildivui", unsigned, _ceiling, True),
    ("arith.remsi", signed, _remainder, True),
    ("arith.remui", unsigned, np.fmod, True),
):
    _divide(_name, _view, _function, _fits)


def _shift(name: str, view: Callable[..., np.ndarray], function: Callable[..., Any]) -> None:
    verb = name.partition(".")[2]

    @semantics(name)
    def run(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        a, amount = view(a, dtype), unsigned(b, dtype)
        check(amount >= dtype.bits, f"{verb}: shift amount is not below the width of {dtype}")
        return rounded(function(a, amount.astype(a.dtype)), dtype)


_shift("arith.shli", signed, np.left_shift)
_shift("arith.shrsi", signed, np.right_shift)
_shift("arith.shrui", unsigned, np.right_shift)

_COMPARE = {
    "eq": (signed, np.equal),
    "ne": (signed, np.not_equal),
    "slt": (signed, np.less),
    "sle": (signed, np.less_equal),
    "sgt": (signed, np.greater),
    "sge": (signed, np.greater_equal),
    "ult": (unsigned, np.less),
    "ule": (unsigned, np.less_equal),
    "ugt": (unsigned, np.greater),
    "uge": (unsigned, np.greater_equal),
}


@semantics("arith.cmpi")
def cmpi(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Compare by one of the 10 predicates; the result is i1."""
    view, function = _COMPARE[attrs["predicate"]]
    return function(view(a, in_dtypes[0]), view(b, in_dtypes[0]))


@semantics("arith.addui_extended")
def addui_extended(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """(sum, carry as i1)."""
    a, b = unsigned(a, dtype), unsigned(b, dtype)
    total = unsigned(a + b, dtype)
    return rounded(total, dtype), total < a


@semantics("arith.mului_extended")
def mului_extended(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """(low, high) words of the unsigned product."""
    a, b = unsigned(a, dtype), unsigned(b, dtype)
    return rounded(a * b, dtype), rounded(_high_unsigned(a, b, dtype.bits), dtype)


@semantics("arith.mulsi_extended")
def mulsi_extended(a: Any, b: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """(low, high) words of the signed product."""
    x, y = unsigned(a, dtype), unsigned(b, dtype)
    # As numbers modulo 2^N, a signed operand is its unsigned word minus 2^N if negative.
    high = _high_unsigned(x, y, dtype.bits)
    high = high - np.where(signed(a, dtype) < 0, y, 0) - np.where(signed(b, dtype) < 0, x, 0)
    return rounded(x * y, dtype), rounded(high, dtype)


def _high_unsigned(a: np.ndarray, b: np.ndarray, bits: int) -> np.ndarray:
    """Bits N … 2N-1 of the product, by 32-bit halves where it needs more than 64 bits."""
    a, b = a.astype(np.uint64), b.astype(np.uint64)
    if bits <= 32:
        return (a * b) >> np.uint64(bits)
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    cross = a0 * b1 + (middle & mask)
    high = a1 * b1 + (middle >> half) + (cross >> half)
    if bits == 64:
        return high
    return high << np.uint64(64 - bits) | (a * b) >> np.uint64(bits)
