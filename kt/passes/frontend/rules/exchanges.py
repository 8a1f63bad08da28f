"""Exchanges between tiles: who produces, who consumes what, and how it is combined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import frozen

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Block, Operation, Value
from kt.ir.dialects import arith, func, ktdp, linalg, scf
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.structured import ACCUMULATING, is_pointwise
from kt.passes.frontend.rules.accumulators import in_type, narrow, widen
from kt.passes.frontend.rules.shared_memory import number_per_tile


@frozen
class Parties:
    """The tiles that take part in an exchange."""

    produce: ktdp.InterTileProduceOp
    tiles: int
    """Compute tiles of the kernel."""
    groups: dict[int, int]
    """Producer → its group, in the order in which groups list them."""
    needs: dict[int, tuple[int, ...]]
    """Consumer → the producers whose results it needs, in the order in which it combines them."""

    @classmethod
    def of(cls, op: ktdp.DeliveryOp, function: func.FuncOp) -> Parties:
        """PassError where they can't be listed, or somebody waits for what is never produced."""
        produce = op.produced_by
        if produce is None:
            raise refuse(
                op, "its future isn't made in the same block", "produce and deliver side by side"
            )
        numbers = op.group_numbers()
        if numbers is None:
            raise refuse(op, "its groups can't be listed", "bound the set of groups")
        tiles = math.prod(_grid(function))
        groups: dict[int, int] = {}
        for g in numbers:
            groups.update((n, g) for n in produce.producers(g) or () if n < tiles)
        needs: dict[int, tuple[int, ...]] = {}
        for g in numbers:
            for n in op.consumers(g) or ():
                if n >= tiles:
                    continue
                needed = op.dependencies(n, g)
                if needed is None:
                    raise refuse(op, f"the producers that tile {n} depends on can't be listed",
                                 "bound producer_dependency_per_consumer")  # fmt: skip
                lost = [p for p in needed if p not in groups]
                if lost:
                    raise refuse(op, f"tile {n} waits for tile {lost[0]}, which produces nothing",
                                 "name producers only")  # fmt: skip
                needs[n] = tuple(needed)
        return cls(produce, tiles, groups, needs)

    def produced(self, build: Builder, tile: Value) -> tuple[Builder, list[Value]]:
        """The partial results that the producers' region computes, and where they are known.

        Other tiles don't come there.
        """
        block = self.produce.producer.block
        known: dict[Value, Value] = {}
        if block.arguments[0].has_uses:
            group = [self.groups.get(n, 0) for n in range(self.tiles)]
            known[block.arguments[0]] = number_per_tile(build, tile, group)
        if len(self.groups) < self.tiles:
            build = where(build, tile, [n in self.groups for n in range(self.tiles)])
        terminator = block.terminator
        assert terminator is not None
        for inner in clone_ops([x for x in block.ops if x is not terminator], known):
            build.insert(inner)
        return build, [known.get(v, v) for v in terminator.operands]


@frozen(eq=False)
class Combiner:
    """A combiner of one result that needs only its own two values, element by element."""

    body: linalg.GenericOp
    left: Value
    right: Value

    def on_elements(self, block: Block, left: Value, right: Value) -> list[Value]:
        """Its computation at the end of a block; what it yields."""
        sides = {self.left: left, self.right: right}
        known: dict[Value, Value] = {
            a: sides[v] for a, v in zip(self.body.body.arguments, self.body.inputs)
        }
        end = self.body.body.terminator
        assert end is not None
        for inner in clone_ops([x for x in self.body.body.ops if x is not end], known):
            block.append(inner)
        return [known.get(end.operands[0], end.operands[0])]

    def chain(self, block: Block, first: Value, others: Sequence[Value]) -> Value:
        """All of them combined in order, sums and products of narrow floats in f32, as reductions do."""
        build = Builder.at_end(block, self.body.location)
        made, total = self.body.body.first_op, first
        assert made is not None
        narrow_type = first.type if accumulates_wide(made) and self.is_plain else None
        if narrow_type is None:
            for element in others:
                (total,) = self.on_elements(block, total, element)
            return total
        total = widen(build, total, t.f32)
        for element in others:
            sides = {self.left: total, self.right: widen(build, element, t.f32)}
            inner: dict[Value, Value] = {
                a: sides[v] for a, v in zip(self.body.body.arguments, self.body.inputs)
            }
            total = in_type(build, made, [inner[v] for v in made.operands], t.f32)
        return narrow(build, total, narrow_type)

    @property
    def is_plain(self) -> bool:
        """Whether it is one operation on its two values."""
        first, end = self.body.body.first_op, self.body.body.terminator
        return (
            first is not None
            and end is not None
            and first.next_op is end
            and tuple(end.operands) == tuple(first.results)
            and set(first.operands) == set(self.body.input_arguments)
        )


def accumulates_wide(op: Operation) -> bool:
    """Whether partial results of an op, a sum or product of floats narrower than f32, are kept in f32."""
    type = op.results[0].type if op.results else None
    return op.name in ACCUMULATING and isinstance(type, t.FloatType) and type.bits < 32


def separate(op: ktdp.InterTileReduceOp, number: int) -> Combiner | None:
    """The combiner of one result; None if it isn't element by element, or needs other results."""
    region, count = op.reducer.block, len(op.results)
    end = region.terminator
    assert end is not None
    left, right = region.arguments[number], region.arguments[count + number]
    made = end.operands[number].defining_op
    if (
        isinstance(made, linalg.GenericOp)
        and made.parent is region
        and is_pointwise(made)
        and all(v is left or v is right for v in made.inputs)
        and all(m.is_identity for m in made.indexing_maps())
    ):
        return Combiner(made, left, right)
    return None


def where(build: Builder, tile: Value, holds: list[bool]) -> Builder:
    """A builder in a branch that only some tiles take."""
    takes_part = number_per_tile(build, tile, [int(x) for x in holds])
    yes = build.create(arith.CmpIOp, takes_part, build.constant(1), predicate="eq").result
    choice = build.insert(scf.IfOp.of(yes, location=build.location))
    end = choice.regions[0].block
    end.append(scf.YieldOp.build([], location=build.location))
    return Builder(end, end.last_op, build.location)


def combined_in_turn(
    op: ktdp.InterTileReduceOp, build: Builder, parts: Iterable[Sequence[Value]]
) -> list[Value]:
    """The results, every part combined with what came before it by the reducer as a whole."""
    results = list(op.identities)
    end = op.reducer.block.terminator
    assert end is not None
    for part in parts:
        known: dict[Value, Value] = dict(
            zip(op.reducer.block.arguments, (*results, *part), strict=True)
        )
        for made in clone_ops([x for x in op.reducer.block.ops if x is not end], known):
            build.insert(made)
        results = [known.get(v, v) for v in end.operands]
    return results


def _grid(function: func.FuncOp) -> list[int]:
    grid = function.attr("grid")
    return [n.value for n in grid.elements] if grid is not None else [1]  # type: ignore[attr-defined]
