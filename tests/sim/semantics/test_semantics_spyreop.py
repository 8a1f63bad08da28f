"""Intrinsics: values from Python's math in float64, rounded once to the declared type."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from exact_reference import apply, nearest, same

from kt.ir.diagnostics import RunError
from kt.ir.numbers import dtype, round_to


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


REFERENCE = {
    "exp": math.exp,
    "gelu": lambda x: x * math.erfc(-x / math.sqrt(2)) / 2,
    "reciprocal": lambda x: 1 / x,
    "sigmoid": sigmoid,
    "silu": lambda x: x / (1 + math.exp(-x)),
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
}


@pytest.mark.parametrize("of", ["f16", "df16", "f32"])
@pytest.mark.parametrize("name", REFERENCE)
def test_intrinsics(name, of):
    start = 0.015 if "sqrt" in name else -5
    values = round_to(np.linspace(start, 5, 150), dtype(of))
    for x, y in zip(values, apply(f"spyreop.{name}", values, of=of), strict=True):
        assert y == nearest(Fraction(REFERENCE[name](float(x))), of)


def test_gelu_keeps_precision_in_the_tail():
    x = np.float32(-4.5)
    exact = -4.5 * math.erfc(4.5 / math.sqrt(2)) / 2
    assert apply("spyreop.gelu", x, of="f16") == np.float16(exact) != 0
    assert same(apply("spyreop.gelu", np.float16(0), of="f16"), 0.0)


def test_softplus_turns_linear_above_the_threshold():
    x = np.array([-3, 0, 1, 30, 45], np.float16)
    got = apply("spyreop.softplus", x, of="f16", beta=0.5, threshold=20.0)
    expected = [2 * math.log1p(math.exp(0.5 * float(v))) for v in x[:4]]
    assert same(got, np.array([*expected, 45], np.float16))
    assert apply("spyreop.softplus", np.float16(21), of="f16") == 21


def test_statistics_chain():
    x = np.array([1.5, -2.0], np.float16)
    mean, square = apply("spyreop.exx2", x, of="f16")
    assert mean.tolist() == [1.5, -2.0] and square.tolist() == [2.25, 4.0]
    packed = apply("spyreop.exx2_fused", x, of="f16", result="fp16_fused")
    assert packed["mean"].tolist() == mean.tolist()
    assert packed["square"].tolist() == square.tolist()
    zero = apply("spyreop.exx2_zeromean_fused", x, of="f16", result="fp16_fused")
    assert zero["mean"].tolist() == [0, 0] and zero["square"].tolist() == square.tolist()
    scale = apply("spyreop.layernormscale", np.float16(1), np.float16(5), of="f16")
    assert scale == 0.5
    fused = apply("spyreop.layernormscale_fused", zero, of="fp16_fused", result="f16")
    assert fused.tolist() == [np.float16(1 / 1.5), 0.5]
    assert apply("spyreop.layernormscale", np.float16(4), of="f16") == 0.5


def test_layernormnorm_normalises():
    operands = [np.float16(v) for v in (3, 1, 0.5, 4, 0.25)]
    assert apply("spyreop.layernormnorm", *operands, of="f16") == (3 - 1) * 0.5 * 4 + 0.25
    pair = np.array((1, 5), dtype("fp16_fused").compute)
    operands[1] = pair
    of = ("f16", "fp16_fused", "f16", "f16", "f16")
    assert apply("spyreop.layernormnorm", *operands, of=of) == 4.25


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("add", np.sum), ("mul", np.prod), ("max", np.max), ("min", np.min),
        ("abs_max", lambda v, axis: np.max(np.abs(v), axis)),
        ("sub", lambda v, axis: 2 * np.take(v, 0, axis) - np.sum(v, axis)),
    ],
)  # fmt: skip
def test_slice_reduction(kind, function):
    lanes = np.array([[1, -2, 3, 4, 2, 1, -5, 0.5]], np.float16)
    slices = lanes.reshape(1, 2, 4)
    one = apply("spyreop.slice_reduction", lanes, of="f16", reduction_kind=kind,
                reduction_scope="in_slice", slice_width=4)  # fmt: skip
    assert np.array_equal(one.reshape(1, 2, 4)[..., 0], function(slices, -1))
    across = apply("spyreop.slice_reduction", lanes, of="f16", reduction_kind=kind,
                   reduction_scope="across_slice", slice_width=4)  # fmt: skip
    assert np.array_equal(across[:, :4], function(slices, -2))


def test_slice_reduction_refuses_what_has_no_meaning():
    lanes = np.ones(8, np.float16)
    with pytest.raises(RunError, match="whole slices of 3"):
        apply("spyreop.slice_reduction", lanes, of="f16", reduction_kind="add",
              reduction_scope="in_slice", slice_width=3)  # fmt: skip
    with pytest.raises(RunError, match="no public meaning"):
        apply("spyreop.slice_reduction", lanes, of="f16", reduction_kind="add",
              reduction_scope="across_slice_fma16", slice_width=4)  # fmt: skip
