"""inline: calls become the bodies of the functions that they call."""

from __future__ import annotations

from attrs import frozen

from kt.ir.clone import clone_region
from kt.ir.core import Operation
from kt.ir.diagnostics import CallSiteLoc
from kt.ir.dialects import func
from kt.ir.symbols import lookup
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class Inline(Pass):
    """Replace calls of functions that have one block by their bodies::

        func.func private @twice(%x: f16) -> f16 {
          %0 = arith.addf %x, %x : f16
          return %0 : f16
        }                                                →    %1 = arith.addf %a, %a : f16
        %1 = call @twice(%a) : (f16) -> f16

    Calls in inlined bodies follow. Declarations, functions that call themselves or have several blocks,
    and those marked ``no_inline`` are left alone. New ops have call-site locations.
    """

    name = "inline"

    def run(self, module: Operation, ctx: PassContext) -> None:
        # Callees first, so that each body is copied in its final form.
        done: set[Operation] = set()
        for function in list(module.walk_type(func.FuncOp)):
            _visit(function, [], done, ctx)


def _visit(
    function: func.FuncOp, path: list[Operation], done: set[Operation], ctx: PassContext
) -> None:
    if function in done or function in path:
        return
    for call in list(function.walk_type(func.CallOp)):
        callee = lookup(call, call.callee)
        if not isinstance(callee, func.FuncOp):
            continue
        _visit(callee, [*path, function], done, ctx)
        if callee not in (function, *path) and _can_inline(callee, call):
            _inline(call, callee)
            ctx.stat("inlined")
    done.add(function)


def _can_inline(callee: func.FuncOp, call: func.CallOp) -> bool:
    blocks = callee.body_region.blocks
    if callee.no_inline is not None or call.attr("no_inline") is not None or len(blocks) != 1:
        return False
    calls = callee.walk_type(func.CallOp)
    return isinstance(blocks[0].last_op, func.ReturnOp) and not any(
        lookup(inner, inner.callee) is callee for inner in calls
    )


def _inline(call: func.CallOp, callee: func.FuncOp) -> None:
    block = clone_region(callee.body_region).block
    for op in block.walk():
        op.location = CallSiteLoc(op.location, call.location)
    end = block.last_op
    assert end is not None
    block.inline_before(call, call.operands)
    call.replace_with(end.operands)
    end.erase()
