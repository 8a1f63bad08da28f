"""Buffers, views of them, barriers and splats of the `kt` dialect (``kt.convert`` is element-wise)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, evolve, field

from kt.ir.diagnostics import RunError
from kt.sim.errors import Diverged
from kt.sim.handlers.memref import allocate
from kt.sim.interp import Frame, Interpreter, Step, Wait, handles

handles("kt.buffer")(allocate)


@handles("kt.peer_view")
def peer_view(op: Any, interp: Interpreter) -> Step:
    peers, source, result = np.array(op.peers.values), op.source, op.view
    total = int(np.prod(interp.grid))
    if len(peers) != total:
        raise RunError(f"names the peers of {len(peers)} tiles, but {total} run", op.location)

    def step(frame: Frame) -> None:
        view = frame[source]
        tiles = peers[frame.tiles]
        if len(tiles) > 1 and (tiles == tiles[0]).all():
            tiles = tiles[:1]
        frame[result] = evolve(view, row=view.bank.row_number(tiles))

    return step


@handles("kt.splat")
def splat(op: Any, interp: Interpreter) -> Step:
    scalar, result = op.operands[0], op.result
    shape = result.type.shape

    def step(frame: Frame) -> None:
        value = np.asarray(frame[scalar])
        frame[result] = np.broadcast_to(
            value.reshape((*value.shape, *(1,) * len(shape))), (*value.shape, *shape)
        )

    return step


@define(eq=False)
class Meeting:
    """One round of a barrier: the tiles that are there, and what happened before they came."""

    tiles: set[int] = field(factory=set)
    clocks: list[np.ndarray] = field(factory=list)


@define(eq=False)
class Meetings:
    """All rounds of a barrier, and how often each tile has come."""

    rounds: dict[int, Meeting] = field(factory=dict)
    counts: dict[int, int] = field(factory=dict)


@handles("kt.barrier", waits=True)
def barrier(op: Any, interp: Interpreter) -> Step:
    total = int(np.prod(interp.grid))

    def meet(frame: Frame, meeting: Meeting) -> Iterator[Wait]:
        tiles = frame.tiles.tolist()
        yield_ = Wait(tiles, op, "the other tiles")
        while len(meeting.tiles) < total:
            yield yield_
        if frame.order is not None:
            for tile in tiles:
                for clock in meeting.clocks:
                    frame.order.receive(tile, clock)

    def step(frame: Frame) -> Any:
        kept = interp.kept(op, Meetings)
        counts, tiles = kept.counts, frame.tiles.tolist()
        reached = np.array([counts.get(tile, 0) for tile in tiles])
        if (reached != reached[0]).any():
            raise Diverged(reached)
        meeting = kept.rounds.setdefault(int(reached[0]), Meeting())
        meeting.tiles.update(tiles)
        for tile in tiles:
            counts[tile] = counts.get(tile, 0) + 1
            if frame.order is not None:
                meeting.clocks.append(frame.order.publish(tile))
        return meet(frame, meeting)

    return step
