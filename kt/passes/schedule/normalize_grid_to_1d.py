"""normalize-grid-to-1d: number the tiles of a grid row by row.

Before::

    func.func @k() attributes {grid = [2, 4]} {
      %p:2 = ktdp.get_compute_tile_id : index, index

After::

    func.func @k() attributes {grid = [8]} {
      %t = ktdp.get_compute_tile_id : index
      %p0 = arith.divui %t, %c4 : index
      %p1 = arith.remui %t, %c4 : index

Needs: grids of positive integers, as many tile-id results as dimensions.
"""

from __future__ import annotations

import math

from attrs import frozen

from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, func, ktdp
from kt.ir.types import index
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class NormalizeGridTo1d(Pass):
    """Flatten the grid of every function to one dimension."""

    name = "normalize-grid-to-1d"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in module.walk_type(func.FuncOp):
            grid = function.attr("grid")
            if isinstance(grid, ArrayAttr):
                extents = grid_extents(function, grid)
                ids = [op for op in function.walk() if isinstance(op, ktdp.GetComputeTileIdOp)]
                for op in ids:
                    _flatten(op, extents)
                if len(extents) > 1:
                    flat = IntegerAttr(math.prod(extents), index)
                    function.attributes["grid"] = ArrayAttr((flat,))
                    ctx.stat("grids")


def grid_extents(function: Operation, grid: ArrayAttr) -> list[int]:
    """The grid as numbers; PassError for an empty one, a non-integer or a number below 1."""
    extents = []
    for entry in grid:
        if not isinstance(entry, IntegerAttr):
            raise PassError("Grid size must be integer attribute", function.location)
        if entry.value < 1:
            raise PassError(f"Grid size must be positive (got {entry.value})", function.location)
        extents.append(entry.value)
    if not extents:
        raise PassError("Grid must have at least one dimension", function.location)
    return extents


def _flatten(op: ktdp.GetComputeTileIdOp, extents: list[int]) -> None:
    if len(op.results) != len(extents):
        raise PassError(
            f"get_compute_tile_id result count ({len(op.results)}) does not match grid rank "
            f"({len(extents)})",
            op.location,
        )
    if len(extents) == 1:
        return
    builder = Builder.before(op)
    flat = builder.create(ktdp.GetComputeTileIdOp, result_types=[index]).results[0]
    parts = []
    for i, extent in enumerate(extents):
        part, behind = flat, math.prod(extents[i + 1 :])
        if behind != 1:
            part = builder.create(arith.DivUIOp, part, builder.constant(behind)).result
        if i:
            part = builder.create(arith.RemUIOp, part, builder.constant(extent)).result
        parts.append(part)
    op.replace_with(parts)
