"""What tiles need: bytes of a nest's buffers in each memory, against the bytes that are there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kt.passes.analysis.buffers import StagingBuffer
from kt.passes.analysis.nests import Nest, is_parallel, trip_count
from kt.passes.analysis.placed import reserved_bytes
from kt.passes.schedule.plan import Plan

if TYPE_CHECKING:
    from kt.arch import Device, Kind

UNKNOWN_TRIPS = 64
"""Iterations assumed for a loop whose trip count is known only at launch."""


def trips_of(nest: Nest) -> list[int]:
    """Iterations of every loop of a nest."""
    return [UNKNOWN_TRIPS if (n := trip_count(loop)) is None else max(n, 1) for loop in nest.loops]


def tiled_loops(nest: Nest) -> int:
    """How many loops of a nest are cut into tiles: the outermost ones, and all of those are parallel."""
    count = len(nest.loops)
    while count and not is_parallel(nest.loops[count - 1]):
        count -= 1
    return count if all(map(is_parallel, nest.loops[:count])) else 0


def sunk_loops(nest: Nest, plan: Plan) -> range:
    """Positions of the loops whose points run inside the pipeline's stages."""
    tiled = tiled_loops(nest)
    return range(max(0, tiled - (tiled if plan.sunk is None else plan.sunk)), tiled)


def tile_sizes(nest: Nest, plan: Plan) -> list[int]:
    """Iterations per tile of every loop of a nest, as tile-size-selection will make them."""
    tiled = tiled_loops(nest)
    return [
        n if i >= tiled else min(n, plan.tile.get(d, 1) if d is not None else 1)
        for i, (d, n) in enumerate(zip(nest.dims, trips_of(nest), strict=True))
    ]


def sizes_of(nest: Nest, plan: Plan) -> list[int]:
    """Iterations of every loop of a nest in one execution of its pipeline."""
    sunk, tiled = sunk_loops(nest, plan), tiled_loops(nest)
    return [n if i in sunk or i >= tiled else 1 for i, n in enumerate(tile_sizes(nest, plan))]


def loops_around(nest: Nest, plan: Plan) -> list[int]:
    """The loops that will stand around the pipeline and repeat it, outermost first, as positions.

    First those over tiles, in the plan's order, then those over points that aren't sunk, then what isn't
    tiled at all; loops of one iteration vanish.
    """
    trips, sizes = trips_of(nest), tile_sizes(nest, plan)
    tiled, sunk = tiled_loops(nest), sunk_loops(nest, plan)
    place = {dim: i for i, dim in enumerate(plan.order)}
    tiles = sorted(range(tiled), key=lambda i: place.get(nest.dims[i], -1))  # type: ignore[arg-type]
    return [
        *(i for i in tiles if sizes[i] < trips[i] or trip_count(nest.loops[i]) is None),
        *(i for i in range(sunk.start) if sizes[i] > 1),
        *(i for i in range(tiled, len(trips)) if trips[i] > 1),
    ]


def reuse_of(buffer: StagingBuffer, around: Sequence[int]) -> int | None:
    """Past how many of the innermost loops around the pipeline a load can be hoisted; None if it is no load."""
    if not buffer.loaded:
        return None
    varying = [n for n, i in enumerate(around) if i in buffer.dims]
    return len(around) - 1 - varying[-1] if varying else len(around)


def copies_of(buffer: StagingBuffer, around: Sequence[int], plan: Plan) -> int:
    """How many copies of a buffer there will be, with these loops around the pipeline."""
    held = reuse_of(buffer, around) or 0
    if buffer.operand is not None:
        held = min(held, plan.reuse.get(buffer.operand, held))
    return 1 if held == len(around) else plan.copies(buffer.operand)


def footprint(
    buffers: Sequence[StagingBuffer], sizes: Sequence[int], copies: Sequence[int], device: Device
) -> dict[Kind, int]:
    """Bytes per memory kind that the buffers of one nest take with these tile sizes."""
    used: dict[Kind, int] = {}
    for buffer, count in zip(buffers, copies, strict=True):
        size = buffer.bytes * math.prod(sizes[d] for d in buffer.dims)
        align = device.alignment(buffer.memory.kind)
        kind = buffer.memory.kind
        used[kind] = used.get(kind, 0) + count * math.ceil(size / align) * align
    return used


def overflow(
    buffers: Sequence[StagingBuffer], sizes: Sequence[int], copies: Sequence[int], device: Device
) -> tuple[Kind, int, int] | None:
    """The first memory that is too small: kind, bytes needed, bytes there."""
    for kind, needed in footprint(buffers, sizes, copies, device).items():
        there = room(buffers, kind, device)
        if needed > there:
            return kind, needed, int(there)
    return None


def room(buffers: Sequence[StagingBuffer], kind: Kind, device: Device) -> float:
    """Bytes of a memory that the kernel's own views, at its start, leave to these buffers."""
    size = device.part(kind).size
    if size is None:
        return math.inf
    first = next(b for b in buffers if b.memory.kind == kind)
    return size - reserved_bytes(first.resource.op, first.memory)
