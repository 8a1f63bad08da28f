"""cse: compute equal things once."""

from __future__ import annotations

from typing import Any

from attrs import define, field, frozen

from kt.ir.core import Block, Operation, Value
from kt.ir.dominance import DominatorTree
from kt.ir.effects import effects, erasable_when_unused, is_dead, is_effect_free
from kt.ir.traits import Commutative, DistinctIdentity, IsolatedFromAbove, Terminator
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class CommonSubexpressionElimination(Pass):
    """Replace an op by an equal one that dominates it.

    Equal means: same op, operands, attributes, result types, and regions op by op. Ops must be free of
    effects; reads are merged within a block if nothing between them may write. Operands of commutative
    ops may be swapped::

        %a = arith.addi %x, %y : index           %a = arith.addi %x, %y : index
        %b = arith.addi %y, %x : index      →    "use"(%a, %a)
        "use"(%a, %b)
    """

    name = "cse"

    def run(self, module: Operation, ctx: PassContext) -> None:
        run = _Run()
        run.op(module)
        ctx.stat("merged", run.merged)
        ctx.stat("dead", run.dead)


Known = dict[Any, Operation]


@define(eq=False)
class _Run:
    merged: int = 0
    dead: int = 0
    scopes: list[Known] = field(factory=list)
    """Ops by key, the innermost scope last; an isolated op starts a new list."""

    def op(self, op: Operation) -> None:
        """Merge inside the regions of ``op``."""
        if not op.regions:
            return
        outer = self.scopes
        if op.has_trait(IsolatedFromAbove):
            self.scopes = []
        for region in op.regions:
            if len(region.blocks) == 1:
                self.tree(region.blocks[0], {})
            elif region.blocks:
                self.tree(region.blocks[0], DominatorTree(region).children())
        self.scopes = outer

    def tree(self, block: Block, below: dict[Block, list[Block]]) -> None:
        """A block, then those that it dominates, which see its ops."""
        todo: list[tuple[Block | None, int]] = [(block, len(self.scopes))]
        while todo:
            current, depth = todo.pop()
            del self.scopes[depth:]
            if current is not None:
                self.scopes.append({})
                self.block(current)
                todo.append((None, depth))
                todo += [(child, depth + 1) for child in reversed(below.get(current, []))]

    def block(self, block: Block) -> None:
        reads: Known = {}
        for op in block.ops:
            if is_dead(op):
                op.erase()
                self.dead += 1
                continue
            self.op(op)
            if op.has_trait(Terminator) or op.has_trait(DistinctIdentity):
                continue
            if is_effect_free(op) and erasable_when_unused(op):
                self.merge(op, self.scopes)
                continue
            found = effects(op)
            if found == {"read"}:
                self.merge(op, [reads])
            elif found is None or "write" in found:
                reads.clear()

    def merge(self, op: Operation, scopes: list[Known]) -> None:
        key = op_key(op)
        for scope in reversed(scopes):
            kept = scope.get(key)
            if kept is not None:
                for old, new in zip(op.results, kept.results, strict=True):
                    old.replace_all_uses_with(new)
                op.erase()
                self.merged += 1
                return
        scopes[-1][key] = op


def op_key(op: Operation) -> Any:
    """Equal for two ops exactly when they compute the same from the same values."""
    return _key(op, {})


def _key(op: Operation, inside: dict[Value, int]) -> Any:
    """``inside`` numbers the values defined in the op, which may differ in identity."""
    operands: tuple[Any, ...] = tuple([inside.get(v, v) for v in op._operands])
    if len(operands) == 2 and op.has_trait(Commutative):
        operands = tuple(sorted(operands, key=id))
    return (
        op.name,
        operands,
        frozenset((op._properties or {}).items()),
        frozenset((op._attributes or {}).items()),
        tuple([v.type for v in op.results]),
        tuple([_region_key(r.blocks, inside) for r in op.regions]),
        op._successors,
    )


def _region_key(blocks: list[Block], inside: dict[Value, int]) -> Any:
    keys = []
    for block in blocks:
        for argument in block.arguments:
            inside[argument] = len(inside)
        ops = []
        for op in block.ops:
            ops.append(_key(op, inside))
            for value in op.results:
                inside[value] = len(inside)
        keys.append((tuple([a.type for a in block.arguments]), tuple(ops)))
    return tuple(keys)
