"""Subscripts that are numbers from memory become coordinates that are looked up."""

from __future__ import annotations

from attrs import frozen

from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineMap, const, dim
from kt.ir.attributes import AffineMapAttr, ArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.dialects import arith, ktdp, tensor
from kt.passes.analysis.aliasing import may_change
from kt.passes.analysis.index_maps import constant_index


def look_up_subscripts(function: Operation) -> int:
    """Turn access tiles at extracted numbers into indirect ones; how many there were.

    The number has to be loaded from a view that the kernel doesn't write, and be the only coordinate
    of the tile in its dimension::

        %i = ktdp.load %it[%t]                                %x = … indirect_access_tile (%r, %c)
        %e = tensor.extract %i[%c0]                      →          %view[ind(%it[%t]), (%c)]
        %n = arith.index_cast %e
        %x = ktdp.construct_access_tile %view[%n, %c0]
    """
    stores = [op for op in function.walk() if isinstance(op, ktdp.StoreOp)]
    made = 0
    for op in list(function.walk_type(ktdp.ConstructAccessTileOp)):
        found = {i: place for i, v in enumerate(op.indices) if (place := _place_of(v)) is not None}
        if not found or any(may_change(s.access_tile, p.view) for p in found.values() for s in stores):
            continue
        if _rebuilt(op, found):
            made += 1
    if made:
        erase_dead_ops(function)
    return made


@frozen(eq=False)
class _Place:
    """An element of a view: the subscripts are a value and a number each."""

    view: Value
    at: tuple[tuple[Value, int], ...]


def _place_of(value: Value) -> _Place | None:
    """Where in memory an index comes from; None for any other."""
    cast = value.defining_op
    if not isinstance(cast, (arith.IndexCastOp, arith.IndexCastUIOp)):
        return None
    extract = cast.operands[0].defining_op
    if not isinstance(extract, tensor.ExtractOp):
        return None
    load, places = extract.tensor.defining_op, [constant_index(v) for v in extract.indices]
    if not isinstance(load, ktdp.LoadOp) or None in places:
        return None
    tile = load.access_tile.defining_op
    if (
        not isinstance(tile, ktdp.ConstructAccessTileOp)
        or not isinstance(tile.base.defining_op, ktdp.ConstructMemoryViewOp)
        or not tile.subscripts.is_identity
        or tile.permutation is None
        or tile.box is None
    ):
        return None
    numbers = [0] * len(places)
    for axis, d in enumerate(tile.permutation):
        numbers[d] = places[axis] + tile.box[d][0]  # type: ignore[operator]
    return _Place(tile.base, tuple(zip(tile.indices, numbers, strict=True)))


def _rebuilt(op: ktdp.ConstructAccessTileOp, found: dict[int, _Place]) -> bool:
    """Put an indirect tile in place of ``op``, whose indices in ``found`` are looked up."""
    exprs, rank = op.subscripts.results, op.space.num_dims
    box = op.box
    if box is None:
        return False
    looked_up: dict[int, _Place] = {}
    for d, expr in enumerate(exprs):
        used = [i for i in found if expr.depends_on_dim(i)]
        if not used:
            continue
        if not isinstance(expr, AffineDim) or box[d] != (0, 1):
            return False
        looked_up[d] = found[expr.position]
    captured = [v for i, v in enumerate(op.indices) if i not in found]
    position = {i: n for n, i in enumerate(i for i in range(len(op.indices)) if i not in found)}
    for place in looked_up.values():
        captured += [v for v, _ in place.at]
    total, next_one = len(captured), len(position)
    inputs = [dim(position[i]) if i in position else const(0) for i in range(len(op.indices))]
    maps, kinds = [], []
    for d, expr in enumerate(exprs):
        if d in looked_up:
            at = looked_up[d].at
            results = [dim(next_one + n) + number for n, (_, number) in enumerate(at)]
            next_one += len(at)
        else:
            results = [expr.replace_dims_and_symbols(inputs, []) + dim(total + d)]
        maps.append(AffineMapAttr(AffineMap(total + rank, 0, results)))
        kinds.append(IntegerAttr(int(d in looked_up), t.i1))
    build = Builder.before(op)
    region, inside = build.region()
    for _ in range(rank):
        region.block.add_argument(t.index)
    inside.create(ktdp.RegionTerminatorOp)
    made = build.create(
        ktdp.ConstructIndirectAccessTileOp,
        op.base,
        [p.view for p in looked_up.values()],
        captured,
        list(op.symbol_operands),
        per_dim_subscript_kinds=ArrayAttr(tuple(kinds)),
        per_dim_subscript_maps=ArrayAttr(tuple(maps)),
        variables_space_set=op.access_tile_set,
        variables_space_order=op.access_tile_order,
        regions=[region],
        result_types=[op.tile.type],
    )
    op.replace_with([made.tile])
    return True
