"""Making linalg.generic ops: empty destinations, pointwise bodies, rebuilding with other operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, OpResult, Value
from kt.ir.dialects import linalg, tensor
from kt.ir.dialects.linalg_base import PARALLEL, LinalgOp

Body = Callable[[Builder, list[Value]], Sequence[Value]]
"""Appends the ops of a body, given builder and input elements; returns the values to yield."""


def empty_like(build: Builder, shaped: Value, element: t.Type | None = None) -> Value:
    """A tensor without contents, as large as ``shaped``, of another element type if given."""
    type: t.TensorType = shaped.type  # type: ignore[assignment]
    sizes: list[int | Value] = []
    shaped = same_extents(shaped)
    made = shaped.defining_op
    for i, extent in enumerate(type.shape):
        if extent != t.DYNAMIC:
            sizes.append(extent)
        elif isinstance(made, tensor.EmptyOp):
            sizes.append(made.sizes[i])
        else:
            at = build.constant(i)
            sizes.append(build.create(tensor.DimOp, shaped, at).result)
    empty = tensor.EmptyOp.of(sizes, element or type.element_type, location=build.location)
    return build.insert(empty).result


def same_extents(shaped: Value) -> Value:
    """The earliest tensor with the extents of ``shaped``: results of structured ops have those of
    their destinations.
    """
    made = shaped.defining_op
    while isinstance(made, LinalgOp) and isinstance(shaped, OpResult):
        shaped = made.outputs[shaped.index]
        made = shaped.defining_op
    return shaped


def pointwise(
    build: Builder,
    inputs: Sequence[Value],
    maps: Sequence[AffineMap],
    output: Value,
    body: Body,
) -> linalg.GenericOp:
    """A generic op over the points of ``output`` (which gives nothing but type and extents)."""
    rank = output.type.rank  # type: ignore[attr-defined]

    def fill(block: Block, arguments: list) -> Sequence[Value]:
        return body(Builder.at_end(block, build.location), list(arguments[: len(inputs)]))

    made = linalg.GenericOp.of(
        inputs, [output], [*maps, AffineMap.identity(rank)], [PARALLEL] * rank, fill,
        location=build.location,
    )  # fmt: skip
    return build.insert(made)


def rebuilt(
    op: linalg.GenericOp,
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    maps: Sequence[AffineMap],
    arguments: Sequence[int | Value],
) -> linalg.GenericOp:
    """A detached copy with other operands; old block argument i becomes new argument number
    ``arguments[i]``, or that value from outside. The body moves, so erase ``op`` afterwards.
    """
    block = Block([t.element_type_of(v.type) for v in (*inputs, *outputs)])
    for old, new in zip(op.body.arguments, arguments, strict=True):
        old.replace_all_uses_with(block.arguments[new] if isinstance(new, int) else new)
    move_ops(op.body, block)
    made = linalg.GenericOp.of(
        inputs, outputs, maps, op.iterator_types(), location=op.location,
        attributes=dict(op.attributes),
    )  # fmt: skip
    region = made.regions[0]
    region.detach_block(region.block)
    region.append(block)
    return made


def move_ops(source: Block, target: Block) -> None:
    """Append all ops of a block to another one."""
    for op in source.ops:
        target.append(op.detach())


def scalar_form(op: Operation, operands: Sequence[Value]) -> Operation:
    """The op on elements instead of tensors, detached."""
    types = [t.element_type_of(r.type) for r in op.results]
    return type(op)(operands, types, op.properties, op.attributes, location=op.location)
