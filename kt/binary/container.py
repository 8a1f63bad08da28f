"""The file around the sections: header, section table, checksums, build id.

::

    header 64 B | section table 40 B each | sections, 64-aligned (IMAG: 128) | end at a multiple of 64

All integers are little-endian; every gap is zero. The build id covers all sections but ``DBUG``.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence

from attrs import frozen

from kt.binary.errors import bad

MAGIC = b"\x89KTB\r\n\x1a\n"
MAJOR, MINOR = 1, 0
HEADER = struct.Struct("<8sHHIIIQQII16s")
ENTRY = struct.Struct("<4sIQQIIQ")
REQUIRED = ("META", "STRS", "ARGS", "UNIT", "MEMS", "SYMB", "EXPR", "PROG", "IMAG", "RELO", "PREP",
            "EXEC", "TMPL")  # fmt: skip
OPTIONAL = ("DBUG",)
IS_REQUIRED = 1
STATIC = 1
MAX_SECTIONS = 64
_CRC_AT, _BUILD_AT = 40, 48


@frozen
class Section:
    """One section: its four letters, payload, and number of records (0 if untyped)."""

    name: str
    payload: bytes
    count: int = 0
    required: bool = True


@frozen
class Container:
    """A file taken apart, checksums verified."""

    sections: dict[str, Section]
    static: bool
    build_id: bytes
    version: tuple[int, int]


def padded(size: int, to: int) -> int:
    """``size`` rounded up to a multiple of ``to``."""
    return -(-size // to) * to


def alignment_of(name: str) -> int:
    return 128 if name == "IMAG" else 64


def build_id(sections: Sequence[Section]) -> bytes:
    """16 bytes that name the contents (debug information left out)."""
    digest = hashlib.sha256()
    for section in sections:
        if section.name != "DBUG":
            digest.update(section.name.encode() + struct.pack("<Q", len(section.payload)))
            digest.update(section.payload)
    return digest.digest()[:16]


def write_container(sections: Sequence[Section], static: bool) -> bytes:
    """The bytes of a file with these sections in order."""
    at = HEADER.size + ENTRY.size * len(sections)
    entries, body = [], []
    for section in sections:
        offset = padded(at, alignment_of(section.name))
        body.append(bytes(offset - at) + section.payload)
        at = offset + len(section.payload)
        entries.append(
            ENTRY.pack(
                section.name.encode(),
                IS_REQUIRED if section.required else 0,
                offset,
                len(section.payload),
                zlib.crc32(section.payload),
                section.count,
                0,
            )
        )
    size = padded(at, 64)
    body.append(bytes(size - at))
    table = b"".join(entries)
    fields = (MAGIC, MAJOR, MINOR, HEADER.size, STATIC if static else 0, len(sections), HEADER.size,
              size, 0, 0, build_id(sections))  # fmt: skip
    header = bytearray(HEADER.pack(*fields))
    struct.pack_into("<I", header, _CRC_AT, zlib.crc32(bytes(header) + table))
    return bytes(header) + table + b"".join(body)


def read_container(data: bytes) -> Container:
    """Take a file apart. ArtifactError (E01 to E10) on damage; nothing is copied before it is checked."""
    if len(data) < HEADER.size or data[:8] != MAGIC:
        raise bad("E01", "not a .ktb file: it is too short or begins with other bytes")
    _, major, minor, header_size, flags, count, table_at, size, crc, zero, build = (
        HEADER.unpack_from(data)
    )
    if major != MAJOR or header_size != HEADER.size:
        raise bad("E02", f"version {major}.{minor} (header of {header_size} bytes) is not known")
    if size != len(data) or size % 64:
        raise bad("E03", f"the header says {size} bytes, the file has {len(data)}")
    end = HEADER.size + ENTRY.size * count
    if not len(REQUIRED) <= count <= MAX_SECTIONS or table_at != HEADER.size or end > size:
        raise bad("E04", f"a section table of {count} entries at {table_at} does not fit")
    head = bytearray(data[: HEADER.size])
    head[_CRC_AT : _CRC_AT + 4] = bytes(4)
    if zlib.crc32(bytes(head) + data[HEADER.size : end]) != crc:
        raise bad("E05", "the checksum of the header is wrong")
    if flags & ~STATIC:
        raise bad("E06", f"unknown flags {flags:#x} in the header")
    if zero:
        raise bad("E07", "a reserved field of the header is not zero")
    sections = _read_sections(data, count, end)
    if build_id(list(sections.values())) != build:
        raise bad("E10", "the build id does not match the contents")
    return Container(sections, bool(flags & STATIC), build, (major, minor))


def _read_sections(data: bytes, count: int, at: int) -> dict[str, Section]:
    found: dict[str, Section] = {}
    for i in range(count):
        fourcc, flags, offset, size, crc, records, zero = ENTRY.unpack_from(
            data, HEADER.size + ENTRY.size * i
        )
        name = fourcc.decode("latin-1")
        required = bool(flags & IS_REQUIRED)
        _check_name(name, required, i, found)
        if flags & ~IS_REQUIRED or zero:
            raise bad("E07", "a reserved field is not zero", name)
        if (
            offset != padded(at, alignment_of(name))
            or size > len(data)
            or offset + size > len(data)
        ):
            raise bad("E07", f"lies at {offset}, {size} bytes long, which does not fit", name)
        if any(data[at:offset]):
            raise bad("E07", "the gap in front is not zero", name)
        payload = data[offset : offset + size]
        if zlib.crc32(payload) != crc:
            raise bad("E08", "the checksum of the section is wrong", name)
        found[name] = Section(name, payload, records, required)
        at = offset + size
    if len(data) != padded(at, 64) or any(data[at:]):
        raise bad("E07", "the file does not end with its last section")
    return found


def _check_name(name: str, required: bool, place: int, found: dict[str, Section]) -> None:
    if name in found:
        raise bad("E06", f"section {name} appears twice")
    wanted = REQUIRED[place] if place < len(REQUIRED) else None
    if wanted is not None and name != wanted:
        raise bad("E06", f"section {name!r} stands where {wanted} belongs")
    if wanted is not None and not required:
        raise bad("E06", f"section {name} must be marked as required")
    if wanted is None and required:
        raise bad("E06", f"section {name!r} is required but not known")
