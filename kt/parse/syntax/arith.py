"""Text of ``arith.constant`` and ``arith.select``."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.parse.syntax_api import Pending, fail, printer, syntax


@syntax("arith.constant", rule="arith_constant")
def build_constant(cls: Any, attributes: Any, value: Any) -> Pending:
    if getattr(value, "type", None) is None:
        fail(f"expected an attribute with a type, got '{value}'")
    return Pending(cls, result_types=(value.type,), properties={"value": value}, attributes=attributes)


@printer("arith.constant")
def print_constant(p: Any, op: Any) -> None:
    p.attr_dict(op, elided=("value",))
    p.write(" ")
    p.attribute(op.value)


@syntax("arith.select", rule="arith_select")
def build_select(
    cls: Any, condition: str, true_value: str, false_value: str, attributes: Any, types: Any
) -> Pending:
    if len(types) > 2:
        fail("expected one type, or the condition's and the values' type")
    kind = types[-1]
    condition_type = types[0] if len(types) == 2 else t.i1
    return Pending(
        cls,
        operands=(condition, true_value, false_value),
        types=(condition_type, kind, kind),
        result_types=(kind,),
        attributes=attributes,
    )


@printer("arith.select")
def print_select(p: Any, op: Any) -> None:
    p.write(" ")
    p.values(op.operands)
    p.attr_dict(op)
    p.write(" : ")
    if isinstance(op.condition.type, t.ShapedType):
        p.type(op.condition.type)
        p.write(", ")
    p.type(op.result.type)
