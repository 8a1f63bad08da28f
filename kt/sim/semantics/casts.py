"""Conversions between types: `arith` casts and `kt.convert`."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.ir.numbers import convert, from_bits, to_bits
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.registry import check, semantics, signed, unsigned, wide


@semantics("arith.extf", "arith.truncf")
def cast_float(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Float to float; `roundingmode` names MLIR's rounding mode (default: the type's own)."""
    return rounded(a, dtype, attrs.get("roundingmode"))


@semantics("arith.scaling_extf")
def scale_up(a: Any, scale: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Times the power of two that the exponent of `scale` states."""
    return rounded(wide(a) * _power(scale), dtype)


@semantics("arith.scaling_truncf")
def scale_down(a: Any, scale: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Divided by the power of two that the exponent of `scale` states."""
    return rounded(wide(a) / _power(scale), dtype, attrs.get("roundingmode"))


def _power(scale: Any) -> Any:
    """The scale as an eight-bit exponent alone: 2^-127 to 2^127, NaN for infinity and NaN."""
    scale = wide(scale)
    exponent = np.clip(np.frexp(scale)[1] - 1, -127, 127)
    power = np.ldexp(1.0, np.where(scale == 0, -127, exponent))
    return np.where(np.isfinite(scale), power, np.nan)


@semantics("kt.convert")
def convert_float(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Float to float across a storage boundary: df16 → f16 saturates finite values."""
    return convert(a, in_dtypes[0], dtype)


@semantics("arith.extsi", "arith.index_cast")
def extend_signed(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Sign-extend, or keep the low bits if the result is narrower."""
    return rounded(signed(a, in_dtypes[0]), dtype)


@semantics("arith.extui", "arith.index_castui", "arith.trunci")
def extend_unsigned(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Zero-extend, or keep the low bits if the result is narrower."""
    return rounded(unsigned(a, in_dtypes[0]), dtype)


@semantics("arith.sitofp")
def signed_to_float(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Signed integer to the nearest float (i1 true is -1)."""
    return rounded(signed(a, in_dtypes[0]), dtype)


@semantics("arith.uitofp")
def unsigned_to_float(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Unsigned integer to the nearest float."""
    return rounded(unsigned(a, in_dtypes[0]), dtype)


@semantics("arith.fptosi")
def float_to_signed(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Truncate toward zero; NaN and values outside the signed range are faults."""
    return _to_integer(a, dtype, "fptosi", -(2.0 ** (dtype.bits - 1)), 2.0 ** (dtype.bits - 1))


@semantics("arith.fptoui")
def float_to_unsigned(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Truncate toward zero; NaN and values outside the unsigned range are faults."""
    return _to_integer(a, dtype, "fptoui", 0.0, 2.0**dtype.bits)


def _to_integer(a: Any, dtype: Any, verb: str, low: float, end: float) -> Any:
    whole = np.trunc(wide(a))
    outside = ~((whole >= low) & (whole < end))
    if check(outside, f"{verb}: NaN or a value outside the range of {dtype}"):
        whole = np.where(outside, 0.0, whole)
    return rounded(whole.astype(np.uint64 if low == 0 else np.int64), dtype)


@semantics("arith.bitcast", "tensor.bitcast")
def bitcast(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Reinterpret the bit pattern in a type of the same width."""
    return from_bits(to_bits(a, in_dtypes[0]), dtype)
