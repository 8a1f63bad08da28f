"""Text of the `dataflow` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute
from kt.ir.dialects.dataflow import (
    CustomMXFloatType,
    CustomMXIntType,
    CustomVectorType,
    GetPagedLogicalMemoryViewOp,
    ProgramUnitOp,
    ReturnOp,
)
from kt.parse.syntax_api import Pending, PendingRegion, action, dim, fail, printer, syntax

_CUSTOM = {
    "mxfp4": CustomMXFloatType(4),
    "mxfp8": CustomMXFloatType(8),
    "mxint4": CustomMXIntType(4),
}


@syntax("dataflow.custom_vector", rule="dataflow_custom_vector")
def build_custom_vector(cls: type[CustomVectorType], count: str, element: t.Type) -> t.Type:
    return cls(dim(count), element)


@syntax("dataflow.custom", rule="dataflow_custom")
def build_custom(cls: type, word: str) -> t.Type:
    found = _CUSTOM.get(str(word))
    if found is None:
        fail(f"expected 'mxfp4', 'mxfp8' or 'mxint4' but got '{word}'")
    return found  # type: ignore[return-value]


@syntax("dataflow.mxfp", "dataflow.mxint", rule="dataflow_mx")
def build_mx(cls: type[CustomMXFloatType], width: int) -> t.Type:
    return cls(width)


# Programs


@action("dataflow_bound")
def bound(handle: str, units: tuple[str, ...]) -> Any:
    return handle, units


@action("dataflow_unbound")
def unbound(units: tuple[str, ...]) -> Any:
    return None, units


@syntax("dataflow.program_unit", rule="dataflow_program_unit")
def build_program_unit(
    cls: type, binding: Any, attributes: dict[str, Attribute], region: PendingRegion
) -> Pending:
    handle, units = binding
    region.set_arguments([(handle, t.index)] if handle is not None else [])
    return Pending(
        cls,
        operands=units,
        types=(t.index,) * len(units),
        attributes=attributes,
        regions=[region],
    )


@printer("dataflow.program_unit")
def print_program_unit(p: Any, op: ProgramUnitOp) -> None:
    handle = op.self_handle
    p.write(" ")
    if handle is not None:
        p.write("iter_arg : ")
        p.value(handle)
        p.write(" -> (")
    p.values(op.units)
    if handle is not None:
        p.write(")")
    p.attr_dict(op)
    p.write(" : ")
    last = op.regions[0].block.last_op
    silent = isinstance(last, ReturnOp) and not last.attributes
    p.region(op.regions[0], entry_args=False, terminator=not silent)


# Paged views


@syntax("dataflow.get_paged_logical_memory_view", rule="dataflow_paged")
def build_paged(
    cls: type,
    unit: str,
    start: str,
    attributes: dict[str, Attribute],
    pages: tuple[tuple[str, Attribute, str], ...],
    unit_type: t.Type,
    start_type: t.Type,
    view_type: t.Type,
) -> Pending:
    for i, (word, _, _) in enumerate(pages):
        if word != f"page{i}":
            fail(f"expected 'page{i}', got '{word}'", hint="pages are numbered in order")
    return Pending(
        cls,
        operands=(unit, start, *(address for _, _, address in pages)),
        types=(unit_type, start_type, *(t.index for _ in pages)),
        result_types=(view_type,),
        properties={"idx_sets": ArrayAttr(tuple(points for _, points, _ in pages))},
        attributes=attributes,
    )


@printer("dataflow.get_paged_logical_memory_view")
def print_paged(p: Any, op: GetPagedLogicalMemoryViewOp) -> None:
    p.write(" ")
    p.values((op.unit, op.start_addr))
    p.attr_dict(op, elided=("idx_sets",))
    p.newline()
    p.write("  {segments =")
    for i, (points, start) in enumerate(zip(op.idx_sets, op.page_start_addrs, strict=True)):
        if i:
            p.write(",")
        p.newline()
        p.write(f"    page{i}: (idx_set = ")
        p.attribute(points)
        p.write(", start_addr = ")
        p.value(start)
        p.write(")")
    p.write("} : ")
    p.types([op.unit.type, op.start_addr.type, op.view.type])
