"""scf: loops, conditions and their carried values."""

from __future__ import annotations

import pytest
from refusal import accepted, refusal

from kt.ir import types as t
from kt.ir.core import Block
from kt.ir.dialects import scf
from kt.ir.verifier import verify

REFUSED = [
    (
        '%r = "scf.if"(%c) ({ scf.yield %f : f32 }, {}) : (i1) -> f32',
        "'scf.if' op must have an else block if defining values",
    ),
    (
        '"scf.for"(%i, %i, %i) ({ ^bb0(%x: i32): scf.yield }) : (index, index, index) -> ()',
        "'scf.for' op expected induction variable to be same type as bounds and step",
    ),
    (
        (
            '%r = "scf.for"(%i, %i, %i, %f) ({ ^bb0(%x: index, %y: f32): scf.yield }) : '
            "(index, index, index, f32) -> f32"
        ),
        "'scf.for' op different number of region iter_args and yielded values: 1 != 0",
    ),
    (
        (
            '%r = "scf.for"(%i, %i, %i, %f) ({ ^bb0(%x: index, %y: f16): scf.yield %y : f16 '
            "}) : (index, index, index, f32) -> f32"
        ),
        "'scf.for' op 0-th init and 0-th region iter_arg have different type: 'f32' != 'f16'",
    ),
    (
        (
            '%r = "scf.for"(%i, %i, %i) ({ ^bb0(%x: index): scf.yield }) : (index, index, '
            "index) -> f32"
        ),
        "'scf.for' op mismatch in number of loop-carried values and defined values",
    ),
    (
        '"scf.for"(%i, %i, %a) ({ ^bb0(%x: index): scf.yield }) : (index, index, i32) -> ()',
        (
            "'scf.for' op failed to verify that all of {lower_bound, upper_bound, step} have "
            "same type"
        ),
    ),
    (
        "scf.yield",
        "'scf.yield' op must be the last operation in the parent block",
    ),
    (
        "%r = scf.if %c -> f32 { scf.yield %f : f32 } else { scf.yield %h : f16 }",
        "'scf.if' op else region: type of yielded value 0 is 'f16', but result 0 is 'f32'",
    ),
    (
        "%r = scf.if %c -> f32 { } else { scf.yield %f : f32 }",
        "'scf.if' op then region yields 0 values, but the operation has 1 results",
    ),
    (
        (
            '"scf.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({ scf.reduce '
            "}) : () -> ()"
        ),
        ("'scf.parallel' op needs at least one tuple element for lowerBound, upperBound and step"),
    ),
    (
        (
            "%r = scf.while (%x = %f) : (f32) -> f32 { scf.condition(%c) %x : f32 } do { "
            "^bb0(%y: f16): scf.yield %f : f32 }"
        ),
        (
            "'scf.while' op 0-th condition argument and 0-th 'after' region argument have "
            "different type: 'f32' != 'f16'"
        ),
    ),
    (
        "scf.index_switch %i case 1 { scf.yield } case 1 { scf.yield } default { }",
        "'scf.index_switch' op has duplicate case value: 1",
    ),
    (
        "%r = scf.execute_region -> f32 { scf.yield %h : f16 }",
        (
            "'scf.execute_region' op 0-th yielded value and 0-th result have different type: "
            "'f16' != 'f32'"
        ),
    ),
    (
        "scf.for %x = %a to %a step %a { }",
        "use of value '%a' expects different type than prior uses: 'index' vs 'i32'",
    ),
    (
        "scf.forall (%x) in (4) { scf.forall.in_parallel { %q = arith.constant 1 : i32 } }",
        (
            "'scf.forall.in_parallel' op expected only tensor.parallel_insert_slice ops, got "
            "arith.constant"
        ),
    ),
    (
        "scf.parallel (%x) = (%i) to (%i) step (%i) init (%f) -> f32 { scf.reduce }",
        (
            "'scf.parallel' op expects number of results: 1 to be the same as number of "
            "reductions: 0"
        ),
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


def test_loop_of_makes_a_body():
    lower, upper, step, init = Block([t.i32, t.i32, t.i32, t.f32]).arguments
    loop = scf.ForOp.of(lower, upper, step, [init])
    loop.body.append(scf.YieldOp.build([loop.iter_args[0]]))
    verify(loop)
    assert loop.induction_variable.type is t.i32
    assert loop.outputs[0].type is t.f32
    assert loop.yielded == (loop.iter_args[0],)


def test_if_with_results_has_both_regions():
    condition = Block([t.i1]).arguments[0]
    made = scf.IfOp.of(condition, [t.f32])
    assert made.has_else
    assert not scf.IfOp.of(condition).has_else


def test_parts_of_a_while_loop():
    module = accepted(
        "%r = scf.while (%x = %i) : (index) -> f32 {\n  scf.condition(%c) %f : f32\n} do {\n"
        "^bb0(%y: f32):\n  scf.yield %n : index\n}"
    )
    (loop,) = module.walk_type(scf.WhileOp)
    assert loop.condition_op.arguments[0].type is t.f32


def test_bounds_of_forall():
    module = accepted(
        "scf.forall (%x, %y) in (4, %n) {\n}\nscf.forall (%x) = (1) to (%n) step (2) {\n}"
    )
    plain, shifted = module.walk_type(scf.ForallOp)
    n = plain.operands[0]
    assert plain.is_normalized and not shifted.is_normalized
    assert plain.upper_bounds == (4, n)
    assert (shifted.lower_bounds, shifted.upper_bounds, shifted.steps) == ((1,), (n,), (2,))


def test_reduction_of_a_parallel_loop():
    assert (
        refusal(
            "%r = scf.parallel (%x) = (%i) to (%n) step (%i) init (%f) -> f32 {\n"
            "  scf.reduce(%f : f32) {\n  ^bb0(%p: f32, %q: f32):\n    %s1 = arith.addf %p, %q : f32\n"
            "    scf.reduce.return %s1 : f32\n  }\n}"
        )
        is None
    )
