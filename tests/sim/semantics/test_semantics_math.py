"""Functions: against Python's math in float64, rounded once; erf to its last places."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from exact_reference import apply, nearest, same

from kt.ir.numbers import dtype, round_to
from kt.sim.semantics import special

REFERENCE = {
    "exp": math.exp, "exp2": math.exp2, "expm1": math.expm1, "log": math.log, "log2": math.log2,
    "log10": math.log10, "log1p": math.log1p, "sqrt": math.sqrt, "cbrt": math.cbrt,
    "rsqrt": lambda x: 1 / math.sqrt(x), "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh,
    "cosh": math.cosh, "tanh": math.tanh, "asinh": math.asinh,
    "acosh": math.acosh, "atanh": math.atanh, "erf": math.erf, "erfc": math.erfc,
    "absf": math.fabs, "floor": math.floor, "ceil": math.ceil, "roundeven": round,
    "trunc": math.trunc,
}  # fmt: skip
DOMAIN = {"asin": (-1, 1), "acos": (-1, 1), "atanh": (-0.99, 0.99), "acosh": (1, 8),
          "log": (0.01, 9), "log2": (0.01, 9), "log10": (0.01, 9), "log1p": (-0.9, 9),
          "sqrt": (0, 9), "rsqrt": (0.01, 9)}  # fmt: skip


@pytest.mark.parametrize("of", ["f16", "bf16", "df16", "f32"])
@pytest.mark.parametrize("name", REFERENCE)
def test_functions_round_once_from_float64(name, of):
    low, high = DOMAIN.get(name, (-8, 8))
    values = round_to(np.linspace(low, high, 301), dtype(of))
    values = values[(values >= low) & (values <= high)]
    got = apply(f"math.{name}", values, of=of)
    for x, y in zip(values, got, strict=True):
        reference = REFERENCE[name](float(x))
        expected = nearest(Fraction(reference), of) if reference else 0.0
        assert y == expected, (name, float(x))


@pytest.mark.parametrize("of", ["f16", "bf16", "df16"])
@pytest.mark.parametrize("name", ["math.exp", "math.erf", "math.round", "spyreop.gelu"])
def test_tabulated_and_direct_evaluation_agree(name, of):
    rng = np.random.default_rng(7)
    values = round_to(np.append(rng.normal(0, 3, 9000), [np.inf, -np.inf, np.nan]), dtype(of))
    large = apply(name, values, of=of)
    small = np.concatenate([apply(name, part, of=of) for part in np.array_split(values, 10)])
    assert large.dtype == small.dtype and same(large, small)


def error_in_units(got: np.ndarray, x: np.ndarray, complement: bool) -> float:
    """Largest relative error against the Maclaurin series in 120-digit decimals, in 1e-15."""
    with localcontext() as context:
        context.prec = 120
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628")
        worst = Decimal(0)
        for value, result in zip(x, got, strict=True):
            v = Decimal(float(value))
            term, total, n = v, v, 0
            while abs(term) > Decimal(10) ** -110:
                n += 1
                term = -term * v * v / n
                total += term / (2 * n + 1)
            exact = 2 / pi.sqrt() * total
            exact = 1 - exact if complement else exact
            worst = max(worst, abs(Decimal(float(result)) / exact - 1))
        return float(worst * 10**15)


def test_erf_and_erfc_have_float64_precision():
    x = np.concatenate([np.linspace(-5.9, 5.9, 60), [0.49999, 0.5, 0.50001, 1e-8, -1e-20]])
    assert error_in_units(special.erf(x), x, False) < 1
    assert error_in_units(special.erfc(x), x, True) < 1.2
    tail = np.linspace(6, 26, 200)
    reference = np.array([math.erfc(v) for v in tail])
    assert np.max(np.abs(special.erfc(tail) / reference - 1)) < 2e-15


def test_erf_at_special_values():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 40.0, -40.0])
    assert same(special.erf(x), [0.0, -0.0, 1, -1, np.nan, 1, -1])
    assert same(special.erfc(x), [1, 1, 0, 2, np.nan, 0, 2])
    assert special.erf(np.float64(0.3)).shape == ()
    assert special.erf(np.zeros((0, 3))).shape == (0, 3)
    assert special.erf(np.ones((3, 5000))).shape == (3, 5000)


def test_rounding_functions():
    x = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, -0.25, 2.0**52 + 1])
    assert same(apply("math.round", x, of="f64"), [1, -1, 2, 3, -3, 0, -0.0, 2.0**52 + 1])
    assert same(apply("math.roundeven", x, of="f64"), [0, -0.0, 2, 2, -2, 0, -0.0, 2.0**52 + 1])
    assert same(apply("math.floor", np.array([-0.0, -0.5]), of="f64"), [-0.0, -1])
    assert same(apply("math.ceil", np.array([-0.5, 0.5]), of="f64"), [-0.0, 1])


def test_two_operand_functions():
    a, b = np.float32(2), np.float32(-3)
    assert apply("math.powf", a, b, of="f32") == 0.125
    assert apply("math.fpowi", a, np.int32(-3), of=("f32", "i32")) == 0.125
    assert apply("math.atan2", a, b, of="f32") == np.float32(math.atan2(2, -3))
    assert apply("math.copysign", a, np.float32(-0.0), of="f32") == -2
    sine, cosine = apply("math.sincos", a, of="f32")
    assert (sine, cosine) == (np.float32(math.sin(2)), np.float32(math.cos(2)))


def test_clamp():
    x = np.array([-2, 0.5, 2, np.nan], np.float32)
    assert same(
        apply("math.clampf", x, np.float32(-1), np.float32(1), of="f32"), [-1, 0.5, 1, np.nan]
    )


def test_classification():
    x = np.array([0, 2.0**-24, 2.0**-14, 1, np.inf, np.nan], np.float16)
    expected = {
        "isnan": [0, 0, 0, 0, 0, 1],
        "isinf": [0, 0, 0, 0, 1, 0],
        "isfinite": [1, 1, 1, 1, 0, 0],
        "isnormal": [0, 0, 1, 1, 0, 0],
    }
    for name, result in expected.items():
        got = apply(f"math.{name}", x, of="f16", result="i1")
        assert got.dtype == bool and got.tolist() == [bool(v) for v in result]


def test_poles_and_overflow_give_infinities_without_warnings():
    assert same(apply("math.rsqrt", np.array([0.0, -0.0]), of="f32"), [np.inf, -np.inf])
    assert same(apply("math.log", np.array([0.0, -1.0]), of="f32"), [-np.inf, np.nan])
    assert same(apply("math.exp", np.float16(20), of="f16"), np.inf)
