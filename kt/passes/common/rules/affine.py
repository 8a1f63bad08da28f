"""Canonical forms of ``affine``."""

from __future__ import annotations

from typing import Any

from kt.ir.dialects import affine
from kt.ir.rewriter import Rewriter, canonicalization


@canonicalization("affine.min", "affine.max", name="extreme-of-one")
def extreme_of_one(op: Any, rw: Rewriter) -> bool:
    """The least of one result is that result."""
    if op.map.map.num_results != 1:
        return False
    rw.replace(op, rw.create(affine.ApplyOp, op.map_operands, map=op.map))
    return True
