"""``arith.constant``; the other operations are element-wise (see :mod:`kt.sim.semantics`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.attributes import DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.diagnostics import RunError
from kt.ir.numbers import decode, round_to
from kt.sim.inputs import MAX_ELEMENTS
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import dtype_of


def constant_value(attribute: Any, type: t.Type) -> Any:
    """The run-time value of a constant attribute. RunError when it has none."""
    if isinstance(attribute, IntegerAttr):
        return int(np.asarray(round_to(attribute.value, dtype_of(type))))
    if isinstance(attribute, FloatAttr):
        return np.asarray(round_to(np.float64(attribute.value), dtype_of(type)))[()]
    if isinstance(attribute, DenseElementsAttr):
        if math.prod(type.shape) > MAX_ELEMENTS:  # type: ignore[attr-defined]
            raise RunError(f"a constant of type {type} is too large to be executed")
        found = np.asarray(decode(attribute.to_numpy(), dtype_of(type)))
        return np.ascontiguousarray(found).reshape(type.shape)  # type: ignore[attr-defined]
    raise RunError(f"a constant {attribute} has no value")


@handles("arith.constant", "spyreop.constant")
def constant(op: Any, interp: Interpreter) -> Step:
    value = constant_value(op.attr("value"), op.result.type)
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    result = op.result

    def step(frame: Frame) -> None:
        frame[result] = value

    return step
