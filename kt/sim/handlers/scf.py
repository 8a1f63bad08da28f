"""Structured control flow."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kt.ir.core import Value
from kt.ir.diagnostics import RunError
from kt.sim.errors import Diverged
from kt.sim.handlers.func import leaves
from kt.sim.interp import Code, Frame, Interpreter, Step, finish, handles
from kt.sim.lanes import spread
from kt.sim.values import Undefined, dtype_of, merge, rank_of, select, uniform

handles("scf.yield", "scf.condition", "scf.reduce.return")(leaves)


def loop_range(low: Any, high: Any, step: Any) -> range:
    """The values of a counted loop's variable; the same for all tiles, or they diverge."""
    low, high, step = uniform(low), uniform(high), uniform(step)
    return range(low, high, _positive(step))


def _positive(step: Any) -> Any:
    if np.min(step) <= 0:
        raise RunError(f"the step of a loop must be positive, but is {int(np.min(step))}")
    return step


def trips(low: Any, high: Any, step: Any) -> Any:
    """The number of a counted loop's iterations: an int, or an array over the batch."""
    _positive(step)
    if type(low) is int and type(high) is int and type(step) is int:
        return max(0, -((low - high) // step))
    return np.maximum(0, -((np.asarray(low) - high) // step))


def counted_loop(
    body: Code,
    inits: Sequence[Value],
    results: Sequence[Value],
    bounds: Callable[[Frame], tuple[Any, Any, Any]],
    tick: Callable[[float], None] | None = None,
) -> Step:
    """The step of a counted loop with carried values; ``bounds`` gives low, high and step.

    Tiles may start, end and step differently: those with fewer iterations just leave earlier. Where
    tiles wait for each other in the body they diverge instead.
    """
    ranks = [rank_of(value.type) for value in results]

    def waiting(frame: Frame, low: Any, step: Any, count: int) -> Iterator[Any]:
        carried: tuple[Any, ...] = tuple([frame[v] for v in inits])
        for number in range(count):
            pending = body(frame, (low + number * step, *carried))
            if pending is not None:
                yield from pending
            carried = frame.out
        frame.update(zip(results, carried))

    def run(frame: Frame, low: Any, step: Any, count: Any, first: int, carried: Any) -> Any:
        """Iterations from number ``first`` on; the values that are carried out."""
        common = int(np.min(count))
        for number in range(first, common):
            body(frame, (low + number * step, *carried))
            carried = frame.out
            if tick is not None:
                tick((number + 1) / common)
        if not np.ndim(count) or (count == common).all():
            return carried
        longer = np.flatnonzero(count > common)
        part = frame.part(longer)
        picked: Any = int(longer[0]) if len(longer) == 1 else longer
        low, step, rest = (select(value, 0, picked) for value in (low, step, count))
        inner = [select(value, rank, picked) for value, rank in zip(carried, ranks)]
        after = run(part, low, step, rest, common, inner)
        total, done = len(frame.tiles), np.flatnonzero(count == common)
        one: Any = int(done[0]) if len(done) == 1 else done
        return [
            merge([(done, select(old, rank, one)), (longer, new)], rank, total)
            for old, new, rank in zip(carried, after, ranks)
        ]

    def start(frame: Frame) -> Any:
        low, high, step = bounds(frame)
        count = trips(low, high, step)
        if body.waits:
            return waiting(frame, low, step, uniform(count))
        frame.update(zip(results, run(frame, low, step, count, 0, [frame[v] for v in inits])))
        return None

    return start


@handles("scf.for")
def for_(op: Any, interp: Interpreter) -> Step:
    low, high, step, *inits = op.operands
    unsigned = op.attr("unsignedCmp") is not None
    mask = (1 << dtype_of(low.type).bits) - 1

    def bounds(frame: Frame) -> tuple[Any, Any, Any]:
        first, end = frame[low], frame[high]
        if unsigned:
            first, end = first & mask, end & mask
        return first, end, frame[step]

    def points(frame: Frame) -> list[np.ndarray] | None:
        try:
            return [np.array(loop_range(*bounds(frame)), np.int64)]
        except Diverged:
            return None

    body = interp.code(op.body)
    loop = counted_loop(body, inits, op.results, bounds, interp.ticker(op))
    return loop if inits else spread(op, interp, body, points, loop)


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

    def loop(frame: Frame, ranges: list[range]) -> Iterator[Any]:
        carried: tuple[Any, ...] = tuple([frame[v] for v in op.init_vals])
        for point in itertools.product(*ranges):
            frame.out = ()
            pending = body(frame, point)
            if pending is not None:
                yield from pending
            carried = _reduced(op.body.last_op, carried, frame, interp)
        frame.update(zip(results, carried))

    run = finish(loop, body.waits)

    def start(frame: Frame) -> Any:
        bounds = zip(op.lower_bounds, op.upper_bounds, op.steps)
        return run(frame, [loop_range(*(frame[v] for v in bound)) for bound in bounds])

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

    def loop(frame: Frame, ranges: list[range]) -> Iterator[Any]:
        before = tuple([frame[v] for v in shared])
        after, owned = list(before), [False] * len(before)
        for point in itertools.product(*ranges):
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
        return run(frame, [loop_range(*_numbers(bound, frame)) for bound in bounds])

    return start


def _numbers(mixed: Any, frame: Frame) -> list[Any]:
    return [n if isinstance(n, int) else frame[n] for n in mixed]


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
