"""Vectorised float64 error functions, from their defining series and continued fraction.

erf on |x| < 1/2 is x·P(x²); beyond, erfc(x) = exp(-x²)·t·Q(t) with t = 2/(2 + x), where P and Q
are polynomials in Chebyshev form. Their coefficients are computed once, in 50-digit decimal
arithmetic, from the Maclaurin series (all terms positive) and, for large x, the continued fraction
of erfc. The relative error of both functions is below 1e-15 (erf in the last place or two).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np

_SPLIT = 0.5  # |x| from which erfc is evaluated directly
_BLOCK = 4096  # elements evaluated at a time, so that temporaries stay in cache
_SMALL_DEGREE = 10
_TAIL_DEGREE = 23
_VANISHES = 28.0  # erfc underflows before


def erf(x: np.ndarray) -> np.ndarray:
    """Error function of a float64 array."""
    return _blocks(_erf_block, x)


def erfc(x: np.ndarray) -> np.ndarray:
    """Complementary error function of a float64 array, with full relative precision."""
    return _blocks(_erfc_block, x)


def _blocks(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, np.float64)
    flat = x.reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        out[part] = function(flat[part])
    return out.reshape(x.shape)


def _erf_block(x: np.ndarray) -> np.ndarray:
    small = np.abs(x) < _SPLIT
    far = np.copysign(1.0 - _tail(np.abs(x)), x)
    return np.where(small, _small(np.where(small, x, 0.0)), far)


def _erfc_block(x: np.ndarray) -> np.ndarray:
    small = np.abs(x) < _SPLIT
    tail = _tail(np.abs(x))
    far = np.where(x < 0, 2.0 - tail, tail)
    return np.where(small, 1.0 - _small(np.where(small, x, 0.0)), far)


def _small(x: np.ndarray) -> np.ndarray:
    """erf on |x| ≤ 1/2; NaN passes."""
    return x * _clenshaw(_small_coefficients(), 2.0 * (x / _SPLIT) ** 2 - 1.0)


def _tail(x: np.ndarray) -> np.ndarray:
    """erfc on x ≥ 1/2 (any value below gives a meaningless finite number); NaN passes."""
    x = np.minimum(x, _VANISHES)
    t = 2.0 / (2.0 + x)
    # exp(-x²) loses x²·2^-53 if x² is rounded: split off a head whose square is exact.
    head = (x.view(np.int64) & ~np.int64(0x7FFFFFF)).view(np.float64)
    gauss = np.exp(-head * head) * np.exp((head - x) * (head + x))
    low, high = _tail_range()
    scaled = _clenshaw(_tail_coefficients(), (2.0 * t - (low + high)) / (high - low))
    return gauss * (t * scaled)


def _tail_range() -> tuple[float, float]:
    return 2.0 / (2.0 + _VANISHES), 2.0 / (2.0 + _SPLIT)


def _clenshaw(coefficients: tuple[float, ...], y: np.ndarray) -> np.ndarray:
    """Sum of c_k·T_k(y)."""
    twice = 2.0 * y
    ahead = np.zeros_like(y)
    now = np.full_like(y, coefficients[-1])
    for c in coefficients[-2:0:-1]:
        now, ahead = twice * now - ahead + c, now
    return y * now - ahead + coefficients[0]


@functools.cache
def _small_coefficients() -> tuple[float, ...]:
    def value(node: float) -> Decimal:
        square = Decimal(node + 1.0) / 2 * Decimal(_SPLIT) ** 2
        return _series(square.sqrt()) / square.sqrt()

    return _chebyshev(value, _SMALL_DEGREE)


@functools.cache
def _tail_coefficients() -> tuple[float, ...]:
    low, high = map(Decimal, _tail_range())

    def value(node: float) -> Decimal:
        t = ((high - low) * Decimal(node) + low + high) / 2
        x = 2 / t - 2
        return _scaled_erfc(x) / t

    return _chebyshev(value, _TAIL_DEGREE)


def _chebyshev(function: Callable[[float], Decimal], degree: int) -> tuple[float, ...]:
    """Coefficients of the interpolant at the Chebyshev nodes cos((2k + 1)·π/2n).

    The mean is taken off the values in decimal, and angles are reduced as integers, so that the
    cosine sums in floating point keep the coefficients exact to about 1e-17.
    """
    count = degree + 1
    cosines = [math.cos(math.pi * n / (2 * count)) for n in range(4 * count)]
    with localcontext() as context:
        context.prec = 50
        values = [function(cosines[2 * k + 1]) for k in range(count)]
        mean = sum(values, Decimal(0)) / count
        rest = [float(value - mean) for value in values]
    coefficients = [float(mean)]
    for j in range(1, count):
        terms = [v * cosines[j * (2 * k + 1) % (4 * count)] for k, v in enumerate(rest)]
        coefficients.append(2.0 / count * math.fsum(terms))
    return tuple(coefficients)


def _series(x: Decimal) -> Decimal:
    """erf(x) = 2/√π·e^(-x²)·Σ 2^n·x^(2n+1)/(2n+1)!!."""
    term = total = x
    n = 1
    while term > total.scaleb(-50):
        term = term * 2 * x * x / (2 * n + 1)
        total += term
        n += 1
    return 2 / _pi().sqrt() * (-x * x).exp() * total


def _scaled_erfc(x: Decimal) -> Decimal:
    """e^(x²)·erfc(x): by 1 - erf for small x, by its continued fraction for large x."""
    if x < 3:
        return (x * x).exp() * (1 - _series(x))
    fraction = x
    for n in range(400, 0, -1):
        fraction = x + Decimal(n) / 2 / fraction
    return 1 / (_pi().sqrt() * fraction)


@functools.cache
def _pi() -> Decimal:
    """Machin: π = 16·atan(1/5) - 4·atan(1/239)."""

    def inverse_tangent(n: int) -> Decimal:
        power = total = Decimal(1) / n
        k = 1
        while power > Decimal(10) ** -60:
            power /= n * n
            k += 2
            total += -power / k if k % 4 == 3 else power / k
        return total

    with localcontext() as context:
        context.prec = 60
        return 16 * inverse_tangent(5) - 4 * inverse_tangent(239)
