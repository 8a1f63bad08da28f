"""Attributes, constraints and base classes shared by ``arith`` and ``math``."""

from __future__ import annotations

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import BitEnumAttr, attribute
from kt.ir.constraints import (
    ANY_FLOAT,
    BOOL_LIKE,
    FLOAT_LIKE,
    SIGNLESS_FIXED_INTEGER_LIKE,
    SIGNLESS_INTEGER,
    SIGNLESS_INTEGER_LIKE,
    SIGNLESS_INTEGER_OR_INDEX,
    TypeConstraint,
    like,
    shaped_of,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.opdef import operand, optional_attr, result
from kt.ir.traits import (
    Elementwise,
    Pure,
    SameOperandsAndResultShape,
    SameOperandsAndResultType,
    SameTypeOperands,
    Trait,
    TypesMatchWith,
)


@attribute
class FastMathFlagsAttr(BitEnumAttr):
    """``#arith.fastmath<nnan,ninf>``: what a float op may assume; ``fast`` is all of it."""

    name = "arith.fastmath"
    cases = ("none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast")
    everything = "fast"
    bracketed = True


@attribute
class IntegerOverflowFlagsAttr(BitEnumAttr):
    """``#arith.overflow<nsw, nuw>``: which overflows can't happen."""

    name = "arith.overflow"
    cases = ("none", "nsw", "nuw")
    separator = ", "
    bracketed = True


for _kind in (FastMathFlagsAttr, IntegerOverflowFlagsAttr):
    registry.ATTRIBUTES[_kind.name] = _kind

NO_FASTMATH = FastMathFlagsAttr("none")
NO_OVERFLOW = IntegerOverflowFlagsAttr("none")

CMPI_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
CMPF_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip
ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
ATOMIC_RMW_KINDS = (
    "addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu",
    "minimumf", "minnumf", "mins", "minu", "mulf", "muli", "ori", "xori",
)  # fmt: skip

_INTEGER_OR_FLOAT = TypeConstraint(
    "signless integer or floating-point",
    lambda type: SIGNLESS_INTEGER.holds(type) or ANY_FLOAT.holds(type),
)
_MEMREF = t.MemRefType
INDEX_CASTABLE = TypeConstraint(
    "signless-integer-like or memref of signless-integer",
    lambda type: (
        SIGNLESS_INTEGER_LIKE.holds(type)
        or shaped_of(_MEMREF, SIGNLESS_INTEGER_OR_INDEX, "").holds(type)
    ),
)
BITCASTABLE = TypeConstraint(
    "signless-integer-or-float-like or memref of signless-integer or float",
    lambda type: (
        like(_INTEGER_OR_FLOAT, "").holds(type)
        or shaped_of(_MEMREF, _INTEGER_OR_FLOAT, "").holds(type)
    ),
)


def i1_same_shape(type: t.Type) -> t.Type:
    """i1 in the shape of ``type``."""
    return t.with_element_type(type, t.i1)


RESULT_IS_I1 = "result type has i1 element type and same shape as operands"


class SameTensorDims(Trait):
    """Input and result of a cast agree in their tensor extents, dynamic ones included."""

    def verify(self, op: Operation) -> None:
        shapes = {
            v.type.shape for v in (*op.operands, *op.results) if isinstance(v.type, t.TensorType)
        }
        if len(shapes) > 1:
            raise op.error("failed to verify that input and output have the same tensor dimensions")


_BINARY = "$lhs `,` $rhs attr-dict `:` type($result)"
ELEMENTWISE_SAME = (Elementwise(), SameOperandsAndResultType())
"""Traits of all elementwise ops whose operands and result have one type."""


class IntegerUnaryOp(Operation):
    """Base: one integer (scalar, vector or tensor of it) to another of the same type."""

    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = "$operand attr-dict `:` type($result)"
    operand: Value = operand(SIGNLESS_INTEGER_LIKE)
    result: OpResult = result(SIGNLESS_INTEGER_LIKE)


class IntegerBinaryOp(Operation):
    """Base: two integers of one type to an integer of that type."""

    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = _BINARY
    lhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    rhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    result: OpResult = result(SIGNLESS_INTEGER_LIKE)


class FloatUnaryOp(Operation):
    """Base: one float to another of the same type, with fast-math flags."""

    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    operand: Value = operand(FLOAT_LIKE)
    result: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class FloatBinaryOp(Operation):
    """Base: two floats of one type to a float of that type, with fast-math flags."""

    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    lhs: Value = operand(FLOAT_LIKE)
    rhs: Value = operand(FLOAT_LIKE)
    result: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class CompareOp(Operation):
    """Base: two values of one type to i1 of the same shape."""

    traits = (
        Pure(),
        Elementwise(),
        SameTypeOperands(),
        TypesMatchWith("result", "lhs", i1_same_shape, RESULT_IS_I1),
    )
    result: OpResult = result(BOOL_LIKE)


class CastOp(Operation):
    """Base of casts: ``in`` to ``out`` of the same shape. A subclass declares ``in`` and ``out``."""

    traits = (Pure(), Elementwise(), SameOperandsAndResultShape(), SameTensorDims())
    assembly_format = "$source attr-dict `:` type($source) `to` type($out)"

    def incompatible(self) -> Exception:
        """The error of a cast between types that it can't convert."""
        source, target = self.operands[0].type, self.result.type
        return self.error(
            f"operand type '{source}' and result type '{target}' are cast incompatible"
        )

    def width_change(self) -> int:
        """Bits of the result's elements less those of the operand's."""
        return bit_width(self.result.type) - bit_width(self.operands[0].type)


class IntegerToIntegerOp(CastOp):
    """Base of casts between integer widths."""

    source: Value = operand(SIGNLESS_FIXED_INTEGER_LIKE)
    out: OpResult = result(SIGNLESS_FIXED_INTEGER_LIKE)


class IntegerToFloatOp(CastOp):
    """Base of casts from an integer to a float."""

    source: Value = operand(SIGNLESS_FIXED_INTEGER_LIKE)
    out: OpResult = result(FLOAT_LIKE)


class FloatToIntegerOp(CastOp):
    """Base of casts from a float to an integer."""

    source: Value = operand(FLOAT_LIKE)
    out: OpResult = result(SIGNLESS_FIXED_INTEGER_LIKE)


class FloatToFloatOp(CastOp):
    """Base of casts between float types."""

    source: Value = operand(FLOAT_LIKE)
    out: OpResult = result(FLOAT_LIKE)


def bit_width(type: t.Type) -> int:
    """Bits of the element type; 64 for index."""
    element = t.element_type_of(type)
    if isinstance(element, t.IntegerType):
        return element.width
    return element.bits if isinstance(element, t.FloatType) else 64
