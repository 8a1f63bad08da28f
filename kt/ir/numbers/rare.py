"""Floats outside the dtype table: they are read and written, but nothing computes with them.

f80 and f128 hold every double, so a literal is the double nearest to it, as in MLIR. The formats of
4, 6 and 8 bits have no infinity: a literal beyond the largest number is that number.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache

WIDE = {"f80": (15, 63), "f128": (15, 112)}
"""Widths of exponent and fraction; f80 writes its leading bit."""
TINY = {"f4E2M1FN": (2, 1, 1), "f6E2M3FN": (2, 3, 1), "f6E3M2FN": (3, 2, 3), "f8E8M0FNU": (8, 0, 127)}
"""Exponent and fraction bits, bias."""
RARE = frozenset((*WIDE, *TINY))


def precision(name: str) -> int:
    """Significant bits."""
    return (WIDE[name] if name in WIDE else TINY[name])[1] + 1


def round_literal(value: float, name: str) -> float:
    """The number of the type nearest to ``value``, ties to the even code."""
    if name in WIDE:
        return value
    values = positive_values(name)
    size = abs(value)
    at = bisect_left(values, size)
    if at == len(values):
        nearest = values[-1]
    elif at == 0 or values[at] == size:
        nearest = values[at]
    else:
        below, above = values[at - 1], values[at]
        middle = (below + above) / 2
        nearest = (below if at % 2 else above) if size == middle else below if size < middle else above
    return math.copysign(nearest, value) if name != "f8E8M0FNU" else nearest


def reads_as(text: str, value: float, name: str) -> bool:
    """Whether the number of the type that is nearest to a decimal ``text`` is ``value``."""
    if name in TINY or value == 0:
        return round_literal(float(text), name) == value
    from fractions import Fraction  # takes 5 ms to load

    _, power = math.frexp(value)
    half = Fraction(2) ** (power - precision(name) - 1)
    return abs(Fraction(text) - Fraction(value)) <= half


@cache
def positive_values(name: str) -> list[float]:
    """Values of the codes without sign bit, in order."""
    exponent, fraction, bias = TINY[name]
    if name == "f8E8M0FNU":
        return [2.0 ** (code - bias) for code in range(255)]
    found = []
    for code in range(1 << (exponent + fraction)):
        power, rest = code >> fraction, code & ((1 << fraction) - 1)
        found.append(math.ldexp(rest + ((1 << fraction) if power else 0), max(power, 1) - bias - fraction))
    return found


def to_code(value: float, name: str) -> int:
    """Bit pattern of a number of the type."""
    if name in TINY:
        if name == "f8E8M0FNU":
            return 255 if value != value else positive_values(name).index(value)
        exponent, fraction, _ = TINY[name]
        sign = 1 if math.copysign(1, value) < 0 else 0
        return sign << (exponent + fraction) | positive_values(name).index(abs(value))
    exponent, fraction = WIDE[name]
    bias, explicit = (1 << (exponent - 1)) - 1, name == "f80"
    sign = 1 if math.copysign(1, value) < 0 else 0
    if value != value or math.isinf(value):
        power, rest = (1 << exponent) - 1, (1 << (fraction - 1)) if value != value else 0
    elif value == 0:
        power = rest = explicit = 0
    else:
        part, power = math.frexp(abs(value))
        rest = int(math.ldexp(part, 53)) << (fraction + 1 - 53)
        rest -= 1 << fraction
        power += bias - 1
    if not explicit:
        return (sign << exponent | power) << fraction | rest
    return (sign << exponent | power) << (fraction + 1) | 1 << fraction | rest


def from_code(code: int, name: str) -> float:
    """Value of a bit pattern; ValueError if no double has it."""
    if name in TINY:
        exponent, fraction, _ = TINY[name]
        if name == "f8E8M0FNU":
            return math.nan if code == 255 else positive_values(name)[code]
        size = positive_values(name)[code & ((1 << (exponent + fraction)) - 1)]
        return -size if code >> (exponent + fraction) else size
    exponent, fraction = WIDE[name]
    width = fraction + (name == "f80")
    power = (code >> width) & ((1 << exponent) - 1)
    rest = code & ((1 << fraction) - 1)
    if power == (1 << exponent) - 1:
        value = math.nan if rest else math.inf
    else:
        lead = (code >> fraction) & 1 if name == "f80" else int(power > 0)
        number = lead << fraction | rest
        try:
            value = math.ldexp(number, max(power, 1) - (1 << (exponent - 1)) + 1 - fraction)
        except OverflowError:
            value = math.inf
        if to_code(value, name) != code & ((1 << (width + exponent)) - 1):
            raise ValueError(f"the bit pattern 0x{code:X} of {name} has no double of the same value")
    return -value if code >> (width + exponent) else value
