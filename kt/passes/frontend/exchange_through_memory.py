"""exchange-through-memory: tiles that reduce together meet in device memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects import arith, func, kt, ktdp, linalg, scf, tensor
from kt.ir.dialects.linalg_base import PARALLEL, REDUCTION
from kt.ir.rewriter import apply_patterns
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.target import device_of
from kt.passes.frontend.rules.accumulators import ACCUMULATOR_RULES
from kt.passes.frontend.rules.fusion import fuse_pointwise
from kt.passes.frontend.rules.shared_memory import box_tile, exchange_view, number_per_tile
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.bind_buffers import tile_number

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class ExchangeThroughMemory(Pass):
    """Turn inter-tile reductions into stores, a barrier, and reductions of what others stored.

    Every producer stores its partial result to a place of its own in device memory, next to those of
    its group; behind a ``kt.barrier`` every consumer loads those of its group and reduces them::

        %f = ktdp.inter_tile_produce … { ktdp.yield_partial %p }      ktdp.store %p, %all[%place, …]
        %s = ktdp.inter_tile_reduce(%f) …, identity(%z) { addf }  →   kt.barrier
                                                                      %x = ktdp.load %all[%first, …]
                                                                      %s = linalg.generic {sum over d0} ins(%x) outs(%z)

    Views with constant addresses and ``kt.exchange`` stand for the memory.
    Programs are launched one after the other on all tiles, so the barrier costs nothing more.
    """

    name = "exchange-through-memory"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            reduces = [op for op in function.walk() if isinstance(op, ktdp.InterTileReduceOp)]
            if not reduces:
                continue
            fuse_pointwise(function)
            device = device_of(module, ctx)
            for op in reduces:
                _Exchange(op, function, device, module).build()
                ctx.stat("exchanges")
            ctx.rewrote(apply_patterns(function, ACCUMULATOR_RULES, fold=False))


@define(eq=False)
class _Exchange:
    op: ktdp.InterTileReduceOp
    function: func.FuncOp
    device: Device
    module: Operation
    count: int = 0
    """Producers per group."""
    places: dict[int, int] = field(factory=dict)
    """Tile → where it stores."""
    firsts: dict[int, int] = field(factory=dict)
    """Tile → where the partial results of its group begin."""

    def build(self) -> None:
        op = self.op
        produce = op.future.defining_op
        if not isinstance(produce, ktdp.InterTileProduceOp) or op.producer_dependency_per_consumer:
            raise refuse(
                op,
                "consumers that choose among the producers have no schedule yet",
                "let every consumer depend on all producers of its group",
            )
        self.number_tiles(produce)
        self.check_body(produce)
        tiles = math.prod(_grid(self.function))
        views = [self.view(v.type) for v in op.delivered]
        build = Builder.before(produce)
        tile = tile_number(build, self.function)
        self.store(build, produce, tile, views, tiles)
        build = Builder.before(op)
        build.create(kt.BarrierOp)
        tile = tile_number(build, self.function)
        first = number_per_tile(build, tile, [self.firsts.get(n, 0) for n in range(tiles)])
        for i, view in enumerate(views):
            made = self.reduce(build, view, first, i)
            op.results[i].replace_all_uses_with(made)
        op.erase()
        if not produce.future.has_uses:
            produce.erase()

    def number_tiles(self, produce: ktdp.InterTileProduceOp) -> None:
        op = self.op
        tiles = math.prod(_grid(self.function))
        groups = op.group_numbers()
        if groups is None:
            raise refuse(op, "its groups can't be listed", "bound the set of groups")
        members = {g: [n for n in produce.producers(g) or () if n < tiles] for g in groups}
        counts = sorted({len(m) for m in members.values()})
        if len(counts) != 1 or not counts[0]:
            raise refuse(
                op,
                f"its groups have {' and '.join(map(str, counts))} producers",
                "let all groups have equally many",
            )
        self.count = counts[0]
        for order, g in enumerate(groups):
            for i, n in enumerate(members[g]):
                self.places[n] = order * self.count + i
            for n in op.consumers(g) or ():
                self.firsts[n] = order * self.count

    def check_body(self, produce: ktdp.InterTileProduceOp) -> None:
        block = produce.producer.block
        if block.first_op is not block.terminator:
            raise refuse(
                produce, "its region computes", "compute the partial results in front of it"
            )

    def view(self, like: t.Type) -> ktdp.ConstructMemoryViewOp:
        """A new place in device memory for the partial results of all tiles."""
        assert isinstance(like, t.TensorType)
        all_of_them = t.TensorType((len(self.places), *like.shape), like.element_type)
        return exchange_view(
            self.function, self.module, self.device, all_of_them, self.op.location
        )

    def store(
        self,
        build: Builder,
        produce: ktdp.InterTileProduceOp,
        tile: Value,
        views: list[ktdp.ConstructMemoryViewOp],
        tiles: int,
    ) -> None:
        """Producers store; other tiles do nothing."""
        place = number_per_tile(build, tile, [self.places.get(n, 0) for n in range(tiles)])
        if len(self.places) < tiles:
            takes_part = number_per_tile(build, tile, [int(n in self.places) for n in range(tiles)])
            yes = build.create(arith.CmpIOp, takes_part, build.constant(1), predicate=0).result
            choice = build.insert(scf.IfOp.of(yes, location=produce.location))
            end = choice.regions[0].block
            end.append(scf.YieldOp.build([], location=produce.location))
            build = Builder(end, end.last_op, produce.location)
        terminator = produce.producer.block.terminator
        assert terminator is not None
        for value, view in zip(terminator.operands, views, strict=True):
            shape = value.type.shape  # type: ignore[attr-defined]
            wide = _expanded(build, value)
            at = self.tile(build, view, place, (1, *shape))
            build.create(ktdp.StoreOp, wide, at)

    def tile(
        self, build: Builder, view: ktdp.ConstructMemoryViewOp, first: Value, shape: tuple[int, ...]
    ) -> Value:
        zero = build.constant(0)
        return box_tile(build, view.view, [first, *[zero] * (len(shape) - 1)], shape)

    def reduce(
        self, build: Builder, view: ktdp.ConstructMemoryViewOp, first: Value, number: int
    ) -> Value:
        """The reduction of the partial results of a group over its tiles."""
        op = self.op
        like = op.delivered[number].type
        assert isinstance(like, t.TensorType)
        shape = (self.count, *like.shape)
        at = self.tile(build, view, first, shape)
        loaded = build.create(
            ktdp.LoadOp, at, result_types=[t.TensorType(shape, like.element_type)]
        ).data
        rank = len(shape)
        maps = [AffineMap.identity(rank), AffineMap(rank, 0, [dim(d) for d in range(1, rank)])]
        kinds = [REDUCTION, *[PARALLEL] * (rank - 1)]

        def body(block: Block, arguments: list) -> list[Value]:
            return self.combine(block, arguments[1], arguments[0], number)

        made = linalg.GenericOp.of(
            [loaded], [op.identities[number]], maps, kinds, body, location=op.location
        )
        return build.insert(made).results[0]

    def combine(self, block: Block, left: Value, right: Value, number: int) -> list[Value]:
        """The combiner of one result, on elements."""
        op = self.op
        region, count = op.reducer.block, len(op.delivered)
        end = region.terminator
        assert end is not None
        sides: dict[Value, Value] = {
            region.arguments[number]: left,
            region.arguments[count + number]: right,
        }
        made = end.operands[number].defining_op
        if (
            not isinstance(made, linalg.GenericOp)
            or any(v not in sides for v in made.inputs)
            or not all(m.is_identity for m in made.indexing_maps())
        ):
            raise refuse(
                op,
                f"result {number} isn't combined element by element from its own two values",
                "exchange what it needs as a result of its own, and combine behind the reduction",
            )
        known: dict[Value, Value] = {
            a: sides[v] for a, v in zip(made.body.arguments, made.inputs)
        }
        inner_end = made.body.terminator
        assert inner_end is not None
        for inner in clone_ops([x for x in made.body.ops if x is not inner_end], known):
            block.append(inner)
        value = inner_end.operands[0]
        return [known.get(value, value)]


def _expanded(build: Builder, value: Value) -> Value:
    """A tensor with a leading dimension of extent 1."""
    type = value.type
    assert isinstance(type, t.TensorType)
    shape = (1, *type.shape)
    empty = build.insert(tensor.EmptyOp.of(shape, type.element_type, location=build.location))
    rank = len(shape)
    maps = [AffineMap(rank, 0, [dim(d) for d in range(1, rank)]), AffineMap.identity(rank)]
    made = linalg.GenericOp.of(
        [value], [empty.result], maps, [PARALLEL] * rank, lambda b, a: [a[0]],
        location=build.location,
    )  # fmt: skip
    return build.insert(made).results[0]


def _grid(function: func.FuncOp) -> list[int]:
    grid = function.attr("grid")
    return [n.value for n in grid.elements] if grid is not None else [1]  # type: ignore[attr-defined]
