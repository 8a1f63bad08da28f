"""normalize-scf-for-loops: every loop of a program counts 0, 1, 2, …

Before::

    scf.for %j = %c0 to %c128 step %c32 {
      %n = affine.min (d0) -> (32, -d0 + 100)(%j)
      ktdf.data_transfer from %A[%i, %j] size [1, 32] to …

After::

    scf.for %j = %c0 to %c4 step %c1 {
      %n = affine.min (d0) -> (32, d0 * -32 + 100)(%j)
      ktdf.data_transfer from %A[%i, %j * 32] size [1, 32] to …

Needs: programs with pipelines. Guarantees: lower bound 0, step 1; no ``affine.apply`` feeds a
transfer or an ``affine.min``. The loops of the orchestrator stay as they are.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir.affine import dim
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.dialects import affine, arith, ktdf, scf
from kt.passes.analysis.index_maps import apply_map, compose_min, compose_transfer, constant_index
from kt.passes.analysis.nests import programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass


@register_pass
@frozen
class NormalizeScfForLoops(Pass):
    """Make every loop of a program start at 0 and step by 1."""

    name = "normalize-scf-for-loops"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            for loop in [op for op in program.walk(post_order=True) if isinstance(op, scf.ForOp)]:
                if constant_index(loop.lower_bound) != 0 or constant_index(loop.step) != 1:
                    normalize(loop)
                    ctx.stat("loops")
            fold_index_arithmetic(program)


def normalize(loop: scf.ForOp) -> None:
    """Count iterations; uses of the induction variable see ``iv * step + lower``."""
    builder = Builder.before(loop)
    lower, step = loop.lower_bound, loop.step
    trips = _trips(builder, loop)
    iv = loop.induction_variable
    loop.set_operand(0, builder.constant(0))
    loop.set_operand(1, trips)
    loop.set_operand(2, builder.constant(1))
    if not iv.has_uses:
        return
    inside = Builder.at_start(loop.body, loop.location)
    original = _original_value(inside, iv, lower, step)
    made = {op for op in loop.body.ops if op is not inside.anchor and _feeds(op, original)}
    iv.replace_all_uses_with(original, where=lambda op: op not in made)


def _trips(builder: Builder, loop: scf.ForOp) -> Value:
    """``ceil((upper - lower) / step)``, at least 0."""
    lower, upper, step = (constant_index(v) for v in loop.operands[:3])
    if lower is not None and upper is not None and step is not None:
        return builder.constant(max(0, -((lower - upper) // step)))
    length = loop.upper_bound
    if lower != 0:
        length = builder.create(arith.SubIOp, length, loop.lower_bound).result
    if step == 1:
        return length
    return builder.create(arith.CeilDivSIOp, length, loop.step).result


def _original_value(builder: Builder, iv: Value, lower: Value, step: Value) -> Value:
    """What the induction variable was, as a new value behind the builder's ops."""
    lower_number, step_number = constant_index(lower), constant_index(step)
    if step_number is not None and lower_number is not None:
        return apply_map(builder, dim(0) * step_number + lower_number, [iv])
    if step_number is not None:
        return apply_map(builder, dim(0) * step_number + dim(1), [iv, lower])
    scaled = builder.create(arith.MulIOp, iv, step).result
    return scaled if lower_number == 0 else builder.create(arith.AddIOp, scaled, lower).result


def _feeds(op: Operation, value: Value) -> bool:
    """Whether ``op`` is part of the short chain that computes ``value`` in its block."""
    maker = value.defining_op
    return op is maker or (maker is not None and any(v.defining_op is op for v in maker.operands))


def fold_index_arithmetic(program: Operation) -> None:
    """Compose index producers into transfers and size computations; drop what dies."""
    for op in program.walk():
        if isinstance(op, ktdf.DataTransferOp):
            compose_transfer(op)
        elif isinstance(op, affine.MinOp):
            compose_min(op)
    erase_dead_ops(program)
