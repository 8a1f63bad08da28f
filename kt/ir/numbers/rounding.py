"""Rounding to a dtype, and the two-way map between values, bit patterns and storage.

Every conversion rounds once. Where a result passes through a wider type first, that step rounds
*to odd*: an inexact value takes the neighbour whose last bit is 1, so it can neither become a tie
of the narrower type nor leave the right side of one.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from kt.ir.numbers.dtypes import PAIR_FIELDS, DType, FloatFormat, dtype
from kt.ir.numbers.half import half_storage, half_values, round_half

_F32_SIGN = np.uint32(0x80000000)
_F32_MAGNITUDE = np.uint32(0x7FFFFFFF)
_F32_INFINITY = np.uint32(0x7F800000)

# df16 keeps 9 of the 23 fraction bits of an f32; codes are f32 magnitudes >> 14, rebased.
_DF16_SHIFT = 14
_DF16_REBASE = (127 - 31) << 9
_DF16_HALF = np.uint32(1 << (_DF16_SHIFT - 1))
_DF16_KEEP = np.uint32(0x7FFFFFFF & ~((1 << _DF16_SHIFT) - 1))
_DF16_MIN = np.uint32((_DF16_REBASE + 1) << _DF16_SHIFT)
_DF16_HALF_MIN = np.uint32(int(_DF16_MIN) - (1 << 23))
_DF16_TOP = np.uint32((_DF16_REBASE + 0x7FFF) << _DF16_SHIFT)

NEAREST_EVEN = "to_nearest_even"


def round_to(values: Any, to: DType, mode: str | None = None) -> Any:
    """The values of `to` nearest to `values`, in the run-time representation of `to`.

    Parameters
    ----------
    values : array or scalar of numbers; floats hold exact values, integers are wrapped for an
        integer `to` and rounded once for a float `to`.
    mode : an MLIR rounding mode (`to_nearest_even`, `downward`, `upward`, `toward_zero`,
        `to_nearest_away`); None is the type's own (nearest even; df16: nearest away, always).
    """
    with np.errstate(all="ignore"):
        return rounded(values, to, mode)


def rounded(values: Any, to: DType, mode: str | None = None) -> Any:
    """`round_to` for callers that already silence NumPy's floating point warnings."""
    values = np.asarray(values)
    if to.kind == "pair":
        return _map_pair(values, to, rounded, to.compute)
    if to.format is None:
        return _wrap(values, to)
    if values.dtype.kind != "f":
        if mode in (None, NEAREST_EVEN) and to.storage.kind == "f":
            return _integer_to_native(values, to)
        values = _integer_to_odd_f64(values)
    if mode not in (None, NEAREST_EVEN) and to.format.special != "merged":
        return _quantize(values, to.format, mode).astype(to.compute)
    if to.name == "f16":
        return round_half(values)
    if to.storage.kind == "f":
        return values.astype(to.compute, copy=False)
    if to.name == "bf16":
        return _round_bf16(_odd_f32(values))
    if to.format.special == "merged":
        return _round_df16(_odd_f32(values))
    return _quantize(values, to.format, NEAREST_EVEN).astype(np.float32)


@np.errstate(all="ignore")
def to_bits(values: Any, of: DType) -> Any:
    """Bit patterns of values of dtype `of`, as unsigned integers in the low `of.bits` bits."""
    values = np.asarray(values)
    unsigned = np.dtype(f"u{of.itemsize}")
    if of.format is None:
        mask = unsigned.type((1 << of.bits) - 1)
        return values.astype(unsigned, copy=False) & mask
    if of.bits <= 8 and values.dtype.kind == "f" and values.size >= _TABLE_PAYS:
        return _small_bits(values, of)
    values = rounded(values, of)
    if of.storage.kind == "f":
        return values.astype(of.storage, copy=False).view(unsigned)
    bits = values.view(np.uint32)
    if of.name == "bf16":
        return (bits >> np.uint32(16)).astype(np.uint16)
    if of.name == "tf32":
        return bits >> np.uint32(13)
    if of.format.special == "merged":
        return _df16_codes(bits)
    return _small_codes(values, of)


@np.errstate(all="ignore")
def from_bits(bits: Any, of: DType) -> Any:
    """Values of the bit patterns in the low `of.bits` bits of unsigned integers."""
    bits = np.asarray(bits)
    if of.format is None:
        return _wrap(bits, of)
    bits = bits.astype(f"u{of.itemsize}", copy=False)
    if of.storage.kind == "f":
        return bits.view(of.storage).astype(of.compute, copy=False)
    if of.name == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if of.name == "tf32":
        return (bits << np.uint32(13)).view(np.float32)
    return _code_values(of)[bits]


def encode(values: Any, of: DType) -> Any:
    """What a memory holds for these values: rounded to `of`, in `of.storage`."""
    if of.kind == "pair":
        return _map_pair(np.asarray(values), of, encode, of.storage)
    if of.name == "f16":
        with np.errstate(all="ignore"):
            values = np.asarray(values)
            return half_storage(values if values.dtype.kind == "f" else rounded(values, of))
    if of.format is not None and of.storage.kind == "f":
        return round_to(values, of)
    return to_bits(values, of).astype(of.storage, copy=False)


def decode(storage: Any, of: DType) -> Any:
    """Values of what a memory holds (`of.storage`), in the run-time representation."""
    if of.kind == "pair":
        return _map_pair(np.asarray(storage), of, decode, of.compute)
    if of.name == "f16":
        return half_values(np.asarray(storage, np.float16))
    if of.format is not None and of.storage.kind == "f":
        return np.asarray(storage).astype(of.compute, copy=False)
    return from_bits(storage, of)


@np.errstate(all="ignore")
def convert(values: Any, source: DType, to: DType) -> Any:
    """Boundary conversion between float formats (`kt.convert`, bind and return).

    As `round_to`, except that finite df16 values beyond the f16 range saturate to ±65472, the
    largest common value: f16's ±65504 is a tie that df16 holds as ±65536 and must not come back
    as an infinity. Real infinities stay.
    """
    values = np.asarray(values)
    if source.name == "df16" and to.name == "f16":
        limit = np.float32(65472)
        values = np.where(np.isfinite(values), np.clip(values, -limit, limit), values)
    return round_to(values, to)


# Integers


def _wrap(values: np.ndarray, to: DType) -> Any:
    """Low `to.bits` bits of integer values, sign-extended in the holder."""
    if to.compute.kind == "b":
        return (values & 1).astype(bool)
    if values.dtype != to.compute:
        values = values.astype(to.compute)
    spare = 8 * to.itemsize - to.bits
    if spare == 0:
        return values
    spare = to.compute.type(spare)
    return (values << spare) >> spare


def _integer_to_native(values: np.ndarray, to: DType) -> Any:
    """Integers to f16, f32 or f64 with one rounding.

    f16 goes through f32: an integer below 2^24 is exact there, a larger one is infinite in f16.
    """
    if to.name == "f16":
        return round_half(values.astype(np.float32))
    return values.astype(to.compute)


def _integer_to_odd_f64(values: np.ndarray) -> np.ndarray:
    """Integers as float64, rounded to odd where they need more than 53 bits."""
    if values.dtype.itemsize < 8:
        return values.astype(np.float64)
    low = values.dtype.type(0x7FF)
    shift = values.dtype.type(11)
    sticky = ((values >> shift) | ((values & low) != 0)) << shift
    large = (values >> values.dtype.type(53)) != 0
    if values.dtype.kind == "i":
        large &= (values >> values.dtype.type(53)) != -1
    return np.where(large, sticky, values).astype(np.float64)


# Floats


def _odd_f32(values: np.ndarray) -> np.ndarray:
    """Values as float32, rounded to odd if they come as float64."""
    narrow = values.astype(np.float32, copy=False)
    if values.dtype.itemsize <= 4:
        return narrow
    back = narrow.astype(np.float64)
    inexact = (back != values) & ~np.isnan(values)
    bits = narrow.view(np.uint32) - (inexact & (np.abs(back) > np.abs(values))).astype(np.uint32)
    return (bits | inexact.astype(np.uint32)).view(np.float32)


def _round_bf16(values: np.ndarray) -> np.ndarray:
    bits = values.view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    nan = (bits & _F32_MAGNITUDE) > _F32_INFINITY
    if nan.any():
        rounded = np.where(nan, bits | np.uint32(0x00400000), rounded)
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)


def _round_df16(values: np.ndarray) -> np.ndarray:
    """Nearest df16 value, ties away from zero, as float32.

    The merged infinity-or-NaN code is held as an infinity, because reductions and masks rely on
    ±inf; its sign is kept for infinities and overflow, a NaN becomes +inf (code 0x7FFF).
    """
    bits = values.view(np.uint32)
    magnitude = bits & _F32_MAGNITUDE
    # NaN patterns count as infinity, or the sum would wrap.
    rounded = (np.minimum(magnitude, _F32_INFINITY) + _DF16_HALF) & _DF16_KEEP
    tiny = rounded < _DF16_MIN
    if tiny.any():
        # The code of 2^-31 is taken by zero, so the last gap is wide: 0 … 2^-31·(1 + 1/512).
        small = np.where(magnitude >= _DF16_HALF_MIN, _DF16_MIN, np.uint32(0))
        rounded = np.where(tiny, small, rounded)
    large = rounded >= _DF16_TOP
    sign = bits & _F32_SIGN
    if large.any():
        rounded = np.where(large, _F32_INFINITY, rounded)
        sign = np.where(magnitude > _F32_INFINITY, np.uint32(0), sign)
    return (rounded | sign).view(np.float32)


def _df16_codes(bits: np.ndarray) -> Any:
    """df16 codes of float32 bit patterns that hold df16 values."""
    magnitude = bits & _F32_MAGNITUDE
    code = np.where(magnitude == 0, 0, (magnitude >> _DF16_SHIFT) - np.uint32(_DF16_REBASE))
    code = np.minimum(code, 0x7FFF) | ((bits & _F32_SIGN) >> np.uint32(16))
    return code.astype(np.uint16)


_ROUNDERS = {
    "to_nearest_even": np.rint,
    "downward": np.floor,
    "upward": np.ceil,
    "toward_zero": np.trunc,
    "to_nearest_away": lambda x: np.trunc(x + np.copysign(0.5, x)),
}


def _quantize(values: np.ndarray, form: FloatFormat, mode: str) -> np.ndarray:
    """Round float values to a format by scaling each to units of its last place (exact steps)."""
    if mode not in _ROUNDERS:
        raise ValueError(f"unknown rounding mode '{mode}'; known: {', '.join(_ROUNDERS)}")
    values = values.astype(np.float64, copy=False)
    _, exponent = np.frexp(values)
    unit = np.maximum(exponent - form.precision, form.min_exponent - form.fraction)
    # x + 0.5 is exact for the scaled value: it has at most 53 bits and is below 2^precision,
    # except at precision 53, where no bit is dropped and the value is already an integer.
    scaled = np.ldexp(values, -unit)
    whole = scaled == np.trunc(scaled)
    rounded = np.ldexp(np.where(whole, scaled, _ROUNDERS[mode](scaled)), unit)
    over = np.isfinite(values) & (np.abs(rounded) > form.max_finite)
    limit = np.full_like(rounded, np.inf if form.has_infinity else np.nan)
    stays = {"toward_zero": True, "downward": values > 0, "upward": values < 0}.get(mode, False)
    limit = np.copysign(np.where(stays, form.max_finite, limit), values)
    rounded = np.where(over, limit, np.where(np.isfinite(values), rounded, values))
    if form.has_infinity:
        return rounded
    rounded = np.where(np.isinf(rounded), np.nan, rounded)
    return np.where(rounded == 0, 0.0, rounded) if form.special == "fnuz" else rounded


_TABLE_PAYS = 1 << 14


def _small_bits(values: np.ndarray, of: DType) -> np.ndarray:
    """Codes of 8-bit floats by the upper half of the f32: made odd where bits are lost, it rounds as
    the value itself (it has more than two bits more than the format)."""
    bits = _odd_f32(values).view(np.uint32)
    upper = (bits >> np.uint32(16)) | ((bits & np.uint32(0xFFFF)) != 0)
    return _codes_of_upper(of)[upper]


@functools.cache
def _codes_of_upper(of: DType) -> np.ndarray:
    assert of.format is not None
    values = (np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)).view(np.float32)
    return _small_codes(_quantize(values, of.format, NEAREST_EVEN).astype(np.float32), of)


def _small_codes(values: np.ndarray, of: DType) -> Any:
    """Codes of 8-bit floats: the values of positive codes grow with the code."""
    form = of.format
    assert form is not None
    table = _code_values(of)[:128]
    finite = table[np.isfinite(table)]
    code = np.searchsorted(finite, np.abs(values)).astype(np.uint8)
    code |= np.signbit(values).astype(np.uint8) << np.uint8(7)
    if form.special == "ieee":
        nan = ((1 << form.exponent) - 1) << form.fraction | 1 << (form.fraction - 1)
    else:
        nan = 0x7F if form.special == "fn" else 0x80
    return np.where(np.isnan(values), np.uint8(nan), code)


@functools.cache
def _code_values(of: DType) -> np.ndarray:
    """The value of every code of a format of at most 16 bits, from its definition."""
    form = of.format
    assert form is not None and of.bits <= 16
    codes = np.arange(1 << of.bits, dtype=np.int64)
    fraction = codes & ((1 << form.fraction) - 1)
    exponent = (codes >> form.fraction) & ((1 << form.exponent) - 1)
    magnitude = codes & ((1 << (of.bits - 1)) - 1)
    top = (1 << (of.bits - 1)) - 1
    hidden = (exponent > 0) | (form.special == "merged")
    power = np.maximum(exponent, 0 if form.special == "merged" else 1) - form.bias
    value = np.ldexp(fraction + hidden * 2.0**form.fraction, (power - form.fraction).astype("i4"))
    value[magnitude == 0] = 0.0
    if form.special == "ieee":
        ones = exponent == (1 << form.exponent) - 1
        value[ones] = np.where(fraction[ones] == 0, np.inf, np.nan)
    elif form.special != "fnuz":
        value[magnitude == top] = np.inf if form.special == "merged" else np.nan
    value = np.copysign(value, np.where(codes > top, -1.0, 1.0))
    if form.special == "fnuz":
        value[top + 1] = np.nan
    table = value.astype(np.float32)
    table.setflags(write=False)
    return table


def _map_pair(values: np.ndarray, of: DType, step: Any, target: np.dtype) -> np.ndarray:
    assert of.part is not None
    out = np.empty(values.shape, target)
    for key in PAIR_FIELDS:
        out[key] = step(values[key], dtype(of.part.name))
    return out
