"""The report of a run on one screen: what it took, what limits it, who did what when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field
from rich.text import Text

from kt.view.bounds import (
    Summary,
    UnitSummary,
    link_rate,
    links_used,
    memories_used,
    summarise,
)
from kt.view.scratchpad import Buffer, map_rows
from kt.view.terminal import MAX_WIDTH, MIN_WIDTH, clip, plural
from kt.view.themes import Theme, default_theme
from kt.view.timeline import KINDS, MARKS, STYLES, WORDS, text_rows

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.binary import Program
    from kt.sim.runtime import Report

HEAD_WIDTH = 120
"""Columns of a report's first lines at most: the eye doesn't jump across a wide screen."""
MOST_ROWS = 12
"""Rows of the timeline in a report."""


@define(eq=False)
class RunReport:
    """A report as a rich renderable; see :func:`render_report`."""

    report: Report
    program: Program
    device: Device | None = None
    buffers: Sequence[Buffer] = ()
    notes: Sequence[str] = ()
    theme: Theme = field(factory=default_theme)

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self.lines(options.max_width)

    def __str__(self) -> str:
        return "\n".join(line.plain.rstrip() for line in self.lines(100)) + "\n"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    @property
    def summary(self) -> Summary:
        return summarise(self.report, self.program, self.device)

    def lines(self, width: int) -> Iterator[Text]:
        """All rows, none wider than ``width``."""
        width = max(MIN_WIDTH, min(width, MAX_WIDTH))
        summary = self.summary
        yield from self._head(summary, width)
        yield from self._units(summary, width)
        yield from self._traffic(width)
        yield from self._bounds(summary, width)
        if self.buffers:
            yield Text("")
            yield from map_rows(self.buffers, self.report, self.device, width, self.theme.dim)
        if self.report.events:
            yield Text("")
            yield from text_rows(self.report, width, self.theme.dim, MOST_ROWS, self.program)

    # -- parts -------------------------------------------------------------------------------------

    def _head(self, summary: Summary, width: int) -> Iterator[Text]:
        kernel = self.program.metadata.get("kernel", "")
        device = self.program.metadata.get("device", {}).get("name", "")
        width = min(width, HEAD_WIDTH)
        right = f"{summary.cycles:,} cycles, {plural(summary.programs, 'program')}"
        left = clip(f"@{kernel} on {device}", width - len(right) - 2)
        text = Text(left, self.theme.title, no_wrap=True)
        text.append(f"{right:>{width - len(left)}}", self.theme.title)
        yield text
        for line in (*self.notes, summary.verdict()):
            for part in _wrapped(line, width):
                yield Text(part)

    def _units(self, summary: Summary, width: int) -> Iterator[Text]:
        if not summary.units:
            return
        wide = max(len(u.kind) for u in summary.units)
        room = max(10, min(60, width - wide - 14))
        yield Text("")
        legend = "   ".join(f"{MARKS[k]} {WORDS[k]}" for k in KINDS)
        yield Text(clip(f"{'units':<{wide + 13}}{legend}", width), self.theme.dim, no_wrap=True)
        for unit in summary.units:
            text = Text(f"{unit.kind:<{wide}} ×{unit.count:<4}", no_wrap=True)
            text.append(f"{unit.busy:>5.0%} ", STYLES["busy"])
            text.append_text(_stack(unit, room))
            yield text

    def _traffic(self, width: int) -> Iterator[Text]:
        """Bytes per memory and per link, with the share of the bandwidth that they used."""
        report, cycles = self.report, max(1, self.report.cycles)
        rows: list[tuple[str, int, str, float | None]] = []
        for kind, traffic in report.bytes.items():
            rate = self._memory_rate(kind)
            moved = traffic.moved_read + traffic.moved_written
            use = moved / memories_used(self.program, kind) / (rate * cycles) if rate else None
            words = f"read {traffic.read:,}, written {traffic.written:,}"
            extra = moved - traffic.read - traffic.written
            if extra:
                words += f", {extra:,} more by granules"
            rows.append((kind, moved, words, use))
        for (source, target), moved in report.links.items():
            rate = link_rate(self.device, source, target) if self.device is not None else None
            count = links_used(self.summary, self.device, source, target)
            use = moved / count / (rate * cycles) if rate else None
            limit = f"{rate} B/cycle" if rate else ""
            if count > 1 and limit:
                limit += f", {count} links"
            rows.append((f"{source} → {target}", moved, limit, use))
        if rows:
            yield from self._table(rows, width)

    def _table(self, rows: Sequence[tuple[str, int, str, float | None]], width: int) -> Iterator[Text]:
        wide = max(len(row[0]) for row in rows)
        bar = max(8, min(24, width - wide - 50))
        yield Text("")
        yield Text(clip(f"{'bytes':<{wide}} {'moved':>12}  share of bandwidth", width), self.theme.dim)
        for name, moved, words, use in rows:
            text = Text(f"{name:<{wide}} {moved:>12,}  ", no_wrap=True)
            if use is None:
                text.append(" " * (bar + 6))
            else:
                full = min(bar, round(use * bar))
                text.append("█" * full, STYLES["busy"])
                text.append("·" * (bar - full), self.theme.dim)
                text.append(f" {use:>4.0%} ")
            text.append(clip(f" {words}", max(0, width - text.cell_len)), self.theme.dim)
            yield text

    def _memory_rate(self, kind: str) -> int | None:
        if self.device is None or not self.device.has_kind(kind):
            return None
        return self.device.memory(kind).bandwidth

    def _bounds(self, summary: Summary, width: int) -> Iterator[Text]:
        if not summary.bounds:
            return
        yield Text("")
        words = [f"{b.name} {b.cycles:,}" for b in summary.bounds[:5] if b.cycles]
        for k, part in enumerate(_wrapped(f"at least, in cycles: {', '.join(words)}", width)):
            yield Text(part if k == 0 else f"  {part}", self.theme.dim)


def render_report(
    report: Report,
    program: Program,
    device: Device | None = None,
    buffers: Sequence[Buffer] = (),
    notes: Sequence[str] = (),
) -> RunReport:
    """A rich renderable for what a run took.

    With ``Runtime(trace=True)`` it has a timeline. ``buffers`` (see :class:`kt.view.buffers.Buffers`)
    adds the map of the scratchpads, ``notes`` are lines below the title.
    """
    return RunReport(report, program, device, buffers, notes)


def _stack(unit: UnitSummary, room: int) -> Text:
    """A bar whose parts are the accounts of a unit."""
    text = Text()
    used = 0
    total = 0.0
    for kind in KINDS:
        total += getattr(unit, kind)
        end = min(room, round(total * room))
        text.append(MARKS[kind] * (end - used), STYLES[kind])
        used = max(used, end)
    return text


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width) or [""]
