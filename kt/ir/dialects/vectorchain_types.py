"""``vectorchain``: operators as attributes, and what all ops on lanes have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, attribute
from kt.ir.constraints import TypeConstraint
from kt.ir.core import Operation
from kt.ir.dialects.dataflow import BracketEnumAttr, lanes_of
from kt.ir.traits import Pure


@attribute
class BinaryOperatorAttr(BracketEnumAttr):
    """``#vectorchain<binary_operator add>``."""

    name: ClassVar[str] = "vectorchain.binary_operator"
    cases: ClassVar[tuple[str, ...]] = (
        "and0", "or0", "xnor", "and_not", "min", "max", "abs_min", "abs_max", "add", "mul", "sub",
        "mul_div2",
    )  # fmt: skip


@attribute
class CompareOperatorAttr(BracketEnumAttr):
    """``#vectorchain<element_wise_compare_operator compare_lt>``."""

    name: ClassVar[str] = "vectorchain.element_wise_compare_operator"
    cases: ClassVar[tuple[str, ...]] = (
        "compare_eq", "compare_neq", "compare_lt", "compare_le", "compare_gt", "compare_ge",
    )  # fmt: skip


@attribute
class ExpEstimateAttr(BracketEnumAttr):
    """``#vectorchain<exp_estimate a>``: one of the two stages."""

    name: ClassVar[str] = "vectorchain.exp_estimate"
    cases: ClassVar[tuple[str, ...]] = ("a", "b")


@attribute
class EstimateVersionsAttr(BracketEnumAttr):
    """``#vectorchain<estimate_versions slope>``: part of a piece of a linear estimate."""

    name: ClassVar[str] = "vectorchain.estimate_versions"
    cases: ClassVar[tuple[str, ...]] = ("slope", "offset")


@attribute
class EvalOrderAttr(BracketEnumAttr):
    """``#vectorchain<eval_order left_to_right>``."""

    name: ClassVar[str] = "vectorchain.eval_order"
    cases: ClassVar[tuple[str, ...]] = ("left_to_right", "right_to_left")


for _kind in (
    BinaryOperatorAttr,
    CompareOperatorAttr,
    ExpEstimateAttr,
    EstimateVersionsAttr,
    EvalOrderAttr,
):
    registry.ATTRIBUTES[_kind.name] = _kind

MASK = TypeConstraint(
    "vector of 1-bit signless integer values",
    lambda x: isinstance(x, t.VectorType) and x.element_type is t.i1,
)
SCALAR = TypeConstraint(
    "index, integer or floating-point",
    lambda x: isinstance(x, (t.IndexType, t.IntegerType, t.FloatType)),
)
OPTIONAL_MASK = "(`` `[` $mask^ `:` type($mask) `]`)?"
UNARY = f"$input {OPTIONAL_MASK} attr-dict `:` type($input) `,` type($output)"
BINARY = f"$lhs `,` $rhs {OPTIONAL_MASK} attr-dict `:` type($lhs) `,` type($rhs) `,` type($output)"


def check_lanes(op: Operation, *types: t.Type, what: str = "operands and result") -> None:
    lanes = {lanes_of(x) for x in types}
    if len(lanes) > 1:
        found = ", ".join(str(x) for x in types)
        raise op.error(f"requires {what} with equally many lanes, but got {found}", code="strict")


def check_mask(op: Any) -> None:
    if op.mask is not None:
        check_lanes(op, op.operands[0].type, op.mask.type, what="mask and operand")


def check_fold(op: Any, map: AffineMapAttr, *inputs: t.Type) -> None:
    """A map from input lanes to result lanes: one dimension, no symbols, results in range."""
    check_lanes(op, *inputs, what="operands")
    fold, lanes, out = map.map, lanes_of(inputs[0]), lanes_of(op.output.type)
    if (fold.num_dims, fold.num_symbols, fold.num_results) != (1, 0, 1):
        raise op.error(
            f"requires a lane map of one dimension, one result and no symbols, but got '{fold}'",
            code="strict",
        )
    if lanes is not None and out is not None and lanes:
        images = [fold.eval((i,))[0] for i in range(lanes)]
        if min(images) < 0 or max(images) >= out:
            raise op.error(
                f"lane map '{fold}' of {lanes} lanes leaves the {out} lanes of the result",
                code="strict",
            )


class VectorOp(Operation):
    """Base of the ops: pure."""

    traits = (Pure(),)
