"""broadcast-promotion: load what doesn't change with an inner tile loop only once.

Before::

    scf.for %I … { scf.for %J … {
      ktdf.pipeline { stage {DMA in} { scf.for %pi { transfer %bias[%I * 4 + %pi] to %buf[%pi] } } …

After::

    scf.for %I … { scf.for %J … {
      %first = arith.cmpi eq, %J, %c0 : index
      ktdf.pipeline { stage {DMA in} { scf.if %first { scf.for %pi { transfer … } } {kt.held = 1 : i64} } …

A transfer into a staging buffer that doesn't vary with the innermost loops around the pipeline is
guarded by "first iteration of those loops", and ``kt.held`` says how many they are: the buffer keeps
its contents over them, so double-buffering switches its copies only with the loops outside. Unlike a
preload in a pipeline of its own, this needs no further synchronisation: the hand-over of the first
iteration covers the load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects import arith, ktdf, scf
from kt.passes.analysis.buffers import is_shared_memory, transfers
from kt.passes.analysis.nests import depends_on, is_inside, programs, trip_count
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass

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
            for pipeline in [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]:
                if pipeline.scope:
                    ctx.stat("guarded-loads", _guard_loads(pipeline, ctx.device))


def _guard_loads(pipeline: ktdf.PipelineOp, device: Device) -> int:
    scope = [loop for loop in pipeline.scope if isinstance(loop, scf.ForOp)]
    guarded = 0
    for stage in pipeline.stages:
        for op in stage.body.ops:
            moves = transfers(op)
            if moves and all(_is_private_load(m, pipeline, device) for m in moves):
                held = _invariant_depth(op, scope)
                if held:
                    _guard(op, pipeline, scope[len(scope) - held :])
                    guarded += 1
    return guarded


def _is_private_load(
    op: ktdf.DataTransferOp, pipeline: ktdf.PipelineOp, device: Device
) -> bool:
    """Whether a transfer fills a staging buffer of the pipeline that no other transfer fills."""
    target = op.destination
    if not (isinstance(target, OpResult) and target.op is pipeline.private):
        return False
    if not is_shared_memory(device, target.type) or _is_private(op.source, pipeline):
        return False
    return [m for m in transfers(pipeline) if m.destination is target] == [op]


def _is_private(value: Value, pipeline: ktdf.PipelineOp) -> bool:
    return isinstance(value, OpResult) and value.op is pipeline.private


def _invariant_depth(op: Operation, scope: list[scf.ForOp]) -> int:
    """How many of the innermost scope loops ``op`` doesn't depend on (with more than one trip)."""
    outside = {v for inner in op.walk() for v in inner.operands if not is_inside(v, op)}
    depth = 0
    for loop in reversed(scope):
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
