"""``arith``: integer, float and index arithmetic on scalars, vectors and tensors."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import (
    Attribute,
    DenseElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    UnitAttr,
)
from kt.ir.constraints import (
    ANY_TYPE,
    BOOL_LIKE,
    FLOAT_LIKE,
    SIGNLESS_INTEGER_LIKE,
    AttrConstraint,
    int_enum,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.dialects.arith_casts import (
    BitcastOp as BitcastOp,
)
from kt.ir.dialects.arith_casts import (
    ExtFOp as ExtFOp,
)
from kt.ir.dialects.arith_casts import (
    ExtSIOp as ExtSIOp,
)
from kt.ir.dialects.arith_casts import (
    ExtUIOp as ExtUIOp,
)
from kt.ir.dialects.arith_casts import (
    FPToSIOp as FPToSIOp,
)
from kt.ir.dialects.arith_casts import (
    FPToUIOp as FPToUIOp,
)
from kt.ir.dialects.arith_casts import (
    IndexCastOp as IndexCastOp,
)
from kt.ir.dialects.arith_casts import (
    IndexCastUIOp as IndexCastUIOp,
)
from kt.ir.dialects.arith_casts import (
    ScalingExtFOp as ScalingExtFOp,
)
from kt.ir.dialects.arith_casts import (
    ScalingTruncFOp as ScalingTruncFOp,
)
from kt.ir.dialects.arith_casts import (
    SIToFPOp as SIToFPOp,
)
from kt.ir.dialects.arith_casts import (
    TruncFOp as TruncFOp,
)
from kt.ir.dialects.arith_casts import (
    TruncIOp as TruncIOp,
)
from kt.ir.dialects.arith_casts import (
    UIToFPOp as UIToFPOp,
)
from kt.ir.dialects.arith_types import (
    CMPF_PREDICATES,
    CMPI_PREDICATES,
    ELEMENTWISE_SAME,
    NO_FASTMATH,
    NO_OVERFLOW,
    CompareOp,
    FastMathFlagsAttr,
    FloatBinaryOp,
    FloatUnaryOp,
    IntegerBinaryOp,
    IntegerOverflowFlagsAttr,
)
from kt.ir.opdef import attr, operand, optional_attr, result
from kt.ir.traits import (
    AllTypesMatch,
    Commutative,
    ConstantLike,
    Elementwise,
    Idempotent,
    NoMemoryEffect,
    Pure,
)

TYPED_ATTR = AttrConstraint(
    "TypedAttr instance",
    lambda a: isinstance(a, (IntegerAttr, FloatAttr, DenseElementsAttr, DenseResourceAttr)),
)


class ConstantOp(Operation):
    """A constant: an integer, a float, or ``dense<…>`` elements."""

    name = "arith.constant"
    traits = (ConstantLike(), Pure())
    value: Any = attr(TYPED_ATTR)
    result: OpResult = result(ANY_TYPE)

    @staticmethod
    def infer_types(properties: dict[str, Any]) -> list[t.Type]:
        return [properties["value"].type]

    @classmethod
    def of(cls, value: Any, type: t.Type, location: Location = UNKNOWN) -> ConstantOp:
        """The constant of a number (or, for a shaped type, of anything NumPy understands)."""
        return cls.build(value=number_attr(value, type), location=location)

    def result_name_hint(self) -> str:
        held = self.value
        if not isinstance(held, IntegerAttr):
            return "cst"
        if held.type is t.i1:
            return "true" if held.value else "false"
        if isinstance(held.type, t.IndexType):
            return f"c{held.value}"
        return f"c{held.value}_{held.type}"

    def verify_(self) -> None:
        if self.value.type is not self.result.type:
            raise self.error("failed to verify that all of {value, result} have same type")
        element = t.element_type_of(self.result.type)
        if isinstance(element, t.IntegerType) and element.signedness:
            raise self.error("integer return type must be signless")


def number_attr(value: Any, type: t.Type) -> Attribute:
    """The typed attribute of a number. A float must already be representable in ``type``."""
    if isinstance(type, t.ShapedType):
        return DenseElementsAttr.of(value, type)
    if isinstance(type, t.FloatType):
        return FloatAttr.of(float(value), type)
    return IntegerAttr(int(value), type)


def constant_value(value: Value) -> int | float | None:
    """The number behind a value that is a scalar constant or a splat, else None."""
    op = value.defining_op
    if not isinstance(op, ConstantOp):
        return None
    held = op.value
    if isinstance(held, (IntegerAttr, FloatAttr)):
        return held.value
    if isinstance(held, DenseElementsAttr) and held.is_splat:
        element = held.to_numpy().reshape(-1)[0]
        is_plain = element.dtype.kind == "f" or isinstance(
            held.type.element_type, (t.IntegerType, t.IndexType)
        )
        return element.item() if is_plain else None
    return None


class OverflowBinaryOp(IntegerBinaryOp):
    """Base: integer ops with ``overflow<nsw, nuw>`` flags."""

    assembly_format = "$lhs `,` $rhs (`overflow` `` $overflow_flags^)? attr-dict `:` type($result)"
    overflow_flags: IntegerOverflowFlagsAttr = optional_attr(
        IntegerOverflowFlagsAttr, default=NO_OVERFLOW, key="overflowFlags"
    )


class ExactBinaryOp(IntegerBinaryOp):
    """Base: integer ops that may promise an ``exact`` result (no remainder, no bits shifted out)."""

    assembly_format = "$lhs `,` $rhs (`exact` $is_exact^)? attr-dict `:` type($result)"
    is_exact: UnitAttr | None = optional_attr(UnitAttr, key="isExact")


_COMMUTES = (Pure(), Commutative(), *ELEMENTWISE_SAME)
_DIVIDES = (NoMemoryEffect(), *ELEMENTWISE_SAME)
_LATTICE = (Pure(), Commutative(), Idempotent(), *ELEMENTWISE_SAME)


class AddIOp(OverflowBinaryOp):
    """Integer addition, modulo 2^width."""

    name = "arith.addi"
    traits = _COMMUTES


class SubIOp(OverflowBinaryOp):
    """Integer subtraction, modulo 2^width."""

    name = "arith.subi"


class MulIOp(OverflowBinaryOp):
    """Integer multiplication, modulo 2^width."""

    name = "arith.muli"
    traits = _COMMUTES


class ShLIOp(OverflowBinaryOp):
    """Shift left; undefined for shifts of the width or more."""

    name = "arith.shli"


class AddUIExtendedOp(Operation):
    """Unsigned addition with the carry as a second result."""

    name = "arith.addui_extended"
    traits = (Pure(), Commutative(), Elementwise(), AllTypesMatch(("lhs", "rhs", "sum")))
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)"
    lhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    rhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    sum: OpResult = result(SIGNLESS_INTEGER_LIKE)
    overflow: OpResult = result(BOOL_LIKE)

    def result_name_hint(self) -> list[str]:
        return ["sum", "overflow"]


class _WideMultiplication(Operation):
    traits = (Pure(), Commutative(), Elementwise(), AllTypesMatch(("lhs", "rhs", "low", "high")))
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs)"
    lhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    rhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    low: OpResult = result(SIGNLESS_INTEGER_LIKE)
    high: OpResult = result(SIGNLESS_INTEGER_LIKE)

    def result_name_hint(self) -> list[str]:
        return ["low", "high"]


class MulSIExtendedOp(_WideMultiplication):
    """Signed multiplication to twice the width: low and high half."""

    name = "arith.mulsi_extended"


class MulUIExtendedOp(_WideMultiplication):
    """Unsigned multiplication to twice the width: low and high half."""

    name = "arith.mului_extended"


class DivUIOp(ExactBinaryOp):
    """Unsigned division, rounded toward zero; undefined for a zero divisor."""

    name = "arith.divui"
    traits = _DIVIDES


class DivSIOp(ExactBinaryOp):
    """Signed division, rounded toward zero; undefined for a zero divisor and on overflow."""

    name = "arith.divsi"
    traits = _DIVIDES


class CeilDivUIOp(IntegerBinaryOp):
    """Unsigned division, rounded up."""

    name = "arith.ceildivui"
    traits = _DIVIDES


class CeilDivSIOp(IntegerBinaryOp):
    """Signed division, rounded toward plus infinity."""

    name = "arith.ceildivsi"
    traits = _DIVIDES


class FloorDivSIOp(IntegerBinaryOp):
    """Signed division, rounded toward minus infinity."""

    name = "arith.floordivsi"
    traits = _DIVIDES


class RemUIOp(IntegerBinaryOp):
    """Remainder of unsigned division."""

    name = "arith.remui"
    traits = _DIVIDES


class RemSIOp(IntegerBinaryOp):
    """Remainder of signed division; it has the sign of the dividend."""

    name = "arith.remsi"
    traits = _DIVIDES


class AndIOp(IntegerBinaryOp):
    """Bitwise and."""

    name = "arith.andi"
    traits = _LATTICE


class OrIOp(IntegerBinaryOp):
    """Bitwise or."""

    name = "arith.ori"
    traits = _LATTICE


class XOrIOp(IntegerBinaryOp):
    """Bitwise exclusive or."""

    name = "arith.xori"
    traits = _COMMUTES


class ShRUIOp(ExactBinaryOp):
    """Shift right, zeros from the left."""

    name = "arith.shrui"


class ShRSIOp(ExactBinaryOp):
    """Shift right, copies of the sign bit from the left."""

    name = "arith.shrsi"


class MaxSIOp(IntegerBinaryOp):
    """The greater of two signed integers."""

    name = "arith.maxsi"
    traits = _LATTICE


class MaxUIOp(IntegerBinaryOp):
    """The greater of two unsigned integers."""

    name = "arith.maxui"
    traits = _LATTICE


class MinSIOp(IntegerBinaryOp):
    """The lesser of two signed integers."""

    name = "arith.minsi"
    traits = _LATTICE


class MinUIOp(IntegerBinaryOp):
    """The lesser of two unsigned integers."""

    name = "arith.minui"
    traits = _LATTICE


class NegFOp(FloatUnaryOp):
    """The negated float."""

    name = "arith.negf"


class AddFOp(FloatBinaryOp):
    """Float addition."""

    name = "arith.addf"
    traits = _COMMUTES


class SubFOp(FloatBinaryOp):
    """Float subtraction."""

    name = "arith.subf"


class MulFOp(FloatBinaryOp):
    """Float multiplication."""

    name = "arith.mulf"
    traits = _COMMUTES


class DivFOp(FloatBinaryOp):
    """Float division."""

    name = "arith.divf"


class RemFOp(FloatBinaryOp):
    """Remainder of float division, with the sign of the dividend (C's ``fmod``)."""

    name = "arith.remf"


class MaximumFOp(FloatBinaryOp):
    """The greater of two floats; NaN if either is NaN; -0 is less than +0."""

    name = "arith.maximumf"
    traits = _COMMUTES


class MaxNumFOp(FloatBinaryOp):
    """The greater of two floats; a NaN counts as missing."""

    name = "arith.maxnumf"
    traits = _COMMUTES


class MinimumFOp(FloatBinaryOp):
    """The lesser of two floats; NaN if either is NaN; -0 is less than +0."""

    name = "arith.minimumf"
    traits = _COMMUTES


class MinNumFOp(FloatBinaryOp):
    """The lesser of two floats; a NaN counts as missing."""

    name = "arith.minnumf"
    traits = _COMMUTES


class CmpIOp(CompareOp):
    """Compare integers: ``eq ne slt sle sgt sge ult ule ugt uge``."""

    name = "arith.cmpi"
    assembly_format = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)"
    predicate: IntegerAttr = attr(
        int_enum(
            CMPI_PREDICATES, "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
        )
    )
    lhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    rhs: Value = operand(SIGNLESS_INTEGER_LIKE)

    @property
    def predicate_name(self) -> str:
        """The predicate as its keyword (``slt``)."""
        return CMPI_PREDICATES[self.predicate.value]


class CmpFOp(CompareOp):
    """Compare floats: ordered (``oeq ogt …``, false with NaN) or unordered (``ueq …``, true)."""

    name = "arith.cmpf"
    assembly_format = (
        "$predicate `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)"
    )
    predicate: IntegerAttr = attr(
        int_enum(
            CMPF_PREDICATES,
            "allowed 64-bit signless integer cases: "
            "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        )
    )
    lhs: Value = operand(FLOAT_LIKE)
    rhs: Value = operand(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)

    @property
    def predicate_name(self) -> str:
        """The predicate as its keyword (``olt``)."""
        return CMPF_PREDICATES[self.predicate.value]


class SelectOp(Operation):
    """One of two values, by an i1 or, element by element, by a shape of i1."""

    name = "arith.select"
    traits = (Pure(), Elementwise(), AllTypesMatch(("true_value", "false_value", "result")))
    condition: Value = operand(BOOL_LIKE)
    true_value: Value = operand(ANY_TYPE)
    false_value: Value = operand(ANY_TYPE)
    result: OpResult = result(ANY_TYPE)

    def verify_(self) -> None:
        condition, kept = self.condition.type, self.result.type
        if condition is t.i1:
            return
        shapes = [getattr(type, "shape", None) for type in (condition, kept)]
        if shapes[0] != shapes[1]:
            raise self.error("failed to verify that condition is signless i1 or has matching shape")
        shaped = t.with_element_type(kept, t.i1)
        if condition is not shaped:
            raise self.error(
                "expected condition type to have the same shape as the result type, "
                f"expected '{shaped}', but got '{condition}'"
            )
