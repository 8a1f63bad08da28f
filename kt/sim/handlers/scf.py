"""Structured control flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kt.sim.errors import Diverged
from kt.sim.handlers.func import leaves
from kt.sim.interp import Code, Frame, Interpreter, Step, finish, handles
from kt.sim.lanes import spread
from kt.sim.loops import Lattice, counted_loop
from kt.sim.values import Undefined, dtype_of, uniform

handles("scf.yield", "scf.condition", "scf.reduce.return")(leaves)


@handles("scf.for")
def for_(op: Any, interp: Interpreter) -> Step:
    low, high, step, *inits = op.operands
    unsigned = op.attr("unsignedCmp") is not None
    mask = (1 << dtype_of(low.type).bits) - 1

    def bounds(frame: Frame) -> tuple[Any, Any, Any]:
        first, end = frame[low], frame[high]
        if unsigned:
            first, end = uniform(first) & mask, uniform(end) & mask
        return first, end, frame[step]

    def points(frame: Frame) -> Lattice | None:
        try:
            return Lattice.of([bounds(frame)], interp.machine)
        except Diverged:
            return None

    loop = counted_loop(op, inits, bounds, interp)
    return loop if inits else spread(op, interp, points, loop)


def enter(code: Code | None, results: Sequence[Any]) -> Any:
    """Run a block without arguments once; its values become ``results``."""

    def run(frame: Frame) -> Iterator[Any]:
        if code is None:
            return
        pending = code(frame)
        if pending is not None:
            yield from pending
        frame.update(zip(results, frame.out))

    return finish(run, code is not None and code.waits)


@handles("scf.if")
def if_(op: Any, interp: Interpreter) -> Step:
    condition = op.operands[0]
    branches = []
    for region in op.regions:
        code = interp.code(region.block) if region.blocks else None
        branches.append(enter(code, op.results))
    otherwise, then = branches[1], branches[0]

    def step(frame: Frame) -> Any:
        return then(frame) if uniform(frame[condition]) else otherwise(frame)

    return step


@handles("scf.index_switch")
def index_switch(op: Any, interp: Interpreter) -> Step:
    argument = op.operands[0]
    default, *cases = [enter(interp.code(r.block), op.results) for r in op.regions]
    table = dict(zip(op.attr("cases").values, cases))

    def step(frame: Frame) -> Any:
        return table.get(uniform(frame[argument]), default)(frame)

    return step


@handles("scf.execute_region")
def execute_region(op: Any, interp: Interpreter) -> Step:
    region, results = op.regions[0], op.results

    def run(frame: Frame) -> Iterator[Any]:
        pending = interp.run_region(region, frame, ())
        if pending is not None:
            yield from pending
        frame.update(zip(results, frame.out))

    return finish(run, interp.waits(op))


@handles("scf.while")
def while_(op: Any, interp: Interpreter) -> Step:
    before, after = (interp.code(region.block) for region in op.regions)
    inits, results = op.operands, op.results

    def loop(frame: Frame) -> Iterator[Any]:
        carried = tuple([frame[v] for v in inits])
        while True:
            pending = before(frame, carried)
            if pending is not None:
                yield from pending
            go_on, *carried = frame.out  # type: ignore[assignment]
            if not uniform(go_on):
                break
            interp.machine.take(1)
            pending = after(frame, carried)
            if pending is not None:
                yield from pending
            carried = frame.out
        frame.update(zip(results, carried))

    run = finish(loop, before.waits or after.waits)

    def start(frame: Frame) -> Any:
        if len(frame.tiles) > 1:  # the tiles may leave the loop at different times
            raise Diverged(np.arange(len(frame.tiles)))
        return run(frame)

    return start


@handles("scf.parallel")
def parallel(op: Any, interp: Interpreter) -> Step:
    """All points in lexicographic order; reductions fold in that order."""
    body = interp.code(op.body)
    results = op.results

    def loop(frame: Frame, points: Lattice) -> Iterator[Any]:
        carried: tuple[Any, ...] = tuple([frame[v] for v in op.init_vals])
        for point in points:
            frame.out = ()
            pending = body(frame, point)
            if pending is not None:
                yield from pending
            carried = _reduced(op.body.last_op, carried, frame, interp)
        frame.update(zip(results, carried))

    run = finish(loop, body.waits)

    def start(frame: Frame) -> Any:
        bounds = zip(op.lower_bounds, op.upper_bounds, op.steps)
        numbers = (tuple(frame[v] for v in bound) for bound in bounds)
        return run(frame, Lattice.of(numbers, interp.machine))

    return start


def _reduced(
    reduce: Any, carried: tuple[Any, ...], frame: Frame, interp: Interpreter
) -> tuple[Any, ...]:
    if reduce is None or reduce.name != "scf.reduce":
        return carried
    found = []
    for value, old, region in zip(reduce.operands, carried, reduce.regions):
        interp.code(region.block)(frame, (old, frame[value]))
        found.append(frame.out[0])
    return tuple(found)


@handles("scf.reduce")
def reduce(op: Any, interp: Interpreter) -> Step:
    return lambda frame: None  # the loop around it combines the values


@handles("scf.forall")
def forall(op: Any, interp: Interpreter) -> Step:
    """All points in lexicographic order; each sees the shared tensors as they were before the loop."""
    body, rank = interp.code(op.body), len(op.steps)
    shared, results = op.shared, op.results
    place = {argument: i for i, argument in enumerate(op.body.arguments[rank:])}

    def loop(frame: Frame, points: Lattice) -> Iterator[Any]:
        before = tuple([frame[v] for v in shared])
        after, owned = list(before), [False] * len(before)
        for point in points:
            pending = body(frame, (*point, *before))
            if pending is not None:
                yield from pending
            for target, window, values in frame.out:
                number = place[target]
                after[number] = _inserted(after[number], owned[number], window, values)
                owned[number] = True
        frame.update(zip(results, after))

    run = finish(loop, body.waits)

    def start(frame: Frame) -> Any:
        if len(frame.tiles) > 1:  # the slices may lie elsewhere on every tile
            raise Diverged(np.arange(len(frame.tiles)))
        bounds = zip(op.lower_bounds, op.upper_bounds, op.steps)
        return run(frame, Lattice.of((_numbers(bound, frame) for bound in bounds), interp.machine))

    return start


def _numbers(mixed: Any, frame: Frame) -> tuple[Any, ...]:
    return tuple([n if isinstance(n, int) else frame[n] for n in mixed])


def _inserted(old: Any, owned: bool, window: Any, values: np.ndarray) -> Any:
    """The tensor with ``values`` at a window; changed in place where this loop made the copy."""
    if isinstance(old, Undefined):
        return old.with_slice(window, values)
    new = old if owned and old.flags.writeable else old.copy()
    new[window] = values
    return new


@handles("scf.forall.in_parallel")
def in_parallel(op: Any, interp: Interpreter) -> Step:
    """Collects the insertions of one point: (shared tensor, window, values) each."""
    code = interp.code(op.body)

    def step(frame: Frame) -> None:
        frame.out = ()
        code(frame)

    return step
