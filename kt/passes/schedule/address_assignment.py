"""address-assignment: give every buffer of a program a byte address in its memory.

Before::

    %b = memref.alloc() : memref<4x1x32xf16, "near">

After::

    %c256 = arith.constant 256 : index
    %b = builtin.unrealized_conversion_cast %c256 : index to memref<4x1x32xf16, "near">

Each program starts anew: memories of a core keep nothing from one program to the next, except what
the kernel placed there itself by views with constant starts, and buffers of the orchestrator, which
have their addresses from place-buffers; a program's own buffers go behind those. Addresses are
multiples of the device's alignment for the memory. All buffers of a program are taken to be alive
together, since the stages of a pipeline run at the same time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, const, dim
from kt.ir.attributes import AffineMapAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import affine, builtin, ktdp, memref
from kt.passes.analysis.buffers import bytes_of
from kt.passes.analysis.nests import programs
from kt.passes.analysis.placed import in_part, reserved_bytes
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.bind_buffers import bind_buffers
from kt.passes.schedule.normalize_grid_to_1d import grid_extents

if TYPE_CHECKING:
    from kt.arch import Device, Memory


@register_pass
@frozen
class AddressAssignment(Pass):
    """Place buffers in their memories."""

    name = "address-assignment"

    def run(self, module: Operation, ctx: PassContext) -> None:
        ctx.stat("shared-buffers", bind_buffers(module, ctx.device))
        for program in programs(module):
            layout = _Layout(ctx.device, program)
            for op in [op for op in program.walk() if isinstance(op, memref.AllocOp)]:
                if op.results[0].type.memory_space is not None:  # type: ignore[attr-defined]
                    layout.place(op)
            for kind, end in layout.ends.items():
                ctx.stat(f"bytes of {kind}", end)


@define(eq=False)
class _Layout:
    """Memories being filled, one running end per kind."""

    device: Device
    program: Operation
    ends: dict[str, int] = field(factory=dict)
    placed: list[tuple[Operation, str, int]] = field(factory=list)
    tile: Value | None = None
    """Number of the tile that runs the program, once a part of a shared memory needs it."""

    def place(self, op: memref.AllocOp) -> None:
        type = op.results[0].type
        assert isinstance(type, t.MemRefType)
        memory = self.device.memory_for_space(type.memory_space)
        if memory is None:
            raise PassError(
                f"the device has no memory {type.memory_space}",
                op.location,
                notes=(Note("the device is here", self.device.location),),
                hint="name one of its memories, or map the space in mem_space_mapping",
            )
        if not type.has_static_shape:
            raise PassError(
                f"the size of a buffer in {memory.kind} isn't known",
                op.location,
                hint="run tile-size-selection first",
            )
        kind = str(memory.kind)
        align = self.device.alignment(memory.kind)
        start = self.ends.get(kind)
        if start is None:
            start = reserved_bytes(op, memory)
        start = math.ceil(start / align) * align
        size = bytes_of(type)
        self.ends[kind] = start + size
        self.placed.append((op, kind, size))
        part = self.device.part(memory.kind)
        if part.size is not None and start + size > part.size:
            raise self._overflow(op, memory, start, size)
        builder = Builder.before(op)
        address: Value = builder.constant(start)
        if part.count > 1:
            if self.tile is None:
                self.tile = _tile_number(self.program)
            address = in_part(builder, self.tile, address, part)
        cast = builder.create(
            builtin.UnrealizedConversionCastOp, [address], result_types=[type]
        )
        for user in op.results[0].users:
            if isinstance(user, memref.DeallocOp):
                user.erase()
        op.replace_with(cast.results)

    def _overflow(self, op: Operation, memory: Memory, start: int, size: int) -> PassError:
        mine = [f"{n}" for _, kind, n in self.placed if kind == str(memory.kind)]
        return PassError(
            f"a buffer of {size} bytes doesn't fit {memory.kind}: "
            f"{start} of its {self.device.part(memory.kind).size} bytes are taken",
            op.location,
            notes=(
                Note(f"{memory.kind} has {memory.size} bytes", memory.location),
                Note(f"buffers of this program, in bytes: {', '.join(mine)}"),
            ),
            hint="use smaller tiles in the kernel or a smaller plan",
        )


def _tile_number(program: Operation) -> Value:
    """The number of the tile in row-major order, at the front of the program."""
    extents = grid_extents(program, program.attr("grid"))
    builder = Builder.at_start(program.regions[0].blocks[0], program.location)
    ids = builder.create(ktdp.GetComputeTileIdOp, result_types=[t.index] * len(extents)).results
    if len(extents) == 1:
        return ids[0]
    number: AffineExpr = const(0)
    for i, extent in enumerate(extents):
        number = number * extent + dim(i)
    map = AffineMapAttr(AffineMap(len(extents), 0, (number,)))
    return builder.create(affine.ApplyOp, ids, map=map).results[0]
