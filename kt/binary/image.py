"""The bytes of one program image.

::

    header 64 B | streams | unit refs | tables | table data | accesses | constants | instructions

Every part is written in this order without choices, so an image has exactly one byte form. Table data
is the only patchable part: at rest a relocated entry holds the id of its symbol.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kt.binary.bytesio import Reader, read_json
from kt.binary.container import padded
from kt.binary.errors import bad
from kt.binary.formats import FORMATS, NUMBERS, item_size
from kt.binary.isa import NO_INDEX, WORD, Instruction, Op
from kt.binary.model import (
    Access,
    Constant,
    Image,
    Lanes,
    Opaque,
    Operand,
    Relocation,
    Shuffle,
    Stream,
    Table,
    TimeDim,
    VectorOp,
)

MAGIC, VERSION = b"KTPI", 1
HEADER = struct.Struct("<4sHH14I")
STREAM = struct.Struct("<IIIHHIIIIIIII")
TABLE = struct.Struct("<IIII")
ACCESS = struct.Struct("<IIIHHqqqqHHHHII")
PAIR = struct.Struct("<IIq")
CONSTANT = struct.Struct("<II")
OPERAND = struct.Struct("<HHHHI")
MAX_IMAGE = 1 << 30
MAX_INSTRUCTIONS = 1 << 24
LANES, SHUFFLE, OPAQUE, VECTOR_OP = 1, 2, 5, 7

_TWO, _FOUR = struct.Struct("<II"), struct.Struct("<IIII")
_OPS = {int(op): op for op in Op}

Intern = Callable[[str], int]


# -- writing ---------------------------------------------------------------------------------------


def write_image(image: Image, intern: Intern) -> bytes:
    """The image, a multiple of 128 bytes."""
    streams, unit_refs, tables, data, code = (bytearray() for _ in range(5))
    counts = [0, 0, 0, 0]  # unit refs, tables, accesses, instructions
    access_parts: list[bytes] = []
    for number, stream in enumerate(image.streams):
        sizes = (len(stream.units), len(stream.tables), len(stream.accesses), len(stream.code))
        streams += STREAM.pack(
            intern(stream.kind), counts[0], sizes[0], stream.num_sregs, stream.num_vregs, counts[3],
            sizes[3], counts[1], sizes[1], counts[2], sizes[2], 0, 0,
        )  # fmt: skip
        unit_refs += struct.pack(f"<{sizes[0]}I", *stream.units)
        for table in stream.tables:
            tables += TABLE.pack(number, len(table.values), len(data) // 8, int(table.is_units))
            data += struct.pack(f"<{len(table.values)}q", *table.values)
        access_parts += [_access_bytes(access) for access in stream.accesses]
        for instruction in stream.code:
            code += instruction.to_bytes()
        counts = [a + b for a, b in zip(counts, sizes, strict=True)]
    constants = [_constant_bytes(constant, intern) for constant in image.constants]

    parts = [bytes(streams), bytes(unit_refs), bytes(tables), bytes(data)]
    offsets, at = [], HEADER.size
    body = bytearray()
    for part in parts:
        at = _place(body, at, part, offsets)
    for group in (access_parts, constants):
        at = _place(body, at, _indexed(group, padded(at, 8)), offsets)
    at = _place(body, at, bytes(code), offsets)
    size = padded(at, 128)
    body += bytes(size - at)
    header = HEADER.pack(
        MAGIC, VERSION, 0, len(image.streams), counts[0], counts[1], counts[2], len(constants),
        counts[3], *offsets, size,
    )  # fmt: skip
    return header + bytes(body)


def _place(body: bytearray, at: int, part: bytes, offsets: list[int]) -> int:
    start = padded(at, 8)
    body += bytes(start - at) + part
    offsets.append(start)
    return start + len(part)


def _indexed(group: Sequence[bytes], start: int) -> bytes:
    """An index of u32 offsets, then the records, each 8-aligned. ``start``: where the index lies."""
    at = padded(start + 4 * len(group), 8)
    index, body = bytearray(), bytearray()
    for record in group:
        index += struct.pack("<I", at)
        record += bytes(padded(len(record), 8) - len(record))
        body += record
        at += len(record)
    index += bytes(padded(len(index), 8) - len(index))
    return bytes(index + body)


def _access_bytes(access: Access) -> bytes:
    none = access.start is None
    head = ACCESS.pack(
        access.table, NO_INDEX if none else access.start, access.start_scale, NUMBERS[access.dtype],
        0, access.start_bytes, access.const, access.minimum, access.maximum, len(access.terms),
        len(access.lane_dims), len(access.time_dims), 0, access.lanes, 0,
    )  # fmt: skip
    pairs = [PAIR.pack(register, 0, coefficient) for register, coefficient in access.terms]
    pairs += [PAIR.pack(count, 0, stride) for count, stride in access.lane_dims]
    pairs += [PAIR.pack(dim.count, int(dim.is_register), dim.stride) for dim in access.time_dims]
    return b"".join([head, *pairs])


def _constant_bytes(constant: Constant, intern: Intern) -> bytes:
    match constant:
        case Lanes():
            kind = LANES
            payload = struct.pack("<II", NUMBERS[constant.dtype], constant.lanes) + constant.data
        case Shuffle():
            kind = SHUFFLE
            head = (NUMBERS[constant.dtype], len(constant.inputs), constant.repetition)
            inputs = b"".join(_TWO.pack(register, lanes) for register, lanes in constant.inputs)
            indices = struct.pack(f"<{len(constant.indices)}i", *constant.indices)
            payload = _FOUR.pack(*head, len(constant.indices)) + inputs + indices
        case Opaque():
            kind = OPAQUE
            payload = struct.pack("<II", intern(constant.name), intern(constant.attributes))
        case VectorOp():
            kind = VECTOR_OP
            names = intern(constant.name), intern(constant.attributes)
            counts = len(constant.results), len(constant.operands)
            parts = [
                OPERAND.pack(int(o.is_scalar), o.register, NUMBERS[o.dtype], 0, o.lanes)
                for o in (*constant.results, *constant.operands)
            ]
            payload = b"".join([_FOUR.pack(*names, *counts), *parts])
    return CONSTANT.pack(kind, len(payload)) + payload


def relocation_offsets(image: Image) -> list[int]:
    """Byte offset in the image of the table entry of each relocation."""
    at = padded(HEADER.size + STREAM.size * len(image.streams), 8)
    at = padded(at + 4 * sum(len(s.units) for s in image.streams), 8)
    at = padded(at + TABLE.size * sum(len(s.tables) for s in image.streams), 8)
    start: dict[tuple[int, int], int] = {}
    for i, stream in enumerate(image.streams):
        for k, table in enumerate(stream.tables):
            start[i, k] = at
            at += 8 * len(table.values)
    return [start[r.stream, r.table] + 8 * r.ordinal for r in image.relocations]


# -- reading ---------------------------------------------------------------------------------------


def read_image(
    data: bytes,
    name: str,
    symbols: tuple[int, ...],
    strings: Mapping[int, str],
    relocations: Sequence[tuple[int, int]],
) -> Image:
    """The image in ``data``; ``relocations`` are (byte offset, symbol). ArtifactError if damaged."""
    reader = Reader(data, "IMAG", "E18")
    magic, version, zero, *rest = reader.unpack(HEADER)
    if (magic, version, zero) != (MAGIC, VERSION, 0):
        raise bad("E18", f"image '{name}' has an unknown header", "IMAG")
    n_streams, n_units, n_tables, n_access, n_consts, n_code, *offsets, size = rest
    if size != len(data) or size % 128:
        raise bad("E18", f"image '{name}' says it has {size} bytes, not {len(data)}", "IMAG")
    if n_code > MAX_INSTRUCTIONS or size > MAX_IMAGE:
        raise bad("E25", f"image '{name}' is too large", "IMAG")
    raw_streams = _part(reader, offsets[0], n_streams, STREAM)
    reader.skip_to(offsets[1])
    units = struct.unpack(f"<{n_units}I", reader.take(4 * n_units))
    raw_tables = _part(reader, offsets[2], n_tables, TABLE)
    n_data = sum(raw[1] for raw in raw_tables)
    reader.skip_to(offsets[3])
    values = struct.unpack(f"<{n_data}q", reader.take(8 * n_data))
    accesses = _index(reader, offsets[4], n_access, _read_access)
    constants = _index(reader, offsets[5], n_consts, lambda r: _read_constant(r, strings))
    code = [_read_instruction(raw) for raw in _part(reader, offsets[6], n_code, WORD)]

    streams: list[Stream] = []
    entries: dict[int, tuple[int, int, int]] = {}
    starts = [0, 0, 0, 0]
    data_at = 0
    for number, raw in enumerate(raw_streams):
        kind, u0, nu, sregs, vregs, c0, nc, t0, nt, a0, na, _, _ = raw
        if [u0, t0, a0, c0] != starts:
            raise bad("E18", "the parts of a stream are out of order", "IMAG", number)
        ends = [u0 + nu, t0 + nt, a0 + na, c0 + nc]
        if any(e > n for e, n in zip(ends, (n_units, n_tables, n_access, n_code), strict=True)):
            raise bad("E18", "a stream reaches beyond the image", "IMAG", number)
        tables = []
        for k in range(nt):
            owner, count, first, is_units = raw_tables[t0 + k]
            if owner != number or first != data_at or count != nu or is_units > 1:
                raise bad("E18", f"table {k} does not fit its stream", "IMAG", number)
            entries |= {offsets[3] + 8 * (first + i): (number, k, i) for i in range(count)}
            tables.append(Table(tuple(values[first : first + count]), bool(is_units)))
            data_at += count
        streams.append(
            Stream(
                _string(strings, kind),
                tuple(units[u0 : u0 + nu]),
                sregs,
                vregs,
                tuple(tables),
                tuple(accesses[a0 : a0 + na]),
                tuple(code[c0 : c0 + nc]),
            )
        )
        starts = ends
    if starts != [n_units, n_tables, n_access, n_code]:
        raise bad("E18", f"parts of image '{name}' belong to no stream", "IMAG")
    places = []
    for offset, symbol in relocations:
        if offset not in entries:
            raise bad("E22", f"offset {offset:#x} of image '{name}' is no table entry", "RELO")
        stream, table, ordinal = entries[offset]
        places.append(Relocation(stream, table, ordinal, symbol))
    return Image(name, symbols, tuple(streams), tuple(constants), tuple(places))


def _part(reader: Reader, offset: int, count: int, form: struct.Struct) -> list[tuple]:
    reader.skip_to(offset)
    return list(form.iter_unpack(reader.take(count * form.size)))


def _index(reader: Reader, offset: int, count: int, read: Callable[[Reader], Any]) -> list[Any]:
    """The records of an indexed part."""
    reader.skip_to(offset)
    starts = struct.unpack(f"<{count}I", reader.take(4 * count))
    found = []
    for start in starts:
        reader.skip_to(start)
        found.append(read(reader))
    return found


def _read_access(reader: Reader) -> Access:
    (table, start, scale, form, _, start_bytes, const, low, high, n_terms, n_lane, n_time, _, lanes,
     _) = reader.unpack(ACCESS)  # fmt: skip

    def pairs(count: int) -> list[tuple[int, int, int]]:
        return list(PAIR.iter_unpack(reader.take(count * PAIR.size)))

    terms = tuple((register, coefficient) for register, _, coefficient in pairs(n_terms))
    lane_dims = tuple((count, stride) for count, _, stride in pairs(n_lane))
    time_dims = tuple(TimeDim(count, stride, bool(flag)) for count, flag, stride in pairs(n_time))
    return Access(
        table, _format(form), lanes, None if start == NO_INDEX else start, scale, start_bytes, const,
        terms, lane_dims, time_dims, low, high,
    )  # fmt: skip


def _read_constant(reader: Reader, strings: Mapping[int, str]) -> Constant:
    kind, size = reader.unpack(CONSTANT)
    inner = Reader(reader.take(size), "IMAG", "E18")
    constant = _read_payload(kind, inner, strings)
    if inner.at != size:
        raise bad("E18", f"a constant of kind {kind} has {size - inner.at} bytes too many", "IMAG")
    return constant


def _read_payload(kind: int, reader: Reader, strings: Mapping[int, str]) -> Constant:
    if kind == LANES:
        form, lanes = reader.unpack(_TWO)
        name = _format(form)
        return Lanes(name, lanes, reader.take(lanes * item_size(name)))
    if kind == SHUFFLE:
        form, n_inputs, repetition, n = reader.unpack(_FOUR)
        inputs = tuple(_TWO.iter_unpack(reader.take(8 * n_inputs)))
        indices = struct.unpack(f"<{n}i", reader.take(4 * n))
        return Shuffle(_format(form), inputs, indices, repetition)
    if kind == OPAQUE:
        name, attributes = reader.unpack(_TWO)
        return Opaque(_string(strings, name), _attributes(strings, attributes))
    if kind == VECTOR_OP:
        name, attributes, n_results, n_operands = reader.unpack(_FOUR)
        parts = [
            Operand(bool(scalar), register, _format(form), lanes)
            for scalar, register, form, _, lanes in OPERAND.iter_unpack(
                reader.take((n_results + n_operands) * OPERAND.size)
            )
        ]
        return VectorOp(
            _string(strings, name),
            _attributes(strings, attributes),
            tuple(parts[:n_results]),
            tuple(parts[n_results:]),
        )
    raise bad("E19", f"unknown kind of constant {kind}", "IMAG")


def _attributes(strings: Mapping[int, str], offset: int) -> str:
    text = _string(strings, offset)
    if text and not isinstance(read_json(text, "IMAG", "E18"), dict):
        raise bad("E18", "attributes of an op must be a JSON object", "IMAG")
    return text


def _read_instruction(raw: tuple[int, ...]) -> Instruction:
    op, flags, d, a, b, imm = raw
    if op not in _OPS:
        raise bad("E19", f"unknown op code {op:#04x}", "IMAG")
    return Instruction(_OPS[op], d, a, b, imm, flags)


def _string(strings: Mapping[int, str], offset: int) -> str:
    if offset not in strings:
        raise bad("E11", f"no string begins at {offset}", "IMAG")
    return strings[offset]


def _format(number: int) -> str:
    if number not in FORMATS:
        raise bad("E21", f"unknown element format {number}", "IMAG")
    return FORMATS[number]
