"""Lines of IR as terminal text: coloured tokens, marked words, cut or wrapped to a width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Span, Text

from kt.view.difference import Mark
from kt.view.themes import Theme
from kt.view.tokens import Token, tokens

WRAP = "↪ "
CUT = "…"
ELIDED = " ⋯ "
_AROUND = 6
"""Tokens shown around a changed one when a long line is shortened."""
_LONG = 12
"""Runs of unchanged tokens longer than this are left out in long lines."""

Piece = tuple[str, str, bool]
"""(class, text, whether it is a changed word)"""


def pieces(text: str, changed: set[int] | None = None, shorten: bool = False) -> list[Piece]:
    """The tokens of a line; with ``shorten``, long runs of unchanged ones become one ``⋯``."""
    found = tokens(text)
    marked = changed or set()
    if not shorten or not marked:
        return [(kind, word, i in marked) for i, (kind, word) in enumerate(found)]
    keep = _near(found, marked)
    made: list[Piece] = []
    for i, (kind, word) in enumerate(found):
        if i in keep:
            made.append((kind, word, i in marked))
        elif not made or made[-1][0] != "elided":
            made.append(("elided", ELIDED, False))
    return made


def _near(found: Sequence[Token], marked: set[int]) -> set[int]:
    keep = set(range(min(_AROUND, len(found))))
    for i in marked:
        keep.update(range(i - _AROUND, i + _AROUND + 1))
    gap: list[int] = []
    for i in range(len(found) + 1):
        if i < len(found) and i not in keep:
            gap.append(i)
            continue
        if len(gap) <= _LONG:
            keep.update(gap)
        gap = []
    return keep


def paint(
    row: Sequence[Piece], mark: Mark, theme: Theme, width: int = 0, lead: Sequence[tuple[str, str]] = ()
) -> Text:
    """One row of pieces in colours, filled up to ``width`` so that its background is a bar.

    ``lead`` is (text, style) of what stands before it, without that background.
    """
    parts: list[str] = []
    spans: list[Span] = []
    at = 0
    for word, style in lead:
        parts.append(word)
        spans.append(Span(at, at + len(word), style))
        at += len(word)
    start = at
    for kind, word, changed in row:
        style = theme.dim if kind in ("elided", "wrap") else theme.tokens[kind]
        if changed:
            style = f"{style} {theme.words[mark]}".strip()
        parts.append(word)
        end = at + len(word)
        if style:
            spans.append(Span(at, end, style))
        at = end
    if at - start < width:
        parts.append(" " * (width - (at - start)))
        at = start + width
    if theme.lines[mark]:
        spans.insert(len(lead), Span(start, at, theme.lines[mark]))
    return Text("".join(parts), no_wrap=True, spans=spans)


def cut(row: Sequence[Piece], width: int) -> list[Piece]:
    """The pieces that fit; ``…`` stands for the rest."""
    total = sum(len(word) for _, word, _ in row)
    if total <= width:
        return list(row)
    made, used = [], 0
    for kind, word, changed in row:
        if used + len(word) >= width:
            made.append((kind, word[: max(0, width - used - 1)], changed))
            break
        made.append((kind, word, changed))
        used += len(word)
    made.append(("elided", CUT, False))
    return made


def wrap(row: Sequence[Piece], width: int, indent: int) -> Iterator[list[Piece]]:
    """Rows of at most ``width`` characters; later ones are indented and begin with ``↪``."""
    lead: list[Piece] = [("space", " " * min(indent + 2, width // 2), False), ("wrap", WRAP, False)]
    room = max(8, width - sum(len(word) for _, word, _ in lead))
    line: list[Piece] = []
    left = width
    for kind, word, changed in row:
        while len(word) > left:
            # A word that fits on the next line goes there whole.
            if kind == "space":
                word = ""
            elif len(word) > room:
                line.append((kind, word[:left], changed))
                word = word[left:]
            if line:
                yield line
            line, left = list(lead), room
        if not word or (kind == "space" and left == room and line == lead):
            continue
        line.append((kind, word, changed))
        left -= len(word)
    if line:
        yield line
