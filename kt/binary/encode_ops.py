"""One handler per kind of operation inside a program unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kt.binary.encode_access import Time, emit_affine, make_access, time_axis
from kt.binary.encode_common import (
    CASTS,
    CLOSED,
    INTEGER_OPS,
    cast_of,
    is_integer_like,
    is_scalar,
    narrowing,
)
from kt.binary.encode_stream import StreamEncoder
from kt.binary.encode_vectors import VECTOR_HANDLERS, vector_op
from kt.binary.errors import refuse
from kt.binary.formats import bit_width
from kt.binary.isa import DIRECTIONS, IMMEDIATE, WAIT, Op, formatted, pack
from kt.ir import types as t
from kt.ir.core import Operation, Value
from kt.ir.dialects.dataflow import GetUnitOp
from kt.ir.effects import is_effect_free

Handler = Callable[[StreamEncoder, Any], None]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of some ops."""

    def register(function: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, function))
        return function

    return register


def handler_of(op: Operation) -> Handler:
    """How to encode an op; an EncodeError-raising handler if it has no binary form."""
    found = HANDLERS.get(op.name) or VECTOR_HANDLERS.get(op.name)
    if found is not None:
        return found
    if is_effect_free(op) and not op.regions and op.results:
        return _pure
    return _unknown


def _unknown(enc: StreamEncoder, op: Operation) -> None:
    raise refuse(
        op,
        "has no binary form",
        hint="a program unit may hold dataflow, agen, vectorchain, uniform, symbol and scf ops, and "
        "pure ops on scalars and vectors; lower the others first",
    )


def _pure(enc: StreamEncoder, op: Operation) -> None:
    if any(r.has_uses for r in op.results):
        vector_op(enc, op)


@handles("dataflow.return", "scf.yield", "agen.yield", "uniform.yield",
         "uniform.def_immutable_mapping", "uniform.query_map", "dataflow.get_unit",
         "symbol.create_symbol", "symbol.symbol_immutable_mapping", "dataflow.create_group",
         "dataflow.get_logical_memory_view")  # fmt: skip
def _nothing(enc: StreamEncoder, op: Operation) -> None:
    """What is read where it is used."""


# -- scalars ---------------------------------------------------------------------------------------


@handles(*INTEGER_OPS)
def _integer(enc: StreamEncoder, op: Any) -> None:
    type = op.results[0].type
    if not is_integer_like(type):
        return vector_op(enc, op)
    spec, (a, b) = INTEGER_OPS[op.name], op.operands
    width = bit_width(type)
    known = enc.known(b)
    if spec.unsigned and width < 64:
        first, second = _zero_extended(enc, a, width), _zero_extended(enc, b, width)
        known = None
    else:
        first, second = enc.scalar(a), 0 if known is not None else enc.scalar(b)
    result = enc.define_scalar(op.results[0])
    if known is not None:
        enc.emit(spec.code, result, first, 0, known, IMMEDIATE)
    else:
        enc.emit(spec.code, result, first, second)
    narrow = narrowing(type)
    if narrow and (spec.expression not in CLOSED or spec.unsigned):
        enc.emit(Op.ZEXT if narrow[0] == "zext" else Op.SEXT, result, result, imm=narrow[1])


def _zero_extended(enc: StreamEncoder, value: Value, width: int) -> int:
    register = enc.new_scalar()
    enc.emit(Op.ZEXT, register, enc.scalar(value), imm=width)
    return register


@handles(*CASTS)
def _cast(enc: StreamEncoder, op: Any) -> None:
    source, target = op.operands[0], op.results[0]
    if not (is_scalar(source.type) and is_scalar(target.type)):
        return vector_op(enc, op)
    extension, register = cast_of(op.name, source.type, target.type), enc.scalar(source)
    if extension is None:
        enc.bind_scalar(target, register)
        return
    kind, width = extension
    enc.emit(Op.ZEXT if kind == "zext" else Op.SEXT, enc.define_scalar(target), register, imm=width)


@handles("arith.cmpi")
def _compare(enc: StreamEncoder, op: Any) -> None:
    a, b = op.operands
    if not is_integer_like(a.type):
        return vector_op(enc, op)
    left, right = enc.scalar(a), enc.scalar(b)
    predicate = op.attr("predicate").value
    if bit_width(a.type) == 1 and 2 <= predicate <= 5:
        signed = [enc.new_scalar(), enc.new_scalar()]
        for to, value in zip(signed, (left, right), strict=True):
            enc.emit(Op.SEXT, to, value, imm=1)
        left, right = signed
    enc.emit(Op.SCMP, enc.define_scalar(op.results[0]), left, right, predicate)


@handles("arith.select")
def _select(enc: StreamEncoder, op: Any) -> None:
    condition, a, b = op.operands
    if not is_scalar(a.type):
        return vector_op(enc, op)
    registers = [enc.scalar(v) for v in (a, b, condition)]
    enc.emit(Op.SSEL, enc.define_scalar(op.results[0]), registers[0], registers[1], registers[2])


@handles("affine.apply", "affine.min", "affine.max")
def _affine(enc: StreamEncoder, op: Any) -> None:
    map = op.map.map
    dims, symbols = op.operands[: map.num_dims], op.operands[map.num_dims :]
    registers = [emit_affine(enc, expr, dims, symbols) for expr in map.results]
    best = registers[0]
    for register in registers[1:]:
        result = enc.new_scalar()
        enc.emit(Op.SMINS if op.name == "affine.min" else Op.SMAXS, result, best, register)
        best = result
    enc.bind_scalar(op.results[0], best)


@handles("symbol.query_map")
def _symbol_table(enc: StreamEncoder, op: Any) -> None:
    """A chain of selections by the loop's counter."""
    entries = op.map.defining_op.entries
    key = enc.scalar(op.key)
    result = enc.scalar(entries[-1][1])
    for constant, symbol in reversed(entries[:-1]):
        condition, chosen = enc.new_scalar(), enc.new_scalar()
        enc.emit(Op.SCMP, condition, key, enc.scalar(constant))
        enc.emit(Op.SSEL, chosen, enc.scalar(symbol), result, condition)
        result = chosen
    enc.bind_scalar(op.results[0], result)


@handles("arith.constant")
def _constant(enc: StreamEncoder, op: Any) -> None:
    from kt.binary.encode_vectors import dense_constant

    dense_constant(enc, op)


# -- control flow ----------------------------------------------------------------------------------


@handles("scf.for")
def _for(enc: StreamEncoder, op: Any) -> None:
    if not isinstance(op.lower_bound.type, t.IndexType) or op.unsigned_cmp is not None:
        raise refuse(op, "must count signed with index bounds")
    lower, upper, step = (enc.scalar(v) for v in op.operands[:3])
    block = op.body
    carried = [enc.like(v) for v in op.init_args]
    enc.carry(op.init_args, carried)
    for argument, result, register in zip(op.iter_args, op.results, carried, strict=True):
        enc.bindings[argument] = enc.bindings[result] = register

    def body(counter: int) -> None:
        enc.bind_scalar(block.arguments[0], counter)
        enc.block(block)
        enc.carry(op.yielded, carried)

    enc.loop(lower, upper, step, body)


@handles("scf.if")
def _if(enc: StreamEncoder, op: Any) -> None:
    condition = op.operands[0]
    blocks = [region.block if not region.is_empty else None for region in op.regions]
    results = [enc.like(r) for r in op.results]
    enc.bindings.update(zip(op.results, results, strict=True))

    def encode(block: Any) -> None:
        enc.block(block)
        if results:
            enc.carry(block.last_op.operands, results)

    known = enc.known(condition)
    then, otherwise = blocks
    if known is not None:
        chosen = then if known else otherwise
        if chosen is not None:
            encode(chosen)
        return
    enc.branch(
        enc.scalar(condition),
        lambda: encode(then),
        None if otherwise is None else lambda: encode(otherwise),
    )


@handles("uniform.uniformize_regions", "uniform.equalize_pattern")
def _clauses(enc: StreamEncoder, op: Any) -> None:
    """Each clause under a condition that holds on its units."""
    results = [enc.like(r) for r in op.results]
    enc.bindings.update(zip(op.results, results, strict=True))
    for units, region in zip(op.unit_lists, op.regions, strict=True):
        members = _members(op, units)
        flags = tuple(int(u in members) for u in enc.units)
        block = region.block
        enc.set_static(block.arguments[0], tuple(enc.units))

        def encode(block: Any = block) -> None:
            enc.block(block)
            if results:
                enc.carry(block.last_op.operands, results)

        on = tuple(bool(f) and a for f, a in zip(flags, enc.active, strict=True))
        if on == enc.active:
            encode()
        elif any(on):
            condition = enc.lookup(flags)
            enc.narrow_to(on, lambda c=condition, e=encode: enc.branch(c, e, None))


def _members(op: Operation, units: tuple[Value, ...]) -> set[GetUnitOp]:
    found: set[GetUnitOp] = set()
    for value in units:
        maker = value.defining_op
        parts = maker.operands if maker is not None and maker.name == "dataflow.create_group" else (value,)
        for part in parts:
            unit = part.defining_op
            if not isinstance(unit, GetUnitOp):
                raise refuse(op, "names a unit that isn't the result of dataflow.get_unit")
            found.add(unit)
    return found


# -- units -----------------------------------------------------------------------------------------


def peer(enc: StreamEncoder, op: Operation, value: Value) -> int:
    """Register of the handle of another unit."""
    entries = enc.static(value)
    if entries is None or not all(isinstance(e, GetUnitOp) for e in entries):
        raise refuse(
            op,
            "addresses a unit that isn't known when the program is encoded",
            hint="name it by dataflow.get_unit, or look it up in a uniform mapping; groups have no "
            "binary form",
        )
    return enc.lookup(entries)


def direction_code(op: Any) -> int:
    return DIRECTIONS.index(op.direction.value) if op.direction is not None else 0


@handles("dataflow.send")
def _send(enc: StreamEncoder, op: Any) -> None:
    vector = enc.vector(op.send_data)
    enc.emit(Op.SEND, 0, vector.register, peer(enc, op, op.to_unit), direction_code(op))


@handles("dataflow.receive")
def _receive(enc: StreamEncoder, op: Any) -> None:
    unit = peer(enc, op, op.from_unit)
    vector = enc.define_vector(op.data)
    enc.emit(Op.RECV, vector.register, 0, unit, formatted(vector.dtype, vector.lanes))


@handles("dataflow.sync_send")
def _sync_send(enc: StreamEncoder, op: Any) -> None:
    waits = op.wait is not None and bool(op.wait.value)
    enc.emit(Op.SYNCS, b=peer(enc, op, op.to_unit), flags=WAIT if waits else 0)


@handles("dataflow.sync_recv")
def _sync_receive(enc: StreamEncoder, op: Any) -> None:
    enc.emit(Op.SYNCR, b=peer(enc, op, op.from_unit))


@handles("dataflow.opaque")
def _opaque(enc: StreamEncoder, op: Any) -> None:
    from kt.binary.encode_vectors import opaque_constant

    enc.emit(Op.OPAQUE, imm=enc.image.constant(opaque_constant(op)))


# -- memory ----------------------------------------------------------------------------------------


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
    from kt.ir.affine import AffineMap, AffineSet

    return AffineSet.box([(0, 1)] * rank), AffineMap.identity(rank)


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
    from kt.ir.affine import AffineMap
    from kt.ir.dialects.agen import symbolic_parts

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
    store_time = Time(op.time_set.set, op.time_order.map, op.store_time_addr_map.map, op.time_symbols)
    if op.stored is None or op.stored is block.arguments[0]:
        load = make_access(enc, op, op.src, source, op.load_set.set, op.load_order.map, load_time)
        store = make_access(enc, op, op.dst, target, op.store_set.set, op.store_order.map, store_time)
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


def _over_time(enc: StreamEncoder, op: Operation, time: Time, step: Callable[[list[int]], None]) -> None:
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


