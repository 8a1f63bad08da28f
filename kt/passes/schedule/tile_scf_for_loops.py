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

Needs: normalised loops. Loops that aren't parallel end the nest that is tiled. The tile loops stand in the
plan's ``order``; the point loops keep the kernel's, so that a tile lies in its buffer as in memory. The
innermost of them, as many as the plan wants ``sunk``, carry ``kt.point``. A single loop is tiled as well
(upstream leaves it, and its whole extent then has to fit the scratchpad).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kt.ir.attributes import IntegerAttr, UnitAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, ktdf, scf
from kt.ir.types import index
from kt.passes.analysis.nests import DIM, loop_dim, nests, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.capacity import sunk_loops, tiled_loops
from kt.passes.schedule.plan import Plan, mark_used, plan_of

POINT = "kt.point"
"""Marks loops over the points of a tile: stage-coarsening sinks them into the pipeline."""


@register_pass
@frozen
class TileScfForLoops(Pass):
    """Split every nest of parallel loops into tile loops and point loops."""

    name = "tile-scf-for-loops"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program) or Plan()
            for nest in nests(program):
                loops = list(nest.loops[: tiled_loops(nest)])
                if loops:
                    tile(loops, in_order(loops, plan), sunk_loops(nest, plan).start)
                    ctx.stat("tiled-loops", len(loops))
            mark_used(program, plan, "order", "sunk")


def in_order(loops: Sequence[scf.ForOp], plan: Plan) -> list[scf.ForOp]:
    """Parallel loops as the plan wants them, outermost first."""
    place = {dim: i for i, dim in enumerate(plan.order)}
    return sorted(loops, key=lambda loop: place.get(loop_dim(loop), -1))  # type: ignore[arg-type]


def tile(loops: list[scf.ForOp], order: list[scf.ForOp], outside: int) -> None:
    """Tile perfectly nested, normalised loops, outermost first.

    ``order`` is that of the tile loops; the first ``outside`` point loops aren't going to be sunk.
    """
    root = loops[0]
    builder = Builder.before(root)
    sizes = {loop: _reserve(builder, loop) for loop in loops}
    zero, one = builder.constant(0), builder.constant(1)
    inside = builder
    tiles: dict[scf.ForOp, scf.ForOp] = {}
    for loop in order:
        trips = inside.create(arith.CeilDivUIOp, loop.upper_bound, sizes[loop]).result
        tiles[loop] = _loop(inside, zero, trips, one, loop)
        inside = Builder.at_start(tiles[loop].body, loop.location)
    extents = {}
    for loop in loops:
        place = [tiles[loop].induction_variable], [sizes[loop]]
        extents[loop] = inside.create(ktdf.DeriveSizeOp, *place, loop.upper_bound).size
    points = {}
    for i, loop in enumerate(loops):
        mark = {POINT: UnitAttr()} if i >= outside else {}
        points[loop] = _loop(inside, zero, extents[loop], one, loop, mark)
        inside = Builder.at_start(points[loop].body, loop.location)
    for loop in loops:
        iv = loop.induction_variable
        if iv.has_uses:
            pair = [tiles[loop].induction_variable, points[loop].induction_variable]
            iv.replace_all_uses_with(
                inside.create(ktdf.LinearizeIndexOp, pair, [sizes[loop], one]).results[0]
            )
    _move_bodies(loops, points[loops[-1]])
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
