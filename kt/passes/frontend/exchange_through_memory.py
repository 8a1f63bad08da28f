"""exchange-through-memory: tiles that exchange tensors meet in device memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects import arith, func, kt, ktdp, linalg, scf, tensor
from kt.ir.dialects.linalg_base import PARALLEL, REDUCTION
from kt.ir.rewriter import apply_patterns
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.structured import is_pointwise
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
    """Turn exchanges between tiles into stores, a barrier, and loads of what others stored.

    Every producer stores its partial result to a place of its own in device memory, next to those of
    its group; behind a ``kt.barrier`` every consumer loads what it needs, and reduces it::

        %f = ktdp.inter_tile_produce … { ktdp.yield_partial %p }      ktdp.store %p, %all[%place, …]
        %s = ktdp.inter_tile_reduce(%f) …, identity(%z) { addf }  →   kt.barrier
                                                                      %x = ktdp.load %all[%first, …]
                                                                      %s = linalg.generic {sum over d0} ins(%x) outs(%z)

    Views with constant addresses and ``kt.exchange`` stand for the memory. Results that a combiner
    computes from each other are combined one after the other; partial results that don't lie next to
    each other are brought together first. Tiles that combine different numbers of partial results branch.
    Programs are launched one after the other on all tiles, so the barrier costs nothing more.
    """

    name = "exchange-through-memory"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            deliveries = [op for op in function.walk() if isinstance(op, ktdp.DeliveryOp)]
            if not deliveries:
                continue
            fuse_pointwise(function)
            device = device_of(module, ctx)
            for op in deliveries:
                _Exchange(op, function, device, module).build()
                ctx.stat("exchanges")
            ctx.rewrote(apply_patterns(function, ACCUMULATOR_RULES, fold=False))


@define(eq=False)
class _Exchange:
    op: ktdp.DeliveryOp
    function: func.FuncOp
    device: Device
    module: Operation
    places: dict[int, int] = field(factory=dict)
    """Producer → where it stores."""
    groups: dict[int, int] = field(factory=dict)
    """Producer → its group."""
    sources: dict[int, tuple[int, ...]] = field(factory=dict)
    """Consumer → the places of what it needs, in the order in which it combines them."""

    def build(self) -> None:
        op = self.op
        produce = op.produced_by
        if produce is None:
            raise refuse(
                op, "its future isn't made in the same block", "produce and deliver side by side"
            )
        self.number_tiles(produce)
        views = [self.view(v.type) for v in op.results]
        build = Builder.before(produce)
        if produce.parent is not self.function.entry:  # others may still read what they got last time
            build.create(kt.BarrierOp)
        self.store(build, produce, tile_number(build, self.function), views)
        build = Builder.before(op)
        build.create(kt.BarrierOp)
        tile = tile_number(build, self.function)
        for old, new in zip(op.results, self.deliver(build, views, tile), strict=True):
            old.replace_all_uses_with(new)
        op.erase()
        if not produce.future.has_uses:
            produce.erase()

    # -- who exchanges what ------------------------------------------------------------------------

    @property
    def tiles(self) -> int:
        return math.prod(_grid(self.function))

    def number_tiles(self, produce: ktdp.InterTileProduceOp) -> None:
        op = self.op
        groups = op.group_numbers()
        if groups is None:
            raise refuse(op, "its groups can't be listed", "bound the set of groups")
        for g in groups:
            for n in produce.producers(g) or ():
                if n < self.tiles:
                    self.places[n], self.groups[n] = len(self.places), g
        for g in groups:
            for n in op.consumers(g) or ():
                if n >= self.tiles:
                    continue
                needed = op.dependencies(n, g)
                if needed is None:
                    raise refuse(op, f"the producers that tile {n} depends on can't be listed",
                                 "bound producer_dependency_per_consumer")  # fmt: skip
                lost = [p for p in needed if p not in self.places]
                if lost:
                    raise refuse(op, f"tile {n} waits for tile {lost[0]}, which produces nothing",
                                 "name producers only")  # fmt: skip
                self.sources[n] = tuple(self.places[p] for p in needed)

    def view(self, like: t.Type) -> ktdp.ConstructMemoryViewOp:
        """A new place in device memory for the partial results of all producers."""
        assert isinstance(like, t.TensorType)
        all_of_them = t.TensorType((max(len(self.places), 1), *like.shape), like.element_type)
        return exchange_view(
            self.function, self.module, self.device, all_of_them, self.op.location
        )

    # -- producers ---------------------------------------------------------------------------------

    def store(
        self,
        build: Builder,
        produce: ktdp.InterTileProduceOp,
        tile: Value,
        views: list[ktdp.ConstructMemoryViewOp],
    ) -> None:
        """Producers compute what the region says, and store it; other tiles do nothing."""
        place = number_per_tile(build, tile, [self.places.get(n, 0) for n in range(self.tiles)])
        block = produce.producer.block
        known: dict[Value, Value] = {}
        if block.arguments[0].has_uses:
            group = [self.groups.get(n, 0) for n in range(self.tiles)]
            known[block.arguments[0]] = number_per_tile(build, tile, group)
        if len(self.places) < self.tiles:
            build = _where(build, tile, [n in self.places for n in range(self.tiles)])
        terminator = block.terminator
        assert terminator is not None
        for inner in clone_ops([x for x in block.ops if x is not terminator], known):
            build.insert(inner)
        for value, view in zip(terminator.operands, views, strict=True):
            wide = _expanded(build, known.get(value, value))
            shape = value.type.shape  # type: ignore[attr-defined]
            build.create(ktdp.StoreOp, wide, self.tile(build, view, place, (1, *shape)))

    def tile(
        self, build: Builder, view: ktdp.ConstructMemoryViewOp, first: Value, shape: tuple[int, ...]
    ) -> Value:
        zero = build.constant(0)
        return box_tile(build, view.view, [first, *[zero] * (len(shape) - 1)], shape)

    # -- consumers ---------------------------------------------------------------------------------

    def deliver(
        self, build: Builder, views: list[ktdp.ConstructMemoryViewOp], tile: Value
    ) -> list[Value]:
        """The results: branches for tiles that combine different numbers of partial results."""
        counts = sorted({len(s) for s in self.sources.values()}) or [0]
        return self.branches(build, views, tile, counts)

    def branches(
        self,
        build: Builder,
        views: list[ktdp.ConstructMemoryViewOp],
        tile: Value,
        counts: list[int],
    ) -> list[Value]:
        count, *others = counts
        if not others:
            return self.combined(build, views, tile, count)
        holds = [len(self.sources.get(n, ())) == count for n in range(self.tiles)]
        mine = number_per_tile(build, tile, [int(x) for x in holds])
        yes = build.create(arith.CmpIOp, mine, build.constant(1), predicate="eq").result
        types = [v.type for v in self.op.results]
        choice = scf.IfOp.of(yes, types, with_else=True, location=self.op.location)
        for region, left in zip(choice.regions, ([count], others), strict=True):
            inside = Builder.at_end(region.block, self.op.location)
            inside.create(scf.YieldOp, self.branches(inside, views, tile, left))
        return list(build.insert(choice).results)

    def combined(
        self,
        build: Builder,
        views: list[ktdp.ConstructMemoryViewOp],
        tile: Value,
        count: int,
    ) -> list[Value]:
        """The results of tiles with ``count`` sources."""
        known = {n: s for n, s in self.sources.items() if len(s) == count}
        some = next(iter(known.values()), ())
        sources = [known.get(n, some) for n in range(self.tiles)]
        op = self.op
        if not isinstance(op, ktdp.InterTileReduceOp):
            if count != 1:
                raise refuse(op, f"a consumer depends on {count} producers",
                             "name the one source in producer_dependency_per_consumer")  # fmt: skip
            return self.partials(build, views, tile, sources, 0)
        if not count:
            return list(op.identities)
        together = all(s == tuple(range(s[0], s[0] + count)) for s in sources)
        bodies = [_separate(op, i) for i in range(len(op.results))]
        if count > 1 and None not in bodies:
            starts = [s[0] for s in sources]
            if not together:
                views = self.gathered(build, views, tile, sources)
                starts = [n * count for n in range(self.tiles)]
            first = number_per_tile(build, tile, starts)
            return [
                self.reduced(build, view, first, count, body, identity)
                for view, body, identity in zip(views, bodies, op.identities, strict=True)
                if body is not None
            ]
        results = list(op.identities)
        for i in range(count):
            parts = self.partials(build, views, tile, sources, i)
            inner: dict[Value, Value] = dict(
                zip(op.reducer.block.arguments, (*results, *parts), strict=True)
            )
            end = op.reducer.block.terminator
            assert end is not None
            for made in clone_ops([x for x in op.reducer.block.ops if x is not end], inner):
                build.insert(made)
            results = [inner.get(v, v) for v in end.operands]
        return results

    def partials(
        self,
        build: Builder,
        views: list[ktdp.ConstructMemoryViewOp],
        tile: Value,
        sources: list[tuple[int, ...]],
        number: int,
    ) -> list[Value]:
        """What the ``number``-th source of every tile has stored."""
        place = number_per_tile(build, tile, [s[number] if s else 0 for s in sources])
        found = []
        for view in views:
            shape, element = (1, *view.type.shape[1:]), view.type.element_type
            at = self.tile(build, view, place, shape)
            loaded = build.create(ktdp.LoadOp, at, result_types=[t.TensorType(shape, element)]).data
            found.append(_without_front(build, loaded))
        return found

    def gathered(
        self,
        build: Builder,
        views: list[ktdp.ConstructMemoryViewOp],
        tile: Value,
        sources: list[tuple[int, ...]],
    ) -> list[ktdp.ConstructMemoryViewOp]:
        """Copies in which what a tile needs lies side by side, tile after tile."""
        count, found = len(sources[0]), []
        for view in views:
            shape, element = view.type.shape[1:], view.type.element_type
            like = t.TensorType((self.tiles * count, *shape), element)
            near = exchange_view(
                self.function, self.module, self.device, like, self.op.location
            )
            for i in range(count):
                place = number_per_tile(build, tile, [s[i] for s in sources])
                at = self.tile(build, view, place, (1, *shape))
                type = t.TensorType((1, *shape), element)
                part = build.create(ktdp.LoadOp, at, result_types=[type]).data
                own = number_per_tile(build, tile, [n * count + i for n in range(self.tiles)])
                build.create(ktdp.StoreOp, part, self.tile(build, near, own, (1, *shape)))
            found.append(near)
        return found

    def reduced(
        self,
        build: Builder,
        view: ktdp.ConstructMemoryViewOp,
        first: Value,
        count: int,
        combine: _Combiner,
        identity: Value,
    ) -> Value:
        """The reduction of partial results that lie next to each other."""
        shape = (count, *view.type.shape[1:])
        at = self.tile(build, view, first, shape)
        loaded = build.create(
            ktdp.LoadOp, at, result_types=[t.TensorType(shape, view.type.element_type)]
        ).data
        rank = len(shape)
        maps = [AffineMap.identity(rank), AffineMap(rank, 0, [dim(d) for d in range(1, rank)])]
        kinds = [REDUCTION, *[PARALLEL] * (rank - 1)]
        made = linalg.GenericOp.of(
            [loaded], [identity], maps, kinds, lambda b, a: combine.on_elements(b, a[1], a[0]),
            location=self.op.location,
        )  # fmt: skip
        return build.insert(made).results[0]


@frozen(eq=False)
class _Combiner:
    """A combiner of one result that needs only its own two values, element by element."""

    body: linalg.GenericOp
    left: Value
    right: Value

    def on_elements(self, block: Block, left: Value, right: Value) -> list[Value]:
        """Its computation at the end of a block; what it yields."""
        sides = {self.left: left, self.right: right}
        known: dict[Value, Value] = {
            a: sides[v] for a, v in zip(self.body.body.arguments, self.body.inputs)
        }
        end = self.body.body.terminator
        assert end is not None
        for inner in clone_ops([x for x in self.body.body.ops if x is not end], known):
            block.append(inner)
        return [known.get(end.operands[0], end.operands[0])]


def _separate(op: ktdp.InterTileReduceOp, number: int) -> _Combiner | None:
    """The combiner of one result; None if it isn't element by element, or needs other results."""
    region, count = op.reducer.block, len(op.results)
    end = region.terminator
    assert end is not None
    left, right = region.arguments[number], region.arguments[count + number]
    made = end.operands[number].defining_op
    if (
        isinstance(made, linalg.GenericOp)
        and made.parent is region
        and is_pointwise(made)
        and all(v is left or v is right for v in made.inputs)
        and all(m.is_identity for m in made.indexing_maps())
    ):
        return _Combiner(made, left, right)
    return None


def _where(build: Builder, tile: Value, holds: list[bool]) -> Builder:
    """A builder in a branch that only some tiles take."""
    takes_part = number_per_tile(build, tile, [int(x) for x in holds])
    yes = build.create(arith.CmpIOp, takes_part, build.constant(1), predicate="eq").result
    choice = build.insert(scf.IfOp.of(yes, location=build.location))
    end = choice.regions[0].block
    end.append(scf.YieldOp.build([], location=build.location))
    return Builder(end, end.last_op, build.location)


def _without_front(build: Builder, value: Value) -> Value:
    """A tensor without its leading dimension of extent 1."""
    type = value.type
    assert isinstance(type, t.TensorType)
    shape = type.shape[1:]
    empty = build.insert(tensor.EmptyOp.of(shape, type.element_type, location=build.location))
    rank = len(shape)
    maps = [AffineMap(rank, 0, [const(0), *map(dim, range(rank))]), AffineMap.identity(rank)]
    made = linalg.GenericOp.of(
        [value], [empty.result], maps, [PARALLEL] * rank, lambda b, a: [a[0]],
        location=build.location,
    )  # fmt: skip
    return build.insert(made).results[0]


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
