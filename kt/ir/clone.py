"""Deep copies of operations, blocks and regions."""

from __future__ import annotations

from kt.ir.collector import Paused
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, UnregisteredOp, Value


def clone_op(op: Operation, mapping: dict[Value, Value]) -> Operation:
    """Copy ``op`` with everything inside; values not in ``mapping`` are used as they are.

    ``mapping`` receives the results and block arguments of the copy. Values used before their
    definition (graph regions, back edges) are patched once everything exists.
    """
    return clone_ops([op], mapping)[0]


def clone_ops(ops: list[Operation], mapping: dict[Value, Value]) -> list[Operation]:
    """Copies of several ops that may use each other's results."""
    with Paused():
        run = _Cloner(mapping)
        copies = [run.op(op) for op in ops]
        run.finish()
    return copies


def clone_region(region: Region, mapping: dict[Value, Value] | None = None) -> Region:
    """A copy of a region (its blocks, arguments and ops)."""
    with Paused():
        run = _Cloner({} if mapping is None else mapping)
        made = run.region(region)
        run.finish()
    return made


class _Cloner:
    """Copies level by level, without recursion; ``mapping`` collects the new values."""

    def __init__(self, mapping: dict[Value, Value]) -> None:
        self.mapping = mapping
        self.blocks: dict[Block, Block] = {}
        # Ops whose operands or successors were met before their definition.
        self.early: list[tuple[Operation, Operation]] = []
        self.todo: list[tuple[Operation, Operation]] = []

    def finish(self) -> None:
        """Copy the regions of the ops copied so far, then patch what was met too early."""
        while self.todo:
            old, new = self.todo.pop()
            new.regions = tuple([self.region(r) for r in old.regions])
            for region in new.regions:
                region.parent = new
        values, blocks = self.mapping, self.blocks
        for old, new in self.early:
            operands = tuple([values.get(v, v) for v in old._operands])
            if operands != new._operands:
                new.operands = operands
            if old._successors:
                new._successors = tuple([blocks.get(b, b) for b in old._successors])

    def region(self, region: Region) -> Region:
        copies = []
        for old in region.blocks:
            block = Block()
            for argument in old.arguments:
                copy = BlockArgument(
                    argument.type, block, argument.index, argument.name_hint, argument.loc
                )
                block.arguments.append(copy)
                self.mapping[argument] = copy
            self.blocks[old] = block
            copies.append(block)
        for old, block in zip(region.blocks, copies, strict=True):
            op = old.first_op
            while op is not None:
                block.append(self.op(op))
                op = op.next_op
        return Region(copies)

    def op(self, op: Operation) -> Operation:
        """A copy without regions, which are planned."""
        cls = op.__class__
        new: Operation = cls.__new__(cls)
        mapping = self.mapping
        get = mapping.get
        early = bool(op._successors)
        operands = []
        for value in op._operands:
            found = get(value)
            if found is None:
                early = True
                found = value
            operands.append(found)
            found._add_use(new)
        new._operands = tuple(operands)
        results = []
        for old in op.results:
            result = OpResult(old.type, new, old.index, old.name_hint)
            mapping[old] = result
            results.append(result)
        new.results = tuple(results)
        new._properties = op._properties.copy() if op._properties else None
        new._attributes = op._attributes.copy() if op._attributes else None
        new._successors = op._successors
        new.parent = new.prev_op = new.next_op = new._order = None
        new.location = op.location
        new.regions = ()
        if isinstance(op, UnregisteredOp):
            new.op_name = op.op_name  # type: ignore[attr-defined]
        if early:
            self.early.append((op, new))
        if op.regions:
            self.todo.append((op, new))
        return new
