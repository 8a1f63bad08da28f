"""Text of the `pdl` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.dialects.pdl import OperationOp, RangeOp, ResultsOp, RewriteOp
from kt.ir.dialects.pdl_types import (
    HANDLES,
    AttributeType,
    OperationType,
    RangeType,
    TypeType,
    ValueType,
)
from kt.parse.syntax_api import (
    Pending,
    PendingRegion,
    action,
    directive,
    directive_printer,
    empty_region,
    fail,
    printer,
    segments,
    syntax,
)

Typed = tuple[tuple[str, ...], tuple[t.Type, ...]]
Attributes = dict[str, Attribute]


@syntax("!pdl.range", rule="pdl_range_body")
def build_range_type(cls: type[RangeType], word: str) -> RangeType:
    element = HANDLES.get(str(word))
    if element is None:
        fail(f"expected a pdl type inside pdl.range, got '{word}'", hint=", ".join(HANDLES))
    return cls(element)  # type: ignore[arg-type]


def _write_typed(p: Any, values: Any) -> None:
    """``(%a, %b : T, U)``."""
    p.write("(")
    p.values(values)
    p.write(" : ")
    p.types([v.type for v in values])
    p.write(")")


# Operations

Head = tuple[str | None, Typed, tuple[tuple[str, str], ...], Typed, Attributes]


@action("pdl_with_attributes")
def with_attributes(name: Any, operands: Any, entries: Any, types: Any, attributes: Any) -> Head:
    return name, operands, entries, types, attributes


@action("pdl_with_types")
def with_types(name: Any, operands: Any, names: Any, types: Any, attributes: Any) -> Head:
    return name, operands, (), (names, types), attributes


@action("pdl_plain")
def plain(name: Any, operands: Any, attributes: Any) -> Head:
    return name, operands, (), ((), ()), attributes


@syntax("pdl.operation", rule="pdl_operation")
def build_operation(
    cls: type,
    name: str | None,
    operands: Typed,
    entries: tuple[tuple[str, str], ...],
    results: Typed,
    attributes: Attributes,
) -> Pending:
    handle = AttributeType()
    properties: Attributes = {
        "attributeValueNames": ArrayAttr(tuple(StringAttr(key) for key, _ in entries)),
        "operandSegmentSizes": segments(len(operands[0]), len(entries), len(results[0])),
    }
    if name is not None:
        properties["opName"] = StringAttr(name)
    return Pending(
        cls,
        operands=(*operands[0], *(value for _, value in entries), *results[0]),
        types=(*operands[1], *(handle for _ in entries), *results[1]),
        result_types=(OperationType(),),
        properties=properties,
        attributes=attributes,
    )


@printer("pdl.operation")
def print_operation(p: Any, op: OperationOp) -> None:
    if op.op_name is not None:
        p.write(" ")
        p.string(op.op_name.value)
    if op.operand_values:
        _write_typed(p, op.operand_values)
    for i, (name, value) in enumerate(op.named_attributes.items()):
        p.write(", " if i else " {")
        p.string(name)
        p.write(" = ")
        p.value(value)
    if op.attribute_values:
        p.write("}")
    if op.type_values:
        p.write(" -> ")
        _write_typed(p, op.type_values)
    p.attr_dict(op, elided=("opName", "attributeValueNames", "operandSegmentSizes"))


# Results and ranges


@action("pdl_all_results")
def all_results(parent: str, attributes: Attributes) -> Any:
    return None, parent, RangeType(ValueType()), attributes


@action("pdl_result_group")
def result_group(index: int, parent: str, type: t.Type, attributes: Attributes) -> Any:
    return index, parent, type, attributes


@syntax("pdl.results", rule="pdl_results")
def build_results(
    cls: type, index: int | None, parent: str, type: t.Type, attributes: Attributes
) -> Pending:
    return Pending(
        cls,
        operands=(parent,),
        types=(OperationType(),),
        result_types=(type,),
        properties={} if index is None else {"index": IntegerAttr(index, t.i32)},
        attributes=attributes,
    )


@printer("pdl.results")
def print_results(p: Any, op: ResultsOp) -> None:
    p.write(" of " if op.index is None else f" {op.index.value} of ")
    p.value(op.parent_handle)
    if op.index is not None:
        p.write(" -> ")
        p.type(op.result.type)
    p.attr_dict(op, elided=("index",))


@action("pdl_range_of")
def range_of(names: tuple[str, ...], types: tuple[t.Type, ...]) -> Any:
    element = types[0].element if isinstance(types[0], RangeType) else types[0]
    if element not in (TypeType(), ValueType()):
        fail(f"expected values or types in a range, got '{types[0]}'")
    return names, types, RangeType(element)


@action("pdl_empty_range")
def empty_range(type: t.Type) -> Any:
    return (), (), type


@directive("PdlRange", rule="pdl_range")
def range_directive(args: list[Any], *parts: Any) -> None:
    args[0], args[1], args[2] = parts


@directive_printer("PdlRange")
def print_range(p: Any, op: RangeOp, values: Any, types: Any, type: t.Type) -> None:
    if values:
        p.values(values)
        p.write(" ")
    p.write(": ")
    p.types(types if values else [type])


# Rewrites


@syntax("pdl.rewrite", rule="pdl_rewrite")
def build_rewrite(
    cls: type,
    root: str | None,
    external: tuple[str, Typed] | None,
    region: PendingRegion | None,
    attributes: Attributes,
) -> Pending:
    roots = () if root is None else (root,)
    names, types = external[1] if external is not None else ((), ())
    properties: Attributes = {"operandSegmentSizes": segments(len(roots), len(names))}
    if external is not None:
        properties["name"] = StringAttr(external[0])
    return Pending(
        cls,
        operands=(*roots, *names),
        types=(*(OperationType() for _ in roots), *types),
        properties=properties,
        attributes=attributes,
        regions=[region if region is not None else empty_region()],
    )


@printer("pdl.rewrite")
def print_rewrite(p: Any, op: RewriteOp) -> None:
    if op.root is not None:
        p.write(" ")
        p.value(op.root)
    if op.external is not None:
        p.write(" with ")
        p.string(op.external.value)
        if op.external_args:
            _write_typed(p, op.external_args)
    if not op.regions[0].is_empty:
        p.write(" ")
        p.region(op.regions[0])
    p.attr_dict(op, elided=("name", "operandSegmentSizes"), keyword=True)
