"""FIFOs and tokens between units, with the cycle at which each thing arrives."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.sim.engine.resources import Way

if TYPE_CHECKING:
    from kt.sim.engine.process import Process


@define(eq=False)
class Fifo:
    """An ordered queue from one unit to another.

    ``slots`` vectors and ``room`` bytes are free; ``freed`` holds the cycles at which more became free,
    to be claimed when they are needed. An item is (vector, cycle of arrival, type).
    """

    source: int
    target: int
    way: Way
    depth: int | None = None
    size: int | None = None
    far: bool = False
    """Whether the way's links are shared with others."""
    items: deque[tuple[Any, int, Any]] = field(factory=deque)
    freed: deque[tuple[int, int]] = field(factory=deque)
    clocks: deque[Any] = field(factory=deque)
    slots: float = field(init=False)
    room: float = field(init=False)
    bounded: bool = field(init=False)
    free: int = 0
    """From when the own link takes the next vector."""
    reader: Process | None = None
    writer: Process | None = None

    def __attrs_post_init__(self) -> None:
        self.bounded = self.depth is not None or self.size is not None
        self.reset()

    def reset(self) -> None:
        """Empty, with all slots free from the start."""
        self.items.clear()
        self.freed.clear()
        self.clocks.clear()
        self.slots = math.inf if self.depth is None else self.depth
        self.room = math.inf if self.size is None else self.size
        self.free = 0
        self.reader = self.writer = None


@define(eq=False)
class Tokens:
    """Tokens from one unit to another: the cycles at which they were given."""

    source: int
    target: int
    given: deque[int] = field(factory=deque)
    clocks: deque[Any] = field(factory=deque)
    reader: Process | None = None

    def reset(self) -> None:
        """No token is under way."""
        self.given.clear()
        self.clocks.clear()
        self.reader = None
