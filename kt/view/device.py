"""A device drawn: memories and engines in layers, with the units that move data between them.

One core is shown, with what it shares with others. The global memory is on top; below each storage
stand those that are one step further away. The same layout makes the text and the SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

from attrs import define, field, frozen
from rich.text import Text

from kt.arch import Device, ExecUnit, Memory, Node
from kt.arch.resources import Kind
from kt.ir.diagnostics import DeviceError

WIDTH = 76
"""Columns of a drawing."""


@frozen
class Mover:
    """A unit on its way between a storage and one in the layer above."""

    unit: str
    upper: str
    downwards: bool
    bandwidth: int | None

    @property
    def label(self) -> str:
        return self.unit if self.bandwidth is None else f"{self.unit} {self.bandwidth} B/cycle"


@define
class Storage:
    """A memory or compute unit: what it is called, what is said about it, what fills and empties it."""

    kind: str
    facts: str
    movers: list[Mover] = field(factory=list)
    beside: list[str] = field(factory=list)
    """Units that move data between this memory and other cores."""


def layers(device: Device) -> list[list[Storage]]:
    """Storages by their distance from the global memory, each with the units that lead up from it."""
    kinds = [*device.memory_kinds, *device.compute_kinds]
    distance: dict[Kind, int] = {}
    for kind in kinds:
        try:
            distance[kind] = len(device.route(device.global_memory.key, kind).hops)
        except DeviceError:
            continue  # registers, or what nothing fills: named beside
    rows: list[list[Storage]] = []
    for depth in sorted(set(distance.values())):
        row = [k for k in kinds if distance.get(k) == depth]
        above = [k for k in kinds if distance.get(k) == depth - 1]
        rows.append([_storage(device, kind, above) for kind in row])
    return rows


def _storage(device: Device, kind: Kind, above: Sequence[Kind]) -> Storage:
    graph, node = device.kind_graph(0), device.node(kind)
    made = Storage(str(kind), facts(device, node))
    for unit in device.unit_kinds:
        if unit not in graph or unit == kind or device.unit(unit).is_compute:
            continue
        for upper in above:
            for start, end, down in ((upper, kind, True), (kind, upper, False)):
                if graph.has_edge(start, unit) and graph.has_edge(unit, end):
                    rates = [graph.edges[p]["link"].bandwidth for p in ((start, unit), (unit, end))]
                    known = [r for r in rates if r is not None]
                    made.movers.append(Mover(str(unit), str(upper), down, min(known, default=None)))
        if graph.has_edge(kind, unit) and graph.has_edge(unit, kind):
            peers = max(_peers(device, instance) for instance in device.instances(unit))
            if peers:
                made.beside.append(f"{unit}, linked to up to {peers} of other cores")
    return made


def _peers(device: Device, node: Node) -> int:
    """How many units of its own kind a unit sends to."""
    links = device.links_of(node, incoming=False)
    return len({x.target for x in links if isinstance(x.target, ExecUnit) and x.target.key == node.key})


def facts(device: Device, node: Node) -> str:
    """Size and sharing of a memory, lanes of a compute unit."""
    if isinstance(node, Memory):
        said = [size_text(node.size), _shared(device, node)]
        if node.bandwidth is not None:
            said.append(f"{node.bandwidth} B/cycle")
        if node.ports is not None:
            said.append(f"{node.ports} ports")
        return ", ".join(said)
    types = device.element_types(node.key)
    lanes = ", ".join(f"{device.lanes(node.key, t)}×{str(t).rpartition('.')[2]}" for t in types)
    local = device.local_memory(node.key)
    registers = f"; registers {local.key} {size_text(local.size)}" if local is not None else ""
    count = len(device.instances(node.key, 0))
    return f"{lanes}{registers}" + (f"; {count} per core" if count > 1 else "")


def size_text(size: int | None) -> str:
    """Bytes with a binary prefix."""
    if size is None:
        return "size unknown"
    for word in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or word == "GiB" or size % 1024:
            return f"{size:,} {word}"
        size //= 1024
    return ""


def _shared(device: Device, memory: Memory) -> str:
    if device.scope(memory.key) == "device":
        return "shared by all cores" if device.num_cores > 1 else "one"
    if device.scope(memory.key) == "group":
        return f"one for {len(device.sharers(memory))} cores"
    return "one per core" if device.scope(memory.key) == "core" else "one per unit"


# -- text ------------------------------------------------------------------------------------------


def drawing(device: Device) -> str:
    """The layers as boxes of text, arrows between them in the direction of the data."""
    lines: list[str] = []
    rows = layers(device)
    for number, row in enumerate(rows):
        widths = _widths(len(row))
        if number:
            cells = [_arrows(s, w, len(rows[number - 1]) > 1) for s, w in zip(row, widths, strict=True)]
            lines += _side_by_side(cells)
        lines += _side_by_side([_box(s, w) for s, w in zip(row, widths, strict=True)])
    return "\n".join(line.rstrip() for line in lines)


def painted(text: str) -> Text:
    """A drawing in colours: lines faint, names of storages and units strong."""
    from kt.view.themes import default_theme

    theme = default_theme()
    made = Text(text, no_wrap=True)
    made.highlight_regex(r"[┌┐└┘─│▲▼⇄]+", theme.dim)
    made.highlight_regex(r"(?<=│ )[\w-]+(?=  \S)", f"bold {theme.tokens['value']}")
    made.highlight_regex(r"(?<=│ )[\w-]+(?= \d+ B/cycle)|(?<=⇄ )[\w-]+", theme.tokens["op"])
    return made


def _widths(count: int) -> list[int]:
    return [(WIDTH - 2 * (count - 1)) // count] * count


def _side_by_side(cells: Sequence[Sequence[str]]) -> list[str]:
    """Columns of text next to each other; each cell's lines are equally wide."""
    height = max(map(len, cells))
    padded = [[*c, *[" " * len(c[0])] * (height - len(c))] for c in cells]
    return ["  ".join(parts) for parts in zip(*padded, strict=True)]


def _box(storage: Storage, width: int) -> list[str]:
    inside = width - 4
    said = _wrapped(f"{storage.kind}  {storage.facts}", inside)
    said += [part for text in storage.beside for part in _wrapped(f"⇄ {text}", inside)]
    return [
        "┌" + "─" * (width - 2) + "┐",
        *(f"│ {line:<{inside}} │" for line in said),
        "└" + "─" * (width - 2) + "┘",
    ]


def _wrapped(text: str, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = "    " + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line[:width]]


def _arrows(storage: Storage, width: int, named: bool) -> list[str]:
    """A column per unit: a shaft, its name, and a head on the side that data goes to."""
    if not storage.movers:
        return [" " * width] * 3
    column = max(6, width // len(storage.movers))
    texts = [m.label + (f" ({m.upper})" if named else "") for m in storage.movers]

    def row(parts: Sequence[str]) -> str:
        return "".join(f"  {part:<{column - 2}}"[:column] for part in parts)[:width].ljust(width)

    return [
        row(["│" if m.downwards else "▲" for m in storage.movers]),
        row([f"│ {text}" for text in texts]),
        row(["▼" if m.downwards else "│" for m in storage.movers]),
    ]


# -- other forms -------------------------------------------------------------------------------------


def dot(device: Device, core: int | None = 0) -> str:
    """The graph in Graphviz' language: one core and what it shares, or (None) every instance."""
    lines = [f'digraph "{device.name}" {{', "  rankdir=TB;", '  node [fontname="Helvetica"];']
    if core is None:
        ids = {node: f"n{i}" for i, node in enumerate(device.nodes)}
        lines += [f"  {ids[n]} [{_dot_style(n, n.label)}];" for n in device.nodes]
        lines += [
            f"  {ids[a]} -> {ids[b]}{_dot_edge(data['link'])};"
            for a, b, data in device.graph.edges(data=True)
        ]
    else:
        graph = device.kind_graph(core)
        names = {kind: f"n{i}" for i, kind in enumerate(graph)}
        lines += [f"  {names[k]} [{_dot_style(graph.nodes[k]['node'], str(k))}];" for k in graph]
        lines += [
            f"  {names[a]} -> {names[b]}{_dot_edge(data['link'])};"
            for a, b, data in graph.edges(data=True)
        ]
    return "\n".join([*lines, "}"])


def _dot_style(node: Node, label: str) -> str:
    if isinstance(node, Memory):
        return f'label="{label}\\n{size_text(node.size)}", shape=box, style=filled, fillcolor="#dbe9f6"'
    color = "#fde8c8" if node.is_compute else "#f4f4f4"
    return f'label="{label}", shape=ellipse, style=filled, fillcolor="{color}"'


def _dot_edge(link: Any) -> str:
    if link is None or link.bandwidth is None:
        return ""
    return f' [label="{link.bandwidth} B"]'


def svg(device: Device) -> str:
    """The layers as an SVG picture."""
    rows = layers(device)
    width, gap = 760, 62
    boxes = [(width - 40 - 16 * (len(row) - 1)) / len(row) for row in rows]
    heights = [max(38 + 16 * len(_svg_facts(s, each)) for s in row) for row, each in zip(rows, boxes, strict=True)]
    height = sum(heights) + gap * (len(rows) - 1) + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="13">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#445"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="20" y="24" font-size="16" font-weight="bold">{escape(str(device.name))}: '
        f"{device.num_cores} cores, one of them shown</text>",
    ]
    top = 40
    for number, (row, each, box) in enumerate(zip(rows, boxes, heights, strict=True)):
        for i, storage in enumerate(row):
            left = 20 + i * (each + 16)
            out += _svg_box(storage, left, top, each, box, number == len(rows) - 1)
            if number:
                out += _svg_arrows(storage, left, top, each, gap, len(rows[number - 1]) > 1)
        top += box + gap
    return "\n".join([*out, "</svg>"])


def _svg_box(
    storage: Storage, left: float, top: float, width: float, height: int, last: bool
) -> list[str]:
    fill = "#fde8c8" if last else "#dbe9f6"
    return [
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height}" rx="6" '
        f'fill="{fill}" stroke="#445"/>',
        f'<text x="{left + 12:.0f}" y="{top + 22:.0f}" font-weight="bold">{escape(storage.kind)}</text>',
        *(
            f'<text x="{left + 12:.0f}" y="{top + 42 + 16 * i:.0f}" font-size="11">{escape(text)}</text>'
            for i, text in enumerate(_svg_facts(storage, width))
        ),
    ]


def _svg_facts(storage: Storage, width: float) -> list[str]:
    """What a box of this width says below the name, by lines."""
    texts = [storage.facts, *(f"⇄ {text}" for text in storage.beside)]
    return [line for text in texts for line in _wrapped(text, int((width - 24) / 6.2))]


def _svg_arrows(
    storage: Storage, left: float, top: float, width: float, gap: int, named: bool
) -> list[str]:
    out = []
    for i, mover in enumerate(storage.movers):
        x = left + 24 + i * (width - 24) / len(storage.movers)
        ends = (top - gap + 2, top - 2)
        start, end = ends if mover.downwards else ends[::-1]
        text = mover.label + (f" ({mover.upper})" if named else "")
        out += [
            f'<line x1="{x:.0f}" y1="{start:.0f}" x2="{x:.0f}" y2="{end:.0f}" stroke="#445" '
            'stroke-width="1.6" marker-end="url(#head)"/>',
            f'<text x="{x + 8:.0f}" y="{top - gap / 2 + 4:.0f}" font-size="11">{escape(text)}</text>',
        ]
    return out
