"""Units as values: every unit is a number of its own."""

from __future__ import annotations

from typing import Any

from kt.sim.interp import Frame, Interpreter, Step, handles


@handles("dataflow.get_unit")
def get_unit(op: Any, interp: Interpreter) -> Step:
    results = op.results

    def step(frame: Frame) -> None:
        numbers: dict[Any, int] = interp.kept("units", dict)
        for i, value in enumerate(results):
            frame[value] = numbers.setdefault((op, i), len(numbers))

    return step
