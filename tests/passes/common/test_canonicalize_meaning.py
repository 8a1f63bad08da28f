"""canonicalize keeps the meaning of random integer programs, and its rules say what they do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import UnregisteredOp
from kt.ir.dialects import arith, func
from kt.ir.rewriter import apply_patterns
from kt.ir.verifier import verify
from kt.parse import parse_path
from kt.passes.common.canonicalize import canonicalization_patterns

BINARY = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "maxsi": max,
    "minsi": min,
    "maxui": lambda a, b: max(a, b, key=lambda v: v % 256),
    "minui": lambda a, b: min(a, b, key=lambda v: v % 256),
}
COMPARE = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CLASSES = {c.name: c for c in vars(arith).values() if hasattr(c, "name") and hasattr(c, "fields")}


def wrap(value):
    return (value + 128) % 256 - 128


def compare(predicate, a, b):
    name = COMPARE[predicate]
    if name[0] == "u":
        a, b = a % 256, b % 256
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[
        name[-2:]
    ]


def random_function(rng):
    function = func.FuncOp.of("f", [t.i8, t.i8, t.i1])
    b = Builder.at_end(function.entry)
    numbers, truths = list(function.arguments[:2]), [function.arguments[2]]
    for _ in range(30):
        kind = rng.random()
        if kind < 0.3:
            numbers.append(
                b.constant(rng.choice([0, 1, -1, 127, -128, rng.randrange(-128, 128)]), t.i8)
            )
        elif kind < 0.8:
            cls = CLASSES[f"arith.{rng.choice(list(BINARY))}"]
            numbers.append(b.create(cls, rng.choice(numbers[-6:]), rng.choice(numbers)).result)
        elif kind < 0.9:
            predicate = IntegerAttr(rng.randrange(10), t.i64)
            operands = rng.choice(numbers), rng.choice(numbers)
            made = b.create(
                arith.CmpIOp, *operands, predicate=predicate, result_types=[t.i1]
            ).result
            if rng.random() < 0.5:
                made = b.create(arith.XOrIOp, made, b.constant(1, t.i1)).result
            truths.append(made)
        else:
            operands = rng.choice(truths), rng.choice(numbers), rng.choice(numbers)
            numbers.append(b.create(arith.SelectOp, *operands).result)
    b.insert(UnregisteredOp.make("t.use", [*numbers[-5:], truths[-1]]))
    b.create(func.ReturnOp)
    return function


def run(function, arguments):
    values = dict(zip(function.arguments, arguments, strict=True))
    for op in function.entry.ops:
        args = [values[v] for v in op.operands]
        if op.name == "t.use":
            return args
        match op:
            case arith.ConstantOp():
                value = op.value.value
            case arith.CmpIOp():
                value = int(compare(op.predicate.value, *args))
            case arith.SelectOp():
                value = args[1] if args[0] else args[2]
            case _:
                value = BINARY[op.name.removeprefix("arith.")](*args)
        values[op.results[0]] = value & 1 if op.results[0].type is t.i1 else wrap(value)
    raise AssertionError("no t.use")


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    rng = random.Random(seed)
    function = random_function(rng)
    inputs = [
        (rng.randrange(-128, 128), rng.randrange(-128, 128), rng.randrange(2)) for _ in range(20)
    ]
    expected = [run(function, values) for values in inputs]
    report = apply_patterns(function, canonicalization_patterns(function), check=True)
    assert report.converged and report.changed
    verify(function)
    assert [run(function, values) for values in inputs] == expected
    assert not apply_patterns(function, canonicalization_patterns(function)).changed


GOLDEN = Path(__file__).parents[2] / "corpus" / "golden"


@pytest.mark.parametrize("name", ["gate/21-tile-size-selection", "loop/09-normalize-scf-for-loops"])
def test_rules_are_honest(name):
    """Every rule tells whether it changed something (compared op by op)."""
    module = parse_path(GOLDEN / f"{name}.mlir")
    assert apply_patterns(module, canonicalization_patterns(module), check=True).converged
