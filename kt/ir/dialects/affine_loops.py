"""Loops and conditions of the ``affine`` dialect; import them from :mod:`kt.ir.dialects.affine`."""

from __future__ import annotations

from collections.abc import Sequence

from kt.ir import types as t
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseElementsAttr,
    IntegerAttr,
)
from kt.ir.constraints import INDEX, AttrConstraint, array_of, int_enum, integer_attr
from kt.ir.core import BlockArgument, Operation, OpResult, Region, Value
from kt.ir.dialects.arith_types import ATOMIC_RMW_KINDS
from kt.ir.opdef import attr, region, variadic_operand, variadic_result
from kt.ir.traits import (
    AttrSizedOperands,
    ImplicitTerminator,
    NoRegionArguments,
    Pure,
    RecursiveEffects,
    ReturnLike,
    SingleBlock,
    Terminator,
)

LOOP_TRAITS = (SingleBlock(), ImplicitTerminator("affine.yield"), RecursiveEffects())
GROUPS = AttrConstraint(
    "32-bit signless integer elements attribute",
    lambda a: isinstance(a, DenseElementsAttr) and a.type.element_type is t.i32,
    DenseElementsAttr,
)


def check_map_operands(op: Operation, map: AffineMap, operands: Sequence[Value], what: str) -> None:
    """As many operands as the map has dims and symbols."""
    if len(operands) != map.num_inputs:
        raise op.error(
            f"expected {map.num_inputs} {what} operands for its affine map, got {len(operands)}"
        )


def _check_yield(op: Operation, body: Region, count: int) -> None:
    """The terminator of a body hands over the op's results."""
    end = body.block.terminator
    given = end.operands if end is not None else ()
    if len(given) != count or any(
        a.type is not b.type for a, b in zip(given, op.results, strict=False)
    ):
        raise op.error(
            "expected the values yielded by its body to match its results in number and type"
        )


class YieldOp(Operation):
    """Hand values to the op around the region."""

    name = "affine.yield"
    traits = (Pure(), Terminator(), ReturnLike())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


class ForOp(Operation):
    """A counted loop between affine bounds: from the greatest lower to the least upper bound."""

    name = "affine.for"
    traits = (AttrSizedOperands(), *LOOP_TRAITS)
    lower_operands: tuple[Value, ...] = variadic_operand(INDEX)
    upper_operands: tuple[Value, ...] = variadic_operand(INDEX)
    inits: tuple[Value, ...] = variadic_operand()
    lower_map: AffineMapAttr = attr(AffineMapAttr, key="lowerBoundMap")
    upper_map: AffineMapAttr = attr(AffineMapAttr, key="upperBoundMap")
    step: IntegerAttr = attr(integer_attr(t.index, "index attribute"))
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    @property
    def induction_variable(self) -> BlockArgument:
        return self.body.arguments[0]

    @property
    def iter_args(self) -> list[BlockArgument]:
        """The carried values inside the body."""
        return self.body.arguments[1:]

    @property
    def constant_bounds(self) -> tuple[int, int] | None:
        """Both bounds, if they are numbers."""
        lower, upper = self.lower_map.map.constants, self.upper_map.map.constants
        return (max(lower), min(upper)) if lower and upper else None

    def verify_(self) -> None:
        if self.step.value <= 0:
            raise self.error("expected step to be representable as a positive signed integer")
        check_map_operands(self, self.lower_map.map, self.lower_operands, "lower bound")
        check_map_operands(self, self.upper_map.map, self.upper_operands, "upper bound")
        if not self.lower_map.map.num_results:
            raise self.error("expected lower bound map to have at least one result")
        if not self.upper_map.map.num_results:
            raise self.error("expected upper bound map to have at least one result")
        arguments = self.body.arguments
        if len(arguments) != 1 + len(self.inits) or not INDEX.holds(arguments[0].type):
            raise self.error(
                "expected body to have a single index argument for the induction variable, "
                "and one per loop-carried value"
            )
        if len(self.outputs) != len(self.inits):
            raise self.error("mismatch between the number of loop-carried values and results")
        for i, (a, b) in enumerate(zip(self.inits, self.iter_args, strict=True)):
            if a.type is not b.type:
                raise self.error(f"types mismatch between {i}th iter operand and its argument")
        _check_yield(self, self.body_region, len(self.outputs))


class IfOp(Operation):
    """One of two regions, by an integer set."""

    name = "affine.if"
    traits = (*LOOP_TRAITS, NoRegionArguments())
    set_operands: tuple[Value, ...] = variadic_operand(INDEX)
    condition: AffineSetAttr = attr(AffineSetAttr)
    outputs: tuple[OpResult, ...] = variadic_result()
    then_region: Region = region(single_block=True)
    else_region: Region = region(max_blocks=1)

    @property
    def has_else(self) -> bool:
        return not self.else_region.is_empty

    def verify_(self) -> None:
        held = self.condition.set
        if len(self.set_operands) != held.num_dims + held.num_symbols:
            raise self.error("operand count and integer set dimension and symbol count must match")
        if self.outputs and not self.has_else:
            raise self.error("must have an else block if defining values")
        _check_yield(self, self.then_region, len(self.outputs))
        if self.has_else:
            _check_yield(self, self.else_region, len(self.outputs))


class ParallelOp(Operation):
    """A nest of counted loops whose points may run in any order."""

    name = "affine.parallel"
    traits = LOOP_TRAITS
    map_operands: tuple[Value, ...] = variadic_operand(INDEX)
    reductions: ArrayAttr = attr(
        array_of(int_enum(ATOMIC_RMW_KINDS, "atomic reduction"), "Reduction ops")
    )
    lower_map: AffineMapAttr = attr(AffineMapAttr, key="lowerBoundsMap")
    lower_groups: DenseElementsAttr = attr(GROUPS, key="lowerBoundsGroups")
    upper_map: AffineMapAttr = attr(AffineMapAttr, key="upperBoundsMap")
    upper_groups: DenseElementsAttr = attr(GROUPS, key="upperBoundsGroups")
    steps: ArrayAttr = attr(array_of(IntegerAttr, "64-bit integer array attribute"))
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    @property
    def num_dims(self) -> int:
        return len(self.steps)

    @property
    def lower_operands(self) -> tuple[Value, ...]:
        return self.map_operands[: self.lower_map.map.num_inputs]

    @property
    def upper_operands(self) -> tuple[Value, ...]:
        return self.map_operands[self.lower_map.map.num_inputs :]

    @property
    def reduction_names(self) -> tuple[str, ...]:
        return tuple(ATOMIC_RMW_KINDS[int(k)] for k in self.reductions)  # type: ignore[call-overload]

    def bounds(self, lower: bool) -> list[AffineMap]:
        """The map of each dimension's lower (upper) bound; several results: max (min) of them."""
        map = self.lower_map.map if lower else self.upper_map.map
        sizes = (self.lower_groups if lower else self.upper_groups).to_numpy().tolist()
        found: list[AffineMap] = []
        start = 0
        for size in sizes:
            found.append(map.sub_map(range(start, start + size)))
            start += size
        return found

    def verify_(self) -> None:
        for what, map, groups in (
            ("lower", self.lower_map.map, self.lower_groups),
            ("upper", self.upper_map.map, self.upper_groups),
        ):
            sizes = groups.to_numpy().tolist()
            if len(sizes) != self.num_dims or sum(sizes) != map.num_results:
                raise self.error(
                    f"expected {what} bounds groups to cover the bounds of each dimension"
                )
        if len(self.body.arguments) != self.num_dims:
            raise self.error(
                f"the number of region arguments ({len(self.body.arguments)}) and the number of "
                f"map groups for lower ({self.num_dims}) and upper bound ({self.num_dims}), and "
                f"the number of steps ({self.num_dims}) must all match"
            )
        wanted = self.lower_map.map.num_inputs + self.upper_map.map.num_inputs
        if len(self.map_operands) != wanted:
            raise self.error(f"expected {wanted} map operands, got {len(self.map_operands)}")
        if len(self.reductions) != len(self.outputs):
            raise self.error("a reduction must be specified for each output")
        _check_yield(self, self.body_region, len(self.outputs))
