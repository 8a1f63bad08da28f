"""The bridge level, run in textual order: that order satisfies every signal."""

from __future__ import annotations

from typing import Any

from kt.sim.handlers.scf import enter
from kt.sim.interp import Interpreter, Step, handles


@handles("ktdf_lowering.execute_on")
def execute_on(op: Any, interp: Interpreter) -> Step:
    return enter(interp.code(op.body), ())


@handles("ktdf_lowering.signal")
def signal(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None
