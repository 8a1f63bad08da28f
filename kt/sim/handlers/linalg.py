"""Structured operations: all of them, generic or by name, through :mod:`kt.sim.structured`."""

from __future__ import annotations

from typing import Any

import kt.sim.handlers.linalg_pack  # noqa: F401 (registers pack, unpack and softmax)
from kt.ir.dialects import linalg
from kt.ir.registry import OPS
from kt.sim.handlers.func import leaves
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.placement import BodyFrame
from kt.sim.structured import Structured

handles("linalg.yield")(leaves)


def structured(op: Any, interp: Interpreter) -> Step:
    return Structured(op, interp, op.indexing_maps(), op.body, op.inputs, op.outputs, op.num_loops)


for _name, _class in list(OPS.items()):
    if issubclass(_class, linalg.LinalgOp) and _name:
        handles(_name)(structured)


@handles("linalg.index")
def index(op: Any, interp: Interpreter) -> Step:
    result, dim = op.result, op.dim.value

    def step(frame: Frame) -> None:
        assert isinstance(frame, BodyFrame)
        frame[result] = frame.index(dim)

    return step
