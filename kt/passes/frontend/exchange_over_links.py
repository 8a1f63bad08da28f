"""exchange-over-links: tiles that exchange tensors fetch them from each other's scratchpads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import DenseArrayAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects import func, kt, ktdp, linalg, tensor
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.buffers import bytes_of
from kt.passes.analysis.links import Pull, memory_cycles, pull_of, pulls_cycles
from kt.passes.analysis.structured import is_pointwise
from kt.passes.analysis.target import device_of
from kt.passes.frontend.place_buffers import room_for_buffers, scratchpads
from kt.passes.frontend.rules.buffers import load, new_buffer, store, whole_tile
from kt.passes.frontend.rules.exchanges import Combiner, Parties, combined_in_turn, separate
from kt.passes.frontend.rules.fusion import fuse_pointwise
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.bind_buffers import tile_number

if TYPE_CHECKING:
    from kt.arch import Device

MOST = 8
"""Partial results that one computation combines: each is an operand of its own."""


@register_pass
@frozen
class ExchangeOverLinks(Pass):
    """Turn exchanges into stores to the own scratchpad, a barrier, and loads from those of others.

    Every producer keeps its partial result in a ``kt.buffer``; behind a ``kt.barrier`` every consumer
    loads those that it needs over the links, and combines them in the order of the exchange, in the
    same precision as a reduction (see normalize-ktir)::

        %f = ktdp.inter_tile_produce … { ktdp.yield_partial %p }      ktdp.store %p, %own[…]
        %s = ktdp.inter_tile_reduce(%f) …, identity(%z) { addf }  →   kt.barrier
                                                                      %p0 = ktdp.load (kt.peer_view %own peers […])[…]
                                                                      %p1 = ktdp.load (kt.peer_view %own peers […])[…]
                                                                      %s = linalg.generic {%z + %p0 + %p1}

    A tile that consumes nothing goes through the motions with its own partial result, which costs no
    link anything. Exchanges stay for exchange-through-memory where tiles combine different numbers of
    partial results or more than eight, where two scratchpads aren't linked or too full, and where
    device memory takes less time by the facts of the device.
    """

    name = "exchange-over-links"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            deliveries = [op for op in function.walk() if isinstance(op, ktdp.DeliveryOp)]
            if not deliveries:
                continue
            fuse_pointwise(function)
            device = device_of(module, ctx)
            for op in deliveries:
                exchange = _Exchange(op, function, Parties.of(op, function))
                why = exchange.plan(device, module)
                if why is not None:
                    ctx.remark(f"exchanged through device memory, not over links: {why}", op.location)
                    continue
                exchange.build()
                ctx.stat("exchanges")
                ctx.remark("exchanged over the links between cores", op.location)


@define(eq=False)
class _Exchange:
    op: ktdp.DeliveryOp
    function: func.FuncOp
    parties: Parties
    peers: list[tuple[int, ...]] = field(factory=list)
    """Whose partial result each tile takes first, second, …"""

    def plan(self, device: Device, module: Operation) -> str | None:
        """Find the peers; or the reason for another way."""
        parties, op = self.parties, self.op
        counts = {len(needed) for needed in parties.needs.values()}
        if len(counts) != 1 or counts == {0}:
            return "its tiles combine different numbers of partial results"
        (count,) = counts
        if count > MOST:
            return f"a tile combines {count} partial results, more than {MOST}"
        if count > 1 and not isinstance(op, ktdp.InterTileReduceOp):
            return "a consumer depends on several producers"
        types = [v.type for v in op.results]
        if not all(isinstance(x, t.TensorType) and x.has_static_shape for x in types):
            return "the extents of what is exchanged are known late"
        size = sum(bytes_of(t.MemRefType(x.shape, x.element_type)) for x in types)  # type: ignore[attr-defined]
        pads = scratchpads(device)
        if not pads:
            return "the device has no scratchpads"
        if size + len(types) * device.alignment(pads[0]) > (room := room_for_buffers(module, device)):
            return f"{size} bytes don't fit {pads[0]}, which has room for {max(room, 0)} beside other data"
        first = next(iter(parties.needs.values()))
        needs = [
            parties.needs.get(n, (n,) * count if n in parties.groups else first)
            for n in range(parties.tiles)
        ]
        self.peers = list(zip(*needs, strict=True))
        pulls = [pull for p in self.peers if (pull := pull_of(device, pads[0], p)) is not None]
        if len(pulls) < count:
            return f"no links lead from the {pads[0]} of one core to those of the others"
        return self.slower(pulls, size, pads[0], device)

    def slower(self, pulls: list[Pull], size: int, pad: str, device: Device) -> str | None:
        """The reason against the links if device memory is faster."""
        links = pulls_cycles([(pull, size) for pull in pulls], device)
        memory = memory_cycles(device, pad, size, len(pulls) * size, self.parties.tiles)
        if links > memory:
            return f"the links take {links:.0f} cycles for it, device memory {memory:.0f}"
        return None

    def build(self) -> None:
        op, produce = self.op, self.parties.produce
        top = Builder.at_start(self.function.entry, self.function.location)
        buffers = [new_buffer(top, v.type, op.location) for v in op.results]
        build = Builder.before(produce)
        if produce.parent is not self.function.entry:  # others may still read what they got last time
            build.create(kt.BarrierOp)
        inside, values = self.parties.produced(build, tile_number(build, self.function))
        for value, buffer in zip(values, buffers, strict=True):
            store(inside, value, buffer)
        build = Builder.before(op)
        build.create(kt.BarrierOp)
        for old, new in zip(op.results, self.combined(build, buffers), strict=True):
            old.replace_all_uses_with(new)
            _keep_if_repeated(new, top)
        op.erase()
        if not produce.future.has_uses:
            produce.erase()

    def combined(self, build: Builder, buffers: list[kt.BufferOp]) -> list[Value]:
        op = self.op
        if not isinstance(op, ktdp.InterTileReduceOp):
            return [self.partial(build, buffer, 0) for buffer in buffers]
        bodies = [separate(op, i) for i in range(len(op.results))]
        count = len(self.peers)
        if count == 1 or None in bodies:
            parts = ([self.partial(build, b, i) for b in buffers] for i in range(count))
            return combined_in_turn(op, build, parts)
        return [
            _folded(build, identity, [self.partial(build, buffer, i) for i in range(count)], body)
            for buffer, identity, body in zip(buffers, op.identities, bodies, strict=True)
            if body is not None
        ]

    def partial(self, build: Builder, buffer: kt.BufferOp, number: int) -> Value:
        """What the ``number``-th source of every tile has in its buffer."""
        peers = DenseArrayAttr.of(self.peers[number], t.i64)
        far = build.create(kt.PeerViewOp, buffer.buffer, peers=peers, result_types=[buffer.type])
        type = t.TensorType(buffer.type.shape, buffer.type.element_type)
        return build.create(ktdp.LoadOp, whole_tile(build, far), result_types=[type]).data


def _folded(build: Builder, identity: Value, parts: list[Value], combine: Combiner) -> Value:
    """All parts combined one after the other, beginning with the identity, element by element."""
    type = identity.type
    assert isinstance(type, t.TensorType)

    def body(block: Block, elements: Sequence[Value]) -> list[Value]:
        return [combine.chain(block, elements[0], elements[1:-1])]

    empty = build.insert(tensor.EmptyOp.of(type.shape, type.element_type, location=build.location))
    same = AffineMap.identity(type.rank)
    made = linalg.GenericOp.of(
        [identity, *parts], [empty.result], [same] * (len(parts) + 2), [PARALLEL] * type.rank,
        body, location=build.location,
    )  # fmt: skip
    return build.insert(made).results[0]


def _keep_if_repeated(value: Value, top: Builder) -> None:
    """Put a result into a buffer, unless it is needed once per element: it would be fetched again."""
    made, users = value.defining_op, list(value.users)
    if made is None or not users or (len(users) == 1 and _takes_each_once(users[0], value)):
        return
    build = Builder.after(made, made.location)
    buffer = new_buffer(top, value.type, made.location)
    stored = store(build, value, buffer)
    again = load(build, buffer)
    value.replace_all_uses_with(again, where=lambda user: user is not stored)


def _takes_each_once(user: Operation, value: Value) -> bool:
    """Whether an op uses every element of a tensor once: it stores them, or computes with each."""
    around = user.parent_op
    while around is not None and user.parent is not value.parent_block:
        if around.name != "scf.if":
            return False  # a loop
        if around.parent is value.parent_block:
            break
        around = around.parent_op
    if isinstance(user, ktdp.StoreOp):
        return True
    if not isinstance(user, linalg.GenericOp) or not is_pointwise(user):
        return False
    maps = zip(user.inputs, user.indexing_maps(), strict=False)
    return all(m.is_permutation for v, m in maps if v is value)
