"""Ways of data through a device: shortest paths on its graph, cut into hops between storages.

The cost of a path is, in this order: the number of links, the time of one byte (sum of inverse
bandwidths), file order. A path never leads through a compute unit: what goes in doesn't come out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
from attrs import frozen

from kt.arch.resources import ExecUnit, Kind, Link, Memory, Node
from kt.ir.dialects.ktdf_arch_features import Queue

_LINK = 1 << 44
_BYTE = 1 << 24
"""One link outweighs any bandwidth; a byte per cycle is the slowest link."""


def link_cost(link: Link | None) -> int:
    """Cost of one link (None: the way between two ports of a switch)."""
    bandwidth = link.bandwidth if link is not None else None
    return _LINK + (_BYTE // bandwidth if bandwidth else 0)


@frozen(eq=False)
class Hop:
    """One step of data from storage to storage: ``source -(units)-> target``.

    Storages are memories and compute units; normally exactly one load or store unit lies between.
    """

    source: Node
    units: tuple[ExecUnit, ...]
    target: Node
    links: tuple[Link, ...]

    @property
    def unit(self) -> ExecUnit | None:
        """The unit that makes the step (the first one on the way)."""
        return self.units[0] if self.units else None

    @property
    def bandwidth(self) -> int | None:
        """Bytes per cycle of the slowest link; None: unlimited."""
        return slowest(self.links)

    @property
    def latency(self) -> int:
        return sum(link.latency for link in self.links)

    @property
    def granularity(self) -> tuple[int, ...] | None:
        """Transfer sizes in bytes that every link permits, as the first one lists them; None: any."""
        stated = [link.granularity for link in self.links if link.granularity]
        if not stated:
            return None
        return tuple(n for n in stated[0] if all(n in sizes for sizes in stated))

    @property
    def queue(self) -> Queue | None:
        """The first FIFO on the way."""
        return next((link.queue for link in self.links if link.queue is not None), None)

    def __str__(self) -> str:
        units = ", ".join(str(u.key) for u in self.units)
        return f"{self.source.key} {f'-({units})' if units else ''}-> {self.target.key}"


@frozen(eq=False)
class Route:
    """A path: its nodes, the links between them, and its hops."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    hops: tuple[Hop, ...]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(node.key for node in self.nodes)

    @property
    def bandwidth(self) -> int | None:
        """Bytes per cycle of the slowest link; None: unlimited."""
        return slowest(self.links)

    @property
    def latency(self) -> int:
        """Cycles until the first byte has come through all links."""
        return sum(link.latency for link in self.links)

    def __add__(self, other: Route) -> Route:
        """This route, then another one that begins where this one ends."""
        return Route(self.nodes + other.nodes[1:], self.links + other.links, self.hops + other.hops)

    def __len__(self) -> int:
        return len(self.links)

    def __str__(self) -> str:
        return " -> ".join(map(str, self.kinds))


def slowest(links: Sequence[Link]) -> int | None:
    """The least bandwidth of some links; None when all are unlimited."""
    return min((link.bandwidth for link in links if link.bandwidth is not None), default=None)


def make_route(nodes: Sequence[Node], link_of: Callable[[Node, Node], Link | None]) -> Route:
    """A route over these nodes; ``link_of`` gives the link of two neighbours (None inside a switch)."""
    links = [link_of(a, b) for a, b in pairwise(nodes)]
    hops: list[Hop] = []
    start = 0
    for i in range(1, len(nodes)):
        node = nodes[i]
        if isinstance(node, Memory) or node.is_compute or i == len(nodes) - 1:
            between = tuple(n for n in nodes[start + 1 : i] if isinstance(n, ExecUnit))
            used = tuple(link for link in links[start:i] if link is not None)
            hops.append(Hop(nodes[start], between, node, used))
            start = i
    return Route(tuple(nodes), tuple(x for x in links if x is not None), tuple(hops))


def shortest(
    graph: Any, source: Hashable, target: Hashable, barred: Callable[[Any], bool]
) -> list[Any] | None:
    """The best path in a graph with edge data ``cost``; ``barred`` nodes may only be its ends."""

    def cost(a: Any, b: Any, data: dict[Any, Any]) -> int | None:
        return None if a != source and barred(a) else edge_cost(data)

    try:
        # One-sided Dijkstra: among equal paths the one found first, in the order of the links.
        return nx.dijkstra_path(graph, source, target, weight=cost)  # type: ignore[arg-type]
    except nx.NetworkXNoPath:
        return None


def edge_cost(data: dict[Any, Any]) -> int:
    """Cost of an edge, or of the best of several parallel ones."""
    if "cost" in data:
        return data["cost"]
    return min(parallel["cost"] for parallel in data.values())


def several(
    graph: Any, source: Hashable, target: Hashable, barred: Callable[[Any], bool], count: int
) -> list[list[Any]]:
    """Up to ``count`` loop-free paths, best first; the first one is that of :func:`shortest`."""
    first = shortest(graph, source, target, barred)
    if first is None or count < 1:
        return []
    paths = [first]
    if source != target:
        # A copy in the same order: networkx's views of a subgraph may iterate over a set.
        free = nx.DiGraph()
        free.add_nodes_from(n for n in graph if n in (source, target) or not barred(n))
        free.add_edges_from(
            (a, b, d) for a, b, d in graph.edges(data=True) if a in free and b in free
        )
        for path in nx.shortest_simple_paths(free, source, target, weight="cost"):
            if len(paths) >= count:
                break
            if path != first:
                paths.append(path)
    return paths[:count]
