"""A rich renderable as a picture: an SVG that stands alone, with any monospace font."""

from __future__ import annotations

from html import escape
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme

CHAR, LINE, SIZE, PAD = 8.4, 19, 14, 16
FONT = "ui-monospace, 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
DARK = TerminalTheme(
    (22, 27, 34), (216, 222, 233),
    [(22, 27, 34), (255, 107, 107), (105, 219, 124), (255, 213, 128), (121, 192, 255), (199, 146, 234),
     (128, 203, 196), (216, 222, 233)],
    [(107, 118, 132), (255, 107, 107), (105, 219, 124), (255, 213, 128), (121, 192, 255),
     (199, 146, 234), (128, 203, 196), (255, 255, 255)],
)  # fmt: skip
LIGHT = TerminalTheme(
    (255, 255, 255), (36, 41, 47),
    [(36, 41, 47), (207, 34, 46), (26, 127, 55), (149, 56, 0), (5, 80, 174), (130, 80, 223),
     (11, 107, 103), (87, 96, 106)],
    [(140, 149, 159), (207, 34, 46), (26, 127, 55), (149, 56, 0), (5, 80, 174), (130, 80, 223),
     (11, 107, 103), (36, 41, 47)],
)  # fmt: skip


def svg_of(renderable: Any, width: int, title: str = "kt", dark: bool = True) -> str:
    """The picture of a terminal of ``width`` columns that shows ``renderable``."""
    console = Console(width=width, color_system="truecolor", force_terminal=True, legacy_windows=False)
    rows = console.render_lines(renderable, pad=False)
    while rows and not "".join(s.text for s in rows[-1]).strip():
        rows.pop()
    return _document(rows, width, title, DARK if dark else LIGHT)


def _document(rows: list[list[Segment]], width: int, title: str, theme: TerminalTheme) -> str:
    wide, high = width * CHAR + 2 * PAD, len(rows) * LINE + 3 * PAD + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" '
        f'viewBox="0 0 {wide:.0f} {high:.0f}" font-family="{escape(FONT)}" font-size="{SIZE}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{theme.background_color.hex}"/>',
        f'<text x="{PAD}" y="{PAD + 4}" font-size="12" fill="{theme.ansi_colors[8].hex}">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        out += _row(row, PAD + 12 + number * LINE, theme)
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _row(row: list[Segment], top: float, theme: TerminalTheme) -> list[str]:
    bars, spans = [], []
    column = 0
    for segment in row:
        text = segment.text.rstrip("\n")
        if segment.control or not text:
            continue
        style = segment.style or Style()
        size = len(text)
        ink, paper = _colours(style, theme)
        if paper is not None:
            bars.append(
                f'<rect x="{PAD + column * CHAR:.1f}" y="{top:.0f}" width="{size * CHAR + 0.4:.1f}" '
                f'height="{LINE}" fill="{paper}"/>'
            )
        body = text.lstrip(" ")
        if body.strip():
            x = PAD + (column + size - len(body)) * CHAR
            spans.append(f'<tspan x="{x:.1f}" fill="{ink}"{_attributes(style)}>{escape(body.rstrip())}</tspan>')
        column += size
    if spans:
        bars.append(f'<text y="{top + 14:.0f}" xml:space="preserve">{"".join(spans)}</text>')
    return bars


def _attributes(style: Style) -> str:
    found = ' font-weight="bold"' if style.bold else ""
    if style.italic:
        found += ' font-style="italic"'
    if style.underline:
        found += ' text-decoration="underline"'
    if style.dim:
        found += ' opacity="0.6"'
    return found


def _colours(style: Style, theme: TerminalTheme) -> tuple[str, str | None]:
    """Colour of the letters, and of what is behind them if that differs from the page."""
    ink = style.color.get_truecolor(theme).hex if style.color is not None else theme.foreground_color.hex
    paper = None
    if style.bgcolor is not None and not style.bgcolor.is_default:
        paper = style.bgcolor.get_truecolor(theme, foreground=False).hex
    return (paper or theme.background_color.hex, ink) if style.reverse else (ink, paper)
