"""double-buffering: two copies of every hand-over buffer, used in turn.

Before::

    scf.for %I … { scf.for %J … {
      ktdf.pipeline {
        %p:4 = ktdf.private -> (memref<4x1x32xf16, "PAD">, …) { %b = memref.alloc() … }
        stage {… writes %p#0}  stage {… reads %p#0}

After::

    %b0 = memref.alloc() : memref<4x1x32xf16, "PAD">
    %b1 = memref.alloc() : memref<4x1x32xf16, "PAD">
    scf.for %I … { scf.for %J … {
      %ph = ktdf.buffer_phase(%I, %J) {num_phases = 2 : i64} : index
      %b = ktdf.select_memref %ph[%b0, %b1] : memref<4x1x32xf16, "PAD">
      ktdf.pipeline modulo(size : 2) { … stage {… writes %b}  stage {… reads %b}
    memref.dealloc %b0 …  memref.dealloc %b1 …

The rendezvous behind the producer then orders everything: while the consumer reads one copy, the
producer fills the other, and it can't come back to the first before the consumer has passed the next
rendezvous. A buffer that is kept over inner loops (``kt.held``) switches with the outer ones only;
one that is kept over all of them has one copy, which is written once. A plan of depth 1 switches the
pass off; the lowering then adds the rendezvous that frees the buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, OpResult, Region, Value
from kt.ir.dialects import ktdf, memref, scf
from kt.ir.types import i64
from kt.passes.analysis.buffers import is_shared_memory, transfers
from kt.passes.analysis.nests import is_inside, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.broadcast_promotion import HELD
from kt.passes.schedule.plan import plan_of

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
            plan = plan_of(program)
            if plan is not None and plan.depth < COPIES:
                continue
            for pipeline in [op for op in program.walk() if isinstance(op, ktdf.PipelineOp)]:
                if pipeline.modulo is None and pipeline.scope and pipeline.private is not None:
                    ctx.stat("buffers", _double(pipeline, ctx.device))


def _double(pipeline: ktdf.PipelineOp, device: Device) -> int:
    scope = pipeline.scope
    private = pipeline.private
    assert private is not None
    chosen = [
        (resource, phases)
        for resource in private.results
        if _is_hand_over(resource, pipeline, scope[0], device)
        and (phases := _phase_loops(resource, pipeline, scope)) is not None
    ]
    before = Builder.before(scope[0], pipeline.location)
    after = Builder.after(scope[0], pipeline.location)
    inside = Builder.before(pipeline, pipeline.location)
    numbers: dict[int, Value] = {}
    for resource, loops in chosen:
        op = private.inner_value(resource).defining_op
        assert op is not None
        copies = COPIES if loops else 1
        candidates = [before.insert(clone_op(op, {})).results[0] for _ in range(copies)]
        for candidate in candidates:
            after.create(memref.DeallocOp, candidate)
        if not loops:
            resource.replace_all_uses_with(candidates[0])
            continue
        if len(loops) not in numbers:
            ivs = [loop.body.arguments[0] for loop in loops]
            phase = inside.create(ktdf.BufferPhaseOp, ivs, num_phases=IntegerAttr(COPIES, i64))
            numbers[len(loops)] = phase.phase
        selected = inside.create(ktdf.SelectMemrefOp, numbers[len(loops)], candidates)
        resource.replace_all_uses_with(selected.results[0])
    if numbers:
        pipeline.modulo = IntegerAttr(COPIES, i64)
    if chosen:
        _drop_resources(private, [resource for resource, _ in chosen])
    return len(chosen)


def _is_hand_over(
    resource: OpResult, pipeline: ktdf.PipelineOp, outermost: Operation, device: Device
) -> bool:
    """A buffer that one stage fills and later ones read, and that can be allocated outside."""
    if not is_shared_memory(device, resource.type):
        return False
    assert pipeline.private is not None
    inner = pipeline.private.inner_value(resource)
    op = inner.defining_op
    if not isinstance(op, memref.AllocOp) or not inner.has_one_use:
        return False
    if any(is_inside(size, outermost) for size in op.operands):
        return False
    stages = pipeline.stages
    writers = [s for s in stages if any(m.destination is resource for m in transfers(s))]
    readers = [s for s in stages if any(m.source is resource for m in transfers(s))]
    return len(writers) == 1 and bool(readers) and writers[0] not in readers


def _phase_loops(
    resource: OpResult, pipeline: ktdf.PipelineOp, scope: list[Operation]
) -> list[Operation] | None:
    """Loops whose iterations switch copies: the scope without the loops that hold the buffer."""
    held = set()
    for move in transfers(pipeline):
        if move.destination is resource:
            guards = [g for g in move.ancestors() if isinstance(g, scf.IfOp) and g.attr(HELD)]
            held.add(guards[0].attr(HELD).value if guards else 0)
    if len(held) != 1:
        return None
    return scope[: len(scope) - held.pop()]


def _drop_resources(private: ktdf.PrivateOp, gone: list[OpResult]) -> None:
    """Rebuild the private op without resources that are no longer used."""
    kept = [r for r in private.results if r not in gone]
    inner = [private.inner_value(r) for r in kept]
    dead = [private.inner_value(r).defining_op for r in gone]
    end = private.body.last_op
    assert end is not None
    end.operands = inner
    block = private.body
    private.regions[0].detach_block(block)
    private.regions[0].append(Block())
    made = Builder.before(private).create(
        ktdf.PrivateOp, regions=[Region([block])], result_types=[v.type for v in inner]
    )
    for old, new in zip(kept, made.results, strict=True):
        old.replace_all_uses_with(new)
    private.erase()
    for op in dead:
        if op is not None:
            op.erase()
