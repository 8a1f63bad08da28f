"""How many tiles a program should have, so that loading, working and storing overlap.

With two copies of each buffer, three stages work on three tiles at a time. A program of ``n`` tiles
takes the time of one tile through all stages and ``n - 1`` times that of the slowest stage::

    t(load) + t(work) + t(store) + (n - 1) · max(t(load), t(work), t(store))

where a stage takes ``wait + busy / n`` cycles for a tile: the latency of its way through memory, which
each tile pays, and its share of what the stage does for the whole program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define, frozen

from kt.ir.dialects import linalg, scf
from kt.passes.analysis.buffers import StagingBuffer, transfers
from kt.passes.analysis.costs import compute_cycles, shared_cycles
from kt.passes.analysis.nests import Nest, trip_count

if TYPE_CHECKING:
    from kt.arch import Device, Route

MOST = 4
"""Tiles that are enough: the first and the last are no more than half of the program then."""


@frozen
class Stage:
    """Cycles of one stage: ``wait`` for each tile, ``busy`` for all tiles together."""

    wait: float
    busy: float

    def per_tile(self, tiles: int) -> float:
        return self.wait + self.busy / tiles


def cycles(stages: Sequence[Stage], tiles: int) -> float:
    """Cycles of a program that is cut into so many tiles."""
    times = [stage.per_tile(tiles) for stage in stages]
    return sum(times) + (tiles - 1) * max(times)


def best_tiles(stages: Sequence[Stage]) -> int:
    """The number of tiles, up to MOST, with the fewest cycles; the smallest of equals."""
    return min(range(1, MOST + 1), key=lambda tiles: cycles(stages, tiles))


def estimate(
    nest: Nest, buffers: Sequence[StagingBuffer], trips: Sequence[int], cores: int, device: Device
) -> tuple[Stage, Stage, Stage]:
    """Load, work and store of a nest on ``cores`` compute tiles that share the memory."""
    shared = device.global_memory.kind
    load, store = _Traffic(), _Traffic()
    for buffer in buffers:
        size = buffer.bytes * math.prod(trips[d] for d in buffer.dims)
        for op in transfers(nest.pipeline):
            if op.destination is buffer.resource and _is_global(op.source, device):
                load.add(size, device.route(shared, buffer.memory.kind))
            elif op.source is buffer.resource and _is_global(op.destination, device):
                store.add(size, device.route(buffer.memory.kind, shared))
    generics = [op for op in nest.pipeline.walk() if isinstance(op, linalg.GenericOp)]
    work = math.prod(trips) * sum(_repeats(g, nest) * compute_cycles(g, device) for g in generics)
    return load.stage(cores, device), Stage(0, work), store.stage(cores, device)


@define
class _Traffic:
    """What one stage moves from or to the shared memory, for one compute tile."""

    bytes: int = 0
    cycles: float = 0
    latency: int = 0

    def add(self, size: int, route: Route) -> None:
        self.bytes += size
        self.cycles += size / (route.bandwidth or math.inf)
        self.latency = max(self.latency, route.latency)

    def stage(self, cores: int, device: Device) -> Stage:
        return Stage(self.latency, max(self.cycles, shared_cycles(self.bytes, cores, device)))


def _repeats(generic: linalg.GenericOp, nest: Nest) -> int:
    """How often a computation runs in one iteration of the nest: chunks of a reduction are loops inside."""
    loops = [op for op in generic.ancestors() if isinstance(op, scf.ForOp)]
    return math.prod(trip_count(loop) or 1 for loop in loops if nest.pipeline.is_ancestor_of(loop))


def _is_global(value: object, device: Device) -> bool:
    space = getattr(getattr(value, "type", None), "memory_space", None)
    return space is not None and device.is_global(space)
