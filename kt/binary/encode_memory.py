"""Memory operations of a program unit: loads, stores, transfers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kt.binary.encode_access import Time, make_access, time_axis
from kt.binary.encode_stream import StreamEncoder
from kt.binary.errors import refuse
from kt.binary.handlers import handles
from kt.binary.isa import DIRECTIONS, Op, pack
from kt.ir.affine import AffineMap, AffineSet
from kt.ir.core import Operation
from kt.ir.dialects.agen import symbolic_parts


def direction_code(op: Any) -> int:
    """Number of the routing direction; 0 if there is none."""
    return DIRECTIONS.index(op.direction.value) if op.direction is not None else 0


def _no_multicast(op: Any) -> None:
    if op.multicast_info is not None:
        raise refuse(
            op,
            "loads for several units at once, which has no binary form",
            hint="leave out multicast_info, or send the vector to each unit",
        )


@handles("agen.vector_load")
def _load(enc: StreamEncoder, op: Any) -> None:
    _no_multicast(op)
    subscripts = (op.affine_map.map, op.indices)
    access = make_access(enc, op, op.memref, subscripts, op.load_set.set, op.load_order.map)
    _emit_load(enc, op, access)


def _emit_load(enc: StreamEncoder, op: Any, access: int) -> None:
    vector = enc.define_vector(op.vector)
    _check_lanes(enc, op, access, vector.lanes)
    enc.emit(Op.LDV, vector.register, imm=access)


@handles("agen.vector_store")
def _store(enc: StreamEncoder, op: Any) -> None:
    vector = enc.vector(op.vector)
    subscripts = (op.affine_map.map, op.indices)
    access = make_access(enc, op, op.memref, subscripts, op.store_set.set, op.store_order.map)
    _check_lanes(enc, op, access, vector.lanes)
    enc.emit(Op.STV, a=vector.register, imm=access)


def _check_lanes(enc: StreamEncoder, op: Operation, access: int, lanes: int) -> None:
    moved = enc.accesses[access].lanes
    if moved != lanes:
        raise refuse(op, f"moves a set of {moved} elements, but its vector has {lanes} lanes")


def _indirection(enc: StreamEncoder, op: Any) -> int:
    """Load the index that an indirect access adds to the first subscript."""
    view: Any = op.indirect.type
    one = _single_point(view.rank)
    subscripts = (op.indirect_map.map, op.indirect_indices)
    access = make_access(enc, op, op.indirect, subscripts, one[0], one[1])
    register = enc.new_scalar()
    enc.emit(Op.LDS, register, imm=access)
    return register


def _single_point(rank: int) -> Any:
    return AffineSet.box([(0, 1)] * rank), AffineMap.identity(rank)


@handles("memref.load")
def _scalar_load(enc: StreamEncoder, op: Any) -> None:
    """A single integer, for addresses."""
    view: Any = op.memref.type
    one = _single_point(view.rank)
    subscripts = (AffineMap.identity(view.rank), op.indices)
    access = make_access(enc, op, op.memref, subscripts, one[0], one[1])
    enc.emit(Op.LDS, enc.define_scalar(op.results[0]), imm=access)


@handles("agen.indirect_vector_load")
def _indirect_load(enc: StreamEncoder, op: Any) -> None:
    _no_multicast(op)
    index = _indirection(enc, op)
    subscripts = (op.direct_map.map, op.direct_indices)
    points, order = op.load_set.set, op.load_order.map
    access = make_access(enc, op, op.direct, subscripts, points, order, extra=((index, 0),))
    _emit_load(enc, op, access)


@handles("agen.indirect_vector_store")
def _indirect_store(enc: StreamEncoder, op: Any) -> None:
    _no_multicast(op)
    vector, index = enc.vector(op.vector), _indirection(enc, op)
    subscripts = (op.direct_map.map, op.direct_indices)
    points, order = op.store_set.set, op.store_order.map
    access = make_access(enc, op, op.direct, subscripts, points, order, extra=((index, 0),))
    _check_lanes(enc, op, access, vector.lanes)
    enc.emit(Op.STV, a=vector.register, imm=access)


@handles("agen.symbolic_vector_load", "agen.symbolic_vector_store")
def _symbolic(enc: StreamEncoder, op: Any) -> None:
    loads = op.name == "agen.symbolic_vector_load"
    if loads:
        _no_multicast(op)
    vector = None if loads else enc.vector(op.vector)
    products = []
    for index, stride in zip(*symbolic_parts(op), strict=True):
        product = enc.new_scalar()
        enc.emit(Op.SMUL, product, enc.scalar(index), enc.scalar(stride))
        products.append((product, 0))
    points, order = (
        (op.load_set.set, op.load_order.map) if loads else (op.store_set.set, op.store_order.map)
    )
    access = make_access(
        enc, op, op.memref, (AffineMap.constant(0), ()), points, order, extra=products
    )
    if vector is None:
        _emit_load(enc, op, access)
    else:
        _check_lanes(enc, op, access, vector.lanes)
        enc.emit(Op.STV, a=vector.register, imm=access)


@handles("agen.composite_load_and_store")
def _transfer(enc: StreamEncoder, op: Any) -> None:
    _no_multicast(op)
    block = op.regions[0].block
    source = (op.src_map.map, op.src_indices)
    target = (op.dst_map.map, op.dst_indices)
    load_time = Time(op.time_set.set, op.time_order.map, op.load_time_addr_map.map, op.time_symbols)
    store_time = Time(
        op.time_set.set, op.time_order.map, op.store_time_addr_map.map, op.time_symbols
    )
    if op.stored is None or op.stored is block.arguments[0]:
        load = make_access(enc, op, op.src, source, op.load_set.set, op.load_order.map, load_time)
        store = make_access(
            enc, op, op.dst, target, op.store_set.set, op.store_order.map, store_time
        )
        lanes = enc.lanes(block.arguments[0].type)
        _check_lanes(enc, op, load, lanes)
        _check_lanes(enc, op, store, lanes)
        enc.emit(Op.XFER, a=direction_code(op), imm=pack(load, store))
        return

    def step(counters: list[int]) -> None:
        load = make_access(
            enc, op, op.src, source, op.load_set.set, op.load_order.map, load_time, counters
        )
        vector = enc.define_vector(block.arguments[0])
        enc.emit(Op.LDV, vector.register, imm=load)
        enc.block(block)
        stored = enc.vector(op.stored)
        store = make_access(
            enc, op, op.dst, target, op.store_set.set, op.store_order.map, store_time, counters
        )
        _check_lanes(enc, op, store, stored.lanes)
        enc.emit(Op.STV, a=stored.register, imm=store)

    _over_time(enc, op, load_time, step)


@handles("agen.composite_load")
def _composite_load(enc: StreamEncoder, op: Any) -> None:
    block = op.regions[0].block
    time = Time(op.time_set.set, op.time_order.map, op.time_addr_map.map, op.time_symbols)
    subscripts = (op.affine_map.map, op.indices)

    def step(counters: list[int]) -> None:
        points, order = op.load_set.set, op.load_order.map
        load = make_access(enc, op, op.memref, subscripts, points, order, time, counters)
        vector = enc.define_vector(block.arguments[0])
        _check_lanes(enc, op, load, vector.lanes)
        enc.emit(Op.LDV, vector.register, imm=load)
        enc.block(block)

    _over_time(enc, op, time, step)


@handles("agen.composite_store")
def _composite_store(enc: StreamEncoder, op: Any) -> None:
    if op.stored is None:
        raise refuse(op, "yields no vector to store")
    time = Time(op.time_set.set, op.time_order.map, op.time_addr_map.map, op.time_symbols)
    subscripts = (op.affine_map.map, op.indices)

    def step(counters: list[int]) -> None:
        enc.block(op.regions[0].block)
        stored = enc.vector(op.stored)
        points, order = op.store_set.set, op.store_order.map
        store = make_access(enc, op, op.memref, subscripts, points, order, time, counters)
        _check_lanes(enc, op, store, stored.lanes)
        enc.emit(Op.STV, a=stored.register, imm=store)

    _over_time(enc, op, time, step)


def _over_time(
    enc: StreamEncoder, op: Operation, time: Time, step: Callable[[list[int]], None]
) -> None:
    """Loops over the time axis around ``step``, which gets the registers of the digits."""
    digits = time_axis(enc, op, time)
    zero, one = enc.constant(0), enc.constant(1)

    def nest(counters: list[int]) -> None:
        if len(counters) == len(digits):
            step(counters)
            return
        digit = digits[len(counters)]
        upper = digit.count if digit.is_register else enc.constant(digit.count)
        enc.loop(zero, upper, one, lambda counter: nest([*counters, counter]))

    nest([])


@handles("agen.composite_memory_interleave")
def _interleave(enc: StreamEncoder, op: Any) -> None:
    """The members one after the other: their bursts touch disjoint places, so the order is free."""
    enc.block(op.regions[0].block)
