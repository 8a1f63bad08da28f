"""Python's collector of cycles, held back while many objects are made at once.

None of them dies meanwhile, and their number makes the collector run often, each time over more.
"""

from __future__ import annotations

import gc
from types import TracebackType


class Paused:
    """``with Paused():`` no collection happens inside; nests, and leaves a collector that is off alone."""

    __slots__ = ("was",)

    def __enter__(self) -> None:
        self.was = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.was:
            gc.enable()
