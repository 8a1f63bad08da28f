"""Access tiles as memrefs in the memories of a device."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, frozen

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineMap,
    AffineSymbol,
    linear_form,
)
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import affine, arith, ktdp, memref
from kt.ir.folding import constant_int
from kt.passes.analysis.groups import refuse

Mixed = int | Value


@define(eq=False)
class IndexMath:
    """Index arithmetic that folds numbers while it builds."""

    build: Builder

    def value(self, number: Mixed) -> Value:
        """A number as an index value."""
        return self.build.constant(number) if isinstance(number, int) else number

    def add(self, a: Mixed, b: Mixed) -> Mixed:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return b if a == 0 else a
        return self.build.create(arith.AddIOp, self.value(a), self.value(b)).result

    def mul(self, a: Mixed, b: Mixed) -> Mixed:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if 1 in (a, b):
            return b if a == 1 else a
        if 0 in (a, b):
            return 0
        return self.build.create(arith.MulIOp, self.value(a), self.value(b)).result

    def affine(
        self, expr: AffineExpr, dims: Sequence[Mixed], symbols: Sequence[Mixed] = ()
    ) -> Mixed:
        """An affine expression of given dims and symbols."""
        match expr:
            case AffineConst():
                return expr.value
            case AffineDim():
                return dims[expr.position]
            case AffineSymbol():
                return symbols[expr.position]
            case AffineBinary(kind="add"):
                return self.add(
                    self.affine(expr.lhs, dims, symbols), self.affine(expr.rhs, dims, symbols)
                )
            case AffineBinary(kind="mul"):
                return self.mul(
                    self.affine(expr.lhs, dims, symbols), self.affine(expr.rhs, dims, symbols)
                )
        map = AffineMap(len(dims), len(symbols), (expr,))
        values = [self.value(v) for v in (*dims, *symbols)]
        return self.build.insert(
            affine.ApplyOp.of(map, values, location=self.build.location)
        ).result


@frozen(eq=False)
class TileAccess:
    """An access tile as a strided memref in a memory of the device, one axis per tile axis."""

    memref: Value
    sizes: tuple[Mixed, ...]
    strides: tuple[Mixed, ...]
    memory: str
    """Kind of the memory."""


def number_or_value(value: Value) -> Mixed:
    """The number behind a constant, else the value itself."""
    found = constant_int(value)
    return value if found is None else found


def build_access(build: Builder, tile: Value, device: Device) -> TileAccess:
    """Insert the address arithmetic and the casts for an access tile.

    The offset is the sum of subscript times stride, in elements. A tile without axes becomes one
    axis of extent 1. PassError for tiles that aren't boxes, and views that aren't plain.
    """
    op = _direct_tile(tile)
    base = _base_of(op, build, device)
    math = IndexMath(build)
    strides = base.strides
    box = op.space.as_symbolic_box()
    order = op.permutation
    if box is None or order is None:
        raise refuse(
            op,
            "the points of the tile aren't a box",
            "give each dimension a first and a last coordinate, and a permutation as order",
        )
    symbols = [number_or_value(v) for v in op.symbol_operands]
    indices = [number_or_value(v) for v in op.indices]
    lows = [math.affine(e, (), symbols) for e in box[0]]
    spans = [math.affine(high - low, (), symbols) for low, high in zip(*box, strict=True)]
    starts = [math.affine(e, indices) for e in op.subscripts.results]
    offset: Mixed = 0
    for start, low, stride in zip(starts, lows, strides, strict=True):
        offset = math.add(offset, math.mul(math.add(start, low), stride))
    sizes = tuple(spans[d] for d in order) or (1,)
    steps = tuple(strides[d] for d in order) or (1,)
    made = memref.ReinterpretCastOp.of(base.memref, offset, sizes, steps, location=build.location)
    return TileAccess(build.insert(made).result, sizes, steps, base.memory)


def along_loops(
    build: Builder, access: TileAccess, map: AffineMap, extents: Sequence[Mixed]
) -> tuple[TileAccess, AffineMap]:
    """An access with loops as axes, and its map, for subscripts that are sums of loops and constants.

    Such subscripts (every second column, a diagonal, rows of a flat buffer) only change offset and
    strides of the memref. Other subscripts stay as they are.
    """
    plain = AffineMap(map.num_dims, 0, [e for e in map.results if not isinstance(e, AffineConst)])
    forms = [linear_form(e) for e in map.results]
    if plain.is_projected_permutation or None in forms or not map.used_dims:
        return access, map
    math = IndexMath(build)
    used = map.used_dims
    offset: Mixed = 0
    strides: list[Mixed] = [0] * len(used)
    for form, stride in zip(forms, access.strides, strict=True):
        assert form is not None
        offset = math.add(offset, math.mul(form[2], stride))
        for d, factor in form[0].items():
            i = used.index(d)
            strides[i] = math.add(strides[i], math.mul(factor, stride))
    cast = access.memref.defining_op
    assert isinstance(cast, memref.ReinterpretCastOp)
    old = cast.offset if isinstance(cast.offset, int) else number_or_value(cast.offset)
    made = memref.ReinterpretCastOp.of(
        cast.source, math.add(old, offset), [extents[d] for d in used], strides,
        location=build.location,
    )  # fmt: skip
    view = TileAccess(
        build.insert(made).result, tuple(extents[d] for d in used), tuple(strides), access.memory
    )
    return view, AffineMap.multi_dim(map.num_dims, used)


def _direct_tile(tile: Value) -> ktdp.ConstructAccessTileOp:
    op = tile.defining_op
    if isinstance(op, ktdp.ConstructAccessTileOp):
        return op
    assert isinstance(op, Operation)
    raise refuse(
        op,
        "coordinates that are looked up in memory have no schedule yet",
        "gather on the host, or use direct subscripts",
    )


def _base_of(op: ktdp.ConstructAccessTileOp, build: Builder, device: Device) -> TileAccess:
    """The memref that a tile lies in: a view, cast to its memory, or a buffer of the compiler."""
    view = op.base.defining_op
    type = op.base.type
    if isinstance(view, ktdp.ConstructMemoryViewOp):
        memory = memory_of(view, device)
        strides = [number_or_value(s) if isinstance(s, Value) else s for s in view.mixed_strides]
        spaced = t.MemRefType(
            type.shape, type.element_type, type.layout, device.memory(memory).kind_attr
        )
        cast = build.create(memref.MemorySpaceCastOp, view.view, result_types=[spaced])
        return TileAccess(cast.dest, tuple(view.mixed_sizes), tuple(strides), memory)
    if view is None and isinstance(type, t.MemRefType) and type.memory_space is not None:
        known = device.memory_for_space(type.memory_space)
        assert known is not None and isinstance(known.kind, str)
        strides, _ = type.strides_and_offset()
        return TileAccess(op.base, tuple(type.shape), tuple(strides), known.kind)
    if view is None:
        raise refuse(
            op,
            "its base isn't a memory view",
            "make the view in the same function; for a buffer, run place-buffers first",
        )
    raise refuse(
        view,
        "a view of several memories has no schedule yet",
        "load each part from a view of its own",
        Note("used by this tile", op.location),
    )


def memory_of(view: ktdp.ConstructMemoryViewOp, device: Device) -> str:
    """Kind of the memory that a view is in. PassError if the device doesn't map its space."""
    space = view.memory_space
    if space.tile is not None:
        raise refuse(
            view,
            f"the scratchpad of another compute tile ({space}) has no schedule yet",
            "exchange through global memory, or leave out ct_id for the tile's own scratchpad",
        )
    memory = device.memory_for_space(space)
    if memory is None or not isinstance(memory.kind, str):
        raise PassError(
            f"device @{device.name} has no memory for {space}",
            view.location,
            notes=[Note("its mem_space_mapping lacks an entry", device.location)],
            hint="add the space to mem_space_mapping of the device",
        )
    return memory.kind
