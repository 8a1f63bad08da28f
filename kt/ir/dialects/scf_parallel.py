"""Parallel loops of the ``scf`` dialect; import them from :mod:`kt.ir.dialects.scf`."""

from __future__ import annotations

from typing import Any

from kt.ir.attributes import ArrayAttr, DenseArrayAttr
from kt.ir.constraints import I64_ARRAY, INDEX, RANKED_TENSOR
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from kt.ir.dialects.common import Mixed, check_mixed, mixed
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    variadic_operand,
    variadic_region,
    variadic_result,
)
from kt.ir.traits import (
    AttrSizedOperands,
    GraphRegion,
    HasParent,
    ImplicitTerminator,
    NoTerminator,
    Pure,
    RecursiveEffects,
    SingleBlock,
    Terminator,
)


class ParallelOp(Operation):
    """A loop nest whose points may run in any order; ``scf.reduce`` combines what they compute."""

    name = "scf.parallel"
    traits = (
        AttrSizedOperands(),
        RecursiveEffects(),
        SingleBlock(),
        ImplicitTerminator("scf.reduce"),
    )
    lower_bounds: tuple[Value, ...] = variadic_operand(INDEX)
    upper_bounds: tuple[Value, ...] = variadic_operand(INDEX)
    steps: tuple[Value, ...] = variadic_operand(INDEX)
    init_vals: tuple[Value, ...] = variadic_operand()
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    @property
    def induction_variables(self) -> list[BlockArgument]:
        return self.body.arguments

    def verify_(self) -> None:
        rank = len(self.steps)
        if rank == 0:
            raise self.error("needs at least one tuple element for lowerBound, upperBound and step")
        if len(self.body.arguments) != rank:
            raise self.error(
                f"expects the same number of induction variables: {len(self.body.arguments)} "
                f"as bound and step values: {rank}"
            )
        if not all(INDEX.holds(a.type) for a in self.body.arguments):
            raise self.error("expects arguments for the induction variable to be of index type")
        end = self.body.terminator
        if not isinstance(end, ReduceOp):
            raise self.error("expects body to terminate with 'scf.reduce'")
        sizes = (len(self.outputs), len(end.arguments), len(self.init_vals))
        if sizes[0] != sizes[1]:
            raise self.error(
                f"expects number of results: {sizes[0]} to be the same as number of reductions: "
                f"{sizes[1]}"
            )
        if sizes[0] != sizes[2]:
            raise self.error(
                f"expects number of results: {sizes[0]} to be the same as number of initial "
                f"values: {sizes[2]}"
            )
        for value, wanted in zip(end.arguments, self.outputs, strict=True):
            if value.type is not wanted.type:
                raise self.error(
                    f"expects type of reduction operand: '{value.type}' to be the same as result "
                    f"type: '{wanted.type}'"
                )


class ReduceOp(Operation):
    """End of a parallel loop: one combiner region for each value that is reduced."""

    name = "scf.reduce"
    traits = (Terminator(), HasParent(("scf.parallel",)), RecursiveEffects())
    assembly_format = "(`(` $arguments^ `:` type($arguments) `)`)? $reductions attr-dict"
    arguments: tuple[Value, ...] = variadic_operand()
    reductions: tuple[Region, ...] = variadic_region(single_block=True)

    def verify_(self) -> None:
        if len(self.reductions) != len(self.arguments):
            raise self.error(
                f"expects {len(self.arguments)} reduction regions, got {len(self.reductions)}"
            )
        for i, (value, body) in enumerate(zip(self.arguments, self.reductions, strict=True)):
            arguments = body.block.arguments
            if len(arguments) != 2 or any(a.type is not value.type for a in arguments):
                raise self.error(
                    f"expects two block arguments of type '{value.type}' in reduction region {i}"
                )
            end = body.block.terminator
            if not isinstance(end, ReduceReturnOp):
                raise self.error(
                    "the block inside reduce should be terminated with a 'scf.reduce.return' op"
                )
            if end.value.type is not value.type:
                raise self.error(
                    f"reduction region {i} returns '{end.value.type}', expected '{value.type}'"
                )


class ReduceReturnOp(Operation):
    """Result of a combiner region."""

    name = "scf.reduce.return"
    traits = (HasParent(("scf.reduce",)), Pure(), Terminator())
    assembly_format = "$value attr-dict `:` type($value)"
    value: Value = operand()


class ForallOp(Operation):
    """A parallel loop nest that fills shared tensors piece by piece."""

    name = "scf.forall"
    traits = (
        AttrSizedOperands(),
        RecursiveEffects(),
        SingleBlock(),
        ImplicitTerminator("scf.forall.in_parallel"),
    )
    dynamic_lower_bound: tuple[Value, ...] = variadic_operand(INDEX)
    dynamic_upper_bound: tuple[Value, ...] = variadic_operand(INDEX)
    dynamic_step: tuple[Value, ...] = variadic_operand(INDEX)
    shared: tuple[Value, ...] = variadic_operand(RANKED_TENSOR)
    static_lower_bound: DenseArrayAttr = attr(I64_ARRAY, key="staticLowerBound")
    static_upper_bound: DenseArrayAttr = attr(I64_ARRAY, key="staticUpperBound")
    static_step: DenseArrayAttr = attr(I64_ARRAY, key="staticStep")
    mapping: ArrayAttr | None = optional_attr(ArrayAttr)
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    @property
    def lower_bounds(self) -> tuple[Mixed, ...]:
        return mixed(self.static_lower_bound, self.dynamic_lower_bound)

    @property
    def upper_bounds(self) -> tuple[Mixed, ...]:
        return mixed(self.static_upper_bound, self.dynamic_upper_bound)

    @property
    def steps(self) -> tuple[Mixed, ...]:
        return mixed(self.static_step, self.dynamic_step)

    @property
    def is_normalized(self) -> bool:
        """Whether all lower bounds are 0 and all steps 1, so that only the upper ones are written."""
        return set(self.lower_bounds) <= {0} and set(self.steps) <= {1}

    @property
    def induction_variables(self) -> list[BlockArgument]:
        return self.body.arguments[: len(self.static_step)]

    @property
    def region_outputs(self) -> list[BlockArgument]:
        """The shared tensors inside the body."""
        return self.body.arguments[len(self.static_step) :]

    def verify_(self) -> None:
        rank = len(self.static_step)
        if len(self.static_lower_bound) != rank or len(self.static_upper_bound) != rank:
            raise self.error("expected as many lower and upper bounds as steps")
        check_mixed(self, "lower bound", self.static_lower_bound.values, self.dynamic_lower_bound)
        check_mixed(self, "upper bound", self.static_upper_bound.values, self.dynamic_upper_bound)
        check_mixed(self, "step", self.static_step.values, self.dynamic_step)
        if len(self.outputs) != len(self.shared):
            raise self.error(
                f"produces {len(self.outputs)} results, but has {len(self.shared)} outputs"
            )
        arguments = self.body.arguments
        if len(arguments) != rank + len(self.shared):
            raise self.error(f"region expects {rank + len(self.shared)} arguments")
        for i, argument in enumerate(arguments[:rank]):
            if not INDEX.holds(argument.type):
                raise self.error(f"expects {i}-th block argument to be an index")
        rows = zip(self.shared, self.outputs, arguments[rank:], strict=True)
        for i, (shared, made, inner) in enumerate(rows):
            if shared.type is not made.type or shared.type is not inner.type:
                raise self.error(f"type mismatch between {i}-th output, its argument and result")


class InParallelOp(Operation):
    """End of a forall body: the insertions into shared tensors that all points make together."""

    name = "scf.forall.in_parallel"
    traits = (
        Pure(),
        Terminator(),
        HasParent(("scf.forall",)),
        NoTerminator(),
        SingleBlock(),
        GraphRegion(),
    )
    body_region: Region = region(single_block=True)

    def __init__(self, *parts: Any, **named: Any) -> None:
        """Without a region: one with an empty block, as the implicit end of a loop has it."""
        super().__init__(*parts, **named)
        if not self.regions:
            self.regions = (Region([Block()]),)
            self.regions[0].parent = self

    def verify_(self) -> None:
        for op in self.body.ops:
            if op.name != "tensor.parallel_insert_slice":
                raise self.error(f"expected only tensor.parallel_insert_slice ops, got {op.name}")
