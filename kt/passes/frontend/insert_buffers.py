"""insert-buffers: tensors that no single program can keep to itself go through memory."""

from __future__ import annotations

from attrs import frozen

from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.dialects import func, ktdp, linalg, scf
from kt.passes.analysis.structured import is_fill, is_pointwise
from kt.passes.analysis.target import device_if_known
from kt.passes.frontend.rules.buffers import load, new_buffer, store
from kt.passes.frontend.rules.carried import (
    branch_into_buffers,
    carry_in_buffers,
    check_control_flow,
    is_tensor,
    stored_only,
)
from kt.passes.frontend.rules.fusion import can_fuse, fuse_pointwise
from kt.passes.frontend.rules.lookups import buffer_lookups, looks_up
from kt.passes.frontend.rules.overwritten import stage_overwriting_stores
from kt.passes.frontend.rules.split_bodies import may_exceed, split_bodies
from kt.passes.manager import Pass, PassContext, register_pass


@register_pass
@frozen
class InsertBuffers(Pass):
    """Put intermediate and carried tensors into buffers, so that every program is one computation.

    Elementwise ops are fused into their users first. Results of reductions and contractions that
    are used by anything but one store, operands that would be computed over and over, tensors that
    loops carry and tensors that conditions yield are stored to a ``kt.buffer`` and loaded where
    they are used::

        %m = linalg.generic {max} ins(%x)           %b = kt.buffer() : memref<5xf32>
        %y = linalg.generic {exp(x - m)} ins(%x, %m)      %m = linalg.generic {max} ins(%x)
        ktdp.store %y, %t                           →     ktdp.store %m, %b[…]
                                                          %m1 = ktdp.load %b[…]
                                                          %y = linalg.generic ins(%x, %m1)
                                                          ktdp.store %y, %t

    A computation whose live vectors need more than the registers of the engine is cut in two.
    Coordinates that a store looks up are copied to a buffer in front of it. A store that would overwrite
    operands of its own value, but not element by element in place, gets the value from a buffer.

    A loop that carries a tensor writes its buffer in place when the iteration reads only what it
    writes, element by element; else through a second buffer that is copied at the end.
    """

    name = "insert-buffers"

    def run(self, module: Operation, ctx: PassContext) -> None:
        device = device_if_known(module, ctx)
        for function in list(module.walk_type(func.FuncOp)):
            if function.is_declaration:
                continue
            large = device is not None and may_exceed(function, device)
            if large or _needs_buffers(function):
                ctx.stat("fused", fuse_pointwise(function))
                if device is not None and large:
                    ctx.stat("cuts", split_bodies(function, device, ctx))
                made = _insert(function)
                ctx.stat("buffers", made)
                ctx.stat("fused", fuse_pointwise(function))
                erase_dead_ops(function)
            ctx.stat("buffers", stage_overwriting_stores(function))


def _needs_buffers(function: func.FuncOp) -> bool:
    """Whether a function has more than loads, elementwise ops that fuse, and stores."""
    for op in function.walk():
        if (isinstance(op, linalg.GenericOp) and not is_pointwise(op)) or looks_up(op):
            return True
        if isinstance(op, linalg.GenericOp) and any(
            isinstance(user, linalg.GenericOp) and not can_fuse(user, op)
            for value in op.results
            for user in value.users
        ):
            return True
        if op.dialect == "scf" and any(map(is_tensor, op.results)):
            return True
    return False


def _insert(function: func.FuncOp) -> int:
    top = Builder.at_start(function.entry, function.location)
    made = 0
    for op in list(function.walk()):  # outer control flow first
        if isinstance(op, scf.ForOp):
            made += carry_in_buffers(op, top)
        elif isinstance(op, scf.IfOp):
            made += branch_into_buffers(op, top)
        else:
            check_control_flow(op)
    for op in list(function.walk()):
        if isinstance(op, ktdp.StoreOp) and looks_up(op):
            made += buffer_lookups(op, top)
        if isinstance(op, linalg.GenericOp):
            for value in op.results:
                if needs_buffer(value):
                    _through_buffer(value, top)
                    made += 1
    return made


def _through_buffer(value: Value, top: Builder) -> None:
    op = value.defining_op
    assert op is not None
    build = Builder.after(op)
    buffer = new_buffer(top, value.type, op.location)
    stored = store(build, value, buffer)
    again = load(build, buffer)
    value.replace_all_uses_with(again, where=lambda user: user is not stored)


def needs_buffer(value: Value) -> bool:
    """Whether some user of a structured op's result can't be part of the same program."""
    op = value.defining_op
    assert isinstance(op, linalg.GenericOp)
    if not value.has_uses:
        return False
    if not is_pointwise(op):
        return not stored_only(value)
    return any(not _takes(user, value, op) for user in value.users)


def _takes(user: Operation, value: Value, op: linalg.GenericOp) -> bool:
    """Whether a program with ``user`` can compute the elementwise ``value`` itself."""
    if isinstance(user, ktdp.StoreOp):
        return True
    if not isinstance(user, linalg.GenericOp):
        return False
    if value in user.outputs and not is_pointwise(user):
        return is_fill(op)
    return user.parent is not op.parent and can_fuse(user, op)
