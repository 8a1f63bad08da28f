"""Damaged texts: corpus files with a few random edits, or cut short, by a seed."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "corpus"
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%@#!^]?[\w.$]+|->|::|\S|\s+')
_PIECES = (
    "{", "}", "(", ")", "<", ">", "[", "]", ":", ",", "=", "->", "%", "%0", "%0#9", "%0:9", "@", "#", "!", "^",
    '"', "//", "/", "-", "0x", "0x1F", "01", "1e999", "1.0", "99999999999999999999999999", "-1", "?", "*",
    "x", "4x", "tensor<", "memref<4x", "vector<[4]xf32>", "dense<", "array<i32:", "affine_map<(d0) -> (d0",
    "affine_set<(d0) : (d0 >= 0", "loc(", "loc(unknown)", "{-#", "#-}", "i0", "i99999999", "f32", "none",
    "true", "unit", "!ktdp.access_tile<", "#ktdp.", "ktdp.load", "func.func", "scf.for", "return", "module",
    "^bb0:", "\x00", "\ufffd", "\\", "\u00e4", "#map", "!t = ", "\n", "loc", "strided<[?, 1]>", "index", "tuple<",
)  # fmt: skip

_TYPE = re.compile(
    r"(?:tensor|memref|vector|!ktdp\.\w+|!ktdf\.[\w.]+|!\w+\.\w+)<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)*>"
    r"|\b(?:index|none|[su]?i\d+|b?f\d+)\b"
)
_OTHER_TYPES = (
    "f16", "index", "i1", "none", "tensor<f16>", "tensor<4xf16>", "tensor<?x4xf16>", "tensor<*xf16>", "memref<2xf16>",
    "memref<*xf16>", 'memref<2x3xf32, strided<[4, 1], offset: ?>, "near">', "vector<4xf16>", "vector<[4]xi8>",
    "complex<f32>", "tuple<i32, f32>", "() -> ()", "!ktdp.access_tile<4xindex>", "!ktdf.token",
    '!ktdf.fifo.slot<"a" -> "b", 4xf16>', "!spyreop.df16", "!other.type<1>", "tensor<0xf16>", "i99",
)  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """The corpus, as texts of at most 12 kB (longer files by their beginning)."""
    files = sorted(CORPUS.rglob("*.mlir"))
    return tuple(f.read_text()[:12_000] for f in files)


def mutated(seed: int) -> str:
    """One damaged text."""
    rng = random.Random(seed)
    text = rng.choice(texts())
    if len(text) > 3000 and rng.random() < 0.5:  # a part of a file says as much as all of it
        at = rng.randrange(len(text) - 2000)
        text = text[max(0, text.rfind("\n", 0, at)) : at + 2000]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        text = rng.choice(_EDITS)(text, rng)
    return text


def _spot(text: str, rng: random.Random) -> int:
    return rng.randrange(len(text) + 1)


def _cut(text: str, rng: random.Random) -> str:
    return text[: _spot(text, rng)]


def _character(text: str, rng: random.Random) -> str:
    at = _spot(text, rng)
    return text[:at] + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000)))) + text[at + 1 :]


def _insert(text: str, rng: random.Random) -> str:
    at = _spot(text, rng)
    return text[:at] + rng.choice(_PIECES) + text[at:]


def _delete(text: str, rng: random.Random) -> str:
    at = _spot(text, rng)
    return text[:at] + text[at + rng.randint(1, 12) :]


def _tokens(text: str, rng: random.Random) -> str:
    """A token doubled, removed, exchanged with another or replaced by a piece."""
    found = list(_TOKEN.finditer(text))
    if not found:
        return rng.choice(_PIECES)
    one, two = rng.choice(found), rng.choice(found)
    new = rng.choice(("", one[0] * 2, f"{one[0]} {one[0]}", two[0], rng.choice(_PIECES)))
    return text[: one.start()] + new + text[one.end() :]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return "\n".join(lines)


def _splice(text: str, rng: random.Random) -> str:
    other = rng.choice(texts())
    at, start = _spot(text, rng), _spot(other, rng)
    return text[:at] + other[start : start + rng.randint(1, 300)] + text[at:]


def _repeat(text: str, rng: random.Random) -> str:
    """A short piece many times: nesting and long lists."""
    at = _spot(text, rng)
    start = _spot(text, rng)
    piece = rng.choice((text[start : start + rng.randint(1, 20)], rng.choice(_PIECES)))
    return text[:at] + piece * rng.choice((3, 40, 600)) + text[at:]


def _types(text: str, rng: random.Random) -> str:
    """A type, wherever it stands once or everywhere, becomes another one."""
    found = list(_TYPE.finditer(text))
    if not found:
        return text
    one, new = rng.choice(found), rng.choice(_OTHER_TYPES)
    if rng.random() < 0.5:
        return text.replace(one[0], new)
    return text[: one.start()] + new + text[one.end() :]


_EDITS = (_types, _types, _cut, _character, _insert, _insert, _delete, _tokens, _tokens, _tokens, _lines, _splice, _repeat)
