"""place-buffers: choose a memory and an address for every buffer of the orchestrator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.attributes import DictAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import DeviceError, Note, PassError
from kt.ir.dialects import func, kt, ktdp, memref
from kt.ir.types import FunctionType
from kt.passes.analysis.access import memory_of
from kt.passes.analysis.buffers import bytes_of
from kt.passes.analysis.links import pull_of
from kt.passes.analysis.placed import ADDRESS, RESERVED, STEP, end_of_view, heap_place
from kt.passes.analysis.target import compute_kind, device_of
from kt.passes.manager import Pass, PassContext, register_pass

if TYPE_CHECKING:
    from kt.arch import Device, Kind, Memory


@register_pass
@frozen
class PlaceBuffers(Pass):
    """Give buffers that live across programs a memory, and a place in it while they are needed.

    A buffer goes to the scratchpad that the compute unit loads from, behind what the kernel itself
    placed there, as long as all that live at the same time leave half of it to the programs; else
    to device memory, one stretch of it per compute tile. Coordinates of a store go to the nearest memory from
    which the unit that stores can read them. What other tiles read stays in a scratchpad. Buffers that are never needed at
    the same time share a place. Programs get ``kt.reserved``: what they must leave alone::

        %b = kt.buffer() : memref<5xf32>           %b = memref.alloc() {kt.address = 0} : memref<5xf32, "near">
        call @local_schedule_0(%p, %b)        →    call @local_schedule_0(%p, %b)
        func.func @local_schedule_0(index,         func.func @local_schedule_0(index, memref<5xf32, "near">)
                                  memref<5xf32>)     attributes {kt.reserved = {PAD = 32}}
    """

    name = "place-buffers"

    def run(self, module: Operation, ctx: PassContext) -> None:
        buffers = [op for op in module.walk() if isinstance(op, kt.BufferOp)]
        views = [op for op in module.walk() if isinstance(op, ktdp.ConstructMemoryViewOp)]
        if not buffers and not any(end_of_view(v) for v in views):
            return
        device = device_of(module, ctx)
        taken: dict[str, int] = {}
        for view in views:
            if end := end_of_view(view):
                kind = str(memory_of(view, device))
                taken[kind] = max(taken.get(kind, 0), end)
        placing = _Placing(device, dict(taken), taken)
        peers = {op: peers_that_read(op, module) for op in buffers}
        memories: dict[kt.BufferOp, Memory] = {}
        for op in sorted(buffers, key=lambda op: not peers[op]):
            kinds = lookup_memories(op, module, device)
            if peers[op]:
                memories[op] = placing.place_linked(op, kinds, peers[op])
            else:
                memories[op] = placing.place(op, kinds)
        placing.move_to_heap(module, memories)
        for op in buffers:
            memory = memories[op]
            step = placing.step if device.is_global(memory.kind) else None
            _move_to(op, memory, placing.addresses[op], step, module)
            size = bytes_of(op.type)
            ctx.stat(f"bytes of {memory.kind}", size)
            if device.is_global(memory.kind):
                ctx.remark(
                    f"a buffer of {size} bytes per tile goes to {memory.kind}: {placing.why[op]}",
                    op.location,
                )
            op.erase()
        reserved = {k: n for k, n in placing.ends.items() if not device.is_global(k) and n}
        _reserve(module, reserved)


@frozen
class _Span:
    """A buffer's bytes and the positions in the kernel between which it lives."""

    start: int
    end: int
    first: int
    last: int


@define(eq=False)
class _Placing:
    device: Device
    ends: dict[str, int]
    """First free byte per memory kind behind everything placed."""
    taken: dict[str, int]
    """Bytes per memory kind that the kernel's own views take."""
    spans: dict[str, list[_Span]] = field(factory=dict)
    addresses: dict[kt.BufferOp, int] = field(factory=dict)
    why: dict[kt.BufferOp, str] = field(factory=dict)
    step: int = 0
    """Bytes of device memory that one tile's buffers take."""

    def place(
        self, op: kt.BufferOp, kinds: list[str] | None = None, shared: bool = False
    ) -> Memory:
        """The memory of a buffer, one of ``kinds`` if they are given; its address is noted.

        ``shared``: other tiles read it.
        """
        first, last = lifetime(op, shared)
        for kind in scratchpads(self.device) if kinds is None else kinds:
            memory, size = self.device.memory(kind), self.device.part(kind).size
            start = self.free(kind, bytes_of(op.type), first, last)
            if size is None or start + bytes_of(op.type) <= size // 2:
                return self.put(op, memory, start, bytes_of(op.type), first, last)
            self.why.setdefault(
                op, f"with it, more than half of the {size} bytes of {kind} would be taken"
            )
        memory = self.device.global_memory
        self.why.setdefault(op, "the device has no scratchpad for it")
        start = self.free(str(memory.kind), bytes_of(op.type), first, last)
        return self.put(op, memory, start, bytes_of(op.type), first, last)

    def place_linked(
        self, op: kt.BufferOp, kinds: list[str] | None, peers: list[tuple[int, ...]]
    ) -> Memory:
        """The memory of a buffer that other tiles read: a scratchpad with links to theirs."""
        known = scratchpads(self.device)
        near = [kind for kind in known if kinds is None or kind in kinds]
        linked = [kind for kind in near if all(pull_of(self.device, kind, p) for p in peers)]
        memory = self.place(op, linked, shared=True)
        if not self.device.is_global(memory.kind):
            return memory
        why = self.why[op] if linked else "no links lead from one core's scratchpad to the others'"
        raise PassError(
            f"a buffer that other tiles read has no place in a scratchpad: {why}",
            op.location,
            notes=[Note("the device", self.device.location)],
            hint="let the tiles meet in device memory",
        )

    def move_to_heap(self, module: Operation, memories: dict[kt.BufferOp, Memory]) -> None:
        """Addresses in device memory, which were counted from 0, get the place of all of them.

        Every tile has one stretch for its buffers, so that what they share they share with none else.
        """
        memory = self.device.global_memory
        placed = [op for op, where in memories.items() if where is memory]
        align = self.align(memory)
        self.step = math.ceil(self.ends.get(str(memory.kind), 0) / align) * align
        if not placed:
            return
        size = self.step * max(map(_tiles, placed))
        start = heap_place(module, self.device, size)
        if start is None:
            op = max(placed, key=lambda op: bytes_of(op.type))
            raise PassError(
                f"the buffers of this kernel need {size} bytes of {memory.kind}, {bytes_of(op.type)} "
                f"of them for this one on each of {_tiles(op)} tiles",
                op.location,
                notes=[Note(f"{memory.kind} has {memory.size} bytes", memory.location)],
                hint="use smaller tiles in the kernel",
            )
        for op in placed:
            self.addresses[op] += start

    def align(self, memory: Memory) -> int:
        return self.device.alignment(memory.kind)

    def free(self, kind: str, size: int, first: int, last: int) -> int:
        """The lowest aligned address with ``size`` bytes that are free from ``first`` to ``last``."""
        align = self.align(self.device.memory(kind))
        below = 0 if self.device.is_global(kind) else self.taken.get(kind, 0)
        start = math.ceil(below / align) * align
        alive = [s for s in self.spans.get(kind, []) if s.first <= last and first <= s.last]
        for span in sorted(alive, key=lambda s: s.start):
            if start + size <= span.start:
                break
            start = max(start, math.ceil(span.end / align) * align)
        return start

    def put(
        self, op: kt.BufferOp, memory: Memory, start: int, size: int, first: int, last: int
    ) -> Memory:
        kind = str(memory.kind)
        self.spans.setdefault(kind, []).append(_Span(start, start + size, first, last))
        self.ends[kind] = max(self.ends.get(kind, 0), start + size)
        self.addresses[op] = start
        return memory


def scratchpads(device: Device) -> list[str]:
    """Memories of one core that the compute unit reads and writes, the nearest first."""
    unit = compute_kind(device)
    found: list[tuple[int, str]] = []
    for kind in device.memory_kinds:
        if device.scope(kind) != "core":
            continue
        try:
            hops = len(device.route(kind, unit).hops) + len(device.route(unit, kind).hops)
        except DeviceError:
            continue
        found.append((hops, str(kind)))
    return [kind for _, kind in sorted(found, key=lambda pair: pair[0])]


def room_for_buffers(module: Operation, device: Device) -> int:
    """Bytes of the scratchpad that are left for buffers: half of it, less all buffers there are."""
    pads = scratchpads(device)
    if not pads:
        return 0
    taken = viewed = 0
    for op in module.walk():
        if isinstance(op, kt.BufferOp):
            taken += bytes_of(op.type) + device.alignment(pads[0])
        elif isinstance(op, ktdp.ConstructMemoryViewOp) and not op.memory_space.is_global:
            viewed = max(viewed, end_of_view(op))
    return (device.memory(pads[0]).size or 0) // 2 - taken - viewed


def peers_that_read(op: kt.BufferOp, module: Operation) -> list[tuple[int, ...]]:
    """The peers of all views of a buffer by other tiles, in the programs that it is passed to."""
    inside = [v for function, number in _passed_to(op, module) for v in (function.arguments[number],)]
    users = [user for value in (op.buffer, *inside) for user in value.users]
    return list(dict.fromkeys(tuple(x.peers.values) for x in users if isinstance(x, kt.PeerViewOp)))


def lookup_memories(op: kt.BufferOp, module: Operation, device: Device) -> list[str] | None:
    """Memories from which the unit that stores can look up the coordinates in a buffer.

    A core's own ones first, then a core's part of shared ones; None for a buffer that holds no
    coordinates of stores.
    """
    units = {_storing_unit(store, device) for store in _looked_up_by(op, module)}
    if not units:
        return None
    near = scratchpads(device)
    shared = [str(k) for k in device.memory_kinds if device.scope(k) == "group"]
    return [kind for kind in (*near, *shared) if all(u in device.readers(kind) for u in units)]


def _looked_up_by(op: kt.BufferOp, module: Operation) -> list[ktdp.StoreOp]:
    """Stores, in the programs that are called with a buffer, whose coordinates it holds."""
    return [
        store
        for function, number in _passed_to(op, module)
        for tile in function.arguments[number].users
        if isinstance(tile, ktdp.ConstructIndirectAccessTileOp)
        and function.arguments[number] in tile.index_views
        for store in tile.tile.users
        if isinstance(store, ktdp.StoreOp)
    ]


def _passed_to(op: kt.BufferOp, module: Operation) -> list[tuple[func.FuncOp, int]]:
    """The programs that are called with a buffer, and as which of their arguments."""
    places = [
        (call.callee.leaf, number)
        for call in op.buffer.users
        if isinstance(call, func.CallOp)
        for number, value in enumerate(call.operands)
        if value is op.buffer
    ]
    return [
        (function, number)
        for function in module.walk_type(func.FuncOp)
        for name, number in places
        if function.symbol == name and not function.is_declaration
    ]


def _storing_unit(store: ktdp.StoreOp, device: Device) -> Kind:
    """The kind of the unit that writes to the memory of a store."""
    tile = store.access_tile.defining_op
    assert isinstance(tile, ktdp.ConstructIndirectAccessTileOp)
    view = tile.base.defining_op
    assert isinstance(view, ktdp.ConstructMemoryViewOp)
    return device.route(compute_kind(device), memory_of(view, device)).hops[-1].units[-1].kind


def lifetime(op: kt.BufferOp, shared: bool = False) -> tuple[int, int]:
    """Numbers of the first and last op of the kernel's top level that use a buffer.

    What other tiles read is needed until they have all come to the next barrier.
    """
    block = op.parent
    assert block is not None
    number = {other: i for i, other in enumerate(block.ops)}
    uses = []
    for user in op.buffer.users:
        around: Operation | None = user
        while around is not None and around.parent is not block:
            around = around.parent_op
        assert around is not None
        uses.append(number[around])
    end = max(uses, default=0)
    if shared:
        barriers = (n for other, n in number.items() if n > end and isinstance(other, kt.BarrierOp))
        end = next(barriers, len(number))
    return min(uses, default=0), end


def _tiles(op: Operation) -> int:
    kernel = op.parent_of_type(func.FuncOp)
    grid = kernel.attr("grid") if kernel is not None else None
    return math.prod(n.value for n in grid.elements) if grid is not None else 1


def _move_to(
    op: kt.BufferOp, memory: Memory, address: int, step: int | None, module: Operation
) -> None:
    """The buffer becomes an allocation with a memory and an address; programs take it as such."""
    type = t.MemRefType(op.type.shape, op.type.element_type, None, memory.kind_attr)
    made = Builder.before(op).create(memref.AllocOp, [], [], result_types=[type])
    made.attributes.update(op.attributes)
    made.attributes[ADDRESS] = IntegerAttr(address, t.i64)
    if step is not None:
        made.attributes[STEP] = IntegerAttr(step, t.i64)
    uses = [(call, i) for call in op.buffer.users for i, v in enumerate(call.operands) if v is op.buffer]
    op.buffer.replace_all_uses_with(made.results[0])
    for call, i in uses:
        assert isinstance(call, func.CallOp)
        for function in module.walk_type(func.FuncOp):
            if function.symbol == call.callee.leaf:
                retype_argument(function, i, type)


def retype_argument(function: func.FuncOp, number: int, type: t.Type) -> None:
    """Change the type of one argument of a function or its declaration."""
    old: FunctionType = function.function_type
    inputs = [type if i == number else x for i, x in enumerate(old.inputs)]
    function.function_type = FunctionType(tuple(inputs), old.results)
    if not function.is_declaration:
        value: Value = function.arguments[number]
        value.type = type
        for user in value.users:
            if isinstance(user, kt.PeerViewOp):
                user.view.type = type


def _reserve(module: Operation, ends: dict[str, int]) -> None:
    """Tell every program which bytes at the begin of a memory others need."""
    if not ends:
        return
    attribute = DictAttr.of({kind: IntegerAttr(end, t.i64) for kind, end in ends.items()})
    for function in module.walk_type(func.FuncOp):
        if any(isinstance(op, ktdp.StoreOp) for op in function.walk()):
            function.attributes[RESERVED] = attribute
