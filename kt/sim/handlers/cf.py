"""Branches between the blocks of a region, and assertions."""

from __future__ import annotations

from typing import Any

from kt.ir.diagnostics import RunError
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import uniform


def _go(frame: Frame, block: Any, operands: Any) -> None:
    frame.out = (block, tuple([frame[v] for v in operands]))


@handles("cf.br")
def branch(op: Any, interp: Interpreter) -> Step:
    return lambda frame: _go(frame, op.dest, op.dest_operands)


@handles("cf.cond_br")
def cond_branch(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        if uniform(frame[op.condition]):
            _go(frame, op.true_dest, op.true_operands)
        else:
            _go(frame, op.false_dest, op.false_operands)

    return step


@handles("cf.switch")
def switch(op: Any, interp: Interpreter) -> Step:
    targets = dict(zip(op.cases, zip(op.case_dests, op.operands_of_cases())))

    def step(frame: Frame) -> None:
        default = (op.default_dest, op.default_operands)
        _go(frame, *targets.get(uniform(frame[op.flag]), default))

    return step


@handles("cf.assert")
def check(op: Any, interp: Interpreter) -> Step:
    def step(frame: Frame) -> None:
        if not uniform(frame[op.arg]):
            raise RunError(f"assertion failed: {op.msg.value}")

    return step
