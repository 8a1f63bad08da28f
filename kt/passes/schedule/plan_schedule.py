"""plan-schedule: decide tile sizes and buffer depth of every program.

Before::

    func.func @local_schedule_0() attributes {grid = [6]} {
      scf.for %i = %c0 to %c7 step %c1 {
        scf.for %j = %c0 to %c16 step %c1 { ktdf.pipeline { … } } {kt.dim = 1}
      } {kt.dim = 0}

After::

    func.func @local_schedule_0() attributes {grid = [6], kt.plan = {depth = 2, tile = {"0" = 2, "1" = 16}}}

Mode ``capacity`` (default) grows tiles from the innermost dimension outwards while all buffers, in
all their copies, fit their memories; tiles are then balanced, so that the last one is no sliver, and
a program that would have fewer than four is cut further where overlapping transfers with work is worth the
latency of more of them (see ``overlap``). Mode ``upstream`` does as the C++ scheduler: it takes tiles of
two where that divides the extents, else one, leaves a lone loop whole, moves vector by vector (``coalesce =
false``) and gives buffers two copies only in a memory whose kind is written as a memory space, not as a
string. Where that one's own lowering of the plan would be wrong, a remark says why (see
``upstream_legality``). ``plan`` is the JSON text of ``{"local_schedule_0": {"tile": {"0": 4}, "depth": 2}}``;
programs that it doesn't name are planned.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kt.ir.attributes import ArrayAttr, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import PassError
from kt.passes.analysis.buffers import StagingBuffer, staging_buffers
from kt.passes.analysis.nests import (
    Nest,
    is_parallel,
    loop_dim,
    nests,
    programs,
    set_loop_dim,
    trip_count,
)
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.capacity import overflow, trips_of
from kt.passes.schedule.complete_plan import without_defaults
from kt.passes.schedule.legality import check
from kt.passes.schedule.overlap import best_tiles, estimate
from kt.passes.schedule.plan import Plan
from kt.passes.schedule.upstream_legality import upstream_violations

if TYPE_CHECKING:
    from kt.arch import Device

@register_pass
@frozen
class PlanSchedule(Pass):
    """Choose tile sizes and buffer depths from the device's capacities."""

    name = "plan-schedule"
    mode: str = "capacity"
    plan: str = ""

    def run(self, module: Operation, ctx: PassContext) -> None:
        if self.mode not in ("capacity", "upstream"):
            raise PassError(
                f"plan-schedule has no mode '{self.mode}'", hint="modes: capacity, upstream"
            )
        given = self._given(module)
        for program in programs(module):
            number_loops(program)
            name = program.attr("sym_name").value
            plan = Plan.from_json(given[name]) if name in given else self.choose(program, ctx)
            check(program, plan, ctx.device)
            plan = without_defaults(program, plan, ctx.device)
            plan.attach(program)
            ctx.remark(f"plan of {name}: {json.dumps(plan.to_json())}", program.location)
            if self.mode == "upstream":
                for why in upstream_violations(program, plan, ctx.device):
                    ctx.remark(f"not legal upstream: {why.message}", why.location, why.notes)

    def _given(self, module: Operation) -> dict[str, Any]:
        """The plans that the option gives, by program."""
        try:
            given = json.loads(self.plan) if self.plan else {}
        except (ValueError, RecursionError) as error:
            raise PassError(f"the plan is not JSON: {error}") from None
        if not isinstance(given, dict):
            raise PassError(
                "the plan is no JSON object",
                hint='it gives plans by program: {"local_schedule_0": {"depth": 1}}',
            )
        names = [program.attr("sym_name").value for program in programs(module)]
        for name in given:
            if name not in names:
                raise PassError(
                    f"the plan speaks of '{name}', but there is no program '{name}'",
                    hint=f"programs: {', '.join(names)}",
                )
        return given

    def choose(self, program: Operation, ctx: PassContext) -> Plan:
        tile: dict[int, int] = {}
        if self.mode == "capacity":
            for nest in nests(program):
                tile.update(largest_tiles(nest, ctx.device, _compute_tiles(program)))
            return Plan(tile)
        depth = 2
        for nest in nests(program):
            tile.update(_small_tiles(nest, ctx.device))
            kinds = [buffer.memory.kind_attr for buffer in staging_buffers(nest, ctx.device)]
            if any(isinstance(kind, StringAttr) for kind in kinds):
                depth = 1
        return Plan(tile, depth, coalesce=False, jam={})


def _compute_tiles(program: Operation) -> int:
    grid = program.attr("grid")
    return math.prod(n.value for n in grid.elements) if isinstance(grid, ArrayAttr) else 1


def number_loops(program: Operation) -> None:
    """Give loops of nests that come without an iteration dimension (foreign text) numbers of their own."""
    loops = [loop for nest in nests(program) for loop in nest.loops]
    taken = max((d for loop in loops if (d := loop_dim(loop)) is not None), default=-1)
    for loop in loops:
        if loop_dim(loop) is None:
            taken += 1
            set_loop_dim(loop, taken)


def _small_tiles(nest: Nest, device: Device) -> dict[int, int]:
    """Upstream's rule: two iterations where they divide the extent, else one; a lone loop isn't tiled.

    (Where all iterations of a lone loop don't fit, upstream fails; here it is tiled like the others.)
    """
    trips, buffers = trips_of(nest), staging_buffers(nest, device)
    lone = len(trips) == 1 and trip_count(nest.loops[0]) is not None
    if lone and overflow(buffers, trips, [1] * len(buffers), device) is None:
        sizes = trips
    else:
        sizes = [2 if n % 2 == 0 else 1 for n in trips]
    return {dim: size for dim, size in zip(nest.dims, sizes, strict=True) if dim is not None}


def largest_tiles(nest: Nest, device: Device, cores: int) -> dict[int, int]:
    """Tiles of the parallel loops that fill the memories, innermost dimension first.

    They are smaller where more tiles would overlap better, on ``cores`` compute tiles.
    """
    buffers = staging_buffers(nest, device)
    trips = trips_of(nest)
    sizes = [1 if is_parallel(loop) else n for loop, n in zip(nest.loops, trips, strict=True)]
    for i in reversed(range(len(sizes))):
        if not is_parallel(nest.loops[i]):
            continue
        sizes[i] = _largest(buffers, sizes, i, trips[i], device)
        if sizes[i] < trips[i]:
            break
    _cut(nest, sizes, trips, best_tiles(estimate(nest, buffers, trips, cores, device)))
    return {dim: sizes[i] for i, dim in enumerate(nest.dims) if dim is not None}


def _largest(
    buffers: list[StagingBuffer], sizes: list[int], i: int, most: int, device: Device
) -> int:
    """The largest balanced size of tile ``i`` with which everything fits (at least 1)."""
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        trial = [*sizes[:i], middle, *sizes[i + 1 :]]
        if overflow(buffers, trial, [2] * len(buffers), device) is None:
            low = middle
        else:
            high = middle - 1
    return math.ceil(most / math.ceil(most / low))


def _cut(nest: Nest, sizes: list[int], trips: list[int], wanted: int) -> None:
    """Cut the outermost tile that can be cut, when there would be fewer than ``wanted`` tiles."""
    tiles = math.prod(math.ceil(n / s) for n, s in zip(trips, sizes, strict=True))
    pieces = math.ceil(wanted / tiles)
    for i, loop in enumerate(nest.loops):
        if pieces > 1 and is_parallel(loop) and sizes[i] >= pieces:
            sizes[i] = math.ceil(sizes[i] / pieces)
            return
