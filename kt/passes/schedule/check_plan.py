"""check-plan: the schedule is what the plan says, and nothing of the plan was forgotten.

Before::

    func.func @local_schedule_0() attributes {
      kt.plan = {depth = 2, order = [1, 0], tile = {…}}, kt.plan_used = ["order"]} { … }

After::

    func.func @local_schedule_0() attributes {kt.plan = {depth = 2, order = [1, 0], tile = {…}}} { … }

Passes note in ``kt.plan_used`` which of the entries that aren't the default they obeyed. One that no pass
obeyed (in a pipeline that leaves the pass out, say) is an error, and so is one that the loops, buffers
and instances of the schedule contradict. Needs: all passes that a plan speaks to have run.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from kt.ir.core import Operation
from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdf, scf
from kt.passes.analysis.nests import loop_dim, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.plan import USED, Plan, plan_of, used_entries


@register_pass
@frozen
class CheckPlan(Pass):
    """Compare the schedule with its plan."""

    name = "check-plan"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program)
            if plan is None:
                continue
            used = used_entries(program)
            for entry in plan.wishes():
                if entry not in used:
                    raise PassError(
                        f"no pass used '{entry}' of the plan of '{program.symbol}'",
                        program.location,
                        hint=f"run {WHO[entry]} before this pass, or leave the entry out",
                    )
            for what, op in contradictions(program, plan):
                raise PassError(
                    f"the schedule of '{program.symbol}' contradicts its plan: {what}",
                    op.location,
                    hint="a pass that ran between plan-schedule and this one changed it",
                )
            program.attributes.pop(USED, None)
            ctx.stat("plans")


WHO = {
    "order": "tile-scf-for-loops",
    "sunk": "tile-scf-for-loops",
    "reuse": "broadcast-promotion",
    "depth": "double-buffering",
    "coalesce": "coalesce-transfers",
}
"""The pass that obeys each entry (tiles and instances show in the schedule itself)."""


def contradictions(program: Operation, plan: Plan) -> Iterator[tuple[str, Operation]]:
    """What a schedule has that its plan excludes, with the op."""
    if plan.instances and not any(isinstance(op, ktdf.ParallelOp) for op in program.walk()):
        yield "nothing is spread over instances", program
    for op in program.walk():
        if isinstance(op, ktdf.ReserveSizeOp):
            yield f"the tile size of dimension {loop_dim(op)} isn't filled in", op
        elif isinstance(op, ktdf.SelectMemrefOp):
            most = max((plan.depth, *plan.depths.values()))
            if len(op.candidates) > most:
                yield f"a buffer has {len(op.candidates)} copies instead of {most}", op
        elif isinstance(op, ktdf.ParallelOp):
            count, known = op.num_instances.value, plan.instances or {}
            if count not in known.values():
                said = ", ".join(map(str, known.values())) or "one"
                yield f"a loop is spread over {count} instances instead of {said}", op
        elif isinstance(op, ktdf.PipelineOp) and not op.parent_of_type(ktdf.PipelineOp):
            dims = [loop_dim(loop) for loop in op.scope if isinstance(loop, scf.ForOp)]
            if not _in_order(dims, plan):
                yield f"its loops count the dimensions {', '.join(map(str, dims))} in this order", op


def _in_order(dims: list[int | None], plan: Plan) -> bool:
    """Whether the loops around a pipeline stand as planned.

    Those over points that aren't sunk stand in the kernel's order, which nothing is known about here.
    """
    if not plan.order or (plan.sunk is not None and plan.sunk < len(plan.order)):
        return True
    places = [plan.order.index(d) for d in dims if d in plan.order]
    return places == sorted(places)
