"""``spyreop.slice_reduction``, whose slices are as wide as the device says; the rest is element-wise."""

from __future__ import annotations

from typing import Any

from kt.ir.diagnostics import RunError
from kt.sim.elementwise import plain_attributes
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.semantics import lookup
from kt.sim.values import dtype_of


@handles("spyreop.slice_reduction")
def slice_reduction(op: Any, interp: Interpreter) -> Step:
    device = interp.machine.device
    if device is None:
        raise RunError(
            "the width of its slices is a fact of the device",
            hint="name a device: --device D, or kt.simulate(…, device=D)",
        )
    function, dtype = lookup(op.name), dtype_of(op.result.type)
    attributes = {**plain_attributes(op), "slice_width": device.slice_lanes(op)}

    def step(frame: Frame) -> None:
        frame[op.result] = function(
            frame[op.input], dtype=dtype, in_dtypes=(dtype,), attrs=attributes
        )

    return step
