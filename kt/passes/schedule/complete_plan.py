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

OPTIONAL = ("order", "sunk")
"""Entries that have a default of their own."""


def complete(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan of a program at level ``plan``, with the defaults of all entries written out."""
    tiled = [nest.dims[: tiled_loops(nest)] for nest in nests(program)]
    order = tuple(dict.fromkeys(d for dims in tiled for d in dims if d is not None))
    return evolve(
        plan,
        order=plan.order or order,
        sunk=max(map(len, tiled), default=0) if plan.sunk is None else plan.sunk,
    )


def without_defaults(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan without entries that say what would be done anyway."""
    bare = Plan(plan.tile, plan.depth, plan.coalesce)
    usual = complete(program, bare, device)
    same = [name for name in OPTIONAL if getattr(plan, name) == getattr(usual, name)]
    return evolve(plan, **{name: getattr(bare, name) for name in same})


def complete_plans(module: Operation, device: Device) -> dict[str, Any]:
    """The plans of all programs of a module at level ``plan``, in the form that ``--plan`` reads."""
    found = {}
    for program in programs(module):
        plan = plan_of(program)
        if plan is not None:
            found[program.symbol] = complete(program, plan, device).to_json()
    return found
