"""``vectorchain``: pure computation on data vectors.

Masked-off lanes contribute the identity to reductions; in lane-wise ops they keep the lane of the
first operand.
"""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, AffineSetAttr, ArrayAttr, IntegerAttr, StringAttr
from kt.ir.constraints import BOOL_ATTR, I32_ATTR, INDEX, INDEX_ATTR
from kt.ir.core import OpResult, Value
from kt.ir.dialects.dataflow import DATA_VECTOR, lanes_of
from kt.ir.dialects.vectorchain_types import (
    BINARY,
    MASK,
    OPTIONAL_MASK,
    SCALAR,
    UNARY,
    BinaryOperatorAttr,
    CompareOperatorAttr,
    EstimateVersionsAttr,
    EvalOrderAttr,
    ExpEstimateAttr,
    VectorOp,
    check_fold,
    check_lanes,
    check_mask,
)
from kt.ir.opdef import attr, operand, optional_attr, optional_operand, result, variadic_operand
from kt.ir.traits import AttrSizedOperands, Pure


class UnaryOp(VectorOp):
    """Base of lane-wise ops with one operand."""

    assembly_format = UNARY
    input: Value = operand(DATA_VECTOR)
    mask: Value | None = optional_operand(MASK)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_lanes(self, self.input.type, self.output.type)
        check_mask(self)


class CastOp(UnaryOp):
    """Lane-wise conversion to another element type."""

    name = "vectorchain.cast"

    def verify_(self) -> None:
        if lanes_of(self.input.type) != lanes_of(self.output.type):
            raise self.error("result size does not match input size")
        check_mask(self)


class FastExpOp(UnaryOp):
    """Lane-wise exponential, fast version."""

    name = "vectorchain.fast_exp"


class FloorOp(UnaryOp):
    """Lane-wise largest integer that isn't greater."""

    name = "vectorchain.floor"


class RecEstimateOp(UnaryOp):
    """Lane-wise estimate of the reciprocal."""

    name = "vectorchain.rec_estimate"


class LnEstimateOp(UnaryOp):
    """Lane-wise estimate of the natural logarithm."""

    name = "vectorchain.ln_estimate"


class RsqrtEstimateOp(UnaryOp):
    """Lane-wise estimate of one over the square root."""

    name = "vectorchain.rsqrt_estimate"


class NegOp(UnaryOp):
    """Lane-wise negation."""

    name = "vectorchain.neg"


class ExpEstimateOp(UnaryOp):
    """One of two stages of an estimate of the exponential."""

    name = "vectorchain.exp_estimate"
    version: ExpEstimateAttr = attr(ExpEstimateAttr)


class SigmoidEstimateOp(UnaryOp):
    """Slope or offset of a piece-wise linear estimate of the sigmoid."""

    name = "vectorchain.sigmoid_estimate"
    version: EstimateVersionsAttr = attr(EstimateVersionsAttr)


class TanhEstimateOp(UnaryOp):
    """Slope or offset of a piece-wise linear estimate of tanh."""

    name = "vectorchain.tanh_estimate"
    version: EstimateVersionsAttr = attr(EstimateVersionsAttr)


class TwoOperandOp(VectorOp):
    """Base of ops with two vector operands and an optional mask."""

    assembly_format = BINARY
    lhs: Value = operand(DATA_VECTOR)
    rhs: Value = operand(DATA_VECTOR)
    mask: Value | None = optional_operand(MASK)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)


class MultiplyOp(TwoOperandOp):
    """Products of lanes, summed into the result lane that ``reduction_map`` names."""

    name = "vectorchain.multiply"
    reduction_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        check_fold(self, self.reduction_map, self.lhs.type, self.rhs.type)
        check_mask(self)


class BinaryOp(TwoOperandOp):
    """``binary_op`` on lanes; with a map other than the identity, folded like ``multiply``."""

    name = "vectorchain.binary"
    binary_op: BinaryOperatorAttr = attr(BinaryOperatorAttr)
    op_specific_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        check_fold(self, self.op_specific_map, self.lhs.type, self.rhs.type)
        check_mask(self)


class ElementWiseCompareOp(TwoOperandOp):
    """Lane-wise comparison."""

    name = "vectorchain.element_wise_compare"
    compare_op: CompareOperatorAttr = attr(CompareOperatorAttr)

    def verify_(self) -> None:
        check_lanes(self, self.lhs.type, self.rhs.type, self.output.type)
        check_mask(self)


class PackOp(TwoOperandOp):
    """Lanes of both operands in a row, picked by ``indices``, ``repetition`` times."""

    name = "vectorchain.pack"
    indices: ArrayAttr = attr(ArrayAttr)
    repetition: IntegerAttr = attr(INDEX_ATTR)
    sign_extend: IntegerAttr = optional_attr(BOOL_ATTR, default=IntegerAttr(0, t.i1))

    def verify_(self) -> None:
        picked, out = len(self.indices) * self.repetition.value, lanes_of(self.output.type)
        if out is not None and picked != out:
            raise self.error(
                f"picks {picked} lanes for the {out} lanes of its result", code="strict"
            )


class MultiplyAndAccumulateOp(VectorOp):
    """``acc`` plus the folded products."""

    name = "vectorchain.multiply_and_accumulate"
    assembly_format = (
        f"$lhs `,` $rhs `,` $acc {OPTIONAL_MASK} attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `,` "
        "type($output)"
    )
    lhs: Value = operand(DATA_VECTOR)
    rhs: Value = operand(DATA_VECTOR)
    acc: Value = operand(DATA_VECTOR)
    mask: Value | None = optional_operand(MASK)
    reduction_map: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_fold(self, self.reduction_map, self.lhs.type, self.rhs.type)
        check_lanes(self, self.acc.type, self.output.type, what="accumulator and result")
        check_mask(self)


class ElementWiseSelectionOp(VectorOp):
    """``condition ? lhs : rhs`` per lane."""

    name = "vectorchain.element_wise_selection"
    assembly_format = (
        f"$condition `?` $lhs `:` $rhs {OPTIONAL_MASK} attr-dict `:` type($condition) `,` type($lhs) `,` "
        "type($rhs) `,` type($output)"
    )
    condition: Value = operand(DATA_VECTOR)
    lhs: Value = operand(DATA_VECTOR)
    rhs: Value = operand(DATA_VECTOR)
    mask: Value | None = optional_operand(MASK)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_lanes(self, *(v.type for v in self.operands), self.output.type)


class SelectOp(VectorOp):
    """Result lane j is input lane ``selection_map(j)``."""

    name = "vectorchain.select"
    assembly_format = "$input attr-dict `:` type($input) `,` type($output)"
    input: Value = operand(DATA_VECTOR)
    selection_map: AffineMapAttr = attr(AffineMapAttr)
    output: OpResult = result(DATA_VECTOR)


class MergeOp(VectorOp):
    """Lanes of two vectors, placed by affine functions over iteration spaces; the rest is 0."""

    name = "vectorchain.merge"
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `,` type($output)"
    lhs: Value = operand(DATA_VECTOR)
    rhs: Value = operand(DATA_VECTOR)
    iteration_space_a: AffineSetAttr = attr(AffineSetAttr, key="iteration_space_CA")
    target_a: AffineMapAttr = attr(AffineMapAttr, key="access_function_CA")
    source_a: AffineMapAttr = attr(AffineMapAttr, key="access_function_A")
    iteration_space_b: AffineSetAttr = attr(AffineSetAttr, key="iteration_space_CB")
    target_b: AffineMapAttr = attr(AffineMapAttr, key="access_function_CB")
    source_b: AffineMapAttr = attr(AffineMapAttr, key="access_function_B")
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)


class CreateAffineMaskOp(VectorOp):
    """A mask whose lane i is set iff i is in ``mask_set``; the operand binds its symbol."""

    name = "vectorchain.create_affine_mask"
    assembly_format = "($bound^)? attr-dict `:` type($output)"
    bound: Value | None = optional_operand(INDEX)
    mask_set: AffineSetAttr = attr(AffineSetAttr)
    output: OpResult = result(MASK)

    def verify_(self) -> None:
        given, points = self.bound is not None, self.mask_set.set
        if points.num_dims != 1 or points.num_symbols != given:
            raise self.error(
                f"requires a set of one dimension and {int(given)} symbols, but got '{points}'",
                code="strict",
            )


class ConstantBitstreamOp(VectorOp):
    """A constant given as the bit patterns of its lanes.

    With the discardable attribute ``is_symbol = true`` the values are symbol numbers instead.
    """

    name = "vectorchain.constant_bitstream"
    value: ArrayAttr = attr(ArrayAttr)
    output: OpResult = result(DATA_VECTOR)

    @property
    def is_symbol(self) -> bool:
        found = self.attributes.get("is_symbol")
        return isinstance(found, IntegerAttr) and bool(found.value)

    def verify_(self) -> None:
        element = t.element_type_of(self.output.type)
        if not isinstance(element, (t.IntegerType, t.FloatType)):
            raise self.error(f"requires integer or floating-point lanes, but got {element}")
        if any(not isinstance(v, IntegerAttr) for v in self.value):
            raise self.error("requires integers as values")
        if len(self.value) != lanes_of(self.output.type):
            raise self.error("result does not match value array")
        width = element.width if isinstance(element, t.IntegerType) else element.bits
        for v in self.value:
            assert isinstance(v, IntegerAttr)
            if not self.is_symbol and not -(1 << width - 1) <= v.value < 1 << width:
                raise self.error(f"value {v.value:#x} doesn't fit the {width} bits of a lane")


class ShuffleOp(VectorOp):
    """Pick lanes by number, ``repetition`` times; negative numbers name variables, then pads."""

    name = "vectorchain.shuffle"
    traits = (Pure(), AttrSizedOperands())
    input: Value = operand(DATA_VECTOR)
    variables: tuple[Value, ...] = variadic_operand(SCALAR)
    pads: tuple[Value, ...] = variadic_operand(SCALAR)
    mask: Value | None = optional_operand(MASK)
    indices: ArrayAttr = attr(ArrayAttr)
    repetition: IntegerAttr = attr(I32_ATTR)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        lanes, out = lanes_of(self.input.type), lanes_of(self.output.type)
        picked = len(self.indices) * self.repetition.value
        if out is not None and picked != out:
            raise self.error(f"picks {picked} lanes for the {out} lanes of its result")
        if t.element_type_of(self.input.type) is not t.element_type_of(self.output.type):
            raise self.error("requires input and result with the same element type")
        least = -len(self.variables) - len(self.pads)
        for index in self.indices:
            if not isinstance(index, IntegerAttr) or (
                lanes is not None and not least <= index.value < lanes
            ):
                raise self.error(
                    f"index {index} must be an integer in [{least}, {(lanes or 0) - 1}]"
                )


class ScanWithGapOp(VectorOp):
    """Running ``reduction_op`` with the lane ``gap`` places before (or behind)."""

    name = "vectorchain.scan_with_gap"
    assembly_format = "$input attr-dict `:` type($input) `,` type($output)"
    input: Value = operand(DATA_VECTOR)
    reduction_op: BinaryOperatorAttr = attr(BinaryOperatorAttr)
    gap: IntegerAttr = attr(INDEX_ATTR)
    eval_order: EvalOrderAttr = attr(EvalOrderAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_lanes(self, self.input.type, self.output.type)
        if self.gap.value < 1:
            raise self.error(
                f"requires a gap of at least 1, but got {self.gap.value}", code="strict"
            )


class RotateOp(VectorOp):
    """Rotate the lanes by ``amount``, to the right unless ``right_shift`` is false."""

    name = "vectorchain.rotate"
    assembly_format = (
        "$input `,` $amount attr-dict `:` type($input) `,` type($amount) `,` type($output)"
    )
    input: Value = operand(DATA_VECTOR)
    amount: Value = operand(INDEX)
    right_shift: IntegerAttr = optional_attr(BOOL_ATTR, default=IntegerAttr(1, t.i1))
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    output: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_lanes(self, self.input.type, self.output.type)
