"""Canonical forms of ``tensor``."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.dialects import tensor
from kt.ir.rewriter import Rewriter, canonicalization
from kt.passes.common.rules import memref as memref


@canonicalization("tensor.empty", name="constant-empty")
def constant_empty(op: Any, rw: Rewriter) -> bool:
    """empty(%c4) : tensor<?xf16> is empty() : tensor<4xf16>, cast."""
    type = op.result.type
    found = memref.known_sizes(type.shape, op.dynamic_sizes)
    if found is None:
        return False
    extents, left = found
    made_type = t.TensorType(tuple(extents), type.element_type, type.encoding)
    made = rw.create(tensor.EmptyOp, left, result_types=[made_type], attributes=op.attributes)
    return memref.replace_and_cast(op, made, tensor.CastOp, rw)
