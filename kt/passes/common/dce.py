"""dce: erase what nobody needs."""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation
from kt.ir.dce import erase_unreachable_blocks, region_dce
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class DeadCodeElimination(Pass):
    """Erase ops without effect whose results are unused, unreachable blocks and unused arguments.

    Reading and allocating don't keep an op alive; unknown effects do::

        %a = arith.addi %x, %y : index      →    (nothing)
        %b = memref.load %m[%a]
    """

    name = "dce"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for region in [r for op in module.walk() for r in op.regions]:
            ctx.stat("blocks", erase_unreachable_blocks(region))
        ctx.stat("erased", region_dce(module))
