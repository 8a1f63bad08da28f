"""Transfers that cross from one core's scratchpad to another's, over the links between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kt.arch.routes import Hop, Route
from kt.ir.core import Value
from kt.ir.dialects import kt, memref

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.arch.resources import Kind, Link

_SAME_PLACE = (memref.MemorySpaceCastOp, memref.ReinterpretCastOp, memref.CastOp)


@frozen(eq=False)
class Pull:
    """Every core fetches from the memory of a kind of another one into its own.

    One unit next to its own memory does it; ``ways`` are the routes, by core, None where a core
    fetches from itself.
    """

    hop: Hop
    ways: tuple[Route | None, ...]

    @property
    def route(self) -> Route:
        """The pull as it looks within a core."""
        return Route((self.hop.source, *self.hop.units, self.hop.target), self.hop.links, (self.hop,))


def pulls_cycles(pulls: Sequence[tuple[Pull, int]], device: Device) -> float:
    """Until all cores have fetched what they need; each pull brings every core that many bytes.

    The busiest link decides, or the unit, which makes one pull after the other; then the longest way.
    """
    links: dict[Link, float] = {}
    unit, latency = 0.0, 0
    for pull, size in pulls:
        far = [way for way in pull.ways if way is not None]
        for link in (link for way in far for link in way.links):
            links[link] = links.get(link, 0.0) + (size / link.bandwidth if link.bandwidth else 0.0)
        latency = max([latency, pull.hop.latency, *(way.latency for way in far)])
        rates = [way.bandwidth for way in (*far, pull.hop) if way.bandwidth]
        unit += device.issue(pull.hop.units[0].kind) + (size / min(rates) if rates else 0.0)
    return max([unit, *links.values()]) + latency


def pull_of(device: Device, memory: Kind, peers: Sequence[int]) -> Pull | None:
    """How the cores fetch from each other's memory, core n from core ``peers[n]``.

    None if some two aren't linked, or the last units on the ways are of different kinds.
    """
    if len(peers) > max(device.num_cores, 1):
        return None
    ways = [None if p == n else device.peer_route(memory, p, n) for n, p in enumerate(peers)]
    far = [way for n, way in enumerate(ways) if n != peers[n]]
    kinds: dict[Kind, None] = {}
    for way in far:
        if way is None or len(way.hops) != 1 or not way.hops[0].units:
            return None
        kinds[way.hops[0].units[-1].kind] = None
    if not far:
        near = device.readers(memory)
        kinds = {k: None for k in device.writers(memory) if k in near and not device.unit(k).is_compute}
    if not kinds or (far and len(kinds) > 1):
        return None
    unit, end = device.unit(next(iter(kinds))), device.memory(memory)
    links = device.link(memory, unit.key), device.link(unit.key, memory)
    if links[1] is None or (links[0] is None and len(far) < len(peers)):
        return None
    hop = Hop(end, (unit,), end, tuple(link for link in links if link is not None))
    return Pull(hop, tuple(ways))


def memory_cycles(device: Device, memory: Kind, stored: int, loaded: int, cores: int) -> float:
    """Until every core has put some bytes to device memory from a memory of its own, and fetched some."""
    shared = device.global_memory
    ways = device.route(memory, shared.key), device.route(shared.key, memory)
    cycles = 0.0
    for way, size in zip(ways, (stored, loaded), strict=True):
        flow = size / way.bandwidth if way.bandwidth else 0.0
        if shared.bandwidth:
            flow = max(flow, cores * size / shared.bandwidth)
        issue = sum(device.issue(unit.kind) for hop in way.hops for unit in hop.units)
        cycles += flow + issue + way.latency + shared.latency
    return cycles


def peers_of(value: Value) -> tuple[int, ...] | None:
    """Whose scratchpads a memref lies in, tile by tile; None if it is in the tile's own memory."""
    op = value.defining_op
    while op is not None:
        if isinstance(op, kt.PeerViewOp):
            return tuple(op.peers.values)
        if not isinstance(op, _SAME_PLACE):
            return None
        op = op.operands[0].defining_op
    return None
