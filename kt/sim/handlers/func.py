"""Calls and returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kt.ir.diagnostics import RunError
from kt.sim.interp import Frame, Interpreter, Step, finish, handles

MAX_DEPTH = 200
"""Nested calls before a recursion counts as endless."""


def leaves(op: Any, interp: Interpreter) -> Step:
    """A terminator that hands its operands to the operation around it."""
    operands = op.operands
    if not operands:

        def nothing(frame: Frame) -> None:
            frame.out = ()

        return nothing

    def step(frame: Frame) -> None:
        frame.out = tuple([frame[v] for v in operands])

    return step


handles("func.return")(leaves)


@handles("func.constant")
def constant(op: Any, interp: Interpreter) -> Step:
    """A function as a value: the symbol that names it."""
    name = op.attr("value").leaf

    def step(frame: Frame) -> None:
        frame[op.result] = name

    return step


@handles("func.call", "func.call_indirect")
def call(op: Any, interp: Interpreter) -> Step:
    indirect = op.name == "func.call_indirect"
    name = "" if indirect else op.attr("callee").leaf
    operands, results = op.operands[1:] if indirect else op.operands, op.results

    def run(frame: Frame) -> Iterator[Any]:
        callee = interp.function(frame[op.operands[0]] if indirect else name)
        inner = frame.fresh()
        inner.depth = frame.depth + 1
        if inner.depth > MAX_DEPTH:
            raise RunError(f"more than {MAX_DEPTH} nested calls")
        pending = interp.call(callee, inner, [frame[v] for v in operands])
        if pending is not None:
            yield from pending
        frame.update(zip(results, inner.out))

    return finish(run, interp.waits(op))
