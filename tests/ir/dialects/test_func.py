"""func: signatures, calls, returns."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.core import Region
from kt.ir.dialects import func
from kt.ir.verifier import verify

REFUSED = [
    (
        "%r = func.call @nope(%a) : (i32) -> i32",
        "'func.call' op 'nope' does not reference a valid function",
    ),
    (
        "%r = func.call @g(%w) : (i64) -> i32",
        (
            "'func.call' op operand type mismatch: expected operand type 'i32', but provided "
            "'i64' for operand number 0"
        ),
    ),
    (
        "%r = func.call @g(%a) : (i32) -> i64",
        (
            "'func.call' op result type mismatch at index 0: op result type 'i64', function "
            "result type 'i32'"
        ),
    ),
    (
        "func.call @g(%a) : (i32) -> ()",
        "'func.call' op incorrect number of results for callee",
    ),
    (
        "%r = func.constant @nope : (i32) -> i32",
        "'func.constant' op reference to undefined function 'nope'",
    ),
    (
        "%r = func.constant @g : (i64) -> i32",
        (
            "'func.constant' op reference to function with mismatched type: '(i64) -> i32' "
            "here, '(i32) -> i32' at the function"
        ),
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


def test_return_agrees_with_the_function():
    assert refusal("return %f : f32", "") == "'func.return' op has 1 operands, but enclosing function (@f) returns 0"


def test_calls():
    calls = "%r = func.call @g(%a) : (i32) -> i32\n%p = func.constant @g : (i32) -> i32\n"
    assert refusal(calls + "%q = func.call_indirect %p(%r) : (i32) -> i32") is None


def test_of_makes_an_entry_block():
    made = func.FuncOp.of("k", [t.index, t.f32], [t.f32], attributes={"grid": [4]})
    made.entry.append(func.ReturnOp.build([made.arguments[1]]))
    verify(made)
    assert made.symbol == "k"
    assert [a.type for a in made.arguments] == [t.index, t.f32]
    assert made.function_type.results == (t.f32,)
    assert not made.is_private and not made.is_declaration


def test_type_follows_the_entry_block():
    made = func.FuncOp.of("k")
    made.entry.add_argument(t.i32)
    made.entry.append(func.ReturnOp.build([]))
    with pytest.raises(Exception, match="must have 0 arguments"):
        verify(made)
    made.update_type()
    verify(made)


def test_declarations_are_private():
    made = func.FuncOp.build(
        sym_name="g", function_type=t.FunctionType(), regions=[Region()], result_types=()
    )
    with pytest.raises(Exception, match="symbol declaration cannot have public visibility"):
        verify(made)
