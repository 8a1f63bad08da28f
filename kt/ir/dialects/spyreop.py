"""The `spyreop` dialect: scalar intrinsics of the engines, and the df16 number format.

All ops are pure. They are written on scalars (in bodies of `linalg.generic`); below KTIR the same
ops stand on vectors, element by element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from kt.ir import numbers, registry
from kt.ir import types as t
from kt.ir.attributes import Attribute, EnumAttr, FloatAttr, IntegerAttr, attribute
from kt.ir.constraints import RANKED_TENSOR, TypeConstraint, float_attr, integer_attr
from kt.ir.core import Operation, OpResult, Value
from kt.ir.lazy import np
from kt.ir.opdef import attr, operand, optional_attr, optional_operand, result, variadic_operand
from kt.ir.traits import AllTypesMatch, Elementwise, Pure, SameOperandsAndResultType


@attribute
class DF16Type(t.FloatType):
    """``!spyreop.df16``: 1 sign, 6 exponent, 9 fraction bits; a float type like any other."""

    name = "spyreop.df16"
    bits: ClassVar[int] = 16
    dtype_name: ClassVar[str] = "df16"


@attribute
class FusedType(t.Type):
    """Base of the pair types: a mean and a mean of squares packed in one value."""

    dtype_name: ClassVar[str] = ""
    part: ClassVar[t.Type]

    @property
    def itemsize(self) -> int:
        return self.numpy_dtype().itemsize

    def numpy_dtype(self) -> np.dtype[Any]:
        """Storage: a record of the fields ``mean`` and ``square``."""
        return numbers.dtype(self.dtype_name).storage


@attribute
class DF16FusedType(FusedType):
    """``!spyreop.df16_fused``: two df16."""

    name = "spyreop.df16_fused"
    dtype_name: ClassVar[str] = "df16_fused"


@attribute
class FP16FusedType(FusedType):
    """``!spyreop.fp16_fused``: two f16."""

    name = "spyreop.fp16_fused"
    dtype_name: ClassVar[str] = "fp16_fused"


@attribute
class FP32FusedType(FusedType):
    """``!spyreop.fp32_fused``: two f32."""

    name = "spyreop.fp32_fused"
    dtype_name: ClassVar[str] = "fp32_fused"


df16 = DF16Type()
FUSED: dict[t.Type, FusedType] = {
    t.f16: FP16FusedType(),
    df16: DF16FusedType(),
    t.f32: FP32FusedType(),
}
"""Element type → type of its packed statistics."""
for _part, _pair in FUSED.items():
    type(_pair).part = _part


@attribute
class ReductionKindAttr(EnumAttr):
    """``#spyreop.reduction_kind<add>``: what combines the lanes."""

    name = "spyreop.reduction_kind"
    cases = ("add", "sub", "max", "min", "mul", "abs_max")


@attribute
class ReductionScopeAttr(EnumAttr):
    """``#spyreop.reduction_scope<in_slice>``: lanes within each slice, or slices lane by lane.

    The longer names are hardware steps without a public meaning.
    """

    name = "spyreop.reduction_scope"
    cases = (
        "in_slice",
        "across_slice",
        "in_slice_fma_src0_shuf",
        "in_slice_fma_src2_shuf",
        "in_slice_fma_both_shuf",
        "across_slice_splat",
        "across_slice_scan_gap",
        "across_slice_fma16",
    )


PUBLIC_SCOPES = ("in_slice", "across_slice")
"""The scopes whose meaning is known."""

for _kind in (
    DF16Type,
    DF16FusedType,
    FP16FusedType,
    FP32FusedType,
    ReductionKindAttr,
    ReductionScopeAttr,
):
    registry.ATTRIBUTES[_kind.name] = _kind


def _lanes(allowed: Sequence[t.Type], description: str) -> TypeConstraint:
    """One of these scalars, or a vector of one."""

    def holds(type: t.Type) -> bool:
        scalar = type.element_type if isinstance(type, t.VectorType) else type
        return scalar in allowed

    return TypeConstraint(description, holds)


FLOAT = _lanes((t.f16, df16, t.f32), "16-bit float or IBM df16 float or 32-bit float")
HALF = _lanes((t.f16, df16), "16-bit float or IBM df16 float")
FUSED_PAIR = _lanes(tuple(FUSED.values()), "IBM fused df16, fp16 or fp32 pair")
PLAIN_FLOAT = _lanes((t.f16, t.f32), "16-bit float or 32-bit float")


def _exact_lanes(type: t.Type, description: str) -> TypeConstraint:
    return TypeConstraint(description, _lanes((type,), "").holds, type)


INT32 = _exact_lanes(t.i32, "32-bit signless integer")
INT64 = _exact_lanes(t.i64, "64-bit signless integer")


class UnaryOp(Operation):
    """Base of the intrinsics of one value."""

    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = "$input attr-dict `:` type($result)"
    input: Value = operand(FLOAT)
    result: OpResult = result(FLOAT)


class ExpOp(UnaryOp):
    """e^x."""

    name = "spyreop.exp"


class ReciprocalOp(UnaryOp):
    """1/x."""

    name = "spyreop.reciprocal"


class RsqrtOp(UnaryOp):
    """1/√x."""

    name = "spyreop.rsqrt"


class SigmoidOp(UnaryOp):
    """1/(1 + e^-x)."""

    name = "spyreop.sigmoid"


class SiluOp(UnaryOp):
    """x·sigmoid(x)."""

    name = "spyreop.silu"


class SqrtOp(UnaryOp):
    """√x."""

    name = "spyreop.sqrt"


class GeluOp(UnaryOp):
    """x·Φ(x), Φ the distribution function of the normal distribution."""

    name = "spyreop.gelu"
    input: Value = operand(HALF)
    result: OpResult = result(HALF)


class SoftplusOp(UnaryOp):
    """log(1 + e^(beta·x))/beta, and x where beta·x exceeds the threshold."""

    name = "spyreop.softplus"
    assembly_format = None
    input: Value = operand(HALF)
    beta: FloatAttr = attr(
        float_attr(t.f32, "32-bit float attribute which is non-zero", lambda value: value != 0)
    )
    threshold: FloatAttr = attr(float_attr(t.f32, "32-bit float attribute"))
    result: OpResult = result(HALF)


class RealdivOp(Operation):
    """lhs/rhs."""

    name = "spyreop.realdiv"
    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"
    lhs: Value = operand(FLOAT)
    rhs: Value = operand(FLOAT)
    result: OpResult = result(FLOAT)


class IntegerBinaryOp(Operation):
    """Base of the wrap-around integer intrinsics; the type is written only on vectors."""

    traits = (Pure(), Elementwise(), SameOperandsAndResultType())


class AddI32ToI32Op(IntegerBinaryOp):
    """i32 addition, wraps around."""

    name = "spyreop.addi32toi32"
    lhs: Value = operand(INT32)
    rhs: Value = operand(INT32)
    result: OpResult = result(INT32)


class MulI32ToI32Op(IntegerBinaryOp):
    """Low 32 bits of an i32 product."""

    name = "spyreop.muli32toi32"
    lhs: Value = operand(INT32)
    rhs: Value = operand(INT32)
    result: OpResult = result(INT32)


class AddI64ToI64Op(IntegerBinaryOp):
    """i64 addition, wraps around."""

    name = "spyreop.addi64toi64"
    lhs: Value = operand(INT64)
    rhs: Value = operand(INT64)
    result: OpResult = result(INT64)


class Idx32ToAddrOp(Operation):
    """``base + stride * index`` in i32.

    Base and stride are operands, or (old form) the attributes ``base_address`` and ``stride``.
    """

    name = "spyreop.idx32toaddr"
    traits = (Pure(), Elementwise())
    index: Value = operand(INT32)
    parameters: tuple[Value, ...] = variadic_operand(INT32)
    base_address: IntegerAttr | None = optional_attr(
        integer_attr(t.i32, "32-bit signless integer attribute")
    )
    stride: IntegerAttr | None = optional_attr(
        integer_attr(t.i32, "32-bit signless integer attribute")
    )
    result: OpResult = result(INT32)

    @staticmethod
    def infer_types(
        index: Sequence[Value], *rest: Any, properties: dict[str, Attribute]
    ) -> Iterable[t.Type]:
        return (index[0].type,)

    def verify_(self) -> None:
        given = (self.base_address is not None) + (self.stride is not None)
        if (len(self.parameters), given) not in ((2, 0), (0, 2)):
            raise self.error("takes base and stride, either as operands or as attributes")


class LayerNormScaleOp(Operation):
    """1/√(mean of squares - mean²), assumed meaning; no epsilon, so add it beforehand.

    The old form has only one operand.
    """

    name = "spyreop.layernormscale"
    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = "$input (`squares` $squares^)? attr-dict `:` type($result)"
    input: Value = operand(FLOAT)
    squares: Value | None = optional_operand(FLOAT)
    result: OpResult = result(FLOAT)


class LayerNormNormOp(Operation):
    """(x - mean)·scale·weight + bias, assumed meaning; ``squares`` carries the statistics."""

    name = "spyreop.layernormnorm"
    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = (
        "$input `squares` $squares `scale` $scale `weight` $weight `bias` $bias "
        "attr-dict `:` type($result)"
    )
    input: Value = operand(FLOAT)
    squares: Value = operand(FLOAT)
    scale: Value = operand(FLOAT)
    weight: Value = operand(FLOAT)
    bias: Value = operand(FLOAT)
    result: OpResult = result(FLOAT)


class Exx2Op(Operation):
    """Mean and mean of squares."""

    name = "spyreop.exx2"
    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = "$input attr-dict `:` type($mean)"
    input: Value = operand(FLOAT)
    mean: OpResult = result(FLOAT)
    squares: OpResult = result(FLOAT)


def fused_type(type: t.Type) -> t.Type | None:
    """The packed statistics of a float type, lane by lane for a vector; None if there are none."""
    pair = FUSED.get(t.element_type_of(type))
    return None if pair is None else t.with_element_type(type, pair)


class FusedStatisticsOp(Operation):
    """Base of the ops that give packed statistics."""

    traits = (Pure(), Elementwise())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"
    input: Value = operand(FLOAT)
    result: OpResult = result(FUSED_PAIR)

    @staticmethod
    def infer_types(input: Sequence[Value], properties: dict[str, Attribute]) -> Iterable[t.Type]:
        found = fused_type(input[0].type)
        return () if found is None else (found,)

    def verify_(self) -> None:
        expected = fused_type(self.input.type)
        if self.result.type is not expected:
            raise self.error(
                f"result of '{self.input.type}' must be '{expected}', but got '{self.result.type}'"
            )


class Exx2FusedOp(FusedStatisticsOp):
    """Mean and mean of squares, packed."""

    name = "spyreop.exx2_fused"


class Exx2ZeroMeanFusedOp(FusedStatisticsOp):
    """Zero and mean of squares, packed."""

    name = "spyreop.exx2_zeromean_fused"


class LayerNormScaleFusedOp(Operation):
    """Scale factor from packed statistics."""

    name = "spyreop.layernormscale_fused"
    traits = (Pure(), Elementwise())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"
    input: Value = operand(FUSED_PAIR)
    result: OpResult = result(FLOAT)

    @staticmethod
    def infer_types(input: Sequence[Value], properties: dict[str, Attribute]) -> Iterable[t.Type]:
        type = input[0].type
        return (t.with_element_type(type, t.element_type_of(type).part),)  # type: ignore[attr-defined]

    def verify_(self) -> None:
        expected = fused_type(self.result.type)
        if self.input.type is not expected:
            raise self.error(
                f"operand of '{self.result.type}' must be '{expected}', but got '{self.input.type}'"
            )


class ConstantOp(Operation):
    """A float literal."""

    name = "spyreop.constant"
    traits = (Pure(), AllTypesMatch(("value", "result")))
    assembly_format = "$value attr-dict"
    value: FloatAttr = attr(FloatAttr)
    result: OpResult = result(PLAIN_FLOAT)

    @staticmethod
    def infer_types(*groups: Any, properties: dict[str, Any]) -> Iterable[t.Type]:
        return (properties["value"].type,)


class SliceReductionOp(Operation):
    """Reduce the lanes of each slice into its first lane, or all slices into the first slice.

    The width of a slice is a fact of the device. Other lanes are unspecified.
    """

    name = "spyreop.slice_reduction"
    traits = (Pure(),)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"
    input: Value = operand(RANKED_TENSOR)
    reduction_kind: ReductionKindAttr = attr(ReductionKindAttr)
    reduction_scope: ReductionScopeAttr = attr(ReductionScopeAttr)
    result: OpResult = result(RANKED_TENSOR)
