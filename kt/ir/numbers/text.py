"""Float literals: MLIR's text of a float attribute, and the value of a decimal or hex literal."""

from __future__ import annotations

import struct
from math import copysign, inf, isfinite, isnan
from typing import TYPE_CHECKING

from kt.ir.lazy import np
from kt.ir.numbers import rare

if TYPE_CHECKING:
    from kt.ir.numbers.dtypes import DType

_NATIVE = {"f16": "<e", "f32": "<f", "f64": "<d"}
"""Types that Python itself rounds to, and their :mod:`struct` codes: most text needs no NumPy."""
_FIRST_DIGITS = 6  # significant digits of the form that is tried first
_MAX_PADDING = 3  # zeros that the plain form may add before it turns scientific


def float_to_bits(value: float, of: DType | str) -> int:
    """Bit pattern of a value, rounded to `of`."""
    code = _NATIVE.get(_name(of))
    if code and not isnan(value):
        return int.from_bytes(_packed(code, value), "little")
    from kt.ir.numbers.rounding import to_bits

    return int(to_bits(np.float64(value), _dtype(of)))


def bits_to_float(bits: int, of: DType | str) -> float:
    """Value of a bit pattern of dtype `of`; ValueError if the pattern is wider than the type."""
    if of in rare.RARE:
        return rare.from_code(bits, str(of))
    code = _NATIVE.get(_name(of))
    if code and 0 <= bits < 1 << 8 * struct.calcsize(code):
        value = struct.unpack(code, bits.to_bytes(struct.calcsize(code), "little"))[0]
        if not isnan(value):
            return value
    from kt.ir.numbers.rounding import from_bits

    of = _dtype(of)
    if not 0 <= bits < 1 << of.bits:
        raise ValueError(f"hexadecimal float constant 0x{bits:X} out of range for {of.bits} bits")
    return float(from_bits(np.array(bits, f"u{of.itemsize}"), of))


def parse_float(text: str, of: DType | str) -> float:
    """Value of a literal in dtype `of`.

    Decimal text is rounded once (overflow gives an infinity, underflow zero or a subnormal);
    `0x…` is a bit pattern. Raises ValueError if the text is neither.
    """
    if text[:2] in ("0x", "0X"):
        return bits_to_float(int(text, 16), of)
    value = float(text)
    if of in rare.RARE:
        return rare.round_literal(value, str(of))
    if _name(of) == "f64":
        return value
    exact = _to_odd(text, value)
    code = _NATIVE.get(_name(of))
    if code and not isnan(value):
        return struct.unpack(code, _packed(code, exact))[0]
    from kt.ir.numbers.rounding import round_to

    return float(round_to(np.float64(exact), _dtype(of)))


def format_float(value: float, of: DType | str) -> str:
    """MLIR's text of a float attribute of dtype `of`.

    Six significant digits in scientific form if that reads back as the same bits, else enough
    digits for any value of the type, else (no point in that text, NaN, infinity) hexadecimal bits.
    """
    if of in rare.RARE:
        return _format_rare(value, str(of))
    bits = float_to_bits(value, of)
    value = bits_to_float(bits, of)
    if isfinite(value):
        short = _scientific(value, _FIRST_DIGITS)
        if float_to_bits(parse_float(short, of), of) == bits:
            return short
        form = _dtype(of).format
        assert form is not None
        long = _plain(value, form.precision)
        if "." in long:
            return long
    return f"0x{bits:X}"


def _format_rare(value: float, name: str) -> str:
    if isfinite(value):
        short = _scientific(value, _FIRST_DIGITS)
        if rare.reads_as(short, value, name):
            return short
        long = _plain(value, rare.precision(name))
        if "." in long:
            return long
    return f"0x{rare.to_code(value, name):X}"


def _name(of: DType | str) -> str:
    return of if isinstance(of, str) else of.name


def _packed(code: str, value: float) -> bytes:
    """A value rounded to the nearest; infinity where there is none."""
    try:
        return struct.pack(code, value)
    except OverflowError:
        return struct.pack(code, copysign(inf, value))


def _dtype(of: DType | str) -> DType:
    from kt.ir.numbers.dtypes import dtype

    of = dtype(of) if isinstance(of, str) else of
    if of.format is None:
        raise ValueError(f"'{of.name}' is not a floating point type")
    return of


def _to_odd(text: str, value: float) -> float:
    """`value` = float(text), moved to its odd neighbour if text is inexact and may be near a tie.

    Only a value with many trailing zero bits can be a tie of a type of at most 24 bits.
    """
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    if bits & 0xFFFFF or not isfinite(value) or value == 0:
        return value
    from fractions import Fraction  # takes 5 ms to load

    exact, near = abs(Fraction(text)), abs(Fraction(value))
    if exact == near:
        return value
    bits += 1 if exact > near else -1
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def _digits(value: float, precision: int) -> tuple[str, int]:
    """Decimal digits d and exponent e with |value| ≈ 0.d·10^e … as LLVM's printer rounds them.

    It first divides the exact decimal integer by a power of ten chosen from the bit count
    (truncating), and only then rounds half up to `precision` digits; this shows in the last digit
    (0.1 : f16 is 9.997550e-02, though the value is 0.09997559).
    """
    numerator, denominator = abs(value).as_integer_ratio()
    twos = denominator.bit_length() - 1
    number, exponent = numerator * 5**twos, -twos
    # 196/59 slightly exceeds log2(10).
    spare = number.bit_length() - (precision * 196 + 58) // 59
    drop = spare * 59 // 196 if spare > 0 else 0
    number //= 10**drop
    text = str(number)
    exponent += drop
    excess = len(text) - precision
    if excess > 0:
        number = (number + 5 * 10 ** (excess - 1)) // 10**excess
        text, exponent = str(number), exponent + excess
    stripped = text.rstrip("0")
    return stripped, exponent + len(text) - len(stripped)


def _scientific(value: float, precision: int) -> str:
    sign = "-" if copysign(1, value) < 0 else ""
    if value == 0:
        return f"{sign}0.{'0' * precision}e+00"
    digits, exponent = _digits(value, precision)
    exponent += len(digits) - 1
    return f"{sign}{digits[0]}.{digits[1:].ljust(precision, '0')}e{exponent:+03d}"


def _plain(value: float, bits: int) -> str:
    """``bits``: precision of the type."""
    precision = 2 + bits * 59 // 196
    sign = "-" if value < 0 else ""
    digits, exponent = _digits(value, precision)
    count = len(digits)
    lead = exponent + count - 1  # power of the first digit
    if exponent >= 0:
        scientific = exponent > _MAX_PADDING or count + exponent > precision
    else:
        scientific = lead < 0 and -lead > _MAX_PADDING
    if scientific:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{lead:+d}"
    if exponent >= 0:
        return sign + digits + "0" * exponent
    if lead >= 0:
        return f"{sign}{digits[: lead + 1]}.{digits[lead + 1 :]}"
    return f"{sign}0.{'0' * (-lead - 1)}{digits}"
