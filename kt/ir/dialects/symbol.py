"""``symbol``: numbers that the host supplies or computes when a program is launched.

A symbol is named by a negative integer. ``create_id`` (at function level) says what its value is,
``create_symbol`` (in a program) uses it.
"""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.constraints import ANY_TYPE, INDEX, integer_attr
from kt.ir.core import BlockArgument, Operation, OpResult, Value
from kt.ir.opdef import attr, operand, result, variadic_operand
from kt.ir.traits import Pure, SameVariadicOperandSize, WriteEffect

SI64_ATTR = integer_attr(t.IntegerType(64, "s"), "64-bit signed integer attribute")


class CreateSymbolOp(Operation):
    """The launch-time value of symbol ``SymbolId`` (a discardable attribute, negative)."""

    name = "symbol.create_symbol"
    traits = (Pure(),)
    assembly_format = "attr-dict `:` type($symbol)"
    symbol: OpResult = result(INDEX)

    @property
    def symbol_id(self) -> int:
        """The number of the symbol."""
        found = self.attributes.get("SymbolId")
        if not isinstance(found, IntegerAttr):
            raise self.error("requires attribute 'SymbolId'")
        return found.value

    def verify_(self) -> None:
        if self.symbol_id >= 0:
            raise self.error(f"attribute 'SymbolId' must be negative, but is {self.symbol_id}")


class CreateIdOp(Operation):
    """Declare that symbol ``symbol_id`` has this value."""

    name = "symbol.create_id"
    traits = (WriteEffect(),)
    assembly_format = "$value attr-dict `:` type($value)"
    value: Value = operand(ANY_TYPE)
    symbol_id: IntegerAttr = attr(SI64_ATTR)

    def verify_(self) -> None:
        if self.symbol_id.value >= 0:
            raise self.error(
                f"attribute 'symbol_id' must be negative, but is {self.symbol_id.value}"
            )


class SymbolImmutableMappingOp(Operation):
    """A table from constants (iterations of a loop) to symbols."""

    name = "symbol.symbol_immutable_mapping"
    traits = (Pure(), SameVariadicOperandSize())
    keys: tuple[Value, ...] = variadic_operand(INDEX)
    values: tuple[Value, ...] = variadic_operand(INDEX)
    map: OpResult = result(INDEX)

    @property
    def entries(self) -> list[tuple[Value, Value]]:
        return list(zip(self.keys, self.values, strict=True))

    def verify_(self) -> None:
        if len(self.operands) % 2 or not self.operands:
            raise self.error("expects as many keys as values, at least one")
        if any(k.defining_op is None or k.defining_op.name != "arith.constant" for k in self.keys):
            raise self.error("All keys expected to be constant operations")
        if any(not isinstance(v.defining_op, CreateSymbolOp) for v in self.values):
            raise self.error("All map values are expected to be scalar values.")


class QueryMapOp(Operation):
    """The symbol that a table holds for an iteration."""

    name = "symbol.query_map"
    traits = (Pure(),)
    assembly_format = "`(` `map` `` `:` `` $map `,` `key` `` `:` `` $key `)` attr-dict `:` type($value)"
    map: Value = operand(INDEX)
    key: Value = operand(INDEX)
    value: OpResult = result(INDEX)

    def verify_(self) -> None:
        if not isinstance(self.map.defining_op, SymbolImmutableMappingOp):
            raise self.error("expects a result of symbol.symbol_immutable_mapping")
        if isinstance(self.key, BlockArgument):
            loop = self.key.block.parent_op
            if loop is None or loop.name not in ("scf.for", "affine.for"):
                raise self.error("key's parentOp must be a ForOp.")
