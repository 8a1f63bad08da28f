"""Canonical forms of ``linalg.generic``: every operand and result is needed."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineDim
from kt.ir.attributes import DenseArrayAttr
from kt.ir.core import Region
from kt.ir.dialects import linalg
from kt.ir.rewriter import Rewriter, canonicalization


@canonicalization("linalg.generic", name="identity-generic", benefit=3)
def identity_generic(op: Any, rw: Rewriter) -> bool:
    """A body that yields its inputs as they are, under equal maps, only copies."""
    block = op.body
    end = block.last_op
    if len(block) != 1 or not op.results or len(op.results) != len(op.outputs):
        return False
    maps, inputs, found = op.indexing_maps(), op.inputs, []
    for i, (value, result) in enumerate(zip(end.operands, op.results, strict=True)):
        if value.parent_block is not block or value.index >= len(inputs):
            return False
        source, map = inputs[value.index], maps[len(inputs) + i]
        if source.type is not result.type or maps[value.index] is not map or not map.is_permutation:
            return False
        found.append(source)
    rw.replace(op, found)
    return True


@canonicalization("linalg.generic", name="needed-inputs")
def needed_inputs(op: Any, rw: Rewriter) -> bool:
    """An input that the body doesn't read goes; one that comes twice under one map comes once."""
    inputs, maps, block = op.inputs, op.indexing_maps(), op.body
    first: dict[Any, int] = {}
    target = [first.setdefault((value, maps[i]), i) for i, value in enumerate(inputs)]
    kept = sorted({target[i] for i in range(len(inputs)) if block.arguments[i].has_uses})
    if len(kept) == len(inputs) or not _loops_known(op, kept):
        return False
    for i, j in enumerate(target):
        if i != j:
            rw.replace_uses(block.arguments[i], block.arguments[j])
    for i in reversed(range(len(inputs))):
        if i not in kept:
            block.erase_argument(i)
    rebuild(op, [inputs[i] for i in kept], [maps[i] for i in kept], rw)
    return True


def _loops_known(op: Any, kept: list[int]) -> bool:
    """Whether the remaining operands still give every loop its range."""
    maps, inputs = op.indexing_maps(), len(op.inputs)
    left = [maps[i] for i in (*kept, *range(inputs, len(maps)))]
    plain = {e.position for map in left for e in map.results if isinstance(e, AffineDim)}
    return plain >= set(range(op.num_loops))


def rebuild(op: Any, inputs: list[Any], maps: list[Any], rw: Rewriter) -> None:
    """The same op with other inputs; its body has the right arguments already."""
    outputs, block = op.outputs, op.body
    all_maps = [*maps, *op.indexing_maps()[len(op.inputs) :]]
    op.regions[0].detach_block(block)
    properties = dict(op.properties)
    properties["indexing_maps"] = linalg.map_array(all_maps)
    counts = [len(inputs), len(outputs)]
    properties["operandSegmentSizes"] = DenseArrayAttr.of(counts, t.i32)
    made = linalg.GenericOp(
        (*inputs, *outputs), [r.type for r in op.results], properties, op.attributes,
        [Region([block])], location=op.location,
    )  # fmt: skip
    rw.insert(made)
    rw.replace(op, made)
