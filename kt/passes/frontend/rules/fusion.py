"""Fusing pointwise ops into the ops that use them."""

from __future__ import annotations

from attrs import define, field

from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineDim, AffineExpr, AffineMap
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Block, Operation, OpResult, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.diagnostics import fuse as fuse_locations
from kt.ir.dialects import affine, linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.structured import CASTS, is_pointwise


def fuse_pointwise(function: Operation) -> int:
    """Fuse every pointwise generic op of a function into all its users, as far as possible.

    An op that several others use is computed in each of them; within one of them once per distinct
    indexing map. Returns the number of fusions.
    """
    count = 0
    for block in [b for op in function.walk() for r in op.regions for b in r.blocks]:
        roots = [op for op in block.ops if isinstance(op, linalg.GenericOp)]
        for root in reversed(roots):
            if not any(v.has_uses for v in root.results):
                if root.results:
                    root.erase()
                continue
            while (producer := _last_producer(root)) is not None:
                root = _replace(root, producer)
                count += 1
    if count:
        erase_dead_ops(function)
    return count


def _last_producer(root: linalg.GenericOp) -> linalg.GenericOp | None:
    """The latest op of the block that can be fused into ``root``.

    Taking the latest one first, a producer is reached when all its users inside are fused.
    """
    found: linalg.GenericOp | None = None
    for value in root.inputs:
        op = value.defining_op
        if op is None or op.parent is not root.parent or not can_fuse(root, op):
            continue
        if found is None or found.is_before_in_block(op):
            found = op  # type: ignore[assignment]
    return found


def can_fuse(consumer: linalg.GenericOp, producer: Operation) -> bool:
    """Whether a producer is pointwise and covers its results, and loops keep an extent.

    Not if a contraction would compute anything but conversions over and over.
    """
    if not is_pointwise(producer) or not isinstance(producer, linalg.GenericOp):
        return False
    if _repeats_work(consumer, producer):
        return False
    outputs = producer.indexing_maps()[len(producer.inputs) :]
    if not all(m.is_permutation for m in outputs):
        return False
    fusion = _Fusion(consumer, producer)
    maps = [m for _, m in fusion.slots] + consumer.indexing_maps()[len(consumer.inputs) :]
    plain = {e.position for m in maps for e in m.results if isinstance(e, AffineDim)}
    return len(plain) == consumer.num_loops


def _repeats_work(consumer: linalg.GenericOp, producer: linalg.GenericOp) -> bool:
    """Whether a reduction would compute the same elements for several of its results."""
    kinds = consumer.iterator_types()
    if all(kind == PARALLEL for kind in kinds) or not _costs(producer):
        return False
    return any(
        kind == PARALLEL and d not in map.used_dims
        for value, map in zip(consumer.inputs, consumer.indexing_maps())
        if value.defining_op is producer
        for d, kind in enumerate(kinds)
    )


def _costs(op: linalg.GenericOp) -> bool:
    """Whether an elementwise op, with those fused into it, does more than conversions."""
    for inner in op.body.ops:
        if inner.regions or (inner.operands and inner.name not in (*CASTS, "linalg.yield")):
            return True
    return any(
        isinstance(made := v.defining_op, linalg.GenericOp) and is_pointwise(made) and _costs(made)
        for v in op.inputs
    )


def _replace(consumer: linalg.GenericOp, producer: linalg.GenericOp) -> linalg.GenericOp:
    made = _Fusion(consumer, producer).build()
    assert consumer.parent is not None
    consumer.parent.insert_before(made, consumer)
    consumer.replace_with(made.results)
    return made


@define(eq=False)
class _Fusion:
    consumer: linalg.GenericOp
    producer: linalg.GenericOp
    slots: dict[tuple[Value, AffineMap], int] = field(factory=dict)
    """Inputs of the fused op with their maps, each once."""
    ways: list[AffineMap | None] = field(factory=list)
    """Per input of the consumer that is fused: producer loops from consumer loops."""

    def __attrs_post_init__(self) -> None:
        maps, own = self.consumer.indexing_maps(), self.producer.indexing_maps()
        for value, map in zip(self.consumer.inputs, maps):
            way = self.way(value, map)
            self.ways.append(way)
            if way is None:
                self.slots.setdefault((value, map), len(self.slots))
                continue
            for inner, inner_map in zip(self.producer.inputs, own):
                key = inner, inner_map.compose(way).simplify()
                self.slots.setdefault(key, len(self.slots))

    def way(self, value: Value, map: AffineMap) -> AffineMap | None:
        if value.defining_op is not self.producer:
            return None
        assert isinstance(value, OpResult)
        output = self.producer.indexing_maps()[len(self.producer.inputs) + value.index]
        inverse = output.inverse_permutation()
        assert inverse is not None
        return inverse.compose(map)

    def build(self) -> linalg.GenericOp:
        consumer, producer = self.consumer, self.producer
        inputs = [value for value, _ in self.slots]
        maps = [map for _, map in self.slots]
        made = linalg.GenericOp.of(
            inputs,
            consumer.outputs,
            [*maps, *consumer.indexing_maps()[len(consumer.inputs) :]],
            consumer.iterator_types(),
            location=fuse_locations([producer.location, consumer.location]),
            attributes=dict(consumer.attributes),
        )
        block = made.body
        known: dict[Value, Value] = dict(
            zip(consumer.output_arguments, block.arguments[len(inputs) :], strict=True)
        )
        copies: dict[AffineMap, list[Value]] = {}
        own = consumer.indexing_maps()
        for i, (value, way) in enumerate(zip(consumer.inputs, self.ways, strict=True)):
            argument = consumer.body.arguments[i]
            if way is None:
                known[argument] = block.arguments[self.slots[value, own[i]]]
                continue
            if way not in copies:
                copies[way] = self.copy_producer(block, way)
            known[argument] = copies[way][value.index]  # type: ignore[attr-defined]
        for op in clone_ops(list(consumer.body.ops), known):
            block.append(op)
        return made

    def copy_producer(self, block: Block, way: AffineMap) -> list[Value]:
        """The producer's body for one map; returns the new elements of its results."""
        producer = self.producer
        known: dict[Value, Value] = {}
        for value, map, argument in zip(
            producer.inputs, producer.indexing_maps(), producer.input_arguments
        ):
            known[argument] = block.arguments[self.slots[value, map.compose(way).simplify()]]
        end = producer.body.terminator
        assert end is not None
        build = Builder.at_end(block, producer.location)
        for op in producer.body.ops:
            if isinstance(op, linalg.IndexOp):
                known[op.result] = loop_index(build, way.results[op.dim.value])
            elif op is not end:
                build.insert(clone_ops([op], known)[0])
        return [known.get(v, v) for v in end.operands]


def loop_index(build: Builder, expr: AffineExpr) -> Value:
    """An expression over the loops of the op whose body is being built, as an index value."""
    if isinstance(expr, AffineConst):
        return build.constant(expr.value)
    if isinstance(expr, AffineDim):
        return build.create(linalg.IndexOp, dim=IntegerAttr(expr.position, t.i64)).result
    used = [i for i in range(expr.max_dim + 1) if expr.depends_on_dim(i)]
    operands = [loop_index(build, AffineDim(i)) for i in used]
    map = AffineMap(expr.max_dim + 1, 0, (expr,)).drop_unused_dims()
    return build.insert(affine.ApplyOp.of(map, operands, location=build.location)).result
