"""Which of two operations of a block comes first: numbers with gaps, given when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kt.ir.block import Block
    from kt.ir.operation import Operation

GAP = 16


def number_ops(block: Block) -> None:
    """Number all ops, with gaps for ops that are inserted later."""
    op, number = block.first_op, 0
    while op is not None:
        op._order = number
        number += GAP
        op = op.next_op


def order_of(op: Operation) -> int | None:
    """The number of an op in its block, in the gap between its neighbours if it has none yet."""
    order = op._order
    if order is None:
        before, after = op.prev_op, op.next_op
        low = before._order if before is not None else -GAP
        if low is None:
            return None
        if after is None:
            order = low + GAP
        elif after._order is None or after._order - low < 2:
            return None
        else:
            order = (low + after._order) // 2
        op._order = order
    return order
