"""Affine arithmetic on index values, affine loops and accesses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np

from kt.sim.access import read_box, read_points, write_box, write_points
from kt.sim.atomic import combination, operation
from kt.sim.errors import Fault
from kt.sim.handlers.func import leaves
from kt.sim.handlers.scf import enter
from kt.sim.interp import Frame, Interpreter, Step, finish, handles
from kt.sim.loops import Lattice, counted_loop
from kt.sim.semantics import identity
from kt.sim.values import dtype_of, uniform

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
    lower, upper, by = op.lower_map.map, op.upper_map.map, op.step.value

    def bounds(frame: Frame) -> tuple[Any, Any, Any]:
        low = reduce(np.maximum, evaluate(lower, [frame[v] for v in op.lower_operands]))
        high = reduce(np.minimum, evaluate(upper, [frame[v] for v in op.upper_operands]))
        return _plain(low), _plain(high), by

    return counted_loop(op, op.inits, bounds, interp)


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


@handles("affine.prefetch")
def prefetch(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None


@handles("affine.store")
def store(op: Any, interp: Interpreter) -> Step:
    map = op.attr("map").map

    def step(frame: Frame) -> None:
        place = evaluate(map, [frame[v] for v in op.indices])
        write_points(frame[op.memref], place, (), frame[op.value], frame)

    return step


@handles("affine.parallel")
def parallel(op: Any, interp: Interpreter) -> Step:
    """All points in lexicographic order; reductions fold in that order, from the identity."""
    body, results = interp.code(op.body), op.results
    steps = [attribute.value for attribute in op.steps]
    lower, upper = op.bounds(lower=True), op.bounds(lower=False)
    types = [dtype_of(value.type) for value in results]
    kinds = op.reduction_names
    combine = [combination(kind, of) for kind, of in zip(kinds, types)]
    names = [operation(kind) for kind in kinds]

    def loop(frame: Frame, points: Lattice) -> Iterator[Any]:
        state: list[Any] = [n and identity(n, of) for n, of in zip(names, types)]
        for point in points:
            pending = body(frame, point)
            if pending is not None:
                yield from pending
            state = [f(old, new) for f, old, new in zip(combine, state, frame.out)]
        if any(value is None for value in state):
            raise Fault("a loop without points assigns nothing")
        frame.update(zip(results, [_scalar(v, of) for v, of in zip(state, types)]))

    run = finish(loop, body.waits)

    def start(frame: Frame) -> Any:
        low = [frame[v] for v in op.lower_operands]
        high = [frame[v] for v in op.upper_operands]
        bounds = (
            (reduce(np.maximum, evaluate(a, low)), reduce(np.minimum, evaluate(b, high)), by)
            for a, b, by in zip(lower, upper, steps)
        )
        return run(frame, Lattice.of(bounds, interp.machine))

    return start


def _scalar(value: Any, of: Any) -> Any:
    if np.ndim(value):
        return value
    return int(value) if of.is_integer else np.asarray(value)[()]


def _vector_box(op: Any, vector: Any, frame: Frame) -> tuple[Any, list[int]]:
    """First coordinates and extents of a vector's elements: its axes run along the last dimensions."""
    origin = evaluate(op.attr("map").map, [frame[v] for v in op.indices])
    shape = vector.type.shape
    return origin, [*(1,) * (len(origin) - len(shape)), *shape]


@handles("affine.vector_load")
def vector_load(op: Any, interp: Interpreter) -> Step:
    shape = op.result.type.shape

    def step(frame: Frame) -> None:
        origin, extents = _vector_box(op, op.result, frame)
        found = read_box(frame[op.memref], origin, extents, range(len(extents)), frame)
        lead = found.shape[: found.ndim - len(extents)]
        frame[op.result] = found.reshape((*lead, *shape))

    return step


@handles("affine.vector_store")
def vector_store(op: Any, interp: Interpreter) -> Step:
    rank = len(op.value.type.shape)

    def step(frame: Frame) -> None:
        origin, extents = _vector_box(op, op.value, frame)
        values = np.asarray(frame[op.value])
        values = values.reshape((*values.shape[: values.ndim - rank], *extents))
        write_box(frame[op.memref], origin, extents, range(len(extents)), values, frame)

    return step
