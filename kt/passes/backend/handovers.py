"""Hand-overs between stages through memories: where units have to wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects import builtin, ktdf, memref
from kt.passes.analysis.buffers import is_shared_memory, transfers

if TYPE_CHECKING:
    from kt.arch import Device

ALIASES = ("memref.cast", "memref.reinterpret_cast", "memref.memory_space_cast", "memref.subview")
"""Ops whose result is another view of the memref that they take."""


@frozen(eq=False)
class HandOver:
    """``writer`` fills buffers that ``reader`` empties, both leaf stages below ``pipeline``.

    ``reused`` is set when a buffer has a single copy that is filled again while the pipeline
    iterates: the reader must then release it. ``backward`` is set when the reader stands before the
    writer, so that it reads what the writer left in the previous iteration.
    """

    pipeline: ktdf.PipelineOp
    before: ktdf.StageOp
    """The direct stage of the pipeline that holds the earlier one of the two."""
    writer: ktdf.StageOp
    reader: ktdf.StageOp
    reused: bool
    backward: bool


def buffer_roots(value: Value) -> list[Value]:
    """The buffers behind a memref: private results resolved, casts seen through, all candidates."""
    op = value.defining_op
    if isinstance(op, ktdf.PrivateOp):
        assert isinstance(value, OpResult)
        return buffer_roots(op.inner_value(value))
    if isinstance(op, ktdf.SelectMemrefOp):
        return [root for c in op.candidates for root in buffer_roots(c)]
    if op is not None and op.name in ALIASES:
        return buffer_roots(op.operands[0])
    return [value]


def leaf_stages(stage: ktdf.StageOp) -> list[ktdf.StageOp]:
    """Stages inside (or equal to) a stage that hold no pipeline."""
    return [s for s in stage.walk() if isinstance(s, ktdf.StageOp) and s.is_leaf]


def _touched(stage: ktdf.StageOp, device: Device, writes: bool) -> dict[Value, Value]:
    """Buffers in shared memories that a leaf stage writes (reads), with the memref it uses."""
    found: dict[Value, Value] = {}
    for move in transfers(stage):
        end = move.destination if writes else move.source
        if is_shared_memory(device, end.type):
            for root in buffer_roots(end):
                if _is_buffer(root):
                    found.setdefault(root, end)
    return found


def _is_buffer(root: Value) -> bool:
    """Whether a root is a buffer that the compiler placed (tensors of the kernel have views)."""
    return isinstance(root.defining_op, (memref.AllocOp, builtin.UnrealizedConversionCastOp))


def hand_overs(pipeline: ktdf.PipelineOp, device: Device) -> list[HandOver]:
    """All hand-overs between direct stages of one pipeline, in program order."""
    stages = pipeline.stages
    leaves = [(top, leaf) for top in stages for leaf in leaf_stages(top)]
    writes = {leaf: _touched(leaf, device, True) for _, leaf in leaves}
    reads = {leaf: _touched(leaf, device, False) for _, leaf in leaves}
    found = []
    for i, (first_top, first) in enumerate(leaves):
        for second_top, second in leaves[i + 1 :]:
            if first_top is second_top:
                continue
            forward = [writes[first][b] for b in writes[first] if b in reads[second]]
            back = [writes[second][b] for b in writes[second] if b in reads[first]]
            if forward:
                reused = any(_is_refilled(end, pipeline) for end in forward)
                found.append(HandOver(pipeline, first_top, first, second, reused, False))
            if back:
                found.append(HandOver(pipeline, first_top, second, first, False, True))
    return found


def _is_refilled(end: Value, pipeline: ktdf.PipelineOp) -> bool:
    """Whether a single-copy buffer is written more than once while its pipeline iterates."""
    if len(buffer_roots(end)) > 1 or not _loops_around(pipeline):
        return False
    loops = len(pipeline.scope)
    for move in transfers(pipeline):
        if move.destination is end:
            held = [g.attr("kt.held") for g in move.ancestors() if g.attr("kt.held") is not None]
            if not held or held[0].value < loops:
                return True
    return False


def _loops_around(pipeline: ktdf.PipelineOp) -> list[Operation]:
    """Loops that repeat the pipeline, up to the function."""
    return [op for op in pipeline.ancestors() if op.name == "scf.for"]
