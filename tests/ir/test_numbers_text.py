"""Float literals: the spec's samples, and reading back what is printed."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.numbers import (
    bits_to_float,
    dtype,
    float_dtypes,
    float_to_bits,
    format_float,
    parse_float,
)


@pytest.mark.parametrize(
    ("source", "of", "printed"),
    [
        ("0.1", "f16", "9.997550e-02"),
        ("1.0e-5", "f32", "9.99999974E-6"),
        ("3.14159265", "f16", "3.140630e+00"),
        ("6.0e-8", "f16", "5.960460e-08"),
        ("1.0e-45", "f32", "1.401300e-45"),
        ("-0.0", "f32", "-0.000000e+00"),
        ("0.0", "f64", "0.000000e+00"),
        ("65504.0", "f16", "6.550400e+04"),
        ("0.75", "f32", "7.500000e-01"),
        ("1e20", "f32", "1.000000e+20"),
        ("3.14159265", "f32", "3.14159274"),
        ("0.33333333", "f32", "0.333333343"),
        ("-0.33333333", "f32", "-0.333333343"),
        ("123456.789", "f32", "123456.789"),
        ("3.40282347E+38", "f32", "3.40282347E+38"),
        ("16777216.0", "f32", "0x4B800000"),
        ("1234567.0", "f32", "0x4996B438"),
        ("100000001.0", "f64", "0x4197D78404000000"),
        ("1.0e5", "f16", "0x7C00"),
        ("-1.0e5", "f16", "0xFC00"),
        ("1.0e-8", "f16", "0.000000e+00"),
        ("0x3F800000", "f32", "1.000000e+00"),
        ("0xFC00", "f16", "0xFC00"),
        ("0x7E00", "f16", "0x7E00"),
        ("0xFF800000", "f32", "0xFF800000"),
        ("0x7FC0", "bf16", "0x7FC0"),
        ("1.0", "df16", "1.000000e+00"),
        ("1e10", "df16", "0x7FFF"),
        ("1.0009765625", "df16", "1.001950e+00"),
    ],
)
def test_samples(source, of, printed):
    assert format_float(parse_float(source, of), of) == printed
    assert float_to_bits(parse_float(printed, of), of) == float_to_bits(parse_float(source, of), of)


@pytest.mark.parametrize("of", [d for d in float_dtypes() if d.bits <= 19], ids=str)
def test_codes_read_back(of):
    step = 1 if of.bits == 8 else 37 if of.bits == 16 else 331
    for bits in range(0, 1 << of.bits, step):
        value = bits_to_float(bits, of)
        again = parse_float(format_float(value, of), of)
        assert float_to_bits(again, of) == float_to_bits(value, of), hex(bits)


@pytest.mark.parametrize(("of", "unsigned", "signed"), [("f32", "<I", "<f"), ("f64", "<Q", "<d")])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_wide_codes_read_back(of, unsigned, signed, data):
    bits = data.draw(st.integers(0, (1 << dtype(of).bits) - 1))
    value = struct.unpack(signed, struct.pack(unsigned, bits))[0]
    text = format_float(value, of)
    again = parse_float(text, of)
    assert again == value or (np.isnan(again) and np.isnan(value))
    assert text.startswith("0x") == (not np.isfinite(value) or ("." not in text))


@pytest.mark.parametrize("of", ["f16", "bf16", "f32", "df16"])
@settings(max_examples=100, deadline=None)
@given(
    k=st.integers(0, 1 << 23),
    exponent=st.integers(-12, 10),
    digits=st.integers(1, 55),
    side=st.sampled_from([-1, 0, 1]),
)
def test_decimal_text_rounds_once(of, k, exponent, digits, side):
    """A tie of the type, and decimal text 10^-digits·10^-25 beside it, beyond float64's reach."""
    precision = dtype(of).format.precision
    k = (1 << (precision - 1)) + k % (1 << (precision - 1))
    tie = Fraction(2 * k + 1) * Fraction(2) ** (exponent - precision - 1)
    places = 80
    text = str(
        (tie.numerator * 10**places // tie.denominator) + side * 10 ** (places - 25 - digits)
    )
    text = text.rjust(places + 1, "0")
    text = f"{text[:-places]}.{text[-places:]}"
    up = side > 0 or (side == 0 and (k % 2 == 1 or of == "df16"))
    expected = float((k + up) * Fraction(2) ** (exponent - precision))
    if expected > dtype(of).max:
        expected = np.inf
    assert parse_float(text, of) == expected


def test_bad_literals_are_refused():
    for text in ("one", "", "0xG", "1.0f"):
        with pytest.raises(ValueError):
            parse_float(text, "f32")
    with pytest.raises(ValueError, match="0x1FFFF out of range for 16 bits"):
        parse_float("0x1FFFF", "f16")
    with pytest.raises(ValueError, match="'i32' is not a floating point type"):
        format_float(1.0, "i32")


def test_extreme_exponents_terminate():
    assert parse_float("1e400000000", "f16") == np.inf
    assert parse_float("1e-400000000", "f16") == 0
