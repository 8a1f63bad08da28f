"""Drivers: how the tiles of a launch share the interpreter.

Tiles that do the same run as batches (``batch`` tiles at most in one); batches of a function whose
tiles wait for each other take turns. A batch of one tile is the sequential driver.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kt.ir.attributes import IntegerAttr, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.sim.blas import one_thread
from kt.sim.interp import Frame, Interpreter, Wait, interleave
from kt.sim.intertile import Turns
from kt.sim.machine import Machine
from kt.sim.values import merge, rank_of

if TYPE_CHECKING:
    from kt.sim.prepared import Prepared

MAX_TILES = 2**20
"""What the executor takes: each tile has values of its own."""

CONVENTIONS = ("kt", "scheduler", "ktir-cpu")


def grid_of(function: Operation) -> tuple[int, ...]:
    """The grid of a function; (1,) when it has none. RunError for one that is no list of sizes."""
    grid = function.attr("grid")
    if grid is None:
        return (1,)
    elements = getattr(grid, "elements", None)
    if not elements:
        raise RunError("Grid must have at least one dimension", function.location)
    for size in elements:
        if not isinstance(size, IntegerAttr):
            raise RunError("Grid size must be integer attribute", function.location)
        if size.value <= 0:
            raise RunError(f"Grid size must be positive (got {size.value})", function.location)
    return tuple(size.value for size in elements)


def conventions_of(module: Operation) -> str:
    """The module's ``kt.conventions``; ``kt`` when absent."""
    found = module.attr("kt.conventions")
    name = found.value if isinstance(found, StringAttr) else "kt"
    if name not in CONVENTIONS:
        raise RunError(
            f"unknown conventions '{name}'",
            module.location,
            hint=f"known: {', '.join(CONVENTIONS)}",
        )
    return name


def run_kernel(
    kernel: Prepared, arguments: Sequence[Any], machine: Machine, *, batch: int | None = None
) -> list[Any]:
    """Run a function on every tile of its grid; ``arguments`` are run-time values.

    ``batch`` limits how many tiles run as one (1: one after the other; None: as many as the sizes
    of the tensors make worthwhile). Returns the function's results, with an axis for the tiles in
    front where they differ. The machine's memories hold what the kernel wrote.
    """
    function, tiles = kernel.function, math.prod(kernel.grid)
    cores = getattr(machine.device, "num_cores", tiles)
    if tiles > cores:
        raise RunError(
            f"the grid has {tiles} tiles, but device '{machine.device.name}' has {cores} cores",
            function.location,
        )
    if tiles > MAX_TILES:
        raise RunError(
            f"the grid has {tiles} tiles, more than {MAX_TILES} aren't executed", function.location
        )
    machine.begin_launch(tiles, machine.checks, kernel.sharing)
    if machine.device is None:
        machine.aliases.update(kernel.aliases)
    size = batch or kernel.batch
    frames = [
        Frame(np.arange(first, min(first + size, tiles)), machine.order)
        for first in range(0, tiles, size)
    ]
    with one_thread(), kernel.interpreter(machine) as interp:
        if interp.waits(function):
            _in_turns(interp, function, frames, arguments)
        else:
            for number, frame in enumerate(frames):
                interp.batch = number, len(frames)
                interp.call(function, frame, arguments)
        if machine.checks:
            for kept in interp.state.values():
                if isinstance(kept, Turns):
                    kept.check()
    types = function.attr("function_type").results
    return [
        merge([(frame.tiles, frame.out[i]) for frame in frames], rank_of(type), tiles)
        for i, type in enumerate(types)
    ]


def _in_turns(
    interp: Interpreter, function: Operation, frames: list[Frame], arguments: Sequence[Any]
) -> None:
    runs = [interp.call(function, frame, arguments) for frame in frames]
    for blocked in interleave(runs):
        raise deadlock(blocked, function)


def deadlock(blocked: Wait, function: Operation) -> RunError:
    """The report of tiles that wait for each other."""
    who = ", ".join(map(str, blocked.tiles))
    op = blocked.op or function
    return RunError(
        f"deadlock: tile {who} waits at '{op.name}' for {blocked.reason}, which never come",
        op.location,
        hint="every tile of a group must reach the produce and its delivery equally often",
    )
