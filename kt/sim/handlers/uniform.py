"""Tables from units or tile numbers to values."""

from __future__ import annotations

from typing import Any

import numpy as np

from kt.ir.diagnostics import RunError
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import merge, rank_of, uniform


@handles("uniform.def_immutable_mapping")
def mapping(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        frame[op.result] = {uniform(frame[k]): frame[v] for k, v in op.entries}

    return step


@handles("uniform.query_map")
def query(op: Any, interp: Interpreter) -> Step:
    table, key = op.operands
    result = op.result
    rank = rank_of(result.type)

    def find(entries: dict[int, Any], number: int) -> Any:
        if number not in entries:
            raise RunError(f"the map has no entry for key {number}; it has {sorted(entries)}")
        return entries[number]

    def step(frame: Frame) -> None:
        entries, number = frame[table], frame[key]
        if not isinstance(number, np.ndarray):
            frame[result] = find(entries, int(number))
            return
        parts = [(np.array([i]), find(entries, int(n))) for i, n in enumerate(number)]
        frame[result] = merge(parts, rank, len(parts))

    return step
