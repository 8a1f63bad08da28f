"""Plans with everything said, as a search wants them, and without what goes without saying."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve

from kt.ir.core import Operation
from kt.ir.diagnostics import KtError
from kt.passes.analysis.buffers import staging_buffers
from kt.passes.analysis.nests import nests, programs
from kt.passes.frontend.reduction_dim_chunking import (
    planned_chunks,
    read_chunks,
    stored_reductions,
)
from kt.passes.pipelines import REDUCTIONS, build_nest, pipeline
from kt.passes.schedule.accumulators import accumulator_of
from kt.passes.schedule.capacity import loops_around, reuse_of, tiled_loops
from kt.passes.schedule.plan import Plan, plan_of

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.passes.compiler import Compilation
    from kt.passes.instruments import Instrument


def complete(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan of a program at level ``plan``, with the defaults of all entries written out."""
    around = nests(program)
    tiled = [nest.dims[: tiled_loops(nest)] for nest in around]
    order = tuple(dict.fromkeys(d for dims in tiled for d in dims if d is not None))
    reuse: dict[int, int] = {}
    for nest in around:
        loops = loops_around(nest, plan)
        for buffer in staging_buffers(nest, device):
            most = reuse_of(buffer, loops)
            if most is not None and buffer.operand is not None:
                reuse[buffer.operand] = max(most, reuse.get(buffer.operand, 0))
    return evolve(
        plan,
        order=plan.order or order,
        sunk=max(map(len, tiled), default=0) if plan.sunk is None else plan.sunk,
        reuse={operand: min(n, plan.reuse.get(operand, n)) for operand, n in sorted(reuse.items())},
        accumulator=accumulator_of(around, device),
    )


def without_defaults(program: Operation, plan: Plan, device: Device) -> Plan:
    """The plan without entries that say what would be done anyway."""
    if plan == Plan(plan.tile, plan.depth, plan.coalesce):
        return plan
    usual = complete(program, evolve(plan, reuse={}), device)
    bare = complete(program, Plan(plan.tile, plan.depth, plan.coalesce), device)
    return evolve(
        plan,
        order=() if plan.order == bare.order else plan.order,
        sunk=None if plan.sunk == bare.sunk else plan.sunk,
        reuse={operand: n for operand, n in plan.reuse.items() if n < usual.reuse[operand]},
        depths={operand: n for operand, n in plan.depths.items() if n != plan.depth},
        accumulator={},
    )


def complete_plans(module: Operation, device: Device) -> dict[str, Any]:
    """The plans of all programs of a module at level ``plan``, in the form that ``--plan`` reads.

    What is left to later passes (``instances``, ``jam``) is missing where the plan doesn't say it: see emitted_plans.
    """
    found = {}
    for program in programs(module):
        plan = plan_of(program)
        if plan is not None:
            found[program.symbol] = complete(program, plan, device).to_json()
    return found


def emitted_plans(
    compilation: Compilation, instruments: Sequence[Instrument] = ()
) -> dict[str, Any]:
    """All that is decided for a kernel and its programs, in the form that ``--plan`` reads.

    Lowers the kernel to level ``schedule``; if that is refused, to level ``plan``.
    """
    options, device = compilation.options, compilation.device
    passes = pipeline("plan", options.mode, options.plan)
    cut = next(i for i, item in enumerate(passes) if str(item).startswith("reduction-dim-chunking"))
    module = compilation.lower("plan", instruments, passes[:cut])
    given = read_chunks(json.dumps((options.plan or {}).get(REDUCTIONS, {})))
    chunks = {
        str(number): {"chunk": {str(d): n for d, n in sizes.items()}}
        for number, op in enumerate(stored_reductions(module))
        if (sizes := given.get(number, planned_chunks(op, device)))
    }
    module = compilation.lower("plan", instruments, passes[cut:])
    plans = complete_plans(module, device)
    if chunks:
        plans = {REDUCTIONS: chunks, **plans}
    try:
        module = compilation.lower("schedule", instruments, build_nest())
    except KtError:
        return plans
    for program in programs(module):
        plan = plan_of(program)
        written = plan.to_json() if plan is not None else {}
        late = {name: written[name] for name in ("instances", "jam") if name in written}
        plans[program.symbol].update(late)
    return plans
