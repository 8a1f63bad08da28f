"""Casts, reshapes and concatenation of tensors; import them from :mod:`kt.ir.dialects.tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, DenseArrayAttr, IntegerAttr
from kt.ir.constraints import (
    ANY_FLOAT,
    ANY_INTEGER,
    ANY_TENSOR,
    I64_ARRAY,
    I64_ATTR,
    INDEX,
    RANKED_TENSOR,
    SIGNLESS_INTEGER_OR_INDEX,
    TypeConstraint,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.common import (
    INDEX_LISTS,
    Mixed,
    check_mixed,
    check_reassociation,
    collapsed_shape,
    extents_of,
    groups_of,
    index_lists,
    mixed,
    result_name,
    split_mixed,
)
from kt.ir.opdef import attr, operand, result, variadic_operand
from kt.ir.traits import Pure

SHAPE_TENSOR = TypeConstraint(
    "1D tensor of signless integer or index values",
    lambda type: (
        isinstance(type, t.TensorType)
        and type.rank == 1
        and SIGNLESS_INTEGER_OR_INDEX.holds(type.element_type)
    ),
)
NUMBER_TENSOR = TypeConstraint(
    "tensor of signless integer or unsigned integer or signed integer or floating-point values",
    lambda type: ANY_TENSOR.holds(type) and (ANY_INTEGER | ANY_FLOAT).holds(type.element_type),  # type: ignore[attr-defined]
)


class BitcastOp(Operation):
    """The same bits as a tensor of another element type of equal width."""

    name = "tensor.bitcast"
    traits = (Pure(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"
    source: Value = operand(NUMBER_TENSOR)
    dest: OpResult = result(NUMBER_TENSOR)

    def verify_(self) -> None:
        source: Any = self.source.type
        dest: Any = self.dest.type
        widths = [
            getattr(x.element_type, "width", getattr(x.element_type, "bits", 0))
            for x in (source, dest)
        ]
        if getattr(source, "shape", None) != getattr(dest, "shape", None) or widths[0] != widths[1]:
            raise self.error(
                f"operand type '{source}' and result type '{dest}' are cast incompatible"
            )


class CastOp(Operation):
    """Forget or state static extents."""

    name = "tensor.cast"
    traits = (Pure(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"
    source: Value = operand(ANY_TENSOR)
    dest: OpResult = result(ANY_TENSOR)
    result_name_hint = result_name("cast")

    def verify_(self) -> None:
        source: Any = self.source.type
        dest: Any = self.dest.type
        if not compatible_shapes(source, dest) or source.element_type is not dest.element_type:
            raise self.error(
                f"operand type '{source}' and result type '{dest}' are cast incompatible"
            )


def compatible_shapes(a: Any, b: Any) -> bool:
    """Whether two shaped types may have one shape (dynamic extents and missing ranks fit all)."""
    left, right = getattr(a, "shape", None), getattr(b, "shape", None)
    if left is None or right is None:
        return True
    return len(left) == len(right) and all(
        x == y or t.DYNAMIC in (x, y) for x, y in zip(left, right, strict=True)
    )


class ConcatOp(Operation):
    """Tensors one after the other along a dimension."""

    name = "tensor.concat"
    traits = (Pure(),)
    assembly_format = "`dim` `(` $dim `)` $inputs attr-dict `:` functional-type(operands, results)"
    inputs: tuple[Value, ...] = variadic_operand(RANKED_TENSOR)
    dim: IntegerAttr = attr(I64_ATTR)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("concat")

    @staticmethod
    def infer_types(inputs: Any, properties: dict[str, Any]) -> list[t.Type]:
        return [_concatenated([v.type for v in inputs], properties["dim"].value)]

    def verify_(self) -> None:
        if not self.inputs:
            raise self.error("requires at least one input")
        kinds = [v.type for v in self.inputs]
        rank, dim = kinds[0].rank, self.dim.value  # type: ignore[attr-defined]
        if not 0 <= dim < rank:
            raise self.error("concatenation dim must be less than the tensor rank")
        for kind in kinds:
            if kind.rank != rank or kind.element_type is not kinds[0].element_type:  # type: ignore
                raise self.error("rank and element type of concatenated tensors must match")
            for i, (x, y) in enumerate(zip(kind.shape, kinds[0].shape, strict=True)):  # type: ignore
                if i != dim and x != y and t.DYNAMIC not in (x, y):
                    raise self.error(
                        f"static concatenation size mismatch along non-concatenated dimension {i}"
                    )
        wanted = _concatenated(kinds, dim)
        if not compatible_shapes(wanted, self.result.type):
            raise self.error(
                f"result type '{self.result.type}' does not match inferred type '{wanted}'"
            )


def _concatenated(kinds: Sequence[Any], dim: int) -> t.TensorType:
    shape = list(kinds[0].shape)
    for i in range(len(shape)):
        extents = [k.shape[i] for k in kinds]
        static = [n for n in extents if n != t.DYNAMIC]
        if i == dim:
            shape[i] = sum(extents) if len(static) == len(extents) else t.DYNAMIC
        else:
            shape[i] = static[0] if static else t.DYNAMIC
    return t.TensorType(tuple(shape), kinds[0].element_type)


class ReshapeOp(Operation):
    """The elements in row-major order in another shape, given as a tensor."""

    name = "tensor.reshape"
    traits = (Pure(),)
    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"
    source: Value = operand(ANY_TENSOR)
    shape: Value = operand(SHAPE_TENSOR)
    result: OpResult = result(ANY_TENSOR)
    result_name_hint = result_name("reshape")

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        if source.element_type is not made.element_type:
            raise self.error(
                "element types of source and destination tensor types should be the same"
            )
        if not isinstance(made, t.TensorType):
            return
        length = self.shape.type.shape[0]  # type: ignore[attr-defined]
        if length == t.DYNAMIC:
            raise self.error(
                "cannot use shape operand with dynamic length to reshape to statically-ranked tensor type"
            )
        if length != made.rank:
            raise self.error("length of shape operand differs from the result's tensor rank")
        if (
            isinstance(source, t.TensorType)
            and source.has_static_shape
            and made.has_static_shape
            and source.num_elements() != made.num_elements()
        ):
            raise self.error(
                "source and destination tensor should have the same number of elements"
            )


class ExpandShapeOp(Operation):
    """Split dimensions into groups of dimensions."""

    name = "tensor.expand_shape"
    traits = (Pure(),)
    assembly_format = (
        "$src $reassociation `output_shape` "
        "custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict "
        "`:` type($src) `into` type($result)"
    )
    src: Value = operand(ANY_TENSOR)
    reassociation: ArrayAttr = attr(INDEX_LISTS)
    output_shape: tuple[Value, ...] = variadic_operand(INDEX)
    static_output_shape: DenseArrayAttr = attr(I64_ARRAY)
    result: OpResult = result(ANY_TENSOR)
    result_name_hint = result_name("expanded")

    @classmethod
    def of(
        cls, source: Value, groups: Sequence[Sequence[int]], sizes: Sequence[Mixed], **named: Any
    ) -> ExpandShapeOp:
        """Split dimension i of ``source`` into the dimensions ``groups[i]`` of a shape ``sizes``."""
        statics, dynamics = split_mixed(sizes)
        type = t.TensorType(extents_of(sizes), t.element_type_of(source.type))
        return cls.build(
            source,
            dynamics,
            reassociation=index_lists(groups),
            static_output_shape=statics,
            result_types=[type],
            **named,
        )

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return groups_of(self.reassociation)

    @property
    def sizes(self) -> tuple[Mixed, ...]:
        return mixed(self.static_output_shape, self.output_shape)

    def verify_(self) -> None:
        source: Any = self.src.type
        made: Any = self.result.type
        if not (isinstance(source, t.TensorType) and isinstance(made, t.TensorType)):
            raise self.error("expected ranked tensors")
        check_mixed(self, "output shape", self.static_output_shape.values, self.output_shape)
        if not compatible_shapes(t.TensorType(self.static_output_shape.values, t.f32), made):
            raise self.error("expected output_shape to agree with the result type")
        check_reassociation(self, self.groups, made.shape, source.shape)


class CollapseShapeOp(Operation):
    """Merge groups of dimensions."""

    name = "tensor.collapse_shape"
    traits = (Pure(),)
    assembly_format = "$src $reassociation attr-dict `:` type($src) `into` type($result)"
    src: Value = operand(ANY_TENSOR)
    reassociation: ArrayAttr = attr(INDEX_LISTS)
    result: OpResult = result(ANY_TENSOR)
    result_name_hint = result_name("collapsed")

    @classmethod
    def of(cls, source: Value, groups: Sequence[Sequence[int]], **named: Any) -> CollapseShapeOp:
        """Merge each group of dimensions of ``source``."""
        kind: Any = source.type
        type = t.TensorType(collapsed_shape(kind.shape, groups), kind.element_type)
        return cls.build(source, reassociation=index_lists(groups), result_types=[type], **named)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return groups_of(self.reassociation)

    def verify_(self) -> None:
        source: Any = self.src.type
        made: Any = self.result.type
        if not (isinstance(source, t.TensorType) and isinstance(made, t.TensorType)):
            raise self.error("expected ranked tensors")
        check_reassociation(self, self.groups, source.shape, made.shape)
