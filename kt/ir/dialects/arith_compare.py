"""Comparisons and selection of ``arith``; import them from :mod:`kt.ir.dialects.arith`."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.constraints import (
    ANY_TYPE,
    BOOL_LIKE,
    FLOAT_LIKE,
    SIGNLESS_INTEGER_LIKE,
    int_enum,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.arith_types import (
    CMPF_PREDICATES,
    CMPI_PREDICATES,
    NO_FASTMATH,
    CompareOp,
    FastMathFlagsAttr,
)
from kt.ir.opdef import attr, operand, optional_attr, result
from kt.ir.traits import AllTypesMatch, Elementwise, Pure


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
