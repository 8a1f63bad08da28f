"""keep-tiles: a tile that several programs read comes from device memory once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import func, ktdp, linalg, scf
from kt.passes.analysis.access import memory_of
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.costs import compute_cycles, shared_cycles
from kt.passes.analysis.nests import trip_count
from kt.passes.analysis.structured import is_pointwise
from kt.passes.analysis.target import device_of
from kt.passes.frontend.place_buffers import room_for_buffers
from kt.passes.frontend.rules.buffers import load, new_buffer, store
from kt.passes.manager import Pass, PassContext, register_pass

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class KeepTiles(Pass):
    """Copy a loaded tile to a buffer if the computations that use it then wait less for memory.

    Every computation becomes a program of its own, which loads its operands again. Where the tile
    fits the scratchpad beside all other buffers, and loading it again would take longer than what the
    programs compute meanwhile, it is copied there once::

        %x = ktdp.load %t                              %b = kt.buffer() : memref<128x1024xf16>
        %m = linalg.generic {max} ins(%x)        →     %x = ktdp.load %t
        …                                              ktdp.store %x, %b[…]
        %s = linalg.generic {sum} ins(%x, %m1)         %x1 = ktdp.load %b[…]
                                                       %m = linalg.generic {max} ins(%x1)

    Times are those of all compute tiles together for the memory that they share, and of one for its
    compute unit.
    """

    name = "keep-tiles"

    def run(self, module: Operation, ctx: PassContext) -> None:
        functions = [f for f in module.walk_type(func.FuncOp) if not f.is_declaration]
        loads = [(f, op) for f in functions for op in f.walk_type(ktdp.LoadOp) if op.data.has_uses]
        shared = [(f, op) for f, op in loads if len(op.data.users) > 1 or _is_repeated(op)]
        if not shared:
            return
        device = device_of(module, ctx)
        for function, op in shared:
            size = _loaded_bytes(op, device)
            if size and size <= room_for_buffers(module, device):
                costs = _Costs(device, math.prod(_grid(function)))
                if costs.gain(op) > 0:
                    _keep(function, op)
                    ctx.stat("kept")
                    ctx.remark(f"kept in a buffer of {size} bytes, since it is read repeatedly", op.location)


def _grid(function: func.FuncOp) -> Iterable[int]:
    grid = function.attr("grid")
    return [n.value for n in grid.elements] if grid is not None else []


def _keep(function: func.FuncOp, op: ktdp.LoadOp) -> None:
    value = op.data
    build = Builder.after(op)
    buffer = new_buffer(Builder.at_start(function.entry, function.location), value.type, op.location)
    stored = store(build, value, buffer)
    again = load(build, buffer)
    value.replace_all_uses_with(again, where=lambda user: user is not stored)


def _loaded_bytes(op: ktdp.LoadOp, device: Device) -> int:
    """Bytes of a tile of device memory; 0 if it can't be kept."""
    tile, type = op.access_tile.defining_op, op.data.type
    if not isinstance(tile, ktdp.ConstructAccessTileOp) or tile.box is None:
        return 0
    view = tile.base.defining_op
    if not isinstance(view, ktdp.ConstructMemoryViewOp) or view.memory_space.tile is not None:
        return 0
    if not isinstance(type, t.TensorType) or not type.has_static_shape:
        return 0
    if not device.is_global(memory_of(view, device)):
        return 0
    return math.prod(type.shape) * item_size(type)


def _is_repeated(op: ktdp.LoadOp) -> bool:
    """Whether the value of a load is used in a loop that doesn't repeat the load."""
    return any(user.parent is not op.parent for user in op.data.users)


@frozen
class _Costs:
    """Cycles of a program that the device file gives."""

    device: Device
    tiles: int

    def gain(self, op: ktdp.LoadOp) -> float:
        """Cycles that keeping a tile saves."""
        once = self.memory([op.data])
        before, after = 0.0, once
        programs = list(_programs(op))
        if sum(times for _, times in programs) < 2:
            return 0
        for users, times in programs:
            generics = [user for user in users if isinstance(user, linalg.GenericOp)]
            work = sum(compute_cycles(generic, self.device) for generic in generics)
            others = {v for user in users for v in self.moved(user) if v is not op.data}
            rest = self.memory(others)
            before += times * max(work, rest + once)
            after += times * max(work, rest)
        return before - after

    def memory(self, values: Iterable[Value]) -> float:
        """Cycles of the shared memory for tensors of all compute tiles."""
        types = [v.type for v in values if isinstance(v.type, t.TensorType) and v.type.has_static_shape]
        size = sum(math.prod(x.shape) * item_size(x) for x in types)
        return shared_cycles(size, self.tiles, self.device)

    def moved(self, user: Operation) -> Iterable[Value]:
        """Tensors that a program takes from, or gives to, device memory."""
        for value in user.operands:
            made = value.defining_op
            if isinstance(made, ktdp.LoadOp) and _loaded_bytes(made, self.device):
                yield value
        for value in user.results:
            for end in value.users:
                tile = end.access_tile.defining_op if isinstance(end, ktdp.StoreOp) else None
                view = tile.base.defining_op if isinstance(tile, ktdp.ConstructAccessTileOp) else None
                if isinstance(view, ktdp.ConstructMemoryViewOp):
                    yield value


def _programs(op: ktdp.LoadOp) -> Iterable[tuple[list[Operation], int]]:
    """The computations that use a tile and how often they run; elementwise ones of a block share one."""
    together: dict[object, list[Operation]] = {}
    for user in op.data.users:
        alone = not is_pointwise(user) and not isinstance(user, ktdp.StoreOp)
        together.setdefault(user if alone else user.parent, []).append(user)
    for users in together.values():
        times, around = 1, users[0].parent_op
        while around is not None and around is not op.parent_op:
            if isinstance(around, scf.ForOp):
                times *= 2 if (n := trip_count(around)) is None else n
            around = around.parent_op
        yield users, times
