"""Values that groups of tiles exchange: produce, consume, reduce.

Every dynamic instance of a produce has one :class:`Exchange` into which the producing tiles put
their partial results; a delivery waits until those that it needs are there. What a producer did
before it produced is ordered before what a consumer does afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import define, field

from kt.ir.core import Block, Operation
from kt.ir.diagnostics import RunError
from kt.ir.numbers import round_to
from kt.sim.errors import Diverged
from kt.sim.interp import Frame, Interpreter, Step, Wait, handles
from kt.sim.semantics import accumulator_dtype
from kt.sim.values import Poison, dtype_of, merge, rank_of, select


@define(eq=False)
class Exchange:
    """The partial results of one dynamic instance of a produce, by producing tile."""

    op: Operation
    partials: dict[int, tuple[Any, ...]] = field(factory=dict)
    clocks: dict[int, np.ndarray] = field(factory=dict)
    passed: int = 0
    """Tiles that have run the produce."""


def _by_tile(op: Operation, groups: Any, members: Any) -> dict[int, int]:
    """Group number of each tile. RunError when the sets can't be listed."""
    found: dict[int, int] = {}
    if groups is None:
        raise RunError("the set of groups is not finite")
    for group in groups:
        tiles = members(group)
        if tiles is None:
            raise RunError(f"the tiles of group {group} can't be listed")
        for tile in tiles:
            found.setdefault(tile, group)
    return found


@define(eq=False)
class Turns:
    """How often each tile has reached an operation, and the groups whose tiles must agree on it."""

    op: Operation
    group_of: dict[int, int]
    counts: dict[int, int] = field(factory=dict)
    exchanges: dict[int, Exchange] = field(factory=dict)
    """Those of a produce that are under way, by turn."""

    def check(self) -> None:
        """RunError if the tiles of a group reached the operation a different number of times."""
        by_group: dict[int, list[int]] = {}
        for tile, group in sorted(self.group_of.items()):
            by_group.setdefault(group, []).append(tile)
        for group, tiles in by_group.items():
            counts = [self.counts.get(tile, 0) for tile in tiles]
            for tile, count in zip(tiles, counts):
                if count != counts[0]:
                    raise RunError(
                        f"'{self.op.name}' op: tiles of group {group} reach it differently often: tile "
                        f"{tiles[0]} {counts[0]} times, tile {tile} {count} times",
                        self.op.location,
                        hint="every tile of a group must take part in each exchange",
                    )


@handles("ktdp.inter_tile_produce")
def produce(op: Any, interp: Interpreter) -> Step:
    group_of = _by_tile(op, op.group_numbers(), op.producers)
    code = interp.code(op.body)
    ranks = [rank_of(type) for type in op.future_type.partials]
    total = int(np.prod(interp.grid))
    on_grid = {t: g for t, g in group_of.items() if t < total}

    def step(frame: Frame) -> None:
        turns = interp.kept(op, lambda: Turns(op, on_grid))
        counts, exchanges = turns.counts, turns.exchanges
        tiles = frame.tiles.tolist()
        reached = np.array([counts.get(tile, 0) for tile in tiles])
        if (reached != reached[0]).any():
            raise Diverged(reached)
        turn = int(reached[0])
        exchange = exchanges.setdefault(turn, Exchange(op))
        positions = np.array([i for i, tile in enumerate(tiles) if tile in group_of], np.int64)
        if len(positions):
            part = frame if len(positions) == len(tiles) else frame.part(positions)
            numbers = np.array([group_of[int(tile)] for tile in part.tiles])
            code(part, [int(numbers[0]) if (numbers == numbers[0]).all() else numbers])
            for i, tile in enumerate(part.tiles.tolist()):
                exchange.partials[tile] = tuple(
                    select(value, rank, i) for value, rank in zip(part.out, ranks)
                )
                if frame.order is not None:
                    exchange.clocks[tile] = frame.order.publish(tile)
        for tile in tiles:
            counts[tile] = turn + 1
        exchange.passed += len(tiles)
        if exchange.passed == total:
            del exchanges[turn]  # frames hold it as long as a delivery needs it
        frame[op.result] = exchange

    return step


def _delivery(op: Any, interp: Interpreter, combine: Any) -> Step:
    """What consume and reduce share: wait for the producers, then ``combine`` per group."""
    group_of = _by_tile(op, op.group_numbers(), op.consumers)
    needs: dict[int, tuple[int, ...]] = {}
    on_grid = {t: g for t, g in group_of.items() if t < int(np.prod(interp.grid))}
    combiner = [inner for region in op.regions for inner in region.block.ops if inner.results]

    def needed(exchange: Exchange, tile: int, group: int) -> tuple[int, ...]:
        if tile not in needs:
            named = op.producer_dependency_per_consumer
            if named is None:
                found = exchange.op.producers(group)  # type: ignore[attr-defined]
            else:
                found = op.dependencies(tile, group)
            if found is None:
                raise RunError(f"the producers that tile {tile} depends on can't be listed")
            needs[tile] = found
        return needs[tile]

    def deliver(frame: Frame, exchange: Exchange) -> Iterator[Wait]:
        tiles = frame.tiles.tolist()
        consumers = [(i, tile, group_of[tile]) for i, tile in enumerate(tiles) if tile in group_of]
        wanted = {p for _, tile, group in consumers for p in needed(exchange, tile, group)}
        while missing := sorted(wanted - exchange.partials.keys()):
            names = ", ".join(map(str, missing))
            yield_ = Wait([tile for _, tile, _ in consumers], op, f"the values of tile {names}")
            yield yield_
            while missing == sorted(wanted - exchange.partials.keys()):
                yield yield_
        if frame.order is not None:
            for _, tile, group in consumers:
                for producer in needed(exchange, tile, group):
                    frame.order.receive(tile, exchange.clocks[producer])
        parts: dict[Any, list[int]] = {}
        for i, tile, group in consumers:
            parts.setdefault((group, needed(exchange, tile, group)), []).append(i)
        found = []
        for (_, producers), positions in parts.items():
            place = np.array(positions)
            part = frame if len(place) == len(tiles) else frame.part(place)
            found.append((place, combine(part, [exchange.partials[p] for p in producers])))
        _finish(op, frame, found)
        counts = interp.kept(op, lambda: Turns(op, on_grid)).counts
        for tile in tiles:
            counts[tile] = counts.get(tile, 0) + 1
        if (meter := interp.machine.meter) is not None:
            sources = {tile: needed(exchange, tile, group) for _, tile, group in consumers}
            meter.deliver(op, tiles, sources, combiner)

    def step(frame: Frame) -> Any:
        exchange = frame[op.future]
        assert exchange.partials is not None  # splits the batch if its tiles hold different ones
        return deliver(frame, exchange)

    return step


def _finish(op: Any, frame: Frame, found: list[tuple[np.ndarray, tuple[Any, ...]]]) -> None:
    """Set the results; a tile that doesn't consume gets a value that must not be used."""
    taken = {int(i) for positions, _ in found for i in positions}
    others = np.array([i for i in range(len(frame.tiles)) if i not in taken], np.int64)
    for number, value in enumerate(op.results):
        parts = [(positions, values[number]) for positions, values in found]
        if len(others):
            parts.append((others, Poison(op, value.type.shape)))
        frame[value] = merge(parts, rank_of(value.type), len(frame.tiles))


@handles("ktdp.inter_tile_consume", waits=True)
def consume(op: Any, interp: Interpreter) -> Step:
    def single(frame: Frame, partials: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        if len(partials) != 1:
            raise RunError(
                f"a consumer depends on {len(partials)} producers; inter_tile_consume delivers one "
                "contribution per consumer tile",
                hint="name the one source in producer_dependency_per_consumer",
            )
        return partials[0]

    return _delivery(op, interp, single)


@handles("ktdp.inter_tile_reduce", waits=True)
def reduce(op: Any, interp: Interpreter) -> Step:
    code = interp.code(op.body)
    wide = _wide_sums(op.body, op.identities)

    def fold(frame: Frame, partials: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Left fold in ascending tile number, from the identities."""
        result = tuple([frame[v] for v in op.identities])
        if wide is not None:
            return tuple(
                _accumulate(ufunc, of, start, [p[i] for p in partials])
                for i, ((ufunc, of), start) in enumerate(zip(wide, result))
            )
        for partial in partials:
            code(frame, (*result, *partial))
            result = frame.out
        return result

    return _delivery(op, interp, fold)


_SUMS = {"arith.addf": np.add, "arith.mulf": np.multiply}


def _wide_sums(block: Block, identities: Any) -> list[Any] | None:
    """Per result (ufunc, dtype) when every combiner is one sum or product; else None."""
    count, end = len(identities), block.last_op
    found = []
    for i, value in enumerate(end.operands if end is not None else ()):
        name = _single_op(value.defining_op, {block.arguments[i], block.arguments[count + i]})
        if name not in _SUMS:
            return None
        found.append((_SUMS[name], dtype_of(value.type)))
    return found


def _single_op(op: Any, pair: set[Any]) -> str:
    """Name of the one op that combines two tensors, as it is or as the body of a generic op; or ''."""
    if op is None or op.name != "linalg.generic":
        return op.name if op is not None and set(op.operands) == pair else ""
    ops = list(op.body.ops)
    plain = len(ops) == 2 and all(m.is_identity for m in op.indexing_maps())
    if not plain or set(op.inputs) != pair or ops[1].operands[0] is not ops[0].results[0]:
        return ""
    return ops[0].name if set(ops[0].operands) == set(op.body.arguments[:2]) else ""


def _accumulate(ufunc: Any, of: Any, start: Any, values: list[Any]) -> Any:
    """Fold in the accumulator type of ``of``, rounded once."""
    work = accumulator_dtype("arith.addf", of).compute
    total = np.asarray(start, work)
    with np.errstate(all="ignore"):
        for value in values:
            total = ufunc(total, np.asarray(value, work))
    return round_to(total, of)
