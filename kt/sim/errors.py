"""Faults of a running program, and how they get the place of the operation that caused them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.ir.affine import AffineError
from kt.ir.diagnostics import UNKNOWN, RunError


class Fault(RunError):
    """A fault found below the interpreter, which doesn't know the operation yet.

    ``tile`` is the flat number of the compute tile, None when it doesn't matter.
    """

    def __init__(self, message: str, tile: int | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.tile = tile


class RangeFault(Fault):
    """An access outside of its view, its buffer or its memory, found before it had any effect."""


class Diverged(Exception):
    """A step that needs one value for all tiles met several; ``keys[i]`` tells tile i's group."""

    def __init__(self, keys: Any) -> None:
        super().__init__("tiles diverge")
        self.keys = np.asarray(keys)


def located(error: RunError | AffineError, op: Any, tiles: Any) -> RunError:
    """The error with the operation's name and location; as it is if it has a location already."""
    if isinstance(error, AffineError):
        error = Fault(str(error))
    if error.location is not UNKNOWN or getattr(error, "placed", False):
        return error
    tile = getattr(error, "tile", None)
    if tile is None and len(tiles) == 1:
        tile = int(tiles[0])
    where = "" if tile is None else f" on tile {tile}"
    message = f"'{op.name}' op{where}: {error.message}"
    found = RunError(message, op.location, notes=error.notes, hint=error.hint)
    found.placed = True  # type: ignore[attr-defined]
    return found
