"""Rounding, codes and storage against exact rational arithmetic, exhaustively for 16-bit types."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kt.ir.numbers import (
    convert,
    decode,
    dtype,
    encode,
    float_dtypes,
    from_bits,
    int_dtype,
    round_to,
    to_bits,
)

DF16 = dtype("df16")
F16 = dtype("f16")
CODES = np.arange(1 << 16, dtype=np.uint16)

# name: fraction bits, exponent of the smallest normal, largest finite value
SHAPES = {
    "f16": (10, -14, 65504),
    "bf16": (7, -126, Fraction(2) ** 128 - Fraction(2) ** 120),
    "f32": (23, -126, Fraction(2) ** 128 - Fraction(2) ** 104),
    "tf32": (10, -126, Fraction(2) ** 128 - Fraction(2) ** 117),
    "f8E5M2": (2, -14, 57344),
    "f8E4M3": (3, -6, 240),
    "f8E3M4": (4, -2, Fraction(31, 2)),
    "f8E4M3FN": (3, -6, 448),
    "f8E5M2FNUZ": (2, -15, 57344),
    "f8E4M3FNUZ": (3, -7, 240),
    "f8E4M3B11FNUZ": (3, -10, 30),
}
NO_INFINITY = {"f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"}


def floor_log2(x: Fraction) -> int:
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


def nearest_even(value: float, name: str) -> float:
    """Reference: round half to even in units of the last place, no subtlety."""
    if np.isnan(value) or (np.isinf(value) and name in NO_INFINITY):
        return np.nan
    if np.isinf(value) or value == 0:
        return 0.0 if name.endswith("FNUZ") and value == 0 else value
    fraction, lowest, largest = SHAPES[name]
    exact = abs(Fraction(value))
    unit = Fraction(2) ** (max(floor_log2(exact), lowest) - fraction)
    result = round(exact / unit) * unit
    if result > largest:
        return np.nan if name in NO_INFINITY else float(np.copysign(np.inf, value))
    if result == 0 and name.endswith("FNUZ"):
        return 0.0
    return float(np.copysign(float(result), value))


def nearest_away_df16(value: float) -> float:
    """Reference for df16: 1-6-9, no subnormals, ties away, code 0 is zero, all ones is merged."""
    if np.isnan(value):
        return np.inf
    exact = abs(Fraction(value)) if np.isfinite(value) else Fraction(2) ** 40
    if exact < Fraction(2) ** -31:
        smallest = Fraction(2) ** -31 * Fraction(513, 512)
        result = smallest if exact >= smallest / 2 else Fraction(0)
    else:
        unit = Fraction(2) ** (floor_log2(exact) - 9)
        result = int(exact / unit + Fraction(1, 2)) * unit
        result = max(result, Fraction(2) ** -31 * Fraction(513, 512))
    if result > Fraction(2) ** 32 * Fraction(1022, 512):
        return float(np.copysign(np.inf, value))
    return float(np.copysign(float(result), value))


def same(a: object, b: object) -> bool:
    """Equal in value and sign of zero; NaN equals NaN."""
    with np.errstate(invalid="ignore"):  # widening a signalling NaN
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    nan = np.isnan(x) & np.isnan(y)
    return bool(np.all(nan | ((x == y) & (np.signbit(x) == np.signbit(y)))))


def test_df16_decodes_every_code_by_definition():
    values = decode(CODES, DF16)
    for code in range(0, 1 << 16):
        magnitude = code & 0x7FFF
        exponent, fraction = magnitude >> 9, magnitude & 0x1FF
        expected = 2.0 ** (exponent - 31) * (1 + fraction / 512)
        expected = 0.0 if magnitude == 0 else np.inf if magnitude == 0x7FFF else expected
        expected = -expected if code & 0x8000 else expected
        assert same(values[code], expected), hex(code)


def test_df16_every_code_survives_decode_encode():
    assert np.array_equal(encode(decode(CODES, DF16), DF16), CODES)


def test_df16_midpoints_go_away_from_zero_and_their_neighbours_to_the_near_side():
    low = decode(CODES[:0x7FFE], DF16).astype(np.float64)
    high = decode(CODES[1:0x7FFF], DF16).astype(np.float64)
    middle = (low + high) / 2
    below, above = np.nextafter(middle, 0), np.nextafter(middle, np.inf)
    for sign in (1, -1):
        assert same(round_to(sign * middle, DF16), sign * high)
        assert same(round_to(sign * above, DF16), sign * high)
        assert same(round_to(sign * below, DF16), sign * low)


def test_f16_to_df16_over_all_codes():
    values = CODES.view(np.float16)
    with np.errstate(invalid="ignore"):
        expected = [nearest_away_df16(float(v)) for v in values]
    assert same(round_to(values, DF16), expected)
    finite = np.isfinite(values) & (CODES < 0x8000)
    changed = round_to(values, DF16) != values.astype(np.float32)
    assert int((changed & finite).sum()) == 15360


def test_df16_to_f16_over_all_codes():
    values = decode(CODES, DF16)
    rounded = [nearest_even(float(v), "f16") for v in values]
    assert same(round_to(values, F16), rounded)
    saturated = [
        float(np.copysign(65472, v)) if np.isfinite(v) and abs(v) > 65472 else r
        for v, r in zip(values, rounded)
    ]
    assert same(convert(values, DF16, F16), saturated)


def test_f16_round_trip_through_df16_keeps_infinities_subnormals_and_stays_finite():
    values = CODES.view(np.float16)
    back = convert(convert(values, F16, DF16), DF16, F16)
    assert np.array_equal(np.isinf(back), ~np.isfinite(values))
    subnormal = np.abs(values) < 2.0**-14
    assert same(back[subnormal], values[subnormal])
    assert back[0x7BFF] == 65472 and back[0xFBFF] == -65472
    assert same(back[[0x7C00, 0xFC00]], [np.inf, -np.inf])


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0.0, 0x0000), (-0.0, 0x8000), (1.0, 0x3E00), (-1.0, 0xBE00), (0.1, 0x3733),
        (1 / 3, 0x3AAB), (float(np.float16(0.5903)), 0x3C5D), (1 + 2.0**-10, 0x3E01),
        (1.0029296875, 0x3E02), (3.1415927, 0x4124), (100.0, 0x4B20), (2049.0, 0x5400),
        (65472.0, 0x5DFF), (65504.0, 0x5E00), (-65504.0, 0xDE00), (1.0e-5, 0x1C9F),
        (2.0**-14, 0x2200), (2.0**-24, 0x0E00), (2.0**-31, 0x0001), (1.5 * 2.0**-32, 0x0001),
        (2.0**-33, 0x0000), (8573157376.0, 0x7FFE), (2.0**33 - 2.0**23, 0x7FFF), (1e10, 0x7FFF),
        (np.inf, 0x7FFF), (-np.inf, 0xFFFF), (np.nan, 0x7FFF), (-np.nan, 0x7FFF),
    ],
)  # fmt: skip
def test_df16_table(value, code):
    for kind in (np.float64, np.float32):
        assert encode(kind(value), DF16) == code


def test_bf16_every_code_and_every_midpoint():
    bf16 = dtype("bf16")
    values = decode(CODES, bf16)
    assert np.array_equal(values.view(np.uint32), CODES.astype(np.uint32) << 16)
    assert np.array_equal(encode(values, bf16)[~np.isnan(values)], CODES[~np.isnan(values)])
    low, high = values[:0x7F80].astype(np.float64), values[1:0x7F81].astype(np.float64)
    high[-1] = 2.0**128
    middle = (low + high) / 2
    even = np.where(np.arange(0x7F80) % 2 == 0, low, high)
    even[-1] = np.inf
    high[-1] = np.inf
    assert same(round_to(middle, bf16), even)
    assert same(round_to(np.nextafter(middle, 0), bf16), low)
    assert same(round_to(np.nextafter(middle, np.inf), bf16), high)


@pytest.mark.parametrize("of", float_dtypes(), ids=str)
def test_codes_survive_a_round_trip(of):
    count = 1 << min(of.bits, 19)
    bits = np.arange(count, dtype=np.uint64) << np.uint64(max(0, of.bits - 19))
    bits = bits.astype(f"u{of.itemsize}")
    values = from_bits(bits, of)
    assert values.dtype == of.compute
    again = to_bits(values, of)
    numbers = ~np.isnan(values)
    assert np.array_equal(again[numbers], bits[numbers])
    assert np.isnan(from_bits(again[~numbers], of)).all()
    assert same(round_to(values, of), values)
    assert same(decode(encode(values, of), of), values)


def edge_floats(name: str) -> st.SearchStrategy[float]:
    """Any float64, ties of the type, and their float64 neighbours."""
    fraction, lowest, _ = SHAPES[name]
    tie = st.builds(
        lambda k, e, step, sign: sign * float(np.nextafter(np.ldexp(2 * k + 1, e), step)),
        st.integers(0, 1 << (fraction + 1)),
        st.integers(lowest - fraction - 2, lowest - fraction + 40),
        st.sampled_from([0.0, 1e300]),
        st.sampled_from([1.0, -1.0]),
    )
    exact = st.builds(
        lambda k, e: float(np.ldexp(2 * k + 1, e)),
        st.integers(0, 1 << (fraction + 1)),
        st.integers(lowest - fraction - 2, -lowest),
    )
    return st.one_of(st.floats(), st.floats(-1e3, 1e3), tie, exact)


@pytest.mark.parametrize("name", SHAPES)
def test_rounding_is_exact(name):
    of = dtype(name)

    @settings(max_examples=200, deadline=None)
    @given(edge_floats(name))
    @example(65519.999999999)
    @example(464.0)
    def check(value):
        assert same(round_to(np.float64(value), of), nearest_even(value, name))
        assert same(round_to(np.array([value]), of), [nearest_even(value, name)])

    check()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.floats(), st.floats(-1e11, 1e11), st.floats(-1e-8, 1e-8)))
def test_df16_rounding_is_exact(value):
    assert same(round_to(np.float64(value), DF16), nearest_away_df16(value))


MODES = {
    "downward": lambda q: q.__floor__(),
    "upward": lambda q: q.__ceil__(),
    "toward_zero": int,
    "to_nearest_away": lambda q: int(q + Fraction(1 if q > 0 else -1, 2)),
    "to_nearest_even": round,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@settings(max_examples=60, deadline=None)
@given(value=st.floats(-1e4, 1e4).filter(bool))
def test_rounding_modes(name, mode, value):
    fraction, lowest, _ = SHAPES[name]
    exact = Fraction(value)
    unit = Fraction(2) ** (max(floor_log2(abs(exact)), lowest) - fraction)
    expected = float(np.copysign(float(MODES[mode](exact / unit) * unit), value))
    assert same(round_to(np.float64(value), dtype(name), mode), expected)


def test_rounding_modes_at_overflow():
    values = np.array([1e6, -1e6, np.inf, -np.inf])
    expected = {
        "downward": [65504, -np.inf, np.inf, -np.inf],
        "upward": [np.inf, -65504, np.inf, -np.inf],
        "toward_zero": [65504, -65504, np.inf, -np.inf],
        "to_nearest_away": [np.inf, -np.inf, np.inf, -np.inf],
    }
    for mode, result in expected.items():
        assert same(round_to(values, F16, mode), result)
    with pytest.raises(ValueError, match="unknown rounding mode 'sideways'"):
        round_to(values, F16, "sideways")


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@settings(max_examples=150, deadline=None)
@given(
    value=st.one_of(
        st.integers(-(2**63), 2**63 - 1),
        st.builds(lambda k, e, d: ((2 * k + 1) << e) + d, st.integers(0, 255), st.integers(0, 53),
                  st.integers(-1, 1)),
    )
)  # fmt: skip
def test_integers_round_once(name, value):
    fraction, _, largest = SHAPES[name]
    unit = Fraction(2) ** (max(abs(value).bit_length() - 1, 0) - fraction)
    result = round(Fraction(value) / unit) * unit
    expected = float(result) if abs(result) <= largest else np.copysign(np.inf, value)
    assert float(round_to(np.int64(value), dtype(name))) == expected


@pytest.mark.parametrize("name", ["i1", "i4", "i7", "i8", "i33", "i64", "index", "ui8", "si16"])
@settings(max_examples=50, deadline=None)
@given(value=st.integers(-(2**63), 2**63 - 1))
def test_integers_wrap(name, value):
    of = dtype(name)
    result = round_to(np.int64(value), of)
    low = value % (1 << of.bits)
    unsigned = name[0] == "u" or name == "i1"
    assert int(result) == (low if unsigned or low < 1 << (of.bits - 1) else low - (1 << of.bits))
    assert int(to_bits(result, of)) == low
    assert int(decode(encode(result, of), of)) == int(result)


def test_dtype_table():
    sizes = {"f16": 2, "bf16": 2, "df16": 2, "f32": 4, "tf32": 4, "f64": 8, "i1": 1, "i8": 1,
             "i4": 1, "i16": 2, "i32": 4, "i33": 8, "i64": 8, "index": 8, "f8E4M3FN": 1,
             "fp16_fused": 4, "df16_fused": 4, "fp32_fused": 8}  # fmt: skip
    for name, size in sizes.items():
        of = dtype(name)
        assert of.itemsize == size == of.storage.itemsize
        assert encode(np.zeros(3, of.compute), of).dtype == of.storage
    assert dtype("!spyreop.df16").name == "df16"
    assert int_dtype(32) is dtype("i32")
    assert pickle.loads(pickle.dumps(DF16)) is DF16
    assert (dtype("i8").min, dtype("i8").max, dtype("ui8").max) == (-128, 127, 255)
    assert (F16.max, DF16.max) == (65504, 8573157376)
    assert DF16.format.min_normal == float(decode(np.uint16(1), DF16))
    assert F16.format.min_normal == 2.0**-14


@pytest.mark.parametrize("name", ["f15", "i0", "i65", "ui128", "f80", "xi8", ""])
def test_unknown_dtypes_are_refused(name):
    with pytest.raises(ValueError, match="type"):
        dtype(name)


def test_pairs_are_packed_field_by_field():
    of = dtype("df16_fused")
    values = np.array([(1.0, 0.1), (-65504.0, 2.0)], [("mean", "f8"), ("square", "f8")])
    stored = encode(values, of)
    assert stored["mean"].tolist() == [0x3E00, 0xDE00]
    assert stored["square"].tolist() == [0x3733, 0x4000]
    assert decode(stored, of)["mean"].tolist() == [1.0, -65536.0]


def test_nan_payloads_keep_their_bits():
    for name, bits in (("f16", 0x7E01), ("bf16", 0x7FC3), ("f32", 0xFFC00001)):
        of = dtype(name)
        assert int(to_bits(from_bits(np.array(bits, f"u{of.itemsize}"), of), of)) == bits


# -- f16 in float32: the fast paths against NumPy's own casts -----------------------------------


def _around_every_half() -> np.ndarray:
    """Every finite half, the ties between neighbours, and the float32 values beside both."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    halves = np.sort(halves[np.isfinite(halves)])
    ties = (halves[1:] + halves[:-1]) / 2
    points = np.concatenate([halves, ties])
    return np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return bool((same | (np.isnan(a) & np.isnan(b))).all())


@pytest.mark.parametrize("part", ["normal", "all", "specials"])
def test_half_rounding_equals_the_cast(part: str) -> None:
    values = _around_every_half()
    if part == "normal":
        values = values[(values == 0) | ((np.abs(values) >= 2**-14) & (np.abs(values) < 65519))]
    elif part == "specials":
        extremes = np.array([np.inf, -np.inf, np.nan, 65520, -65520], np.float32)
        values = np.concatenate([values, extremes])
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    got = round_to(values, dtype("f16"))
    assert got.dtype == np.float32
    assert _same(got, half.astype(np.float32))
    assert _same(encode(values, dtype("f16")), half)
    assert _same(encode(got, dtype("f16")), half)
    assert _same(decode(half, dtype("f16")), half.astype(np.float32))


@pytest.mark.parametrize("of", [d for d in float_dtypes() if d.bits <= 8], ids=str)
def test_codes_of_large_arrays(of):
    """Arrays that are worth a table get the codes that their elements get one by one."""
    exact = np.unique(from_bits(np.arange(1 << of.bits, dtype=np.uint8), of).astype(np.float64))
    exact = exact[np.isfinite(exact)]
    ties = (exact[1:] + exact[:-1]) / 2
    near = [exact, ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)]
    odd = np.array([np.inf, -np.inf, np.nan, -0.0, 1e300, -1e300, 5e-324])
    few = np.concatenate([*near, odd, np.random.default_rng(5).normal(0, 1, 500)])
    many = np.tile(few, (1 << 14) // len(few) + 1)
    assert (to_bits(many, of)[: len(few)] == [int(to_bits(x, of)) for x in few]).all()
