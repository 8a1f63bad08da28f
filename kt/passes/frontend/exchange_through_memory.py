"""exchange-through-memory: tiles that exchange tensors meet in device memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, func, kt, ktdp, linalg, scf, tensor
from kt.ir.dialects.linalg_base import PARALLEL, REDUCTION
from kt.ir.rewriter import apply_patterns
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.target import device_of
from kt.passes.frontend.rules.accumulators import ACCUMULATOR_RULES
from kt.passes.frontend.rules.exchanges import Combiner, Parties, combined_in_turn, separate
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
    parties: Parties = field(init=False)
    places: dict[int, int] = field(init=False)
    """Producer → where it stores."""
    sources: dict[int, tuple[int, ...]] = field(init=False)
    """Consumer → the places of what it needs."""

    def __attrs_post_init__(self) -> None:
        self.parties = Parties.of(self.op, self.function)
        self.places = {n: i for i, n in enumerate(self.parties.groups)}
        needs = self.parties.needs.items()
        self.sources = {n: tuple(self.places[p] for p in needed) for n, needed in needs}

    def build(self) -> None:
        op, produce = self.op, self.parties.produce
        views = [self.view(v.type) for v in op.results]
        build = Builder.before(produce)
        if produce.parent is not self.function.entry:  # others may still read what they got last time
            build.create(kt.BarrierOp)
        self.store(build, tile_number(build, self.function), views)
        build = Builder.before(op)
        build.create(kt.BarrierOp)
        tile = tile_number(build, self.function)
        for old, new in zip(op.results, self.deliver(build, views, tile), strict=True):
            old.replace_all_uses_with(new)
        op.erase()
        if not produce.future.has_uses:
            produce.erase()

    # -- places ------------------------------------------------------------------------------------

    def view(self, like: t.Type) -> ktdp.ConstructMemoryViewOp:
        """A new place in device memory for the partial results of all producers."""
        assert isinstance(like, t.TensorType)
        all_of_them = t.TensorType((max(len(self.places), 1), *like.shape), like.element_type)
        return exchange_view(
            self.function, self.module, self.device, all_of_them, self.op.location
        )

    # -- producers ---------------------------------------------------------------------------------

    def store(
        self, build: Builder, tile: Value, views: list[ktdp.ConstructMemoryViewOp]
    ) -> None:
        """Producers compute what the region says, and store it; other tiles do nothing."""
        places = [self.places.get(n, 0) for n in range(self.parties.tiles)]
        place = number_per_tile(build, tile, places)
        build, values = self.parties.produced(build, tile)
        for value, view in zip(values, views, strict=True):
            wide = _expanded(build, value)
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
        holds = [len(self.sources.get(n, ())) == count for n in range(self.parties.tiles)]
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
        sources = [known.get(n, some) for n in range(self.parties.tiles)]
        op = self.op
        if not isinstance(op, ktdp.InterTileReduceOp):
            if count != 1:
                raise refuse(op, f"a consumer depends on {count} producers",
                             "name the one source in producer_dependency_per_consumer")  # fmt: skip
            return self.partials(build, views, tile, sources, 0)
        if not count:
            return list(op.identities)
        together = all(s == tuple(range(s[0], s[0] + count)) for s in sources)
        bodies = [separate(op, i) for i in range(len(op.results))]
        if count > 1 and None not in bodies:
            starts = [s[0] for s in sources]
            if not together:
                views = self.gathered(build, views, tile, sources)
                starts = [n * count for n in range(self.parties.tiles)]
            first = number_per_tile(build, tile, starts)
            return [
                self.reduced(build, view, first, count, body, identity)
                for view, body, identity in zip(views, bodies, op.identities, strict=True)
                if body is not None
            ]
        parts = (self.partials(build, views, tile, sources, i) for i in range(count))
        return combined_in_turn(op, build, parts)

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
            like = t.TensorType((self.parties.tiles * count, *shape), element)
            near = exchange_view(
                self.function, self.module, self.device, like, self.op.location
            )
            for i in range(count):
                place = number_per_tile(build, tile, [s[i] for s in sources])
                at = self.tile(build, view, place, (1, *shape))
                type = t.TensorType((1, *shape), element)
                part = build.create(ktdp.LoadOp, at, result_types=[type]).data
                own = number_per_tile(build, tile, [n * count + i for n in range(self.parties.tiles)])
                build.create(ktdp.StoreOp, part, self.tile(build, near, own, (1, *shape)))
            found.append(near)
        return found

    def reduced(
        self,
        build: Builder,
        view: ktdp.ConstructMemoryViewOp,
        first: Value,
        count: int,
        combine: Combiner,
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
