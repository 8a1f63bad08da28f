"""Structured operations: all of them, generic or by name, through :mod:`kt.sim.structured`."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.dialects import linalg
from kt.ir.registry import OPS
from kt.sim.handlers.func import leaves
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.structured import BodyFrame, Structured

handles("linalg.yield")(leaves)


def structured(op: Any, interp: Interpreter) -> Step:
    if op.regions:
        body = op.body
    else:
        types = tuple(t.element_type_of(v.type) for v in op.structured_operands)
        body = op.implied_body(types, op.variant_of(op.properties)).block
    return Structured(op, interp, op.indexing_maps(), body, op.inputs, op.outputs, op.num_loops)


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
