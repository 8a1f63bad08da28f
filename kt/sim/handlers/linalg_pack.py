"""Layouts in tiles, and softmax: the ops of ``linalg`` that have no body."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.numbers import round_to
from kt.sim.access import read_all, write_all
from kt.sim.errors import Fault
from kt.sim.handlers.memref import mixed_numbers
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import Undefined, dtype_of, uniform


def _tiles(op: Any) -> Any:
    """A function of the frame: the tile of each plain dimension (1 where there is none)."""
    numbers = mixed_numbers(op, "static_inner_tiles", op.inner_tiles)
    positions, rank = op.inner_dims_pos.values, op.plain.type.rank

    def tiles(frame: Frame) -> list[int]:
        found = [1] * rank
        for d, n in zip(positions, numbers(frame), strict=True):
            found[d] = int(uniform(n))
        return found

    return tiles


def _axes(op: Any) -> list[int]:
    """Axes of a tensor cut into (outer, inner) pairs, in the order of the packed one; 1s dropped."""
    outer = [2 * d for d in op.outer_order]
    inner = [2 * d + 1 for d in op.inner_dims_pos.values]
    return [*outer, *inner, *(a for a in range(2 * op.plain.type.rank) if a not in (*outer, *inner))]


@handles("linalg.pack")
def pack(op: Any, interp: Interpreter) -> Step:
    tiles_of, axes, rank, positions = _tiles(op), _axes(op), op.plain.type.rank, op.inner_dims_pos.values

    def step(frame: Frame) -> None:
        value = np.asarray(frame[op.source])
        lead, tiles = value.ndim - rank, tiles_of(frame)
        missing = [-n % k for n, k in zip(value.shape[lead:], tiles, strict=True)]
        if any(missing):
            if op.padding_value is None:
                raise Fault(f"tiles {tiles} don't divide a tensor {value.shape[lead:]} without padding")
            widths = [(0, 0)] * lead + [(0, n) for n in missing]
            value = np.pad(value, widths, constant_values=uniform(frame[op.padding_value]))
        front = value.shape[:lead]
        pairs = [x for n, k in zip(value.shape[lead:], tiles, strict=True) for x in (n // k, k)]
        moved = value.reshape((*front, *pairs)).transpose((*range(lead), *(lead + a for a in axes)))
        frame[op.result] = moved.reshape(moved.shape[: lead + rank + len(positions)])

    return step


@handles("linalg.unpack")
def unpack(op: Any, interp: Interpreter) -> Step:
    tiles_of, axes, rank = _tiles(op), _axes(op), op.plain.type.rank
    back = sorted(range(2 * rank), key=axes.__getitem__)

    def step(frame: Frame) -> None:
        value, dest, tiles = np.asarray(frame[op.source]), frame[op.dest], tiles_of(frame)
        lead = value.ndim - op.source.type.rank
        shape = dest.shape[len(dest.shape) - rank :]
        cut = (*value.shape, *(1,) * (2 * rank + lead - value.ndim))
        pairs = value.reshape(cut).transpose((*range(lead), *(lead + a for a in back)))
        front = pairs.shape[:lead]
        whole = pairs.reshape((*front, *(n * k for n, k in zip(pairs.shape[lead::2], tiles, strict=True))))
        frame[op.result] = whole[(slice(None),) * lead + tuple(slice(n) for n in shape)]

    return step


@handles("linalg.softmax")
def softmax(op: Any, interp: Interpreter) -> Step:
    """In f64, rounded once."""
    dtype, axis, rank = dtype_of(op.output.type), op.dimension.value, op.input.type.rank

    def step(frame: Frame) -> None:
        value = frame[op.input]
        if isinstance(value, Undefined):
            raise value.refuse()
        if isinstance(op.input.type, t.MemRefType):
            value = read_all(value, frame)
        wide = np.asarray(value).astype(np.float64)
        along = axis - rank
        powers = np.exp(wide - wide.max(along, keepdims=True))
        made = round_to(powers / powers.sum(along, keepdims=True), dtype)
        if isinstance(op.output.type, t.MemRefType):
            write_all(frame[op.output], made, frame)
        for value in op.results:
            frame[value] = made

    return step
