"""What operations cost on a device, in cycles. Every number comes from the device file.

The model
---------
Each unit runs its stream in order on a clock of its own; scalar instructions, loops and conditions are
free. An operation *occupies* the unit; what comes after it may start then. A *latency* delays only
what arrives.

===================  ==============================================================================
vector load, store   occupies max(``kt.issue``, bytes / bandwidth); the vector is there a latency later
transfer             ``kt.issue``, then bytes / bandwidth; complete a latency later (asynchronous)
vector op            ``kt.cost`` for each vector of the unit's lanes; waits for its operands
send                 nothing; the vector enters the link once the link is free, and arrives a latency later
receive              nothing; waits for the vector
signal               ``kt.sync``, given or awaited; with ``wait``, first until one's transfers and stores
                     are complete
===================  ==============================================================================

*Bytes* of an access are those of the granules that it touches (``access_granularity``), of a vector
on its way between units those of its elements in memory. *Bandwidth* is the least of all links and of
the memory on the way, the *latency* their sum. What the device leaves out is unlimited, or free.

*Shared parts.* A memory with ``kt.bandwidth`` serves its users one after the other, each for bytes /
bandwidth; with ``kt.ports = n``, n accesses may be under way. So do links between cores and all links
of a way over several: a vector reserves them all when it is sent. First come, first served; in the
same cycle, the order of program units decides.

*FIFOs* hold ``depth`` vectors and ``size`` bytes, from the moment a vector is sent until it is
received. The sender waits for room.

*Accounts.* A unit's cycles are ``busy`` (occupied), ``stall_in`` (waits for a vector, or for a shared
part to read from), ``stall_out`` (waits for room, or for a shared part to write to), ``sync`` (signals,
and waiting for them or for one's own transfers), and ``idle`` after its end. They add up to the
cycles of the launch. Between launches stands a barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from attrs import define, field

from kt.arch.resources import ExecUnit
from kt.binary.model import Unit, VectorOp
from kt.ir.diagnostics import DeviceError, RunError
from kt.ir.numbers import dtype
from kt.sim.engine.resources import Bandwidth, Ports, Resource, Way

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.arch.resources import Link, Memory, Node
    from kt.sim.engine.stores import Store

PartT = TypeVar("PartT", Bandwidth, Ports)


@define(eq=False)
class Costs:
    """Costs on one device. Resources are made once, so that all launches share them."""

    device: Device
    resources: list[Resource] = field(factory=list)
    _links: dict[int, Bandwidth] = field(factory=dict)
    _memories: dict[int, tuple[Resource, ...]] = field(factory=dict)
    _ways: dict[tuple[Node, int, bool], Way] = field(factory=dict)

    def reset(self) -> None:
        """All resources are free again."""
        for resource in self.resources:
            resource.reset()

    def issue(self, kind: str) -> int:
        return self.device.issue(kind)

    def sync(self, kind: str) -> int:
        return self.device.sync(kind)

    def vector_op(self, kind: str, op: VectorOp) -> int:
        """Cycles of a vector instruction: its cost, for as many vectors as its lanes make."""
        operands = [o for o in (*op.results, *op.operands) if not o.is_scalar]
        vectors = max((self._vectors(kind, o.dtype, o.lanes) for o in operands), default=1)
        return self.device.cost(kind, op.name.lstrip("@")) * vectors

    def _vectors(self, kind: str, name: str, lanes: int) -> int:
        for type in self.device.element_types(kind):
            if getattr(type, "dtype_name", str(type)) == name or str(type) == name:
                return -(-lanes // max(1, self.device.lanes(kind, type)))
        return 1

    # -- ways ------------------------------------------------------------------------------------

    def memory_way(self, unit: Unit, store: Store, place: Unit, writes: bool) -> Way:
        """The way between a unit and a memory of the device."""
        if store.private:
            return Way()
        node = self._node(unit)
        key = (node, id(store), writes)
        if key not in self._ways:
            memory = self.device.memory(
                store.kind, place.core if place.core is not None else node.core or 0
            )
            links = self._links_between(*((node, memory) if writes else (memory, node)))
            granules = [a.size for a in self.device.granularities(unit.kind, store.kind)]
            shared = [(part, 0) for part in self._of_memory(store, memory)]
            if len(links) > 1:
                shared += self._shared_links(links)
            rates = [link.bandwidth for link in links] + [memory.bandwidth]
            self._ways[key] = Way(
                min((r for r in rates if r is not None), default=None),
                sum(link.latency for link in links) + memory.latency,
                min(granules, default=1),
                tuple(shared),
                tuple((str(x.source.key), str(x.target.key)) for x in links if _joins_units(x)),
            )
        return self._ways[key]

    def queue(self, source: Unit, target: Unit) -> tuple[Way, int | None, int | None, bool]:
        """The way between two units, how many vectors and bytes its FIFO holds, whether it is shared.

        Links between cores, and ways over several links, are shared with others.
        """
        a, b = self._node(source), self._node(target)
        links = self._links_between(a, b)
        far = len(links) > 1 or a.core != b.core
        way = Way(
            min((x.bandwidth for x in links if x.bandwidth is not None), default=None),
            sum(link.latency for link in links),
            shared=tuple(self._shared_links(links)) if far else (),
        )
        queues = [link.queue for link in links if link.queue is not None]
        depth = min((q.depth for q in queues if q.depth is not None), default=None)
        size = min((q.size for q in queues if q.size is not None), default=None)
        return way, depth, size, far

    def _node(self, unit: Unit) -> Node:
        return self.device.unit(unit.kind, unit.core or 0, unit.corelet or 0)

    def _links_between(self, source: Node, target: Node) -> tuple[Link, ...]:
        direct = self.device.graph.get_edge_data(source, target)
        if direct:
            return (min(direct.values(), key=lambda data: data["cost"])["link"],)
        try:
            return self.device.route_between(source, target).links
        except DeviceError as error:
            raise RunError(
                f"nothing leads from {source.label} to {target.label} on this device",
                error.location,
                hint="the device file needs a datapath between them",
            ) from error

    def _shared_links(self, links: tuple[Link, ...]) -> list[tuple[Resource, int]]:
        found: list[tuple[Resource, int]] = []
        delay = 0
        for link in links:
            if link.bandwidth is not None:
                if id(link) not in self._links:
                    self._links[id(link)] = self._add(Bandwidth(link.bandwidth))
                found.append((self._links[id(link)], delay))
            delay += link.latency
        return found

    def _of_memory(self, store: Store, memory: Memory) -> tuple[Resource, ...]:
        if id(store) not in self._memories:
            parts: list[Resource] = []
            if memory.bandwidth is not None:
                parts.append(self._add(Bandwidth(memory.bandwidth)))
            if memory.ports is not None:
                parts.append(self._add(Ports(memory.ports)))
            self._memories[id(store)] = tuple(parts)
        return self._memories[id(store)]

    def _add(self, resource: PartT) -> PartT:
        self.resources.append(resource)
        return resource


def _joins_units(link: Link) -> bool:
    return isinstance(link.source, ExecUnit) and isinstance(link.target, ExecUnit)


def vector_bytes(name: str, lanes: int) -> int:
    """Bytes of a vector on its way: as its elements take in memory."""
    return dtype(name).itemsize * lanes
