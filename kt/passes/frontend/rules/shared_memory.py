"""Places in device memory through which tiles hand data to each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet
from kt.ir.attributes import AffineMapAttr, AffineSetAttr, DenseArrayAttr, UnitAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Location, Note, PassError
from kt.ir.dialects import arith, func, ktdp
from kt.ir.dialects.ktdp_types import AccessTileType, MemorySpaceAttr
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.placed import EXCHANGE, heap_place


def exchange_view(
    function: func.FuncOp, module: Operation, device: Device, like: t.ShapedType, location: Location
) -> ktdp.ConstructMemoryViewOp:
    """A new place in device memory that all tiles see."""
    shape, size = like.shape, like.num_elements() * item_size(like)
    memory = device.global_memory
    start = heap_place(module, device, size)
    if start is None:
        raise PassError(
            f"an exchange of {size} bytes doesn't fit {memory.kind}",
            location,
            notes=[Note(f"{memory.kind} has {memory.size} bytes", memory.location)],
            hint="exchange less at once",
        )
    top = Builder.at_start(function.entry, location)
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    made = top.create(
        ktdp.ConstructMemoryViewOp,
        top.constant(start // item_size(like)),
        [],
        [],
        static_sizes=DenseArrayAttr.of(shape, t.i64),
        static_strides=DenseArrayAttr.of(strides, t.i64),
        memory_space=MemorySpaceAttr("global"),
        coordinate_set=AffineSetAttr(AffineSet.box([(0, n) for n in shape])),
        result_types=[t.MemRefType(shape, like.element_type)],
    )
    made.attributes[EXCHANGE] = UnitAttr()
    return made


def box_tile(build: Builder, view: Value, corner: Sequence[Value], shape: Sequence[int]) -> Value:
    """The access tile of a box of a view."""
    same = AffineMapAttr(AffineMap.identity(len(shape)))
    return build.create(
        ktdp.ConstructAccessTileOp,
        view,
        corner,
        [],
        base_map=same,
        access_tile_set=AffineSetAttr(AffineSet.box([(0, n) for n in shape])),
        access_tile_order=same,
        result_types=[AccessTileType(tuple(shape))],
    ).tile


def number_per_tile(build: Builder, tile: Value, numbers: Sequence[int]) -> Value:
    """``numbers[tile]``: linear in the tile's number where it is, else a chain of choices."""
    steps = {b - a for a, b in itertools.pairwise(numbers)}
    if len(steps) <= 1:
        step = steps.pop() if steps else 0
        if step == 0:
            return build.constant(numbers[0])
        scaled = build.create(arith.MulIOp, tile, build.constant(step)).result
        return build.create(arith.AddIOp, scaled, build.constant(numbers[0])).result
    result = build.constant(numbers[0])
    for n in range(1, len(numbers)):
        if numbers[n] != numbers[n - 1]:  # from here on, until the next change
            later = build.create(arith.CmpIOp, tile, build.constant(n), predicate="sge").result
            result = build.create(
                arith.SelectOp, later, build.constant(numbers[n]), result
            ).result
    return result
