"""tile-scf-for-loops: split the parallel loops of a nest into tile loops and point loops.

Before::

    scf.for %i = %c0 to %c256 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        use(%i, %j)
      } {kt.dim = 1 : i64, loop_type = #ktdf.loop_type<parallel_loop>}
    } {kt.dim = 0 : i64, loop_type = #ktdf.loop_type<parallel_loop>}

After (all tile loops outside all point loops; sizes are chosen by tile-size-selection)::

    %s0 = ktdf.tiling.reserve_size {divisibility = 1 : index, kt.dim = 0 : i64, min_value = 1 : index} : index
    %s1 = ktdf.tiling.reserve_size {…} : index
    %n0 = arith.ceildivui %c256, %s0 : index
    scf.for %I = %c0 to %n0 step %c1 {
      %n1 = arith.ceildivui %c4, %s1 : index
      scf.for %J = %c0 to %n1 step %c1 {
        %p0 = ktdf.tiling.derive_size [%I : %s0], total_size = %c256 : index
        %p1 = ktdf.tiling.derive_size [%J : %s1], total_size = %c4 : index
        scf.for %pi = %c0 to %p0 step %c1 {
          scf.for %pj = %c0 to %p1 step %c1 {
            %i = ktdf.tiling.linearize_index [%I : %s0], [%pi : %c1] : index
            %j = ktdf.tiling.linearize_index [%J : %s1], [%pj : %c1] : index
            use(%i, %j)

Needs: normalised loops. Loops that aren't parallel end the nest that is tiled. Point loops carry
``kt.point``. A single loop is tiled as well (upstream leaves it, and its whole extent then has to
fit the scratchpad).
"""

from __future__ import annotations

from attrs import frozen

from kt.ir.attributes import IntegerAttr, UnitAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, ktdf, scf
from kt.ir.types import index
from kt.passes.analysis.nests import DIM, is_parallel, loop_dim, nests, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass

POINT = "kt.point"
"""Marks loops over the points of a tile: stage-coarsening sinks them into the pipeline."""


@register_pass
@frozen
class TileScfForLoops(Pass):
    """Split every nest of parallel loops into tile loops and point loops."""

    name = "tile-scf-for-loops"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            for nest in nests(program):
                loops = list(nest.loops)
                while loops and not is_parallel(loops[-1]):
                    loops.pop()
                if loops and all(map(is_parallel, loops)):
                    tile(loops)
                    ctx.stat("tiled-loops", len(loops))


def tile(loops: list[scf.ForOp]) -> None:
    """Tile perfectly nested, normalised loops, outermost first."""
    root = loops[0]
    builder = Builder.before(root)
    sizes = [_reserve(builder, loop) for loop in loops]
    zero, one = builder.constant(0), builder.constant(1)
    inside = builder
    tiles = []
    for loop, size in zip(loops, sizes, strict=True):
        trips = inside.create(arith.CeilDivUIOp, loop.upper_bound, size).result
        tiles.append(_loop(inside, zero, trips, one, loop))
        inside = Builder.at_start(tiles[-1].body, loop.location)
    extents = [
        inside.create(ktdf.DeriveSizeOp, [made.induction_variable], [size], loop.upper_bound).size
        for made, size, loop in zip(tiles, sizes, loops, strict=True)
    ]
    points = []
    for loop, extent in zip(loops, extents, strict=True):
        points.append(_loop(inside, zero, extent, one, loop, {POINT: UnitAttr()}))
        inside = Builder.at_start(points[-1].body, loop.location)
    for loop, outer, point, size in zip(loops, tiles, points, sizes, strict=True):
        iv = loop.induction_variable
        if iv.has_uses:
            pair = [outer.induction_variable, point.induction_variable]
            iv.replace_all_uses_with(
                inside.create(ktdf.LinearizeIndexOp, pair, [size, one]).results[0]
            )
    _move_bodies(loops, points[-1])
    root.erase()


def _reserve(builder: Builder, loop: scf.ForOp) -> Value:
    one = IntegerAttr(1, index)
    made = builder.create(
        ktdf.ReserveSizeOp, divisibility=one, min_value=one, location=loop.location
    )
    dim = loop_dim(loop)
    if dim is not None:
        made.attributes[DIM] = loop.attributes[DIM]
    return made.size


def _loop(
    builder: Builder,
    lower: Value,
    upper: Value,
    step: Value,
    like: scf.ForOp,
    more: dict[str, UnitAttr] | None = None,
) -> scf.ForOp:
    """A loop with the attributes of another one and an empty body ended by a yield."""
    made = scf.ForOp.of(lower, upper, step, location=like.location)
    made.attributes.update({**like.attributes, **(more or {})})
    made.body.append(scf.YieldOp.build(location=like.location))
    made.induction_variable.name_hint = like.induction_variable.name_hint
    return builder.insert(made)


def _move_bodies(loops: list[scf.ForOp], innermost: scf.ForOp) -> None:
    """Everything in the old loops except loop headers and yields goes into the innermost loop."""
    anchor = innermost.body.last_op
    assert anchor is not None
    for loop in loops:
        for op in loop.body.ops:
            if op not in loops and not isinstance(op, scf.YieldOp):
                op.move_before(anchor)
