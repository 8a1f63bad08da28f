"""broadcast-promotion: load what doesn't change with an inner tile loop only once.

Before::

    scf.for %I … { scf.for %J … {
      ktdf.pipeline {
        %p:3 = ktdf.private -> (memref<4x1xf16, "near">, …) { … }
        stage {DMA in} { scf.for %pi { transfer %bias[%I * 4 + %pi] to %p#0[%pi] } } …

After::

    %b0 = memref.alloc() …  %b1 = memref.alloc() …
    scf.for %I … { scf.for %J … {
      %first = arith.cmpi eq, %J, %c0 : index
      %ph = ktdf.buffer_phase(%I) {num_phases = 2 : i64} : index
      %b = ktdf.select_memref %ph[%b0, %b1] : memref<4x1xf16, "near">
      ktdf.pipeline { stage {DMA in} { scf.if %first { scf.for %pi { transfer … to %b[%pi] } } {kt.held = 1 : i64} } …

A transfer into a staging buffer that doesn't vary with the innermost loops around the pipeline is
guarded by "first iteration of those loops" (``kt.held`` says how many they are), and the buffer keeps
its contents over them. The plan's ``reuse`` may say for an operand how many loops are enough. The copies
of a buffer switch with the loops outside; one that is kept over all loops has one copy, which is written
once. Unlike a preload in a pipeline of its own, this needs no further synchronisation: the hand-over of
the first iteration covers the load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects import arith, ktdf, scf
from kt.passes.analysis.buffers import is_shared_memory, operand_of, transfers
from kt.passes.analysis.nests import depends_on, is_inside, programs, trip_count
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.copies import can_outlive, take_out
from kt.passes.schedule.plan import Plan, mark_used, plan_of

if TYPE_CHECKING:
    from kt.arch import Device

HELD = "kt.held"
"""On an ``scf.if`` in a stage: over how many of the innermost loops its buffers are kept."""


@register_pass
@frozen
class BroadcastPromotion(Pass):
    """Guard loads that are invariant in inner tile loops by the first iteration of those."""

    name = "broadcast-promotion"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program) or Plan()
            for pipeline in [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]:
                if pipeline.scope and pipeline.private is not None:
                    ctx.stat("guarded-loads", _hold_loads(pipeline, ctx.device, plan))
            mark_used(program, plan, "reuse")


def _hold_loads(pipeline: ktdf.PipelineOp, device: Device, plan: Plan) -> int:
    """Guard the loads that can be; how many buffers are kept."""
    scope = [loop for loop in pipeline.scope if isinstance(loop, scf.ForOp)]
    chosen: list[tuple[OpResult, list[Operation], int]] = []
    for stage in pipeline.stages:
        for op in stage.body.ops:
            moves = transfers(op)
            if moves and all(_is_private_load(m, pipeline, device) for m in moves):
                most = min(plan.reuse.get(operand_of(m.destination), len(scope)) for m in moves)  # type: ignore[arg-type]
                held = _invariant_depth(op, scope, most)
                if held:
                    _guard(op, pipeline, scope[len(scope) - held :])
                    outside: list[Operation] = list(scope[: len(scope) - held])
                    for move in moves:
                        target = move.destination
                        assert isinstance(target, OpResult)
                        chosen.append((target, outside, plan.copies(operand_of(target))))
    take_out(pipeline, chosen)
    return len(chosen)


def _is_private_load(
    op: ktdf.DataTransferOp, pipeline: ktdf.PipelineOp, device: Device
) -> bool:
    """Whether a transfer fills a staging buffer of the pipeline that no other transfer fills."""
    target = op.destination
    if not (isinstance(target, OpResult) and target.op is pipeline.private):
        return False
    if not is_shared_memory(device, target.type) or _is_private(op.source, pipeline):
        return False
    if not can_outlive(target, pipeline, pipeline.scope[0]):
        return False
    return [m for m in transfers(pipeline) if m.destination is target] == [op]


def _is_private(value: Value, pipeline: ktdf.PipelineOp) -> bool:
    return isinstance(value, OpResult) and value.op is pipeline.private


def _invariant_depth(op: Operation, scope: list[scf.ForOp], most: int) -> int:
    """How many of the innermost scope loops ``op`` doesn't depend on, up to ``most`` (with more than one trip)."""
    outside = {v for inner in op.walk() for v in inner.operands if not is_inside(v, op)}
    depth = 0
    for loop in scope[len(scope) - min(most, len(scope)) :][::-1]:
        if any(depends_on(value, loop.induction_variable) for value in outside):
            break
        depth += 1
    looping = [loop for loop in scope[len(scope) - depth :] if trip_count(loop) != 1]
    return depth if looping else 0


def _guard(op: Operation, pipeline: ktdf.PipelineOp, held: list[scf.ForOp]) -> None:
    outside = Builder.before(pipeline, op.location)
    zero = outside.constant(0)
    first: Value | None = None
    for loop in held:
        start = outside.create(arith.CmpIOp, loop.induction_variable, zero, predicate=0).result
        first = start if first is None else outside.create(arith.AndIOp, first, start).result
    assert first is not None
    guard = Builder.before(op).insert(scf.IfOp.of(first, location=op.location))
    guard.attributes[HELD] = IntegerAttr(len(held), t.i64)
    guard.body.append(op.detach())
    guard.body.append(scf.YieldOp.build(location=op.location))
