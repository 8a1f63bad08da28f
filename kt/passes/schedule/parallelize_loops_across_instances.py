"""parallelize-loops-across-instances: spread a loop over the equal units of a core.

Before::

    ktdf.stage … {
      scf.for %pi = %c0 to %c32 step %c1 {
        ktdf.pipeline { stage {load}  stage {compute}  stage {store} }
      } {loop_type = #ktdf.loop_type<parallel_loop>}
    } {applicable_units = ["load", "compute", "store"]}

After (the core has two of each of these units)::

    ktdf.stage … {
      ktdf.parallel (%pi, %instance) = (%c0) to (%c32) step (%c1) distribute(num_instances = 2) {
        ktdf.pipeline { stage {load}  stage {compute}  stage {store} }
      }
    } {applicable_units = ["load", "compute", "store"]}

Each instance runs a contiguous chunk. Taken is the outermost parallel loop that the instances divide
evenly, else the outermost that has an iteration for each, else one whose trip count isn't known.
Nothing is spread where one instance would need what another one computed: a pipeline that hands data
over through the shared memory to itself or to another one of the same units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, frozen

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.dialects import ktdf, scf
from kt.ir.types import i64
from kt.passes.analysis.buffers import is_shared_memory, transfers
from kt.passes.analysis.index_maps import constant_index
from kt.passes.analysis.nests import depends_on, is_index_code, is_parallel, programs, trip_count
from kt.passes.backend.handovers import ALIASES, buffer_roots, hand_overs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class ParallelizeLoopsAcrossInstances(Pass):
    """Turn a parallel loop around a pipeline into ktdf.parallel over the sibling units of a core."""

    name = "parallelize-loops-across-instances"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            spreads = _choose(program, ctx.device)
            for spread in spreads:
                spread.rewrite()
                ctx.stat("loops")


@define(eq=False)
class _Spread:
    """A loop that is going to be spread."""

    loop: scf.ForOp
    instances: int

    def rewrite(self) -> None:
        loop = self.loop
        body = Block([t.index, t.index])
        body.arguments[0].name_hint = loop.induction_variable.name_hint
        for op in loop.body.ops:
            if not isinstance(op, scf.YieldOp):
                body.append(op.detach())
        body.append(ktdf.ParallelYieldOp.build(location=loop.location))
        loop.induction_variable.replace_all_uses_with(body.arguments[0])
        Builder.before(loop, loop.location).create(
            ktdf.ParallelOp,
            [loop.lower_bound],
            [_known_bound(loop) or loop.upper_bound],
            [loop.step],
            num_instances=IntegerAttr(self.instances, i64),
            regions=[Region([body])],
        )
        loop.erase()


def _choose(program: Operation, device: Device) -> list[_Spread]:
    """Loops for all pipelines over sibling units; none if some of them can't be spread.

    An instance runs everything of the program that its kind of unit does, so it is all or nothing.
    """
    if any(isinstance(op, ktdf.ParallelOp) for op in program.walk()):
        return []
    pipelines = [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]
    found: list[_Spread] = []
    spread_kinds: set[str] = set()
    for pipeline in pipelines:
        units = list(dict.fromkeys(k for s in pipeline.stages if s.is_leaf for k in s.unit_names))
        count = device.num_slices(units) if units else 1
        if count < 2 or not all(stage.is_leaf for stage in pipeline.stages):
            continue
        loop = _loop_for(pipeline, count, device)
        if loop is None:
            return []
        spread_kinds |= set(units)
        found.append(_Spread(loop, count))
    if not found or _others_use(program, {s.loop for s in found}, spread_kinds):
        return []
    for pipeline in pipelines:
        for hand_over in hand_overs(pipeline, device):
            ends = {*hand_over.writer.unit_names, *hand_over.reader.unit_names}
            if ends <= spread_kinds:
                return []
    return found


def _others_use(program: Operation, loops: set[scf.ForOp], kinds: set[str]) -> bool:
    """Whether these units also work outside the loops, or somewhere two of the loops are nested."""
    stages = [op for op in program.walk() if isinstance(op, ktdf.StageOp) and op.is_leaf]
    return any(
        kinds & set(stage.unit_names) and sum(x in loops for x in stage.ancestors()) != 1
        for stage in stages
    )


def _loop_for(pipeline: ktdf.PipelineOp, count: int, device: Device) -> scf.ForOp | None:
    """The loop to spread, of those that hold nothing but the pipeline."""
    loops: list[scf.ForOp] = []
    inner: Operation = pipeline
    while isinstance(loop := inner.parent_op, scf.ForOp):
        if any(other is not inner and not is_index_code(other) for other in loop.body.ops
               if not isinstance(other, scf.YieldOp)):  # fmt: skip
            break
        loops.insert(0, loop)
        inner = loop
    able = [loop for loop in loops if _can_spread(loop, pipeline, device)]
    trips = {loop: _trips(loop) for loop in able}
    known = [loop for loop in able if (n := trips[loop]) is not None and n >= count]
    even = [loop for loop in known if trips[loop] % count == 0]  # type: ignore[operator]
    unknown = [loop for loop in able if trips[loop] is None]
    return next(iter((*even, *known, *unknown)), None)


def _can_spread(loop: scf.ForOp, pipeline: ktdf.PipelineOp, device: Device) -> bool:
    """Whether iterations are independent and instances touch different parts of the shared memory."""
    if not is_parallel(loop) or loop.init_args:
        return False
    if constant_index(loop.lower_bound) != 0 or constant_index(loop.step) != 1:
        return False
    iv = loop.induction_variable
    if any(isinstance(user, ktdf.BufferPhaseOp) for user in iv.users):
        return False
    if pipeline.private is not None and any(
        is_shared_memory(device, v.type) for v in pipeline.private.results
    ):
        return False
    moves = transfers(pipeline)
    written: dict[Value, ktdf.DataTransferOp] = {}
    for move in moves:
        if is_shared_memory(device, move.destination.type):
            if not any(depends_on(v, iv) for v in move.dest_side.indices):
                return False
            for root in buffer_roots(move.destination):
                if root in written:
                    return False
                written[root] = move
    for move in moves:
        for root in buffer_roots(move.source):
            if root in written and not _same_place(move, written[root]):
                return False
    return True


def _same_place(read: ktdf.DataTransferOp, write: ktdf.DataTransferOp) -> bool:
    """Whether a read and a write go to the same elements in each iteration."""
    source, dest = read.source_side, write.dest_side
    return (
        _same_memref(read.source, write.destination)
        and source.map == dest.map
        and source.indices == dest.indices
        and source.sizes == dest.sizes
    )


def _same_memref(a: Value, b: Value) -> bool:
    """Whether two memrefs are one, or made of one by equal casts."""
    first, second = a.defining_op, b.defining_op
    if a is b or first is None or second is None:
        return a is b
    return (
        type(first) is type(second)
        and first.name in ALIASES
        and a.type is b.type
        and first.properties == second.properties
        and first.operands[1:] == second.operands[1:]
        and _same_memref(first.operands[0], second.operands[0])
    )


def _trips(loop: scf.ForOp) -> int | None:
    found = _known_bound(loop)
    return trip_count(loop) if found is None else constant_index(found)


def _known_bound(loop: scf.ForOp) -> Value | None:
    """The tile size, where a loop over what is left in a tile has whole tiles only."""
    op = loop.upper_bound.defining_op
    if not isinstance(op, ktdf.DeriveSizeOp) or len(op.pairs) != 1:
        return None
    (iv, tile), total = op.pairs[0], constant_index(op.total_size)
    around = iv.parent_block.parent_op if iv.parent_block is not None else None
    size, tiles = constant_index(tile), None
    if isinstance(around, scf.ForOp) and iv is around.induction_variable:
        tiles = trip_count(around) if constant_index(around.step) == 1 else None
    whole = None not in (total, size, tiles) and tiles * size <= total  # type: ignore[operator]
    return tile if whole else None
