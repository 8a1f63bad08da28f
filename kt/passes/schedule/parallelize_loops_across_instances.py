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

Each instance runs a contiguous chunk. Taken is the loop of the dimension in the plan's ``instances``, which
also says how many of them share it (``{}``: nothing is spread). Without such an entry it is the outermost
parallel loop that the instances divide evenly, else the outermost that has an iteration for each, else one
whose trip count isn't known; what was taken is then written into the plan.
Nothing is spread where one instance would need what another one computed: a pipeline that hands data
over through the shared memory to itself or to another one of the same units. That is an error if the plan
wants it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, evolve, frozen

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdf, scf
from kt.ir.types import i64
from kt.passes.analysis.buffers import is_shared_memory, transfers
from kt.passes.analysis.index_maps import constant_index
from kt.passes.analysis.nests import (
    depends_on,
    is_index_code,
    is_parallel,
    loop_dim,
    programs,
    trip_count,
)
from kt.passes.backend.handovers import ALIASES, buffer_roots, hand_overs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.plan import plan_of

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class ParallelizeLoopsAcrossInstances(Pass):
    """Turn a parallel loop around a pipeline into ktdf.parallel over the sibling units of a core."""

    name = "parallelize-loops-across-instances"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program)
            wanted = plan.instances if plan is not None else None
            if wanted == {} or any(isinstance(op, ktdf.ParallelOp) for op in program.walk()):
                continue
            try:
                spreads = _choose(program, ctx.device, wanted)
            except _Obstacle as obstacle:
                if wanted is not None:
                    raise obstacle.error(wanted) from None
                continue
            if plan is not None and wanted is None and spreads:
                taken = {d: s.instances for s in spreads if (d := loop_dim(s.loop)) is not None}
                evolve(plan, instances=taken).attach(program)
            for spread in spreads:
                spread.rewrite()
                ctx.stat("loops")


class _Obstacle(Exception):
    """Why nothing can be spread, and where."""

    def __init__(self, why: str, at: Operation) -> None:
        super().__init__(why)
        self.why, self.at = why, at

    def error(self, wanted: dict[int, int]) -> PassError:
        dims = ", ".join(f"dimension {d} over {n} instances" for d, n in wanted.items())
        return PassError(
            f"the plan spreads {dims}, but {self.why}",
            self.at.location,
            hint='leave out "instances", or write "instances": {} to spread nothing',
        )


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


def _choose(program: Operation, device: Device, wanted: dict[int, int] | None) -> list[_Spread]:
    """Loops for all pipelines over sibling units. Raises _Obstacle if some of them can't be spread.

    An instance runs everything of the program that its kind of unit does, so it is all or nothing.
    """
    pipelines = [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]
    found: list[_Spread] = []
    spread_kinds: set[str] = set()
    for pipeline in pipelines:
        units = list(dict.fromkeys(k for s in pipeline.stages if s.is_leaf for k in s.unit_names))
        count = device.num_slices(units) if units else 1
        if count < 2 or not all(stage.is_leaf for stage in pipeline.stages):
            continue
        found.append(_loop_for(pipeline, count, device, wanted))
        spread_kinds |= set(units)
    if not found:
        if wanted:
            raise _Obstacle("no pipeline of the program has units of which a core has several", program)
        return []
    _check_others(program, {s.loop for s in found}, spread_kinds)
    for pipeline in pipelines:
        for hand_over in hand_overs(pipeline, device):
            ends = {*hand_over.writer.unit_names, *hand_over.reader.unit_names}
            if ends <= spread_kinds:
                raise _Obstacle("one instance would need what another one computed", hand_over.reader)
    return found


def _check_others(program: Operation, loops: set[scf.ForOp], kinds: set[str]) -> None:
    """These units don't work outside the loops, nor somewhere two of the loops are nested."""
    for op in program.walk():
        busy = isinstance(op, ktdf.StageOp) and op.is_leaf and bool(kinds & set(op.unit_names))
        if busy and sum(x in loops for x in op.ancestors()) != 1:
            raise _Obstacle(f"{', '.join(op.unit_names)} also works outside such a loop", op)  # type: ignore[attr-defined]


def _loop_for(
    pipeline: ktdf.PipelineOp, count: int, device: Device, wanted: dict[int, int] | None
) -> _Spread:
    """The loop to spread, of those that hold nothing but the pipeline."""
    loops: list[scf.ForOp] = []
    inner: Operation = pipeline
    while isinstance(loop := inner.parent_op, scf.ForOp):
        if any(other is not inner and not is_index_code(other) for other in loop.body.ops
               if not isinstance(other, scf.YieldOp)):  # fmt: skip
            break
        loops.insert(0, loop)
        inner = loop
    if wanted is not None:
        chosen = next((x for x in loops if loop_dim(x) in wanted), None)
        if chosen is None:
            raise _Obstacle("there is no loop of it around the pipeline of these units", pipeline)
        why = _obstacle(chosen, pipeline, device)
        if why is not None:
            raise _Obstacle(why, chosen)
        dim = loop_dim(chosen)
        assert dim is not None
        return _Spread(chosen, wanted[dim])
    able = [loop for loop in loops if _obstacle(loop, pipeline, device) is None]
    trips = {loop: _trips(loop) for loop in able}
    known = [loop for loop in able if (n := trips[loop]) is not None and n >= count]
    even = [loop for loop in known if trips[loop] % count == 0]  # type: ignore[operator]
    unknown = [loop for loop in able if trips[loop] is None]
    for loop in (*even, *known, *unknown):
        return _Spread(loop, count)
    raise _Obstacle("no loop around the pipeline can be spread", pipeline)


def _obstacle(loop: scf.ForOp, pipeline: ktdf.PipelineOp, device: Device) -> str | None:
    """Why a loop can't be spread: iterations depend on each other, or instances would meet in the shared memory."""
    if not is_parallel(loop) or loop.init_args:
        return "its iterations depend on each other"
    if constant_index(loop.lower_bound) != 0 or constant_index(loop.step) != 1:
        return "its loop doesn't count from 0 by 1"
    iv = loop.induction_variable
    if any(isinstance(user, ktdf.BufferPhaseOp) for user in iv.users):
        return "the copies of a buffer are used in turn over its iterations"
    if pipeline.private is not None and any(
        is_shared_memory(device, v.type) for v in pipeline.private.results
    ):
        return "the pipeline has a buffer in a memory that the instances share"
    moves = transfers(pipeline)
    written: dict[Value, ktdf.DataTransferOp] = {}
    for move in moves:
        if is_shared_memory(device, move.destination.type):
            if not any(depends_on(v, iv) for v in move.dest_side.indices):
                return "all its iterations write to the same place"
            for root in buffer_roots(move.destination):
                if root in written:
                    return "a buffer is written twice in an iteration"
                written[root] = move
    for move in moves:
        for root in buffer_roots(move.source):
            if root in written and not _same_place(move, written[root]):
                return "an iteration reads what another one writes"
    return None


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
