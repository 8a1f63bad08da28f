"""double-buffering: two copies of every hand-over buffer, used in turn.

Before::

    scf.for %I … { scf.for %J … {
      ktdf.pipeline {
        %p:4 = ktdf.private -> (memref<4x1x32xf16, "near">, …) { %b = memref.alloc() … }
        stage {… writes %p#0}  stage {… reads %p#0}

After::

    %b0 = memref.alloc() : memref<4x1x32xf16, "near">
    %b1 = memref.alloc() : memref<4x1x32xf16, "near">
    scf.for %I … { scf.for %J … {
      %ph = ktdf.buffer_phase(%I, %J) {num_phases = 2 : i64} : index
      %b = ktdf.select_memref %ph[%b0, %b1] : memref<4x1x32xf16, "near">
      ktdf.pipeline modulo(size : 2) { … stage {… writes %b}  stage {… reads %b}
    memref.dealloc %b0 …  memref.dealloc %b1 …

The rendezvous behind the producer then orders everything: while the consumer reads one copy, the
producer fills the other, and it can't come back to the first before the consumer has passed the next
rendezvous. A plan of depth 1 switches the pass off, for all buffers or those of single operands; the
lowering then adds the rendezvous that frees the buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir.core import Operation, OpResult
from kt.ir.dialects import ktdf
from kt.passes.analysis.buffers import is_shared_memory, operand_of, transfers
from kt.passes.analysis.nests import programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.copies import can_outlive, take_out
from kt.passes.schedule.plan import Plan, mark_used, plan_of

if TYPE_CHECKING:
    from kt.arch import Device

COPIES = 2


@register_pass
@frozen
class DoubleBuffering(Pass):
    """Give each hand-over buffer of a looping pipeline two copies."""

    name = "double-buffering"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program) or Plan()
            for pipeline in [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]:
                if pipeline.scope and pipeline.private is not None:
                    found = hand_over_buffers(pipeline, ctx.device)
                    buffers = [b for b in found if plan.copies(operand_of(b)) == COPIES]
                    take_out(pipeline, [(b, pipeline.scope, COPIES) for b in buffers])
                    ctx.stat("buffers", len(buffers))
            mark_used(program, plan, "depth")


def hand_over_buffers(pipeline: ktdf.PipelineOp, device: Device) -> list[OpResult]:
    """Private buffers that one stage fills and other stages read, and that can live outside."""
    assert pipeline.private is not None
    outermost = pipeline.scope[0]
    stages = pipeline.stages
    found = []
    for resource in pipeline.private.results:
        if not is_shared_memory(device, resource.type) or not can_outlive(resource, pipeline, outermost):
            continue
        writers = [s for s in stages if any(m.destination is resource for m in transfers(s))]
        readers = [s for s in stages if any(m.source is resource for m in transfers(s))]
        if len(writers) == 1 and readers and writers[0] not in readers:
            found.append(resource)
    return found
