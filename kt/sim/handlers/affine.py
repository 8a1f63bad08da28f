"""Affine arithmetic on index values."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from kt.sim.interp import Frame, Interpreter, Step, handles


def map_of(op: Any, key: str = "map") -> Any:
    return op.attr(key).map


def evaluate(map: Any, values: list[Any]) -> tuple[Any, ...]:
    """Results of a map whose dims and then symbols are ``values``."""
    return map.eval(values[: map.num_dims], values[map.num_dims :])


def _plain(value: Any) -> Any:
    return int(value) if np.ndim(value) == 0 else value


@handles("affine.apply")
def apply(op: Any, interp: Interpreter) -> Step:
    map, operands, result = map_of(op), op.operands, op.result

    def step(frame: Frame) -> None:
        frame[result] = _plain(evaluate(map, [frame[v] for v in operands])[0])

    return step


def _extreme(op: Any, pick: Any) -> Step:
    map, operands, result = map_of(op), op.operands, op.result

    def step(frame: Frame) -> None:
        frame[result] = _plain(reduce(pick, evaluate(map, [frame[v] for v in operands])))

    return step


@handles("affine.min")
def minimum(op: Any, interp: Interpreter) -> Step:
    return _extreme(op, np.minimum)


@handles("affine.max")
def maximum(op: Any, interp: Interpreter) -> Step:
    return _extreme(op, np.maximum)
