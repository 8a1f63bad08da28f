"""Questions about ways: links, neighbours and routes, between kinds in a core and between instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import lcm
from typing import Any

import networkx as nx
from attrs import frozen

from kt.arch.memories import MemoryQueries
from kt.arch.resources import Kind, Link, Memory, Node
from kt.arch.routes import Route, link_cost, make_route, several, shortest
from kt.ir.diagnostics import DeviceError
from kt.ir.dialects.ktdf_arch import SwitchOp


@frozen
class Choice:
    """A way, and why it was taken or not."""

    route: Route
    reason: str


def _byte_time(route: Route) -> float:
    """Cycles of one byte over all links."""
    return sum(1 / link.bandwidth for link in route.links if link.bandwidth)


def _why_best(best: Route, others: Sequence[Route]) -> str:
    if not others:
        return "the only way"
    rival = others[0]
    if len(rival) > len(best):
        return f"fewest links: {len(best)}, the next best has {len(rival)}"
    if _byte_time(rival) > _byte_time(best):
        return f"of the ways with {len(best)} links, a byte is through soonest"
    return "as good as the next one; its links come first in the file"


def _why_not(route: Route, best: Route) -> str:
    if len(route) > len(best):
        return f"{len(route)} links instead of {len(best)}"
    if _byte_time(route) > _byte_time(best):
        return (
            f"as many links, but narrower: {_byte_time(route):.4g} cycles per byte instead of "
            f"{_byte_time(best):.4g}"
        )
    return "as good as the best; its links come later in the file"


class RouteQueries(MemoryQueries):
    """Queries on the graph of the device."""

    @cached_property
    def graph(self) -> Any:
        """All instances: a MultiDiGraph of nodes; edge data ``link`` (None inside switches), ``cost``."""
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(self.nodes)
        for link in self.links:
            graph.add_edge(link.source, link.target, link=link, cost=link_cost(link))
        for a in self.ports:
            if isinstance(a.op, SwitchOp):
                ways = a.op.connects()
                for b in self.ports:
                    if b.op is a.op and b is not a and ways[a.number, b.number]:
                        graph.add_edge(a, b, link=None, cost=link_cost(None))
        return graph

    def kind_graph(self, core: int = 0) -> Any:
        """One core and what it shares, instances of a kind merged: a DiGraph of kinds.

        Node data ``node`` is the first instance; edge data: ``link`` the best link, ``links`` all.
        """
        if core not in self._kind_graphs:
            graph = nx.DiGraph()
            visible = self.visible(core)
            for node in visible:
                if node.key not in graph:
                    graph.add_node(node.key, node=node)
            inside = set(visible)
            for a, b, data in self.graph.edges(data=True):
                if a in inside and b in inside and a.key != b.key:
                    _merge_edge(graph, a.key, b.key, data)
            self._kind_graphs[core] = graph
        return self._kind_graphs[core]

    def _ends(self, source: Kind, target: Kind, core: int) -> tuple[Kind, Kind]:
        found = [self.memory_kind(k) for k in (source, target)]
        return self.node(found[0], core).key, self.node(found[1], core).key

    def route(self, source: Kind, target: Kind, core: int = 0) -> Route:
        """The best way of data from one kind to another within a core. Raises with the reason."""
        ends = (*self._ends(source, target, core), core)
        if ends not in self._routes:
            graph = self.kind_graph(core)
            path = shortest(graph, ends[0], ends[1], self._barred(graph))
            self._routes[ends] = self._kind_route(graph, path) if path is not None else None
        found = self._routes[ends]
        if found is None:
            raise self.error(
                self.why_no_route(source, target, core),
                self.node(ends[1], core).location,
                hint="add the datapaths that lead there",
            )
        return found

    def k_routes(self, source: Kind, target: Kind, count: int, core: int = 0) -> list[Route]:
        """Up to ``count`` ways, the best first; empty when there is none."""
        a, b = self._ends(source, target, core)
        graph = self.kind_graph(core)
        paths = several(graph, a, b, self._barred(graph), count)
        return [self._kind_route(graph, path) for path in paths]

    def alternatives(self, source: Kind, target: Kind, count: int, core: int = 0) -> list[Choice]:
        """Up to ``count`` ways, the best first, each with the reason for its place."""
        routes = self.k_routes(source, target, count, core)
        if not routes:
            return []
        best, *others = routes
        return [Choice(best, _why_best(best, others)), *(Choice(r, _why_not(r, best)) for r in others)]

    def copy_route(self, source: Kind, target: Kind, core: int = 0) -> Route:
        """A way for a plain copy; from a memory to itself over the nearest other memory and back."""
        a, b = self._ends(source, target, core)
        if a != b:
            return self.route(a, b, core)
        loops = []
        for kind in self.memory_kinds:
            if kind != a and self.instances(kind, core):
                try:
                    loops.append(self.route(a, kind, core) + self.route(kind, a, core))
                except DeviceError:
                    continue
        if not loops:
            raise self.error(f"data can't leave '{a}' and come back: no other memory has both ways")
        return min(loops, key=lambda r: sum(link_cost(link) for link in r.links))

    @staticmethod
    def _barred(graph: Any) -> Callable[[Any], bool]:
        return lambda key: graph.nodes[key]["node"].is_compute

    @staticmethod
    def _kind_route(graph: Any, path: Sequence[Kind]) -> Route:
        nodes = [graph.nodes[key]["node"] for key in path]
        return make_route(nodes, lambda a, b: graph.edges[a.key, b.key]["link"])

    def why_no_route(self, source: Kind, target: Kind, core: int = 0) -> str:
        """The reason why data can't get from one kind to another, in words."""
        a, b = self._ends(source, target, core)
        graph = self.kind_graph(core)
        if not list(graph.successors(a)):
            return f"data can't leave '{a}': it has no outgoing datapath"
        if not list(graph.predecessors(b)):
            return f"data can't get into '{b}': it has no incoming datapath"
        if nx.has_path(graph, a, b):
            return f"data can't get from '{a}' to '{b}' except through a compute unit"
        reached = ", ".join(str(k) for k in graph if k != a and nx.has_path(graph, a, k))
        return f"no way of data from '{a}' to '{b}': from '{a}' it only reaches {reached}"

    def route_between(self, source: Node, target: Node, staging: bool = False) -> Route:
        """The best way between two instances, such as scratchpads of two cores over the ring.

        ``staging`` allows memories on the way (data would have to be put down there).
        """

        def barred(node: Node) -> bool:
            return node.is_compute or (isinstance(node, Memory) and not staging)

        path = shortest(self.graph, source, target, barred)
        if path is None:
            raise self.error(
                f"no way of data from '{source.label}' to '{target.label}'"
                + ("" if staging else " without a memory in between"),
                target.location,
            )
        return make_route(path, self._best_link)

    def peer_route(self, memory: Kind, source: int, target: int) -> Route | None:
        """The way over links from one core's memory of a kind to that of another core.

        None if there is none, or none that doesn't put the data down in other memories.
        """
        key = (self.memory_kind(memory), source, target)
        known: dict[Any, Route | None] = self._memo.setdefault("peer_routes", {})
        if key not in known:
            try:
                ends = self.memory(memory, source), self.memory(memory, target)
                known[key] = self.route_between(*ends)
            except DeviceError:
                known[key] = None
        return known[key]

    def shared_links(self, routes: Sequence[Route]) -> dict[Link, int]:
        """Links that several ways lead over (operands of one computation, say), with how many."""
        counts: dict[Link, int] = {}
        for route in routes:
            for link in route.links:
                counts[link] = counts.get(link, 0) + 1
        return {link: n for link, n in counts.items() if n > 1}

    def broadcast(self, source: Node, targets: Sequence[Node]) -> tuple[Link, ...]:
        """The links that carry one value from an instance to several, each one once."""
        ways = (self.route_between(source, target).links for target in targets)
        return tuple(dict.fromkeys(link for links in ways for link in links))

    def _best_link(self, a: Node, b: Node) -> Link | None:
        return min(self.graph[a][b].values(), key=lambda data: data["cost"])["link"]

    def link(self, source: Kind, target: Kind, core: int = 0) -> Link | None:
        """The direct link of two kinds (the best of several), or None."""
        a, b = self._ends(source, target, core)
        data = self.kind_graph(core).get_edge_data(a, b)
        return data["link"] if data is not None else None

    @cached_property
    def _links_at(self) -> dict[int, list[Link]]:
        found: dict[int, list[Link]] = {}
        for link in self.links:
            for end in {id(link.source), id(link.target)}:
                found.setdefault(end, []).append(link)
        return found

    def links_of(
        self, node: Node, incoming: bool = True, outgoing: bool = True
    ) -> tuple[Link, ...]:
        """All links of one instance."""
        return tuple(
            x
            for x in self._links_at.get(id(node), ())
            if (incoming and x.target is node) or (outgoing and x.source is node)
        )

    # -- neighbours -----

    def readers(self, memory: Kind, core: int = 0) -> tuple[Kind, ...]:
        """Kinds of units with a link from a memory."""
        graph = self.kind_graph(core)
        return tuple(
            k for k in graph.successors(self.memory(memory, core).key) if k in self.unit_kinds
        )

    def writers(self, memory: Kind, core: int = 0) -> tuple[Kind, ...]:
        """Kinds of units with a link to a memory."""
        graph = self.kind_graph(core)
        near = list(graph.predecessors(self.memory(memory, core).key))
        return tuple(k for k in self.unit_kinds if k in near)

    def alignment(self, memory: Kind) -> int:
        """Bytes: the least address step that suits the largest access of every unit that touches it."""
        kind = self.memory(memory).key
        needs = [1]
        for unit in (*self.readers(kind), *self.writers(kind)):
            needs.append(self.unit(unit).word_size(kind))
            needs += [access.align for access in self.unit(unit).accesses(kind)]
        return lcm(*needs)


def _merge_edge(graph: Any, a: Kind, b: Kind, data: dict[str, Any]) -> None:
    known = graph.get_edge_data(a, b)
    if known is None:
        graph.add_edge(a, b, link=data["link"], links=[data["link"]], cost=data["cost"])
        return
    known["links"].append(data["link"])
    if data["cost"] < known["cost"]:
        known["link"], known["cost"] = data["link"], data["cost"]
