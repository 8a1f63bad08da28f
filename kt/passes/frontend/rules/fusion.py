"""Fusing pointwise ops into the ops that use them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import define, field

from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineDim, AffineExpr, AffineMap, drop_mods, linear_form
from kt.ir.attributes import DenseArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import BlockArgument, Operation, OpResult, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.diagnostics import fuse as fuse_locations
from kt.ir.dialects import affine, linalg
from kt.ir.dialects.linalg_base import PARALLEL, map_array
from kt.passes.analysis.access import flattened
from kt.passes.analysis.structured import CASTS, is_pointwise

CUT = "kt.cut"
"""Discardable attribute of a computation whose results go through memory: it isn't fused."""


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
                _Fusion(root, producer).apply()
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
        if op is None or op.parent is not root.parent:
            continue
        if (found is None or found.is_before_in_block(op)) and can_fuse(root, op):
            found = op  # type: ignore[assignment]
    return found


def can_fuse(consumer: linalg.GenericOp, producer: Operation) -> bool:
    """Whether a producer is pointwise and covers its results, and loops keep an extent.

    Not if a contraction would compute anything but conversions over and over, nor what was cut off
    for lack of registers.
    """
    if not is_pointwise(producer) or not isinstance(producer, linalg.GenericOp):
        return False
    if CUT in producer.attributes:
        return False
    if _repeats_work(consumer, producer) or _counts_in_reduction(consumer, producer):
        return False
    outputs = producer.indexing_maps()[len(producer.inputs) :]
    if not all(m.is_permutation for m in outputs):
        return False
    fusion = _Fusion(consumer, producer)
    maps = [m for _, m in fusion.slots] + consumer.indexing_maps()[len(consumer.inputs) :]
    plain = {e.position for m in maps for e in m.results if isinstance(e, AffineDim)}
    return len(plain) == consumer.num_loops and not _loses_rows(consumer, fusion)


def _loses_rows(consumer: linalg.GenericOp, fusion: _Fusion) -> bool:
    """Whether a reshaped read of consecutive elements would become one that no vector can hold.

    ``(e floordiv k, e mod k)`` walks along a buffer; ``(e floordiv k)`` alone, of a broadcast, doesn't.
    """
    own = [
        m for v, m in zip(consumer.inputs, consumer.indexing_maps())
        if v.defining_op is fusion.producer and not m.is_projected_permutation
    ]  # fmt: skip
    return bool(own) and any(
        not _walks(value, map, fusion.extents) for value, map in fusion.slots
    )


def _walks(value: Value, map: AffineMap, extents: Sequence[int]) -> bool:
    """Whether the subscripts of a tensor, kept row by row, are sums of loops."""
    type = value.type
    if not isinstance(type, t.TensorType) or not type.has_static_shape:
        return True
    steps = [math.prod(type.shape[i + 1 :]) for i in range(type.rank)]
    ranges = [None if n == t.DYNAMIC else (0, n - 1) for n in extents]
    exprs = [drop_mods(e, ranges) for e in map.results]
    terms = flattened(list(zip(exprs, steps, strict=True)))
    return all(linear_form(e) is not None for e, _ in terms)


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


def _counts_in_reduction(consumer: linalg.GenericOp, producer: linalg.GenericOp) -> bool:
    """Whether a body would use loop indices as data inside a reduction."""
    counts = any(isinstance(op, linalg.IndexOp) for op in producer.body.ops)
    return counts and any(kind != PARALLEL for kind in consumer.iterator_types())


def _costs(op: linalg.GenericOp) -> bool:
    """Whether an elementwise op, with those fused into it, does more than conversions."""
    for inner in op.body.ops:
        if inner.regions or (inner.operands and inner.name not in (*CASTS, "linalg.yield")):
            return True
    return any(
        isinstance(made := v.defining_op, linalg.GenericOp) and is_pointwise(made) and _costs(made)
        for v in op.inputs
    )


@define(eq=False)
class _Fusion:
    consumer: linalg.GenericOp
    producer: linalg.GenericOp
    slots: dict[tuple[Value, AffineMap], int] = field(factory=dict)
    """Inputs of the fused op with their maps, each once."""
    extents: list[int] = field(init=False)
    """Of the consumer's loops."""
    ways: list[AffineMap | None] = field(factory=list)
    """Per input of the consumer that is fused: producer loops from consumer loops."""

    def __attrs_post_init__(self) -> None:
        self.extents = self.consumer.extents()
        maps, own = self.consumer.indexing_maps(), self.producer.indexing_maps()
        for value, map in zip(self.consumer.inputs, maps):
            way = self.way(value, map)
            self.ways.append(way)
            if way is None:
                self.slots.setdefault((value, map), len(self.slots))
                continue
            for inner, inner_map in zip(self.producer.inputs, own):
                key = inner, self.composed(inner, inner_map, way)
                self.slots.setdefault(key, len(self.slots))

    def composed(self, inner: Value, inner_map: AffineMap, way: AffineMap) -> AffineMap:
        """Subscripts of an input of the producer from the consumer's loops.

        A loop that covers only the beginning of a dimension can't stand alone in a map, which would
        say that the extents are equal, so it stands as the remainder that it is.
        """
        map = inner_map.compose(way).simplify()
        shape, extents = getattr(inner.type, "shape", ()), self.extents
        results = [
            e % n
            if isinstance(e, AffineDim) and (n := extents[e.position]) not in (shape[i], t.DYNAMIC)
            else e
            for i, e in enumerate(map.results)
        ]
        return AffineMap(map.num_dims, 0, results)

    def way(self, value: Value, map: AffineMap) -> AffineMap | None:
        if value.defining_op is not self.producer:
            return None
        assert isinstance(value, OpResult)
        output = self.producer.indexing_maps()[len(self.producer.inputs) + value.index]
        inverse = output.inverse_permutation()
        assert inverse is not None
        return inverse.compose(map)

    def apply(self) -> None:
        """Put the ops of the producer in front of those of the consumer, which takes over its inputs.

        Nothing but what is new is looked at, so that a long chain costs no more than its ops.
        """
        consumer, block = self.consumer, self.consumer.body
        maps, old = consumer.indexing_maps(), list(block.arguments)
        count = len(consumer.inputs)
        kept: dict[tuple[Value, AffineMap], BlockArgument] = {}
        for value, map, way, argument in zip(consumer.inputs, maps, self.ways, old):
            if way is None and kept.setdefault((value, map), argument) is not argument:
                argument.replace_all_uses_with(kept[value, map])
        block.set_arguments(
            [kept.get(key) or BlockArgument(t.element_type_of(key[0].type), block, 0) for key in self.slots]
            + old[count:]
        )  # fmt: skip
        front = block.first_op
        assert front is not None
        copies: dict[AffineMap, list[Value]] = {}
        for value, way, argument in zip(consumer.inputs, self.ways, old):
            if way is not None:
                if way not in copies:
                    copies[way] = self.copy_producer(Builder.before(front, self.producer.location), way)
                argument.replace_all_uses_with(copies[way][value.index])  # type: ignore[attr-defined]
        inputs = [value for value, _ in self.slots]
        outputs = consumer.outputs
        consumer.maps = map_array([*(map for _, map in self.slots), *maps[count:]])
        consumer.operands = (*inputs, *outputs)
        consumer.properties["operandSegmentSizes"] = DenseArrayAttr.of(
            [len(inputs), len(outputs)], t.i32
        )
        consumer.location = fuse_locations([self.producer.location, consumer.location])

    def copy_producer(self, build: Builder, way: AffineMap) -> list[Value]:
        """The producer's body for one map; returns the new elements of its results."""
        producer, arguments = self.producer, self.consumer.body.arguments
        known: dict[Value, Value] = {}
        for value, map, argument in zip(
            producer.inputs, producer.indexing_maps(), producer.input_arguments
        ):
            known[argument] = arguments[self.slots[value, self.composed(value, map, way)]]
        end = producer.body.terminator
        assert end is not None
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
