"""Transfers and FIFO ends as what one unit does: vector loads and stores, sends, receives.

Boxes are static here. A size that is the smaller of a vector and what is left (the last vector of a
row) becomes a condition: full vector, or tail of known length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, AffineSet, const, dim, linear_form
from kt.ir.attributes import AffineMapAttr, AffineSetAttr, ArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block, Region, Value
from kt.ir.diagnostics import Location, PassError
from kt.ir.dialects import affine, agen, arith, dataflow, ktdf, memref, scf, vectorchain
from kt.passes.backend.dfir_unit import UnitProgram, lowers


@frozen(eq=False)
class Box:
    """A static box of a memref: where it starts and its extents."""

    value: Value
    map: AffineMap
    indices: tuple[Value, ...]
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        return math.prod(self.sizes)


@frozen(eq=False)
class Subscripted:
    """A view with the start of a box as affine subscripts of values of the program."""

    view: Value
    map: AffineMap
    indices: list[Value]
    lead: int
    """Leading dimensions of the view that the memref doesn't have (0 or 1)."""


@lowers(ktdf.DataTransferOp)
def transfer(unit: UnitProgram, op: ktdf.DataTransferOp, builder: Builder) -> None:
    """Split on whether each dynamic size is full, then lower with static sizes."""
    dynamic = dict.fromkeys(
        s for _, side in op.sides() for s in side.sizes or () if not isinstance(s, int)
    )
    _split(unit, op, list(dynamic), {}, builder)


def _split(
    unit: UnitProgram,
    op: ktdf.DataTransferOp,
    dynamic: list[Value],
    numbers: dict[Value, int],
    builder: Builder,
) -> None:
    """One branch per combination of full and last extents."""
    if not dynamic:
        _static_transfer(unit, op, numbers, builder)
        return
    size, *others = dynamic
    full, tail = full_and_tail(size, op.location)
    if tail == full:
        _split(unit, op, others, {**numbers, size: full}, builder)
        return
    here = unit.value(size)
    is_full = builder.create(
        arith.CmpIOp, here, unit.constants(full), predicate="eq", location=op.location
    ).result
    choice = builder.insert(scf.IfOp.of(is_full, with_else=True, location=op.location))
    before = dict(unit.views)
    for region, number in zip(choice.regions, (full, tail), strict=True):
        inside = Builder.at_end(region.block, op.location)
        _split(unit, op, others, {**numbers, size: number}, inside)
        inside.create(scf.YieldOp)
        unit.views = dict(before)


def full_and_tail(size: Value, location: Location) -> tuple[int, int]:
    """The two numbers that ``min(vector, extent - position)`` can be: vector, and extent mod vector."""
    op = size.defining_op
    if isinstance(op, affine.MinOp):
        map = op.attr("map").map
        forms = [linear_form(e) for e in map.results]
        plain = [f for f in forms if f is not None]
        limits = [number for dims, symbols, number in plain if not dims and not symbols]
        rests = [form for form in plain if form[0] or form[1]]
        if len(limits) == 1 and len(rests) == 1 and len(plain) == len(forms):
            full, (dims, symbols, extent) = limits[0], rests[0]
            if all(c % full == 0 for c in (*dims.values(), *symbols.values())):
                return full, extent % full or full
    raise PassError(
        "the length of the last vector of a row isn't known at compile time",
        location,
        hint="give the innermost extent of the tile as a number",
    )


def _static_transfer(
    unit: UnitProgram, op: ktdf.DataTransferOp, numbers: dict[Value, int], builder: Builder
) -> None:
    source, dest = (_box(side, numbers) for _, side in op.sides())
    location = op.location
    if source is not None and dest is not None:
        _copy(unit, op, source, dest, builder)
    elif source is not None:
        slot = op.destination.type
        assert isinstance(slot, ktdf.FifoSlotType)
        vector = _load(unit, op, source, builder)
        vector = _fill(vector, slot.count, op, builder)
        peer = unit.peer(_kind(slot.destination, location))
        builder.create(dataflow.SendOp, peer, vector, location=location)
    elif dest is not None:
        slot = op.source.type
        assert isinstance(slot, ktdf.FifoSlotType)
        vector = receive(unit, slot, builder, location)
        _store(unit, op, _first_lanes(vector, dest.count, builder, location), dest, builder)
    else:
        raise PassError("a transfer from FIFO to FIFO can't be lowered", location)


def _box(side: ktdf.TransferSide, numbers: dict[Value, int]) -> Box | None:
    if side.map is None:
        return None
    sizes = tuple(s if isinstance(s, int) else numbers[s] for s in side.sizes or ())
    return Box(side.value, side.map, side.indices, sizes)


def _kind(end: object, location: Location) -> str:
    found = getattr(end, "value", None)
    if not isinstance(found, str):
        raise PassError(f"the end {end} of a FIFO slot doesn't name a unit kind", location)
    return found


def receive(
    unit: UnitProgram, slot: ktdf.FifoSlotType, builder: Builder, location: Location
) -> Value:
    """Take one vector from the unit at the other end of a slot."""
    peer = unit.peer(_kind(slot.source, location))
    type = t.VectorType((slot.count,), slot.element_type)
    return builder.create(
        dataflow.ReceiveOp, peer, result_types=[type], location=location
    ).results[0]


@lowers(memref.LoadOp)
def lookup(unit: UnitProgram, op: memref.LoadOp, builder: Builder) -> None:
    """A coordinate that the unit loads for the addresses of what it moves."""
    if not isinstance(op.result.type, (t.IntegerType, t.IndexType)):
        raise PassError("a unit can load single integers only, for addresses", op.location)
    view = unit.view(op.memref, builder, op)
    indices = [unit.value(v) for v in op.indices]
    if view.lead is not None:
        indices.insert(0, view.lead)
    made = builder.create(memref.LoadOp, view.value, indices, location=op.location)
    unit.env[op.result] = made.result


# -- vectors and memory --------------------------------------------------------------------------------


def _subscripts(unit: UnitProgram, op: ktdf.DataTransferOp, box: Box, builder: Builder) -> Subscripted:
    view = unit.view(box.value, builder, op)
    indices = [unit.value(v) for v in box.indices]
    if view.lead is None:
        return Subscripted(view.value, box.map, indices, 0)
    results = (dim(0), *[e.shift_dims(1) for e in box.map.results])
    map = AffineMap(box.map.num_dims + 1, 0, results)
    return Subscripted(view.value, map, [view.lead, *indices], 1)


def box_set(sizes: Sequence[int]) -> AffineSet:
    """Points of a box at the origin: ``d == 0`` for extent 1, else ``0 <= d < n``."""
    constraints: list[AffineExpr] = []
    equal: list[bool] = []
    for i, size in enumerate(sizes):
        if size == 1:
            constraints.append(dim(i))
            equal.append(True)
        else:
            constraints += [dim(i), -dim(i) + (size - 1)]
            equal += [False, False]
    return AffineSet(len(sizes), 0, tuple(constraints), tuple(equal))


def _identity(rank: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap.identity(rank))


def _load(unit: UnitProgram, op: ktdf.DataTransferOp, box: Box, builder: Builder) -> Value:
    at = _subscripts(unit, op, box, builder)
    sizes = (*[1] * at.lead, *box.sizes)
    element = t.element_type_of(box.value.type)
    return builder.create(
        agen.VectorLoadOp,
        at.view,
        at.indices,
        affine_map=AffineMapAttr(at.map),
        load_set=AffineSetAttr(box_set(sizes)),
        load_order=_identity(len(sizes)),
        result_types=[t.VectorType((box.count,), element)],
        location=op.location,
    ).results[0]


def _store(
    unit: UnitProgram, op: ktdf.DataTransferOp, vector: Value, box: Box, builder: Builder
) -> None:
    at = _subscripts(unit, op, box, builder)
    sizes = (*[1] * at.lead, *box.sizes)
    builder.create(
        agen.VectorStoreOp,
        vector,
        at.view,
        at.indices,
        affine_map=AffineMapAttr(at.map),
        store_set=AffineSetAttr(box_set(sizes)),
        store_order=_identity(len(sizes)),
        location=op.location,
    )


def _fill(vector: Value, count: int, op: ktdf.DataTransferOp, builder: Builder) -> Value:
    """Bring a loaded vector to the length of a slot: repeat it, or pad it with zeros."""
    type = vector.type
    assert isinstance(type, t.VectorType)
    (lanes,) = type.shape
    if lanes == count:
        return vector
    if op.transfer_mode == "splat":
        if count % lanes:
            raise PassError(
                f"{lanes} elements can't be repeated to fill a slot of {count}", op.location
            )
        return shuffle(vector, list(range(lanes)), count // lanes, [], builder, op.location)
    if op.transfer_mode == "pad" and lanes < count:
        zero = builder.constant(0, type.element_type)
        indices = [*range(lanes), *[-1] * (count - lanes)]
        return shuffle(vector, indices, 1, [zero], builder, op.location)
    raise PassError(
        f"a transfer of {lanes} elements doesn't fill a slot of {count}",
        op.location,
        hint='give it transfer_mode = "splat" or "pad"',
    )


def _first_lanes(vector: Value, count: int, builder: Builder, location: Location) -> Value:
    (lanes,) = vector.type.shape  # type: ignore[attr-defined]
    if lanes == count:
        return vector
    if count > lanes:
        raise PassError(f"a slot of {lanes} elements can't fill {count}", location)
    return shuffle(vector, list(range(count)), 1, [], builder, location)


def shuffle(
    vector: Value,
    indices: list[int],
    repetition: int,
    pads: list[Value],
    builder: Builder,
    location: Location,
    others: Sequence[Value] = (),
) -> Value:
    """Lanes of ``vector`` (and ``others`` behind it) by number; -1 takes the pad."""
    element = t.element_type_of(vector.type)
    return builder.create(
        vectorchain.ShuffleOp,
        vector,
        others,
        pads,
        indices=ArrayAttr(tuple(IntegerAttr(i, t.i32) for i in indices)),
        repetition=IntegerAttr(repetition, t.i32),
        result_types=[t.VectorType((len(indices) * repetition,), element)],
        location=location,
    ).results[0]


# -- memory to memory ----------------------------------------------------------------------------------


@frozen
class Factor:
    """A common step of two boxes: its extent, and the dimension and index step on either side."""

    extent: int
    source: tuple[int, int]
    dest: tuple[int, int]


def common_factors(source: Sequence[int], dest: Sequence[int]) -> list[Factor] | None:
    """Cut two boxes with equal numbers of elements into common factors, outermost first.

    Both are walked in row-major order; None if their extents don't nest (``[2, 3]`` and ``[3, 2]``).
    """
    sides = [[(d, n) for d, n in enumerate(sizes) if n != 1] for sizes in (source, dest)]
    steps = [1, 1]
    rest = [side[-1][1] if side else 1 for side in sides]
    found: list[Factor] = []
    while sides[0] and sides[1]:
        extent = min(rest)
        if rest[0] % extent or rest[1] % extent:
            return None
        found.append(Factor(extent, (sides[0][-1][0], steps[0]), (sides[1][-1][0], steps[1])))
        for i in (0, 1):
            rest[i] //= extent
            steps[i] *= extent
            if rest[i] == 1:
                sides[i].pop()
                steps[i] = 1
                rest[i] = sides[i][-1][1] if sides[i] else 1
    return None if sides[0] or sides[1] else found[::-1]


def _copy(
    unit: UnitProgram, op: ktdf.DataTransferOp, source: Box, dest: Box, builder: Builder
) -> None:
    factors = common_factors(source.sizes, dest.sizes)
    if factors is None:
        raise PassError(
            f"boxes {list(source.sizes)} and {list(dest.sizes)} don't walk their elements alike",
            op.location,
        )
    lanes = factors.pop() if factors else Factor(1, (0, 1), (0, 1))
    load, store = (_subscripts(unit, op, box, builder) for box in (source, dest))
    element = t.element_type_of(source.value.type)
    body = Block([t.VectorType((lanes.extent,), element)])
    body.append(agen.YieldOp.build([], location=op.location))
    extents = [f.extent for f in factors] or [1]
    builder.create(
        agen.CompositeLoadAndStoreOp,
        load.view,
        store.view,
        load.indices,
        store.indices,
        [],
        None,
        src_map=AffineMapAttr(load.map),
        dst_map=AffineMapAttr(store.map),
        load_set=_lane_set(load, len(source.sizes), lanes.source[0], lanes.extent),
        load_order=_identity(load.lead + len(source.sizes)),
        store_set=_lane_set(store, len(dest.sizes), lanes.dest[0], lanes.extent),
        store_order=_identity(store.lead + len(dest.sizes)),
        time_set=AffineSetAttr(box_set(extents)),
        time_order=_identity(len(extents)),
        load_time_addr_map=_time_map(load, len(source.sizes), [f.source for f in factors], len(extents)),
        store_time_addr_map=_time_map(store, len(dest.sizes), [f.dest for f in factors], len(extents)),
        regions=[Region([body])],
        location=op.location,
    )


def _lane_set(at: Subscripted, rank: int, lane_dim: int, lanes: int) -> AffineSetAttr:
    sizes = [1] * (at.lead + rank)
    if sizes:
        sizes[at.lead + lane_dim] = lanes
    return AffineSetAttr(box_set(sizes))


def _time_map(
    at: Subscripted, rank: int, steps: list[tuple[int, int]], num_times: int
) -> AffineMapAttr:
    """Index offsets at a time point: each factor moves its dimension by its step."""
    offsets: list[AffineExpr] = [const(0)] * (at.lead + rank)
    for time, (position, step) in enumerate(steps):
        offsets[at.lead + position] = offsets[at.lead + position] + dim(time) * step
    return AffineMapAttr(AffineMap(num_times, 0, tuple(offsets)))
