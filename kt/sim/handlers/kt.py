"""Buffers and splats of the `kt` dialect (``kt.convert`` is element-wise)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.sim.handlers.memref import allocate
from kt.sim.interp import Frame, Interpreter, Step, handles

handles("kt.buffer")(allocate)


@handles("kt.splat")
def splat(op: Any, interp: Interpreter) -> Step:
    scalar, result = op.operands[0], op.result
    shape = result.type.shape

    def step(frame: Frame) -> None:
        value = np.asarray(frame[scalar])
        frame[result] = np.broadcast_to(
            value.reshape(*value.shape, *(1,) * len(shape)), (*value.shape, *shape)
        )

    return step
