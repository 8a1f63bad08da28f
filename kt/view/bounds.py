"""What limits a run: the cycles that each unit, memory and link needs at least, and what was waited for.

A bound is a number of cycles that no schedule of the same program could go below: a unit needs its busy
cycles, a memory or link the bytes that it moved over its bandwidth.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from kt.arch.routes import slowest
from kt.ir.diagnostics import DeviceError

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.arch.resources import Link
    from kt.binary import Program
    from kt.sim.runtime import Report

STALLS = (("stall_in", "data"), ("stall_out", "room"), ("sync", "signals"), ("idle", "the others to end"))


@frozen
class Bound:
    """``cycles`` that something needs at least; ``why`` says of what."""

    name: str
    cycles: int
    why: str


@frozen
class UnitSummary:
    """The units of one kind: their number, and mean shares of the run by account."""

    kind: str
    count: int
    busy: float
    stall_in: float
    stall_out: float
    sync: float
    idle: float
    busiest: int
    """Busy cycles of the busiest one."""


@define(eq=False)
class Summary:
    """The numbers that reports show."""

    cycles: int
    programs: int
    units: list[UnitSummary] = field(factory=list)
    bounds: list[Bound] = field(factory=list)
    """The highest first."""

    @property
    def limit(self) -> Bound | None:
        """The highest bound."""
        return self.bounds[0] if self.bounds else None

    def verdict(self) -> str:
        """One sentence: what limits the run, or what it waits for."""
        limit = self.limit
        if limit is None or not self.cycles:
            return "nothing ran"
        share = limit.cycles / self.cycles
        what = f"{limit.name} ({limit.why})" if limit.why else limit.name
        if share >= 0.75:
            return f"limited by {what}, at work {share:.0%} of the time"
        unit = max(self.units, key=lambda u: u.busiest)
        name, word = max(STALLS, key=lambda stall: getattr(unit, stall[0]))
        waiting = f"waits for {word} {getattr(unit, name):.0%} of the time"
        who = "it" if unit.kind == limit.name else unit.kind
        return f"limited by latency: even {what} is at work only {share:.0%} of the time, {who} {waiting}"


def summarise(report: Report, program: Program, device: Device | None = None) -> Summary:
    """Group a report's numbers by kind, and find its bounds."""
    kinds = {unit.name: unit.kind for unit in program.units}
    groups: dict[str, list[Any]] = defaultdict(list)
    for name, times in report.units.items():
        groups[kinds.get(name, name)].append(times)
    total = max(1, report.cycles)
    made = Summary(report.cycles, report.programs)
    for kind, times in groups.items():
        shares = {
            a: sum(getattr(t, a) for t in times) / (total * len(times))
            for a in ("busy", "stall_in", "stall_out", "sync", "idle")
        }
        # A unit that a launch doesn't use has no account for its cycles: it idles.
        shares["idle"] += max(0.0, 1 - sum(shares.values()))
        made.units.append(UnitSummary(kind, len(times), **shares, busiest=max(t.busy for t in times)))
    made.bounds = sorted(_bounds(report, program, made, device), key=lambda b: -b.cycles)
    return made


def _bounds(report: Report, program: Program, summary: Summary, device: Device | None) -> list[Bound]:
    found = [
        Bound(u.kind, u.busiest, f"the busiest of {u.count}" if u.count > 1 else "")
        for u in summary.units
    ]
    if device is None:
        return found
    for kind, traffic in report.bytes.items():
        rate = device.memory(kind).bandwidth if device.has_kind(kind) else None
        if rate:
            moved = traffic.moved_read + traffic.moved_written
            share = -(-moved // memories_used(program, kind))
            found.append(Bound(f"memory {kind}", -(-share // rate), f"{share:,} B at {rate} B/cycle"))
    for (source, target), moved in report.links.items():
        rate = link_rate(device, source, target)
        users = links_used(summary, device, source, target)
        if rate:
            share = -(-moved // users)
            found.append(
                Bound(f"link {source} → {target}", -(-share // rate), f"{share:,} B at {rate} B/cycle")
            )
    return found


def links_used(summary: Summary, device: Device | None, source: str, target: str) -> int:
    """Number of links between two kinds that a program may use: of each unit, or all between cores."""
    if source == target and device is not None:
        return max(1, len(_links_among(device, source)))
    return max([u.count for u in summary.units if u.kind in (source, target)] or [1])


def _links_among(device: Device, kind: str) -> list[Link]:
    return [x for x in device.links if str(x.source.key) == str(x.target.key) == kind]


def memories_used(program: Program, kind: str) -> int:
    """Number of memories of a kind that a program uses."""
    return max(1, sum(1 for m in program.memories if m.kind == kind))


def link_rate(device: Device, source: str, target: str) -> int | None:
    """Bytes per cycle of the way between two kinds; None if it is not limited."""
    if source == target:
        return slowest(_links_among(device, source))
    try:
        link = device.link(source, target)
        if link is not None:
            return link.bandwidth
        return device.route(source, target).bandwidth
    except DeviceError:
        return None
