"""A progress bar for what takes more than a second, on a terminal's standard error only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def bar(title: str) -> Iterator[Callable[[float], None] | None]:
    """Gives a function that is told which part is done; None where no bar could be seen."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    shown: Any = None
    task: Any = None
    began = time.monotonic()

    def report(part: float) -> None:
        nonlocal shown, task
        if shown is None:
            if time.monotonic() - began < PATIENCE:
                return
            from rich.progress import Progress

            shown = Progress(console=console, transient=True)
            shown.start()
            task = shown.add_task(title, total=1.0)
        shown.update(task, completed=part)

    try:
        yield report
    finally:
        if shown is not None:
            shown.stop()
