"""Diagnostics for a terminal: places, source lines in colours, carets, the way out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from kt.ir.diagnostics import Diagnostic, Location, excerpt
from kt.view.code import paint, pieces
from kt.view.difference import Mark
from kt.view.themes import Theme

WORDS = {"error": "bold red", "warning": "bold yellow", "remark": "bold blue", "note": "bold cyan"}
INDENT, LEAST = 4, 24


def diagnostic_lines(diagnostics: Sequence[Diagnostic], width: int, theme: Theme) -> Iterator[Text]:
    """Rows of at most ``width`` columns (but for a single longer word)."""
    for number, found in enumerate(diagnostics):
        if number:
            yield Text("")
        yield from _message(found.location, found.severity, found.message, width, theme)
        for note in found.notes:
            yield from _message(note.location, "note", note.message, width, theme)
        if found.hint:
            yield from _wrapped([("help: ", "bold green")], found.hint, width)


def _message(location: Location, kind: str, message: str, width: int, theme: Theme) -> Iterator[Text]:
    place = location.position()
    lead = [(f"{kind}: ", WORDS.get(kind, "bold"))]
    if place is not None:
        lead.insert(0, (f"{place.file}:{place.line}:{place.column}: ", "bold"))
    yield from _wrapped(lead, message, width, "" if kind == "note" else "bold")
    source = place.source_line().replace("\t", " ") if place is not None else ""
    if place is None or not source.strip():
        return
    line, carets = excerpt(source, place.column, place.length, width)
    yield paint(pieces(line), Mark.SAME, theme)
    yield Text(carets, style="bold green", no_wrap=True)


def _wrapped(lead: Sequence[tuple[str, str]], text: str, width: int, style: str = "") -> Iterator[Text]:
    """``lead`` and the text behind it; rows but the first are indented. A long lead stands alone."""
    start = sum(len(word) for word, _ in lead)
    alone = start > width - LEAST
    if alone:
        yield Text.assemble(*lead, no_wrap=True)
    rows = textwrap.wrap(
        text, width, initial_indent=" " * (INDENT if alone else start), subsequent_indent=" " * INDENT,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    for number, row in enumerate(rows):
        if number == 0 and not alone:
            yield Text.assemble(*lead, (row[start:], style), no_wrap=True)
        else:
            yield Text(row, style=style, no_wrap=True)
