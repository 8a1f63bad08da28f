"""One handler per kind of operation inside a program unit."""

from __future__ import annotations

from typing import Any

from kt.binary.encode_access import emit_affine
from kt.binary.encode_common import (
    CASTS,
    CLOSED,
    INTEGER_OPS,
    cast_of,
    is_integer_like,
    is_scalar,
    narrowing,
)
from kt.binary.encode_memory import direction_code
from kt.binary.encode_stream import StreamEncoder
from kt.binary.encode_vectors import (
    dense_constant,
    opaque_constant,
    vector_op,
)
from kt.binary.errors import refuse
from kt.binary.formats import bit_width
from kt.binary.handlers import HANDLERS, Handler, handles
from kt.binary.isa import IMMEDIATE, WAIT, Op, formatted
from kt.ir import types as t
from kt.ir.core import Operation, Value
from kt.ir.dialects.dataflow import GetUnitOp
from kt.ir.effects import is_effect_free


def handler_of(op: Operation) -> Handler:
    """How to encode an op; an EncodeError-raising handler if it has no binary form."""
    found = HANDLERS.get(op.name)
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
        parts = (
            maker.operands
            if maker is not None and maker.name == "dataflow.create_group"
            else (value,)
        )
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
    enc.emit(Op.OPAQUE, imm=enc.image.constant(opaque_constant(op)))
