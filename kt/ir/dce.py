"""Dead code: ops without effect whose results nobody needs, dead block arguments, unreachable blocks."""

from __future__ import annotations

from collections.abc import Callable

from kt.ir.core import Block, Operation, OpResult, Region, Value
from kt.ir.dominance import DominatorTree
from kt.ir.effects import erasable_when_unused, is_dead


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


def successor_values(terminator: Operation, number: int) -> tuple[Value, ...] | None:
    """Operands that become the arguments of a successor; None if the op doesn't tell.

    Branch ops tell by a method ``successor_operands(number)``, and let one go by
    ``erase_successor_operand(number, index)``.
    """
    ask = getattr(terminator, "successor_operands", None)
    return tuple(ask(number)) if ask is not None else None


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
            if op is root or not erasable_when_unused(op):
                self.mark_op(op)
            if op._successors and not _changeable(op):
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
                values = successor_values(end, number) if successor is block else None  # type: ignore[arg-type]
                if values is not None:
                    self.mark_value(values[argument.index])  # type: ignore[attr-defined]


def _passed_operands(op: Operation) -> set[int]:
    """Numbers of operands that a branch only hands on to successors."""
    passed: set[int] = set()
    for number in range(len(op._successors) if _changeable(op) else 0):
        values = successor_values(op, number)
        if values:
            start = _find(op._operands, values)
            passed.update(range(start, start + len(values)))
    return passed


def _changeable(branch: Operation) -> bool:
    """Whether values that a branch passes can be taken away."""
    return hasattr(branch, "successor_operands") and hasattr(branch, "erase_successor_operand")


def _find(operands: tuple[Value, ...], part: tuple[Value, ...]) -> int:
    """Where a branch's passed values begin: they are the last such run of its operands."""
    last = len(operands) - len(part)
    return next(i for i in range(last, -1, -1) if operands[i : i + len(part)] == part)


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
                end.erase_successor_operand(number, index)  # type: ignore[union-attr]
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
