"""Text of the `uniform` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, IntegerAttr
from kt.ir.dialects.uniform import ClausesOp, DefImmutableMappingOp, UniformizeRegionsOp
from kt.parse.syntax_api import Pending, PendingRegion, action, fail, printer, segments, syntax

Clause = tuple[str, tuple[str, ...], PendingRegion]


@syntax("uniform.def_immutable_mapping", rule="uniform_map")
def build_map(cls: type, *parts: Any) -> Pending:
    *entries, attributes, types = parts
    if len(types) > 2:
        fail("expected the type of the result, then at most one type of the values")
    value_type = types[1] if len(types) == 2 else t.index
    count = len(entries)
    return Pending(
        cls,
        operands=(*(key for key, _ in entries), *(value for _, value in entries)),
        types=(*(t.index,) * count, *(value_type,) * count),
        result_types=types[:1],
        properties={"operandSegmentSizes": segments(count, count)},
        attributes=attributes,
    )


@printer("uniform.def_immutable_mapping")
def print_map(p: Any, op: DefImmutableMappingOp) -> None:
    write_entries(p, op.entries)
    p.attr_dict(op, elided=("operandSegmentSizes",))
    p.write(":")
    p.type(op.map.type)
    if op.values and op.values[0].type is not t.index:
        p.write(", ")
        p.type(op.values[0].type)


def write_entries(p: Any, entries: Any) -> None:
    """``([%k -> %v], …)``."""
    p.write("(")
    for i, (key, value) in enumerate(entries):
        p.write(", [" if i else "[")
        p.value(key)
        p.write(" -> ")
        p.value(value)
        p.write("]")
    p.write(")")


@action("uniform_one_type")
def one_type(type: t.Type) -> tuple[t.Type, ...]:
    return (type,)


def _pending(
    cls: type, clauses: tuple[Clause, ...], results: tuple[t.Type, ...], attributes: Any
) -> Pending:
    sizes, units, regions = [], [], []
    for handle, names, region in clauses:
        sizes.append(IntegerAttr(len(names), t.i32))
        units += names
        regions.append(region.set_arguments([(handle, t.index)]))
    return Pending(
        cls,
        operands=units,
        types=(t.index,) * len(units),
        result_types=results,
        properties={"list_sizes": ArrayAttr(tuple(sizes))},
        attributes=attributes,
        regions=regions,
    )


@syntax("uniform.uniformize_regions", rule="uniform_uniformize")
def build_uniformize(
    cls: type,
    results: tuple[t.Type, ...],
    clauses: tuple[Clause, ...],
    attributes: dict[str, Attribute],
) -> Pending:
    return _pending(cls, clauses, results, attributes)


@syntax("uniform.equalize_pattern", rule="uniform_equalize")
def build_equalize(
    cls: type, clauses: tuple[Clause, ...], attributes: dict[str, Attribute]
) -> Pending:
    return _pending(cls, clauses, (), attributes)


@printer("uniform.uniformize_regions", "uniform.equalize_pattern")
def print_clauses(p: Any, op: ClausesOp) -> None:
    if isinstance(op, UniformizeRegionsOp):
        p.write(" -> ")
        if len(op.results) == 1:
            p.type(op.results[0].type)
        else:
            p.write("(")
            p.types([r.type for r in op.results])
            p.write(")")
    p.write(" {")
    with p.indented():
        for units, region in zip(op.unit_lists, op.regions, strict=True):
            p.newline()
            p.write("(")
            p.value(region.block.arguments[0])
            p.write(" -> ")
            p.values(units)
            p.write(") ")
            p.region(region, entry_args=False)
    p.newline()
    p.write("}")
    p.attr_dict(op, elided=("list_sizes", "newly_added"))
