"""math: types of results."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.core import Block
from kt.ir.dialects import math

REFUSED = [
    (
        '%r = "math.exp"(%a) : (i32) -> i32',
        "'math.exp' op operand #0 must be floating-point-like, but got 'i32'",
    ),
    (
        '%r = "math.fma"(%f, %f, %h) : (f32, f32, f16) -> f32',
        "'math.fma' op requires the same type for all operands and results",
    ),
    (
        '%r = "math.isnan"(%f) : (f32) -> i32',
        "'math.isnan' op result #0 must be bool-like, but got 'i32'",
    ),
    (
        '%r = "math.absi"(%f) : (f32) -> f32',
        "'math.absi' op operand #0 must be signless-integer-like, but got 'f32'",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


def test_results_have_the_operand_type():
    x = Block([t.TensorType((4,), t.bf16)]).arguments[0]
    assert math.ExpOp.build(x).result.type is x.type
    assert math.FmaOp.build(x, x, x).result.type is x.type
    assert [v.type for v in math.SincosOp.build(x).results] == [x.type, x.type]
    assert math.IsNaNOp.build(x).result.type is t.TensorType((4,), t.i1)


def test_integer_power_takes_an_integer_of_any_width():
    x, n = Block([t.f32, t.i64]).arguments
    assert math.FPowIOp.build(x, n).result.type is t.f32
