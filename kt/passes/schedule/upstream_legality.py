"""Whether the public C++ scheduler's own lowering of a plan would be legal, and if not, why.

kt lowers every plan of mode ``upstream`` correctly (it adds the signal that frees a buffer, tells
instances what is left of a tile, …). The numbers of such a run say nothing about upstream where
upstream itself would produce a program that races or doesn't fit. Its rules:

- one rendezvous per iteration, and none that frees a buffer: a buffer that one unit fills and another
  one empties needs two copies as soon as there is a second iteration. It gets two only if the plan has
  depth 2, its memory's kind is written as a memory space and not as a string, and the load isn't
  hoisted out of inner loops (hoisted buffers have one copy);
- a slot of a FIFO has to fit the queue;
- all buffers have to fit their memory, those of a lone loop with all its iterations: it is never tiled;
- the outermost loop over the points of a tile is spread over sibling units without asking whether their
  number divides the tile.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kt.ir.attributes import StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import Note
from kt.passes.analysis.buffers import StagingBuffer, staging_buffers, transfers
from kt.passes.analysis.nests import Nest, nests, trip_count
from kt.passes.schedule.capacity import overflow, sizes_of, tiled_loops, trips_of
from kt.passes.schedule.legality import slot_violations, spreadable
from kt.passes.schedule.plan import Plan
from kt.passes.schedule.violation import Violation

if TYPE_CHECKING:
    from kt.arch import Device


def upstream_violations(program: Operation, plan: Plan, device: Device) -> list[Violation]:
    """Why upstream's lowering of a planned program would be wrong; empty if it would be right.

    The program is what plan-schedule sees: loops around pipelines, before tiling.
    """
    return [found for nest in nests(program) for found in _of_nest(nest, plan, device)]


def _of_nest(nest: Nest, plan: Plan, device: Device) -> list[Violation]:
    trips = trips_of(nest)
    sizes = trips if len(nest.loops) == 1 else sizes_of(nest, plan)
    buffers = staging_buffers(nest, device)
    found = [_race(nest, b, trips, sizes, plan) for b in buffers]
    # One sentence per memory: what is true of one buffer in it is usually true of all.
    races = list({v.memory: v for v in reversed(found) if v is not None}.values())[::-1]
    copies = [1 if sizes == trips else _copies(b, plan) for b in buffers]
    return [
        *races,
        *_capacity(nest, buffers, sizes, copies, device),
        *slot_violations(nest, device),
        *_instances(nest, trips, sizes, device),
    ]


def _copies(buffer: StagingBuffer, plan: Plan) -> int:
    return 1 if isinstance(buffer.memory.kind_attr, StringAttr) else plan.copies(buffer.operand)


def _race(
    nest: Nest, buffer: StagingBuffer, trips: list[int], sizes: list[int], plan: Plan
) -> Violation | None:
    """A single copy that is filled again while the unit behind it may still read it."""
    writers = _units(nest, buffer, writes=True)
    readers = _units(nest, buffer, writes=False)
    if not readers or not writers or writers == readers:
        return None
    tiles = [math.ceil(n / s) for n, s in zip(trips, sizes, strict=True)]
    inner = _hoisted(buffer, tiles)
    fills = math.prod(tiles[: len(tiles) - inner])
    if fills < 2 or (_copies(buffer, plan) == 2 and not inner):
        return None
    memory = buffer.memory
    why = (
        "its load is hoisted out of the inner loops" if inner
        else f"the kind of {memory.kind} is a string" if isinstance(memory.kind_attr, StringAttr)
        else "the plan says so"
    )  # fmt: skip
    return Violation(
        "race",
        f"{', '.join(writers)} fills a buffer in {memory.kind} {fills} times while {', '.join(readers)} may "
        f"still read it: there is one copy, since {why}, and no signal that it is free",
        nest.pipeline.location,
        notes=(Note(f"{memory.kind} is here", memory.location),),
        hint="kt adds the signal that frees the buffer",
        memory=str(memory.kind),
    )


def _units(nest: Nest, buffer: StagingBuffer, writes: bool) -> list[str]:
    """Units of the stages that fill (empty) a buffer."""
    return list(
        dict.fromkeys(
            unit
            for stage in nest.pipeline.stages
            if any((m.destination if writes else m.source) is buffer.resource for m in transfers(stage))
            for unit in stage.unit_names
        )
    )


def _hoisted(buffer: StagingBuffer, tiles: list[int]) -> int:
    """Out of how many innermost loops upstream moves the load of a buffer."""
    if not buffer.loaded:
        return 0
    inner = 0
    while inner < len(tiles) and len(tiles) - 1 - inner not in buffer.dims:
        inner += 1
    return inner


def _capacity(
    nest: Nest, buffers: list[StagingBuffer], sizes: list[int], copies: list[int], device: Device
) -> list[Violation]:
    found = overflow(buffers, sizes, copies, device)
    if found is None:
        return []
    kind, needed, there = found
    lone = " (a lone loop is not tiled)" if len(nest.loops) == 1 else ""
    memory = device.memory(kind)
    return [
        Violation(
            "capacity",
            f"its buffers need {needed} bytes of {kind}, which has {there} left{lone}",
            nest.pipeline.location,
            notes=(Note(f"{kind} has {memory.size} bytes", memory.location),),
            hint="kt tiles the loop" if lone else "take smaller tiles",
            memory=str(kind),
        )
    ]


def _instances(
    nest: Nest, trips: list[int], sizes: list[int], device: Device
) -> list[Violation]:
    """Tiles that the instances of the compute stages don't divide."""
    if not tiled_loops(nest):
        return []
    found = []
    for units, count in spreadable(nest, device):
        if count < 2 or (len(nest.loops) == 1 and trips[0] < count):
            continue
        rest = (trip_count(nest.loops[0]) or 0) % sizes[0]
        odd = next((n for n in (sizes[0], rest) if n % count), None)
        if odd is not None:
            found.append(
                Violation(
                    "instances",
                    f"the {count} instances of {', '.join(units)} don't divide the tile of {odd} "
                    f"iteration{'s' * (odd != 1)} of dimension {nest.dims[0]}",
                    nest.loops[0].location,
                    notes=(Note(f"{units[0]} is here", device.unit(units[0]).location),),
                    hint="kt gives the last instance what is left",
                )
            )
    return found
