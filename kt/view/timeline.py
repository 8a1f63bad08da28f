"""Timelines of a traced run: as text, as a picture, and as trace JSON for Perfetto or Chrome."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.text import Span, Text

from kt.view.terminal import clip

if TYPE_CHECKING:
    from kt.binary import Program
    from kt.sim.engine.timeline import Event
    from kt.sim.runtime import Report

KINDS = ("busy", "stall_in", "stall_out", "sync")
WORDS = {
    "busy": "at work", "stall_in": "waits for data", "stall_out": "waits for room", "sync": "signals",
}  # fmt: skip
LEVELS = "▁▂▃▄▅▆▇█"
MARKS = {"busy": "█", "stall_in": "░", "stall_out": "▒", "sync": "·", "": " "}
STYLES = {
    "busy": "#69db7c", "stall_in": "#ffd580", "stall_out": "#ff9e80", "sync": "#79c0ff", "": "",
}  # fmt: skip
MOST_UNITS = 40


def by_unit(report: Report) -> dict[str, list[Event]]:
    """Events of each unit, in order; units that did nothing are there too."""
    found: dict[str, list[Event]] = {name: [] for name in report.units}
    for event in report.events:
        found.setdefault(event.unit, []).append(event)
    return found


def buckets(events: Sequence[Event], cycles: int, count: int) -> list[tuple[str, float]]:
    """For each of ``count`` equal parts of the run: what a unit did, and how much of the part that took.

    Work counts from an eighth on; below that, what the unit mostly waited for.
    """
    sums: list[dict[str, float]] = [defaultdict(float) for _ in range(count)]
    size = max(1, cycles) / count
    for event in events:
        first, last = int(event.start / size), int((event.end - 1e-9) / size)
        for k in range(first, min(last, count - 1) + 1):
            low, high = max(event.start, k * size), min(event.end, (k + 1) * size)
            sums[k][event.kind] += (high - low) / size
    found = []
    for part in sums:
        kind = "busy" if part["busy"] >= 1 / 8 else max(KINDS[1:], key=lambda k, p=part: p[k])
        found.append((kind, part[kind]) if part[kind] >= 1 / 8 else ("", 0.0))
    return found


def cell(kind: str, share: float) -> str:
    """The character for a part of the run; work is as high as its share."""
    return LEVELS[min(8, math.ceil(share * 8 - 1e-6)) - 1] if kind == "busy" else MARKS[kind]


# -- text --------------------------------------------------------------------------------------------


def text_rows(
    report: Report, width: int, dim: str = "", most: int = MOST_UNITS, program: Program | None = None
) -> Iterator[Text]:
    """A row per unit; its characters say what filled their cycles, and how much of them work did.

    Of more than ``most`` units, those of the first core and of the one that ends last are shown.
    """
    units = by_unit(report)
    names = _chosen(units, program, most)
    lead = min(max(map(len, names), default=4), 16) + 1
    room = max(10, width - lead - 5)
    if not names:
        return
    scale = f"0{report.cycles:>{room - 1},}"
    yield Text(f"{'timeline':<{lead + 5}}{scale}", dim, no_wrap=True)
    for name in names:
        parts = buckets(units[name], report.cycles, room)
        busy = report.units[name].busy / max(1, report.cycles) if name in report.units else 0
        head = f"{clip(name, lead - 1):<{lead}}{busy:>4.0%} "
        spans = [
            Span(len(head) + k, len(head) + k + 1, STYLES[kind])
            for k, (kind, _) in enumerate(parts)
            if STYLES[kind]
        ]
        yield Text(head + "".join(cell(*part) for part in parts), spans=spans, no_wrap=True)
    if len(units) > len(names):
        yield Text(f"… and {len(units) - len(names)} more units", dim)
    per = f"{report.cycles / room:,.0f} cycles each: "
    legend = "  ".join(f"{MARKS[kind]} {WORDS[kind]}" for kind in KINDS)
    yield Text(clip(per + legend if report.cycles > room else legend, width), dim)


def _chosen(units: dict[str, list[Event]], program: Program | None, most: int) -> list[str]:
    names = list(units)
    if len(names) <= most or program is None:
        return names[:most]
    cores = {unit.name: unit.core for unit in program.units}
    last = max((e for events in units.values() for e in events), key=lambda e: e.end, default=None)
    wanted = [min((c for n in names if (c := cores.get(n)) is not None), default=None)]
    if last is not None:
        wanted.append(cores.get(last.unit))
    return [name for name in names if cores.get(name) in wanted][:most]


# -- trace JSON --------------------------------------------------------------------------------------


def trace_json(report: Report, program: Program, device: str = "") -> dict[str, Any]:
    """Trace events: a process per core, a thread per unit; one microsecond is one cycle.

    The durations of a unit's complete events, by category, add up to its account in the report.
    """
    cores: dict[str, int] = {unit.name: unit.core if unit.core is not None else -1 for unit in program.units}
    places = sorted({cores.get(name, -1) for name in by_unit(report)})
    events: list[dict[str, Any]] = []
    for core in places:
        name = f"core {core}" if core >= 0 else "device"
        events.append(_metadata("process_name", core + 1, 0, name))
        events.append({**_metadata("process_sort_index", core + 1, 0, ""), "args": {"sort_index": core + 1}})
    for thread, (unit, found) in enumerate(by_unit(report).items(), 1):
        process = cores.get(unit, -1) + 1
        events.append(_metadata("thread_name", process, thread, unit))
        events += [_complete(event, process, thread) for event in found]
    return {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": program.metadata.get("kernel", ""),
            "device": device,
            "cycles": report.cycles,
            "programs": report.programs,
            "unit": "1 us = 1 cycle",
        },
    }


def _metadata(name: str, process: int, thread: int, text: str) -> dict[str, Any]:
    return {"name": name, "ph": "M", "pid": process, "tid": thread, "args": {"name": text}}


def _complete(event: Event, process: int, thread: int) -> dict[str, Any]:
    where = event.location.position()
    args: dict[str, Any] = {"program": event.program, "pc": event.pc}
    if where is not None:
        args["place"] = f"{PurePath(where.file).name}:{where.line}:{where.column}"
    name = event.name or event.kind
    return {
        "name": name if event.kind == "busy" else f"{WORDS[event.kind]} ({name})",
        "cat": event.kind, "ph": "X", "ts": event.start, "dur": event.end - event.start,
        "pid": process, "tid": thread, "args": args,
    }  # fmt: skip


# -- picture -----------------------------------------------------------------------------------------

_WIDE, _LEFT, _ROW, _TOP = 1000, 120, 22, 54


def svg(report: Report, title: str) -> str:
    """The timeline as a picture: a row per unit, a colour per kind."""
    units = by_unit(report)
    high = _TOP + _ROW * len(units) + 40
    scale = (_WIDE - _LEFT - 20) / max(1, report.cycles)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {high}" width="{_WIDE}" '
        f'height="{high}" font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#161b22"/>',
        f'<text x="16" y="24" font-size="15" fill="#d8dee9">{escape(title)}</text>',
    ]
    for step in axis(report.cycles):
        x = _LEFT + step * scale
        parts.append(
            f'<path d="M{x:.1f} {_TOP - 8}V{high - 30}" stroke="#30363d"/>'
            f'<text x="{x:.1f}" y="{_TOP - 12}" fill="#8892a0" text-anchor="middle">{step:,}</text>'
        )
    for number, (name, events) in enumerate(units.items()):
        y = _TOP + number * _ROW
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 14}" fill="#d8dee9" text-anchor="end">{escape(name)}</text>'
        )
        parts += _bars(events, y, scale)
    for k, kind in enumerate(KINDS):
        x = _LEFT + k * 150
        parts.append(
            f'<rect x="{x}" y="{high - 22}" width="12" height="12" fill="{STYLES[kind]}"/>'
            f'<text x="{x + 18}" y="{high - 12}" fill="#d8dee9">{WORDS[kind]}</text>'
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _bars(events: Sequence[Event], y: int, scale: float) -> Iterator[str]:
    """Rectangles; events closer than a third of a pixel become one."""
    merged: list[list[Any]] = []
    for event in events:
        last = merged[-1] if merged else None
        if last and last[0] == event.kind and (event.start - last[2]) * scale < 0.3:
            last[2] = event.end
        else:
            merged.append([event.kind, event.start, event.end, event.name])
    for kind, start, end, name in merged:
        x, wide = _LEFT + start * scale, max(0.3, (end - start) * scale)
        tip = escape(f"{name or kind}: cycles {start:,} to {end:,}, {WORDS[kind]}")
        yield (
            f'<rect x="{x:.2f}" y="{y + 2}" width="{wide:.2f}" height="{_ROW - 5}" '
            f'fill="{STYLES[kind]}"><title>{tip}</title></rect>'
        )


def axis(cycles: int, most: int = 8) -> list[int]:
    """Round numbers from 0 to ``cycles``."""
    step = 1
    while cycles / step > most:
        step = step * 2 if str(step)[0] != "2" else step // 2 * 5
    return list(range(0, cycles + 1, step))
