"""Canonicalization of `ktdf`."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.core import Value
from kt.ir.dialects import linalg, tensor
from kt.ir.dialects.ktdf import FifoAllocateOp, OpaqueOp
from kt.ir.rewriter import Rewriter, canonicalization


@canonicalization(FifoAllocateOp)
def erase_unused_slots(op: FifoAllocateOp, rw: Rewriter) -> bool:
    """Slots that nobody writes or reads don't exist."""
    if any(slot.has_uses for slot in op.slots):
        return False
    rw.erase(op)
    return True


@canonicalization(OpaqueOp)
def unbox_template(op: OpaqueOp, rw: Rewriter) -> bool:
    """A template on boxes of one element, in the body of a structured op, works on scalars.

    ``tensor.extract (opaque ins (tensor.from_elements %x) outs (tensor.empty))`` → ``opaque ins %x``.
    """
    if not op.outputs or not isinstance(op.parent_op, linalg.GenericOp):
        return False
    inputs = [_unboxed(v) for v in op.inputs]
    readers = [u for r in op.results for u in r.users]
    if None in inputs or any(v.type.shape != (1,) for v in op.outputs):  # type: ignore[attr-defined]
        return False
    if not all(isinstance(u, tensor.ExtractOp) for u in readers):
        return False
    made = rw.create(
        OpaqueOp,
        inputs,
        template_name=op.template_name,
        result_types=[r.type.element_type for r in op.results],  # type: ignore[attr-defined]
        attributes=op.attributes,
    )
    for old, new in zip(op.results, made.results, strict=True):
        for user in old.users:
            rw.replace(user, new)
    rw.erase(op)
    return True


def _unboxed(value: Value) -> Value | None:
    """The scalar in a box; scalars are what they are; None for other tensors."""
    if not isinstance(value.type, t.TensorType):
        return value
    maker = value.defining_op
    alone = isinstance(maker, tensor.FromElementsOp) and len(maker.operands) == 1
    return maker.operands[0] if alone and maker is not None else None
