"""Copies of a pipeline's buffers that outlive one execution, used in turn over the loops around it."""

from __future__ import annotations

from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, OpResult, Region, Value
from kt.ir.dialects import ktdf, memref
from kt.ir.types import i64
from kt.passes.analysis.nests import is_inside


def can_outlive(resource: OpResult, pipeline: ktdf.PipelineOp, outermost: Operation) -> bool:
    """Whether a private buffer can be allocated in front of a loop around the pipeline."""
    assert pipeline.private is not None
    inner = pipeline.private.inner_value(resource)
    op = inner.defining_op
    if not isinstance(op, memref.AllocOp) or not inner.has_one_use:
        return False
    return not any(is_inside(size, outermost) for size in op.operands)


def take_out(
    pipeline: ktdf.PipelineOp, chosen: list[tuple[OpResult, list[Operation], int]]
) -> None:
    """Allocate private buffers in front of the loops around the pipeline instead.

    Each comes with the loops whose iterations switch between its copies, outermost first, and the number
    of those, which is 1 or the same for all; without such loops there is one copy.
    """
    private = pipeline.private
    if private is None or not chosen:
        return
    outermost = pipeline.scope[0]
    before = Builder.before(outermost, pipeline.location)
    after = Builder.after(outermost, pipeline.location)
    inside = Builder.before(pipeline, pipeline.location)
    phases: dict[int, Value] = {}
    for resource, loops, copies in chosen:
        op = private.inner_value(resource).defining_op
        assert op is not None
        count = copies if loops else 1
        candidates = [before.insert(clone_op(op, {})).results[0] for _ in range(count)]
        for candidate in candidates:
            after.create(memref.DeallocOp, candidate)
        if count == 1:
            resource.replace_all_uses_with(candidates[0])
            continue
        if len(loops) not in phases:
            ivs = [loop.body.arguments[0] for loop in loops]
            phase = inside.create(ktdf.BufferPhaseOp, ivs, num_phases=IntegerAttr(copies, i64))
            phases[len(loops)] = phase.phase
        selected = inside.create(ktdf.SelectMemrefOp, phases[len(loops)], candidates)
        resource.replace_all_uses_with(selected.results[0])
    if phases:
        pipeline.modulo = IntegerAttr(max(copies for _, _, copies in chosen), i64)
    _drop_resources(private, [resource for resource, _, _ in chosen])


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
