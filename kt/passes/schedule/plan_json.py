"""Plans as JSON: what each entry may be, and errors that say so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from kt.ir.diagnostics import UNKNOWN, Location, PassError

SAMPLE = 'a plan reads {"tile": {"0": 4, "1": 8}, "depth": 2, "coalesce": true}, and each part may be left out'


def parse_plan(data: Any, location: Location = UNKNOWN) -> dict[str, Any]:
    """The entries of a plan by name, as the fields of Plan; PassError where it is none."""
    if not isinstance(data, dict):
        raise _wrong("a plan is an object", data, location)
    found: dict[str, Any] = {}
    for name, value in data.items():
        if name not in ENTRIES:
            raise _wrong(f"a plan has no '{name}'", data, location)
        what, read = ENTRIES[name]
        entry = read(value)
        if entry is None:
            raise _wrong(what, data, location)
        found.update(entry)
    return found


def _wrong(what: str, data: Any, location: Location) -> PassError:
    return PassError(f"not a plan: {what}, got {json.dumps(data)[:200]}", location, hint=SAMPLE)


def is_key(key: str) -> bool:
    """Whether a word is a small number."""
    return key.isascii() and key.isdecimal() and len(key) <= 4


def read_table(data: Any, least: int, most: int = 2**63 - 1) -> dict[int, int] | None:
    """Numbers within bounds, by small numbers, in their order."""
    if not isinstance(data, dict) or not all(map(is_key, data)):
        return None
    if not all(type(n) is int and least <= n <= most for n in data.values()):
        return None
    return dict(sorted((int(key), n) for key, n in data.items()))


def _list(data: Any) -> tuple[int, ...] | None:
    """Distinct small numbers."""
    if not isinstance(data, list) or not all(type(n) is int and 0 <= n < 10_000 for n in data):
        return None
    return tuple(data) if len(set(data)) == len(data) else None


def _depth(data: Any) -> dict[str, Any] | None:
    """One depth, or one for each of some operands."""
    if isinstance(data, dict):
        depths = read_table(data, 1, 2)
        return None if depths is None else {"depths": depths}
    return {"depth": data} if type(data) is int and data in (1, 2) else None


def _accumulator(data: Any) -> dict[str, str] | None:
    """Words for a memory and a type."""
    if not isinstance(data, dict) or not set(data) <= {"memory", "type"}:
        return None
    return dict(sorted(data.items())) if all(isinstance(word, str) for word in data.values()) else None


Reader = Callable[[Any], "dict[str, Any] | None"]


def _entry(name: str, read: Callable[[Any], Any]) -> Reader:
    def reader(data: Any) -> dict[str, Any] | None:
        found = read(data)
        return None if found is None else {name: found}

    return reader


ENTRIES: dict[str, tuple[str, Reader]] = {
    "tile": (
        "tiles are numbers of iterations, at least 1, by dimension",
        _entry("tile", lambda data: read_table(data, 1)),
    ),
    "depth": (
        "the depth is 1 or 2, or a table of such depths by number of the operand (2 where it has none)",
        _depth,
    ),
    "coalesce": (
        "coalesce is true or false",
        _entry("coalesce", lambda data: data if isinstance(data, bool) else None),
    ),
    "order": (
        "the order lists dimensions, each one once, from the outermost loop to the innermost",
        _entry("order", _list),
    ),
    "sunk": (
        "sunk is the number of point loops inside the pipeline, at least 0",
        _entry("sunk", lambda data: data if type(data) is int and 0 <= data < 10_000 else None),
    ),
    "reuse": (
        "reuse is the most loops that a load is hoisted past, at least 0, by number of the operand",
        _entry("reuse", lambda data: read_table(data, 0)),
    ),
    "instances": (
        "instances gives numbers of equal units, at least 2, by dimension; {} spreads nothing",
        _entry("instances", lambda data: read_table(data, 2)),
    ),
    "accumulator": (
        'the accumulator is {"memory": KIND, "type": ELEMENT}, of which one may be left out',
        _entry("accumulator", _accumulator),
    ),
    "jam": (
        "jam is the number of iterations computed together, 2 to 64, by dimension; {} for one by one",
        _entry("jam", lambda data: read_table(data, 2, 64)),
    ),
}
"""What may stand in a plan: what it has to be, in words, and the fields of Plan that it gives."""
