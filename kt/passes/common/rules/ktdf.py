"""Canonicalization of `ktdf`."""

from __future__ import annotations

from kt.ir.dialects.ktdf import FifoAllocateOp
from kt.ir.rewriter import Rewriter, canonicalization


@canonicalization(FifoAllocateOp)
def erase_unused_slots(op: FifoAllocateOp, rw: Rewriter) -> bool:
    """Slots that nobody writes or reads don't exist."""
    if any(slot.has_uses for slot in op.slots):
        return False
    rw.erase(op)
    return True
