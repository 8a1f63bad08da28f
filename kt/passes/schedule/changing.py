"""What differs between iterations of a loop around a pipeline."""

from __future__ import annotations

from attrs import define, field

from kt.ir.core import Block, Operation, Value
from kt.ir.dialects import ktdf, scf
from kt.passes.analysis.index_maps import constant_index
from kt.passes.analysis.nests import trip_count


def even_trips(loop: scf.ForOp) -> int | None:
    """Iterations of a loop from 0 by 1, if they are the same each time: constant, or those of even tiles."""
    if constant_index(loop.lower_bound) != 0 or constant_index(loop.step) != 1:
        return None
    bound = loop.upper_bound.defining_op
    if isinstance(bound, ktdf.DeriveSizeOp):
        size, total = (constant_index(v) for v in bound.operands[-2:])
        return size if len(bound.ivs) == 1 and size and total and total % size == 0 else None
    return trip_count(loop)


@define(eq=False)
class Changing:
    """What differs between iterations of a loop: values, and slots whose contents do."""

    values: set[Value] = field(factory=set)
    slots: set[Value] = field(factory=set)
    refused: Operation | None = None
    """An op that makes it impossible to compute iterations together."""

    @classmethod
    def of(cls, counter: Value, body: Block) -> Changing:
        found = cls({counter})
        before = -1
        while before != len(found.values) + len(found.slots):
            before = len(found.values) + len(found.slots)
            found.visit(body)
        return found

    def visit(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, ktdf.PrivateOp):
                continue
            if isinstance(op, scf.ForOp):
                self.loop(op)
            elif op.regions and not op.name.startswith("linalg."):
                self.region_op(op)
            elif self.differs(op):
                self.values.update(op.results)
                self.slots.update(slots_of(op))
                if isinstance(op, ktdf.DataTransferOp) and self.is_bound(op):
                    self.refused = op

    def differs(self, op: Operation) -> bool:
        """Whether the op does something else in each iteration."""
        slots = slots_of(op)
        return any(v in self.slots for v in slots) or any(
            v in self.values for v in op.operands if v not in slots
        )

    def is_bound(self, op: ktdf.DataTransferOp) -> bool:
        """Whether the iterations of a transfer must stay apart: they differ in size, or take turns at a slot."""
        mode = getattr(op.attr("transfer_mode"), "value", "")
        sizes = (*op.source_sizes, *op.dest_sizes)
        return mode == "keep" or any(v in self.values for v in sizes)

    def loop(self, op: scf.ForOp) -> None:
        if any(v in self.values for v in op.operands[:3]):
            self.refused = op
        for init, old, new, result in zip(
            op.init_args, op.iter_args, op.yielded, op.results, strict=True
        ):
            if init in self.values or new in self.values or old in self.values:
                self.values.update((old, result))
        self.visit(op.body)

    def region_op(self, op: Operation) -> None:
        """Pipelines, stages and conditions: the same for all iterations, but for what is inside."""
        if any(v in self.values for v in op.operands) or (op.results and isinstance(op, scf.IfOp)):
            self.refused = op
        for region in op.regions:
            for block in region.blocks:
                self.visit(block)


def slots_of(op: Operation) -> list[Value]:
    """The FIFO slots that an op touches."""
    return [v for v in op.operands if isinstance(v.type, ktdf.FifoSlotType)]
