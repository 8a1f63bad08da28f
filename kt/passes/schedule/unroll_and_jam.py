"""unroll-and-jam: several iterations of a parallel loop share what they load.

Before (a contraction; the plan says ``jam = {"0": 2}``)::

    scf.for %i = %c0 to %c8 step %c1 {
      ktdf.pipeline {
        ktdf.stage {                                     // FEED
          scf.for %k … { transfer %a[%i, %k] to %sa {splat} ; transfer %b[%k, 0] to %sb }
        } ktdf.stage {                                   // VPU
          %s = scf.for %k … iter_args(%acc = %zero) { %x = read %sa ; %y = read %sb ; %acc + %x * %y }
          write %s, %so
        } ktdf.stage { transfer %so to %c[%i, 0] } } }   // DRAIN

After::

    scf.for %i = %c0 to %c4 step %c1 {
      ktdf.pipeline {
        ktdf.stage {
          scf.for %k … { transfer %a[2 * %i, %k] to %sa ; transfer %a[2 * %i + 1, %k] to %sa
                         transfer %b[%k, 0] to %sb }
        } ktdf.stage {
          %s:2 = scf.for %k … iter_args(%acc = %zero, %acc1 = %zero) {
            %x = read %sa ; %x1 = read %sa ; %y = read %sb ; %acc + %x * %y ; %acc1 + %x1 * %y }
          write %s#0, %so ; write %s#1, %so
        } ktdf.stage { transfer %so to %c[2 * %i, 0] ; transfer %so to %c[2 * %i + 1, 0] } } }

The plan's ``jam`` says how many, by dimension; where it is silent, the pass chooses (and writes it
there): as few reads as possible in the stage's inner loop, as far as the engine's registers go.
``%b`` is sent once for two rows, and whatever is computed from it alone once as well. Accumulators
multiply. Both ends of every FIFO
repeat the same slots in the same order, so any depth will do.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, evolve, frozen

from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, ktdf, scf
from kt.ir.traits import Terminator
from kt.passes.analysis.nests import is_parallel, loop_dim, programs
from kt.passes.base import Pass, PassContext
from kt.passes.common.canonicalize import Canonicalize
from kt.passes.registry import register_pass
from kt.passes.schedule.changing import Changing, even_trips
from kt.passes.schedule.jam_factors import best_factors
from kt.passes.schedule.plan import plan_of


@register_pass
@frozen
class UnrollAndJam(Pass):
    """Compute several iterations of point loops together, as the plan says."""

    name = "unroll-and-jam"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program)
            if plan is None or plan.jam == {}:
                continue
            taken: dict[int, int] = {}
            for pipeline in list(program.walk_type(ktdf.PipelineOp)):
                if any(
                    isinstance(op, ktdf.PipelineOp) for op in pipeline.walk() if op is not pipeline
                ):
                    continue
                loops = list(point_loops(pipeline))
                if plan.jam is None:
                    factors = best_factors(pipeline, loops, ctx.device)
                else:
                    factors = tuple(plan.jam.get(loop_dim(loop), 1) for loop in loops)  # type: ignore[arg-type]
                for loop, factor in zip(loops, factors, strict=True):
                    if factor > 1:
                        _jam(loop, factor)
                        taken[loop_dim(loop)] = factor  # type: ignore[index]
                        ctx.stat("jammed")
            for dim in (d for d in plan.jam or () if d not in taken):
                raise PassError(
                    f"the plan computes iterations of dimension {dim} together, but no loop over the points "
                    "of a tile inside the pipeline counts it",
                    program.location,
                    hint="leave out 'jam' of this dimension in the plan, or take larger tiles",
                )
            if taken:
                evolve(plan, jam=taken).attach(program)
                ctx.run([Canonicalize()], program)


def point_loops(pipeline: ktdf.PipelineOp) -> Iterator[scf.ForOp]:
    """Parallel loops around an innermost pipeline, up to the stage that holds them, innermost first."""
    loop = pipeline.parent_op
    while isinstance(loop, scf.ForOp) and is_parallel(loop):
        yield loop
        loop = loop.parent_op


def _jam(loop: scf.ForOp, factor: int) -> None:
    trips = even_trips(loop)
    if trips is None or trips % factor:
        raise PassError(
            f"the plan computes {factor} iterations of dimension {loop_dim(loop)} together, but "
            f"{'their number is known late' if trips is None else f'there are {trips} in a tile'}",
            loop.location,
            hint="choose a number that divides the iterations of a tile, or leave out 'jam'",
        )
    changing = Changing.of(loop.induction_variable, loop.body)
    refused = changing.refused
    if refused is not None:
        raise PassError(
            f"iterations of dimension {loop_dim(loop)} can't be computed together: they differ in more "
            "than what they load and store",
            refused.location,
            hint="leave out 'jam' of this dimension in the plan",
        )
    build = Builder.at_start(loop.body, loop.location)
    old = loop.induction_variable
    base = build.create(arith.MulIOp, old, build.constant(factor)).result
    old.replace_all_uses_with(base, where=lambda user: user is not base.defining_op)
    copies: list[dict[Value, Value]] = [
        {base: build.create(arith.AddIOp, base, build.constant(r)).result} for r in range(1, factor)
    ]
    changing.values.add(base)
    loop.set_operand(1, Builder.before(loop).constant(trips // factor))
    _Jam(changing, copies).block(loop.body)


@define(eq=False)
class _Jam:
    """Puts behind each op that differs its copies for the other iterations."""

    changing: Changing
    copies: list[dict[Value, Value]]
    """For each further iteration, what stands for a value of the first one."""

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            if isinstance(op, ktdf.PrivateOp):
                continue
            if isinstance(op, scf.ForOp):
                self.loop(op)
            elif op.regions and not op.name.startswith("linalg."):
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)
            elif self.changing.differs(op) and not self.is_base(op):
                self.repeat(op)

    def is_base(self, op: Operation) -> bool:
        """Whether the op computes the number of one of the iterations."""
        results = set(op.results)
        return any(known in results for m in self.copies for known in m.values()) or any(
            v in m for m in self.copies for v in results
        )

    def repeat(self, op: Operation) -> None:
        if op.has_trait(Terminator):
            return
        last = op
        for known in self.copies:
            made = clone_op(op, known)
            last.parent.insert_after(made, last)  # type: ignore[union-attr]
            last = made

    def loop(self, op: scf.ForOp) -> None:
        """Carried values that differ are carried once per iteration."""
        places = [i for i, v in enumerate(op.iter_args) if v in self.changing.values]
        if not places:
            self.block(op.body)
            return
        inits = [
            *op.init_args,
            *(k.get(op.init_args[i], op.init_args[i]) for k in self.copies for i in places),
        ]
        made = Builder.before(op).insert(
            scf.ForOp.of(op.lower_bound, op.upper_bound, op.step, inits, location=op.location)
        )
        made.attributes.update(op.attributes)
        count = len(op.init_args)
        for old, new in zip(op.body.arguments, made.body.arguments, strict=False):
            old.replace_all_uses_with(new)
            if old in self.changing.values:
                self.changing.values.add(new)
        for old, new in zip(op.results, made.results, strict=False):
            old.replace_all_uses_with(new)
            if old in self.changing.values:
                self.changing.values.add(new)
        for n, known in enumerate(self.copies):
            for m, i in enumerate(places):
                at = count + n * len(places) + m
                known[made.iter_args[i]] = made.iter_args[at]
                known[made.results[i]] = made.results[at]
        for inner in list(op.body.ops):
            made.body.append(inner.detach())
        op.erase()
        self.block(made.body)
        end = made.body.terminator
        assert end is not None
        more = [
            known.get(end.operands[i], end.operands[i]) for known in self.copies for i in places
        ]
        end.operands = (*end.operands, *more)
