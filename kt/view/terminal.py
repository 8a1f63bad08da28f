"""Differences for the terminal: a header per pass, hunks in one column or two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from attrs import define, field
from rich.text import Text

from kt.view.code import Piece, cut, paint, pieces, wrap
from kt.view.difference import Difference, Mark, Row
from kt.view.hunks import Folded, Hunk
from kt.view.listing import Line
from kt.view.themes import Theme
from kt.view.tokens import changed_words

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

MIN_WIDTH, MAX_WIDTH = 40, 250
SIDE_BY_SIDE_FROM = 150
"""Columns from which two columns are the default."""
NUMBERS_FROM = 100
"""Columns from which rows have line numbers."""


@define(eq=False)
class Heading:
    """What stands above the hunks of one pass."""

    number: str
    title: str
    seconds: float | None = None
    ops: tuple[int, int] | None = None
    notes: list[tuple[str, str]] = field(factory=list)
    """(kind, text): rules, remarks, errors."""


@define(eq=False)
class DiffView:
    """One difference as a rich renderable.

    ``columns``: 1, 2, or None for what fits. ``reasons`` are the rules behind each hunk. ``words`` marks
    the words that changed within a line.
    """

    heading: Heading
    found: Difference
    folded: Folded
    theme: Theme
    columns: int | None = None
    words: bool = True
    reasons: list[list[str]] = field(factory=list)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(MIN_WIDTH, min(options.max_width, MAX_WIDTH))
        yield from self.lines(width)

    def lines(self, width: int) -> Iterator[Text]:
        """Rows of exactly what the terminal shows, none wider than ``width``."""
        yield title_bar(self.heading, width, self.theme)
        yield from self._summary(width)
        columns = self.columns or (2 if width >= SIDE_BY_SIDE_FROM else 1)
        painter = (TwoColumns if columns == 2 else OneColumn)(self.found, self.theme, width, self.words)
        if not self.folded.hunks:
            word = "no change" if not self.found.changed else "no change there"
            yield Text(f"   {word}", style=self.theme.dim)
        for number, hunk in enumerate(self.folded.hunks):
            yield fold_line(hunk.lines, hunk.ops, hunk.place, width, self.theme)
            for reason in self.reasons[number] if self.reasons else ():
                yield Text(clip(f"   ⟵ {reason}", width), style=f"italic {self.theme.dim}")
            yield from painter.hunk(hunk)
        if self.folded.hunks and self.folded.lines:
            yield fold_line(self.folded.lines, self.folded.ops, "", width, self.theme)
        yield Text("")

    def _summary(self, width: int) -> Iterator[Text]:
        if self.found.changed:
            yield from count_lines(self.found, width, self.theme)
        if self.folded.hidden:
            text = f"   {plural(self.folded.hidden, 'more changed line')} outside of the selection"
            yield Text(text, style=self.theme.dim)
        for kind, note in self.heading.notes:
            style = self.theme.error if kind == "error" else self.theme.dim
            lead = f"   {kind}: "
            for k, row in enumerate(_fill(note, width - len(lead))):
                yield Text((lead if k == 0 else " " * len(lead)) + row, style=style)


# -- bars --------------------------------------------------------------------------------------------


def title_bar(heading: Heading, width: int, theme: Theme) -> Text:
    """``━━ 5 name ━━━━━━ 10.8 ms ━━``."""
    text = Text(no_wrap=True)
    text.append("━━ ", theme.dim)
    if heading.number:
        text.append(f"{heading.number} ", theme.dim)
    right = "" if heading.seconds is None else f" {milliseconds(heading.seconds)} "
    name = clip(heading.title, width - text.cell_len - len(right) - 6)
    text.append(name, theme.title)
    text.append(" ")
    text.append("━" * (width - text.cell_len - len(right) - 2), theme.dim)
    text.append(right, theme.dim)
    text.append("━━", theme.dim)
    return text


def fold_line(lines: int, ops: int, place: str, width: int, theme: Theme) -> Text:
    """``┄┄ 14 unchanged lines, 9 ops ┄ @f › scf.for %i``."""
    text = Text(no_wrap=True, style=theme.dim)
    text.append("  ┄┄ ")
    if lines:
        text.append(f"{plural(lines, 'unchanged line')}")
        if ops:
            text.append(f", {plural(ops, 'op')}")
        text.append(" ┄┄ " if place else " ┄┄")
    text.append(clip(place, max(8, width - text.cell_len)), "italic")
    if text.cell_len > width:
        text.truncate(width, overflow="ellipsis")
    return text


def count_lines(found: Difference, width: int, theme: Theme) -> Iterator[Text]:
    """``17 → 18 ops  +1 scf.for  −2 arith.addi  ~1 changed`` over as many lines as it needs."""
    old, new = found.ops
    items: list[tuple[str, str]] = [(f"{old} → {new} ops", theme.title)]
    items += [(f"+{n} {name}", theme.signs[Mark.NEW]) for name, n in ranked(found.added)]
    items += [(f"−{n} {name}", theme.signs[Mark.OLD]) for name, n in ranked(found.removed)]
    if found.edited:
        items.append((f"~{found.edited.total()} edited", theme.dim))
    if found.moved:
        items.append((f"›{found.moved.total()} moved", theme.signs[Mark.CAME]))
    line = Text("   ", no_wrap=True)
    for word, style in items:
        if line.cell_len + len(word) > width and line.cell_len > 3:
            yield line
            line = Text("   ", no_wrap=True)
        line.append(clip(word, width - 3), style.replace("bold ", ""))
        line.append("  ")
    line.rstrip()
    yield line


def ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, then by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def milliseconds(seconds: float) -> str:
    """A time for people."""
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def _fill(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, max(20, width)) or [""]


# -- rows --------------------------------------------------------------------------------------------


def dedent(found: Difference, rows: Iterable[Row]) -> int:
    """The indentation that all lines of some rows have."""
    sides = [(found.old_line(row), found.new_line(row)) for row in rows]
    return min((line.indent for pair in sides for line in pair if line and line.text), default=0)


@define(eq=False)
class OneColumn:
    """Old and new lines under each other."""

    found: Difference
    theme: Theme
    width: int
    words: bool

    def hunk(self, hunk: Hunk) -> Iterator[Text]:
        """The rows of one hunk."""
        off = dedent(self.found, hunk.rows)
        for row in hunk.rows:
            yield from self.row(row, off)

    def row(self, row: Row, off: int) -> Iterator[Text]:
        """One row, without ``off`` characters of its indentation."""
        old, new = self.found.old_line(row), self.found.new_line(row)
        if row.mark is Mark.EDIT and old is not None and new is not None:
            words = changed_words(old.text, new.text) if self.words else None
            gone, came = words or (None, None)
            yield from self._line(old, Mark.OLD, Row(Mark.OLD, row.old, None), off, gone)
            yield from self._line(new, Mark.NEW, Row(Mark.NEW, None, row.new), off, came)
        else:
            line = new if new is not None else old
            assert line is not None
            yield from self._line(line, row.mark, row, off, moved_words(self.found, row))

    def _line(
        self, line: Line, mark: Mark, row: Row, off: int, changed: set[int] | None = None
    ) -> Iterator[Text]:
        gutter = self._gutter(row)
        room = self.width - len(gutter) - 2
        sign = (f"{mark.value} ", f"{self.theme.signs[mark]} {self.theme.lines[mark]}".strip())
        for k, cells in enumerate(cells_of(line, mark, off, room, changed)):
            lead = ((gutter if k == 0 else " " * len(gutter), self.theme.dim), sign)
            # Backgrounds reach to the edge of the screen.
            yield paint(cells, mark, self.theme, room if self.theme.lines[mark] else 0, lead)

    def _gutter(self, row: Row) -> str:
        if self.width < NUMBERS_FROM:
            return " "
        old = "" if row.old is None else str(row.old + 1)
        new = "" if row.new is None else str(row.new + 1)
        return f"{old:>4} {new:>4} "


@define(eq=False)
class TwoColumns:
    """Old lines left, new lines right."""

    found: Difference
    theme: Theme
    width: int
    words: bool

    def hunk(self, hunk: Hunk) -> Iterator[Text]:
        """The rows of one hunk."""
        off = dedent(self.found, hunk.rows)
        for left, right in _level(hunk.rows):
            yield from self._pair(left, right, off)

    def _pair(self, left: Row | None, right: Row | None, off: int) -> Iterator[Text]:
        both = left is right and left is not None
        gone: set[int] | None = None
        came: set[int] | None = None
        if both and left is not None and left.mark is Mark.EDIT and self.words:
            old, new = self.found.old_line(left), self.found.new_line(left)
            assert old is not None and new is not None
            gone, came = changed_words(old.text, new.text) or (None, None)
        room = (self.width - 3) // 2
        marks = (
            (Mark.SAME, Mark.SAME) if both and left and left.mark is Mark.SAME else (Mark.OLD, Mark.NEW)
        )
        if left is not None and left.mark is Mark.LEFT:
            marks = (Mark.LEFT, marks[1])
        if right is not None and right.mark is Mark.CAME:
            marks, came = (marks[0], Mark.CAME), moved_words(self.found, right)
        one = self._cell(self.found.old_line(left) if left else None, left and left.old, marks[0], off, room, gone)
        two = self._cell(self.found.new_line(right) if right else None, right and right.new, marks[1], off, room, came)
        blank = Text(" " * room, no_wrap=True)
        for k in range(max(len(one), len(two))):
            text = Text(no_wrap=True)
            text.append_text(one[k] if k < len(one) else blank)
            text.append(" │ ", self.theme.dim)
            text.append_text(two[k] if k < len(two) else blank)
            yield text

    def _cell(
        self, line: Line | None, number: int | None, mark: Mark, off: int, room: int, changed: set[int] | None
    ) -> list[Text]:
        if line is None:
            return []
        label = f"{'' if number is None else number + 1:>4} "
        inner = room - len(label) - 2
        made = []
        sign = (f"{mark.value} ", f"{self.theme.signs[mark]} {self.theme.lines[mark]}".strip())
        for k, cells in enumerate(cells_of(line, mark, off, inner, changed)):
            lead = ((label if k == 0 else " " * len(label), self.theme.dim), sign)
            made.append(paint(cells, mark, self.theme, inner, lead))
        return made


def _level(rows: list[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Rows as (left, right); runs of old lines stand beside the new lines that follow them."""
    olds: list[Row] = []
    news: list[Row] = []

    def flush() -> Iterator[tuple[Row | None, Row | None]]:
        for k in range(max(len(olds), len(news))):
            yield olds[k] if k < len(olds) else None, news[k] if k < len(news) else None
        olds.clear()
        news.clear()

    for row in rows:
        if row.mark in (Mark.SAME, Mark.EDIT):
            yield from flush()
            yield row, row
        elif row.new is None:
            if news:
                yield from flush()
            olds.append(row)
        else:
            news.append(row)
    yield from flush()


def moved_words(found: Difference, row: Row) -> set[int] | None:
    """For a line that came from elsewhere: the words that changed on the way; None if none did."""
    if row.mark is not Mark.CAME or row.other is None or row.new is None:
        return None
    old, new = found.before.lines[row.other].text, found.after.lines[row.new].text
    if old == new:
        return None
    words = changed_words(old, new)
    return words[1] if words is not None else set()


def cells_of(
    line: Line, mark: Mark, off: int, room: int, changed: set[int] | None
) -> Iterator[list[Piece]]:
    """A line in rows of ``room`` characters: unchanged lines are cut, others wrapped."""
    indent = max(0, line.indent - off)
    row = [("space", " " * indent, False), *pieces(line.text, changed, len(line.text) > 2 * room)]
    if mark is Mark.SAME or (mark in (Mark.LEFT, Mark.CAME) and changed is None):
        yield cut(row, room)
    else:
        yield from wrap(row, room, indent)

