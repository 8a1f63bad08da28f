"""``scf``: structured control flow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, UnitAttr
from kt.ir.constraints import ANY_TYPE, I1, I64_ARRAY, INDEX, SIGNLESS_INTEGER_OR_INDEX
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from kt.ir.dialects.scf_parallel import (
    ForallOp as ForallOp,
)
from kt.ir.dialects.scf_parallel import (
    InParallelOp as InParallelOp,
)
from kt.ir.dialects.scf_parallel import (
    ParallelOp as ParallelOp,
)
from kt.ir.dialects.scf_parallel import (
    ReduceOp as ReduceOp,
)
from kt.ir.dialects.scf_parallel import (
    ReduceReturnOp as ReduceReturnOp,
)
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
    AllTypesMatch,
    HasParent,
    ImplicitTerminator,
    NoRegionArguments,
    Pure,
    RecursiveEffects,
    ReturnLike,
    SingleBlock,
    Terminator,
)


class YieldOp(Operation):
    """Hand values to the op around the region."""

    name = "scf.yield"
    traits = (
        Pure(),
        ReturnLike(),
        Terminator(),
        HasParent(("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while")),
    )
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


def check_carried(
    op: Operation, left: str, lefts: Sequence[Value], right: str, rights: Sequence[Value]
) -> None:
    """Two rows of loop-carried values have equal length and types."""
    if len(lefts) != len(rights):
        raise op.error(f"different number of {left}s and {right}s: {len(lefts)} != {len(rights)}")
    for i, (a, b) in enumerate(zip(lefts, rights, strict=True)):
        if a.type is not b.type:
            raise op.error(
                f"{i}-th {left} and {i}-th {right} have different type: '{a.type}' != '{b.type}'"
            )


class ForOp(Operation):
    """Count from the lower to the upper bound (exclusive) by a positive step, carrying values along."""

    name = "scf.for"
    traits = (
        AllTypesMatch(("lower_bound", "upper_bound", "step")),
        SingleBlock(),
        ImplicitTerminator("scf.yield"),
        RecursiveEffects(),
    )
    lower_bound: Value = operand(SIGNLESS_INTEGER_OR_INDEX)
    upper_bound: Value = operand(SIGNLESS_INTEGER_OR_INDEX)
    step: Value = operand(SIGNLESS_INTEGER_OR_INDEX)
    init_args: tuple[Value, ...] = variadic_operand()
    unsigned_cmp: UnitAttr | None = optional_attr(UnitAttr, key="unsignedCmp")
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    @staticmethod
    def infer_types(
        lower: Any, upper: Any, step: Any, inits: Any, properties: dict[str, Any]
    ) -> list[t.Type]:
        return [v.type for v in inits]

    @classmethod
    def of(
        cls, lower: Value, upper: Value, step: Value, inits: Sequence[Value] = (), **named: Any
    ) -> ForOp:
        """A loop with an empty body block: induction variable, then one argument per init."""
        block = Block([lower.type, *(v.type for v in inits)])
        return cls.build(lower, upper, step, inits, regions=[Region([block])], **named)

    @property
    def induction_variable(self) -> BlockArgument:
        """The counter, an argument of the body."""
        return self.body.arguments[0]

    @property
    def iter_args(self) -> list[BlockArgument]:
        """The carried values inside the body."""
        return self.body.arguments[1:]

    @property
    def yielded(self) -> tuple[Value, ...]:
        """The carried values at the end of the body."""
        end = self.body.terminator
        return end.operands if end is not None else ()

    def verify_(self) -> None:
        if len(self.init_args) != len(self.outputs):
            raise self.error("mismatch in number of loop-carried values and defined values")
        arguments = self.body.arguments
        if not arguments or arguments[0].type is not self.lower_bound.type:
            raise self.error("expected induction variable to be same type as bounds and step")
        check_carried(self, "init", self.init_args, "region iter_arg", self.iter_args)
        check_carried(self, "region iter_arg", self.iter_args, "yielded value", self.yielded)
        check_carried(self, "region iter_arg", self.iter_args, "loop result", self.outputs)


def _check_yields(op: Operation, what: str, body: Region) -> None:
    """The terminator of a region hands over the op's results."""
    end = body.blocks[-1].terminator if body.blocks else None
    given = end.operands if isinstance(end, YieldOp) else ()
    if len(given) != len(op.results):
        raise op.error(
            f"{what} yields {len(given)} values, but the operation has {len(op.results)} results"
        )
    for i, (value, wanted) in enumerate(zip(given, op.results, strict=True)):
        if value.type is not wanted.type:
            raise op.error(
                f"{what}: type of yielded value {i} is '{value.type}', "
                f"but result {i} is '{wanted.type}'"
            )


class IfOp(Operation):
    """One of two regions, by a condition. With results both regions must be there."""

    name = "scf.if"
    traits = (
        SingleBlock(),
        ImplicitTerminator("scf.yield"),
        RecursiveEffects(),
        NoRegionArguments(),
    )
    condition: Value = operand(I1)
    outputs: tuple[OpResult, ...] = variadic_result()
    then_region: Region = region(single_block=True)
    else_region: Region = region(max_blocks=1)

    @classmethod
    def of(
        cls,
        condition: Value,
        result_types: Sequence[t.Type] = (),
        with_else: bool = False,
        **named: Any,
    ) -> IfOp:
        """An ``if`` with empty blocks."""
        other = Region([Block()]) if with_else or result_types else Region()
        return cls.build(
            condition, result_types=result_types, regions=[Region([Block()]), other], **named
        )

    @property
    def has_else(self) -> bool:
        return not self.else_region.is_empty

    def verify_(self) -> None:
        if self.results and not self.has_else:
            raise self.error("must have an else block if defining values")
        _check_yields(self, "then region", self.then_region)
        if self.has_else:
            _check_yields(self, "else region", self.else_region)


class ConditionOp(Operation):
    """End of the ``before`` region of a while loop: go on with these values, or leave with them."""

    name = "scf.condition"
    traits = (HasParent(("scf.while",)), Pure(), Terminator())
    assembly_format = "`(` $condition `)` attr-dict ($arguments^ `:` type($arguments))?"
    condition: Value = operand(I1)
    arguments: tuple[Value, ...] = variadic_operand()


class WhileOp(Operation):
    """A while or do-while loop: ``before`` computes the condition, ``after`` the next round."""

    name = "scf.while"
    traits = (RecursiveEffects(), SingleBlock())
    inits: tuple[Value, ...] = variadic_operand()
    outputs: tuple[OpResult, ...] = variadic_result()
    before: Region = region(single_block=True)
    after: Region = region(single_block=True)

    @property
    def condition_op(self) -> ConditionOp | None:
        """The terminator of the ``before`` region."""
        end = self.before.block.terminator
        return end if isinstance(end, ConditionOp) else None

    def verify_(self) -> None:
        condition = self.condition_op
        if condition is None:
            raise self.error("expects the 'before' region to terminate with 'scf.condition'")
        end = self.after.block.terminator
        if not isinstance(end, YieldOp):
            raise self.error("expects the 'after' region to terminate with 'scf.yield'")
        before, after = self.before.block.arguments, self.after.block.arguments
        check_carried(self, "init", self.inits, "region iter_arg", before)
        check_carried(self, "region iter_arg", before, "yielded value", end.operands)
        check_carried(self, "condition argument", condition.arguments, "loop result", self.outputs)
        check_carried(
            self, "condition argument", condition.arguments, "'after' region argument", after
        )


class ExecuteRegionOp(Operation):
    """Run a region of any blocks once."""

    name = "scf.execute_region"
    traits = (RecursiveEffects(),)
    no_inline: UnitAttr | None = optional_attr(UnitAttr)
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region()

    def verify_(self) -> None:
        if self.body_region.is_empty:
            raise self.error("region needs to have at least one block")
        if self.body_region.blocks[0].arguments:
            raise self.error("region cannot have any arguments")
        for block in self.body_region:
            end = block.terminator
            if isinstance(end, YieldOp):
                check_carried(self, "yielded value", end.values, "result", self.outputs)


class IndexSwitchOp(Operation):
    """The region of the case that equals the argument, or the default region."""

    name = "scf.index_switch"
    traits = (RecursiveEffects(), SingleBlock(), ImplicitTerminator("scf.yield"))
    assembly_format = (
        "$arg attr-dict (`->` type($outputs)^)? custom<SwitchCases>($cases, $case_regions) "
        "`\\n` `` `default` $default_region"
    )
    arg: Value = operand(INDEX)
    cases: DenseArrayAttr = attr(I64_ARRAY)
    outputs: tuple[OpResult, ...] = variadic_result(ANY_TYPE)
    default_region: Region = region(single_block=True)
    case_regions: tuple[Region, ...] = variadic_region(single_block=True)

    def verify_(self) -> None:
        if len(self.cases) != len(self.case_regions):
            raise self.error(
                f"has {len(self.case_regions)} case regions but {len(self.cases)} case values"
            )
        seen: set[int] = set()
        for case in self.cases:
            if case in seen:
                raise self.error(f"has duplicate case value: {case}")
            seen.add(case)
        _check_yields(self, "default region", self.default_region)
        for i, body in enumerate(self.case_regions):
            _check_yields(self, f"case region {i}", body)
