"""Text of the `spyreop` ops that MLIR's declarative format can't state."""

from __future__ import annotations

from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.dialects.spyreop import Idx32ToAddrOp, IntegerBinaryOp, SoftplusOp
from kt.parse.core_actions import typed_number
from kt.parse.syntax_api import Pending, action, fail, printer, syntax

Attributes = dict[str, Attribute] | None
INTEGER_OPS = ("spyreop.addi32toi32", "spyreop.muli32toi32", "spyreop.addi64toi64")


@action("spyreop_vector")
def vector(type: t.Type | None) -> t.Type | None:
    return type


@action("spyreop_number")
def number(value: str | int) -> str | int:
    return value


@syntax(*INTEGER_OPS, rule="spyreop_integers")
def build_integers(
    cls: Any, lhs: str, rhs: str, attributes: Attributes, type: t.Type | None
) -> Pending:
    made = type or cls.fields.results[0].constraint.exact
    return Pending(
        cls, operands=(lhs, rhs), types=(made, made), result_types=(made,), attributes=attributes
    )


def _print_integers(p: Any, op: IntegerBinaryOp) -> None:
    p.write(" ")
    p.values(op.operands)
    p.attr_dict(op)
    if isinstance(op.result.type, t.VectorType):
        p.write(" : ")
        p.type(op.result.type)


for _name in INTEGER_OPS:
    printer(_name)(_print_integers)


@syntax("spyreop.idx32toaddr", rule="spyreop_address")
def build_address(
    cls: type, index: str, base: str | int, stride: str | int, attributes: Attributes
) -> Pending:
    if isinstance(base, int) is not isinstance(stride, int):
        fail("base and stride must both be values or both be numbers")
    properties: dict[str, Attribute] = {}
    operands: tuple[Any, ...] = (index, base, stride)
    if isinstance(base, int) and isinstance(stride, int):
        operands = (index,)
        properties = {
            "base_address": IntegerAttr((base + 2**31) % 2**32 - 2**31, t.i32),
            "stride": IntegerAttr(stride, t.i32),
        }
    return Pending(
        cls,
        operands=operands,
        types=(t.i32,) * len(operands),
        result_types=(t.i32,),
        properties=properties,
        attributes=attributes,
    )


@printer("spyreop.idx32toaddr")
def print_address(p: Any, op: Idx32ToAddrOp) -> None:
    p.write(" ")
    p.value(op.index)
    if op.parameters:
        base, stride = op.parameters
        p.write(" base ")
        p.value(base)
        p.write(" stride ")
        p.value(stride)
    else:
        assert op.base_address is not None and op.stride is not None
        p.write(f" base 0x{op.base_address.value % 2**32:08X} stride {op.stride.value}")
    p.attr_dict(op, elided=("base_address", "stride"))


@syntax("spyreop.softplus", rule="spyreop_softplus")
def build_softplus(
    cls: type,
    input: str,
    beta: int | str,
    threshold: int | str,
    attributes: Attributes,
    type: t.Type,
) -> Pending:
    return Pending(
        cls,
        operands=(input,),
        types=(type,),
        result_types=(type,),
        properties={
            "beta": typed_number(beta, t.f32),
            "threshold": typed_number(threshold, t.f32),
        },
        attributes=attributes,
    )


@printer("spyreop.softplus")
def print_softplus(p: Any, op: SoftplusOp) -> None:
    p.write(" ")
    p.value(op.input)
    p.write(f" beta {numbers.format_float(op.beta.value, 'f32')}")
    p.write(f" threshold {numbers.format_float(op.threshold.value, 'f32')}")
    p.attr_dict(op, elided=("beta", "threshold"))
    p.write(" : ")
    p.type(op.result.type)
