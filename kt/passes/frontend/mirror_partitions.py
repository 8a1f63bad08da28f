"""mirror-partitions: what tiles read of each other's scratchpads goes through device memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, frozen

from kt.ir import types as t
from kt.ir.affine import AffineSet
from kt.ir.attributes import AffineSetAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note
from kt.ir.dialects import arith, func, kt, ktdp, scf
from kt.ir.dialects.ktdp_types import NO_TILE, MemorySpaceAttr
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.linear import equivalent
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

    The same holds for views with ``ct_id``. Partitions that lie at the same addresses of their tiles
    are stored by one program. Stores to other tiles' memory are refused.
    """

    name = "mirror-partitions"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(module.walk_type(func.FuncOp)):
            for load in [op for op in function.walk() if isinstance(op, (ktdp.LoadOp, ktdp.StoreOp))]:
                tile = load.access_tile.defining_op
                base = tile.base.defining_op if isinstance(tile, ktdp.TileSpaceOp) else None  # type: ignore[attr-defined]
                if base is None or not _is_remote(base):
                    continue
                assert isinstance(tile, ktdp.TileSpaceOp)
                _Mirror(load, tile, base, function, device_of(module, ctx), module).build()
                ctx.stat("mirrors")
                ctx.remark(
                    "partitions of several tiles are read through a copy in device memory",
                    load.location,
                )


def _is_remote(base: Operation) -> bool:
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
        if self.load.parent is not self.function.entry:
            raise self.refusal(
                self.base,
                "a load from other tiles inside a loop or branch",
                "load in front of the loop, or exchange through global memory",
            )
        type = self.base.results[0].type
        assert isinstance(type, t.MemRefType)
        if not type.has_static_shape:
            raise self.refusal(self.base, "its extents are known late", "give them as numbers")
        view = exchange_view(self.function, self.module, self.device, type, self.load.location)
        build = Builder.before(self.load)
        number = tile_number(build, self.function)
        for group in self.groups():
            self.store(build, group, view, number)
        build.create(kt.BarrierOp)
        at = build.insert(self.tile.clone({}))
        at.set_operand(0, view.view)
        self.load.set_operand(0, at.results[0])

    def refusal(self, op: Operation, what: str, hint: str) -> Exception:
        return refuse(op, what, hint, Note("used here", self.load.location))

    def partitions(self) -> list[ktdp.ConstructMemoryViewOp]:
        found = []
        single = isinstance(self.base, ktdp.ConstructMemoryViewOp)
        for value in self.base.results if single else self.base.operands:
            view = value.defining_op
            if not isinstance(view, ktdp.ConstructMemoryViewOp) or view.memory_space.tile is None:
                raise self.refusal(
                    view or self.base,
                    "a partition isn't in the scratchpad of one tile",
                    "give every partition a view with ct_id",
                )
            found.append(view)
        return found

    def groups(self) -> list[list[ktdp.ConstructMemoryViewOp]]:
        """Partitions at the same addresses of different tiles."""
        groups: list[list[ktdp.ConstructMemoryViewOp]] = []
        for view in self.partitions():
            place = next((g for g in groups if _alike(g[0], view) and not _owned(g, view)), None)
            if place is None:
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
        grid = self.function.attr("grid")
        tiles = math.prod(n.value for n in grid.elements) if grid is not None else 1  # type: ignore[attr-defined]
        corners = {v.memory_space.tile: self.corner(v) for v in group}
        first = group[0]
        own = build.insert(first.clone({}))
        assert isinstance(own, ktdp.ConstructMemoryViewOp)
        own.memory_space = MemorySpaceAttr("ct_local", NO_TILE)
        shape = first.type.shape
        own.coordinate_set = AffineSetAttr(AffineSet.box([(0, n) for n in shape]))
        if len(corners) < tiles:
            build = self.owners_only(build, set(corners), tiles, number)  # type: ignore[arg-type]
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


def _alike(a: ktdp.ConstructMemoryViewOp, b: ktdp.ConstructMemoryViewOp) -> bool:
    return (
        a.type is b.type
        and a.static_sizes is b.static_sizes
        and a.static_strides is b.static_strides
        and len(a.operands) == len(b.operands)
        and all(map(equivalent, a.operands, b.operands))
    )


def _owned(group: list[ktdp.ConstructMemoryViewOp], view: ktdp.ConstructMemoryViewOp) -> bool:
    return any(v.memory_space.tile == view.memory_space.tile for v in group)
