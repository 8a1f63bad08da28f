"""``agen``: what single and composite accesses share: direction, terminator, checks."""

from __future__ import annotations

from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    attribute,
)
from kt.ir.core import Operation, Value
from kt.ir.dialects.dataflow import (
    DATA_VECTOR,
    BracketEnumAttr,
    DirectionAttr,
)
from kt.ir.opdef import (
    variadic_operand,
)
from kt.ir.traits import (
    ReturnLike,
    Terminator,
)


@attribute
class AgenDirectionAttr(BracketEnumAttr):
    """``#agen<direction Clockwise>``: how data is routed on the ring."""

    name: ClassVar[str] = "agen.direction"
    cases: ClassVar[tuple[str, ...]] = DirectionAttr.cases


registry.ATTRIBUTES[AgenDirectionAttr.name] = AgenDirectionAttr


class YieldOp(Operation):
    """Ends a region of this dialect; an operand is the vector to store at this step."""

    name = "agen.yield"
    traits = (Terminator(), ReturnLike())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


# -- checks ----------------------------------------------------------------------------------------


def check_subscripts(op: Any, map: AffineMapAttr, indices: Any, what: str = "") -> None:
    if map.map.num_inputs != len(indices):
        raise op.error(f"expected {map.map.num_inputs} {what}map operands, but got {len(indices)}")


def check_access(
    op: Any, prefix: str, memref: Value, map: AffineMapAttr, lanes: int | None
) -> None:
    """Dimensions of set, order and subscripts against the memref, points against lanes."""
    points: AffineSetAttr = getattr(op, f"{prefix}_set")
    order: AffineMapAttr = getattr(op, f"{prefix}_order")
    rank = memref.type.rank  # type: ignore[attr-defined]
    if points.set.num_dims != order.map.num_dims:
        raise op.error(
            f"{prefix} set and order dimensions should match, but are {points.set.num_dims} and "
            f"{order.map.num_dims}"
        )
    if points.set.num_dims != rank:
        raise op.error(
            f"{prefix} set and array dimensions should match, but are {points.set.num_dims} and {rank}",
            code="strict",
        )
    if map.map.num_results != rank:
        raise op.error(
            f"has {map.map.num_results} subscripts for '{memref.type}' of rank {rank}",
            code="strict",
        )
    if lanes is not None and points.set.num_symbols == 0 and points.set.count() != lanes:
        raise op.error(
            f"{prefix} set has {points.set.count()} points, but the vector has {lanes} lanes",
            code="strict",
        )


def check_element(op: Any, memref: Value, vector: t.Type) -> None:
    mine, theirs = t.element_type_of(memref.type), t.element_type_of(vector)
    if mine is not theirs:
        raise op.error(
            f"moves elements of type {theirs}, but the memory view has {mine}", code="strict"
        )


def check_time(op: Any, addr_map: AffineMapAttr | None, memref: Value) -> None:
    """Time attributes agree in dimensions and symbols; the map adds to every subscript."""
    steps, order = op.time_set.set, op.time_order.map
    if steps.num_dims != order.num_dims:
        raise op.error(
            f"time set and order dimensions should match, but are {steps.num_dims} and "
            f"{order.num_dims}",
            code="strict",
        )
    if addr_map is not None and addr_map.map.num_dims != steps.num_dims:
        raise op.error(
            f"time set and address map dimensions should match, but are {steps.num_dims} and "
            f"{addr_map.map.num_dims}",
            code="strict",
        )
    rank = memref.type.rank  # type: ignore[attr-defined]
    if addr_map is not None and addr_map.map.num_results != rank:
        raise op.error(
            f"time address map has {addr_map.map.num_results} results for rank {rank}",
            code="strict",
        )


def vector_argument(op: Operation) -> t.Type:
    arguments = op.regions[0].blocks[0].arguments if op.regions[0].blocks else []
    if len(arguments) != 1 or not DATA_VECTOR.holds(arguments[0].type):
        raise op.error("expects a region with one block argument, a data vector")
    return arguments[0].type
