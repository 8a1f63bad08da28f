"""Affine arithmetic on index values, affine loops and accesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from kt.sim.access import read_points, write_points
from kt.sim.handlers.func import leaves
from kt.sim.handlers.scf import counted, enter
from kt.sim.interp import Frame, Interpreter, Step, finish, handles
from kt.sim.values import uniform

handles("affine.yield")(leaves)


def evaluate(map: Any, values: list[Any]) -> tuple[Any, ...]:
    """Results of a map whose dims and then symbols are ``values``."""
    return map.eval(values[: map.num_dims], values[map.num_dims :])


def _plain(value: Any) -> Any:
    return int(value) if np.ndim(value) == 0 else value


@handles("affine.apply")
def apply(op: Any, interp: Interpreter) -> Step:
    map, operands, result = op.attr("map").map, op.operands, op.result

    def step(frame: Frame) -> None:
        frame[result] = _plain(evaluate(map, [frame[v] for v in operands])[0])

    return step


def _extreme(op: Any, pick: Any) -> Step:
    map, operands, result = op.attr("map").map, op.operands, op.result

    def step(frame: Frame) -> None:
        frame[result] = _plain(reduce(pick, evaluate(map, [frame[v] for v in operands])))

    return step


@handles("affine.min")
def minimum(op: Any, interp: Interpreter) -> Step:
    return _extreme(op, np.minimum)


@handles("affine.max")
def maximum(op: Any, interp: Interpreter) -> Step:
    return _extreme(op, np.maximum)


@handles("affine.delinearize_index")
def delinearize(op: Any, interp: Interpreter) -> Step:
    results, basis, bounded = op.multi_index, op.basis, op.has_outer_bound

    def step(frame: Frame) -> None:
        rest = frame[op.linear_index]
        inner = basis[1:] if bounded else basis
        found = []
        for size in reversed(inner):
            size = size if isinstance(size, int) else frame[size]
            found.append(rest % size)
            rest = rest // size
        frame.update(zip(results, [rest, *reversed(found)]))

    return step


@handles("affine.linearize_index")
def linearize(op: Any, interp: Interpreter) -> Step:
    indices, basis = op.multi_index, op.basis
    inner = basis[len(basis) - len(indices) + 1 :]

    def step(frame: Frame) -> None:
        total = frame[indices[0]]
        for value, size in zip(indices[1:], inner):
            total = total * (size if isinstance(size, int) else frame[size]) + frame[value]
        frame[op.result] = total

    return step


@handles("affine.for")
def for_(op: Any, interp: Interpreter) -> Step:
    body, results, inits = interp.code(op.body), op.results, op.inits
    lower, upper, by = op.lower_map.map, op.upper_map.map, op.step.value

    def loop(frame: Frame, numbers: Iterable[Any]) -> Iterator[Any]:
        carried: tuple[Any, ...] = tuple([frame[v] for v in inits])
        for number in numbers:
            pending = body(frame, (number, *carried))
            if pending is not None:
                yield from pending
            carried = frame.out
        frame.update(zip(results, carried))

    run = finish(loop, body.waits)

    def start(frame: Frame) -> Any:
        low = reduce(np.maximum, evaluate(lower, [frame[v] for v in op.lower_operands]))
        high = reduce(np.minimum, evaluate(upper, [frame[v] for v in op.upper_operands]))
        return run(frame, counted(_plain(low), _plain(high), by))

    return start


@handles("affine.if")
def if_(op: Any, interp: Interpreter) -> Step:
    space, operands = op.condition.set, op.set_operands
    then, otherwise = (
        enter(interp.code(region.block) if region.blocks else None, op.results)
        for region in op.regions
    )

    def step(frame: Frame) -> Any:
        values = [frame[v] for v in operands]
        dims, symbols = values[: space.num_dims], values[space.num_dims :]
        holds: Any = True
        for expr, equal in zip(space.constraints, space.eq_flags):
            value = expr.eval(dims, symbols)
            holds = holds & (value == 0 if equal else value >= 0)
        return then(frame) if uniform(holds) else otherwise(frame)

    return step


@handles("affine.load")
def load(op: Any, interp: Interpreter) -> Step:
    map = op.attr("map").map

    def step(frame: Frame) -> None:
        place = evaluate(map, [frame[v] for v in op.indices])
        value = np.asarray(read_points(frame[op.memref], place, (), frame))
        frame[op.result] = value[()] if value.ndim == 0 else value

    return step


@handles("affine.store")
def store(op: Any, interp: Interpreter) -> Step:
    map = op.attr("map").map

    def step(frame: Frame) -> None:
        place = evaluate(map, [frame[v] for v in op.indices])
        write_points(frame[op.memref], place, (), frame[op.value], frame)

    return step
