"""Elementwise named ops of ``linalg``; import them from :mod:`kt.ir.dialects.linalg`."""

from __future__ import annotations

from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import ArrayAttr, EnumAttr, attribute
from kt.ir.constraints import RANKED_SHAPED
from kt.ir.core import OpResult, Value
from kt.ir.dialects.linalg_base import (
    MAP_ARRAY,
    PARALLEL,
    STRUCTURED_SEGMENTS,
    NamedOp,
    infer_tensor_results,
    map_array,
)
from kt.ir.dialects.linalg_payload import (
    ELEMENTWISE_KINDS,
    UNARY_KINDS,
    PayloadBuilder,
    TypeFnAttr,
)
from kt.ir.opdef import attr, optional_attr, region, variadic_operand, variadic_result


@attribute
class ElementwiseKindAttr(EnumAttr):
    """``#linalg.elementwise_kind<add>``."""

    name = "linalg.elementwise_kind"
    cases = ELEMENTWISE_KINDS


registry.ATTRIBUTES[ElementwiseKindAttr.name] = ElementwiseKindAttr


class SegmentedNamedOp(NamedOp):
    """Base of named ops written ``ins(…) outs(…)``."""

    traits = STRUCTURED_SEGMENTS
    inputs: tuple[Value, ...] = variadic_operand()
    outputs: tuple[Value, ...] = variadic_operand(RANKED_SHAPED)
    result_tensors: tuple[OpResult, ...] = variadic_result()
    region: Any = region(single_block=True)
    infer_types = staticmethod(infer_tensor_results)
    num_inputs: ClassVar[int] = 1

    def add_implied_parts(self) -> None:
        if not self.regions:
            self._check_counts()
        super().add_implied_parts()

    def _check_counts(self) -> None:
        if len(self.inputs) != self.num_inputs:
            raise self.error(f"expected {self.num_inputs} inputs, got {len(self.inputs)}")
        if len(self.outputs) != 1:
            raise self.error(f"expected 1 output, got {len(self.outputs)}")

    def verify_(self) -> None:
        self._check_counts()
        super().verify_()


class ElementwiseNamedOp(SegmentedNamedOp):
    """Base of named ops on elements at equal subscripts; scalar operands count for every element."""

    kind: ClassVar[str] = ""

    @property
    def rank(self) -> int:
        return len(self.operands[-1].type.shape)  # type: ignore[attr-defined]

    def indexing_maps(self) -> list[AffineMap]:
        same, scalar = AffineMap.identity(self.rank), AffineMap(self.rank, 0, ())
        shaped = (t.ShapedType,)
        return [same if isinstance(v.type, shaped) else scalar for v in self.operands]

    def iterator_types(self) -> list[str]:
        return [PARALLEL] * self.rank

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        return build.elementwise(cls.kind, arguments)


class FillOp(ElementwiseNamedOp):
    """Every element becomes the scalar input."""

    name = "linalg.fill"

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        return arguments[0]

    @property
    def value(self) -> Value:
        """The scalar."""
        return self.inputs[0]

    def verify_(self) -> None:
        if self.inputs and self.outputs:
            value, element = self.inputs[0].type, t.element_type_of(self.outputs[0].type)
            if value is not element:
                raise self.error(
                    f"expected fill value type ('{value}') to match output element type "
                    f"('{element}')"
                )
        super().verify_()


class CopyOp(ElementwiseNamedOp):
    """Every element is the input's, converted to the output's element type."""

    name = "linalg.copy"
    cast: TypeFnAttr | None = optional_attr(TypeFnAttr)

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        unsigned = variant is not None and variant.value == "cast_unsigned"
        return build.cast(arguments[0], arguments[1].type, unsigned)


class ExpOp(ElementwiseNamedOp):
    """Exponential of each element."""

    name = "linalg.exp"
    kind = "exp"


class LogOp(ElementwiseNamedOp):
    """Natural logarithm of each element."""

    name = "linalg.log"
    kind = "log"


class AbsOp(ElementwiseNamedOp):
    """Absolute value of each element."""

    name = "linalg.abs"
    kind = "abs"


class CeilOp(ElementwiseNamedOp):
    """Each element rounded up to an integral value."""

    name = "linalg.ceil"
    kind = "ceil"


class FloorOp(ElementwiseNamedOp):
    """Each element rounded down to an integral value."""

    name = "linalg.floor"
    kind = "floor"


class NegFOp(ElementwiseNamedOp):
    """Each element negated."""

    name = "linalg.negf"
    kind = "negf"


class ReciprocalOp(ElementwiseNamedOp):
    """One over each element."""

    name = "linalg.reciprocal"
    kind = "reciprocal"


class RoundOp(ElementwiseNamedOp):
    """Each element rounded to an integral value, halves away from zero."""

    name = "linalg.round"
    kind = "round"


class SqrtOp(ElementwiseNamedOp):
    """Square root of each element."""

    name = "linalg.sqrt"
    kind = "sqrt"


class RsqrtOp(ElementwiseNamedOp):
    """One over the square root of each element."""

    name = "linalg.rsqrt"
    kind = "rsqrt"


class SquareOp(ElementwiseNamedOp):
    """Each element times itself."""

    name = "linalg.square"
    kind = "square"


class TanhOp(ElementwiseNamedOp):
    """Hyperbolic tangent of each element."""

    name = "linalg.tanh"
    kind = "tanh"


class ErfOp(ElementwiseNamedOp):
    """Error function of each element."""

    name = "linalg.erf"
    kind = "erf"


class AddOp(ElementwiseNamedOp):
    """Sum of two operands, element by element."""

    name = "linalg.add"
    kind = "add"
    num_inputs = 2


class SubOp(ElementwiseNamedOp):
    """Difference of two operands, element by element."""

    name = "linalg.sub"
    kind = "sub"
    num_inputs = 2


class MulOp(ElementwiseNamedOp):
    """Product of two operands, element by element."""

    name = "linalg.mul"
    kind = "mul"
    num_inputs = 2


class DivOp(ElementwiseNamedOp):
    """Quotient of two operands, element by element (integers: signed)."""

    name = "linalg.div"
    kind = "div"
    num_inputs = 2


class DivUnsignedOp(ElementwiseNamedOp):
    """Quotient of unsigned integers, element by element."""

    name = "linalg.div_unsigned"
    kind = "div_unsigned"
    num_inputs = 2


class MaxOp(ElementwiseNamedOp):
    """Greater of two elements (NaN if either is NaN; integers: signed)."""

    name = "linalg.max"
    kind = "max_signed"
    num_inputs = 2


class MinOp(ElementwiseNamedOp):
    """Lesser of two elements (NaN if either is NaN; integers: signed)."""

    name = "linalg.min"
    kind = "min_signed"
    num_inputs = 2


class PowFOp(ElementwiseNamedOp):
    """Power of two float operands, element by element."""

    name = "linalg.powf"
    kind = "powf"
    num_inputs = 2


class SelectOp(ElementwiseNamedOp):
    """One of two elements, by an i1 element."""

    name = "linalg.select"
    kind = "select"
    num_inputs = 3


class ElementwiseOp(SegmentedNamedOp):
    """Any elementwise function by kind, with an indexing map per operand (identity by default)."""

    name = "linalg.elementwise"
    kind: ElementwiseKindAttr = attr(ElementwiseKindAttr)
    maps: ArrayAttr = attr(MAP_ARRAY, key="indexing_maps")

    variant = "kind"

    @classmethod
    def payload(cls, build: PayloadBuilder, arguments: list[Value], variant: Any) -> Value:
        if variant is None:  # the verifier says so
            return arguments[0]
        return build.elementwise(variant.value, arguments)

    def add_implied_parts(self) -> None:
        if "indexing_maps" not in self.properties:
            rank = len(getattr(self.operands[-1].type, "shape", ()))
            same = AffineMap.identity(rank)
            self.properties["indexing_maps"] = map_array([same] * len(self.operands))
        super().add_implied_parts()

    @property
    def num_inputs(self) -> int:  # type: ignore[override]
        kind = self.kind.value
        return 1 if kind in UNARY_KINDS else 3 if kind == "select" else 2

    def indexing_maps(self) -> list[AffineMap]:
        return [m.map for m in self.maps]  # type: ignore[attr-defined]

    def iterator_types(self) -> list[str]:
        return [PARALLEL] * self.indexing_maps()[-1].num_dims
