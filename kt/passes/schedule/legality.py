"""What a plan must not do, found without building anything: for plan-schedule and for searches.

A search that drives the compiler from outside lowers a kernel to level ``plan`` once and asks for every
candidate::

    for program in programs(module):
        if not violations(program, Plan({0: 4, 1: 8}), device): …
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kt.ir.core import Operation
from kt.ir.diagnostics import Note
from kt.ir.dialects import ktdf
from kt.passes.analysis.buffers import staging_buffers
from kt.passes.analysis.nests import Nest, loop_dim, nests, trip_count
from kt.passes.schedule.accumulators import accumulator_violations
from kt.passes.schedule.capacity import (
    copies_of,
    footprint,
    loops_around,
    room,
    sizes_of,
    sunk_loops,
    tile_sizes,
    tiled_loops,
)
from kt.passes.schedule.plan import Plan
from kt.passes.schedule.stage_coarsening import stage_groups
from kt.passes.schedule.violation import Violation

if TYPE_CHECKING:
    from kt.arch import Device, Kind


def violations(program: Operation, plan: Plan, device: Device) -> list[Violation]:
    """All reasons why a program can't have a plan; empty if it can.

    The program is what plan-schedule sees: numbered loops around pipelines, before tiling.
    """
    around = nests(program)
    found = [
        *_strange_dims(program, plan, around),
        *_uncut(program, plan, around),
        *_order(program, plan, around),
        *_sunk(program, plan, around),
        *_strange_operands(program, plan, around, device),
        *_instances(program, plan, around, device),
        *accumulator_violations(_name(program), plan, around, device),
    ]
    if found:
        return found
    for nest in around:
        found += slot_violations(nest, device)
    return [*found, *_capacity(around, plan, device)]


def check(program: Operation, plan: Plan, device: Device) -> None:
    """PassError with all violations, if there are any."""
    found = violations(program, plan, device)
    if found:
        first, *rest = [v.error() for v in found]
        first.diagnostics += [d for error in rest for d in error.diagnostics]
        raise first


def _name(program: Operation) -> str:
    return program.attr("sym_name").value


def _strange_dims(program: Operation, plan: Plan, around: Sequence[Nest]) -> list[Violation]:
    """Entries for dimensions that the program doesn't have."""
    dims = sorted({d for nest in around for d in nest.dims if d is not None})
    known = ", ".join(map(str, dims)) or "none"
    return [
        Violation(
            "dimension",
            f"the plan gives a {what} for dimension {dim} of '{_name(program)}'",
            program.location,
            hint=f"its dimensions are: {known}; `kt compile --emit plan` writes a plan to begin with",
        )
        for what, entries in (
            ("tile size", plan.tile),
            ("place in the order", plan.order),
            ("number of instances", plan.instances or ()),
            ("number of iterations together", plan.jam or ()),
        )
        for dim in entries
        if dim not in dims
    ]


def _uncut(program: Operation, plan: Plan, around: Sequence[Nest]) -> Iterator[Violation]:
    """Tiles of loops that aren't tiled, since their iterations depend on each other."""
    for nest in around:
        for i in range(tiled_loops(nest), len(nest.loops)):
            dim = nest.dims[i]
            size = plan.tile.get(dim) if dim is not None else None
            trips = trip_count(nest.loops[i])
            if size is not None and trips is not None and size < trips:
                yield Violation(
                    "tile",
                    f"the plan cuts dimension {dim} of '{_name(program)}' into tiles of {size}, but its "
                    f"{trips} iterations depend on each other",
                    nest.loops[i].location,
                    hint="leave that tile out",
                )


def _order(program: Operation, plan: Plan, around: Sequence[Nest]) -> Iterator[Violation]:
    """Orders that leave out a loop, or move one whose iterations depend on each other."""
    for nest in around if plan.order else ():
        count = tiled_loops(nest)
        dims = [d for d in nest.dims[:count] if d is not None]
        known = ", ".join(map(str, dims)) or "none"
        for loop in nest.loops[count:]:
            if loop_dim(loop) in plan.order:
                yield Violation(
                    "order",
                    f"the plan orders dimension {loop_dim(loop)} of '{_name(program)}', whose iterations "
                    "depend on each other",
                    loop.location,
                    hint=f"these can be ordered: {known}",
                )
        missing = [d for d in dims if d not in plan.order]
        if missing:
            yield Violation(
                "order",
                f"the plan's order of '{_name(program)}' leaves out dimension {missing[0]}",
                nest.root.location,
                hint=f"list all of {known}, the outermost first",
            )


def _sunk(program: Operation, plan: Plan, around: Sequence[Nest]) -> Iterator[Violation]:
    """More loops than there are; and rests of tiles over whose points the pipeline would be repeated.

    Copies of a buffer are used in turn by the number of the iteration, which is only known where all
    tiles are alike.
    """
    most = max(map(tiled_loops, around), default=0)
    if plan.sunk is not None and plan.sunk > most:
        yield Violation(
            "sunk",
            f"the plan sinks {plan.sunk} loops of '{_name(program)}', which has {most} to sink",
            program.location,
            hint=f"0 to {most}",
        )
    for nest in around:
        for i, size in enumerate(tile_sizes(nest, plan)[: sunk_loops(nest, plan).start]):
            trips = trip_count(nest.loops[i])
            if size > 1 and (trips is None or trips % size):
                total = "the iterations, which are not known" if trips is None else f"{trips} iterations"
                yield Violation(
                    "sunk",
                    f"the tile of {size} iterations for dimension {nest.dims[i]} of '{_name(program)}' isn't "
                    f"sunk, so that it has to divide {total}",
                    nest.loops[i].location,
                    hint="a tile of 1 for loops that aren't sunk, or more sunk loops",
                )


def _strange_operands(
    program: Operation, plan: Plan, around: Sequence[Nest], device: Device
) -> Iterator[Violation]:
    """Entries for operands that have no buffer, or none that a load fills."""
    staged: dict[int, bool] = {}
    for nest in around if plan.reuse or plan.depths else ():
        for buffer in staging_buffers(nest, device):
            if buffer.operand is not None:
                staged[buffer.operand] = buffer.loaded or staged.get(buffer.operand, False)
    loads = sorted(operand for operand, loaded in staged.items() if loaded)
    for what, entries, known, why in (
        ("reuse", plan.reuse, loads, "isn't loaded into a buffer"),
        ("depth", plan.depths, sorted(staged), "has no buffer"),
    ):
        for operand in entries:
            if operand not in known:
                yield Violation(
                    "operand",
                    f"the plan gives a {what} for operand {operand} of '{_name(program)}', which {why}",
                    program.location,
                    hint=f"operands of which that can be said: {', '.join(map(str, known)) or 'none'}",
                )


def _instances(
    program: Operation, plan: Plan, around: Sequence[Nest], device: Device
) -> Iterator[Violation]:
    """Loops that aren't there to be spread, and instances that aren't there.

    Whether the instances would meet in a memory is found when the loop is spread.
    """
    for nest in around if plan.instances else ():
        mine = {d: n for d, n in (plan.instances or {}).items() if d in nest.dims}
        units, most = max(spreadable(nest, device), key=lambda pair: pair[1], default=([], 1))
        if len(mine) > 1:
            yield Violation(
                "instances",
                f"the plan spreads {len(mine)} dimensions of '{_name(program)}' at once",
                nest.root.location,
                hint="spread one of them",
            )
        for d, n in mine.items():
            i = nest.dims.index(d)
            if n > most:
                unit = device.unit(units[0]) if units else device
                there = f"a core of @{device.name} has {most} of {', '.join(units)}"
                why = there if units else "no units work together on the points of a tile"
                yield Violation(
                    "instances",
                    f"the plan spreads dimension {d} of '{_name(program)}' over {n} instances, but {why}",
                    nest.loops[i].location,
                    notes=(Note(f"{units[0] if units else 'the device'} is here", unit.location),),
                    hint=f"up to {most}" if most > 1 else 'leave out "instances"',
                )
            elif i not in sunk_loops(nest, plan) or tile_sizes(nest, plan)[i] < 2:
                why = "isn't sunk" if i not in sunk_loops(nest, plan) else "has tiles of one iteration"
                yield Violation(
                    "instances",
                    f"the plan spreads dimension {d} of '{_name(program)}' over {n} instances, but it {why}",
                    nest.loops[i].location,
                    hint="a larger tile, or another dimension",
                )


def spreadable(nest: Nest, device: Device) -> list[tuple[list[str], int]]:
    """Units that work together on the points of a tile, with the number of instances that a core has."""
    groups = [
        list(dict.fromkeys(unit for stage in group for unit in stage.unit_names))
        for group in stage_groups(nest.pipeline, device)
        if len(group) > 1
    ]
    return [(units, device.num_slices(units)) for units in groups if units]


def _capacity(around: Sequence[Nest], plan: Plan, device: Device) -> Iterator[Violation]:
    """Memories that the buffers of a program don't fit: those of all its pipelines are alive together."""
    needed: dict[Kind, int] = {}
    left: dict[Kind, float] = {}
    for nest in around:
        buffers = staging_buffers(nest, device)
        loops = loops_around(nest, plan)
        copies = [copies_of(buffer, loops, plan) for buffer in buffers]
        for kind, size in footprint(buffers, sizes_of(nest, plan), copies, device).items():
            needed[kind] = needed.get(kind, 0) + size
            left[kind] = room(buffers, kind, device)
    tiles = {d: n for nest in around for d, n in zip(nest.dims, tile_sizes(nest, plan), strict=True)}
    for kind, size in needed.items():
        if size > left[kind]:
            memory = device.memory(kind)
            yield Violation(
                "capacity",
                f"the buffers of this program need {size} bytes of {kind}, which has {left[kind]} bytes left",
                around[0].pipeline.location,
                notes=(Note(f"{kind} has {memory.size} bytes", memory.location),),
                hint=f"use smaller tiles in the kernel or a smaller plan (tiles now: {tiles})",
                memory=str(kind),
            )


def slot_violations(nest: Nest, device: Device) -> list[Violation]:
    """FIFO slots of a pipeline that their queues can't hold."""
    found: dict[ktdf.FifoSlotType, Violation] = {}
    private = nest.pipeline.private
    for resource in private.results if private is not None else ():
        slot = resource.type
        if not isinstance(slot, ktdf.FifoSlotType) or slot in found:
            continue
        size = slot.count * slot.element_type.itemsize  # type: ignore[attr-defined]
        for link in device.route(slot.source, slot.destination).links:
            if link.queue is not None and link.queue.size is not None and link.queue.size < size:
                found[slot] = Violation(
                    "fifo",
                    f"a slot from {slot.source} to {slot.destination} has {size} bytes, but the queue "
                    f"on the way holds {link.queue.size}",
                    nest.pipeline.location,
                    notes=(Note(f"the queue holds {link.queue.size} bytes", link.location),),
                    hint="narrower vectors: fewer lanes in the device file, or a larger queue",
                )
    return list(found.values())
