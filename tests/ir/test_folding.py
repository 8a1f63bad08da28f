"""Folds of arith: exhaustive for i4, random for i32 and i64, against plain Python integers."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from kt.ir import types as t
from kt.ir.attributes import DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block
from kt.ir.dialects import arith
from kt.ir.folding import CHANGED, fold

I4 = t.IntegerType(4)


def wrap(value, bits):
    value %= 1 << bits
    return value - (1 << bits) if value >= 1 << (bits - 1) else value


def toward_zero(a, b):
    return int(np.sign(a) * np.sign(b)) * (abs(a) // abs(b))


# (name, signed?, function, is it defined?) from the definitions of the ops.
RULES = [
    ("addi", True, lambda a, b: a + b, None),
    ("subi", True, lambda a, b: a - b, None),
    ("muli", True, lambda a, b: a * b, None),
    ("divsi", True, toward_zero, lambda a, b, n: b != 0 and (a, b) != (-(1 << n - 1), -1)),
    ("remsi", True, lambda a, b: a - b * toward_zero(a, b), lambda a, b, n: b != 0),
    (
        "floordivsi", True, lambda a, b: a // b,
        lambda a, b, n: b != 0 and (a, b) != (-(1 << n - 1), -1),
    ),
    (
        "ceildivsi", True, lambda a, b: (a // b) + (a % b != 0),
        lambda a, b, n: b != 0 and (a, b) != (-(1 << n - 1), -1),
    ),
    ("divui", False, lambda a, b: a // b, lambda a, b, n: b != 0),
    ("remui", False, lambda a, b: a % b, lambda a, b, n: b != 0),
    ("ceildivui", False, lambda a, b: (a + b - 1) // b, lambda a, b, n: b != 0),
    ("andi", False, lambda a, b: a & b, None),
    ("ori", False, lambda a, b: a | b, None),
    ("xori", False, lambda a, b: a ^ b, None),
    ("maxsi", True, max, None),
    ("minsi", True, min, None),
    ("maxui", False, max, None),
    ("minui", False, min, None),
    ("shli", False, lambda a, b: a << b, lambda a, b, n: b < n),
    ("shrui", False, lambda a, b: a >> b, lambda a, b, n: b < n),
]  # fmt: skip


def op_class(name):
    return next(c for c in vars(arith).values() if getattr(c, "name", "") == f"arith.{name}")


def folded(name, type, *values):
    block = Block()
    b = Builder.at_end(block)
    constants = [b.constant(v, type) for v in values]
    found = fold(b.create(op_class(name), *constants))
    return None if found is None else found[0]


def pairs(bits, rng):
    if bits == 4:
        return list(itertools.product(range(-8, 8), repeat=2))
    special = [0, 1, -1, 2, -(1 << bits - 1), (1 << bits - 1) - 1, bits - 1, bits]
    return [
        (rng.choice(special) if rng.random() < 0.3 else wrap(rng.getrandbits(bits), bits),
         rng.choice(special) if rng.random() < 0.5 else wrap(rng.getrandbits(bits), bits))
        for _ in range(200)
    ]  # fmt: skip


@pytest.mark.parametrize("type", [I4, t.i32, t.index], ids=str)
@pytest.mark.parametrize(
    ("name", "signed", "function", "defined"), RULES, ids=[r[0] for r in RULES]
)
def test_integer_arithmetic(name, signed, function, defined, type):
    bits = 64 if type is t.index else type.width
    for a, b in pairs(bits, random.Random(name)):
        x, y = (a, b) if signed else (a % (1 << bits), b % (1 << bits))
        found = folded(name, type, a, b)
        if defined is None or defined(x, y, bits):
            value = found.value if isinstance(found, IntegerAttr) else None
            if value is None:  # folded to one of the operands
                value = found.defining_op.value.value
            assert value == wrap(function(x, y), bits), (a, b)
        elif isinstance(found, IntegerAttr):
            raise AssertionError(f"{name} {a}, {b} has no result, but folds to {found.value}")


@pytest.mark.parametrize("bits", [1, 4, 32])
def test_right_constants_hold_for_every_left(bits):
    """x op c folds to x or c only if that holds for every x."""
    type = t.IntegerType(bits)
    for name, signed, function, defined in RULES:
        for c in range(-8, 8) if bits == 4 else (0, 1, -1, (1 << bits - 1) - 1, -(1 << bits - 1)):
            block = Block([type])
            b = Builder.at_end(block)
            right = wrap(c, bits) if bits > 1 else c & 1
            op = b.create(op_class(name), block.arguments[0], b.constant(right, type))
            found = fold(op)
            if found is None or bits == 32:
                continue
            for x in range(1 << bits):
                a, r = (wrap(x, bits), wrap(c, bits)) if signed else (x, c % (1 << bits))
                if defined is not None and not defined(a, r, bits):
                    continue
                got = a if found[0] is block.arguments[0] else found[0].value
                assert wrap(got, bits) == wrap(function(a, r), bits), (name, a, r)


@pytest.mark.parametrize("predicate", range(10))
def test_comparisons(predicate):
    names = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
    relation = (names + names[2:])[predicate]
    for a, b in pairs(4, None):
        block = Block()
        builder = Builder.at_end(block)
        x, y = (builder.constant(v, I4) for v in (a, b))
        op = builder.create(
            arith.CmpIOp, x, y, predicate=IntegerAttr(predicate, t.i64), result_types=[t.i1]
        )
        left, right = (a % 16, b % 16) if predicate >= 6 else (a, b)
        assert fold(op)[0].value == int(getattr(left, relation)(right))


def test_constants_go_to_the_right():
    block = Block([t.i32])
    b = Builder.at_end(block)
    op = b.create(arith.AddIOp, b.constant(3, t.i32), block.arguments[0])
    assert fold(op) is CHANGED
    assert op.lhs is block.arguments[0]
    less = b.create(
        arith.CmpIOp, b.constant(3, t.i32), block.arguments[0],
        predicate=IntegerAttr(2, t.i64), result_types=[t.i1],
    )  # fmt: skip
    assert fold(less) is CHANGED
    assert less.predicate_name == "sgt" and less.lhs is block.arguments[0]


def test_elements_fold_one_by_one():
    type = t.VectorType((3,), t.i32)
    block = Block()
    b = Builder.at_end(block)
    left = b.constant(DenseElementsAttr.of([1, 2, 2**31 - 1], type))
    right = b.constant(DenseElementsAttr.of([5, 5, 5], type))
    (found,) = fold(b.create(arith.AddIOp, left, right))
    assert found.to_numpy().tolist() == [6, 7, -(2**31) + 4]


def test_identities():
    block = Block([t.i32, t.i32, t.i1])
    x, y, c = block.arguments
    b = Builder.at_end(block)
    plus, minus = b.create(arith.AddIOp, x, y), b.create(arith.SubIOp, x, y)
    assert fold(b.create(arith.SubIOp, plus, y)) == [x]
    assert fold(b.create(arith.SubIOp, plus, x)) == [y]
    assert fold(b.create(arith.AddIOp, minus, y)) == [x]
    assert fold(b.create(arith.AddIOp, y, minus)) == [x]
    assert fold(b.create(arith.SubIOp, x, x))[0].value == 0
    assert fold(b.create(arith.AndIOp, x, x)) == [x]
    assert fold(b.create(arith.SelectOp, c, x, x)) == [x]
    assert fold(b.create(arith.SelectOp, b.constant(0, t.i1), x, y)) == [y]
    assert fold(plus) is None


def test_casts():
    block = Block([t.i32])
    b = Builder.at_end(block)

    def cast(op, value, source, result):
        return fold(b.create(op, b.constant(value, source), result_types=[result]))[0].value

    assert cast(arith.ExtSIOp, -3, t.i8, t.i32) == -3
    assert cast(arith.ExtUIOp, -3, t.i8, t.i32) == 253
    assert cast(arith.TruncIOp, 300, t.i32, t.i8) == 44
    assert cast(arith.IndexCastOp, -1, t.i32, t.index) == -1
    assert cast(arith.IndexCastUIOp, -1, t.i32, t.index) == 2**32 - 1
    assert cast(arith.ExtSIOp, 1, t.i1, t.i32) == -1
    assert cast(arith.SIToFPOp, -3, t.i32, t.f32) == -3.0
    assert cast(arith.FPToSIOp, -3.75, t.f32, t.i32) == -3
    wide = b.create(arith.IndexCastOp, block.arguments[0], result_types=[t.index])
    assert fold(b.create(arith.IndexCastOp, wide, result_types=[t.i32])) == [block.arguments[0]]
    narrow = b.create(
        arith.IndexCastOp, b.create(arith.IndexCastOp, wide, result_types=[t.i8]),
        result_types=[t.index],
    )  # fmt: skip
    assert fold(narrow) is None, "i8 in between loses bits"


@pytest.mark.parametrize("type", [t.f16, t.f32], ids=str)
@pytest.mark.parametrize("name", ["addf", "subf", "mulf", "divf"])
def test_float_arithmetic_rounds_once(name, type):
    numpy_type = {"f16": np.float16, "f32": np.float32}[str(type)]
    operation = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}[name]
    rng = np.random.default_rng(7)
    for a, b in rng.normal(size=(100, 2)).astype(numpy_type):
        found = folded(name, type, float(a), float(b))
        assert found.value == float(operation(a, b))


def test_float_identities_keep_the_sign_of_zero():
    block = Block([t.f32])
    x = block.arguments[0]
    b = Builder.at_end(block)
    assert fold(b.create(arith.AddFOp, x, b.constant(-0.0, t.f32))) == [x]
    assert fold(b.create(arith.AddFOp, x, b.constant(0.0, t.f32))) is None
    assert fold(b.create(arith.SubFOp, x, b.constant(0.0, t.f32))) == [x]
    assert fold(b.create(arith.MulFOp, x, b.constant(1.0, t.f32))) == [x]
    zeros = folded("maximumf", t.f32, -0.0, 0.0)
    assert zeros is FloatAttr.of(0.0, t.f32)


@pytest.mark.parametrize("predicate", range(16))
def test_float_comparisons(predicate):
    values = [1.0, 2.0, float("nan")]
    for a, b in itertools.product(values, repeat=2):
        block = Block()
        builder = Builder.at_end(block)
        x, y = (builder.constant(v, t.f32) for v in (a, b))
        op = builder.create(
            arith.CmpFOp, x, y, predicate=IntegerAttr(predicate, t.i64), result_types=[t.i1]
        )
        unordered = a != a or b != b
        name = op.predicate_name
        relation = {
            "eq": a == b,
            "gt": a > b,
            "ge": a >= b,
            "lt": a < b,
            "le": a <= b,
            "ne": a != b,
        }
        if name in ("true", "false"):
            expected = name == "true"
        elif name in ("ord", "uno"):
            expected = unordered == (name == "uno")
        else:
            expected = (name[0] == "u") if unordered else relation[name[1:]]
        assert fold(op)[0].value == int(expected), (name, a, b)
