"""Text of the `ktdf` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.core import Value
from kt.ir.dialects.ktdf import (
    CreateTokenOp,
    DataTransferOp,
    DeriveSizeOp,
    LinearizeIndexOp,
    OpaqueOp,
    ParallelOp,
    ReserveSizeOp,
    SelectMemrefOp,
    TransferSide,
)
from kt.parse.syntax_api import (
    Pending,
    PendingRegion,
    action,
    dim,
    fail,
    printer,
    segments,
    static_array,
    syntax,
)

Attributes = dict[str, Attribute] | None
Pair = tuple[str, str]


@syntax("ktdf.fifo.slot", rule="ktdf_slot")
def build_slot(
    cls: type, source: Attribute, destination: Attribute, count: str, element: t.Type
) -> Attribute:
    return cls(source, destination, dim(count), element)


@syntax("ktdf.loop_type", rule="ktdf_loop_type")
def build_loop_type(cls: Any, word: str) -> Attribute:
    return cls(word)


# Tokens and tile sizes


@syntax("ktdf.create_token", "ktdf.tiling.reserve_size", rule="ktdf_fresh")
def build_fresh(cls: type, attributes: Attributes, type: t.Type) -> Pending:
    return Pending(cls, result_types=(type,), attributes=attributes)


@printer("ktdf.create_token", "ktdf.tiling.reserve_size")
def print_fresh(p: Any, op: CreateTokenOp | ReserveSizeOp) -> None:
    p.attr_dict(op, elided=("unique_id",))
    p.write(" : ")
    p.type(op.result.type)


@syntax("ktdf.tiling.derive_size", rule="ktdf_derive_size")
def build_derive_size(cls: type, *parts: Any) -> Pending:
    *pairs, total, attributes, type = parts
    return _over_pairs(cls, pairs, (total,), attributes, type)


@syntax("ktdf.tiling.linearize_index", rule="ktdf_linearize_index")
def build_linearize_index(cls: type, *parts: Any) -> Pending:
    *pairs, attributes, type = parts
    return _over_pairs(cls, pairs, (), attributes, type)


def _over_pairs(
    cls: type,
    pairs: Sequence[Pair],
    rest: tuple[str, ...],
    attributes: Attributes,
    type: t.Type,
) -> Pending:
    operands = (*(iv for iv, _ in pairs), *(size for _, size in pairs), *rest)
    return Pending(
        cls,
        operands=operands,
        types=(t.index,) * len(operands),
        result_types=(type,),
        attributes=attributes,
    )


def _print_pairs(p: Any, pairs: Sequence[tuple[Value, Value]]) -> None:
    for i, (iv, size) in enumerate(pairs):
        p.write(", [" if i else " [")
        p.value(iv)
        p.write(" : ")
        p.value(size)
        p.write("]")


@printer("ktdf.tiling.derive_size")
def print_derive_size(p: Any, op: DeriveSizeOp) -> None:
    _print_pairs(p, op.pairs)
    p.write(", total_size = ")
    p.value(op.total_size)
    p.attr_dict(op)
    p.write(" : ")
    p.type(op.size.type)


@printer("ktdf.tiling.linearize_index")
def print_linearize_index(p: Any, op: LinearizeIndexOp) -> None:
    _print_pairs(p, op.pairs)
    p.attr_dict(op)
    p.write(" : ")
    p.type(op.index.type)


@syntax("ktdf.select_memref", rule="ktdf_select_memref")
def build_select_memref(
    cls: type,
    phase: str,
    candidates: tuple[str, ...],
    attributes: Attributes,
    type: t.Type,
) -> Pending:
    return Pending(
        cls,
        operands=(phase, *candidates),
        types=(t.index, *(type for _ in candidates)),
        result_types=(type,),
        attributes=attributes,
    )


@printer("ktdf.select_memref")
def print_select_memref(p: Any, op: SelectMemrefOp) -> None:
    p.write(" ")
    p.value(op.phase)
    p.subscripts(op.candidates)
    p.attr_dict(op)
    p.write(" : ")
    p.type(op.selected.type)


# Transfers


@action("ktdf_indices")
def indices(operands: Any) -> Any:
    return operands


@action("ktdf_sizes")
def sizes(entries: Any) -> Any:
    return entries


@syntax("ktdf.data_transfer", rule="ktdf_data_transfer")
def build_data_transfer(
    cls: type,
    source: tuple[str, Any, Any],
    dest: tuple[str, Any, Any],
    attributes: Attributes,
    source_type: t.Type,
    dest_type: t.Type,
) -> Pending:
    operands: list[str] = []
    types: list[t.Type] = []
    counts: list[int] = []
    properties: dict[str, Attribute] = {}
    for word, (value, subscripts, entries), type in (
        ("source", source, source_type),
        ("dest", dest, dest_type),
    ):
        names: tuple[str, ...] = ()
        if subscripts is not None:
            map, dims, symbols = subscripts
            names = (*dims, *symbols)
            properties[f"{word}_map"] = AffineMapAttr(map)
        dynamic: tuple[str, ...] = ()
        if entries is not None:
            static, dynamic = entries
            properties[f"static_{word}_sizes"] = static_array(static)
        operands += [value, *names, *dynamic]
        types += [type, *(t.index for _ in (*names, *dynamic))]
        counts += [1, len(names), len(dynamic)]
    return Pending(
        cls,
        operands=operands,
        types=types,
        properties={**properties, "operandSegmentSizes": segments(*counts)},
        attributes=attributes,
    )


def _print_cell(p: Any, side: TransferSide, static: Any, dynamic: Sequence[Value]) -> None:
    p.value(side.value)
    if side.map is not None:
        p.write("[")
        count = side.map.num_dims
        p.affine_operands(side.map, side.indices[:count], side.indices[count:])
        p.write("]")
    if static is not None:
        p.write(" size ")
        p.mixed_list(static, dynamic)


@printer("ktdf.data_transfer")
def print_data_transfer(p: Any, op: DataTransferOp) -> None:
    p.write(" from ")
    _print_cell(p, op.source_side, op.static_source_sizes, op.source_sizes)
    p.write(" to ")
    _print_cell(p, op.dest_side, op.static_dest_sizes, op.dest_sizes)
    p.attr_dict(
        op,
        elided=(
            "source_map",
            "dest_map",
            "static_source_sizes",
            "static_dest_sizes",
            "operandSegmentSizes",
        ),
    )
    p.write(" : ")
    p.types([op.source.type, op.destination.type])


# Parallel instances


@syntax("ktdf.parallel", rule="ktdf_parallel")
def build_parallel(
    cls: type,
    names: tuple[str, ...],
    lower: tuple[str, ...],
    upper: tuple[str, ...],
    steps: tuple[str, ...],
    instances: int,
    region: PendingRegion,
    attributes: Attributes,
) -> Pending:
    count = len(names) - 1
    if count < 1:
        fail(
            "expected at least one induction variable plus an instance id "
            f"(got {len(names)} block arguments)"
        )
    operands: list[str] = []
    for i, bounds in enumerate((lower, upper, steps), 1):
        operands += bounds
        if len(operands) != i * count:
            fail(f"expected {i * count} operands")
    region.set_arguments([(name, t.index) for name in names])
    return Pending(
        cls,
        operands=operands,
        types=(t.index,) * len(operands),
        properties={"num_instances": IntegerAttr(instances, t.i64)},
        attributes=attributes,
        regions=[region],
    )


@printer("ktdf.parallel")
def print_parallel(p: Any, op: ParallelOp) -> None:
    p.write(" (")
    p.values(op.body.arguments)
    for word, bounds in (
        (") = (", op.lower_bounds),
        (") to (", op.upper_bounds),
        (") step (", op.steps),
    ):
        p.write(word)
        p.values(bounds)
    p.write(f") distribute(num_instances = {op.num_instances.value}) ")
    p.region(op.body_region, entry_args=False)
    p.attr_dict(op, elided=("num_instances",))


# Instruction templates


@action("ktdf_opaque_results")
def opaque_results(types: tuple[t.Type, ...] | None) -> tuple[t.Type, ...]:
    return types or ()


@action("ktdf_typed_values")
def typed_values(
    names: tuple[str, ...] | None, types: tuple[t.Type, ...] | None
) -> tuple[tuple[str, ...], tuple[t.Type, ...]]:
    names, types = names or (), types or ()
    if len(names) != len(types):
        fail(f"{len(names)} operands present, but expected {len(types)}")
    return names, types


@syntax("ktdf.opaque", rule="ktdf_opaque")
def build_opaque(
    cls: type,
    template: str,
    attributes: Attributes,
    result_types: tuple[t.Type, ...],
    inputs: tuple[tuple[str, ...], tuple[t.Type, ...]],
    outputs: tuple[tuple[str, ...], tuple[t.Type, ...]],
) -> Pending:
    return Pending(
        cls,
        operands=(*inputs[0], *outputs[0]),
        types=(*inputs[1], *outputs[1]),
        result_types=result_types,
        properties={
            "template_name": StringAttr(template),
            "operandSegmentSizes": segments(len(inputs[0]), len(outputs[0])),
        },
        attributes=attributes,
    )


@printer("ktdf.opaque")
def print_opaque(p: Any, op: OpaqueOp) -> None:
    p.write(" ")
    p.string(op.template_name.value)
    p.attr_dict(op, elided=("template_name", "operandSegmentSizes"))
    if op.results:
        p.write(" -> ")
        p.types([value.type for value in op.results])
    for word, values in (("ins", op.inputs), ("outs", op.outputs)):
        p.newline()
        p.write(f"  {word}(")
        if values:
            p.values(values)
            p.write(": ")
            p.types([value.type for value in values])
        p.write(")")
