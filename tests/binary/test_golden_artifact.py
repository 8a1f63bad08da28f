"""Golden files: the sample of the SpyreCode notes as far as it still holds, and today's bytes of it.

Both are the kernel ``k(x)``, f16 behind ``x``, on two cores whose starts lie 320 bytes apart. Since the
notes were written, plans got loops and conditions (EXEC is other, and SYMB has one table per launch,
without inputs), streams got their own tables and accesses (IMAG), the correction block left the region
(PREP), templates got a section (TMPL), and META needs grid and shapes.
"""

from __future__ import annotations

import hashlib
import re
import struct
from pathlib import Path

import pytest

from kt.binary import Op, Program, container, image, isa, plans, records
from kt.binary.container import ENTRY, HEADER, Section, read_container, write_container
from kt.binary.expressions import Node
from kt.binary.image import write_image
from kt.binary.isa import Instruction
from kt.binary.model import (
    HIGH,
    Argument,
    Contents,
    Image,
    Launch,
    Relocation,
    Stream,
    Symbol,
    Table,
    Unit,
)
from kt.binary.plans import prepare_plan
from kt.ir.diagnostics import RunError

FOLDER = Path(__file__).parents[1] / "corpus" / "golden_ktb"


def golden(name: str, size: int) -> bytes:
    """The bytes of a dump: rows of an offset and sixteen bytes; rows of zeros are left out."""
    found = bytearray(size)
    for line in (FOLDER / name).read_text().splitlines():
        at, *row = line.split()
        found[int(at, 16) : int(at, 16) + len(row)] = bytes.fromhex("".join(row))
    return bytes(found)


def sections_of(data: bytes) -> list[Section]:
    """The sections of a file by its table, unchecked."""
    count = struct.unpack_from("<I", data, 20)[0]
    found = []
    for i in range(count):
        name, flags, offset, size, _, records, _ = ENTRY.unpack_from(
            data, HEADER.size + ENTRY.size * i
        )
        found.append(Section(name.decode(), data[offset : offset + size], records, bool(flags & 1)))
    return found


def program() -> Program:
    code = (Instruction(Op.UTAB, 0, imm=0), Instruction(Op.HALT))
    stream = Stream("glu", (0, 1), 1, 0, (Table((-2, -3)),), (), code)
    image = Image("p", (-2, -3), (stream,), (), (Relocation(0, 0, 0, 0), Relocation(0, 0, 1, 1)))
    nodes = (
        Node("arg", 0), Node("grid"), Node("const", imm=320), Node("mul", 1, 2), Node("add", 0, 3),
        Node("const", imm=640),
    )  # fmt: skip
    site = tuple(Symbol(-2 - core, "address", 4, 32, 32, core) for core in (0, 1))
    metadata = {
        "abi": 1, "device": {"digest": "00", "name": "mini"}, "kernel": "k", "producer": "kt", "grid": [2],
    }  # fmt: skip
    return Program.of(
        Contents(
            metadata,
            (Argument("x", "address", "f16", True, False, (320,), 0, HIGH, 32, 5),),
            (Unit("C0-glu", "glu", 0, 0), Unit("C1-glu", "glu", 1, 0)),
            (), nodes, (image,), (site,), (Launch(0, 0),),
            prepare_plan([len(write_image(image, lambda text: 0))]),
        )
    )  # fmt: skip


SHA = "fd05fa3a2e22bee968dbdaf49841f2440369cb1640c89e123e4b53119fe9bfa3"
NOTES = golden("spyrecode_b18.txt", 1920)


def test_the_dump_is_that_of_the_notes():
    digest = "9ae25503e8f2f413235204647ec441ae5e65a99350070174c453b6478f1ebf33"
    assert hashlib.sha256(NOTES).hexdigest() == digest


def test_the_container_of_the_notes_is_written_byte_for_byte():
    """Header, section table, order, alignment, padding, checksums, build id."""
    assert write_container(sections_of(NOTES), static=False) == NOTES


@pytest.mark.parametrize("name", ["STRS", "ARGS", "UNIT", "MEMS", "EXPR"])
def test_sections_of_the_notes(name):
    old = next(s for s in sections_of(NOTES) if s.name == name)
    assert read_container(program().to_bytes()).sections[name] == old


def test_what_else_the_notes_fix():
    old = {s.name: s.payload for s in sections_of(NOTES)}
    new = {n: s.payload for n, s in read_container(program().to_bytes()).sections.items()}
    # Instructions, table data and units' ordinals; all but the image's checksum; formulas of symbols.
    assert old["IMAG"][0x90:0xB0] == new["IMAG"][0x98:0xB8]
    assert old["IMAG"][0x78:0x88] == new["IMAG"][0x88:0x98]
    assert old["PROG"][:40] == new["PROG"][:40]
    for number in (0, 1):
        was, now = old["SYMB"][40 * (number + 1) :][:40], new["SYMB"][40 * number :][:40]
        assert (was[:8], was[16:32]) == (now[:8], now[16:32])
    assert old["RELO"][8:12] == struct.pack("<I", 1) and new["RELO"][8:12] == bytes(4)
    assert old["EXEC"][120:122] == new["EXEC"][:2]  # LAUNCH


def test_launches_of_the_notes():
    made = program()
    for x, values in ((4096, (128, 138)), (16384, (512, 522))):
        (call,) = made.launches([x])
        assert call.symbols == values
    with pytest.raises(RunError, match="argument 'x' is 4100, not a multiple of 32"):
        made.launches([4100])


def test_today_s_bytes():
    data = program().to_bytes()
    assert data == golden("sample.txt", len(data))
    assert hashlib.sha256(data).hexdigest() == SHA
    assert Program.from_bytes(data) == program()


def test_the_page_on_the_format_has_the_right_records():
    """Sizes in docs/artifact.md are those of the layouts beside them, and these are the code's."""
    page = (Path(__file__).parents[2] / "docs" / "artifact.md").read_text()
    layouts = {
        form.format
        for module in (container, records, image, plans, isa)
        for form in vars(module).values()
        if isinstance(form, struct.Struct)
    }
    found = re.findall(r"(?:(\d+)(?: bytes)?(?: each)?,? )?`(<[A-Za-z0-9]+)`", page)
    assert len(found) > 15
    for size, form in found:
        assert form in layouts
        assert not size or struct.calcsize(form) == int(size), form
    rows = {row for row in re.findall(r"E\d\d", page)}
    assert rows == {f"E{number:02}" for number in range(1, 26)}
