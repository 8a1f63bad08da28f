"""Float arithmetic against exact rationals: one rounding, in every type."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from exact_reference import apply, finite_values, nearest, same
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.numbers import dtype, float_dtypes
from kt.sim.semantics import lookup

TYPES = ["f16", "bf16", "df16", "tf32", "f32", "f64"]
EXACT = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
    "spyreop.realdiv": operator.truediv,
}


@pytest.mark.parametrize("of", TYPES)
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_rounds_once(name, of):
    @settings(max_examples=120, deadline=None)
    @given(finite_values(of), finite_values(of))
    def check(a, b):
        if b == 0 and EXACT[name] is operator.truediv:
            return
        exact = EXACT[name](Fraction(a), Fraction(b))
        result = apply(name, a, b, of=of)
        if exact:
            assert same(result, nearest(exact, of))
        else:
            assert result == 0

    check()


@pytest.mark.parametrize("of", TYPES)
def test_fma_rounds_once(of):
    @settings(max_examples=200, deadline=None)
    @given(finite_values(of), finite_values(of), finite_values(of))
    def check(a, b, c):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact:
            assert same(apply("math.fma", a, b, c, of=of), nearest(exact, of))

    check()


def test_fma_of_a_tie_and_a_far_smaller_addend():
    half = 1 + 2.0**-4
    for c, expected in ((2.0**-100, 1 + 2.0**-3 + 2.0**-7), (-(2.0**-100), 1 + 2.0**-3)):
        assert apply("math.fma", half, half, c, of="bf16") == expected
    assert apply("math.fma", 1.0, 1 + 2.0**-9, 2.0**-31 * 1.5, of="df16") == 1 + 2.0**-9
    assert same(apply("math.fma", 1.0, 0.0, -0.0, of="f64"), 0.0)
    assert same(apply("math.fma", np.inf, 0.0, 1.0, of="f64"), np.nan)


@pytest.mark.parametrize("of", ["f16", "bf16", "df16", "f32"])
def test_sqrt_rounds_once(of):
    @settings(max_examples=100, deadline=None)
    @given(finite_values(of).map(abs).filter(bool))
    def check(a):
        # 2^-120 beyond the rational root decides every rounding: no root of a short number
        # comes closer to a tie than that without being one.
        scaled = Fraction(a) * Fraction(4) ** 200
        root = math.isqrt(scaled.numerator * scaled.denominator)
        exact = Fraction(root, scaled.denominator) / Fraction(2) ** 200
        for name in ("math.sqrt", "spyreop.sqrt"):
            assert apply(name, a, of=of) == nearest(exact, of)

    check()


@pytest.mark.parametrize("of", TYPES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_remainder_is_exact(of, data):
    a, b = data.draw(finite_values(of)), data.draw(finite_values(of).filter(bool))
    exact = abs(Fraction(a)) % abs(Fraction(b))
    result = apply("arith.remf", a, b, of=of)
    assert abs(Fraction(float(result))) == exact or result == nearest(exact, of) * np.sign(a)
    assert result == 0 or np.sign(result) == np.sign(a)


SPECIAL = np.array([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("of", ["f16", "bf16", "f32", "f64"])
def test_extremes_of_special_values(of):
    def maximum(a, b, ignore_nan):
        if math.isnan(a) or math.isnan(b):
            return (b if math.isnan(a) else a) if ignore_nan else math.nan
        return max(a, b, key=lambda v: (v, math.copysign(1, v)))

    values = SPECIAL.astype(dtype(of).compute)
    a, b = np.meshgrid(values, values)
    for name, ignore in (("maximumf", False), ("maxnumf", True)):
        expected = [[maximum(float(x), float(y), ignore) for x in values] for y in values]
        assert same(apply(f"arith.{name}", a, b, of=of), expected)
    for name, ignore in (("minimumf", False), ("minnumf", True)):
        expected = [[-maximum(-float(x), -float(y), ignore) for x in values] for y in values]
        assert same(apply(f"arith.{name}", a, b, of=of), expected)


def test_all_comparison_predicates():
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    nan = np.isnan(a) | np.isnan(b)
    expected = {
        "false": a != a, "true": np.ones_like(nan), "ord": ~nan, "uno": nan,
        "oeq": ~nan & (a == b), "ogt": ~nan & (a > b), "oge": ~nan & (a >= b),
        "olt": ~nan & (a < b), "ole": ~nan & (a <= b), "one": ~nan & (a != b),
        "ueq": nan | (a == b), "ugt": nan | (a > b), "uge": nan | (a >= b),
        "ult": nan | (a < b), "ule": nan | (a <= b), "une": nan | (a != b),
    }  # fmt: skip
    expected["false"] = np.zeros_like(nan)
    for of in ("f16", "f32", "f64"):
        for predicate, result in expected.items():
            got = apply("arith.cmpf", a, b, of=of, result="i1", predicate=predicate)
            assert got.dtype == bool and np.array_equal(got, result), predicate


def test_df16_arithmetic_has_one_non_finite_code():
    assert same(apply("arith.mulf", 65536.0, 131072.0, of="df16"), np.inf)
    assert same(apply("arith.mulf", -65536.0, 131072.0, of="df16"), -np.inf)
    assert same(apply("arith.subf", np.inf, np.inf, of="df16"), np.inf)
    assert apply("arith.addf", 1.0, 2.0**-10, of="df16") == 1 + 2.0**-9
    assert apply("arith.mulf", 2.0**-20, 2.0**-20, of="df16") == 0


@pytest.mark.parametrize("of", [d.name for d in float_dtypes()])
def test_results_are_in_the_runtime_representation(of):
    ones = np.ones((2, 3), dtype(of).compute)
    for name in ("arith.addf", "arith.negf", "arith.maximumf", "math.exp", "math.copysign"):
        count = 1 if name in ("arith.negf", "math.exp") else 2
        result = apply(name, *(ones,) * count, of=of)
        assert result.dtype == dtype(of).compute and result.shape == (2, 3)


def test_negation_and_select():
    assert same(apply("arith.negf", np.float16(0), of="f16"), -0.0)
    condition = np.array([True, False])
    picked = apply("arith.select", condition, np.float16(1), np.array([2, 3], np.float16),
                   of=("i1", "f16", "f16"), result="f16")  # fmt: skip
    assert picked.dtype == dtype("f16").compute and picked.tolist() == [1, 3]
    assert apply("arith.select", True, 4, 5, of=("i1", "i32", "i32"), result="i32") == 4


def test_f32_addition_is_not_done_in_f16():
    assert apply("arith.addf", 1.0, 1.0e-5, of="f32") == np.float32(1) + np.float32(1e-5)


def test_no_operand_is_changed_and_operands_broadcast():
    a = np.arange(6, dtype=np.float16).reshape(2, 3)
    before = a.copy()
    row = np.array([10, 20, 30], np.float16)
    total = apply("arith.addf", a, row, of="f16")
    assert np.array_equal(a, before)
    assert np.array_equal(total, before + row)


def test_unknown_op_suggests_a_name():
    with pytest.raises(Exception, match=r"arith\.adf") as caught:
        lookup("arith.adf")
    assert "arith.addf" in caught.value.hint
