"""Round trip, determinism, and what damage does."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from attrs import evolve
from binary_sample import sample
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.binary import Op, Program
from kt.binary.container import ENTRY, HEADER, Section, build_id, read_container, write_container
from kt.binary.isa import Instruction
from kt.binary.model import Access, For, Launch, Table, TimeDim
from kt.ir.diagnostics import ArtifactError, RunError


def codes_of(data: bytes) -> str:
    with pytest.raises(ArtifactError) as caught:
        Program.from_bytes(data)
    return caught.value.code


def resealed(data: bytes) -> bytes:
    """The bytes with all checksums and the build id made right again."""
    count = struct.unpack_from("<I", data, 20)[0]
    sections = []
    for i in range(count):
        name, flags, offset, size, _, records, _ = ENTRY.unpack_from(
            data, HEADER.size + ENTRY.size * i
        )
        sections.append(
            Section(name.decode(), data[offset : offset + size], records, bool(flags & 1))
        )
    return write_container(sections, bool(data[16] & 1))


def test_round_trip() -> None:
    program = sample()
    data = program.to_bytes()
    again = Program.from_bytes(data)
    assert again == program and again.debug == program.debug
    assert again.to_bytes() == data
    assert len(data) % 64 == 0 and data[:8] == b"\x89KTB\r\n\x1a\n"


def test_every_flipped_byte_is_refused_or_harmless() -> None:
    """Checksums catch all of it; only debug information may change unseen (and does not here)."""
    data = sample().to_bytes()
    for at in range(len(data)):
        for bit in (0x01, 0x80):
            damaged = bytearray(data)
            damaged[at] ^= bit
            with pytest.raises(ArtifactError):
                Program.from_bytes(bytes(damaged))


def test_every_flipped_byte_behind_right_checksums_is_refused_or_another_program() -> None:
    """Without the help of checksums: an ArtifactError, or a program that writes the same bytes."""
    program = sample()
    data = program.to_bytes(debug=False)
    first = HEADER.size + ENTRY.size * 13
    survivors = 0
    for at in range(first, len(data), 2):
        damaged = bytearray(data)
        damaged[at] ^= 0x11
        sealed = resealed(bytes(damaged))
        try:
            again = Program.from_bytes(sealed)
        except ArtifactError:
            continue
        if again == program:
            # A flip in a gap, which resealing has repaired.
            assert sealed == data
            continue
        survivors += 1
        assert again.to_bytes() == sealed
    assert survivors < len(data) // 6


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=12))
def test_random_patches_never_crash(at: int, patch: bytes) -> None:
    data = bytearray(sample().to_bytes(debug=False))
    at %= len(data)
    data[at : at + len(patch)] = patch[: len(data) - at]
    for candidate in (bytes(data), bytes(data[:at])):
        try:
            Program.from_bytes(candidate)
        except ArtifactError as error:
            assert error.code[0] == "E"


def test_refusals_by_code() -> None:
    data = sample().to_bytes()

    def patched(at: int, form: str, value: int) -> bytes:
        out = bytearray(data)
        struct.pack_into(form, out, at, value)
        return bytes(out)

    assert codes_of(b"") == "E01"
    assert codes_of(b"\x7fELF" + data[4:]) == "E01"
    assert codes_of(patched(8, "<H", 2)) == "E02"
    assert codes_of(data + bytes(64)) == "E03"
    assert codes_of(patched(20, "<I", 100)) == "E04"
    assert codes_of(patched(10, "<H", 9)) == "E05"
    assert codes_of(data[:-64] + b"\1" + data[-63:]) in ("E07", "E08")


def test_refusals_of_sections() -> None:
    container = read_container(sample().to_bytes())
    sections = list(container.sections.values())
    assert codes_of(write_container([*sections[1:], sections[0]], False)) == "E06"
    extra = [*sections, Section("ABCD", b"x", 0, True)]
    assert codes_of(write_container(extra, False)) == "E06"
    assert (
        Program.from_bytes(write_container([*sections, Section("ABCD", b"x", 0, False)], False))
        == sample()
    )
    assert codes_of(write_container(sections, True)) == "E23"
    assert container.build_id == build_id(sections)


def with_meta(text: bytes) -> bytes:
    sections = list(read_container(sample().to_bytes()).sections.values())
    return write_container([Section("META", text), *sections[1:]], False)


def test_refusals_of_metadata() -> None:
    good = read_container(sample().to_bytes()).sections["META"].payload
    assert codes_of(with_meta(good.replace(b'"abi":1', b'"abi":2'))) == "E12"
    assert codes_of(with_meta(good.replace(b'"abi":1', b'"abi": 1'))) == "E12"
    assert codes_of(with_meta(good.replace(b'"abi":1', b'"abi":1,"abi":1'))) == "E12"
    assert codes_of(with_meta(b"[" * 5000 + b"]" * 5000 + b"\n")) == "E12"
    assert codes_of(with_meta(b'{"abi":1}\n')) == "E12"
    assert codes_of(with_meta(b"[]\n")) == "E12"


def changed(**loader: object) -> bytes:
    """The sample with another loader stream."""
    program = sample()
    image = program.images[0]
    stream = evolve(image.streams[0], **loader)
    return evolve(program, images=(evolve(image, streams=(stream, *image.streams[1:])),)).to_bytes()


def code_with(at: int, **fields: object) -> bytes:
    code = list(sample().images[0].streams[0].code)
    code[at] = evolve(code[at], **fields)
    return changed(code=tuple(code))


def test_refusals_of_instructions() -> None:
    assert codes_of(code_with(0, imm=9)) == "E19"  # no such table
    assert codes_of(code_with(2, d=7)) == "E19"  # no such register
    assert codes_of(code_with(3, a=1)) == "E19"  # unused field
    assert codes_of(code_with(9, flags=2)) == "E19"
    assert codes_of(code_with(8, imm=(5 << 32))) == "E19"  # no such access
    assert codes_of(code_with(5, imm=5)) == "E20"
    assert codes_of(code_with(10, imm=3)) == "E20"
    assert codes_of(code_with(11, op=Op.NOP)) == "E20"
    assert codes_of(code_with(12, op=Op.NOP)) == "E20"
    assert codes_of(code_with(4, op=Op.HALT, d=0, imm=0)) == "E20"


def test_refusals_of_accesses_and_tables() -> None:
    stream = sample().images[0].streams[0]

    def access(**fields: object) -> bytes:
        return changed(accesses=(stream.accesses[0], evolve(stream.accesses[1], **fields)))

    assert codes_of(access(table=0)) == "E21"
    assert codes_of(access(lanes=9)) == "E21"
    assert codes_of(access(maximum=14)) == "E21"
    assert codes_of(access(time_dims=(TimeDim(3, 8),))) == "E21"
    assert codes_of(access(terms=((7, 1),))) == "E21"
    tables = list(stream.tables)
    assert codes_of(changed(tables=(*tables[:3], Table((4, 2), True), tables[4]))) == "E21"
    assert codes_of(changed(tables=(*tables[:3], Table((4, 99), True), tables[4]))) == "E14"
    assert codes_of(changed(tables=(Table((-2, -7)), *tables[1:]))) == "E22"


def test_refusals_of_tables_of_the_program() -> None:
    program = sample()
    nodes, site = program.expressions, program.sites[0]

    def expressions(at: int, **fields: object) -> bytes:
        new = (*nodes[:at], evolve(nodes[at], **fields), *nodes[at + 1 :])
        return evolve(program, expressions=new).to_bytes()

    def symbol(at: int, **fields: object) -> bytes:
        new = (*site[:at], evolve(site[at], **fields), *site[at + 1 :])
        return evolve(program, sites=(new,)).to_bytes()

    assert codes_of(expressions(2, lhs=2)) == "E15"
    assert codes_of(expressions(0, lhs=2)) == "E15"
    assert codes_of(expressions(0, imm=1)) == "E15"
    assert codes_of(symbol(0, divisor=0)) == "E16"
    assert codes_of(symbol(0, core=None)) == "E16"
    assert codes_of(symbol(0, core=2)) == "E16"
    assert codes_of(symbol(0, expression=99)) == "E16"
    assert codes_of(symbol(3, expression=13, id=-4)) == "E16"
    assert (
        codes_of(evolve(program, plan=(*program.plan, *program.plan[0].body)).to_bytes()) == "E24"
    )
    assert codes_of(evolve(program, prepare=()).to_bytes()) == "E24"
    argument = evolve(program.arguments[0], multiple_of=0)
    assert codes_of(evolve(program, arguments=(argument, program.arguments[1])).to_bytes()) == "E13"
    unit = evolve(program.units[0], core=2)
    assert codes_of(evolve(program, units=(unit, *program.units[1:])).to_bytes()) == "E14"


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "k.ktb"
    path.write_bytes(b"old")
    sample().save(path)
    assert Program.load(path) == sample()
    assert [p.name for p in tmp_path.iterdir()] == ["k.ktb"]
    with pytest.raises(ArtifactError, match="can't read"):
        Program.load(tmp_path / "none.ktb")
    with pytest.raises(ArtifactError, match="can't write"):
        sample().save(tmp_path / "no" / "such" / "k.ktb")


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    here = Path(__file__).parent
    script = f"import sys; sys.path.insert(0, {str(here)!r}); import binary_sample; print(binary_sample.sample().build_id)"
    found = set()
    for seed in ("0", "1", "77"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        out = subprocess.run(
            [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
        )
        found.add(out.stdout)
    assert found == {sample().build_id + "\n"}


def test_build_id_ignores_debug_information() -> None:
    program = sample()
    bare = read_container(program.to_bytes(debug=False))
    assert bare.build_id.hex() == program.build_id
    assert Program.from_bytes(program.to_bytes(debug=False)).location(0, 1, 1) is None
    place = program.location(0, 1, 1)
    assert place is not None and str(place) == "k.mlir:3:5"
    assert program.op_name(0, 1, 1) == "dataflow.receive"


def test_launches_evaluate_symbols_per_iteration() -> None:
    """x = 4096, n = 20: three trips; core c works while trip < 3 - c, on rows of 512 + 256 c bytes."""
    program = sample()
    calls = list(program.launches([4096, 20]))
    assert [call.ivs for call in calls] == [(0,), (1,), (2,)]
    for trip, call in enumerate(calls):
        start = (4096 + 512 * trip) // 16
        assert call.symbols == (start, start + 16, 1, int(trip < 2))
    bound = program.images[0].bind(calls[2].symbols)
    assert bound[0] == [[320, 336], [7, 9], [1, 0], [4, 4], [5, 6]]
    assert bound[1] == [[0, 1]]
    assert not list(program.launches([4096, 0]))
    # At rest nothing has changed.
    assert program.images[0].streams[0].tables[0] == Table((-2, -3))


def test_bad_arguments_are_launch_errors() -> None:
    program = sample()
    with pytest.raises(RunError, match="expected 2 arguments"):
        program.launches([1])
    with pytest.raises(RunError, match="'x' is 4100, not a multiple of 16"):
        program.launches([4100, 8])
    with pytest.raises(RunError, match="'n' is -1, outside"):
        program.launches([0, -1])


def test_misaligned_and_negative_addresses_are_launch_errors() -> None:
    program = sample()
    nodes = list(program.expressions)
    nodes[5] = evolve(nodes[5], imm=520)
    odd = evolve(program, expressions=tuple(nodes))
    with pytest.raises(RunError, match=r"symbol -2, \(\(x .*, is 520, not a multiple of 16"):
        list(odd.launches([0, 16]))
    nodes[5] = evolve(nodes[5], imm=-512)
    below = evolve(program, expressions=tuple(nodes))
    with pytest.raises(RunError, match="negative address"):
        list(below.launches([0, 24]))


def test_disassembly_is_stable_and_complete() -> None:
    text = sample().disassemble()
    for line in (
        ".arg   0 x  address f16 r ?x64 align 16 in [0, 1099511627776]",
        ".sym   site 0  -3  address = ((x + (iv0 * 512)) + (grid * 256)) / 16  grid 1  align 16",
        ".stream DMAI  units [C0-dmai C1-dmai]  sregs 7  vregs 0",
        "   6    loop     s5, s3, s2, step s4, len 4",
        "   7      sadd     s6, s5, 7",
        "   8      xfer     acc0, acc1",
        "   9      syncs    s0, wait",
        "t0  [sym -2, sym -3]",
        "acc0  mem t3  f16 x8: (8,1)  start s0*16B  element 64*s5 + 4  time (2,8)  bound [0,1023]",
        "k0  v1:f16x8 = arith.addf(v0:f16x8, v0:f16x8)",
        ".exec  for ceildivs(n, 8)",
        ".exec    launch twice  site 0",
    ):
        assert line in text.splitlines(), line
    assert "dataflow.receive  k.mlir:3:5" in text
    assert (
        sample().to_json()["programs"][0]["streams"][1]["code"][3] == "send     v1, s0, Clockwise"
    )


def test_access_and_instruction_words_hold_extreme_values() -> None:
    program = sample()
    image = program.images[0]
    wide = Access(
        3, "i64", 1, None, 0, -(1 << 63), 0, ((0, (1 << 63) - 1),), (), (), -(1 << 62), 1 << 62
    )
    code = (
        Instruction(Op.SCONST, 0, imm=-(1 << 63)),
        Instruction(Op.LDS, 1, imm=2),
        *image.streams[0].code,
    )
    stream = evolve(image.streams[0], accesses=(*image.streams[0].accesses, wide), code=code)
    again = evolve(program, images=(evolve(image, streams=(stream, image.streams[1])),))
    sizes = evolve(again, prepare=())
    from kt.binary.image import write_image
    from kt.binary.plans import prepare_plan

    fitted = evolve(sizes, prepare=prepare_plan([len(write_image(again.images[0], len))]))
    assert Program.from_bytes(fitted.to_bytes()) == fitted


def test_checksum_of_a_section_is_crc32() -> None:
    data = sample().to_bytes()
    name, _, offset, size, crc, _, _ = ENTRY.unpack_from(data, HEADER.size)
    assert name == b"META" and zlib.crc32(data[offset : offset + size]) == crc


def with_section(name: str, **fields: object) -> bytes:
    """The sample with one section changed, and right checksums around it."""
    sections = read_container(sample().to_bytes()).sections
    changed = [evolve(s, **fields) if s.name == name else s for s in sections.values()]
    return write_container(changed, False)


def test_refusals_of_checksums_counts_and_images() -> None:
    """The codes that no other test here needs; E25 is in the tests of hostile files."""
    data = sample().to_bytes()
    sections = read_container(data).sections
    at = ENTRY.unpack_from(data, HEADER.size)[2]
    assert codes_of(data[:at] + b"[" + data[at + 1 :]) == "E08"
    assert codes_of(with_section("ARGS", count=3)) == "E09"
    assert codes_of(with_section("EXPR", payload=sections["EXPR"].payload[:-8])) == "E09"
    build = bytearray(data)
    build[48] ^= 1
    build[40:44] = bytes(4)
    count = struct.unpack_from("<I", data, 20)[0]
    struct.pack_into("<I", build, 40, zlib.crc32(build[: HEADER.size + ENTRY.size * count]))
    assert codes_of(bytes(build)) == "E10"
    strings = sections["STRS"].payload
    assert codes_of(with_section("STRS", payload=strings[:-1] + b"x")) == "E11"
    assert codes_of(with_section("STRS", payload=strings.replace(b"dmai", b"dm\xff\xfe"))) == "E11"
    assert codes_of(with_section("TMPL", payload=b"\xff")) == "E11"
    rows = bytearray(sections["PROG"].payload)
    rows[40] ^= 1
    assert codes_of(with_section("PROG", payload=bytes(rows))) == "E17"
    image = b"KTPX" + sections["IMAG"].payload[4:]
    struct.pack_into("<I", rows, 40, zlib.crc32(image))
    sealed = [
        evolve(s, payload={"PROG": bytes(rows), "IMAG": image}.get(s.name, s.payload))
        for s in sections.values()
    ]
    assert codes_of(write_container(sealed, False)) == "E18"


def test_unknown_and_contradictory_symbols_are_refused() -> None:
    """All launches of a program have the same symbols, each once, and relocations name these."""
    program = sample()
    (site,) = program.sites
    plan = (*program.plan, For(2, (Launch(0, 1),)))
    assert Program.from_bytes(evolve(program, sites=(site, site), plan=plan).to_bytes())
    for other in (site[:-1], tuple(reversed(site)), (*site[:-1], evolve(site[-1], id=-9))):
        assert codes_of(evolve(program, sites=(site, other), plan=plan).to_bytes()) == "E16"
    twice = (site[0], evolve(site[1], id=-2), *site[2:])
    assert codes_of(evolve(program, sites=(twice,)).to_bytes()) == "E16"
    (image,) = program.images
    for symbol in (4, 1):  # none such, and another's
        relocations = (evolve(image.relocations[0], symbol=symbol), *image.relocations[1:])
        wrong = evolve(program, images=(evolve(image, relocations=relocations),))
        assert codes_of(wrong.to_bytes()) == "E22"


def test_spans_are_checked() -> None:
    """What says how large a buffer is must be a node that every launch can evaluate."""
    program = sample()

    def spanned(node: int) -> bytes:
        first, second = program.arguments
        return evolve(program, arguments=(evolve(first, span=node), second)).to_bytes()

    assert Program.from_bytes(spanned(2)).host.spans[0]([0, 20]) == (3,)
    assert codes_of(spanned(99)) == "E13"
    assert codes_of(spanned(8)) == "E13"  # needs a core
    assert codes_of(spanned(4)) == "E13"  # needs a host loop
