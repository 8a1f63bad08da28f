"""Plans with everything said, as a search wants them, and without what goes without saying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from kt.ir.core import Operation
from kt.passes.analysis.nests import nests, programs
from kt.passes.schedule.capacity import tiled_loops
from kt.passes.schedule.plan import Plan, plan_of

if TYPE_CHECKING:
    from kt.arch import Device


def complete(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan of a program at level ``plan``, with the defaults of all entries written out."""
    found = nests(program)
    tiled = [d for nest in found for d in nest.dims[: tiled_loops(nest)] if d is not None]
    return evolve(plan, order=plan.order or tuple(dict.fromkeys(tiled)))


def without_defaults(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan without entries that say what would be done anyway."""
    usual = complete(program, Plan(plan.tile, plan.depth, plan.coalesce), device)
    return evolve(plan, order=() if plan.order == usual.order else plan.order)


def complete_plans(module: Operation, device: Device) -> dict[str, Any]:
    """The plans of all programs of a module at level ``plan``, in the form that ``--plan`` reads."""
    found = {}
    for program in programs(module):
        plan = plan_of(program)
        if plan is not None:
            found[program.symbol] = complete(program, plan, device).to_json()
    return found
