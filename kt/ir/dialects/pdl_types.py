"""``pdl``: types of handles, and what operands of patterns may be."""

from __future__ import annotations

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import StringAttr, attribute
from kt.ir.constraints import TypeConstraint, array_of, exactly, integer_attr


@attribute
class AttributeType(t.Type):
    """``!pdl.attribute``: a handle of an attribute."""

    name = "pdl.attribute"


@attribute
class OperationType(t.Type):
    """``!pdl.operation``: a handle of an operation."""

    name = "pdl.operation"


@attribute
class TypeType(t.Type):
    """``!pdl.type``: a handle of a type."""

    name = "pdl.type"


@attribute
class ValueType(t.Type):
    """``!pdl.value``: a handle of a value."""

    name = "pdl.value"


HANDLES: dict[str, t.Type] = {
    kind.name.partition(".")[2]: kind()
    for kind in (AttributeType, OperationType, TypeType, ValueType)
}
"""Handle types by the word inside ``!pdl.range<…>``."""


@attribute
class RangeType(t.Type):
    """``!pdl.range<value>``: a list of handles of one kind."""

    name = "pdl.range"
    element: t.Type

    def __attrs_post_init__(self) -> None:
        if isinstance(self.element, RangeType):
            raise ValueError(
                f"element of pdl.range cannot be another range, but got '{self.element}'"
            )
        if self.element not in HANDLES.values():
            raise ValueError(f"expected a pdl type inside pdl.range, but got '{self.element}'")

    def parameters(self) -> str:
        return f"<{self.element.name.partition('.')[2]}>"


for _kind in (AttributeType, OperationType, TypeType, ValueType, RangeType):
    registry.ATTRIBUTES[_kind.name] = _kind

ATTRIBUTE = exactly(AttributeType(), "PDL handle to an `mlir::Attribute`")
OPERATION = exactly(OperationType(), "PDL handle to an `mlir::Operation *`")
TYPE = exactly(TypeType(), "PDL handle to an `mlir::Type`")
VALUE = exactly(ValueType(), "PDL handle for an `mlir::Value`")
TYPE_RANGE = exactly(RangeType(TypeType()), "range of PDL handle to an `mlir::Type` values")
VALUE_RANGE = exactly(RangeType(ValueType()), "range of PDL handle for an `mlir::Value` values")
VALUES = TypeConstraint(
    "PDL handle or range of values", lambda x: VALUE.holds(x) or VALUE_RANGE.holds(x)
)
TYPES = TypeConstraint(
    "PDL handle or range of types", lambda x: TYPE.holds(x) or TYPE_RANGE.holds(x)
)
ANY_HANDLE = TypeConstraint("pdl type", lambda x: x.name.startswith("pdl."))
RANGE = TypeConstraint(
    "range of types or values", lambda x: TYPE_RANGE.holds(x) or VALUE_RANGE.holds(x)
)
BENEFIT = integer_attr(
    t.IntegerType(16), "16-bit signless integer attribute whose value is non-negative", 0
)
NAMES = array_of(StringAttr, "string array attribute")
