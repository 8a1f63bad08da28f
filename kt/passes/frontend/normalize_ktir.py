"""normalize-ktir: every computation on tensors becomes a generic op of one of three kinds."""

from __future__ import annotations

from attrs import frozen

from kt.ir.core import Operation
from kt.ir.dialects import func, linalg
from kt.ir.rewriter import apply_patterns
from kt.passes.analysis.structured import kind_of
from kt.passes.frontend.rules.accumulators import ACCUMULATOR_RULES
from kt.passes.frontend.rules.lane_slices import SliceReductionToGeneric
from kt.passes.frontend.rules.operands import OPERAND_RULES
from kt.passes.frontend.rules.scalars import lift_scalars
from kt.passes.frontend.rules.subscripts import look_up_subscripts
from kt.passes.frontend.rules.tensors import TENSOR_RULES
from kt.passes.manager import Pass, PassContext, register_pass

NORMAL_FORM = (*OPERAND_RULES, *TENSOR_RULES, *ACCUMULATOR_RULES)


@register_pass
@frozen
class NormalizeKtir(Pass):
    """Turn tensor ops into linalg.generic: pointwise, reductions, contractions.

    Elementwise ops, splats, named linalg ops, reshapes and constant slices become generic ops;
    transposes and broadcasts become indexing maps; scalars are captured by the body. Reductions
    start from an explicit value and keep sums of narrow floats in f32::

        %s = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf16>) outs(%e : tensor<8xf16>)
               dimensions = [1]

        %0 = linalg.generic {… parallel} outs(…) { yield 0.0 : f32 } -> tensor<8xf32>
        %1 = linalg.generic {… (d0, d1) -> (d0, d1), (d0, d1) -> (d0), parallel, reduction}
               ins(%x) outs(%0) { %a = arith.extf %in ; %b = arith.addf %a, %out } -> tensor<8xf32>
        %s = linalg.generic {… parallel} ins(%1) { arith.truncf } -> tensor<8xf16>

    Scalars that are extracted from tensors become tensors without dimensions, subscripts that are
    loaded become coordinates that are looked up. ``x + contraction into zero`` becomes a contraction that starts from ``x``.
    """

    name = "normalize-ktir"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            rules = (SliceReductionToGeneric(ctx.device), *NORMAL_FORM)
            ctx.rewrote(apply_patterns(function, rules, fold=False))
            look_up_subscripts(function)
            if lift_scalars(function):
                ctx.rewrote(apply_patterns(function, rules, fold=False))
            for op in function.walk_type(linalg.GenericOp):
                ctx.stat(kind_of(op))
