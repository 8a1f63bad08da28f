"""``uniform``: one program for many units, with compile-time tables of where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.constraints import ANY_TYPE, I32_ATTR, INDEX, array_of
from kt.ir.core import BlockArgument, Operation, OpResult, Value
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    result,
    variadic_operand,
    variadic_region,
    variadic_result,
)
from kt.ir.traits import (
    AttrSizedOperands,
    ImplicitTerminator,
    Pure,
    ReturnLike,
    SingleBlock,
    Terminator,
)

I32_LIST = array_of(I32_ATTR, "32-bit integer array attribute")


class DefImmutableMappingOp(Operation):
    """A table from keys (units or constants) to values; looked up by ``uniform.query_map``."""

    name = "uniform.def_immutable_mapping"
    traits = (Pure(), AttrSizedOperands())
    keys: tuple[Value, ...] = variadic_operand(INDEX)
    values: tuple[Value, ...] = variadic_operand()
    map: OpResult = result(INDEX)

    @property
    def entries(self) -> list[tuple[Value, Value]]:
        return list(zip(self.keys, self.values, strict=True))

    def verify_(self) -> None:
        keys, values = self.keys, self.values
        if len(keys) != len(values):
            raise self.error(f"has {len(keys)} keys, but {len(values)} values")
        if not keys:
            raise self.error("expects at least one entry")
        if len(set(keys)) != len(keys):
            raise self.error("has the same key twice")
        if any(v.type is not values[0].type for v in values):
            raise self.error("All map values should be of the same type")
        _verify_sources(self, keys, values)


def _maker(value: Value) -> str:
    op = value.defining_op
    return op.name if op is not None else "a block argument"


def _verify_sources(op: Operation, keys: Sequence[Value], values: Sequence[Value]) -> None:
    if _maker(keys[0]) == "dataflow.get_unit":
        other = next((k for k in keys if _maker(k) != "dataflow.get_unit"), None)
        if other is not None:
            raise op.error(f"All Keys are not of same type: a unit, but also {_maker(other)}")
    if any(isinstance(v, BlockArgument) for v in values):
        raise op.error("every map value must be the result of an operation")
    first = _maker(values[0])
    for value in values[1:]:
        if _maker(value) != first:
            if first == "symbol.create_symbol":
                raise op.error("All map values are expected to be scalar values.")
            raise op.error(
                f"All map values should be of same type, but are results of {first} and "
                f"{_maker(value)}"
            )


class QueryMapOp(Operation):
    """The value that a table holds for a key; the key normally is the unit that runs the program."""

    name = "uniform.query_map"
    traits = (Pure(),)
    assembly_format = "`(` `map` `` `:` `` $map `,` `key` `` `:` `` $key `)` attr-dict `:` type($value)"
    map: Value = operand(INDEX)
    key: Value = operand(INDEX)
    value: OpResult = result(ANY_TYPE)

    def verify_(self) -> None:
        table = self.map.defining_op
        if not isinstance(table, DefImmutableMappingOp):
            raise self.error(
                f"expects a result of uniform.def_immutable_mapping, but got {_maker(self.map)}",
                code="strict",
            )
        held = table.values[0].type if table.values else self.result.type
        if held is not self.result.type:
            raise self.error(f"has type '{self.result.type}', but the map holds '{held}'")


class YieldOp(Operation):
    """Ends a clause with its values."""

    name = "uniform.yield"
    traits = (Terminator(), ReturnLike())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


class ClausesOp(Operation):
    """Base of the ops with one region per list of units; ``list_sizes`` says how long the lists are."""

    traits = (SingleBlock(), ImplicitTerminator("uniform.yield"))
    units: tuple[Value, ...] = variadic_operand(INDEX)
    list_sizes: ArrayAttr = attr(I32_LIST)
    clauses = variadic_region(single_block=True)

    @property
    def unit_lists(self) -> list[tuple[Value, ...]]:
        """The units of each clause."""
        lists, at = [], 0
        for size in self.list_sizes:
            assert isinstance(size, IntegerAttr)
            lists.append(self.operands[at : at + size.value])
            at += size.value
        return lists

    def verify_(self) -> None:
        sizes = [s.value for s in self.list_sizes]  # type: ignore[attr-defined]
        if sum(sizes) != len(self.operands) or len(sizes) != len(self.regions):
            raise self.error("list_sizes must give the number of units of each region")
        if len(set(self.operands)) != len(self.operands):
            raise self.error("duplicated unit SSAs found!")
        for units in self.unit_lists:
            allowed = ["dataflow.get_unit"] + (["dataflow.create_group"] if len(units) == 1 else [])
            bad = next((u for u in units if _maker(u) not in allowed), None)
            if bad is not None:
                raise self.error(
                    f"expects units from {' or '.join(allowed)}, but got {_maker(bad)}"
                )
        for region in self.regions:
            arguments = region.blocks[0].arguments if region.blocks else []
            if len(arguments) != 1 or arguments[0].type is not t.index:
                raise self.error("every region must have one index argument")
            last = region.blocks[0].last_op
            given = [v.type for v in last.operands] if isinstance(last, YieldOp) else []
            if given != [r.type for r in self.results]:
                raise self.error("every region must yield the results of the op")


class UniformizeRegionsOp(ClausesOp):
    """Run, on each unit, the clause whose list names it; yields that clause's values."""

    name = "uniform.uniformize_regions"
    region_indices: ArrayAttr | None = optional_attr(I32_LIST, key="regIndices")
    region_locales: ArrayAttr | None = optional_attr(ArrayAttr, key="regLocales")
    newly_added: Any = optional_attr()
    outputs: tuple[OpResult, ...] = variadic_result()


class EqualizePatternOp(ClausesOp):
    """Clauses that are the same sequence of ops, up to operands and attributes."""

    name = "uniform.equalize_pattern"

    def verify_(self) -> None:
        ClausesOp.verify_(self)
        shapes = [[op.name for op in region.walk()] for region in self.regions]
        if any(len(shape) != len(shapes[0]) for shape in shapes):
            raise self.error("regions have different operation size.")
        if any(shape != shapes[0] for shape in shapes):
            raise self.error("Operation sequences different.")
