"""Integer ops of every width against Python integers."""

from __future__ import annotations

import numpy as np
import pytest
from exact_reference import apply
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.numbers import dtype, round_to
from kt.sim.semantics import ArithmeticFault

WIDTHS = ["i1", "i4", "i7", "i8", "i16", "i32", "i33", "i64", "index"]


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def popcount(a):
    return bin(a).count("1")


# signed value of the result from signed operands; results wrap
SIGNED = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.divsi": truncated,
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.remsi": lambda a, b: a - truncated(a, b) * b,
}
UNSIGNED = {
    "arith.maxui": max,
    "arith.minui": min,
    "arith.divui": lambda a, b: a // b,
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.remui": lambda a, b: a % b,
}
DIVISIONS = {"divsi", "floordivsi", "ceildivsi", "remsi", "divui", "ceildivui", "remui"}


def draw_pair(data, bits):
    numbers = st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    small = st.integers(max(-3, -(1 << (bits - 1))), min(3, (1 << (bits - 1)) - 1))
    either = st.one_of(numbers, small)
    return data.draw(either), data.draw(either)


def wrapped(value, bits):
    low = value % (1 << bits)
    return low - (1 << bits) if low >> (bits - 1) else low


def as_signed(result, of):
    assert np.asarray(result).dtype == of.compute
    return -int(result) if of.name == "i1" else int(result)


@pytest.mark.parametrize("of", WIDTHS)
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_binary_ops(name, of, data):
    kind = dtype(of)
    a, b = draw_pair(data, kind.bits)
    x, y = (round_to(np.int64(v), kind) for v in (a, b))
    if name.split(".")[1] in DIVISIONS:
        overflow = name in SIGNED and name != "arith.remsi" and b == -1 and a == kind.min
        if b == 0 or overflow:
            with pytest.raises(ArithmeticFault):
                apply(name, x, y, of=of)
            return
    if name in SIGNED:
        expected = SIGNED[name](a, b)
    else:
        expected = UNSIGNED[name](a % (1 << kind.bits), b % (1 << kind.bits))
    assert as_signed(apply(name, x, y, of=of), kind) == wrapped(expected, kind.bits)


@pytest.mark.parametrize("of", WIDTHS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_comparisons_and_extended_ops(of, data):
    kind = dtype(of)
    bits = kind.bits
    a, b = draw_pair(data, bits)
    x, y = (round_to(np.int64(v), kind) for v in (a, b))
    ua, ub = a % (1 << bits), b % (1 << bits)
    for predicate, expected in {
        "eq": a == b, "ne": a != b, "slt": a < b, "sle": a <= b, "sgt": a > b, "sge": a >= b,
        "ult": ua < ub, "ule": ua <= ub, "ugt": ua > ub, "uge": ua >= ub,
    }.items():  # fmt: skip
        assert apply("arith.cmpi", x, y, of=of, result="i1", predicate=predicate) == expected
    total, carry = apply("arith.addui_extended", x, y, of=of)
    assert as_signed(total, kind) == wrapped(ua + ub, bits) and carry == (ua + ub) >> bits
    for name, product in (("mului_extended", ua * ub), ("mulsi_extended", a * b)):
        low, high = apply(f"arith.{name}", x, y, of=of)
        assert as_signed(low, kind) == wrapped(product, bits)
        assert as_signed(high, kind) == wrapped(product >> bits, bits)


@pytest.mark.parametrize("of", WIDTHS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_shifts(of, data):
    kind = dtype(of)
    bits = kind.bits
    a, _ = draw_pair(data, bits)
    amount = data.draw(st.integers(0, bits - 1))
    x, y = (round_to(np.int64(v), kind) for v in (a, amount))
    for name, expected in {
        "shli": a << amount,
        "shrsi": a >> amount,
        "shrui": a % (1 << bits) >> amount,
    }.items():
        assert as_signed(apply(f"arith.{name}", x, y, of=of), kind) == wrapped(expected, bits)


@pytest.mark.parametrize("of", WIDTHS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_bit_counts_and_powers(of, data):
    kind = dtype(of)
    bits = kind.bits
    a, b = draw_pair(data, bits)
    x = round_to(np.int64(a), kind)
    low = a % (1 << bits)
    expected = {
        "absi": abs(a),
        "ctpop": popcount(low),
        "ctlz": bits - low.bit_length(),
        "cttz": (low & -low).bit_length() - 1 if low else bits,
    }
    for name, value in expected.items():
        assert as_signed(apply(f"math.{name}", x, of=of), kind) == wrapped(value, bits)
    exponent = round_to(np.int64(b), kind)
    if a == 0 and b < 0:
        with pytest.raises(ArithmeticFault, match="negative power"):
            apply("math.ipowi", x, exponent, of=of)
        return
    if b < 0:
        power = {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
    else:
        power = pow(a, b, 1 << bits)
    assert as_signed(apply("math.ipowi", x, exponent, of=of), kind) == wrapped(power, bits)


@pytest.mark.parametrize(
    ("name", "a", "b", "index", "text"),
    [
        ("divsi", [[8, 8], [8, 8]], [[1, 1], [0, 0]], (1, 0), "divsi: division by zero"),
        ("remui", 8, 0, (), "remui: division by zero"),
        ("divsi", [1, -128], [-1, -1], (1,), "-128 / -1 overflows i8"),
        ("shli", [1, 1, 1], [0, 7, 8], (2,), "not below the width of i8"),
        ("shrui", [1, 1], [-1, 0], (0,), "not below the width of i8"),
    ],
)
def test_faults_name_the_first_element(name, a, b, index, text):
    with pytest.raises(ArithmeticFault, match=text) as caught:
        apply(f"arith.{name}", np.array(a, np.int8), np.array(b, np.int8), of="i8")
    assert caught.value.index == index


def test_spyreop_integer_intrinsics_wrap():
    big = np.int32(0x7FFFFFFF)
    assert apply("spyreop.addi32toi32", big, np.int32(1), of="i32") == -(2**31)
    assert apply("spyreop.muli32toi32", big, np.int32(2), of="i32") == -2
    assert apply("spyreop.addi64toi64", np.int64(2**62), np.int64(2**62), of="i64") == -(2**63)
    rows = np.arange(3, dtype=np.int32)
    old = apply("spyreop.idx32toaddr", rows, of="i32", base_address=0x7FFFFFFF, stride=4)
    assert old.tolist() == [2**31 - 1, -(2**31) + 3, -(2**31) + 7]
    new = apply("spyreop.idx32toaddr", rows, np.int32(100), np.int32(4), of="i32")
    assert new.tolist() == [100, 104, 108]
