"""Lines to the terminal: colours if it has them, a pager if they are many."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

PAGER = ("less", "-RFXG", "+/^━━", "+g")
"""Searches for titles without going there, so that n and N jump between passes."""


def show(
    lines: Sequence[Text], color: str = "auto", width: int = 100, pager: bool = True, always: bool = False
) -> None:
    """Print lines. ``color`` is ``auto``, ``always`` or ``never``; ``NO_COLOR`` keeps bold and underlined.

    ``pager``: on a terminal, page what doesn't fit on it; with ``always`` what fits, too.
    """
    terminal = sys.stdout.isatty()
    text = as_ansi(lines, width) if color == "always" or (color == "auto" and terminal) else as_plain(lines)
    long = pager and terminal and (always or len(lines) >= shutil.get_terminal_size().lines)
    if long and _page(text, always):
        return
    sys.stdout.write(text)


def as_plain(lines: Sequence[Text]) -> str:
    """Text without any escape codes."""
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)


def as_ansi(lines: Sequence[Text], width: int) -> str:
    """Text with escape codes for the terminal at hand."""
    no_color = bool(os.environ.get("NO_COLOR"))
    console = Console(width=width, force_terminal=True, no_color=no_color, highlight=False, legacy_windows=False)
    if console.color_system is None:
        console = Console(width=width, force_terminal=True, color_system="256", no_color=no_color)
    with console.capture() as capture:
        for line in lines:
            console.print(line, soft_wrap=True)
    return capture.get()


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
