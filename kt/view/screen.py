"""The screen of ``kt diff``: the table of all passes, then the hunks of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.text import Text

from kt.view.difference import Mark
from kt.view.pipeline import PassDiff, PipelineDiff
from kt.view.terminal import (
    MAX_WIDTH,
    MIN_WIDTH,
    DiffView,
    Heading,
    clip,
    milliseconds,
    plural,
    ranked,
)
from kt.view.themes import Theme, default_theme


def render(diff: PipelineDiff, width: int) -> Iterator[Text]:
    """All lines of the screen."""
    width = max(MIN_WIDTH, min(width, MAX_WIDTH))
    theme = diff.theme or default_theme()
    if diff.overview and len(diff.stages) > 2:
        yield from overview(diff, width, theme)
    shown = diff.shown
    for p in shown:
        yield from view_of(p, diff, theme).lines(width)
    if not shown:
        yield Text("no pass changed what was asked for" if len(diff.stages) > 2 else "no difference")


def view_of(p: PassDiff, diff: PipelineDiff, theme: Theme) -> DiffView:
    """The hunks of one pass."""
    stage = p.stage
    heading = Heading(str(stage.number), stage.title, stage.seconds, notes=notes_of(p))
    if diff.befores:
        heading = Heading(str(stage.number), stage.title, notes=notes_of(p))
    elif len(diff.stages) == 2 and stage.seconds == 0:
        heading = Heading("", f"{p.before.title} → {stage.title}")
    elif diff.selection.against:
        heading.title = f"{stage.title}, compared with {p.before.name}"
    reasons = [p.reasons(hunk) for hunk in p.folded.hunks] if diff.selection.why else []
    return DiffView(heading, p.found, p.folded, theme, diff.columns, diff.words, reasons)


def notes_of(p: PassDiff) -> list[tuple[str, str]]:
    """What the pass said, and which rules it applied."""
    stage = p.stage
    notes = [("error", stage.error)] if stage.error else []
    notes += [(d.severity, d.message) for d in stage.remarks]
    if p.selection.why:
        rules = ", ".join(f"{rule} ×{n}" if n > 1 else rule for rule, n in ranked(stage.rules()))
        if rules:
            notes.append(("rules", rules))
    return notes


def overview(diff: PipelineDiff, width: int, theme: Theme) -> Iterator[Text]:
    """One line per pass: number, name, time, operations, and what changed."""
    names = [p.stage.title for p in diff.passes]
    wide = min(max(map(len, names), default=4), max(24, width * 3 // 10))
    yield Text(clip(diff.title, width), style=theme.title)
    head = f"{'#':>3} {'pass':<{wide}} {'time':>8}  {'ops':>5} {'Δ':>5}"
    yield Text(clip(head, width), style=theme.dim)
    for p in diff.passes:
        yield _overview_line(p, wide, width, theme)
    total = sum(p.stage.seconds for p in diff.passes)
    changed = sum(1 for p in diff.passes if p.changed)
    filtered = sum(1 for p in diff.passes if p.changed and p not in diff.shown)
    passes = plural(len(diff.passes), "pass").replace("passs", "passes")
    text = f"    {passes}{f' in {milliseconds(total)}' if total else ''}, {changed} with changes"
    if filtered:
        text += f", {filtered} not shown"
    yield Text(text, style=theme.dim)
    yield Text("")


def _overview_line(p: PassDiff, wide: int, width: int, theme: Theme) -> Text:
    stage = p.stage
    old, new = len(p.before.tree.nodes) - 1, len(stage.tree.nodes) - 1
    delta = signed(new - old) if new != old else ("·" if not p.changed else "~")
    style = theme.error if stage.error else ("" if p.changed else theme.dim)
    text = Text(no_wrap=True, style=style)
    text.append(f"{stage.number:>3} {clip(stage.title, wide):<{wide}} ")
    text.append(f"{milliseconds(stage.seconds) if stage.seconds else '':>8}", theme.dim)
    text.append(f"  {new:>5} {delta:>5}")
    if stage.error:
        text.append(clip(f"  failed: {stage.error}", width - text.cell_len))
        return text
    if not p.changed:
        return text
    start = text.cell_len
    for sign, counts, mark in (("+", p.found.added, Mark.NEW), ("−", p.found.removed, Mark.OLD)):
        for name, count in ranked(counts):
            word = f"  {sign}{count} {name}"
            full = text.cell_len + len(word) > width - 2
            if full and text.cell_len > start:
                text.append(" …", theme.dim)
                return text
            text.append(clip(word, width - text.cell_len), theme.signs[mark].replace("bold ", ""))
            if full:
                return text
    rest = f"  ~{p.found.edited.total()}" if p.found.edited else ""
    rest += f"  ›{p.found.moved.total()}" if p.found.moved else ""
    if text.cell_len + len(rest) <= width:
        text.append(rest, theme.dim)
    return text


def signed(number: int) -> str:
    """``+3`` or ``−3``."""
    return f"{number:+d}".replace("-", "−")


def statistics(diff: PipelineDiff, width: int, theme: Theme) -> Iterator[Text]:
    """Operations by name and by dialect, before and after the passes that are shown; what passes counted."""
    shown = [p for p in diff.passes if p.shown]
    if not shown:
        return
    before, after = shown[0].before.tree.counts(), shown[-1].stage.tree.counts()
    yield Text(f"operations, {shown[0].before.name} → {shown[-1].stage.title}", style=theme.title)
    wide = min(max(map(len, [*before, *after]), default=4), width - 24)
    yield from _counts(before, after, wide, theme)
    yield _count_line("total", before.total(), after.total(), wide, theme, theme.title)
    yield Text("")
    yield Text("dialects", style=theme.title)
    yield from _counts(_by_dialect(before), _by_dialect(after), wide, theme)
    counted = [(p, name, n) for p in shown for name, n in sorted(p.stage.statistics.items())]
    if counted:
        yield Text("")
        yield Text("what passes counted", style=theme.title)
    for p, name, n in counted:
        yield Text(clip(f"  {n:>6}  {name}  ({p.stage.number} {p.stage.name})", width), no_wrap=True)


def _by_dialect(counts: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in counts.items():
        found[name.partition(".")[0]] += count
    return found


def _counts(before: Counter[str], after: Counter[str], wide: int, theme: Theme) -> Iterator[Text]:
    for name in sorted(before.keys() | after.keys()):
        yield _count_line(name, before[name], after[name], wide, theme)


def _count_line(name: str, old: int, new: int, wide: int, theme: Theme, style: str = "") -> Text:
    text = Text(f"  {clip(name, wide):<{wide}} {old:>6} → {new:<6}", style=style)
    if new != old:
        text.append(signed(new - old), theme.signs[Mark.NEW if new > old else Mark.OLD])
    return text


