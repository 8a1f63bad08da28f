"""Dead code: ops without effect whose results nobody needs, dead block arguments, unreachable blocks."""

from __future__ import annotations

from collections.abc import Callable

from kt.ir.attributes import DenseArrayAttr
from kt.ir.core import Block, Operation, OpResult, Region, UnregisteredOp, Value
from kt.ir.dominance import DominatorTree
from kt.ir.effects import erasable_when_unused, is_dead
from kt.ir.opdef import SINGLE, VARIADIC, segment_of
from kt.ir.traits import Terminator


def erase_dead_ops(root: Operation) -> int:
    """Erase dead ops inside ``root``, from the last to the first; how many went.

    Only chains of dead ops are found; see :func:`region_dce` for dead cycles through arguments.
    """
    ops = [op for op in root.walk() if op is not root]
    gone = 0
    for op in reversed(ops):
        if is_dead(op):
            gone += sum(1 for _ in op.walk())
            op.erase()
    return gone


def passed_values(branch: Operation) -> list[tuple[int, int]] | None:
    """Per successor, the first operand and the number of operands that become its arguments.

    Known for branches whose successors are declared one by one, each with its variadic operand (in the
    same order); None for others.
    """
    fields = type(branch).fields  # type: ignore[attr-defined]
    groups = [i for i, f in enumerate(fields.operands) if f.kind == VARIADIC]
    single = all(f.kind == SINGLE for f in fields.successors)
    if not single or len(groups) != len(branch._successors) or isinstance(branch, UnregisteredOp):
        return None
    return [
        segment_of(branch, "_operands", "operandSegmentSizes", fields.operands, i) for i in groups
    ]


def _erase_passed(branch: Operation, number: int, index: int) -> None:
    """Take the value of argument ``index`` of a successor away from a branch."""
    places = passed_values(branch)
    assert places is not None
    at = places[number][0] + index
    sizes = branch.attr("operandSegmentSizes")
    if sizes is not None:
        fields = type(branch).fields  # type: ignore[attr-defined]
        group = [i for i, f in enumerate(fields.operands) if f.kind == VARIADIC][number]
        new = [n - (i == group) for i, n in enumerate(sizes.values)]
        branch.properties["operandSegmentSizes"] = DenseArrayAttr.of(new, sizes.element_type)
    branch.operands = (*branch._operands[:at], *branch._operands[at + 1 :])


def region_dce(root: Operation) -> int:
    """Erase dead ops and dead block arguments in all regions inside ``root``; how many went.

    What has effects is alive, and so is everything it needs. An argument of a block that isn't an
    entry is alive if an alive op uses it, and only then are the operands that branches pass for it.
    """
    live = _Liveness()
    live.run(root)
    dead = [op for op in root.walk() if op not in live.ops]
    for op in dead:
        op.operands = ()
    arguments = _erase_arguments(root, live.values)
    for op in dead:
        if op.parent is not None:
            op.detach()
    return len(dead) + arguments


class _Liveness:
    """Alive ops and values, by propagation from what has effects."""

    def __init__(self) -> None:
        self.ops: set[Operation] = set()
        self.values: set[Value] = set()
        self.todo: list[Operation | Value] = []

    def run(self, root: Operation) -> None:
        for op in root.walk():
            # A terminator lives with the op around it, not the other way round.
            if op is root or not (op.has_trait(Terminator) or erasable_when_unused(op)):
                self.mark_op(op)
            if op._successors and passed_values(op) is None:
                for block in op._successors:
                    for argument in block.arguments:
                        self.mark_value(argument)
        while self.todo:
            item = self.todo.pop()
            if isinstance(item, Operation):
                self.visit_op(item)
            elif isinstance(item, OpResult):
                self.mark_op(item.op)
            else:
                self.visit_argument(item)

    def mark_op(self, op: Operation) -> None:
        if op not in self.ops:
            self.ops.add(op)
            self.todo.append(op)

    def mark_value(self, value: Value) -> None:
        if value not in self.values:
            self.values.add(value)
            self.todo.append(value)

    def visit_op(self, op: Operation) -> None:
        around = op.parent_op
        if around is not None:
            self.mark_op(around)
        for region in op.regions:
            for block in region.blocks:
                if block.last_op is not None:
                    self.mark_op(block.last_op)
        passed = _passed_operands(op)
        for i, value in enumerate(op._operands):
            if i not in passed:
                self.mark_value(value)

    def visit_argument(self, argument: Value) -> None:
        block = argument.parent_block
        assert block is not None
        region = block.parent
        if region is None or region.blocks[0] is block:
            return
        for other in region.blocks:
            end = other.last_op
            for number, successor in enumerate(end._successors if end is not None else ()):
                places = passed_values(end) if successor is block else None  # type: ignore[arg-type]
                if places is not None:
                    at = places[number][0] + argument.index  # type: ignore[attr-defined]
                    self.mark_value(end._operands[at])  # type: ignore[union-attr]


def _passed_operands(op: Operation) -> set[int]:
    """Numbers of operands that a branch only hands on to successors."""
    places = (passed_values(op) or ()) if op._successors else ()
    return {i for start, size in places for i in range(start, start + size)}


def _erase_arguments(root: Operation, live: set[Value]) -> int:
    gone = 0
    for op in root.walk():
        for region in op.regions:
            for block in region.blocks[1:]:
                for argument in [a for a in block.arguments if a not in live]:
                    gone += _erase_argument(region, block, argument.index)
    return gone


def _erase_argument(region: Region, block: Block, index: int) -> int:
    """Remove one argument with the operands passed for it."""
    for other in region.blocks:
        end = other.last_op
        for number, successor in enumerate(end._successors if end is not None else ()):
            if successor is block:
                _erase_passed(end, number, index)  # type: ignore[arg-type]
    block.erase_argument(index)
    return 1


def erase_unreachable_blocks(
    region: Region, erase: Callable[[Operation], None] = Operation.erase
) -> int:
    """Erase blocks that the entry can't reach; how many went."""
    if len(region.blocks) < 2:
        return 0
    tree = DominatorTree(region)
    dead = [b for b in region.blocks if not tree.is_reachable(b)]
    for block in dead:
        for op in list(block.ops):
            op.drop_all_references()
    for block in dead:
        for op in list(block.ops)[::-1]:
            erase(op)
        region.detach_block(block)
    return len(dead)


def simplify_regions(root: Operation, erase: Callable[[Operation], None] = Operation.erase) -> int:
    """Erase unreachable blocks and then dead arguments in all regions; how many went."""
    many = [r for op in root.walk() for r in op.regions if len(r.blocks) > 1]
    gone = sum(erase_unreachable_blocks(region, erase) for region in many)
    return gone + (region_dce(root) if many and any(len(r.blocks) > 1 for r in many) else 0)
