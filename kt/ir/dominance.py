"""Dominance: which values are visible where.

:class:`DominatorTree` is the tree of one region (Cooper, Harvey and Kennedy's iteration);
:class:`DominanceInfo` answers questions across nested regions and caches the trees.
"""

from __future__ import annotations

from attrs import define, field

from kt.ir.core import Block, Operation, OpResult, Region, UnregisteredOp, Value
from kt.ir.traits import GraphRegion


def has_graph_regions(op: Operation) -> bool:
    """Whether the order of ops doesn't matter in the regions of ``op``; true for unknown ops."""
    return isinstance(op, UnregisteredOp) or op.has_trait(GraphRegion)


def successors_of(block: Block) -> tuple[Block, ...]:
    """Blocks to which the last op may jump."""
    return block.last_op._successors if block.last_op is not None else ()


@define(eq=False, init=False)
class DominatorTree:
    """The dominator tree of the blocks of a region that its entry reaches.

    ``order`` lists reachable blocks in reverse postorder (the entry first); ``parent`` maps each of
    them but the entry to its immediate dominator.
    """

    order: list[Block]
    parent: dict[Block, Block]
    _index: dict[Block, int]

    def __init__(self, region: Region) -> None:
        self.order = _reverse_postorder(region)
        self._index = {block: i for i, block in enumerate(self.order)}
        self.parent = self._immediate_dominators()

    def _immediate_dominators(self) -> dict[Block, Block]:
        index = self._index
        before: list[list[int]] = [[] for _ in self.order]
        for i, block in enumerate(self.order):
            for successor in successors_of(block):
                if successor in index:
                    before[index[successor]].append(i)
        found: list[int] = [0] + [-1] * (len(self.order) - 1)
        changed = True
        while changed:
            changed = False
            for i in range(1, len(found)):
                new = -1
                for j in before[i]:
                    if found[j] >= 0:
                        new = j if new < 0 else _meet(found, new, j)
                if new != found[i]:
                    found[i], changed = new, True
        return {self.order[i]: self.order[found[i]] for i in range(1, len(found))}

    def is_reachable(self, block: Block) -> bool:
        return block in self._index

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether every path from the entry to ``b`` goes through ``a``; true if ``b`` is unreachable."""
        at = self._index.get(b)
        if at is None:
            return True
        goal = self._index.get(a)
        if goal is None:
            return False
        block = b
        while at > goal:
            block = self.parent[block]
            at = self._index[block]
        return at == goal

    def children(self) -> dict[Block, list[Block]]:
        """The tree downwards, children in reverse postorder."""
        below: dict[Block, list[Block]] = {block: [] for block in self.order}
        for block in self.order[1:]:
            below[self.parent[block]].append(block)
        return below


def _meet(parent: list[int], a: int, b: int) -> int:
    """The nearest common ancestor; ancestors have smaller numbers."""
    while a != b:
        while a > b:
            a = parent[a]
        while b > a:
            b = parent[b]
    return a


def _reverse_postorder(region: Region) -> list[Block]:
    if not region.blocks:
        return []
    entry = region.blocks[0]
    seen, finished = {entry}, []
    stack = [(entry, iter(successors_of(entry)))]
    while stack:
        block, ahead = stack[-1]
        after = next((b for b in ahead if b not in seen and b.parent is region), None)
        if after is None:
            finished.append(block)
            stack.pop()
        else:
            seen.add(after)
            stack.append((after, iter(successors_of(after))))
    return finished[::-1]


@define(eq=False)
class DominanceInfo:
    """Dominance between ops and values in any regions. Make a new one after control flow changed."""

    _trees: dict[Region, DominatorTree] = field(factory=dict)

    def tree(self, region: Region) -> DominatorTree:
        found = self._trees.get(region)
        if found is None:
            found = self._trees[region] = DominatorTree(region)
        return found

    def dominates_block(self, a: Block, b: Block) -> bool:
        """Whether ``a`` dominates ``b`` or the op around ``b`` that stands beside it (reflexive)."""
        found = block_ancestor(a.parent, b)
        if found is None:
            return False
        if found is a:
            return True
        return a.parent is not None and self.tree(a.parent).dominates(a, found)

    def properly_dominates(self, value: Value | Operation, user: Operation) -> bool:
        """Whether ``value`` (or an op's results) may be used by ``user``, isolation aside."""
        if isinstance(value, Value) and not isinstance(value, OpResult):
            block = value.parent_block
            assert block is not None
            return self.dominates_block(block, user.parent) if user.parent is not None else False
        definition = value.op if isinstance(value, OpResult) else value
        assert isinstance(definition, Operation)
        block = definition.parent
        if block is None:
            return False
        beside = (
            ancestor_in_region(block.parent, user)
            if block.parent
            else ancestor_in_block(block, user)
        )
        if beside is None:
            return False
        around = block.parent_op
        if around is not None and has_graph_regions(around):
            return True
        if beside.parent is block:
            return beside is not definition and definition.is_before_in_block(beside)
        assert block.parent is not None and beside.parent is not None
        return self.tree(block.parent).dominates(block, beside.parent)


def ancestor_in_block(block: Block, op: Operation) -> Operation | None:
    """The op of ``block`` that is ``op`` or holds it."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op
    return current


def ancestor_in_region(region: Region, op: Operation) -> Operation | None:
    """The op of ``region``'s blocks that is ``op`` or holds it."""
    current: Operation | None = op
    while current is not None and current.parent_region is not region:
        current = current.parent_op
    return current


def block_ancestor(region: Region | None, block: Block) -> Block | None:
    """The block of ``region`` that is ``block`` or holds it."""
    current: Block | None = block
    while current is not None and current.parent is not region:
        around = current.parent_op
        current = around.parent if around is not None else None
    return current
