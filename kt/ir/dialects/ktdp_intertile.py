"""`ktdp` ops between tiles: groups of compute tiles produce, consume and reduce tensors.

A *future* is produced once and delivered by exactly one consume or reduce op. Tile numbers in the
sets are flat physical ids.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.affine import AffineError
from kt.ir.attributes import AffineSetAttr
from kt.ir.constraints import ANY_TYPE, RANKED_TENSOR
from kt.ir.core import Operation, OpResult, Region, Value
from kt.ir.dialects.ktdp_types import TILE_FUTURE, TileFutureType
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import HasParent, ImplicitTerminator, ReturnLike, SingleBlock, Terminator

if TYPE_CHECKING:
    from kt.ir.affine import AffineSet

MAX_TILES = 1 << 16
"""Sets with more points than this are not enumerated by the verifier."""


@lru_cache(maxsize=4096)
def tile_numbers(set: AffineSet, *symbols: int) -> tuple[int, ...] | None:
    """The non-negative points of a one-dimensional set, ascending; None if it can't be listed."""
    try:
        points = set.enumerate(symbols, limit=MAX_TILES)
    except AffineError:
        return None
    return tuple(n for n in points[:, 0].tolist() if n >= 0)


class InterTileOp(Operation):
    """What the ops on futures share."""

    @property
    def future_type(self) -> TileFutureType:
        """The type of the future that is produced or delivered."""
        raise TypeError("InterTileOp is abstract")

    def group_numbers(self) -> tuple[int, ...] | None:
        """The groups that exist, ascending; None if they can't be listed."""
        return tile_numbers(self.future_type.group_set)

    def _verify_tile_set(self, key: str, set: AffineSet) -> None:
        if set.num_dims != 1:
            raise self.error(f"`{key}` must have exactly one dimension (the tile index t)")
        if set.num_symbols != 1:
            raise self.error(f"`{key}` must have exactly one symbol (the group index g)")


class InterTileProduceOp(InterTileOp):
    """Every producing tile of a group runs the region and publishes the tensors that it yields.

    The region's argument is the group index. Tiles that produce for no group run nothing.
    """

    name = "ktdp.inter_tile_produce"
    traits = (SingleBlock(), ImplicitTerminator("ktdp.yield_partial"))
    assembly_format = (
        "`producer_tiles_per_group` `=` $producer_tiles_per_group attr-dict "
        "`->` type($future) $producer"
    )
    producer_tiles_per_group: AffineSetAttr = attr(AffineSetAttr)
    future: OpResult = result(TILE_FUTURE)
    producer: Region = region(single_block=True)

    @property
    def future_type(self) -> TileFutureType:
        return self.future.type  # type: ignore[return-value]

    def producers(self, group: int) -> tuple[int, ...] | None:
        """Tiles that contribute to a group, ascending; None if they can't be listed."""
        return tile_numbers(self.producer_tiles_per_group.set, group)

    def verify_(self) -> None:
        block = self.producer.blocks[0] if self.producer.blocks else None
        if block is None or [a.type for a in block.arguments] != [t.index]:
            raise self.error("producer region must take a single `index` group-id argument")
        self._verify_tile_set("producer_tiles_per_group", self.producer_tiles_per_group.set)
        self._verify_disjoint()
        _verify_yield(self, YieldPartialOp, self.future_type.partials)

    def _verify_disjoint(self) -> None:
        owner: dict[int, int] = {}
        for group in self.group_numbers() or ():
            for tile in self.producers(group) or ():
                other = owner.setdefault(tile, group)
                if other != group:
                    raise self.error(
                        f"producer_tiles_per_group for groups {other} and {group} are not disjoint"
                    )


class DeliveryOp(InterTileOp):
    """What consume and reduce share: a future, consuming tiles, and whom they depend on."""

    @property
    def future_type(self) -> TileFutureType:
        return self.future.type

    @property
    def produced_by(self) -> InterTileProduceOp | None:
        """The op that makes the future, when it is in view."""
        made = self.future.defining_op
        return made if isinstance(made, InterTileProduceOp) else None

    def consumers(self, group: int) -> tuple[int, ...] | None:
        """Tiles that receive the result of a group, ascending; None if they can't be listed."""
        return tile_numbers(self.consumer_tiles_per_group.set, group)

    def dependencies(self, consumer: int, group: int) -> tuple[int, ...] | None:
        """Producers that one consumer needs: the dependency set, or all of the group."""
        named = self.producer_dependency_per_consumer
        if named is None:
            made = self.produced_by
            return None if made is None else made.producers(group)
        return tile_numbers(named.set, *(consumer, group)[: named.set.num_symbols])

    def _verify_delivery(self) -> None:
        self._verify_tile_set("consumer_tiles_per_group", self.consumer_tiles_per_group.set)
        named = self.producer_dependency_per_consumer
        if named is not None:
            if named.set.num_dims != 1:
                raise self.error(
                    "`producer_dependency_per_consumer` must have exactly one dimension (p)"
                )
            if named.set.num_symbols not in (1, 2):
                raise self.error(
                    "`producer_dependency_per_consumer` must have one symbol (c) or two symbols "
                    "(c, g)"
                )
        if tuple(v.type for v in self.results) != self.future_type.partials:
            raise self.error("failed to verify that result types must match future partial types")


class InterTileConsumeOp(DeliveryOp):
    """Every consuming tile receives the tensors of one producer of its group."""

    name = "ktdp.inter_tile_consume"
    assembly_format = (
        "`(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group "
        "(`,` `producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^)? "
        "attr-dict `:` type($future) `->` type($delivered)"
    )
    future: Value = operand(TILE_FUTURE)
    consumer_tiles_per_group: AffineSetAttr = attr(AffineSetAttr)
    producer_dependency_per_consumer: AffineSetAttr | None = optional_attr(AffineSetAttr)
    delivered: tuple[OpResult, ...] = variadic_result(RANKED_TENSOR)

    def verify_(self) -> None:
        self._verify_delivery()


class InterTileReduceOp(DeliveryOp):
    """Every consuming tile receives the fold of all partials of its group.

    The combiner takes the left values, then the right ones; kt folds in ascending tile number from
    the identities.
    """

    name = "ktdp.inter_tile_reduce"
    traits = (SingleBlock(), ImplicitTerminator("ktdp.yield_reduced"))
    assembly_format = (
        "`(` $future `)` `consumer_tiles_per_group` `=` $consumer_tiles_per_group `,` "
        "(`producer_dependency_per_consumer` `=` $producer_dependency_per_consumer^ `,`)? "
        "`identity` `(` ($identities^ `:` type($identities))? `)` "
        "attr-dict `:` type($future) `->` type($delivered) $reducer"
    )
    future: Value = operand(TILE_FUTURE)
    identities: tuple[Value, ...] = variadic_operand(RANKED_TENSOR)
    consumer_tiles_per_group: AffineSetAttr = attr(AffineSetAttr)
    producer_dependency_per_consumer: AffineSetAttr | None = optional_attr(AffineSetAttr)
    delivered: tuple[OpResult, ...] = variadic_result(RANKED_TENSOR)
    reducer: Region = region(single_block=True)

    def verify_(self) -> None:
        self._verify_delivery()
        partials = self.future_type.partials
        if tuple(v.type for v in self.identities) != partials:
            raise self.error("failed to verify that identity types must match result types")
        count = len(partials)
        arguments = self.reducer.blocks[0].arguments if self.reducer.blocks else []
        if len(arguments) != 2 * count:
            raise self.error(f"reducer region must take 2*{count} arguments, got {len(arguments)}")
        for i, argument in enumerate(arguments):
            if argument.type is not partials[i % count]:
                raise self.error(
                    f"reducer argument #{i} type '{argument.type}' does not match future partial "
                    f"type '{partials[i % count]}'"
                )
        _verify_yield(self, YieldReducedOp, partials)


class YieldPartialOp(Operation):
    """The tensors that one tile contributes to a future."""

    name = "ktdp.yield_partial"
    traits = (Terminator(), ReturnLike(), HasParent(("ktdp.inter_tile_produce",)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand(ANY_TYPE)


class YieldReducedOp(Operation):
    """The combined values of a reduction step."""

    name = "ktdp.yield_reduced"
    traits = (Terminator(), ReturnLike(), HasParent(("ktdp.inter_tile_reduce",)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand(ANY_TYPE)


def _verify_yield(
    op: Operation, kind: type[YieldPartialOp | YieldReducedOp], partials: tuple[t.Type, ...]
) -> None:
    """The terminator yields the partial types of the future."""
    end = op.regions[0].blocks[0].last_op
    word = kind.name.removeprefix("ktdp.")
    if not isinstance(end, kind):
        raise op.error(f"region must be terminated by a {kind.name} operation")
    if len(end.operands) != len(partials):
        raise op.error(
            f"{word} yields {len(end.operands)} values but the future carries {len(partials)} "
            "partial type(s)"
        )
    for i, (value, partial) in enumerate(zip(end.operands, partials, strict=True)):
        if value.type is not partial:
            raise op.error(
                f"{word} operand #{i} type '{value.type}' does not match future partial type "
                f"'{partial}'"
            )
