"""Lines to the terminal: colours if it has them, a pager if they are many."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

Styles = tuple[str | Style, ...]

PAGER = ("less", "-RFXG", "+/^━━", "+g")
"""Searches for titles without going there, so that n and N jump between passes."""


def show(
    lines: Sequence[Text], color: str = "auto", width: int = 100, pager: bool = True, always: bool = False
) -> None:
    """Print lines. ``color`` is ``auto``, ``always`` or ``never``; ``NO_COLOR`` keeps bold and underlined.

    ``pager``: on a terminal, page what doesn't fit on it; with ``always`` what fits, too.
    """
    terminal = sys.stdout.isatty()
    text = as_ansi(lines, width) if in_colour(color) else as_plain(lines)
    long = pager and terminal and (always or len(lines) >= shutil.get_terminal_size().lines)
    if long and _page(text, always):
        return
    sys.stdout.write(text)


def in_colour(color: str) -> bool:
    """Whether ``auto``, ``always`` or ``never`` means colours on standard output."""
    return color == "always" or (color == "auto" and sys.stdout.isatty())


def as_plain(lines: Sequence[Text]) -> str:
    """Text without any escape codes."""
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def as_ansi(lines: Sequence[Text], width: int) -> str:
    """Text with escape codes for the terminal at hand.

    rich says what each style looks like, once: printing every line with it would take longer than a
    whole compilation.
    """
    from rich.console import Console

    no_color = bool(os.environ.get("NO_COLOR"))
    console = Console(width=width, force_terminal=True, no_color=no_color, highlight=False, legacy_windows=False)
    if console.color_system is None:
        console = Console(width=width, force_terminal=True, color_system="256", no_color=no_color)
    codes: dict[Styles, tuple[str, str]] = {}
    written: list[str] = []
    for line in lines:
        for styles, part in _runs(line):
            around = codes.get(styles)
            if around is None:
                around = codes[styles] = _codes(console, styles)
            written += (around[0], part, around[1])
        written.append("\n")
    return "".join(written)


def _runs(line: Text) -> Iterator[tuple[Styles, str]]:
    """A line in parts of one style; of several over each other, the last one is on top."""
    text, at = line.plain, 0
    layers: list[Styles] = [(line.style,)] * len(text)
    for start, end, style in line.spans:
        layers[start:end] = [(*under, style) for under in layers[start:end]]
    for styles, run in groupby(layers):
        size = len(list(run))
        yield styles, text[at : at + size]
        at += size


def _codes(console: Console, styles: Styles) -> tuple[str, str]:
    """What is written before and behind a text of some styles."""
    style = Style.combine(console.get_style(s) for s in styles)
    with console.capture() as capture:
        console.print(Text("x", style), end="")
    before, _, behind = capture.get().partition("x")
    return before, behind


def _page(text: str, stay: bool = False) -> bool:
    """Whether a pager took the text. ``stay``: it waits for a key even if all of it fits."""
    command = [os.environ["PAGER"]] if os.environ.get("PAGER") else list(PAGER)
    if command[0] == "cat" or shutil.which(command[0].split()[0]) is None:
        return False
    if command[0] == "less":
        command = [word.replace("F", "") if stay else word for word in PAGER]
    process = subprocess.Popen(
        command if len(command) > 1 else command[0].split(), stdin=subprocess.PIPE, text=True, encoding="utf-8"
    )
    try:
        process.communicate(text)
    except (BrokenPipeError, KeyboardInterrupt):
        process.wait()
    return True
