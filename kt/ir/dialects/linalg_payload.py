"""Scalar payloads: the bodies that the names of ``linalg`` ops stand for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attrs import define

from kt.ir import types as t
from kt.ir.attributes import EnumAttr, attribute
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import arith, math

UNARY_KINDS: dict[str, type[Operation]] = {
    "exp": math.ExpOp,
    "log": math.LogOp,
    "abs": math.AbsFOp,
    "ceil": math.CeilOp,
    "floor": math.FloorOp,
    "negf": arith.NegFOp,
    "reciprocal": arith.DivFOp,
    "round": math.RoundOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "square": arith.MulFOp,
    "tanh": math.TanhOp,
    "erf": math.ErfOp,
}
"""Float ops of unary kinds; ``reciprocal`` and ``square`` use theirs with a second operand."""

BINARY_KINDS: dict[str, tuple[type[Operation] | None, ...]] = {
    "add": (arith.AddFOp, arith.AddIOp, arith.OrIOp),
    "sub": (arith.SubFOp, arith.SubIOp, None),
    "mul": (arith.MulFOp, arith.MulIOp, arith.AndIOp),
    "div": (arith.DivFOp, arith.DivSIOp, None),
    "div_unsigned": (None, arith.DivUIOp, None),
    "max_signed": (arith.MaximumFOp, arith.MaxSIOp, None),
    "min_signed": (arith.MinimumFOp, arith.MinSIOp, None),
    "max_unsigned": (arith.MaximumFOp, arith.MaxUIOp, None),
    "min_unsigned": (arith.MinimumFOp, arith.MinUIOp, None),
    "powf": (math.PowFOp, None, None),
}
"""The ops of binary kinds for floats, integers and i1."""

TERNARY_KINDS = ("select",)
ELEMENTWISE_KINDS = (*UNARY_KINDS, *BINARY_KINDS, *TERNARY_KINDS)


@attribute
class TypeFnAttr(EnumAttr):
    """``#linalg.type_fn<cast_signed>``: how a contraction widens integers."""

    name = "linalg.type_fn"
    cases = ("cast_signed", "cast_unsigned")


@define
class PayloadBuilder:
    """Appends scalar ops to a block."""

    block: Block
    op_name: str

    def emit(self, op: Operation) -> Value:
        self.block.append(op)
        return op.result

    def refuse(self, what: str, type: t.Type) -> Exception:
        return VerifyError(f"'{self.op_name}' op {what} has no meaning for '{type}'")

    def unary(self, kind: str, value: Value) -> Value:
        """A function of one float."""
        cls = UNARY_KINDS[kind]
        if not t.is_float(value.type):
            raise self.refuse(kind, value.type)
        if kind == "square":
            return self.emit(cls.build(value, value))
        if kind == "reciprocal":
            one = self.emit(arith.ConstantOp.of(1.0, value.type))
            return self.emit(cls.build(one, value))
        return self.emit(cls.build(value))

    def binary(self, kind: str, lhs: Value, rhs: Value) -> Value:
        """A function of two numbers of one type."""
        type = lhs.type
        for_float, for_integer, for_bool = BINARY_KINDS[kind]
        cls = for_float if t.is_float(type) else for_bool if type is t.i1 else for_integer
        if cls is None or not (t.is_float(type) or isinstance(type, (t.IntegerType, t.IndexType))):
            raise self.refuse(kind, type)
        return self.emit(cls.build(lhs, rhs))

    def elementwise(self, kind: str, values: list[Value]) -> Value:
        """Any elementwise kind by name."""
        if kind in UNARY_KINDS:
            return self.unary(kind, values[0])
        if kind in BINARY_KINDS:
            return self.binary(kind, values[0], values[1])
        return self.emit(arith.SelectOp.build(*values[:3]))

    def cast(self, value: Value, to: t.Type, unsigned: bool = False) -> Value:
        """Convert a number to another type as contractions do with their inputs."""
        source = value.type
        if source is to:
            return value
        steps = _cast_steps(source, to, unsigned)
        if steps is None:
            raise self.refuse(f"a cast to '{to}'", source)
        for cls, type in steps:
            value = self.emit(cls.build(value, result_types=[type]))
        return value


def _cast_steps(
    source: t.Type, to: t.Type, unsigned: bool
) -> list[tuple[type[Operation], t.Type]] | None:
    """Cast ops, each with its result type; None where there is no cast."""
    if isinstance(source, t.IntegerType) and isinstance(to, t.IntegerType):
        if to.width < source.width:
            return [(arith.TruncIOp, to)]
        return [(arith.ExtUIOp if unsigned else arith.ExtSIOp, to)]
    if isinstance(source, t.FloatType) and isinstance(to, t.FloatType):
        if to.bits == source.bits:  # two formats of one width meet in f32
            return [(arith.ExtFOp, t.f32), (arith.TruncFOp, to)]
        return [(arith.ExtFOp if to.bits > source.bits else arith.TruncFOp, to)]
    if isinstance(source, t.IntegerType) and isinstance(to, t.FloatType):
        return [(arith.UIToFPOp if unsigned else arith.SIToFPOp, to)]
    if isinstance(source, t.FloatType) and isinstance(to, t.IntegerType):
        return [(arith.FPToUIOp if unsigned else arith.FPToSIOp, to)]
    if isinstance(source, t.IndexType) or isinstance(to, t.IndexType):
        return [(arith.IndexCastOp, to)]
    return None


Payload = Callable[[PayloadBuilder, list[Value]], Value]
"""Makes the body of a named op from its block arguments; returns the value to yield."""


def make_body(op_name: str, types: tuple[t.Type, ...], payload: Payload, end: Any) -> Region:
    """A region with one argument per operand element type, the payload, and its yield.

    ``end`` is the terminator's class. Raises VerifyError where the payload has no meaning for the
    types.
    """
    block = Block(types)
    value = payload(PayloadBuilder(block, op_name), list(block.arguments))
    block.append(end.build([value]))
    return Region([block])


def fingerprint(region: Region) -> tuple[Any, ...]:
    """What a one-block region computes, comparable: equal for bodies that differ only in names."""
    if len(region.blocks) != 1:
        return ("blocks", len(region.blocks))
    (block,) = region.blocks
    numbers: dict[Value, int] = {a: i for i, a in enumerate(block.arguments)}
    rows: list[Any] = [tuple(a.type for a in block.arguments)]
    for op in block.ops:
        if op.regions:
            return ("nested",)
        rows.append(
            (
                op.name,
                tuple(numbers.get(v, id(v)) for v in op.operands),
                tuple(sorted((k, a) for k, a in op.properties.items() if _counts(op, k, a))),
                tuple(v.type for v in op.results),
            )
        )
        for value in op.results:
            numbers[value] = len(numbers)
    return tuple(rows)


def _counts(op: Operation, key: str, value: Any) -> bool:
    """Whether an inherent attribute says more than its absence would."""
    declared = op.fields.attr(key)
    return declared is None or declared.default is not value


@lru_cache(maxsize=512)
def implied_template(cls: Any, types: tuple[t.Type, ...], variant: Any) -> Region:
    """The body that ``cls`` implies for operand element types (see NamedOp), to be copied."""
    return cls.implied_body(types, variant)


@lru_cache(maxsize=512)
def implied_fingerprint(cls: Any, types: tuple[t.Type, ...], variant: Any) -> tuple[Any, ...]:
    """Fingerprint of the implied body."""
    return fingerprint(implied_template(cls, types, variant))
