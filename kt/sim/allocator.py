"""Handing out bytes of a device memory."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable

from attrs import define, field

from kt.ir.diagnostics import RunError

Range = tuple[int, int]
"""First byte, and the one behind the last."""


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same bytes as disjoint ranges in order.

    >>> merged([(4, 8), (0, 4), (16, 20), (18, 24)])
    [(0, 8), (16, 24)]
    """
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif end > start:
            found.append((start, end))
    return found


@define(eq=False)
class Allocator:
    """First fit. Nothing is placed where loaded programs put things themselves (``fixed``)."""

    name: str
    size: int
    alignment: int
    taken: list[Range] = field(factory=list)
    """Ranges in use, in order."""

    @property
    def used(self) -> int:
        """Bytes in use."""
        return sum(end - start for start, end in self.taken)

    def allocate(self, size: int, alignment: int, fixed: Iterable[Range], what: str) -> int:
        """The address of ``size`` free bytes. RunError if there are none.

        No tensor gets address 0, so that a forgotten address is not taken for one.
        """
        step = max(1, alignment)
        at = step
        for start, end in merged([*self.taken, *fixed]):
            if at + size <= start:
                break
            at = max(at, -(-end // step) * step)
        if at + size > self.size:
            raise RunError(
                f"{what} of {size} bytes doesn't fit {self.name}: it has {self.size} bytes, "
                f"{self.used} of them are taken by tensors",
                hint="free tensors that are no longer needed",
            )
        insort(self.taken, (at, at + size))
        return at

    def free(self, address: int, size: int) -> None:
        """Give bytes back."""
        self.taken.remove((address, address + size))
