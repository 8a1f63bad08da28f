"""The greedy driver: what is visited, what goes, where constants end up, what is reported."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Region, UnregisteredOp
from kt.ir.diagnostics import FileLoc, InternalError
from kt.ir.dialects import arith, func
from kt.ir.folding import is_constant
from kt.ir.rewriter import Pattern, apply_patterns, fingerprint, pattern
from kt.ir.verifier import verify


@pytest.fixture
def function():
    return func.FuncOp.of("f", [t.i32, t.i32])


def builder(function):
    return Builder.at_end(function.entry)


def use(b, *values):
    return b.insert(UnregisteredOp.make("t.use", values))


def names(function):
    return [op.name for op in function.entry.ops]


def constants(function):
    return [op.value.value for op in function.entry.ops if isinstance(op, arith.ConstantOp)]


@pattern("arith.muli")
def double(op, rw):
    """x * 2 = x + x"""
    if not is_constant(op.rhs, 2):
        return False
    rw.replace(op, rw.create(arith.AddIOp, op.lhs, op.lhs))
    return True


def test_a_pattern_fires_and_leaves_no_dead_code(function):
    b = builder(function)
    place = FileLoc.at("k.mlir", 3, 5)
    b.location = place
    use(b, b.create(arith.MulIOp, function.arguments[0], b.constant(2, t.i32)).result)
    b.create(func.ReturnOp)
    report = apply_patterns(function, [double], check=True)
    assert names(function) == ["arith.addi", "t.use", "func.return"]
    assert next(op.location for op in function.entry.ops) is place
    assert report.fired == [("double", place), ("dead", place)]
    assert report.converged and report.iterations == 2
    verify(function)
    assert apply_patterns(function, [double]).fired == []


def test_constants_are_unique_and_in_front(function):
    b = builder(function)
    x = function.arguments[0]
    one, two = b.constant(1, t.i32), b.constant(2, t.i32)
    a = b.create(arith.AddIOp, x, two).result
    again, three = b.constant(1, t.i32), b.constant(3, t.i32)
    other_type = b.constant(3, t.i64)
    use(b, a, one, again, three, other_type)
    apply_patterns(function)
    # The leading run keeps its order; later ones are put in front of it, the last one first.
    assert constants(function) == [3, 3, 1, 2]
    assert [op.results[0].type for op in list(function.entry.ops)[:2]] == [t.i64, t.i32]
    user = function.entry.last_op
    assert user.operands[1] is user.operands[2]


def test_constants_leave_nested_regions_but_not_functions(function):
    inner = Block()
    use(Builder.at_end(inner), Builder.at_end(inner).constant(7, t.i32))
    nested = func.FuncOp.of("g")
    use(builder(nested), builder(nested).constant(7, t.i32))
    from kt.ir.dialects import scf

    execute = scf.ExecuteRegionOp.build(regions=[Region([inner])], result_types=[])
    function.entry.append(execute)
    function.entry.append(nested)
    apply_patterns(function)
    assert constants(function) == [7]
    assert constants(nested) == [7]


def test_folding_goes_through_chains(function):
    b = builder(function)
    value = b.constant(1, t.i32)
    for _ in range(50):
        value = b.create(arith.AddIOp, value, value).result
    use(b, value)
    report = apply_patterns(function)
    assert constants(function) == [0], "2^50 modulo 2^32"
    assert report.counts()["fold arith.addi"] == 50


def test_without_folding_only_dead_code_goes(function):
    b = builder(function)
    one = b.constant(1, t.i32)
    use(b, b.create(arith.AddIOp, one, one).result)
    b.create(arith.MulIOp, *function.arguments)
    apply_patterns(function, fold=False)
    assert names(function) == ["arith.constant", "arith.addi", "t.use"]


def test_benefit_decides_between_patterns(function):
    class Low(Pattern):
        root = arith.AddIOp

        def rewrite(self, op, rw):
            rw.replace(op, rw.create(arith.SubIOp, *op.operands))
            return True

    class High(Pattern):
        root = ("arith.addi", "arith.muli")
        benefit = 2

        def rewrite(self, op, rw):
            rw.replace(op, rw.create(arith.XOrIOp, *op.operands))
            return True

    b = builder(function)
    use(b, b.create(arith.AddIOp, *function.arguments).result)
    report = apply_patterns(function, [Low(), High()])
    assert names(function) == ["arith.xori", "t.use"]
    assert [rule for rule, _ in report.fired] == ["High"]


def test_endless_rules_are_stopped(function):
    @pattern("arith.addi")
    def swap(op, rw):
        rw.set_operands(op, op.operands[::-1])
        return True

    b = builder(function)
    use(b, b.create(arith.AddIOp, *function.arguments).result)
    report = apply_patterns(function, [swap])
    assert not report.converged
    verify(function)


@pytest.mark.parametrize("answer", [True, False])
def test_wrong_answers_of_patterns_are_found(function, answer):
    @pattern("t.use")
    def liar(op, rw):
        if not answer:
            op.attributes["x"] = IntegerAttr(len(op.attributes), t.i64)
        return answer

    use(builder(function), *function.arguments)
    with pytest.raises(InternalError, match="'liar' reports"):
        apply_patterns(function, [liar], check=True)


def test_fingerprint_sees_changes(function):
    op = use(builder(function), *function.arguments)
    before = fingerprint(function)
    assert fingerprint(function) == before
    op.operands = op.operands[::-1]
    assert fingerprint(function) != before


def test_unreachable_blocks_and_dead_arguments_go():
    from kt.ir.dialects import cf

    function = func.FuncOp.of("f", [t.i1, t.i32])
    condition, x = function.arguments
    left, right, lost, last = (Block() for _ in range(4))
    for block in (left, right, lost, last):
        function.body_region.append(block)
    last.add_argument(t.i32)
    last.add_argument(t.i32)
    b = builder(function)
    dead = b.create(arith.MulIOp, x, x).result
    kept = b.create(arith.AddIOp, x, x).result
    b.create(cf.CondBranchOp, condition, [], [], successors=[left, right])
    for block in (left, right, lost):
        Builder.at_end(block).create(cf.BranchOp, [dead, kept], successors=[last])
    use(Builder.at_end(last), last.arguments[1])
    Builder.at_end(last).create(func.ReturnOp)
    verify(function)
    apply_patterns(function)
    verify(function)
    assert function.body_region.blocks == [function.entry, left, right, last]
    assert len(last.arguments) == 1
    assert left.last_op.operands == (kept,)
    assert names(function) == ["arith.addi", "cf.cond_br"]
