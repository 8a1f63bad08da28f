"""mirror-partitions: what tiles read of each other's scratchpads goes through device memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, frozen

from kt.ir import types as t
from kt.ir.affine import AffineSet
from kt.ir.attributes import AffineSetAttr, DenseArrayAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note
from kt.ir.dialects import arith, func, kt, ktdp, scf
from kt.ir.dialects.ktdp_types import NO_TILE, MemorySpaceAttr
from kt.passes.analysis.aliasing import may_change
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.linear import Linear, depends_on_op, equivalent, linear_form
from kt.passes.analysis.target import device_of
from kt.passes.frontend.rules.shared_memory import box_tile, exchange_view, number_per_tile
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.bind_buffers import tile_number

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class MirrorPartitions(Pass):
    """Load from a copy in device memory what lies in the scratchpads of several tiles.

    In front of the load every tile stores its own partition to its place in the copy; behind a
    ``kt.barrier`` all load from there::

        %v = ktdp.construct_distributed_memory_view(%p0, %p1)       %own = ktdp.load %p[…]
        %x = ktdp.load %v[%row, %col]                          →    ktdp.store %own, %copy[8 * %tid, 0]
                                                                    kt.barrier
                                                                    %x = ktdp.load %copy[%row, %col]

    The same holds for views with ``ct_id``, and for partitions in device memory, which one tile
    copies. Partitions that lie at the same addresses of their tiles are stored by one program. In a
    loop the copy is made anew each time; where not all tiles come to the load, in front of the
    branches. Partitions that together are one array in memory need no copy: their view becomes a
    plain one. Stores to other tiles' memory are refused.
    """

    name = "mirror-partitions"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            for view in list(function.walk_type(ktdp.ConstructDistributedMemoryViewOp)):
                whole = united(view)
                if whole is not None:
                    view.replace_with([whole.view])
                    ctx.stat("united")
            for load in [op for op in function.walk() if isinstance(op, (ktdp.LoadOp, ktdp.StoreOp))]:
                tile = load.access_tile.defining_op
                base = tile.base.defining_op if isinstance(tile, ktdp.TileSpaceOp) else None  # type: ignore[attr-defined]
                if base is None or not is_remote(base):
                    continue
                assert isinstance(tile, ktdp.TileSpaceOp)
                _Mirror(load, tile, base, function, device_of(module, ctx), module).build()
                ctx.stat("mirrors")
                ctx.remark(
                    "partitions of several tiles are read through a copy in device memory",
                    load.location,
                )


def is_remote(base: Operation) -> bool:
    """Whether a view lies, or may lie, in the scratchpad of another tile."""
    if isinstance(base, ktdp.ConstructMemoryViewOp):
        return base.memory_space.tile is not None
    return isinstance(base, ktdp.ConstructDistributedMemoryViewOp)


@define(eq=False)
class _Mirror:
    load: ktdp.LoadOp | ktdp.StoreOp
    tile: ktdp.TileSpaceOp
    base: Operation
    function: func.FuncOp
    device: Device
    module: Operation

    def build(self) -> None:
        if isinstance(self.load, ktdp.StoreOp):
            raise self.refusal(self.base, "a tile stores to the memory of others", "let its owner store")
        type = self.base.results[0].type
        assert isinstance(type, t.MemRefType)
        if not type.has_static_shape:
            raise self.refusal(self.base, "its extents are known late", "give them as numbers")
        view = exchange_view(self.function, self.module, self.device, type, self.load.location)
        place = self.place()
        build = Builder.before(place, self.load.location)
        number = tile_number(build, self.function)
        if place.parent is not self.function.entry:  # others may still read the last copy
            build.create(kt.BarrierOp)
        for group in self.groups():
            self.store(build, group, view, number)
        build.create(kt.BarrierOp)
        at = Builder.before(self.load).insert(self.tile.clone({}))
        at.set_operand(0, view.view)
        self.load.set_operand(0, at.results[0])

    def place(self) -> Operation:
        """Where the copy is made: at the load, but in front of what not all tiles do alike."""
        place: Operation = self.load
        for around in self.load.ancestors():
            if around is self.function:
                break
            steered = [v for v in around.operands if isinstance(v.type, (t.IndexType, t.IntegerType))]
            if any(depends_on_op(v, ktdp.GetComputeTileIdOp.name) for v in steered):
                place = around
        if place is self.load:
            return place
        partitions = self.partitions()
        for op in place.walk():
            if isinstance(op, ktdp.StoreOp) and any(
                may_change(op.access_tile, p.view) for p in partitions
            ):
                raise self.refusal(
                    self.base,
                    "a load from other tiles that only some tiles do, next to stores to their memory",
                    "load in front of the branch or loop, or exchange through global memory",
                )
        for p in partitions:
            if any(v.parent_block is not None and inside(v, place) for v in p.operands):
                raise self.refusal(p, "its address is computed where only some tiles come",
                                   "compute it in front of the branch or loop")  # fmt: skip
        return place

    def refusal(self, op: Operation, what: str, hint: str) -> Exception:
        return refuse(op, what, hint, Note("used here", self.load.location))

    def partitions(self) -> list[ktdp.ConstructMemoryViewOp]:
        found = []
        single = isinstance(self.base, ktdp.ConstructMemoryViewOp)
        for value in self.base.results if single else self.base.operands:
            view = value.defining_op
            if not isinstance(view, ktdp.ConstructMemoryViewOp) or (
                view.memory_space.tile is None and not view.memory_space.is_global
            ):
                raise self.refusal(
                    view or self.base,
                    "a partition is neither in the scratchpad of one tile nor in global memory",
                    "give every partition in a scratchpad a view with ct_id",
                )
            if (view.memory_space.tile or 0) >= self.tiles:
                raise self.refusal(
                    view,
                    f"tile {view.memory_space.tile} would have to store it, but the grid has "
                    f"{self.tiles} tiles",
                    "make the grid larger",
                )
            found.append(view)
        return found

    @property
    def tiles(self) -> int:
        """Compute tiles of the kernel."""
        grid = self.function.attr("grid")
        return math.prod(n.value for n in grid.elements) if grid is not None else 1  # type: ignore[attr-defined]

    def groups(self) -> list[list[ktdp.ConstructMemoryViewOp]]:
        """Partitions at the same addresses of different tiles."""
        groups: list[list[ktdp.ConstructMemoryViewOp]] = []
        for view in self.partitions():
            place = next((g for g in groups if alike(g[0], view) and not _owned(g, view)), None)
            if place is None or view.memory_space.is_global:
                groups.append([view])
            else:
                place.append(view)
        return groups

    def store(
        self,
        build: Builder,
        group: list[ktdp.ConstructMemoryViewOp],
        copy: ktdp.ConstructMemoryViewOp,
        number: Value,
    ) -> None:
        """Every owner stores its partition; other tiles do nothing."""
        tiles, first = self.tiles, group[0]
        corners = {v.memory_space.tile or 0: self.corner(v) for v in group}
        own = build.insert(first.clone({}))
        assert isinstance(own, ktdp.ConstructMemoryViewOp)
        if not first.memory_space.is_global:
            own.memory_space = MemorySpaceAttr("ct_local", NO_TILE)
        shape = first.type.shape
        own.coordinate_set = AffineSetAttr(AffineSet.box([(0, n) for n in shape]))
        if len(corners) < tiles:
            build = self.owners_only(build, set(corners), tiles, number)
        missing = next(iter(corners.values()))
        places = [corners.get(n, missing) for n in range(tiles)]
        zero = build.constant(0)
        part = box_tile(build, own.view, [zero] * len(shape), shape)
        data = build.create(
            ktdp.LoadOp, part, result_types=[t.TensorType(shape, first.type.element_type)]
        ).data
        at = [number_per_tile(build, number, [p[d] for p in places]) for d in range(len(shape))]
        build.create(ktdp.StoreOp, data, box_tile(build, copy.view, at, shape))

    def owners_only(self, build: Builder, owners: set[int], tiles: int, number: Value) -> Builder:
        mine = number_per_tile(build, number, [int(n in owners) for n in range(tiles)])
        yes = build.create(arith.CmpIOp, mine, build.constant(1), predicate="eq").result
        choice = build.insert(scf.IfOp.of(yes, location=build.location))
        end = choice.regions[0].block
        end.append(scf.YieldOp.build([], location=build.location))
        return Builder(end, end.last_op, build.location)

    def corner(self, view: ktdp.ConstructMemoryViewOp) -> list[int]:
        """First coordinates of a partition in the whole."""
        if view is self.base:
            return [0] * view.type.rank
        if view.origin is None:
            raise self.refusal(view, "its coordinates have no known begin", "bound each of them")
        return list(view.origin)


def united(view: ktdp.ConstructDistributedMemoryViewOp) -> ktdp.ConstructMemoryViewOp | None:
    """A plain view, in front of a distributed one, of the same elements; None if there is none.

    Every partition has to lie where the layout of the first one, carried on, puts its coordinates.
    """
    parts = [v.defining_op for v in view.partitions]
    first = parts[0] if parts else None
    if not isinstance(first, ktdp.ConstructMemoryViewOp) or not view.type.has_static_shape:
        return None
    strides = first.static_strides.values
    if t.DYNAMIC in strides or first.memory_space.tile is not None:
        return None
    starts: list[Linear] = []
    for part in parts:
        if (
            not isinstance(part, ktdp.ConstructMemoryViewOp)
            or part.static_strides.values != strides
            or part.memory_space is not first.memory_space
            or part.origin is None
        ):
            return None
        skipped = sum(n * s for n, s in zip(part.origin, strides, strict=True))
        starts.append(linear_form(part.offset).minus(Linear(skipped, {})))
    if any(start.minus(starts[0]).number != 0 for start in starts):
        return None
    assert first.origin is not None
    skipped = sum(n * s for n, s in zip(first.origin, strides, strict=True))
    build = Builder.before(view)
    offset = first.offset
    if skipped:
        offset = build.create(arith.SubIOp, offset, build.constant(skipped)).result
    shape = view.type.shape
    return build.create(
        ktdp.ConstructMemoryViewOp,
        offset,
        [],
        [],
        static_sizes=DenseArrayAttr.of(shape, t.i64),
        static_strides=first.static_strides,
        memory_space=first.memory_space,
        coordinate_set=AffineSetAttr(AffineSet.box([(0, n) for n in shape])),
        result_types=[t.MemRefType(shape, view.type.element_type)],
    )


def inside(value: Value, op: Operation) -> bool:
    """Whether a value is made in the regions of an op."""
    block = value.parent_block
    around = block.parent_op if block is not None else None
    return around is not None and (around is op or op in around.ancestors())


def alike(a: ktdp.ConstructMemoryViewOp, b: ktdp.ConstructMemoryViewOp) -> bool:
    return (
        a.type is b.type
        and a.memory_space.is_global == b.memory_space.is_global
        and a.static_sizes is b.static_sizes
        and a.static_strides is b.static_strides
        and len(a.operands) == len(b.operands)
        and all(map(equivalent, a.operands, b.operands))
    )


def _owned(group: list[ktdp.ConstructMemoryViewOp], view: ktdp.ConstructMemoryViewOp) -> bool:
    return any(v.memory_space.tile == view.memory_space.tile for v in group)
