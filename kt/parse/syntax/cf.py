"""Text of ``cf.switch``."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.dialects.cf import SwitchOp
from kt.parse.syntax_api import Pending, fail, printer, segments, syntax


def _target(parts: tuple[Any, ...]) -> tuple[str, tuple[str, ...], tuple[Any, ...]]:
    """Label, operand names and their types of a successor."""
    return parts if len(parts) == 3 else (parts[0], (), ())  # type: ignore[return-value]


@syntax("cf.switch", rule="cf_switch")
def build_switch(cls: Any, flag: str, type: Any, default: Any, *rest: Any) -> Pending:
    *cases, attributes = rest
    if not isinstance(type, t.IntegerType):
        fail(f"expected an integer flag, got '{type}'")
    targets = [_target(default), *(_target(case[1]) for case in cases)]
    operands, types = [flag], [type]
    for _, names, kinds in targets:
        if len(names) != len(kinds):
            fail(f"expected {len(names)} types for {len(names)} operands, got {len(kinds)}")
        operands += names
        types += kinds
    sizes = [len(names) for _, names, _ in targets]
    numbers = [_wrap(case[0], type.width) for case in cases]
    return Pending(
        cls,
        operands=tuple(operands),
        types=tuple(types),
        properties={
            "operandSegmentSizes": segments(1, sizes[0], sum(sizes[1:])),
            **SwitchOp.case_attributes(numbers, type, sizes[1:]),
        },
        attributes=attributes,
        successors=tuple(label for label, _, _ in targets),
    )


def _wrap(number: int, width: int) -> int:
    """A case as the signed number of its bits (text may give it unsigned)."""
    number &= (1 << width) - 1
    return number - (1 << width) if number >> (width - 1) and width > 1 else number


@printer("cf.switch")
def print_switch(p: Any, op: Any) -> None:
    p.write(" ")
    p.value(op.flag)
    p.write(" : ")
    p.type(op.flag.type)
    p.write(", [")
    p.newline()
    p.write("  default: ")
    p.successor(op.default_dest, op.default_operands)
    mask = (1 << op.flag.type.width) - 1
    rows = zip(op.cases, op.case_dests, op.operands_of_cases(), strict=True)
    for number, block, values in rows:
        p.write(",")
        p.newline()
        p.write(f"  {int(number) & mask}: ")  # upstream writes the bits as an unsigned number
        p.successor(block, values)
    p.newline()
    p.write("]")
    p.attr_dict(op, elided=("case_values", "case_operand_segments", "operandSegmentSizes"))
