"""pull-partitions: what tiles read of each other's scratchpads comes over the links between cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet
from kt.ir.attributes import AffineMapAttr, AffineSetAttr, DenseArrayAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import func, kt, ktdp
from kt.ir.dialects.ktdp_types import NO_TILE, MemorySpaceAttr
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.evaluate import evaluate
from kt.passes.analysis.links import Pull, memory_cycles, pull_of, pulls_cycles
from kt.passes.analysis.target import device_of
from kt.passes.frontend.mirror_partitions import alike, is_remote
from kt.passes.frontend.place_buffers import room_for_buffers
from kt.passes.frontend.rules.buffers import new_buffer
from kt.passes.frontend.rules.shared_memory import box_tile, number_per_tile
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.bind_buffers import tile_number

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class PullPartitions(Pass):
    """Load from the scratchpads of other tiles themselves, where that is known and linked.

    Which tile a window lies in must follow from the number of the tile that loads it. A window that
    crosses from one partition to the next is cut into runs, as few as do for all tiles; they are
    brought together in a buffer of the tile's own::

        %v = ktdp.construct_distributed_memory_view(%p0, %p1)       %far = kt.peer_view %own peers [1, 0]
        %x = ktdp.load %v[%row, %col]                          →    %part = ktdp.load %far[%r0, 0]
                                                                    ktdp.store %part, %b[0, 0]
                                                                    … (next run)
                                                                    %x = ktdp.load %b[0, 0]

    A window of one run is loaded where it lies. The same holds for views with ``ct_id``. Nobody has
    to store anything for it, so it needs no barrier: the kernel orders what it reads of others itself.
    Other loads stay for mirror-partitions: those that a loop, a number known at launch or
    look-ups steer, of partitions that don't all lie at one address, without links, and those that
    device memory serves sooner by the facts of the device.
    """

    name = "pull-partitions"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            for load in list(function.walk_type(ktdp.LoadOp)):
                tile = load.access_tile.defining_op
                base = tile.base.defining_op if isinstance(tile, ktdp.TileSpaceOp) else None  # type: ignore[attr-defined]
                if base is None or not is_remote(base) or not _in_scratchpads(base):
                    continue
                device = device_of(module, ctx)
                found = _read(load, base, function, device, module)
                if isinstance(found, str):
                    ctx.remark(f"read through device memory, not over links: {found}", load.location)
                    continue
                runs = len(found.runs)
                found.build()
                ctx.stat("runs", runs)
                ctx.remark(
                    f"read over the links between cores, in {runs} run{'s' * (runs != 1)}",
                    load.location,
                )


def _in_scratchpads(base: Operation) -> bool:
    """Whether some part of a view lies in the scratchpad of one tile."""
    parts = [base] if isinstance(base, ktdp.ConstructMemoryViewOp) else [v.defining_op for v in base.operands]
    return any(isinstance(p, ktdp.ConstructMemoryViewOp) and p.memory_space.tile is not None for p in parts)


@frozen(eq=False)
class Run:
    """Rows ``begin`` to ``end`` of a window: per tile, whose they are, and where they begin there."""

    begin: int
    end: int
    peers: tuple[int, ...]
    rows: tuple[int, ...]
    pull: Pull


@define(eq=False)
class _Window:
    """A load whose window is known for every tile."""

    load: ktdp.LoadOp
    tile: ktdp.ConstructAccessTileOp
    function: func.FuncOp
    first: ktdp.ConstructMemoryViewOp
    """A partition; the others lie at the same place of other tiles."""
    origin: tuple[int, ...]
    """Its first coordinates in the whole."""
    starts: list[tuple[int, ...]]
    """First coordinates in the whole, by tile."""
    shape: tuple[int, ...]
    along: int
    """The dimension in which partitions lie side by side."""
    runs: list[Run] = field(factory=list)

    def build(self) -> None:
        build = Builder.before(self.load)
        own = build.insert(self.first.clone({}))
        assert isinstance(own, ktdp.ConstructMemoryViewOp)
        own.memory_space = MemorySpaceAttr("ct_local", NO_TILE)
        own.coordinate_set = AffineSetAttr(AffineSet.box([(0, n) for n in self.first.type.shape]))
        number = tile_number(build, self.function)
        if len(self.runs) == 1:
            (run,) = self.runs
            base, at = self.far(build, own, run), self.corner(build, number, run)
        else:
            element = self.first.type.element_type
            top = Builder.at_start(self.function.entry, self.function.location)
            buffer = new_buffer(top, t.TensorType(self.shape, element), self.load.location)
            for run in self.runs:
                self.copy(build, own, run, number, buffer.buffer)
            base, at = buffer.buffer, [build.constant(0)] * len(self.shape)
        made = build.create(
            ktdp.ConstructAccessTileOp,
            base,
            at,
            [],
            base_map=AffineMapAttr(AffineMap.identity(len(self.shape))),
            access_tile_set=AffineSetAttr(AffineSet.box([(0, n) for n in self.shape])),
            access_tile_order=self.tile.access_tile_order,
            result_types=[self.tile.tile.type],
        )
        self.load.set_operand(0, made.tile)

    def far(self, build: Builder, own: ktdp.ConstructMemoryViewOp, run: Run) -> Value:
        peers = DenseArrayAttr.of(run.peers, t.i64)
        return build.create(kt.PeerViewOp, own.view, peers=peers, result_types=[own.type]).view

    def corner(self, build: Builder, number: Value, run: Run) -> list[Value]:
        """Where a run begins in the partition that it lies in."""
        columns = zip(*self.starts, strict=True)
        return [
            number_per_tile(build, number, run.rows if d == self.along else [n - self.origin[d] for n in at])
            for d, at in enumerate(columns)
        ]

    def copy(
        self, build: Builder, own: ktdp.ConstructMemoryViewOp, run: Run, number: Value, buffer: Value
    ) -> None:
        shape = [run.end - run.begin if d == self.along else n for d, n in enumerate(self.shape)]
        part = box_tile(build, self.far(build, own, run), self.corner(build, number, run), shape)
        type = t.TensorType(tuple(shape), own.type.element_type)
        data = build.create(ktdp.LoadOp, part, result_types=[type]).data
        at = [build.constant(run.begin if d == self.along else 0) for d in range(len(shape))]
        build.create(ktdp.StoreOp, data, box_tile(build, buffer, at, shape))


def _read(
    load: ktdp.LoadOp, base: Operation, function: func.FuncOp, device: Device, module: Operation
) -> _Window | str:
    """A load whose window can be pulled, or why it can't."""
    tile = load.access_tile.defining_op
    if not isinstance(tile, ktdp.ConstructAccessTileOp):
        return "its coordinates are looked up"
    if not tile.box or tile.permutation is None or any(hi <= lo for lo, hi in tile.box):
        return "its points aren't a box of known extents"
    parts = _partitions(base)
    if isinstance(parts, str):
        return parts
    along = _split_dimension([origin for _, origin in parts])
    if along is None:
        return "its partitions lie side by side in several dimensions"
    tiles = _tiles(function)
    if any((view.memory_space.tile or 0) >= tiles for view, _ in parts):
        return "it names a tile that the grid doesn't have"
    starts = _starts(tile, function)
    if starts is None:
        return "the place of its window isn't a function of the tile's number alone"
    shape = tuple(hi - lo for lo, hi in tile.box)
    found = _Window(load, tile, function, *parts[0], starts, shape, along)
    why = _cut(found, parts, device, module)
    return found if why is None else why


def _partitions(
    base: Operation,
) -> list[tuple[ktdp.ConstructMemoryViewOp, tuple[int, ...]]] | str:
    """The parts of a view with the first coordinates of each, all at one place of their tiles."""
    single = isinstance(base, ktdp.ConstructMemoryViewOp)
    found: list[tuple[ktdp.ConstructMemoryViewOp, tuple[int, ...]]] = []
    for value in base.results if single else base.operands:
        view = value.defining_op
        if not isinstance(view, ktdp.ConstructMemoryViewOp) or view.memory_space.tile is None:
            return "a part of it isn't in the scratchpad of one tile"
        origin = (0,) * view.type.rank if single else view.origin
        if origin is None or not view.type.has_static_shape:
            return "the coordinates of a part of it are known late"
        if found and not alike(found[0][0], view):
            return "its parts don't lie at the same place of their tiles"
        found.append((view, origin))
    return found or "it has no parts"


def _split_dimension(origins: Sequence[tuple[int, ...]]) -> int | None:
    """The one dimension in which some boxes begin at different places; the first if there is none."""
    differ = [d for d, places in enumerate(zip(*origins, strict=True)) if len(set(places)) > 1]
    if len(differ) > 1 or not origins[0]:
        return None
    return differ[0] if differ else 0


def _starts(tile: ktdp.ConstructAccessTileOp, function: func.FuncOp) -> list[tuple[int, ...]] | None:
    """The first coordinates of a tile's window on every compute tile; None if not known."""
    assert tile.box is not None
    grid = _grid(function)
    ids = list(function.walk_type(ktdp.GetComputeTileIdOp))
    found = []
    for number in range(math.prod(grid)):
        place, rest = [], number
        for extent in reversed(grid):
            place.insert(0, rest % extent)
            rest //= extent
        known: dict[Value, int] = {v: n for op in ids for v, n in zip(op.results, place, strict=False)}
        indices = [evaluate(v, known) for v in tile.indices]
        if None in indices:
            return None
        first = tile.subscripts.eval([n for n in indices if n is not None])
        found.append(tuple(n + lo for n, (lo, _) in zip(first, tile.box, strict=True)))
    return found


def _cut(
    found: _Window,
    parts: Sequence[tuple[ktdp.ConstructMemoryViewOp, tuple[int, ...]]],
    device: Device,
    module: Operation,
) -> str | None:
    """Cut a window into runs that each lie in one partition, on every tile; the reason if it can't be."""
    windows = [_pieces(start, found, parts) for start in found.starts]
    known = next((n for n, pieces in enumerate(windows) if pieces), None)
    always = found.load.parent is found.function.entry
    if known is None or (always and not all(windows)):
        return "its window isn't in its parts on every tile"
    for n, pieces in enumerate(windows):
        if not pieces:  # a tile that doesn't come to the load
            windows[n], found.starts[n] = windows[known], found.starts[known]
    kind = device.memory_for_space(MemorySpaceAttr("ct_local", NO_TILE))
    if kind is None or kind.kind is None:
        return "the device has no scratchpads"
    ends = sorted({0, *(piece.end for pieces in windows for piece in pieces)})
    for begin, end in pairwise(ends):
        here = [next(p for p in pieces if p.begin <= begin < p.end) for pieces in windows]
        peers = tuple(p.owner for p in here)
        pull = pull_of(device, kind.kind, peers)
        if pull is None:
            return f"no links lead from the {kind.kind} of one core to those of the others"
        rows = tuple(p.row + begin - p.begin for p in here)
        found.runs.append(Run(begin, end, peers, rows, pull))
    item = item_size(found.first.type)
    whole = math.prod(found.shape) * item
    if len(found.runs) > 1 and whole > room_for_buffers(module, device):
        return f"a buffer of {whole} bytes for it doesn't fit the scratchpad beside the others"
    row = whole // found.shape[found.along]
    links = pulls_cycles([(run.pull, (run.end - run.begin) * row) for run in found.runs], device)
    stored = math.prod(found.first.type.shape) * item
    memory = memory_cycles(device, kind.kind, stored, whole, len(windows))
    if links > memory:
        return f"the links take {links:.0f} cycles for it, device memory {memory:.0f}"
    return None


@frozen
class Piece:
    """Rows ``begin`` to ``end`` of a window, which lie in one partition from ``row`` on."""

    begin: int
    end: int
    owner: int
    row: int


def _pieces(
    start: tuple[int, ...],
    found: _Window,
    parts: Sequence[tuple[ktdp.ConstructMemoryViewOp, tuple[int, ...]]],
) -> list[Piece]:
    """The parts that a window covers, in order; empty if a point of it is in none of them."""
    along, pieces, at = found.along, [], 0
    for view, origin in sorted(parts, key=lambda part: part[1][along]):
        for d, (first, n) in enumerate(zip(start, found.shape, strict=True)):
            inside = origin[d] <= first and first + n <= origin[d] + view.type.shape[d]
            if d != along and not inside:
                return []
        row = start[along] + at - origin[along]
        left = view.type.shape[along] - row
        if row < 0 or at == found.shape[along]:
            break
        if left > 0:
            end = min(found.shape[along], at + left)
            pieces.append(Piece(at, end, view.memory_space.tile or 0, row))
            at = end
    return pieces if at == found.shape[along] else []


def _grid(function: func.FuncOp) -> list[int]:
    grid = function.attr("grid")
    return [n.value for n in grid.elements] if grid is not None else [1]  # type: ignore[attr-defined]


def _tiles(function: func.FuncOp) -> int:
    return math.prod(_grid(function))
