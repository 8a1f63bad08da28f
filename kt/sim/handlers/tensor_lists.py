"""``tensor.gather`` and ``tensor.scatter``: slices at coordinates that a tensor lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.sim.errors import Fault
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import Undefined


def _places(
    listed: np.ndarray, rank: int, dims: tuple[int, ...], shape: tuple[int, ...], batched: bool
) -> tuple[Any, ...]:
    """Index arrays of all elements: (batch,) list axes, then the dimensions that aren't listed.

    ``rank`` is that of the list (its last axis holds coordinates), ``shape`` the unbatched tensor's.
    """
    rest = [d for d in range(len(shape)) if d not in dims]
    tail = (1,) * len(rest)
    index: list[Any] = [None] * len(shape)
    for k, d in enumerate(dims):
        at = listed[..., k]
        bad = (at < 0) | (at >= shape[d])
        if bad.any():
            raise Fault(
                f"coordinate {int(at[bad].flat[0])} along dimension {d} of a tensor with {shape[d]} there"
            )
        index[d] = at.reshape((*at.shape, *tail))
    for k, d in enumerate(rest):
        index[d] = np.arange(shape[d]).reshape(-1, *(1,) * (len(rest) - 1 - k))
    if batched:
        count = listed.shape[0] if listed.ndim > rank else -1
        index.insert(0, np.arange(count).reshape(-1, *(1,) * (rank - 1 + len(rest))))
    return tuple(index)


@handles("tensor.gather")
def gather(op: Any, interp: Interpreter) -> Step:
    dims, result = tuple(op.gather_dims.values), op.result
    rank, listed_rank = len(op.source.type.shape), len(op.indices.type.shape)

    def step(frame: Frame) -> None:
        source, listed = np.asarray(frame[op.source]), np.asarray(frame[op.indices])
        lead = source.ndim - rank
        if lead and listed.ndim == listed_rank:
            listed = np.broadcast_to(listed, (len(source), *listed.shape))
        places = _places(listed, listed_rank, dims, source.shape[lead:], bool(lead))
        found = source[places]
        lists = listed.shape[:-1]
        slices = found.shape[len(lists) :]
        if len(result.type.shape) == listed_rank - 1 + rank:  # the listed dimensions stay as 1
            kept = iter(slices)
            slices = tuple(1 if d in dims else next(kept) for d in range(rank))
        frame[result] = found.reshape((*lists, *slices))

    return step


@handles("tensor.scatter")
def scatter(op: Any, interp: Interpreter) -> Step:
    """Where a coordinate repeats although the op promises otherwise, the last in the list wins."""
    dims, result = tuple(op.scatter_dims.values), op.result
    rank, listed_rank = len(op.dest.type.shape), len(op.indices.type.shape)
    source_rank = len(op.source.type.shape)

    def step(frame: Frame) -> None:
        source, dest = np.asarray(frame[op.source]), frame[op.dest]
        listed = np.asarray(frame[op.indices])
        if isinstance(dest, Undefined):
            raise dest.refuse()
        lead = int(source.ndim > source_rank or dest.ndim > rank or listed.ndim > listed_rank)
        if lead:
            count = len(frame.tiles)
            listed = _spread(listed, listed_rank, count)
            dest, source = _spread(dest, rank, count), _spread(source, source_rank, count)
        new = np.array(dest)
        shape = new.shape[lead:]
        places = _places(listed, listed_rank, dims, shape, bool(lead))
        rest = [n for d, n in enumerate(shape) if d not in dims]
        new[places] = source.reshape((*listed.shape[:-1], *rest))
        frame[result] = new

    return step


def _spread(value: np.ndarray, rank: int, count: int) -> np.ndarray:
    return value if value.ndim > rank else np.broadcast_to(value, (count, *value.shape))
