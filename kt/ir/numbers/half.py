"""f16 held in float32: rounding and the two conversions, faster than NumPy's own casts.

NumPy converts halves one by one. On float32 arrays the rounding is integer arithmetic on the bit
patterns; only subnormal halves, overflow and NaN take NumPy's way.
"""

from __future__ import annotations

import functools

import numpy as np

_SHIFT = np.uint32(13)  # fraction bits that a half lacks
_ONE, _BELOW_HALF = np.uint32(1), np.uint32(0xFFF)
_KEEP = np.uint32(0xFFFFE000)
_LOWEST = np.uint32(2 * 0x38800000)  # the smallest normal half, 2^-14, doubled as below
_SPAN = np.uint32(2 * (0x477FF000 - 0x38800000))  # up to 65520, above the largest half
_REBASE = np.uint16((127 - 15) << 10 & 0xFFFF)  # modulo 2^16, as the exponents are
_SIGN = np.uint16(0x8000)
_FEW, _FEW_TO_STORE = 2048, 8192
"""Elements below which NumPy's casts are faster."""


def _odd_places(bits: np.ndarray) -> np.ndarray:
    """Flat places of values that are no normal halves: zero, subnormal, overflow, NaN."""
    doubled = bits + bits  # without the sign
    doubled -= _LOWEST
    return np.flatnonzero(doubled >= _SPAN)


def round_half(values: np.ndarray) -> np.ndarray:
    """The nearest f16 values (ties to even) of a float array, as float32."""
    if values.dtype == np.float16:
        return half_values(values)
    if values.dtype != np.float32 or values.size < _FEW:
        return values.astype(np.float16).astype(np.float32)
    values = np.ascontiguousarray(values)
    bits = values.view(np.uint32)
    odd = _odd_places(bits)
    found = bits >> _SHIFT
    found &= _ONE
    found += _BELOW_HALF
    found += bits
    found &= _KEEP
    rounded = found.view(np.float32)
    if odd.size:
        rounded.reshape(-1)[odd] = values.reshape(-1)[odd].astype(np.float16)
    return rounded


def half_storage(values: np.ndarray) -> np.ndarray:
    """Floats as float16, rounded if need be; fast for f16 values that are held as float32."""
    if values.dtype != np.float32 or values.size < _FEW_TO_STORE:
        return values.astype(np.float16)
    values = np.ascontiguousarray(values)
    bits = values.view(np.uint32)
    if (bits & ~_KEEP).any():
        return values.astype(np.float16)
    odd = _odd_places(bits)
    found = (bits >> _SHIFT).astype(np.uint16)
    found -= _REBASE
    sign = (bits >> np.uint32(16)).astype(np.uint16)
    sign &= _SIGN
    found |= sign
    stored = found.view(np.float16)
    if odd.size:
        stored.reshape(-1)[odd] = values.reshape(-1)[odd]
    return stored


def half_values(stored: np.ndarray) -> np.ndarray:
    """float16 elements as float32."""
    if stored.size < _FEW:
        return stored.astype(np.float32)
    return _table().take(stored.view(np.uint16))


@functools.cache
def _table() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
