"""Index arithmetic as affine maps: who produces an index, and folding it into the maps that use it."""

from __future__ import annotations

from collections.abc import Sequence

from kt.ir.affine import AffineExpr, AffineMap, const, dim
from kt.ir.affine import compose_with as compose_maps
from kt.ir.attributes import AffineMapAttr, DenseArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import affine, ktdf
from kt.ir.types import DYNAMIC, i32, i64

Indexing = tuple[AffineMap, list[Value]]


def constant_index(value: Value) -> int | None:
    """The number behind an ``arith.constant`` of index or integer type."""
    op = value.defining_op
    found = op.attr("value") if op is not None and op.name == "arith.constant" else None
    return found.value if isinstance(found, IntegerAttr) else None


def as_dims(map: AffineMap) -> AffineMap:
    """The same map with its symbols turned into trailing dims (transfers allow dims only)."""
    if not map.num_symbols:
        return map
    symbols = [dim(map.num_dims + i) for i in range(map.num_symbols)]
    dims = [dim(i) for i in range(map.num_dims)]
    return map.replace_dims_and_symbols(dims, symbols, map.num_dims + map.num_symbols, 0)


def producer(value: Value) -> Indexing | None:
    """The affine map that makes an index: an ``affine.apply``, or sums with constant strides."""
    op = value.defining_op
    if isinstance(op, affine.ApplyOp):
        return as_dims(op.attr("map").map), list(op.operands)
    if isinstance(op, ktdf.LinearizeIndexOp):
        strides = [constant_index(s) for s in op.strides]
        if all(s is not None for s in strides):
            total: AffineExpr = const(0)
            for i, stride in enumerate(strides):
                assert stride is not None
                total = total + dim(i) * stride
            return AffineMap(len(strides), 0, (total,)), list(op.ivs)
    return None


def compose(map: AffineMap, operands: Sequence[Value]) -> Indexing:
    """Swallow producers and constants of the operands; the result has dims only."""
    composed, values = compose_maps(
        as_dims(map),
        list(operands),
        producer,
        is_symbol=lambda v: constant_index(v) is not None,
        as_constant=constant_index,
    )
    return as_dims(composed), list(values)


def compose_transfer(op: ktdf.DataTransferOp) -> None:
    """Fold index arithmetic into both sides' maps."""
    for word, side in list(op.sides()):
        if side.map is not None:
            set_side(op, word, *compose(side.map, side.indices))


def compose_min(op: Operation) -> None:
    """Fold index arithmetic into the map of an ``affine.min``."""
    map, operands = compose(op.attr("map").map, op.operands)
    op.operands = operands
    op.properties["map"] = AffineMapAttr(map)


def set_side(
    op: ktdf.DataTransferOp,
    word: str,
    map: AffineMap,
    indices: Sequence[Value],
    sizes: Sequence[int | Value] | None = None,
) -> None:
    """Replace map and index operands of one side (``source`` or ``dest``), and its sizes if given."""
    groups = [
        [op.source], list(op.source_indices), list(op.source_sizes),
        [op.destination], list(op.dest_indices), list(op.dest_sizes),
    ]  # fmt: skip
    first = 0 if word == "source" else 3
    groups[first + 1] = list(indices)
    op.properties[f"{word}_map"] = AffineMapAttr(map)
    if sizes is not None:
        groups[first + 2] = [s for s in sizes if not isinstance(s, int)]
        static = [s if isinstance(s, int) else DYNAMIC for s in sizes]
        op.properties[f"static_{word}_sizes"] = DenseArrayAttr.of(static, i64)
    op.operands = [value for group in groups for value in group]
    op.properties["operandSegmentSizes"] = DenseArrayAttr.of([len(g) for g in groups], i32)


def apply_map(builder: Builder, expr: AffineExpr, operands: Sequence[Value]) -> Value:
    """``affine.apply`` of one expression over dims; a plain dim or a constant needs no op."""
    map = AffineMap(len(operands), 0, (expr,))
    if map.is_constant:
        return builder.constant(map.constants[0])  # type: ignore[index]
    if len(operands) == 1 and map.is_identity:
        return operands[0]
    return builder.create(affine.ApplyOp, list(operands), map=AffineMapAttr(map)).results[0]
