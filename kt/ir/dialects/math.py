"""``math``: elementary functions on scalars, vectors and tensors."""

from __future__ import annotations

from kt.ir.constraints import BOOL_LIKE, FLOAT_LIKE, SIGNLESS_INTEGER_LIKE
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.arith_types import (
    ELEMENTWISE_SAME,
    NO_FASTMATH,
    RESULT_IS_I1,
    FastMathFlagsAttr,
    FloatBinaryOp,
    FloatUnaryOp,
    IntegerBinaryOp,
    IntegerUnaryOp,
    i1_same_shape,
)
from kt.ir.opdef import operand, optional_attr, result
from kt.ir.traits import (
    AllTypesMatch,
    Elementwise,
    Pure,
    SameOperandsAndResultShape,
    TypesMatchWith,
)


class AbsFOp(FloatUnaryOp):
    """Absolute value of a float."""

    name = "math.absf"


class AbsIOp(IntegerUnaryOp):
    """Absolute value of a signed integer; the least integer stays as it is."""

    name = "math.absi"


class AcosOp(FloatUnaryOp):
    """Arcus cosine."""

    name = "math.acos"


class AcoshOp(FloatUnaryOp):
    """Hyperbolic arcus cosine."""

    name = "math.acosh"


class AsinOp(FloatUnaryOp):
    """Arcus sine."""

    name = "math.asin"


class AsinhOp(FloatUnaryOp):
    """Hyperbolic arcus sine."""

    name = "math.asinh"


class AtanOp(FloatUnaryOp):
    """Arcus tangent."""

    name = "math.atan"


class Atan2Op(FloatBinaryOp):
    """Arcus tangent of ``lhs / rhs`` in the quadrant of the point (rhs, lhs)."""

    name = "math.atan2"


class AtanhOp(FloatUnaryOp):
    """Hyperbolic arcus tangent."""

    name = "math.atanh"


class CbrtOp(FloatUnaryOp):
    """Cube root."""

    name = "math.cbrt"


class CeilOp(FloatUnaryOp):
    """The least integral float that isn't less."""

    name = "math.ceil"


class CopySignOp(FloatBinaryOp):
    """The magnitude of ``lhs`` with the sign of ``rhs``."""

    name = "math.copysign"


class CosOp(FloatUnaryOp):
    """Cosine."""

    name = "math.cos"


class CoshOp(FloatUnaryOp):
    """Hyperbolic cosine."""

    name = "math.cosh"


class CountLeadingZerosOp(IntegerUnaryOp):
    """Number of leading zero bits."""

    name = "math.ctlz"


class CtPopOp(IntegerUnaryOp):
    """Number of bits that are one."""

    name = "math.ctpop"


class CountTrailingZerosOp(IntegerUnaryOp):
    """Number of trailing zero bits."""

    name = "math.cttz"


class ErfOp(FloatUnaryOp):
    """Error function."""

    name = "math.erf"


class ErfcOp(FloatUnaryOp):
    """One less the error function."""

    name = "math.erfc"


class ExpOp(FloatUnaryOp):
    """Exponential."""

    name = "math.exp"


class Exp2Op(FloatUnaryOp):
    """Two to the power of a float."""

    name = "math.exp2"


class ExpM1Op(FloatUnaryOp):
    """Exponential less one, exact near zero."""

    name = "math.expm1"


class FloorOp(FloatUnaryOp):
    """The greatest integral float that isn't greater."""

    name = "math.floor"


class IPowIOp(IntegerBinaryOp):
    """Integer power of a signed integer."""

    name = "math.ipowi"


class LogOp(FloatUnaryOp):
    """Natural logarithm."""

    name = "math.log"


class Log10Op(FloatUnaryOp):
    """Logarithm to base ten."""

    name = "math.log10"


class Log1pOp(FloatUnaryOp):
    """Natural logarithm of one plus the value, exact near zero."""

    name = "math.log1p"


class Log2Op(FloatUnaryOp):
    """Logarithm to base two."""

    name = "math.log2"


class PowFOp(FloatBinaryOp):
    """Float power."""

    name = "math.powf"


class RoundOp(FloatUnaryOp):
    """Round to an integral float, halves away from zero."""

    name = "math.round"


class RoundEvenOp(FloatUnaryOp):
    """Round to an integral float, halves to even."""

    name = "math.roundeven"


class RsqrtOp(FloatUnaryOp):
    """One over the square root."""

    name = "math.rsqrt"


class SinOp(FloatUnaryOp):
    """Sine."""

    name = "math.sin"


class SinhOp(FloatUnaryOp):
    """Hyperbolic sine."""

    name = "math.sinh"


class SqrtOp(FloatUnaryOp):
    """Square root."""

    name = "math.sqrt"


class TanOp(FloatUnaryOp):
    """Tangent."""

    name = "math.tan"


class TanhOp(FloatUnaryOp):
    """Hyperbolic tangent."""

    name = "math.tanh"


class TruncOp(FloatUnaryOp):
    """Round to an integral float, toward zero."""

    name = "math.trunc"


class FmaOp(Operation):
    """``a * b + c``, rounded once."""

    name = "math.fma"
    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = "$a `,` $b `,` $c (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    a: Value = operand(FLOAT_LIKE)
    b: Value = operand(FLOAT_LIKE)
    c: Value = operand(FLOAT_LIKE)
    result: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class ClampFOp(Operation):
    """The value, or the bound that it exceeds."""

    name = "math.clampf"
    traits = (Pure(), *ELEMENTWISE_SAME)
    assembly_format = (
        "$value `to` ` ` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? "
        "attr-dict `:` type($result)"
    )
    value: Value = operand(FLOAT_LIKE)
    min: Value = operand(FLOAT_LIKE)
    max: Value = operand(FLOAT_LIKE)
    result: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class SincosOp(Operation):
    """Sine and cosine at once."""

    name = "math.sincos"
    traits = (
        Pure(),
        Elementwise(),
        SameOperandsAndResultShape(),
        AllTypesMatch(("operand", "sin", "cos")),
    )
    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"
    operand: Value = operand(FLOAT_LIKE)
    sin: OpResult = result(FLOAT_LIKE)
    cos: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)

    def result_name_hint(self) -> list[str]:
        return ["sin", "cos"]


class FPowIOp(Operation):
    """A float to the power of a signed integer."""

    name = "math.fpowi"
    traits = (Pure(), Elementwise(), SameOperandsAndResultShape(), AllTypesMatch(("lhs", "result")))
    assembly_format = (
        "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs) `,` type($rhs)"
    )
    lhs: Value = operand(FLOAT_LIKE)
    rhs: Value = operand(SIGNLESS_INTEGER_LIKE)
    result: OpResult = result(FLOAT_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class FloatClassificationOp(Operation):
    """Base: a float to the answer to a question about it."""

    traits = (
        Pure(),
        Elementwise(),
        TypesMatchWith("result", "operand", i1_same_shape, RESULT_IS_I1),
    )
    assembly_format = "$operand attr-dict `:` type($operand)"
    operand: Value = operand(FLOAT_LIKE)
    result: OpResult = result(BOOL_LIKE)
    fastmath: FastMathFlagsAttr = optional_attr(FastMathFlagsAttr, default=NO_FASTMATH)


class IsFiniteOp(FloatClassificationOp):
    """Whether a float is neither infinite nor NaN."""

    name = "math.isfinite"


class IsInfOp(FloatClassificationOp):
    """Whether a float is infinite."""

    name = "math.isinf"


class IsNaNOp(FloatClassificationOp):
    """Whether a float is NaN."""

    name = "math.isnan"


class IsNormalOp(FloatClassificationOp):
    """Whether a float is neither zero, subnormal, infinite nor NaN."""

    name = "math.isnormal"
