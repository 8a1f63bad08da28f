"""Reading and writing records: bounds-checked views, the string table, canonical JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from kt.binary.errors import bad

MAX_JSON = 1 << 20
MAX_JSON_DEPTH = 16


@define
class Strings:
    """Strings interned in first-use order; the empty string is at 0."""

    _index: dict[str, int] = field(factory=lambda: {"": 0})
    _data: bytearray = field(factory=lambda: bytearray(1))

    def add(self, text: str) -> int:
        """Offset of ``text`` in the table."""
        found = self._index.get(text)
        if found is None:
            found = self._index[text] = len(self._data)
            self._data += text.encode() + b"\0"
        return found

    def payload(self) -> tuple[bytes, int]:
        """The table and the number of strings in it."""
        return bytes(self._data), len(self._index)


def read_strings(payload: bytes, count: int) -> dict[int, str]:
    """Strings by offset. ArtifactError E11 if the table is malformed."""
    if not payload or payload[0] or payload[-1]:
        raise bad(
            "E11", "the string table does not begin with the empty string and end with NUL", "STRS"
        )
    found: dict[int, str] = {}
    at = 0
    while at < len(payload):
        end = payload.index(0, at)
        try:
            found[at] = payload[at:end].decode()
        except UnicodeDecodeError:
            raise bad("E11", f"the string at {at} is not UTF-8", "STRS") from None
        at = end + 1
    if len(found) != count:
        raise bad("E11", f"the string table has {len(found)} strings, not {count}", "STRS")
    return found


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no blanks, ASCII only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def read_json(text: str, section: str, code: str = "E12") -> Any:
    """A value from canonical JSON. ArtifactError ``code`` if it isn't canonical."""
    if len(text) > MAX_JSON:
        raise bad(code, f"{len(text)} characters of JSON are more than {MAX_JSON}", section)
    try:
        value = json.loads(text)
        same = canonical_json(value) == text and depth(value) <= MAX_JSON_DEPTH
    except (ValueError, RecursionError):
        raise bad(code, "not JSON", section) from None
    if not same:
        raise bad(code, "not canonical JSON", section)
    return value


def depth(value: Any) -> int:
    """Nesting depth of a JSON value.

    >>> depth([1, {"a": []}])
    3
    """
    found, level = 0, [value]
    while level := [v for v in level if isinstance(v, (dict, list))]:
        found += 1
        level = [v for outer in level for v in (outer.values() if isinstance(outer, dict) else outer)]
    return found


@define
class Reader:
    """A view of bytes that can't be left. ``code`` is raised on an attempt."""

    data: bytes
    section: str
    code: str
    at: int = 0

    def need(self, size: int) -> int:
        """Claim ``size`` bytes; gives where they begin."""
        start = self.at
        if size < 0 or size > len(self.data) - start:
            raise bad(self.code, f"{size} bytes at {start} lie outside", self.section)
        self.at = start + size
        return start

    def unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack_from(self.data, self.need(form.size))

    def take(self, size: int) -> bytes:
        start = self.need(size)
        return self.data[start : start + size]

    def skip_to(self, offset: int) -> None:
        """Go to a place that must not lie before this one."""
        if offset < self.at or offset > len(self.data):
            raise bad(self.code, f"offset {offset} is out of order or outside", self.section)
        self.at = offset


def records(
    payload: bytes, count: int, form: struct.Struct, section: str, limit: int
) -> Iterator[tuple[Any, ...]]:
    """The records of a typed section. ArtifactError E09/E25 if the size or number is wrong."""
    if len(payload) != count * form.size:
        raise bad("E09", f"{len(payload)} bytes are not {count} records of {form.size}", section)
    if count > limit:
        raise bad("E25", f"{count} records are more than {limit}", section)
    return form.iter_unpack(payload)
