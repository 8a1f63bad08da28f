"""Flows of a pipeline: each operand, where it comes from and goes to, and its route over the device."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from kt.arch import Device
from kt.arch.routes import Hop, Route
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.core import Value
from kt.ir.diagnostics import DeviceError, Location, Note, PassError, fuse
from kt.ir.dialects import ktdf
from kt.ir.dialects.ktdf_types import FifoSlotType
from kt.passes.analysis.links import peers_of, pull_of
from kt.passes.frontend.rules.pipelines import OPERAND
from kt.passes.schedule.reduction_paths import Span

ALTERNATIVES = 8
"""Ways into the compute unit that are looked at."""


@define(eq=False)
class Flow:
    """One operand on its way: ``route`` from the source to the target, both a memory or the unit.

    ``load`` moves from a memory into the slot, ``stores`` out of it (several take the same
    elements); a copy has both. ``ranks`` orders the hops among the stages: before the compute stage
    (0) or behind it.
    """

    slot: Value
    load: ktdf.DataTransferOp | None
    stores: list[ktdf.DataTransferOp]
    route: Route
    operand: int | None
    ranks: list[int]
    places: list[int] = field(factory=list)
    """Numbers of the resources that hop i fills, by hop; none behind the last hop of a store."""
    span: Span | None = None
    """What is staged at once when the load stands in loops of its stage."""

    @property
    def location(self) -> Location:
        return fuse([op.location for op in (self.load, *self.stores) if op is not None])

    @property
    def store(self) -> ktdf.DataTransferOp | None:
        """The first store."""
        return self.stores[0] if self.stores else None

    @property
    def is_copy(self) -> bool:
        return self.load is not None and bool(self.stores)


def flows_of(
    pipeline: ktdf.PipelineOp, compute: ktdf.StageOp | None, device: Device
) -> list[Flow]:
    """The flows of a pipeline that isn't expanded, in the order of its transfers.

    ``compute`` is its stage with a unit, if it has one. PassError where data can't get to its end.
    """
    slots: dict[Value, tuple[list[ktdf.DataTransferOp], list[ktdf.DataTransferOp]]] = {}
    direct: list[ktdf.DataTransferOp] = []
    for op in pipeline.walk():
        if isinstance(op, ktdf.DataTransferOp):
            if op.dest_side.is_fifo:
                slots.setdefault(op.destination, ([], []))[0].append(op)
            elif op.source_side.is_fifo:
                slots.setdefault(op.source, ([], []))[1].append(op)
            else:
                direct.append(op)
    if direct:
        raise PassError(
            "can't route a transfer between two memories in a pipeline that isn't expanded",
            direct[0].location,
            hint="pass the data through a FIFO slot",
        )
    router = _Router(device, compute)
    return [
        router.flow(slot, loads[-1] if loads else None, stores)
        for slot, (loads, stores) in slots.items()
    ]


@define(eq=False)
class _Router:
    """Finds the way of each operand; what came before decides between equally good ones."""

    device: Device
    compute: ktdf.StageOp | None
    feeders: list[Attribute] = field(factory=list)
    """The units through which operands get into the compute unit, one per operand so far."""

    def flow(
        self, slot: Value, load: ktdf.DataTransferOp | None, stores: list[ktdf.DataTransferOp]
    ) -> Flow:
        store = stores[0] if stores else None
        ends: list[Attribute] = []
        if load is not None:
            ends.append(_memory_kind(load.source_side))
        if self.compute is not None and (load is None or store is None):
            ends.insert(0 if load is None else 1, self.compute.units[0])
        if store is not None:
            ends.append(_memory_kind(store.dest_side))
        place = (load or store).location  # type: ignore[union-attr]
        try:
            source, target = ends
            far = self.pulling_route(load)
            if far is not None and source == target:
                route = far
            elif load is not None and store is not None:
                route = self.device.copy_route(source, target)
            elif store is None:
                route = self.feeding_route(slot, source, target)
            else:
                route = self.device.route(source, target)
            if far is not None and route is not far:
                route = far + route
        except DeviceError as error:
            raise PassError(
                error.message, place, notes=[Note("the device", error.location)],
                hint="add the missing datapath to the device, or place the tensor in another memory",
            ) from error  # fmt: skip
        for hop in route.hops:
            if len(hop.units) != 1:
                raise PassError(
                    f"data gets from '{hop.source.key}' to '{hop.target.key}' through "
                    f"{len(hop.units)} units, but one load or store unit has to move it",
                    place,
                    notes=[Note("the way ends here", hop.target.location)],
                    hint="give the device one unit between neighbouring memories",
                )
        count = len(route.hops)
        ranks = (
            [i - count for i in range(count)] if store is None else [i + 1 for i in range(count)]
        )
        span = Span.of(load) if load is not None else None
        return Flow(slot, load, stores, route, _operand_number(slot), ranks, span=span)

    def pulling_route(self, load: ktdf.DataTransferOp | None) -> Route | None:
        """From the scratchpads of other tiles, if the data comes from there, to the tile's own one."""
        peers = peers_of(load.source_side.value) if load is not None else None
        if load is None or peers is None:
            return None
        kind = _memory_kind(load.source_side)
        pull = pull_of(self.device, kind, peers)
        if pull is None:
            raise self.device.error(
                f"no links lead from the '{getattr(kind, 'value', kind)}' of one core to those of the "
                "others that read it"
            )
        return pull.route

    def feeding_route(self, slot: Value, source: Attribute, target: Attribute) -> Route:
        """The best way into the compute unit; of equally good ones, one over the least busy unit.

        One element for many lanes comes through a unit that can repeat it, if there is one.
        """
        best = self.device.route(source, target)
        routes = [best]
        for other in self.device.k_routes(source, target, ALTERNATIVES):
            alike = (len(other), other.bandwidth) == (len(best), best.bandwidth)
            if alike and other.kinds != best.kinds and len(other.hops[-1].units) == 1:
                routes.append(other)
        if isinstance(slot.type, FifoSlotType) and slot.type.count == 1:
            routes = [r for r in routes if self.device.has_splat(unit_of(r.hops[-1]))] or routes
        chosen = min(routes, key=self._burden)
        self.feeders.append(unit_of(chosen.hops[-1]))
        return chosen

    def _burden(self, route: Route) -> tuple[int, bool, bool]:
        """What speaks against a way: operands that its last unit brings already, skills left unused."""
        unit = unit_of(route.hops[-1])
        return self.feeders.count(unit), self.device.has_splat(unit), self.device.has_zero_pad(unit)


def _operand_number(slot: Value) -> int | None:
    private = slot.defining_op
    assert isinstance(private, ktdf.PrivateOp)
    made = private.inner_value(slot).defining_op
    found = made.attr(OPERAND) if made is not None else None
    return found.value if isinstance(found, IntegerAttr) else None


def _memory_kind(side: ktdf.TransferSide) -> Attribute:
    return side.value.type.memory_space  # type: ignore[attr-defined]


def buffer_shape(flow: Flow) -> tuple[int, ...]:
    """Shape of one full vector: what the computation writes, or what fills the slot."""
    if flow.span is not None:
        return flow.span.shape
    if flow.load is None:
        writers = [op for op in flow.slot.users if isinstance(op, ktdf.WriteToFifoOp)]
        if writers:
            return tuple(writers[0].data.type.shape)  # type: ignore[attr-defined]
    readers = [op for op in flow.slot.users if isinstance(op, ktdf.ReadFromFifoOp)]
    if readers:
        return tuple(readers[0].result.type.shape)  # type: ignore[attr-defined]
    transfer_op = flow.load or flow.store
    assert transfer_op is not None and isinstance(flow.slot.type, FifoSlotType)
    side = transfer_op.source_side if flow.load is not None else transfer_op.dest_side
    return full_shape(side.sizes or (), flow.slot.type.count)


def unit_of(hop: Hop) -> Attribute:
    """The kind of the one unit that makes a hop."""
    kind = hop.units[0].kind_attr
    assert kind is not None
    return kind


def full_shape(sizes: Sequence[int | Value], count: int) -> tuple[int, ...]:
    """Box sizes with a number for the one that varies, so that ``count`` elements fit."""
    known = 1
    for n in sizes:
        known *= n if isinstance(n, int) else 1
    return tuple(n if isinstance(n, int) else max(1, count // known) for n in sizes)
