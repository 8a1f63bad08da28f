"""Access tiles as memrefs in the memories of a device."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, evolve, frozen

from kt.arch import Device, Kind
from kt.ir import types as t
from kt.ir.affine import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineMap,
    AffineSymbol,
    dim,
    drop_mods,
    linear_form,
)
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import affine, arith, kt, ktdp, memref
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
class Lookup:
    """A coordinate that is an element of ``memref``.

    ``map`` gives its subscripts from the tile's axes and, behind them, ``captured`` values.
    """

    memref: Value
    map: AffineMap
    captured: tuple[Value, ...]

    def build(self, build: Builder, axes: Sequence[AffineExpr], loops: Sequence[Value]) -> Value:
        """Load the coordinate, the axes of the tile being expressions of some loops."""
        count = len(loops)
        dims = [*axes, *(dim(count + i) for i in range(len(self.captured)))]
        subscripts = []
        for expr in self.map.results:
            whole = expr.replace_dims_and_symbols(dims, [])
            map = AffineMap(count + len(self.captured), 0, (whole,))
            values = [v for i, v in enumerate((*loops, *self.captured)) if i in map.used_dims]
            made = affine.ApplyOp.of(map.drop_unused_dims(), values, location=build.location)
            subscripts.append(build.insert(made).result)
        found = build.create(memref.LoadOp, self.memref, subscripts).results[0]
        if found.type is t.index:
            return found
        return build.create(arith.IndexCastOp, found, result_types=[t.index]).results[0]


@frozen(eq=False)
class TileAccess:
    """An access tile as a strided memref in a memory of the device, one axis per tile axis.

    The memref has an axis in front for each coordinate that is looked up.
    """

    memref: Value
    sizes: tuple[Mixed, ...]
    strides: tuple[Mixed, ...]
    memory: Kind
    """Kind of the memory."""
    lookups: tuple[Lookup, ...] = ()


def number_or_value(value: Value) -> Mixed:
    """The number behind a constant, else the value itself."""
    found = constant_int(value)
    return value if found is None else found


def build_access(
    build: Builder, tile: Value, device: Device, lookups: bool = False
) -> TileAccess:
    """Insert the address arithmetic and the casts for an access tile.

    The offset is the sum of subscript times stride, in elements. A tile without axes becomes one
    axis of extent 1. PassError for tiles that aren't boxes, and views that aren't plain, and where
    coordinates are looked up unless ``lookups``.
    """
    made = tile.defining_op
    if lookups and isinstance(made, ktdp.ConstructIndirectAccessTileOp):
        return _indirect_access(build, made, device)
    op = _direct_tile(tile)
    base = _base_of(op, op.base, build, device)
    math = IndexMath(build)
    strides = base.strides
    box, order = _box_and_order(op)
    symbols = [number_or_value(v) for v in op.symbol_operands]
    indices = [number_or_value(v) for v in op.indices]
    lows = [math.affine(e, (), symbols) for e in box[0]]
    spans = [math.affine(high - low, (), symbols) for low, high in zip(*box, strict=True)]
    starts = [math.affine(e, indices) for e in op.subscripts.results]
    offset: Mixed = 0
    for start, low, stride in zip(starts, lows, strides, strict=True):
        offset = math.add(offset, math.mul(math.add(start, low), stride))
    if isinstance(offset, int) and not -(2**63) <= offset < 2**63:
        raise PassError(f"the access tile begins at element {offset}, which doesn't fit 64 bits", op.location)
    sizes = tuple(spans[d] for d in order) or (1,)
    steps = tuple(strides[d] for d in order) or (1,)
    made = memref.ReinterpretCastOp.of(base.memref, offset, sizes, steps, location=build.location)
    return TileAccess(build.insert(made).result, sizes, steps, base.memory)


Ends = tuple[AffineExpr, ...]


def _box_and_order(op: ktdp.TileSpaceOp) -> tuple[tuple[Ends, Ends], tuple[int, ...]]:
    """First and one past last coordinates of a tile's space, and which of its dims each axis is."""
    box, order = op.space.as_symbolic_box(), op.permutation
    if box is None or order is None:
        raise refuse(
            op,
            "the points of the tile aren't a box",
            "give each dimension a first and a last coordinate, and a permutation as order",
        )
    return box, order


def _indirect_access(
    build: Builder, op: ktdp.ConstructIndirectAccessTileOp, device: Device
) -> TileAccess:
    """Direct subscripts add to offset and strides; each other one is an axis of its own."""
    base = _base_of(op, op.base, build, device)
    math = IndexMath(build)
    box, order = _box_and_order(op)
    symbols = [number_or_value(v) for v in op.symbol_operands]
    lows = [math.affine(e, (), symbols) for e in box[0]]
    spans = [math.affine(high - low, (), symbols) for low, high in zip(*box, strict=True)]
    if not all(isinstance(low, int) for low in lows):
        raise refuse(op, "a variable begins at a number known late", "let it begin at a constant")
    captured, count = op.captured, len(op.captured)
    offset: Mixed = 0
    steps: list[Mixed] = [0] * len(order)
    axis = {variable: k for k, variable in enumerate(order)}
    lookups, front = [], []
    for (view, map), size, stride in zip(op.subscripts(), base.sizes, base.strides, strict=True):
        if view is not None:
            # From (captured, variables) to (axes, captured): a variable is its axis plus its begin.
            variables = [dim(axis[v]) + int(low) for v, low in enumerate(lows)]  # type: ignore[arg-type]
            inputs = [*(dim(len(order) + i) for i in range(count)), *variables]
            results = [e.replace_dims_and_symbols(inputs, []) for e in map.results]
            where = _base_of(op, view, build, device).memref
            whole = AffineMap(len(order) + count, 0, results)
            lookups.append(Lookup(where, whole, tuple(captured)))
            front.append((size, stride))
            continue
        form = linear_form(map.results[0])
        if form is None:
            raise refuse(op, "a subscript isn't linear", "use sums of variables and captured values")
        offset = math.add(offset, math.mul(form[2], stride))
        for d, factor in form[0].items():
            scaled = math.mul(factor, stride)
            start = number_or_value(captured[d]) if d < count else lows[d - count]
            offset = math.add(offset, math.mul(start, scaled))
            if d >= count:
                steps[axis[d - count]] = math.add(steps[axis[d - count]], scaled)
    sizes = tuple(spans[d] for d in order)
    made = memref.ReinterpretCastOp.of(
        base.memref, offset, [*(n for n, _ in front), *sizes], [*(s for _, s in front), *steps],
        location=build.location,
    )  # fmt: skip
    view = build.insert(made).result
    return TileAccess(view, sizes, tuple(steps), base.memory, tuple(lookups))


def along_loops(
    build: Builder, access: TileAccess, map: AffineMap, extents: Sequence[Mixed]
) -> tuple[TileAccess, AffineMap]:
    """An access with loops as axes, and its map, for subscripts that are sums of loops and constants.

    Such subscripts (every second column, a diagonal, rows of a flat buffer, a flat view of rows) only
    change offset and strides of the memref. Other subscripts stay as they are.
    """
    if not map.used_dims:
        return access, map
    plain = AffineMap(map.num_dims, 0, [e for e in map.results if not isinstance(e, AffineConst)])
    ranges = [(0, n - 1) if isinstance(n, int) else None for n in extents]
    exprs = [drop_mods(e, ranges) for e in map.results]
    terms = flattened(list(zip(exprs, access.strides, strict=True)))
    forms = [linear_form(e) for e, _ in terms]
    if plain.is_projected_permutation or None in forms:
        return access, map
    if access.lookups:
        made = access.memref.defining_op
        assert made is not None
        raise refuse(
            made,
            f"coordinates are looked up for a tile that is used at {map}",
            "use each axis of the tile at a loop of its own",
        )
    math = IndexMath(build)
    used = map.used_dims
    offset: Mixed = 0
    strides: list[Mixed] = [0] * len(used)
    for form, (_, stride) in zip(forms, terms, strict=True):
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


def flattened(terms: Sequence[tuple[AffineExpr, Mixed]]) -> list[tuple[AffineExpr, Mixed]]:
    """Subscripts and strides, neighbours ``(e floordiv k, e mod k)`` at one stride being ``e``."""
    found: list[tuple[AffineExpr, Mixed]] = []
    for expr, stride in terms:
        while found and (joined := _joined(found[-1], expr, stride)) is not None:
            found.pop()
            expr = joined
        found.append((expr, stride))
    return found


def _joined(
    outer: tuple[AffineExpr, Mixed], expr: AffineExpr, stride: Mixed
) -> AffineExpr | None:
    """``e`` where ``outer`` steps over whole rows of k elements, and both are parts of ``e``."""
    if not isinstance(expr, AffineBinary) or expr.kind != "mod" or not isinstance(stride, int):
        return None
    whole, width = expr.lhs, expr.rhs
    if not isinstance(width, AffineConst) or outer[1] != width.value * stride:
        return None
    return whole if outer[0] == _quotient(whole, width.value) else None


def _quotient(expr: AffineExpr, divisor: int) -> AffineExpr:
    """``expr floordiv divisor``; quotients of quotients are taken at once."""
    if (
        isinstance(expr, AffineBinary)
        and expr.kind == "floordiv"
        and isinstance(expr.rhs, AffineConst)
    ):
        return _quotient(expr.lhs, expr.rhs.value * divisor)
    return expr.floordiv(divisor)


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


def _base_of(op: Operation, base: Value, build: Builder, device: Device) -> TileAccess:
    """The memref ``base`` of a tile: a view, cast to its memory, or a buffer of the compiler."""
    view = base.defining_op
    type = base.type
    if isinstance(view, kt.PeerViewOp):
        own = _base_of(op, view.source, build, device)
        far = build.create(kt.PeerViewOp, own.memref, peers=view.peers, result_types=[own.memref.type])
        return evolve(own, memref=far.view)
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
        assert known is not None
        strides, _ = type.strides_and_offset()
        return TileAccess(base, tuple(type.shape), tuple(strides), known.kind)
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


def memory_of(view: ktdp.ConstructMemoryViewOp, device: Device) -> Kind:
    """Kind of the memory that a view is in. PassError if the device doesn't map its space."""
    space = view.memory_space
    if space.tile is not None:
        raise refuse(
            view,
            f"the scratchpad of another compute tile ({space}) has no schedule yet",
            "exchange through global memory, or leave out ct_id for the tile's own scratchpad",
        )
    memory = device.memory_for_space(space)
    if memory is None:
        raise PassError(
            f"device @{device.name} has no memory for {space}",
            view.location,
            notes=[Note("its mem_space_mapping lacks an entry", device.location)],
            hint="add the space to mem_space_mapping of the device",
        )
    return memory.kind
