"""Making expressions: equal nodes once, constants folded, operands first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define, field

from kt.binary.expressions import HIGH, LEAVES, LOW, UNARY, Node, evaluate
from kt.ir.diagnostics import RunError


@define
class ExpressionBuilder:
    """Makes nodes: equal ones once, constants folded."""

    nodes: list[Node] = field(factory=list)
    _index: dict[Node, int] = field(factory=dict)

    def _node(self, node: Node) -> int:
        found = self._index.get(node)
        if found is None:
            found = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return found

    def const(self, value: int) -> int:
        """A constant; RunError if it doesn't fit 64 bits."""
        if not LOW <= value <= HIGH:
            raise RunError(f"the constant {value} does not fit 64 bits")
        return self._node(Node("const", imm=value))

    def arg(self, index: int) -> int:
        return self._node(Node("arg", index))

    def grid(self) -> int:
        return self._node(Node("grid"))

    def iv(self, depth: int) -> int:
        return self._node(Node("iv", depth))

    def value(self, node: int) -> int | None:
        """The value of a constant node, else None."""
        found = self.nodes[node]
        return found.imm if found.op == "const" else None

    def unary(self, op: str, operand: int, width: int) -> int:
        """``sext`` or ``zext`` of the low ``width`` bits."""
        inner = self.nodes[operand]
        if inner.op in UNARY and width <= inner.imm:
            # The low bits are those of what was extended before.
            operand = inner.lhs
        return self._folded(Node(op, operand, imm=width))

    def binary(self, op: str, lhs: int, rhs: int) -> int:
        """An op of two operands, simplified where the result is one of them."""
        a, b = self.value(lhs), self.value(rhs)
        if (b == 0 and op in ("add", "sub", "or", "xor", "shl", "shrs", "shru")) or (
            b == 1 and op in ("mul", "divs", "ceildivs", "floordivs")
        ):
            return lhs
        if (a == 0 and op in ("add", "or", "xor")) or (a == 1 and op == "mul"):
            return rhs
        if lhs == rhs and op in ("mins", "maxs", "and", "or"):
            return lhs
        return self._folded(Node(op, lhs, rhs))

    def select(self, condition: int, then: int, otherwise: int) -> int:
        known = self.value(condition)
        if known is not None:
            return then if known else otherwise
        return then if then == otherwise else self._node(Node("select", condition, then, otherwise))

    def _folded(self, node: Node) -> int:
        if all(self.nodes[i].op == "const" for i in node.operands):
            scratch = [*(self.nodes[i] for i in node.operands)]
            local = Node(node.op, 0, 1 if len(scratch) > 1 else 0, node.imm)
            return self.const(evaluate([*scratch, local], len(scratch), ()))
        return self._node(node)

    def rebuilt(self, root: int, replace: Callable[[Node], int | None]) -> int:
        """``root`` with some nodes replaced (``replace`` gives the new node, or None)."""
        done: dict[int, int] = {}
        stack = [root]
        while stack:
            at = stack[-1]
            node = self.nodes[at]
            if at in done:
                stack.pop()
                continue
            new = replace(node)
            if new is None:
                missing = [i for i in node.operands if i not in done]
                if missing:
                    stack.extend(missing)
                    continue
                new = self._with_operands(at, node, [done[i] for i in node.operands])
            done[at] = new
            stack.pop()
        return done[root]

    def _with_operands(self, at: int, node: Node, operands: list[int]) -> int:
        if node.op in LEAVES or tuple(operands) == node.operands:
            return at
        if node.op == "select":
            return self.select(*operands)
        if node.op in UNARY:
            return self.unary(node.op, operands[0], node.imm)
        return self.binary(node.op, operands[0], operands[1])

    def at_core(self, root: int, core: int) -> int:
        """``root`` for one grid element."""
        return self.rebuilt(root, lambda n: self.const(core) if n.op == "grid" else None)

    def depends_on_grid(self, root: int) -> bool:
        return any(self.nodes[i].op == "grid" for i in self.reachable(root))

    def reachable(self, root: int) -> list[int]:
        """Nodes below and including ``root``, operands first."""
        order: list[int] = []
        seen: set[int] = set()
        stack: list[tuple[int, bool]] = [(root, False)]
        while stack:
            at, expanded = stack.pop()
            if expanded:
                order.append(at)
            elif at not in seen:
                seen.add(at)
                stack.append((at, True))
                stack.extend((i, False) for i in reversed(self.nodes[at].operands))
        return order


def compacted(
    nodes: Sequence[Node], roots: Iterable[int]
) -> tuple[tuple[Node, ...], dict[int, int]]:
    """Only what ``roots`` need, in post-order of first use, and the new number of each node."""
    builder = ExpressionBuilder(list(nodes))
    renumbered: dict[int, int] = {}
    kept: list[Node] = []
    for root in roots:
        for at in builder.reachable(root):
            if at not in renumbered:
                node, parts = nodes[at], [renumbered[i] for i in nodes[at].operands]
                if node.op == "select":
                    node = Node("select", *parts)
                elif node.op in UNARY:
                    node = Node(node.op, parts[0], imm=node.imm)
                elif parts:
                    node = Node(node.op, *parts)
                renumbered[at] = len(kept)
                kept.append(node)
    return tuple(kept), renumbered
