"""FIFOs and tokens between units, with the cycle at which each thing arrives."""

from __future__ import annotations

from collections import deque
from typing import Any

from attrs import define, field


@define(eq=False)
class Fifo:
    """An ordered queue from one unit to another.

    ``depth`` vectors may be under way (None: any number); ``space`` holds the cycles at which slots
    became free. The link takes ``ceil(bytes / bandwidth)`` cycles per vector and delivers it ``latency``
    cycles after it started.
    """

    source: int
    target: int
    depth: int | None
    bandwidth: int | None
    latency: int
    items: deque[tuple[Any, int]] = field(factory=deque)
    space: deque[int] = field(factory=deque)
    link_free: int = 0
    reader: Any = None
    writer: Any = None
    bytes: int = 0
    count: int = 0

    def __attrs_post_init__(self) -> None:
        if self.depth is not None:
            self.space.extend([0] * self.depth)

    def push(self, now: int, vector: Any, size: int) -> int:
        """Send at cycle ``now`` (a slot is free); returns when the sender goes on."""
        start = max(now, self.link_free)
        if self.bandwidth is not None:
            self.link_free = start - (-size // self.bandwidth)
        self.items.append((vector, start + self.latency))
        self.bytes += size
        self.count += 1
        return start


@define(eq=False)
class Tokens:
    """Tokens from one unit to another: the cycles at which they were given."""

    source: int
    target: int
    given: deque[int] = field(factory=deque)
    reader: Any = None
