"""The explorer on a real terminal: raw keys in, screens out."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kt.view.explore import Explorer
from kt.view.paging import as_ansi

_SEQUENCES = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left", "\x1bOA": "up",
    "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left", "\x1b[5~": "pageup", "\x1b[6~": "pagedown",
    "\x1b[H": "home", "\x1b[F": "end", "\x1b[1~": "home", "\x1b[4~": "end", "\r": "enter", "\n": "enter",
    "\t": "tab", "\x7f": "backspace", "\x08": "backspace", "\x1b": "escape",
}  # fmt: skip


def key_names(data: str) -> Iterator[str]:
    """Keys in what a terminal sent: names of special keys, characters as they are."""
    while data:
        for size in (4, 3, 2, 1):
            name = _SEQUENCES.get(data[:size])
            if name is not None and len(data) >= size:
                yield name
                data = data[size:]
                break
        else:
            yield data[0]
            data = data[1:]


def run(explorer: Explorer) -> None:
    """Show the explorer until the user leaves."""
    with _raw_terminal():
        last = ""
        while not explorer.done:
            size = shutil.get_terminal_size()
            explorer.width, explorer.height = max(20, size.columns), max(4, size.lines)
            text = as_ansi(explorer.draw(), explorer.width).rstrip("\n").replace("\n", "\x1b[K\r\n")
            if text != last:
                sys.stdout.write(f"\x1b[H{text}\x1b[K\x1b[J")
                sys.stdout.flush()
                last = text
            # A resized window shows within half a second.
            if select.select([sys.stdin], [], [], 0.5)[0]:
                data = os.read(sys.stdin.fileno(), 64)
                if not data or data == b"\x03":
                    return
                for key in key_names(data.decode(errors="ignore")):
                    explorer.press(key)


@contextmanager
def _raw_terminal() -> Iterator[None]:
    import termios
    import tty

    handle = sys.stdin.fileno()
    before: Any = termios.tcgetattr(handle)
    sys.stdout.write("\x1b[?1049h\x1b[?25l")
    try:
        tty.setraw(handle)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
