"""Sections of a program: every table of :class:`Contents` to bytes and back."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from attrs import evolve

from kt.binary import plans
from kt.binary.bytesio import Strings, canonical_json, read_json, read_strings, records
from kt.binary.container import Container, Section
from kt.binary.errors import bad
from kt.binary.expressions import NAMES, OPS, Node
from kt.binary.formats import FORMATS, NUMBERS
from kt.binary.image import read_image, relocation_offsets, write_image
from kt.binary.isa import NO_INDEX
from kt.binary.model import (
    KINDS,
    SCOPES,
    SYMBOL_KINDS,
    Argument,
    Contents,
    Debug,
    Image,
    MemoryInfo,
    Symbol,
    Unit,
)
from kt.ir.diagnostics import ArtifactError

ARGUMENT = struct.Struct("<IHHHHIqqqqII")
UNIT = struct.Struct("<IIiiII")
MEMORY = struct.Struct("<IIIiQQ")
SYMBOL = struct.Struct("<qIHHIIiIII")
NODE = struct.Struct("<BBHIIIq")
PROGRAM = struct.Struct("<IIQQIIIII4x")
RELOCATION = struct.Struct("<HHIIIQq")
LIMIT = 1 << 20
MAX_RANK, MAX_EXTENT = 64, 1 << 48
"""Of the shape of an argument."""
_ABSOLUTE = 1
_NON_NEGATIVE = 1


def sections_of(program: Contents) -> list[Section]:
    """All sections in file order. Equal programs give equal bytes."""
    strings = Strings()
    add = strings.add
    arguments = [_argument(a, add) for a in program.arguments]
    units = [_unit(u, add) for u in program.units]
    memories = [_memory(m, add) for m in program.memories]
    symbols = [_symbol(s) for site in program.sites for s in site]
    nodes = [NODE.pack(OPS[n.op], 0, 0, n.lhs, n.rhs, 0, n.imm) for n in program.expressions]
    names = [(add(image.name), add(image.name + "_body")) for image in program.images]
    images = [write_image(image, add) for image in program.images]
    relocations, programs = [], []
    at = 0
    for number, (image, (name, body), data) in enumerate(
        zip(program.images, names, images, strict=True)
    ):
        first = len(relocations)
        places = zip(image.relocations, relocation_offsets(image), strict=True)
        relocations += [
            RELOCATION.pack(_ABSOLUTE, 0, number, place.symbol, 0, offset, 0)
            for place, offset in places
        ]
        programs.append(
            PROGRAM.pack(
                name, body, at, len(data), first, len(relocations) - first, 0, program.num_cores,
                zlib.crc32(data),
            )
        )  # fmt: skip
        at += len(data)
    prepare = plans.write_prepare(program.prepare)
    commands = plans.write_plan(program.plan, program.sites)
    meta = _metadata_text(program)
    found = [
        Section("META", meta.encode() + b"\n"),
        Section("STRS", *strings.payload()),
        _typed("ARGS", arguments),
        _typed("UNIT", units),
        _typed("MEMS", memories),
        _typed("SYMB", symbols),
        _typed("EXPR", nodes),
        _typed("PROG", programs),
        Section("IMAG", b"".join(images), len(images)),
        _typed("RELO", relocations),
        _typed("PREP", prepare),
        _typed("EXEC", commands),
        Section("TMPL", program.templates.encode()),
    ]
    if program.debug is not None:
        found.append(Section("DBUG", _debug_text(program.debug).encode() + b"\n", 0, False))
    return found


def _typed(name: str, parts: list[bytes]) -> Section:
    return Section(name, b"".join(parts), len(parts))


def _metadata_text(program: Contents) -> str:
    shapes = [list(a.shape) for a in program.arguments]
    return canonical_json({**program.metadata, "shapes": shapes})


def _argument(a: Argument, add: Callable[[str], int]) -> bytes:
    access = int(a.reads) | int(a.writes) << 1
    form = NUMBERS[a.dtype] if a.dtype else 0
    return ARGUMENT.pack(
        add(a.name), KINDS.index(a.kind), form, access, len(a.shape), 0, a.minimum, a.maximum,
        a.multiple_of, 0, NO_INDEX if a.span is None else a.span, 0,
    )  # fmt: skip


def _unit(u: Unit, add: Callable[[str], int]) -> bytes:
    memory = NO_INDEX if u.memory is None else u.memory
    return UNIT.pack(add(u.name), add(u.kind), _or_minus(u.core), _or_minus(u.corelet), memory, 0)


def _memory(m: MemoryInfo, add: Callable[[str], int]) -> bytes:
    return MEMORY.pack(
        add(m.name), add(m.kind), SCOPES.index(m.scope), _or_minus(m.core), m.size, 0
    )


def _symbol(s: Symbol) -> bytes:
    flags = _NON_NEGATIVE if s.kind == "address" else 0
    return SYMBOL.pack(
        s.id, 0, SYMBOL_KINDS.index(s.kind), 0, s.expression, s.divisor, _or_minus(s.core), s.align,
        flags, 0,
    )  # fmt: skip


def _or_minus(value: int | None) -> int:
    return -1 if value is None else value


def _debug_text(debug: Debug) -> str:
    return canonical_json({"ops": debug.ops, "places": debug.places, "positions": debug.positions})


# -- reading ---------------------------------------------------------------------------------------


def contents_of(container: Container) -> Contents:
    """The tables of a file, each record well-formed (what they say is checked by ``validate``)."""
    sections = container.sections
    metadata, shapes = _read_metadata(sections["META"])
    strings = read_strings(sections["STRS"].payload, sections["STRS"].count)

    def rows(name: str, form: struct.Struct) -> Any:
        return records(sections[name].payload, sections[name].count, form, name, LIMIT)

    arguments = [_read_argument(i, r, strings) for i, r in enumerate(rows("ARGS", ARGUMENT))]
    if len(shapes) != len(arguments):
        raise bad("E12", f"{len(shapes)} shapes for {len(arguments)} arguments", "META")
    arguments = [evolve(a, shape=tuple(s)) for a, s in zip(arguments, shapes, strict=True)]
    units = [_read_unit(r, strings) for r in rows("UNIT", UNIT)]
    memories = [_read_memory(i, r, strings) for i, r in enumerate(rows("MEMS", MEMORY))]
    symbols = [_read_symbol(i, r) for i, r in enumerate(rows("SYMB", SYMBOL))]
    nodes = [_read_node(i, r) for i, r in enumerate(rows("EXPR", NODE))]
    commands = list(rows("EXEC", plans.COMMAND))
    plan, sites = plans.read_plan(commands, symbols)
    images = _read_images(sections, strings, rows, plans.site_symbols(plan, sites))
    prepare = plans.read_prepare(list(rows("PREP", plans.COMMAND)))
    if sections["TMPL"].count or sections["IMAG"].count != len(images):
        raise bad("E09", "the number of records is wrong", "IMAG")
    try:
        templates = sections["TMPL"].payload.decode()
    except UnicodeDecodeError:
        raise bad("E11", "not UTF-8", "TMPL") from None
    return Contents(
        metadata, tuple(arguments), tuple(units), tuple(memories), tuple(nodes), tuple(images), sites,
        plan, prepare, templates, _read_debug(sections.get("DBUG")),
    )  # fmt: skip


def _read_metadata(section: Section) -> tuple[dict[str, Any], list[list[int]]]:
    try:
        text = section.payload.decode("ascii")
    except UnicodeDecodeError:
        raise bad("E12", "not ASCII", "META") from None
    if not text.endswith("\n"):
        raise bad("E12", "does not end with a newline", "META")
    value = read_json(text[:-1], "META")
    missing = [
        k for k in ("abi", "kernel", "device", "producer", "shapes", "grid") if k not in value
    ]
    if not isinstance(value, dict) or missing:
        raise bad("E12", f"lacks {', '.join(missing) or 'keys'}", "META")
    if value["abi"] != 1:
        raise bad("E12", f"abi {value['abi']} is not 1", "META")
    device = value["device"]
    names = (value["kernel"], device.get("name") if isinstance(device, dict) else None)
    if not all(isinstance(name, str) for name in names):
        raise bad("E12", "kernel and device must have names", "META")
    grid, shapes = value["grid"], value.pop("shapes")
    if not _whole_numbers(grid) or any(n < 1 for n in grid):
        raise bad("E12", "grid must be a list of positive numbers", "META")
    if prod(grid) > LIMIT:
        raise bad("E25", f"{prod(grid)} grid elements are more than {LIMIT}", "META")
    if not isinstance(shapes, list) or not all(_whole_numbers(s) for s in shapes):
        raise bad("E12", "shapes must be lists of numbers", "META")
    if any(len(s) > MAX_RANK or any(not -1 <= n <= MAX_EXTENT for n in s) for s in shapes):
        raise bad("E12", "a shape has an odd rank or extent", "META")
    return value, shapes


def _whole_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(n) is int for n in value)


def _text(strings: Mapping[int, str], offset: int, section: str) -> str:
    if offset not in strings:
        raise bad("E11", f"no string begins at {offset}", section)
    return strings[offset]


def _choice(names: tuple[str, ...], number: int, code: str, section: str, record: int) -> str:
    if number >= len(names):
        raise bad(code, f"unknown kind {number}", section, record)
    return names[number]


def _or_none(value: int) -> int | None:
    return None if value < 0 else value


def _read_argument(at: int, row: tuple[int, ...], strings: Mapping[int, str]) -> Argument:
    name, kind, form, access, _, _, low, high, multiple, _, span, _ = row
    if form and form not in FORMATS:
        raise bad("E13", f"unknown element format {form}", "ARGS", at)
    return Argument(
        _text(strings, name, "ARGS"), _choice(KINDS, kind, "E13", "ARGS", at),
        FORMATS[form] if form else "", bool(access & 1), bool(access & 2), (), low, high, multiple,
        None if span == NO_INDEX else span,
    )  # fmt: skip


def _read_unit(row: tuple[int, ...], strings: Mapping[int, str]) -> Unit:
    name, kind, core, corelet, memory, _ = row
    return Unit(
        _text(strings, name, "UNIT"),
        _text(strings, kind, "UNIT"),
        _or_none(core),
        _or_none(corelet),
        None if memory == NO_INDEX else memory,
    )


def _read_memory(at: int, row: tuple[int, ...], strings: Mapping[int, str]) -> MemoryInfo:
    name, kind, scope, core, size, _ = row
    return MemoryInfo(
        _text(strings, name, "MEMS"),
        _text(strings, kind, "MEMS"),
        _choice(SCOPES, scope, "E14", "MEMS", at),
        size,
        _or_none(core),
    )


def _read_symbol(at: int, row: tuple[int, ...]) -> Symbol:
    id, _, kind, _, expression, divisor, core, align, _, _ = row
    name = _choice(SYMBOL_KINDS, kind, "E16", "SYMB", at)
    return Symbol(id, name, expression, divisor, align, _or_none(core))


def _read_node(at: int, row: tuple[int, ...]) -> Node:
    op, _, _, lhs, rhs, _, imm = row
    if op not in NAMES:
        raise bad("E15", f"unknown op {op}", "EXPR", at)
    return Node(NAMES[op], lhs, rhs, imm)


def _read_images(
    sections: Mapping[str, Section],
    strings: Mapping[int, str],
    rows: Callable[[str, struct.Struct], Any],
    symbols: Mapping[int, tuple[int, ...]],
) -> list[Image]:
    data = sections["IMAG"].payload
    relocations = list(rows("RELO", RELOCATION))
    images, at, first = [], 0, 0
    for number, row in enumerate(rows("PROG", PROGRAM)):
        name, _, offset, size, r0, count, _, _, crc = row
        if offset != at or size > len(data) - at:
            raise bad("E17", "the image lies outside or out of order", "PROG", number)
        if r0 != first or count > len(relocations) - first:
            raise bad("E17", "the relocations are out of order", "PROG", number)
        part = data[at : at + size]
        if zlib.crc32(part) != crc:
            raise bad("E17", "the checksum of the image is wrong", "PROG", number)
        own = [_read_relocation(number, r) for r in relocations[first : first + count]]
        if own != sorted(own):
            raise bad("E22", "relocations are not sorted", "RELO", first)
        ids = symbols.get(number, ())
        images.append(read_image(part, _text(strings, name, "PROG"), ids, strings, own))
        at, first = at + size, first + count
    if at != len(data) or first != len(relocations):
        raise bad("E17", "images or relocations belong to no program", "PROG")
    return images


def _read_relocation(program: int, row: tuple[int, ...]) -> tuple[int, int]:
    kind, _, owner, symbol, _, offset, _ = row
    if kind != _ABSOLUTE or owner != program:
        raise bad("E22", f"unknown kind {kind} or wrong program {owner}", "RELO")
    return offset, symbol


def _read_debug(section: Section | None) -> Debug | None:
    """Debug information; anything odd in it is ignored, as it must never keep a program from running."""
    if section is None:
        return None
    try:
        value = read_json(section.payload.decode("ascii")[:-1], "DBUG")
        positions = tuple(
            (str(f), int(line), int(column)) for f, line, column in value["positions"]
        )
        ops = tuple(str(op) for op in value["ops"])
        places = tuple(
            tuple(tuple((int(p), int(o)) for p, o in stream) for stream in image)
            for image in value["places"]
        )
    except (ArtifactError, ArithmeticError, ValueError, KeyError, TypeError):
        return None
    ok = all(
        -1 <= p < len(positions) and -1 <= o < len(ops)
        for image in places
        for stream in image
        for p, o in stream
    )
    return Debug(positions, ops, places) if ok else None
