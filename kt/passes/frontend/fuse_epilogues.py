"""fuse-epilogues: what stands around a reduction is computed on its accumulators."""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation
from kt.ir.dialects import linalg
from kt.passes.analysis.target import device_of
from kt.passes.frontend.rules.epilogue_limits import obstacle
from kt.passes.frontend.rules.epilogues import Epilogue, Prologue
from kt.passes.manager import Pass, PassContext, register_pass


@register_pass
@frozen
class FuseEpilogues(Pass):
    """Let elementwise ops take the result of a reduction or contraction from its accumulators.

    Where such a result goes through a buffer to one elementwise op over the same points, the buffer
    isn't needed: both become one program, which adds the bias, rounds, applies the activation behind
    the last step of the reduction. What only computes the start (a bias that is spread over rows and
    widened) is computed in front of the first step in the same way::

        %m = linalg.generic {sum of products} ins(%a, %w)      %m = linalg.generic {sum of products} ins(%a, %w)
        ktdp.store %m, %b[…]                              →    %y = linalg.generic {max, truncf} ins(%m, %bias)
        %m1 = ktdp.load %b[…]                                  ktdp.store %y, %t
        %y = linalg.generic {max, truncf} ins(%m1, %bias)
        ktdp.store %y, %t

    Of a reduction that runs in chunks only the last one ends that way; the others still accumulate in
    the buffer, which the start was stored to. A remark tells why an elementwise op stays a program of its own: the result is used
    elsewhere, an operand would be overwritten, vectors would get shorter, the registers wouldn't do,
    or it would be computed for one element at a time where a program of its own takes whole vectors.
    """

    name = "fuse-epilogues"

    def run(self, module: Operation, ctx: PassContext) -> None:
        generics = list(module.walk_type(linalg.GenericOp))
        found: list[Epilogue | Prologue] = []
        found += [x for op in generics if (x := Epilogue.of(op)) is not None]
        found += [x for op in generics if (x := Prologue.of(op)) is not None]
        if not found:
            return
        device = device_of(module, ctx)
        for part in found:
            why = obstacle(part, device)
            where = "before" if isinstance(part, Epilogue) else "behind"
            if why is None:
                part.fuse()
                ctx.stat("fused")
                said = f"computed on the accumulators of the reduction {where} it"
            else:
                said = f"a program of its own, not that of the reduction {where} it: {why}"
            ctx.remark(said, part.op.location)
