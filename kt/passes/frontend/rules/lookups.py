"""Coordinates that a store looks up are brought into a buffer first."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, AffineSet, const, dim, linear_form
from kt.ir.attributes import AffineMapAttr, AffineSetAttr, ArrayAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import affine, kt, ktdp
from kt.ir.dialects.ktdp_types import AccessTileType
from kt.passes.frontend.rules.buffers import new_buffer, store


def looks_up(op: Operation) -> bool:
    """Whether an op stores to coordinates that are looked up in a view."""
    if not isinstance(op, ktdp.StoreOp):
        return False
    made = op.access_tile.defining_op
    return isinstance(made, ktdp.ConstructIndirectAccessTileOp) and any(
        not isinstance(v.defining_op, kt.BufferOp) for v in made.index_views
    )


def buffer_lookups(op: ktdp.StoreOp, top: Builder) -> int:
    """Look up the coordinates of a store in buffers; how many were made.

    The unit that stores need not be able to read the view's memory. The part of the view that the
    tile needs is copied right in front of the store; the tile then subscripts the buffer with its
    variables alone.
    """
    tile = op.access_tile.defining_op
    assert isinstance(tile, ktdp.ConstructIndirectAccessTileOp)
    build = Builder.before(op, tile.location)
    views, maps = [], []
    for view, map in tile.subscripts():
        if view is None:
            maps.append(AffineMapAttr(map))
            continue
        buffer, inside = _copy(tile, view, map, build, top)
        views.append(buffer.buffer)
        maps.append(AffineMapAttr(inside))
    made = build.insert(tile.clone({}))
    assert isinstance(made, ktdp.ConstructIndirectAccessTileOp)
    for number, buffer in enumerate(views, start=1):  # operand 0 is the base
        made.set_operand(number, buffer)
    made.per_dim_subscript_maps = ArrayAttr(tuple(maps))
    op.set_operand(1, made.tile)
    return len(views)


def _copy(
    tile: ktdp.ConstructIndirectAccessTileOp,
    view: Value,
    map: AffineMap,
    build: Builder,
    top: Builder,
) -> tuple[kt.BufferOp, AffineMap]:
    """A buffer with the elements at ``map``, filled here, and the subscripts in it."""
    count, box = len(tile.captured), tile.box
    starts: list[AffineExpr] = []
    inside: list[AffineExpr] = []
    extents: list[int] = []
    for expr in map.results:
        form = linear_form(expr)
        if box is None or form is None or any(f < 0 for f in form[0].values()):
            raise PassError(
                f"the coordinates at {map} that this store looks up are no box of known size",
                tile.location,
                hint="use sums of variables with fixed extents and captured values as subscripts",
            )
        steps = {d - count: f for d, f in form[0].items() if d >= count}
        start: AffineExpr = const(form[2] + sum(f * box[v][0] for v, f in steps.items()))
        for d, factor in form[0].items():
            start = start + dim(d) * factor if d < count else start
        moved: AffineExpr = const(0)
        for v, factor in steps.items():
            moved = moved + (dim(count + v) - box[v][0]) * factor
        starts.append(start)
        inside.append(moved)
        extents.append(1 + sum(f * (box[v][1] - box[v][0] - 1) for v, f in steps.items()))
    element = t.element_type_of(view.type)
    buffer = new_buffer(top, t.TensorType(tuple(extents), element), tile.location)
    corner = [_value(build, e, tile.captured) for e in starts]
    rank = len(extents)
    same = AffineMapAttr(AffineMap.identity(rank))
    part = build.create(
        ktdp.ConstructAccessTileOp, view, corner, [],
        base_map=same,
        access_tile_set=AffineSetAttr(AffineSet.box([(0, n) for n in extents])),
        access_tile_order=same,
        result_types=[AccessTileType(tuple(extents))],
    ).tile  # fmt: skip
    loaded = build.create(
        ktdp.LoadOp, part, result_types=[t.TensorType(tuple(extents), element)]
    ).data
    store(build, loaded, buffer)
    return buffer, AffineMap(map.num_dims, 0, inside)


def _value(build: Builder, expr: AffineExpr, captured: tuple[Value, ...]) -> Value:
    """An expression of captured values as an index."""
    map = AffineMap(len(captured), 0, (expr,))
    values = [captured[d] for d in map.used_dims]
    made = affine.ApplyOp.of(map.drop_unused_dims(), values, location=build.location)
    return build.insert(made).result
