"""arith: types, flags, predicates, constants."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr, UnitAttr
from kt.ir.core import Block
from kt.ir.dialects import arith
from kt.ir.dialects.arith_types import FastMathFlagsAttr, IntegerOverflowFlagsAttr
from kt.ir.traits import Commutative, NoMemoryEffect, Pure

REFUSED = [
    (
        "%r = arith.extf %f : f32 to f16",
        "'arith.extf' op operand type 'f32' and result type 'f16' are cast incompatible",
    ),
    (
        "%r = arith.extsi %w : i64 to i32",
        "'arith.extsi' op operand type 'i64' and result type 'i32' are cast incompatible",
    ),
    (
        "%r = arith.truncf %h : f16 to f32",
        "'arith.truncf' op operand type 'f16' and result type 'f32' are cast incompatible",
    ),
    (
        "%r = arith.trunci %a : i32 to i64",
        "'arith.trunci' op operand type 'i32' and result type 'i64' are cast incompatible",
    ),
    (
        '%r = "arith.addi"(%a, %w) : (i32, i64) -> i32',
        "'arith.addi' op requires the same type for all operands and results",
    ),
    (
        '%r = "arith.addf"(%a, %a) : (i32, i32) -> i32',
        "'arith.addf' op operand #0 must be floating-point-like, but got 'i32'",
    ),
    (
        '%r = "arith.constant"() <{value = 1 : i32}> : () -> i64',
        "'arith.constant' op failed to verify that all of {value, result} have same type",
    ),
    (
        '%r = "arith.cmpi"(%a, %a) <{predicate = 10 : i64}> : (i32, i32) -> i1',
        (
            "'arith.cmpi' op attribute 'predicate' failed to satisfy constraint: allowed "
            "64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
        ),
    ),
    (
        '%r = "arith.cmpi"(%a, %a) <{predicate = 1 : i64}> : (i32, i32) -> i32',
        "'arith.cmpi' op result #0 must be bool-like, but got 'i32'",
    ),
    (
        "%r = arith.bitcast %a : i32 to f16",
        "'arith.bitcast' op operand type 'i32' and result type 'f16' are cast incompatible",
    ),
    (
        "%r = arith.index_cast %a : i32 to i64",
        "'arith.index_cast' op operand type 'i32' and result type 'i64' are cast incompatible",
    ),
    (
        "%r = arith.select %b, %t, %t : tensor<2xi1>, tensor<4x8xf32>",
        ("'arith.select' op failed to verify that condition is signless i1 or has matching shape"),
    ),
    (
        '%r = "arith.extf"(%h) : (f16) -> tensor<4xf32>',
        "'arith.extf' op requires the same shape for all operands and results",
    ),
    (
        "%r = arith.sitofp %f : f32 to f32",
        ("'arith.sitofp' op operand #0 must be signless-fixed-width-integer-like, but got 'f32'"),
    ),
    (
        '%r = "arith.constant"() : () -> i32',
        "'arith.constant' op requires attribute 'value'",
    ),
    (
        '%r = "arith.extf"(%th) : (tensor<4x8xf16>) -> tensor<8x4xf32>',
        "'arith.extf' op requires the same shape for all operands and results",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


@pytest.mark.parametrize(
    ("value", "type", "hint"),
    [
        (0, t.index, "c0"),
        (-1, t.i32, "c-1_i32"),
        (1, t.i1, "true"),
        (0, t.i1, "false"),
        (1.5, t.f16, "cst"),
        ([1, 2], t.TensorType((2,), t.i32), "cst"),
    ],
)
def test_constant_has_the_type_and_name_of_its_value(value, type, hint):
    made = arith.ConstantOp.of(value, type)
    assert made.result.type is type
    assert made.result_name_hint() == hint


def test_constant_value():
    splat = arith.ConstantOp.of([7, 7], t.TensorType((2,), t.i32))
    mixed = arith.ConstantOp.of([7, 8], t.TensorType((2,), t.i32))
    assert arith.constant_value(arith.ConstantOp.of(2.5, t.f32).result) == 2.5
    assert arith.constant_value(splat.result) == 7
    assert arith.constant_value(mixed.result) is None
    assert arith.constant_value(Block([t.i32]).arguments[0]) is None


def test_flags_have_one_order():
    given = FastMathFlagsAttr("ninf, nnan")
    assert given is FastMathFlagsAttr("nnan,ninf")
    assert str(given) == "#arith.fastmath<nnan,ninf>"
    assert str(IntegerOverflowFlagsAttr("nuw,nsw")) == "#arith.overflow<nsw, nuw>"
    every = ",".join(FastMathFlagsAttr.cases[1:-1])
    assert FastMathFlagsAttr(every) is FastMathFlagsAttr("fast")
    with pytest.raises(ValueError, match="got 'quick'"):
        FastMathFlagsAttr("quick")


def test_build_takes_keywords_for_enums_and_flags():
    x, y = Block([t.i32, t.i32]).arguments
    compared = arith.CmpIOp.build(x, y, predicate="sge")
    assert compared.predicate is IntegerAttr(5, t.i64)
    assert compared.predicate_name == "sge"
    assert compared.result.type is t.i1
    added = arith.AddIOp.build(x, y, overflow_flags="nsw", location=compared.location)
    assert added.properties == {"overflowFlags": IntegerOverflowFlagsAttr("nsw")}
    assert arith.DivUIOp.build(x, y, is_exact=UnitAttr()).is_exact is not None


def test_comparison_of_tensors_gives_a_tensor_of_bools():
    x = Block([t.TensorType((2, 3), t.f16)]).arguments[0]
    made = arith.CmpFOp.build(x, x, predicate="olt")
    assert made.result.type is t.TensorType((2, 3), t.i1)


def test_defaults_are_read_but_not_stored():
    x = Block([t.f32]).arguments[0]
    made = arith.AddFOp.build(x, x)
    assert made.fastmath is FastMathFlagsAttr("none")
    assert made.properties == {}


def test_division_may_not_be_speculated_and_sums_commute():
    assert arith.DivSIOp.has_trait(NoMemoryEffect)
    assert not arith.DivSIOp.has_trait(Pure)
    assert arith.AddFOp.has_trait(Commutative)
    assert not arith.SubFOp.has_trait(Commutative)


def test_selection_by_elements_and_by_one_condition():
    assert refusal("%r = arith.select %c, %t, %t : tensor<4x8xf32>") is None
