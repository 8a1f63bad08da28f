"""``cf``: branches between the blocks of a region, and assertions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, DenseElementsAttr, StringAttr
from kt.ir.constraints import ANY_INTEGER, I1, I32_ARRAY
from kt.ir.core import Block, Operation, Value
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    successor,
    variadic_operand,
    variadic_successor,
)
from kt.ir.traits import AttrSizedOperands, Pure, Terminator, WriteEffect


class BranchBase(Operation):
    """Base of branches. All operands but the leading ones go to the successors, in their order."""

    def operand_groups(self) -> list[tuple[Value, ...]]:
        """For each successor, the operands that its arguments receive."""
        return []

    def successor_operands(self, n: int) -> tuple[Value, ...]:
        """Operands that the arguments of successor ``n`` receive."""
        return self.operand_groups()[n]

    def erase_successor_operand(self, n: int, i: int) -> None:
        """Drop operand ``i`` of successor ``n``."""
        groups = [list(group) for group in self.operand_groups()]
        del groups[n][i]
        leading = self.operands[: len(self.operands) - sum(map(len, self.operand_groups()))]
        self.set_sizes([len(group) for group in groups])
        self.operands = (*leading, *(v for group in groups for v in group))

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Store how many operands each successor takes."""

    def verify_(self) -> None:
        for i, (block, values) in enumerate(
            zip(self.successors, self.operand_groups(), strict=True)
        ):
            expected = [a.type for a in block.arguments]
            if len(values) != len(expected):
                raise self.error(
                    f"branch has {len(values)} operands for successor #{i}, "
                    f"but target block has {len(expected)}"
                )
            for j, (value, type) in enumerate(zip(values, expected, strict=True)):
                if value.type is not type:
                    raise self.error(
                        f"type mismatch for bb argument #{j} of successor #{i}: "
                        f"'{value.type}' passed, '{type}' expected"
                    )


class AssertOp(Operation):
    """Stop with a message unless the condition holds."""

    name = "cf.assert"
    traits = (WriteEffect(),)
    assembly_format = "$arg `,` $msg attr-dict"
    arg: Value = operand(I1)
    msg: StringAttr = attr(StringAttr)


class BranchOp(BranchBase):
    """Go to a block."""

    name = "cf.br"
    traits = (Pure(), Terminator())
    assembly_format = "$dest (`(` $dest_operands^ `:` type($dest_operands) `)`)? attr-dict"
    dest_operands: tuple[Value, ...] = variadic_operand()
    dest: Block = successor()

    def operand_groups(self) -> list[tuple[Value, ...]]:
        return [self.dest_operands]


class CondBranchOp(BranchBase):
    """Go to one of two blocks."""

    name = "cf.cond_br"
    traits = (Pure(), Terminator(), AttrSizedOperands())
    assembly_format = (
        "$condition (`weights` `(` $branch_weights^ `)`)? `,` "
        "$true_dest (`(` $true_operands^ `:` type($true_operands) `)`)? `,` "
        "$false_dest (`(` $false_operands^ `:` type($false_operands) `)`)? attr-dict"
    )
    condition: Value = operand(I1)
    true_operands: tuple[Value, ...] = variadic_operand()
    false_operands: tuple[Value, ...] = variadic_operand()
    branch_weights: DenseArrayAttr | None = optional_attr(I32_ARRAY)
    true_dest: Block = successor()
    false_dest: Block = successor()

    def operand_groups(self) -> list[tuple[Value, ...]]:
        return [self.true_operands, self.false_operands]

    def set_sizes(self, sizes: Sequence[int]) -> None:
        self.properties["operandSegmentSizes"] = DenseArrayAttr.of((1, *sizes), t.i32)

    def verify_(self) -> None:
        super().verify_()
        if self.branch_weights is not None and len(self.branch_weights) != 2:
            raise self.error(
                f"number of weights ({len(self.branch_weights)}) does not match "
                "the number of successors (2)"
            )


class SwitchOp(BranchBase):
    """Go to the block of the case that equals the flag, or to the default block."""

    name = "cf.switch"
    traits = (Pure(), Terminator(), AttrSizedOperands())
    flag: Value = operand(ANY_INTEGER)
    default_operands: tuple[Value, ...] = variadic_operand()
    case_operands: tuple[Value, ...] = variadic_operand()
    """The operands of all cases in a row; ``case_operand_segments`` divides them."""
    case_values: DenseElementsAttr | None = optional_attr(DenseElementsAttr)
    case_operand_segments: DenseArrayAttr = attr(I32_ARRAY)
    default_dest: Block = successor()
    case_dests: tuple[Block, ...] = variadic_successor()

    @property
    def cases(self) -> tuple[int, ...]:
        """The numbers of the cases."""
        if self.case_values is None:
            return ()
        return tuple(self.case_values.to_numpy().reshape(-1).tolist())

    def operands_of_cases(self) -> list[tuple[Value, ...]]:
        """Operands of each case."""
        groups: list[tuple[Value, ...]] = []
        start = 0
        for size in self.case_operand_segments:
            groups.append(self.case_operands[start : start + size])
            start += size
        return groups

    @staticmethod
    def case_attributes(cases: Sequence[int], flag: t.Type, sizes: Sequence[int]) -> dict[str, Any]:
        """The inherent attributes of a switch over ``cases`` of type ``flag``."""
        made: dict[str, Any] = {"case_operand_segments": DenseArrayAttr.of(sizes, t.i32)}
        if cases:
            made["case_values"] = DenseElementsAttr.of(cases, t.VectorType((len(cases),), flag))
        return made

    def operand_groups(self) -> list[tuple[Value, ...]]:
        return [self.default_operands, *self.operands_of_cases()]

    def set_sizes(self, sizes: Sequence[int]) -> None:
        segments = (1, sizes[0], sum(sizes[1:]))
        self.properties["operandSegmentSizes"] = DenseArrayAttr.of(segments, t.i32)
        self.properties["case_operand_segments"] = DenseArrayAttr.of(sizes[1:], t.i32)

    def verify_(self) -> None:
        if len(self.cases) != len(self.case_dests):
            raise self.error(
                f"number of case values ({len(self.cases)}) should match number of case "
                f"destinations ({len(self.case_dests)})"
            )
        if (
            self.case_values is not None
            and self.case_values.type.element_type is not self.flag.type
        ):
            raise self.error(
                f"'flag' type ('{self.flag.type}') should match case value type "
                f"('{self.case_values.type.element_type}')"
            )
        super().verify_()
