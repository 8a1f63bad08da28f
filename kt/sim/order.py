"""Which writes of different tiles are ordered: a vector clock per tile.

Nothing orders the memory effects of two tiles but the delivery of an inter-tile value: what a
producer did before it produced happens before what the consumer does after the delivery.
"""

from __future__ import annotations

import numpy as np
from attrs import define


@define(eq=False)
class Order:
    """The clocks of ``tiles`` tiles. Every write is stamped with its tile's current event."""

    tiles: int
    seen: np.ndarray
    """seen[t, u]: the newest epoch of tile u that happened before what tile t does now."""
    events: list[tuple[int, int]]
    """Tile and epoch of each event number; number 0 is the time before the launch."""
    current: np.ndarray
    """Event number that each tile's writes are stamped with."""

    @classmethod
    def of(cls, tiles: int) -> Order:
        events = [(-1, 0), *((t, 1) for t in range(tiles))]
        seen = np.zeros((tiles, tiles), np.int64)
        np.fill_diagonal(seen, 1)
        return cls(tiles, seen, events, np.arange(1, tiles + 1, dtype=np.uint16))

    def publish(self, tile: int) -> np.ndarray:
        """What happened before this point of ``tile``; its later writes belong to a new event."""
        before = self.seen[tile].copy()
        epoch = int(before[tile]) + 1
        self.seen[tile, tile] = epoch
        if len(self.events) < np.iinfo(np.uint16).max:  # the last number means several events
            self.current[tile] = len(self.events)
            self.events.append((tile, epoch))
        return before

    def receive(self, tile: int, before: np.ndarray) -> None:
        """Everything in ``before`` happens before what ``tile`` does from now on."""
        np.maximum(self.seen[tile], before, out=self.seen[tile])

    def unordered_writer(self, stamps: np.ndarray, tile: int) -> int | None:
        """A tile that wrote bytes with one of these stamps, in no order with ``tile``; or None."""
        own = self.current[tile]
        if ((stamps == 0) | (stamps == own)).all():
            return None
        for stamp in np.unique(stamps).tolist():
            writer, epoch = self.events[stamp]
            if writer not in (-1, tile) and self.seen[tile, writer] < epoch:
                return writer
        return None
