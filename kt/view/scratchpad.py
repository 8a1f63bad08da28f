"""Where buffers lie in on-chip memories, and when they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import frozen
from rich.text import Text

from kt.ir.core import Operation
from kt.ir.diagnostics import Location
from kt.view.history import places_of
from kt.view.terminal import clip
from kt.view.timeline import STYLES, buckets, cell

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.sim.engine.timeline import Event
    from kt.sim.runtime import Report

MOST_BUFFERS = 12


@frozen(eq=False)
class Buffer:
    """``size`` bytes at ``address`` of a memory; ``label`` is what the kernel calls the data."""

    program: str
    memory: str
    address: int
    size: int
    type: str
    label: str
    location: Location


def label_of(op: Operation) -> str:
    """What the kernel's line that an op comes from says: ``%a = ktdp.load``."""
    place = op.location.position()
    words = place.source_line().strip().replace("(", " ").split() if place is not None else []
    if len(words) > 2 and words[1] == "=":
        return f"{words[0]} = {words[2]}"
    return " ".join(words[:2]).rstrip(",") if words else ""


def map_rows(
    buffers: Sequence[Buffer], report: Report, device: Device | None, width: int, dim: str
) -> Iterator[Text]:
    """Per memory: how full it is; per buffer: address, size, what is in it, and when it is used."""
    memories = list(dict.fromkeys(b.memory for b in buffers))
    for memory in memories:
        mine = sorted((b for b in buffers if b.memory == memory), key=lambda b: (b.program, b.address))
        size = device.memory(memory).size if device is not None and device.has_kind(memory) else None
        top = max(b.address + b.size for b in mine)
        of = f" of {size:,} ({top / size:.0%})" if size else ""
        yield Text(clip(f"{memory}: {top:,} bytes{of} in use by {len(mine)} buffers", width), no_wrap=True)
        for group in _grouped(mine)[:MOST_BUFFERS]:
            yield _buffer_row(group, report, width, dim)
        rest = len(_grouped(mine)) - MOST_BUFFERS
        if rest > 0:
            yield Text(f"  … {rest} more", dim)


def _grouped(buffers: Sequence[Buffer]) -> list[list[Buffer]]:
    """Buffers of the same data side by side: the phases of a double buffer."""
    groups: list[list[Buffer]] = []
    for buffer in buffers:
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and (last.program, last.type, last.location) == (buffer.program, buffer.type, buffer.location)
            and last.address + last.size <= buffer.address
        ):
            groups[-1].append(buffer)
        else:
            groups.append([buffer])
    return groups


def _buffer_row(group: Sequence[Buffer], report: Report, width: int, dim: str) -> Text:
    first = group[0]
    count = f"{len(group)} × " if len(group) > 1 else ""
    text = Text(f"  {first.address:>8,}  {count + f'{first.size:,} B':>14}  ", no_wrap=True)
    room = min(24, max(8, width // 4))
    text.append(f"{clip(first.label or first.type, room):<{room}} ")
    events = [e for e in report.events if e.kind == "busy" and _belongs(e, first)]
    left = width - text.cell_len
    if left >= 8 and events:
        for kind, share in buckets(_union(events), report.cycles, left):
            text.append(cell(kind, share) if kind else "·", STYLES[kind] or dim)
    return text


def _belongs(event: Event, buffer: Buffer) -> bool:
    places = {place[1:] for place in places_of(buffer.location)}
    mine = {place[1:] for place in places_of(event.location)}
    return bool(places & mine) and event.program in (buffer.program, "")


def _union(events: Sequence[Event]) -> list[Event]:
    """Events of several units as one row: where any of them is at work."""
    from kt.sim.engine.timeline import Event as Made

    merged: list[Event] = []
    for event in sorted(events, key=lambda e: (e.start, e.end)):
        if merged and event.start <= merged[-1].end:
            merged[-1].end = max(merged[-1].end, event.end)
        else:
            merged.append(Made(event.unit, "busy", event.start, event.end))
    return merged
