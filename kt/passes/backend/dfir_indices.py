"""Index arithmetic of a schedule as plain arithmetic of a unit's program."""

from __future__ import annotations

from typing import Any

from kt.ir.affine import AffineBinary, AffineConst, AffineDim, AffineExpr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import affine, arith, ktdf, scf
from kt.passes.analysis.index_maps import constant_index
from kt.passes.analysis.nests import trip_count
from kt.passes.backend.dfir_unit import UnitProgram, lowers
from kt.passes.backend.dfir_values import DYNAMIC

ARITHMETIC: dict[str, Any] = {
    "add": arith.AddIOp, "mul": arith.MulIOp, "mod": arith.RemSIOp,
    "floordiv": arith.FloorDivSIOp, "ceildiv": arith.CeilDivSIOp,
}  # fmt: skip


@lowers(ktdf.DeriveSizeOp)
def derive_size(unit: UnitProgram, op: ktdf.DeriveSizeOp, builder: Builder) -> None:
    """What is left of the total after the outer tiles, at most a tile."""
    whole = _whole_tile(op)
    if whole is not None:
        unit.env[op.size] = unit.constants(whole)
        return
    left = unit.value(op.total_size)
    zero = unit.constants(0)
    for iv, tile in op.pairs:
        size = unit.value(tile)
        done = builder.create(arith.MulIOp, unit.value(iv), size).result
        left = builder.create(arith.SubIOp, left, done).result
        left = builder.create(arith.MaxSIOp, left, zero).result
        left = builder.create(arith.MinSIOp, left, size).result
    unit.env[op.size] = left


def _whole_tile(op: ktdf.DeriveSizeOp) -> int | None:
    """The tile's size, if the total is so many whole tiles as the loop has iterations."""
    total = constant_index(op.total_size)
    loops = [iv.parent_block.parent_op for iv, _ in op.pairs]  # type: ignore[union-attr]
    if len(loops) != 1 or total is None or not isinstance(loops[0], scf.ForOp):
        return None
    size, trips = constant_index(op.pairs[0][1]), trip_count(loops[0])
    normal = constant_index(loops[0].lower_bound) == 0 and constant_index(loops[0].step) == 1
    return size if size is not None and normal and trips is not None and trips * size <= total else None


@lowers(ktdf.LinearizeIndexOp)
def linearize(unit: UnitProgram, op: ktdf.LinearizeIndexOp, builder: Builder) -> None:
    """The sum of the loops' counters times their strides."""
    total: Value | None = None
    for iv, stride in op.pairs:
        part = unit.value(iv)
        if constant_index(stride) != 1:
            part = builder.create(arith.MulIOp, part, unit.value(stride)).result
        total = part if total is None else builder.create(arith.AddIOp, total, part).result
    assert total is not None
    unit.env[op.results[0]] = total


@lowers(affine.ApplyOp, affine.MinOp, affine.MaxOp)
def affine_value(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    """``affine.apply``, ``min`` and ``max`` as plain arithmetic, where they depend on loops."""
    if unit.values.when(op.results[0]) < DYNAMIC:
        return
    operands = [unit.value(v) for v in op.operands]
    map = op.attr("map").map
    parts = [_expand(e, operands, map.num_dims, unit, builder) for e in map.results]
    combine: Any = {"affine.min": arith.MinSIOp, "affine.max": arith.MaxSIOp}.get(op.name)
    total = parts[0]
    for part in parts[1:]:
        total = builder.create(combine, total, part).result
    unit.env[op.results[0]] = total


def _expand(
    expr: AffineExpr, operands: list[Value], num_dims: int, unit: UnitProgram, builder: Builder
) -> Value:
    """An affine expression over non-negative operands as arithmetic ops."""
    if isinstance(expr, AffineConst):
        return unit.constants(expr.value)
    if isinstance(expr, AffineBinary):
        lhs = _expand(expr.lhs, operands, num_dims, unit, builder)
        rhs = _expand(expr.rhs, operands, num_dims, unit, builder)
        return builder.create(ARITHMETIC[expr.kind], lhs, rhs).result
    position = expr.position if isinstance(expr, AffineDim) else num_dims + expr.position  # type: ignore[attr-defined]
    return operands[position]
