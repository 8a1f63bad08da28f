"""MLIR text as coloured tokens: our own classes, one regular expression, no lexer library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

CLASSES = (
    "comment", "string", "value", "symbol", "label", "alias", "op", "keyword", "type", "number",
    "attribute", "word", "punctuation", "space",
)  # fmt: skip
"""Token classes; themes give each a style."""

_KEYWORDS = (
    "to|step|iter_args|ins|outs|from|size|offset|sizes|strides|into|attributes|else|do|private|"
    "depends_in|depends_out|none|dense|affine_map|affine_set|import|load_iv|time_symbols|src|dst|"
    "iter_arg|key|map|loc|func|module|return|call"
)
_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<value>%[\w$.\-]+(?:#\d+)?(?::\d+(?=\s*=))?)"
    r"|(?P<symbol>@(?:[\w$.\-]+|\"(?:[^\"\\]|\\.)*\"))"
    r"|(?P<label>\^\w+)"
    r"|(?P<alias>#[A-Za-z_][\w.$]*)"
    r"|(?P<type>![A-Za-z_][\w.$]*|\b(?:memref|tensor|vector|index|none|complex|tuple)\b(?=[<\s,>)\]:}]|$)"
    r"|\b(?:[su]?i|f|bf|tf|df)\d+\w*\b(?!\.)|(?<=x)(?:f|bf|i|df)\d+\b|(?<=x)index\b)"
    r"|(?P<number>(?:(?<![\w.])-?|(?<=[\d?]x))(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?=x|\b)"
    r"|\?(?=x|>))"
    r"|(?P<attribute>[A-Za-z_][\w.$]*(?=\s=\s))"
    r"|(?P<op>[a-z_][a-z0-9_]*(?:\.[A-Za-z_][\w]*)+)"
    rf"|(?P<keyword>\b(?:{_KEYWORDS})\b)"
    r"|(?P<word>x(?=[\d?fbi])|[A-Za-z_][\w$]*)"
    r"|(?P<space>\s+)"
    r"|(?P<punctuation>->|.)"
)

Token = tuple[str, str]
"""(class, text)"""


@lru_cache(maxsize=20_000)
def tokens(line: str) -> tuple[Token, ...]:
    """The tokens of one line; their texts joined give the line."""
    found = [(m.lastgroup or "word", m.group()) for m in _TOKEN.finditer(line)]
    # `call`, `return`: ops whose dialect the printer leaves out stand first, or behind `=`.
    seen = [i for i, (kind, _) in enumerate(found) if kind != "space"]
    for k, i in enumerate(seen):
        if found[i][1] == "=" or k == 0:
            at = i if k == 0 else seen[k + 1] if k + 1 < len(seen) else i
            if found[at][0] in ("word", "keyword"):
                found[at] = ("op", found[at][1])
        if found[i][1] == "=" or found[i][0] not in ("value", "punctuation"):
            break
    return tuple(found)


def changed_words(old: str, new: str, least: float = 0.5) -> tuple[set[int], set[int]] | None:
    """Numbers of the tokens that differ, in both lines; None if the lines have too little in common."""
    a, b = tokens(old), tokens(new)
    matcher = SequenceMatcher(None, a, b, False)
    equal = sum(len(a[k][1]) for block in matcher.get_matching_blocks() for k in _span(block))
    total = len(old) + len(new)
    if total and 2 * equal / total < least:
        return None
    gone: set[int] = set()
    came: set[int] = set()
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            gone.update(range(i1, i2))
            came.update(range(j1, j2))
    return gone, came


def _span(block: tuple[int, int, int]) -> Iterator[int]:
    yield from range(block[0], block[0] + block[2])
