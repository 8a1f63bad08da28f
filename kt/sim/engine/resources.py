"""What units wait for besides each other: memories and links that several of them use.

A transfer starts when everything that it needs is free; each resource then serves it for its own time.
Requests are served in the order of their cycles, those of one cycle in program-unit order.
"""

from __future__ import annotations

from heapq import heapreplace

from attrs import define, field


@define(eq=False)
class Bandwidth:
    """A memory or link that moves ``rate`` bytes per cycle, for all users together."""

    rate: int
    free: int = 0

    def hold(self, start: int, size: int, cycles: int) -> None:
        """Serve ``size`` bytes from cycle ``start`` on."""
        self.free = max(self.free, start) - (-size // self.rate)

    def reset(self) -> None:
        self.free = 0


@define(eq=False)
class Ports:
    """The ports of a memory: each serves one access at a time."""

    count: int
    ends: list[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.reset()

    @property
    def free(self) -> int:
        """The cycle from which some port is free."""
        return self.ends[0]

    def hold(self, start: int, size: int, cycles: int) -> None:
        """Take the port that is free first, for ``cycles``."""
        heapreplace(self.ends, start + cycles)

    def reset(self) -> None:
        self.ends = [0] * self.count


Resource = Bandwidth | Ports


@define(eq=False)
class Way:
    """How bytes get from a memory to a unit, from a unit to a memory, or between units.

    ``rate`` (bytes per cycle; None: unlimited) is that of the slowest part, ``latency`` the cycles from
    the first byte that enters to the first one that arrives. ``shared`` are the parts that others use
    as well, each with the cycles after which the first byte reaches it. Memories move whole granules.
    ``between`` are the links from unit to unit on a way that leads over several, by the kinds at both ends.
    """

    rate: int | None = None
    latency: int = 0
    granule: int = 1
    shared: tuple[tuple[Resource, int], ...] = ()
    between: tuple[tuple[str, str], ...] = ()

    def cycles(self, size: int) -> int:
        """For how long ``size`` bytes flow."""
        return 0 if self.rate is None else -(-size // self.rate)

    def start(self, now: int) -> int:
        """The first cycle from ``now`` on at which bytes can enter."""
        for resource, delay in self.shared:
            now = max(now, resource.free - delay)
        return now

    def hold(self, start: int, size: int, cycles: int) -> None:
        """Occupy the shared parts for bytes that enter at ``start``."""
        for resource, delay in self.shared:
            resource.hold(start + delay, size, cycles)
