"""What a declared operand, result or attribute may be, with words for error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    Attribute,
    DenseArrayAttr,
    DictAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)


@frozen
class TypeConstraint:
    """A predicate on types. ``exact`` is set when only one type fits, so that it need not be written."""

    description: str
    holds: Callable[[t.Type], bool]
    exact: t.Type | None = None
    kind: type | None = None
    """The type class where one is required."""

    def __or__(self, other: TypeConstraint) -> TypeConstraint:
        return TypeConstraint(
            f"{self.description} or {other.description}",
            lambda type: self.holds(type) or other.holds(type),
        )


@frozen
class AttrConstraint:
    """A predicate on attributes; ``kind`` is the attribute class where one is required."""

    description: str
    holds: Callable[[Attribute], bool]
    kind: type | None = None
    type: t.Type | None = None
    """Type of a number, element type of a dense array, where only one is allowed."""


@frozen
class IntEnumConstraint(AttrConstraint):
    """An integer that stands for one of ``cases`` (0, 1, …), written as a keyword in custom form."""

    cases: tuple[str, ...] = ()


def int_enum(cases: tuple[str, ...], description: str, type: t.Type = t.i64) -> IntEnumConstraint:
    """An IntegerAttr of ``type`` with the number of one of the keywords ``cases``."""

    def holds(a: Attribute) -> bool:
        return isinstance(a, IntegerAttr) and a.type is type and 0 <= a.value < len(cases)

    return IntEnumConstraint(description, holds, IntegerAttr, type, cases)


def exactly(type: t.Type, description: str | None = None) -> TypeConstraint:
    """Only this type."""
    return TypeConstraint(description or str(type), lambda other: other is type, type)


def instance(kind: type, description: str) -> TypeConstraint:
    """Types of a class."""
    return TypeConstraint(description, lambda type: isinstance(type, kind), None, kind)


def like(scalar: TypeConstraint, description: str) -> TypeConstraint:
    """A scalar, or a vector, tensor of it (MLIR's ``…-like``)."""

    def holds(type: t.Type) -> bool:
        if isinstance(type, (t.VectorType, t.TensorType, t.UnrankedTensorType)):
            return scalar.holds(type.element_type)
        return scalar.holds(type)

    return TypeConstraint(description, holds)


def shaped_of(kind: type | tuple[type, ...], element: TypeConstraint, description: str) -> TypeConstraint:
    """A shaped type whose elements fit ``element``."""
    return TypeConstraint(
        description,
        lambda type: isinstance(type, kind) and element.holds(type.element_type),  # type: ignore
    )


ANY_TYPE = TypeConstraint("any type", lambda type: True)
INDEX = TypeConstraint("index", lambda type: isinstance(type, t.IndexType), t.index)
I1 = exactly(t.i1, "1-bit signless integer")
I32 = exactly(t.i32, "32-bit signless integer")
I64 = exactly(t.i64, "64-bit signless integer")
ANY_INTEGER = instance(t.IntegerType, "integer")
SIGNLESS_INTEGER = TypeConstraint(
    "signless integer", lambda type: isinstance(type, t.IntegerType) and not type.signedness
)
SIGNLESS_INTEGER_OR_INDEX = TypeConstraint(
    "signless integer or index", lambda type: SIGNLESS_INTEGER.holds(type) or INDEX.holds(type)
)
ANY_FLOAT = instance(t.FloatType, "floating-point")
SIGNLESS_INTEGER_LIKE = like(SIGNLESS_INTEGER_OR_INDEX, "signless-integer-like")
SIGNLESS_FIXED_INTEGER_LIKE = like(SIGNLESS_INTEGER, "signless-fixed-width-integer-like")
BOOL_LIKE = like(I1, "bool-like")
FLOAT_LIKE = like(ANY_FLOAT, "floating-point-like")
ANY_TENSOR = TypeConstraint(
    "tensor of any type values", lambda type: isinstance(type, (t.TensorType, t.UnrankedTensorType))
)
RANKED_TENSOR = instance(t.TensorType, "ranked tensor of any type values")
ANY_MEMREF = TypeConstraint(
    "memref of any type values", lambda type: isinstance(type, (t.MemRefType, t.UnrankedMemRefType))
)
RANKED_MEMREF = instance(t.MemRefType, "ranked memref of any type values")
ANY_VECTOR = instance(t.VectorType, "vector of any type values")
ANY_SHAPED = TypeConstraint(
    "shaped of any type values",
    lambda type: isinstance(
        type,
        (t.VectorType, t.TensorType, t.UnrankedTensorType, t.MemRefType, t.UnrankedMemRefType),
    ),
)
RANKED_SHAPED = TypeConstraint(
    "ranked tensor, memref or vector of any type values",
    lambda type: isinstance(type, (t.VectorType, t.TensorType, t.MemRefType)),
)
FUNCTION_TYPE = instance(t.FunctionType, "function type")

_KIND_WORDS: dict[type, str] = {
    StringAttr: "string attribute",
    SymbolRefAttr: "symbol reference attribute",
    ArrayAttr: "array attribute",
    DictAttr: "dictionary of named attribute values",
    IntegerAttr: "integer attribute",
    UnitAttr: "unit attribute",
    DenseArrayAttr: "dense array attribute",
    AffineMapAttr: "AffineMap attribute",
    AffineSetAttr: "IntegerSet attribute",
    t.Type: "any type attribute",
    Attribute: "any attribute",
}


def attr_constraint(constraint: Any) -> AttrConstraint:
    """An AttrConstraint as it is, or the constraint "is of this attribute class"."""
    if isinstance(constraint, AttrConstraint):
        return constraint
    words = _KIND_WORDS.get(constraint) or constraint.name or constraint.__name__
    return AttrConstraint(words, lambda a: isinstance(a, constraint), constraint)


def integer_attr(type: t.Type, description: str, minimum: int | None = None) -> AttrConstraint:
    """An IntegerAttr of one type, at least ``minimum``."""
    return AttrConstraint(
        description,
        lambda a: isinstance(a, IntegerAttr)
        and a.type is type
        and (minimum is None or a.value >= minimum),
        IntegerAttr,
        type,
    )


def float_attr(
    type: t.Type, description: str, accepts: Callable[[float], bool] = lambda value: True
) -> AttrConstraint:
    """A FloatAttr of one type whose value ``accepts`` agrees to."""
    return AttrConstraint(
        description,
        lambda a: isinstance(a, FloatAttr) and a.type is type and accepts(a.value),
        FloatAttr,
        type,
    )


def dense_array(element: t.Type) -> AttrConstraint:
    """``array<element: …>``."""
    return AttrConstraint(
        f"{element} dense array attribute",
        lambda a: isinstance(a, DenseArrayAttr) and a.element_type is element,
        DenseArrayAttr,
        element,
    )


def array_of(element: Any, description: str) -> AttrConstraint:
    """An ArrayAttr whose elements all fit."""
    inner = attr_constraint(element)
    return AttrConstraint(
        description,
        lambda a: isinstance(a, ArrayAttr) and all(inner.holds(e) for e in a),
        ArrayAttr,
    )


ANY_ATTR = AttrConstraint("any attribute", lambda a: True)
I64_ATTR = integer_attr(t.i64, "64-bit signless integer attribute")
I32_ATTR = integer_attr(t.i32, "32-bit signless integer attribute")
INDEX_ATTR = integer_attr(t.index, "index attribute")
BOOL_ATTR = integer_attr(t.i1, "bool attribute")
I64_ARRAY = dense_array(t.i64)
I32_ARRAY = dense_array(t.i32)
ALIGNMENT = AttrConstraint(
    "64-bit signless integer attribute whose value is positive and whose value is a power of two > 0",
    lambda a: (
        isinstance(a, IntegerAttr)
        and a.type is t.i64
        and a.value > 0
        and a.value & (a.value - 1) == 0
    ),
    IntegerAttr,
)
