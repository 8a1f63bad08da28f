"""Loops, conditions and signals of a schedule as one unit goes through them."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, dataflow, ktdf, ktdf_lowering, scf
from kt.passes.analysis.index_maps import constant_index
from kt.passes.backend.dfir_unit import UnitProgram, lowers
from kt.passes.backend.engines import handle_type, handle_units


@lowers(scf.IfOp)
def branch(unit: UnitProgram, op: scf.IfOp, builder: Builder) -> None:
    """The same condition around what the unit does in each branch."""
    made = builder.insert(
        scf.IfOp.of(unit.value(op.condition), with_else=op.has_else, location=op.location)
    )
    for new, old in zip(made.regions, op.regions, strict=True):
        if old.blocks:
            unit.nested(builder, new.block, old.block)


@lowers(ktdf_lowering.ExecuteOnOp)
def execute_on(unit: UnitProgram, op: ktdf_lowering.ExecuteOnOp, builder: Builder) -> None:
    """The body, if the unit is one of those that run it."""
    if any(unit.kind == unit.device.kind_of_tag(handle_type(h)) for h in op.units):
        unit.lower(op.body.ops, builder)


@lowers(ktdf_lowering.SignalOp)
def signal(unit: UnitProgram, op: ktdf_lowering.SignalOp, builder: Builder) -> None:
    """A message to every other kind that takes part, then one from each."""
    mine = unit.device.tag(unit.kind)
    handles = [(handle_type(h), handle_units(h)) for h in op.units]
    if not any(tag == mine for tag, _ in handles):
        return
    peers: list[Value] = []
    for tag in dict.fromkeys(tag for tag, _ in handles if tag != mine):
        groups = [units for other, units in handles if other == tag]
        matched = len(groups) > 1 and len(set(unit.corelets)) > 1
        for instance, units in enumerate(groups):
            if matched and instance:
                break
            picked = [
                (groups[corelet] if matched else units)[core]
                for core, corelet in zip(unit.cores, unit.corelets, strict=True)
            ]
            peers.append(unit.lookup(picked))
    wait = IntegerAttr(1, t.i1)
    for peer in peers:
        builder.create(dataflow.SyncSendOp, peer, wait=wait, location=op.location)
    for peer in peers:
        builder.create(dataflow.SyncRecvOp, peer, location=op.location)


@lowers(ktdf.ParallelOp)
def parallel(unit: UnitProgram, op: ktdf.ParallelOp, builder: Builder) -> None:
    """Each instance runs its contiguous chunk of a one-dimensional range."""
    bounds = [constant_index(v) for v in op.operands]
    if len(bounds) != 3 or bounds[0] != 0 or bounds[2] != 1:
        raise PassError("ktdf.parallel can be lowered for one variable from 0 by 1", op.location)
    total, count = bounds[1], op.num_instances.value
    if total is None:
        lower, upper = _chunk(unit, unit.value(op.upper_bounds[0]), count, builder)
    else:
        chunk = -(-total // count)
        starts = [min(total, i * chunk) for i in unit.corelets]
        ends = [min(total, s + chunk) for s in starts]
        lower, upper = (unit.per_unit(numbers) for numbers in (starts, ends))
    loop = builder.insert(scf.ForOp.of(lower, upper, unit.constants(1), location=op.location))
    unit.env[op.induction_variables[0]] = loop.induction_variable
    unit.env[op.instance_id] = unit.per_unit(unit.corelets)
    unit.nested(builder, loop.body, op.body)


def _chunk(unit: UnitProgram, total: Value, count: int, builder: Builder) -> tuple[Value, Value]:
    """First and end of an instance's chunk of a number of iterations that isn't known before."""
    chunk = builder.create(arith.CeilDivSIOp, total, unit.constants(count)).result
    ends = []
    for number in (unit.corelets, [i + 1 for i in unit.corelets]):
        end = builder.create(arith.MulIOp, unit.per_unit(number), chunk).result
        ends.append(builder.create(arith.MinSIOp, end, total).result)
    return ends[0], ends[1]
