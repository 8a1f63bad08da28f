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
    OtherElementsAttr,
    UnitAttr,
)
from kt.ir.constraints import (
    ANY_TYPE,
    BOOL_LIKE,
    SIGNLESS_INTEGER_LIKE,
    AttrConstraint,
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
from kt.ir.dialects.arith_compare import CmpFOp as CmpFOp
from kt.ir.dialects.arith_compare import CmpIOp as CmpIOp
from kt.ir.dialects.arith_compare import SelectOp as SelectOp
from kt.ir.dialects.arith_types import (
    ELEMENTWISE_SAME,
    NO_OVERFLOW,
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
    lambda a: isinstance(a, (IntegerAttr, FloatAttr, DenseElementsAttr, DenseResourceAttr, OtherElementsAttr)),
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
