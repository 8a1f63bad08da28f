"""Casts of the ``arith`` dialect; import them from :mod:`kt.ir.dialects.arith`."""

from __future__ import annotations

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.constraints import FLOAT_LIKE, int_enum
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.arith_types import (
    BITCASTABLE,
    INDEX_CASTABLE,
    NO_OVERFLOW,
    ROUNDING_MODES,
    CastOp,
    FastMathFlagsAttr,
    FloatToFloatOp,
    FloatToIntegerOp,
    IntegerOverflowFlagsAttr,
    IntegerToFloatOp,
    IntegerToIntegerOp,
)
from kt.ir.opdef import operand, optional_attr, result
from kt.ir.traits import Elementwise, Pure

ROUNDING_MODE = int_enum(
    ROUNDING_MODES, "allowed 32-bit signless integer cases: 0, 1, 2, 3, 4", t.i32
)


def _check_wider(op: CastOp) -> None:
    if op.width_change() <= 0:
        raise op.incompatible()


def _check_narrower(op: CastOp) -> None:
    if op.width_change() >= 0:
        raise op.incompatible()


class ExtUIOp(IntegerToIntegerOp):
    """Widen an integer with zeros."""

    name = "arith.extui"

    def verify_(self) -> None:
        _check_wider(self)


class ExtSIOp(IntegerToIntegerOp):
    """Widen an integer with copies of its sign bit."""

    name = "arith.extsi"

    def verify_(self) -> None:
        _check_wider(self)


class TruncIOp(IntegerToIntegerOp):
    """Keep the low bits of an integer."""

    name = "arith.trunci"
    assembly_format = (
        "$source (`overflow` `` $overflow_flags^)? attr-dict `:` type($source) `to` type($out)"
    )
    overflow_flags: IntegerOverflowFlagsAttr = optional_attr(
        IntegerOverflowFlagsAttr, default=NO_OVERFLOW, key="overflowFlags"
    )

    def verify_(self) -> None:
        _check_narrower(self)


class ExtFOp(FloatToFloatOp):
    """Convert a float to a wider type; exact."""

    name = "arith.extf"
    assembly_format = (
        "$source (`fastmath` `` $fastmath^)? attr-dict `:` type($source) `to` type($out)"
    )
    fastmath: FastMathFlagsAttr | None = optional_attr(FastMathFlagsAttr)

    def verify_(self) -> None:
        _check_wider(self)


def _rounding_mode_name(op: Operation) -> str | None:
    mode = op.attr("roundingmode")
    return None if mode is None else ROUNDING_MODES[mode.value]


class TruncFOp(FloatToFloatOp):
    """Convert a float to a narrower type, rounded to nearest even unless a mode is given."""

    name = "arith.truncf"
    assembly_format = (
        "$source ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($source) `to` type($out)"
    )
    roundingmode: IntegerAttr | None = optional_attr(ROUNDING_MODE)
    fastmath: FastMathFlagsAttr | None = optional_attr(FastMathFlagsAttr)

    @property
    def rounding_mode_name(self) -> str | None:
        """The rounding mode as its keyword, if one is given."""
        return _rounding_mode_name(self)

    def verify_(self) -> None:
        _check_narrower(self)


class _ScalingCast(Operation):
    traits = (Pure(), Elementwise())
    source: Value = operand(FLOAT_LIKE)
    scale: Value = operand(FLOAT_LIKE)
    out: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr | None = optional_attr(FastMathFlagsAttr)

    def verify_(self) -> None:
        shapes = {v.type.shape for v in (self.source, self.out) if isinstance(v.type, t.ShapedType)}
        if len(shapes) > 1:
            raise self.error(
                "failed to verify that input and output have the same tensor dimensions"
            )


class ScalingExtFOp(_ScalingCast):
    """Widen floats and multiply them by scales (OCP microscaling)."""

    name = "arith.scaling_extf"
    assembly_format = (
        "$source `,` $scale (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($source) `,` type($scale) `to` type($out)"
    )


class ScalingTruncFOp(_ScalingCast):
    """Divide floats by scales and narrow them (OCP microscaling)."""

    name = "arith.scaling_truncf"
    assembly_format = (
        "$source `,` $scale ($roundingmode^)? (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($source) `,` type($scale) `to` type($out)"
    )
    roundingmode: IntegerAttr | None = optional_attr(ROUNDING_MODE)

    @property
    def rounding_mode_name(self) -> str | None:
        """The rounding mode as its keyword, if one is given."""
        return _rounding_mode_name(self)


class UIToFPOp(IntegerToFloatOp):
    """Convert an unsigned integer to a float, rounded to nearest even."""

    name = "arith.uitofp"


class SIToFPOp(IntegerToFloatOp):
    """Convert a signed integer to a float, rounded to nearest even."""

    name = "arith.sitofp"


class FPToUIOp(FloatToIntegerOp):
    """Convert a float to an unsigned integer, rounded toward zero."""

    name = "arith.fptoui"


class FPToSIOp(FloatToIntegerOp):
    """Convert a float to a signed integer, rounded toward zero."""

    name = "arith.fptosi"


class _IndexCast(CastOp):
    source: Value = operand(INDEX_CASTABLE)
    out: OpResult = result(INDEX_CASTABLE)

    def verify_(self) -> None:
        kinds = [
            isinstance(t.element_type_of(v.type), t.IndexType) for v in (self.source, self.out)
        ]
        if kinds[0] == kinds[1]:
            raise self.incompatible()


class IndexCastOp(_IndexCast):
    """Convert between index and an integer type; widening keeps the sign."""

    name = "arith.index_cast"


class IndexCastUIOp(_IndexCast):
    """Convert between index and an integer type; widening fills with zeros."""

    name = "arith.index_castui"


class BitcastOp(CastOp):
    """The same bits as a value of another type of equal width."""

    name = "arith.bitcast"
    source: Value = operand(BITCASTABLE)
    out: OpResult = result(BITCASTABLE)

    def verify_(self) -> None:
        if self.width_change():
            raise self.incompatible()
