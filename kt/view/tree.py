"""What viewers remember of a module at one moment: its operations as immutable nodes.

Passes change operations in place, so a viewer that compares two moments needs a copy of what it
compares. A :class:`Node` keeps the operation itself as identity, and everything else by value.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import define, field

from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import Location
from kt.ir.traits import IsolatedFromAbove


@define(eq=False)
class Node:
    """One operation at one moment. ``index`` counts in the order of the text (pre-order)."""

    op: Operation
    index: int
    parent: int
    name: str
    location: Location
    signature: tuple[Any, ...]
    """All that the text says about the op but the names of its values."""
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    arguments: tuple[tuple[Value, ...], ...]
    """Arguments of the blocks inside, block by block."""
    scope: int
    """Index of the node around it inside of which names are unique."""
    symbol: str = ""
    """Name of the op, if it is a symbol."""
    children: list[int] = field(factory=list)


@define(eq=False)
class Tree:
    """All nodes of a module."""

    root: Operation
    nodes: list[Node]

    @classmethod
    def of(cls, root: Operation) -> Tree:
        """Walk a module."""
        nodes: list[Node] = []
        todo: list[tuple[Operation, int, int]] = [(root, -1, 0)]
        while todo:
            op, parent, scope = todo.pop()
            node = _node(op, len(nodes), parent, scope)
            nodes.append(node)
            if parent >= 0:
                nodes[parent].children.append(node.index)
            if op.regions:
                inner = node.index if op.trait(IsolatedFromAbove) is not None else scope
                inside = [x for r in op.regions for b in r.blocks for x in b.ops]
                todo += [(x, node.index, inner) for x in reversed(inside)]
        return cls(root, nodes)

    def same_as(self, other: Tree) -> bool:
        """Whether nothing changed between two moments of one module."""
        return len(self.nodes) == len(other.nodes) and all(
            a.op is b.op
            and a.parent == b.parent
            and a.operands == b.operands
            and a.signature == b.signature
            and a.arguments == b.arguments
            for a, b in zip(self.nodes, other.nodes, strict=True)
        )

    def counts(self) -> Counter[str]:
        """Number of operations by name."""
        return Counter(node.name for node in self.nodes[1:])

    def path(self, index: int) -> list[Node]:
        """The nodes around a node, the outermost first, the module left out."""
        found = []
        at = self.nodes[index].parent
        while at > 0:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return found[::-1]

    def function_of(self, index: int) -> Node | None:
        """The nearest symbol around a node, or the node itself."""
        while index > 0:
            node = self.nodes[index]
            if node.symbol:
                return node
            index = node.parent
        return None


def _node(op: Operation, index: int, parent: int, scope: int) -> Node:
    blocks: list[Block] = [b for r in op.regions for b in r.blocks]
    properties, attributes = op._properties, op._attributes
    symbol = op.attr("sym_name")
    return Node(
        op, index, parent, op.name, op.location,
        (
            op.name,
            tuple([v.type for v in op._operands]),
            tuple([v.type for v in op.results]),
            tuple(properties.items()) if properties else (),
            tuple(attributes.items()) if attributes else (),
        ),
        op._operands,
        tuple(op.results),
        tuple([tuple(b.arguments) for b in blocks]),
        scope,
        getattr(symbol, "value", "") or "",
    )  # fmt: skip
