"""How many bytes of its buffers a kernel touches at most: expressions over the arguments.

A view that the kernel makes at an argument, wherever it runs, must lie within the buffer that is passed.
Views under a condition, in a loop or with something added to the argument say nothing for sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from kt.binary.encode_host import Scope
from kt.binary.errors import EncodeError
from kt.binary.expression_builder import ExpressionBuilder, compacted
from kt.binary.expressions import Node
from kt.binary.program import Program
from kt.ir.core import Value


@frozen
class Spans:
    """``roots``: by argument, the node that says how many bytes its buffer must have."""

    nodes: tuple[Node, ...] = ()
    roots: Mapping[int, int] = field(factory=dict)

    @classmethod
    def of(cls, function: Any, views: Mapping[int, Sequence[tuple[Any, int]]]) -> Spans:
        """From the views (with the bytes of an element) that start at each argument of a function."""
        builder = ExpressionBuilder()
        scope = Scope(builder, (1,))
        arguments = function.arguments
        scope.known.update((v, builder.arg(i)) for i, v in enumerate(arguments))
        found: dict[int, int] = {}
        for argument, used in views.items():
            for view, item in used:
                if view.parent_op is not function:
                    continue
                try:
                    bytes_of = _bytes(builder, scope, view, item)
                except EncodeError:  # its extents depend on something that only the kernel knows
                    continue
                known = found.get(argument)
                found[argument] = (
                    bytes_of if known is None else builder.binary("maxs", known, bytes_of)
                )
        kept = {a: n for a, n in found.items() if not builder.depends_on_grid(n)}
        nodes, numbers = compacted(builder.nodes, kept.values())
        return cls(nodes, {a: numbers[n] for a, n in kept.items()})

    def added_to(self, program: Program) -> Program:
        """The program with these expressions, and its arguments pointing to them."""
        nodes = list(program.expressions)
        numbers = {node: at for at, node in enumerate(nodes)}
        places: list[int] = []
        for node in self.nodes:
            moved = _moved(node, places)
            at = numbers.setdefault(moved, len(nodes))
            if at == len(nodes):
                nodes.append(moved)
            places.append(at)
        arguments = tuple(
            evolve(a, span=places[self.roots[i]] if i in self.roots else None)
            for i, a in enumerate(program.arguments)
        )
        return evolve(program, expressions=tuple(nodes), arguments=arguments)


def _moved(node: Node, places: Sequence[int]) -> Node:
    parts = [places[i] for i in node.operands]
    if not parts:
        return node
    if len(parts) == 1:
        return evolve(node, lhs=parts[0])
    third = {"imm": parts[2]} if len(parts) == 3 else {}
    return evolve(node, lhs=parts[0], rhs=parts[1], **third)


def _bytes(builder: ExpressionBuilder, scope: Scope, view: Any, item: int) -> int:
    """Bytes from the first to the last element of a view; 0 if it has none."""

    def node(number: int | Value) -> int:
        return builder.const(number) if isinstance(number, int) else scope.node(number)

    one, zero = builder.const(1), builder.const(0)
    last, sizes = one, [node(n) for n in view.mixed_sizes]
    for size, stride in zip(sizes, view.mixed_strides, strict=True):
        steps = builder.binary("sub", size, one)
        last = builder.binary("add", last, builder.binary("mul", steps, node(stride)))
    found = builder.binary("mul", last, builder.const(item))
    for size in sizes:
        found = builder.select(builder.binary("sgt", size, zero), found, zero)
    return found
