"""coalesce-transfers: move a tile in one transfer instead of vector by vector.

Before::

    %s = ktdf.tiling.derive_size [%I : %c4], total_size = %c7 : index
    scf.for %pi = %c0 to %s step %c1 {
      scf.for %pj = %c0 to %c13 step %c1 {
        %n = affine.min (d0) -> (8, d0 * -8 + 100)(%pj)
        ktdf.data_transfer from %A[%I * 4 + %pi, %pj * 8] size [1, %n] to %buf[%pi, %pj, 0, 0] size [1, 1, 1, %n]
          : memref<7x100xf16, …>, memref<4x13x1x8xf16, "near">

After::

    %flat = memref.reinterpret_cast %buf to offset: [0], sizes: [4, 104], strides: [104, 1] : …
    %rows = affine.min (d0) -> (4, d0 * -4 + 7)(%I)
    ktdf.data_transfer from %A[%I * 4, 0] size [%rows, 100] to %flat[0, 0] size [%rows, 100]

A loop whose body holds nothing but transfers between memories is absorbed when each of its iterations
moves the box next to the one before, on both sides. Trailing dimensions of a staging buffer are
taken as one where that makes boxes adjacent. A plan with ``coalesce = false`` switches the pass off.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, const, dim, linear_form, split_dim
from kt.ir.attributes import AffineMapAttr, DenseArrayAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.dialects import affine, ktdf, memref, scf
from kt.ir.effects import is_pure
from kt.passes.analysis.buffers import is_shared_memory
from kt.passes.analysis.index_maps import compose, constant_index
from kt.passes.analysis.nests import is_index_code, is_inside, programs, trip_count
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.plan import mark_used, plan_of

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class CoalesceTransfers(Pass):
    """Absorb loops of adjacent transfers into larger transfers."""

    name = "coalesce-transfers"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program)
            if plan is not None and not plan.coalesce:
                mark_used(program, plan, "coalesce")
                continue
            loops = [op for op in program.walk(post_order=True) if isinstance(op, scf.ForOp)]
            for loop in loops:
                if _is_absorbed(loop, ctx.device):
                    ctx.stat("absorbed-loops")
            erase_dead_ops(program)


@frozen(eq=False)
class Size:
    """An extent: ``min`` over affine expressions of values (a single constant when it is known)."""

    limits: tuple[AffineExpr, ...]
    operands: tuple[Value, ...] = ()

    @property
    def number(self) -> int | None:
        """The extent, if it is the same everywhere."""
        forms = [linear_form(e) for e in self.limits]
        if any(f is None or f[0] or f[1] for f in forms):
            return None
        return min(f[2] for f in forms if f is not None)

    def make(self, builder: Builder) -> int | Value:
        """A number, or an ``affine.min`` in front of the transfer."""
        if self.number is not None:
            return self.number
        map = AffineMap(len(self.operands), 0, self.limits)
        return builder.create(
            affine.MinOp, list(self.operands), map=AffineMapAttr(map), result_types=[t.index]
        ).results[0]


@frozen(eq=False)
class Side:
    """One end of a transfer that is being widened; ``flat`` is the shape it is looked at with."""

    value: Value
    flat: tuple[int, ...] | None
    exprs: tuple[AffineExpr, ...]
    operands: tuple[Value, ...]
    sizes: tuple[Size, ...]
    along: int = 0
    """The dimension that the loop walked along."""

    def needs(self) -> Iterator[Value]:
        """All index values that the side uses."""
        yield from self.operands
        for size in self.sizes:
            yield from size.operands


def size_of(entry: int | Value) -> Size | None:
    """A size of a transfer as limits; None when it isn't a number or an ``affine.min``."""
    if isinstance(entry, int):
        return Size((const(entry),))
    op = entry.defining_op
    if isinstance(op, affine.MinOp):
        map, operands = compose(op.attr("map").map, op.operands)
        return Size(map.results, tuple(operands))
    return None


def trips_of(loop: scf.ForOp) -> Size | None:
    """Iterations of a normalised loop: a constant, or what is left of a total in a tile."""
    if constant_index(loop.lower_bound) != 0 or constant_index(loop.step) != 1:
        return None
    number = constant_index(loop.upper_bound)
    if number is not None:
        return Size((const(number),))
    op = loop.upper_bound.defining_op
    if isinstance(op, ktdf.DeriveSizeOp) and len(op.pairs) == 1:
        (iv, tile), total = op.pairs[0], constant_index(op.total_size)
        step = constant_index(tile)
        if step is not None and total is not None:
            return Size((const(step), dim(0) * -step + total), (iv,))
    return None


def _is_absorbed(loop: scf.ForOp, device: Device) -> bool:
    """Replace a loop of transfers by widened transfers, if that is possible for all of them."""
    _hoist_lookups(loop)
    body = [op for op in loop.body.ops if not isinstance(op, scf.YieldOp)]
    moves = [op for op in body if isinstance(op, ktdf.DataTransferOp)]
    trips = trips_of(loop)
    if not moves or loop.init_args or trips is None:
        return False
    if any(op not in moves and not is_pure(op) for op in body):
        return False
    widened = [_widen(op, loop, trips, device) for op in moves]
    if any(pair is None for pair in widened):
        return False
    builder = Builder.before(loop)
    for op, pair in zip(moves, widened, strict=True):
        assert pair is not None
        _emit(builder, op, pair)
    loop.erase()
    return True


def _hoist_lookups(loop: scf.ForOp) -> None:
    """Coordinates that are the same in all iterations are looked up in front of the loop."""
    if (trip_count(loop) or 0) < 1:
        return
    for op in list(loop.body.ops):
        alone = not op.regions and op.results and is_index_code(op)
        if alone and not any(is_inside(v, loop) for v in op.operands):
            loop.parent.insert_before(op.detach(), loop)  # type: ignore[union-attr]


def _widen(
    op: ktdf.DataTransferOp, loop: scf.ForOp, trips: Size, device: Device
) -> tuple[Side, Side] | None:
    """Both sides of a transfer that does what the loop does; None if that is no single transfer."""
    if any(is_inside(value, loop) for value in (op.source, op.destination)):
        return None
    options: list[list[Side]] = []
    for _, side in op.sides():
        sizes = [size_of(s) for s in side.sizes or ()]
        if side.map is None or any(s is None for s in sizes):
            return None
        known = tuple(s for s in sizes if s is not None)
        start = Side(side.value, None, side.map.results, side.indices, known)
        options.append(_ways(start, loop.induction_variable, trips, device))
    pairs = ((a, b) for a in options[0] for b in options[1] if _same_walk(a, b))
    found = next(pairs, None)
    if found is None or any(is_inside(v, loop) for side in found for v in side.needs()):
        return None
    return found


def _same_walk(source: Side, dest: Side) -> bool:
    """Whether both boxes consist of the same extents, ones left out, and the loop is the same one."""
    extents = [
        [(s.limits, s.operands, i == side.along) for i, s in enumerate(side.sizes) if s.number != 1]
        for side in (source, dest)
    ]
    return extents[0] == extents[1]


def _ways(side: Side, iv: Value, trips: Size, device: Device) -> list[Side]:
    """The boxes that one side covers over all iterations: as it is, or with rows taken as one."""
    if iv not in side.operands:
        return []
    place = side.operands.index(iv)
    moving = [i for i, e in enumerate(side.exprs) if e.depends_on_dim(place)]
    if len(moving) != 1:
        return []
    candidates = [side, _join_trailing(side, moving[0], device)]
    found = [_absorb(c, moving[0], place, trips) for c in candidates if c is not None]
    return [way for way in found if way is not None]


def _join_trailing(side: Side, at: int, device: Device) -> Side | None:
    """A dense staging buffer with its last dimensions, from ``at`` on, taken as one.

    The box must be one row, from its beginning: extent 1 in all these dimensions but the last.
    """
    type = side.value.type
    assert isinstance(type, t.MemRefType)
    if type.layout is not None or not type.has_static_shape or at == type.rank - 1:
        return None
    if not is_shared_memory(device, type):
        return None
    row = math.prod(type.shape[at + 1 :])
    starts = side.exprs[at + 1 :]
    if row != type.shape[-1] or any(e != const(0) for e in starts):
        return None
    if any(s.number != 1 for s in side.sizes[at:-1]):
        return None
    flat = (*type.shape[:at], type.shape[at] * row)
    exprs = (*side.exprs[:at], side.exprs[at] * row)
    return evolve(side, flat=flat, exprs=exprs, sizes=(*side.sizes[:at], side.sizes[-1]))


def _absorb(side: Side, at: int, place: int, trips: Size) -> Side | None:
    """The box over all iterations: it starts where the first does and is as long as all together."""
    split = split_dim(side.exprs[at], place)
    iv = side.operands[place]
    others = [s for i, s in enumerate(side.sizes) if i != at]
    if split is None or split[0] < 1 or any(iv in s.operands for s in others):
        return None
    step, rest = split
    size = _times(side.sizes[at], step, iv, trips)
    if size is None:
        return None
    exprs = tuple(_without(rest if i == at else e, place) for i, e in enumerate(side.exprs))
    operands = tuple(v for i, v in enumerate(side.operands) if i != place)
    sizes = tuple(size if i == at else s for i, s in enumerate(side.sizes))
    return evolve(side, exprs=exprs, operands=operands, sizes=sizes, along=at)


def _without(expr: AffineExpr, place: int) -> AffineExpr:
    """The expression with dimension ``place`` (which it doesn't use) taken out of the numbering."""
    count = max(expr.max_dim + 1, place + 1)
    dims = [dim(i) if i < place else dim(max(0, i - 1)) for i in range(count)]
    return expr.replace_dims_and_symbols(dims, [])


def _times(size: Size, step: int, iv: Value, trips: Size) -> Size | None:
    """``trips`` boxes of ``step`` elements in a row, the last one as short as ``size`` says."""
    total = Size(tuple(e * step for e in trips.limits), trips.operands)
    if size.number is not None:
        return total if size.number == step else None
    ends = [e for e in size.limits if e != const(step)]
    if len(ends) != 1 or len(size.limits) != 2 or iv not in size.operands:
        return None
    place = size.operands.index(iv)
    split = split_dim(ends[0], place)
    if split is None or split[0] != -step:
        return None
    # min(tile * step, extent - start): that the tile may have fewer vectors follows from the extent.
    rest = tuple(v for v in size.operands if v is not iv)
    return Size((total.limits[0], _without(split[1], place)), rest)


def _emit(builder: Builder, op: ktdf.DataTransferOp, sides: tuple[Side, Side]) -> None:
    """The widened transfer, in front of the loop."""
    parts = []
    made: dict[tuple[object, ...], int | Value] = {}
    for side in sides:
        value = side.value
        if side.flat is not None:
            value = _flattened(value, side.flat, builder)
        sizes = []
        for size in side.sizes:
            key = (size.limits, size.operands)
            if key not in made:
                made[key] = size.make(builder)
            sizes.append(made[key])
        map, indices = compose(AffineMap(len(side.operands), 0, side.exprs), side.operands)
        parts.append((value, map, indices, sizes))
    (source, source_map, source_indices, source_sizes), (dest, dest_map, dest_indices, dest_sizes) = parts
    new = builder.create(
        ktdf.DataTransferOp,
        source,
        source_indices,
        [s for s in source_sizes if not isinstance(s, int)],
        dest,
        dest_indices,
        [s for s in dest_sizes if not isinstance(s, int)],
        source_map=AffineMapAttr(source_map),
        dest_map=AffineMapAttr(dest_map),
        static_source_sizes=_static(source_sizes),
        static_dest_sizes=_static(dest_sizes),
        location=op.location,
    )
    new.attributes.update(op.attributes)


def _static(sizes: list[int | Value]) -> DenseArrayAttr:
    return DenseArrayAttr.of([s if isinstance(s, int) else t.DYNAMIC for s in sizes], t.i64)


def _flattened(value: Value, shape: tuple[int, ...], builder: Builder) -> Value:
    """A dense buffer seen with another shape of the same elements; one cast per buffer and shape.

    Between the stages of a pipeline there is no place for a cast: there each transfer gets its own.
    """
    maker = value.defining_op
    assert maker is not None
    alone = isinstance(maker.parent_op, ktdf.PipelineOp)
    for user in () if alone else value.users:
        if isinstance(user, memref.ReinterpretCastOp) and user.results[0].type.shape == shape:  # type: ignore[attr-defined]
            return user.results[0]
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    made = memref.ReinterpretCastOp.of(value, 0, list(shape), strides, location=maker.location)
    return (builder if alone else Builder.after(maker)).insert(made).results[0]
