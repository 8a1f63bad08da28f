"""loop-invariant-code-motion: out of the loop what is the same in every round."""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation, Region, Value
from kt.ir.effects import is_pure
from kt.ir.traits import Terminator
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass

LOOPS = ("scf.for", "scf.parallel", "scf.forall", "scf.while", "affine.for", "affine.parallel")
"""Loops whose bodies are searched."""


@register_pass
@frozen
class LoopInvariantCodeMotion(Pass):
    """Move ops in front of the loop if they compute the same in every round.

    An op moves if its operands, and the values its regions take from outside, are defined outside the
    loop, it has no effects and is safe to run when the loop isn't entered. Inner loops come first, so
    that an op goes out as far as it can::

        scf.for %i = …                           %n = arith.muli %a, %b : index
          %n = arith.muli %a, %b : index    →    scf.for %i = …
          "use"(%n)                                "use"(%n)
    """

    name = "loop-invariant-code-motion"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for loop in list(module.walk(post_order=True)):
            if loop.name in LOOPS and loop.parent is not None:
                ctx.stat("hoisted", sum(hoist_invariants(loop, r) for r in loop.regions))


def hoist_invariants(loop: Operation, region: Region) -> int:
    """Move loop-invariant ops directly inside ``region`` in front of ``loop``; how many."""
    moved = 0
    for block in region.blocks:
        for op in block.ops:
            if not op.has_trait(Terminator) and is_pure(op) and _invariant(op, region):
                op.move_before(loop)
                moved += 1
    return moved


def _invariant(op: Operation, region: Region) -> bool:
    """Whether everything ``op`` uses is defined outside of ``region`` or inside ``op`` itself."""
    return not any(_inside(value, region, op) for inner in op.walk() for value in inner._operands)


def _inside(value: Value, region: Region, but: Operation) -> bool:
    block = value.parent_block
    while block is not None and block.parent is not None:
        if block.parent is region:
            return True
        around = block.parent.parent
        if around is None or around is but:
            return False
        block = around.parent
    return False
