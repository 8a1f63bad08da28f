"""Roofline: the work of a run per byte and per cycle, below what the device could do."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from attrs import frozen

from kt.binary.isa import Op
from kt.binary.model import VectorOp
from kt.ir.diagnostics import DeviceError

if TYPE_CHECKING:
    from kt.arch import Device
    from kt.binary import Program
    from kt.sim.runtime import Report


@frozen
class Roofline:
    """``work`` counts lanes of vector operations, ``traffic`` bytes of the device's global memory.

    ``peak`` is in operations per cycle, ``bandwidth`` in bytes per cycle (None: not limited).
    """

    work: int
    traffic: int
    cycles: int
    peak: int
    bandwidth: int | None

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.work / self.traffic if self.traffic else math.inf

    @property
    def speed(self) -> float:
        """Operations per cycle."""
        return self.work / self.cycles if self.cycles else 0.0

    def roof(self, intensity: float) -> float:
        """What the device allows at an intensity."""
        return min(self.peak, intensity * self.bandwidth) if self.bandwidth else self.peak


def roofline(report: Report, program: Program, device: Device) -> Roofline:
    """Count the work of a traced run (``Runtime(trace=True)``)."""
    memory = device.global_memory
    traffic = report.bytes.get(str(memory.kind))
    moved = traffic.moved_read + traffic.moved_written if traffic else 0
    return Roofline(
        count_work(report, program, device), moved, report.cycles, _peak(program, device),
        memory.bandwidth or _links(program, device, str(memory.kind)),
    )  # fmt: skip


def count_work(report: Report, program: Program, device: Device) -> int:
    """Lanes of all vector operations that ran: a unit's busy cycles at one, over the cost of one."""
    from kt.sim.engine.costs import Costs

    costs = Costs(device)
    streams = {
        (image.name, program.units[unit].name): (image, stream)
        for image in program.images
        for stream in image.streams
        for unit in stream.units
    }
    busy: dict[tuple[str, str, int], int] = defaultdict(int)
    for event in report.events:
        if event.kind == "busy":
            busy[event.program, event.unit, event.pc] += event.cycles
    total = 0
    for (name, unit, pc), cycles in busy.items():
        image, stream = streams[name, unit]
        instruction = stream.code[pc]
        if instruction.op is not Op.VOP:
            continue
        op = image.constants[instruction.imm]
        if isinstance(op, VectorOp):
            lanes = max((o.lanes for o in (*op.results, *op.operands) if not o.is_scalar), default=1)
            total += lanes * cycles // max(1, costs.vector_op(stream.kind, op))
    return total


def _peak(program: Program, device: Device) -> int:
    """Lanes per cycle of all compute units that the program could use, for its argument types."""
    types = {a.dtype for a in program.arguments if a.dtype}
    found = 0
    for kind in device.compute_kinds:
        lanes = [
            device.lanes(str(kind), t)
            for t in device.element_types(str(kind))
            if not types or getattr(t, "dtype_name", str(t)) in types or str(t) in types
        ]
        found += max(lanes, default=1) * len(device.instances(kind))
    return max(1, found)


def _links(program: Program, device: Device, memory: str) -> int | None:
    """Bytes per cycle out of and into a memory, if only its links are limited."""
    total = 0
    for unit in program.units:
        for source, target in ((memory, unit.kind), (unit.kind, memory)):
            try:
                link = device.link(source, target) if unit.memory is None else None
            except DeviceError:
                link = None
            if link is not None and link.bandwidth is None:
                return None
            total += link.bandwidth if link is not None and link.bandwidth else 0
    return total or None


_WIDE, _HIGH, _LEFT, _BOTTOM = 720, 440, 80, 60


def svg(found: Roofline, title: str) -> str:
    """The plot, both axes logarithmic."""
    ridge = found.peak / found.bandwidth if found.bandwidth else 1.0
    here = min(max(found.intensity, ridge / 64), ridge * 64)
    low = 2.0 ** math.floor(math.log2(min(here, ridge) / 4))
    high = 2.0 ** math.ceil(math.log2(max(here, ridge) * 4))
    top = 2.0 ** math.ceil(math.log2(found.peak * 2))
    base = 2.0 ** math.floor(math.log2(max(1e-6, min(found.speed, found.roof(low))) / 2))

    def x(value: float) -> float:
        return _LEFT + (math.log2(value) - math.log2(low)) / math.log2(high / low) * (_WIDE - _LEFT - 30)

    def y(value: float) -> float:
        return _HIGH - _BOTTOM - (math.log2(value) - math.log2(base)) / math.log2(top / base) * (
            _HIGH - _BOTTOM - 50
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" '
        f'height="{_HIGH}" font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#161b22"/>',
        f'<text x="16" y="26" font-size="15" fill="#d8dee9">{escape(title)}</text>',
        *_grid(low, high, base, top, x, y),
    ]
    knee = min(max(ridge, low), high) if found.bandwidth else low
    parts.append(
        f'<path d="M{x(low):.1f} {y(found.roof(low)):.1f}L{x(knee):.1f} {y(found.peak):.1f}'
        f'H{x(high):.1f}" fill="none" stroke="#ffd580" stroke-width="2"/>'
    )
    limit = f"{found.peak:,} operations/cycle"
    parts.append(
        f'<text x="{x(high):.0f}" y="{y(found.peak) - 8:.0f}" fill="#ffd580" text-anchor="end">{limit}</text>'
    )
    if found.bandwidth:
        middle = math.sqrt(low * knee)
        parts.append(
            f'<text x="{x(middle) - 8:.0f}" y="{y(found.roof(middle)) - 6:.0f}" fill="#ffd580" '
            f'text-anchor="end">{found.bandwidth:,} bytes/cycle</text>'
        )
    if found.work:
        share = found.speed / found.roof(found.intensity)
        px, py = x(here), y(found.speed)
        anchor = "end" if px > _WIDE * 0.6 else "start"
        parts.append(
            f'<path d="M{px:.1f} {py:.1f}V{y(found.roof(here)):.1f}" stroke="#69db7c" stroke-dasharray="4 4"/>'
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="6" fill="#69db7c"/>'
            f'<text x="{px + (-12 if anchor == "end" else 12):.1f}" y="{py + 4:.1f}" fill="#d8dee9" '
            f'text-anchor="{anchor}">{found.speed:.3g} operations/cycle, {share:.0%} of the roof</text>'
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _grid(low: float, high: float, base: float, top: float, x, y) -> Iterator[str]:
    value = low
    while value <= high * 1.001:
        yield (
            f'<path d="M{x(value):.1f} 44V{_HIGH - _BOTTOM}" stroke="#262c36"/>'
            f'<text x="{x(value):.1f}" y="{_HIGH - _BOTTOM + 18}" fill="#8892a0" text-anchor="middle">'
            f"{_short(value)}</text>"
        )
        value *= 4
    value = base
    while value <= top * 1.001:
        yield (
            f'<path d="M{_LEFT} {y(value):.1f}H{_WIDE - 30}" stroke="#262c36"/>'
            f'<text x="{_LEFT - 8}" y="{y(value) + 4:.1f}" fill="#8892a0" text-anchor="end">'
            f"{_short(value)}</text>"
        )
        value *= 4
    yield (
        f'<text x="{(_LEFT + _WIDE) / 2:.0f}" y="{_HIGH - 16}" fill="#8892a0" text-anchor="middle">'
        "operations per byte of the global memory</text>"
        f'<text x="20" y="{_HIGH / 2:.0f}" fill="#8892a0" text-anchor="middle" '
        f'transform="rotate(-90 20 {_HIGH / 2:.0f})">operations per cycle</text>'
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"1/{1 / value:,.0f}"
