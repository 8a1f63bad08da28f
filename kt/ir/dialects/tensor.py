"""``tensor``: making, reading and reshaping tensor values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, UnitAttr
from kt.ir.constraints import (
    ANY_TENSOR,
    ANY_TYPE,
    I64_ARRAY,
    INDEX,
    RANKED_TENSOR,
    SIGNLESS_INTEGER_OR_INDEX,
    TypeConstraint,
)
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from kt.ir.dialects.common import (
    Mixed,
    check_mixed,
    extents_of,
    mixed,
    result_name,
    split_mixed,
)
from kt.ir.dialects.tensor_shapes import (
    BitcastOp as BitcastOp,
)
from kt.ir.dialects.tensor_shapes import (
    CastOp as CastOp,
)
from kt.ir.dialects.tensor_shapes import (
    CollapseShapeOp as CollapseShapeOp,
)
from kt.ir.dialects.tensor_shapes import (
    ConcatOp as ConcatOp,
)
from kt.ir.dialects.tensor_shapes import (
    ExpandShapeOp as ExpandShapeOp,
)
from kt.ir.dialects.tensor_shapes import (
    ReshapeOp as ReshapeOp,
)
from kt.ir.dialects.tensor_shapes import (
    compatible_shapes as compatible_shapes,
)
from kt.ir.dialects.tensor_slices import ExtractSliceOp as ExtractSliceOp
from kt.ir.dialects.tensor_slices import InsertSliceOp as InsertSliceOp
from kt.ir.dialects.tensor_slices import ParallelInsertSliceOp as ParallelInsertSliceOp
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
)
from kt.ir.traits import (
    AttrSizedOperands,
    DestinationStyle,
    HasParent,
    ImplicitTerminator,
    NoMemoryEffect,
    Pure,
    RecursiveEffects,
    ReturnLike,
    SingleBlock,
    Terminator,
    TypesMatchWith,
)

RANKED_INDICES = TypeConstraint(
    "ranked tensor of signless integer or index values",
    lambda type: (
        isinstance(type, t.TensorType) and SIGNLESS_INTEGER_OR_INDEX.holds(type.element_type)
    ),
)
STATIC_TENSOR = TypeConstraint(
    "statically shaped tensor of any type values",
    lambda type: isinstance(type, t.TensorType) and type.has_static_shape,
)
NON_0_RANKED_TENSOR = TypeConstraint(
    "non-0-ranked or unranked tensor",
    lambda type: (
        isinstance(type, t.UnrankedTensorType) or (isinstance(type, t.TensorType) and type.rank > 0)
    ),
)


def _check_dynamic(op: Operation, given: int, type: Any) -> None:
    """One operand for each dynamic extent of a result."""
    wanted = sum(1 for n in type.shape if n == t.DYNAMIC)
    if given != wanted:
        raise op.error(f"incorrect number of dynamic sizes, has {given}, expected {wanted}")


class DimOp(Operation):
    """An extent of a tensor."""

    name = "tensor.dim"
    traits = (NoMemoryEffect(),)
    assembly_format = "attr-dict $source `,` $index `:` type($source)"
    source: Value = operand(NON_0_RANKED_TENSOR)
    index: Value = operand(INDEX)
    result: OpResult = result(INDEX)
    result_name_hint = result_name("dim")


class RankOp(Operation):
    """Number of dimensions of a tensor."""

    name = "tensor.rank"
    traits = (Pure(),)
    assembly_format = "$tensor attr-dict `:` type($tensor)"
    tensor: Value = operand(ANY_TENSOR)
    result: OpResult = result(INDEX)
    result_name_hint = result_name("rank")


class EmptyOp(Operation):
    """A tensor whose elements are unspecified, made to be written into."""

    name = "tensor.empty"
    traits = (Pure(),)
    assembly_format = "`(` $dynamic_sizes `)` attr-dict `:` type($result)"
    dynamic_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_TENSOR)

    @classmethod
    def of(cls, sizes: Sequence[Mixed], element: t.Type, **named: Any) -> EmptyOp:
        """An empty tensor of numbers and index values as extents."""
        type = t.TensorType(extents_of(sizes), element)
        return cls.build(split_mixed(sizes)[1], result_types=[type], **named)

    @property
    def sizes(self) -> tuple[Mixed, ...]:
        return mixed(self.result.type.shape, self.dynamic_sizes)  # type: ignore[attr-defined]

    def verify_(self) -> None:
        _check_dynamic(self, len(self.dynamic_sizes), self.result.type)


def element_of(type: t.Type) -> t.Type:
    """The element type of a shaped type (for TypesMatchWith)."""
    return type.element_type  # type: ignore[attr-defined]


class ExtractOp(Operation):
    """One element of a tensor."""

    name = "tensor.extract"
    traits = (
        Pure(),
        TypesMatchWith(
            "result", "tensor", element_of, "result type matches element type of tensor"
        ),
    )
    assembly_format = "$tensor `[` $indices `]` attr-dict `:` type($tensor)"
    tensor: Value = operand(RANKED_TENSOR)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(ANY_TYPE)
    result_name_hint = result_name("extracted")

    def verify_(self) -> None:
        if len(self.indices) != self.tensor.type.rank:  # type: ignore[attr-defined]
            raise self.error("incorrect number of indices for extract_element")


class InsertOp(Operation):
    """A tensor with one element replaced."""

    name = "tensor.insert"
    traits = (
        Pure(),
        DestinationStyle(),
        TypesMatchWith("result", "dest", lambda type: type, "result type matches type of dest"),
        TypesMatchWith("scalar", "dest", element_of, "scalar type matches element type of dest"),
    )
    assembly_format = "$scalar `into` $dest `[` $indices `]` attr-dict `:` type($dest)"
    scalar: Value = operand()
    dest: Value = operand(RANKED_TENSOR)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("inserted")

    def verify_(self) -> None:
        if len(self.indices) != self.dest.type.rank:  # type: ignore[attr-defined]
            raise self.error("incorrect number of indices")


class FromElementsOp(Operation):
    """A tensor of the given elements, in row-major order."""

    name = "tensor.from_elements"
    traits = (Pure(),)
    elements: tuple[Value, ...] = variadic_operand()
    result: OpResult = result(STATIC_TENSOR)
    result_name_hint = result_name("from_elements")

    def verify_(self) -> None:
        type: Any = self.result.type
        if len(self.elements) != type.num_elements() or any(
            v.type is not type.element_type for v in self.elements
        ):
            raise self.error("failed to verify that operand types match result element type")


class GatherOp(Operation):
    """Slices of a tensor at coordinates that another tensor lists."""

    name = "tensor.gather"
    traits = (Pure(),)
    assembly_format = (
        "$source `[` $indices `]` `gather_dims` `(` $gather_dims `)` (`unique` $unique^)? "
        "attr-dict `:` functional-type(operands, results)"
    )
    source: Value = operand(RANKED_TENSOR)
    indices: Value = operand(RANKED_INDICES)
    gather_dims: DenseArrayAttr = attr(I64_ARRAY)
    unique: UnitAttr | None = optional_attr(UnitAttr)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("gather")

    def verify_(self) -> None:
        _check_coordinates(
            self, self.gather_dims.values, self.source, self.indices, "gather", "source"
        )


class ScatterOp(Operation):
    """A tensor with slices replaced at coordinates that another tensor lists."""

    name = "tensor.scatter"
    traits = (Pure(),)
    assembly_format = (
        "$source `into` $dest `[` $indices `]` `scatter_dims` `(` $scatter_dims `)` "
        "(`unique` $unique^)? attr-dict `:` functional-type(operands, results)"
    )
    source: Value = operand(RANKED_TENSOR)
    dest: Value = operand(RANKED_TENSOR)
    indices: Value = operand(RANKED_INDICES)
    scatter_dims: DenseArrayAttr = attr(I64_ARRAY)
    unique: UnitAttr | None = optional_attr(UnitAttr)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("scatter")

    def verify_(self) -> None:
        _check_coordinates(
            self, self.scatter_dims.values, self.dest, self.indices, "scatter", "dest"
        )
        if self.unique is None:
            raise self.error("requires 'unique' attribute to be set")


def _check_coordinates(
    op: Operation, dims: Sequence[int], tensor: Value, indices: Value, what: str, where: str
) -> None:
    rank = tensor.type.rank  # type: ignore[attr-defined]
    if not dims:
        raise op.error(f"{what}_dims must be non-empty")
    if len(dims) > rank:
        raise op.error(f"{what}_dims overflow {where} rank")
    if list(dims) != sorted(set(dims)):
        raise op.error(f"{what}_dims values must be strictly increasing")
    if dims[0] < 0 or dims[-1] >= rank:
        raise op.error(f"{what}_dims value must be between 0 and {where} rank")
    if indices.type.shape[-1] not in (len(dims), t.DYNAMIC):  # type: ignore[attr-defined]
        raise op.error(f"{what}_dims length must match the size of last dimension of indices")


class YieldOp(Operation):
    """The element that a generate or pad body computes."""

    name = "tensor.yield"
    traits = (Pure(), ReturnLike(), Terminator(), HasParent(("tensor.generate", "tensor.pad")))
    assembly_format = "$value attr-dict `:` type($value)"
    value: Value = operand()


def _check_element_body(op: Operation, body: Block, rank: int, element: t.Type) -> None:
    """A body with one index argument per dimension that yields an element."""
    if len(body.arguments) != rank or not all(INDEX.holds(a.type) for a in body.arguments):
        raise op.error("must have one body argument per input dimension, of index type")
    end = body.terminator
    if not isinstance(end, YieldOp) or end.value.type is not element:
        raise op.error(
            "body must be terminated with a `yield` operation of the tensor element type"
        )


class GenerateOp(Operation):
    """A tensor whose elements a body computes from their subscripts."""

    name = "tensor.generate"
    traits = (RecursiveEffects(), SingleBlock(), ImplicitTerminator("tensor.yield"))
    assembly_format = "$dynamic_extents $body_region attr-dict `:` type($result)"
    dynamic_extents: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_TENSOR)
    body_region: Region = region(single_block=True)
    result_name_hint = result_name("generated")

    def verify_(self) -> None:
        type: Any = self.result.type
        wanted = sum(1 for n in type.shape if n == t.DYNAMIC)
        if len(self.dynamic_extents) != wanted:
            raise self.error(
                "must have as many index operands as dynamic extents in the result type"
            )
        _check_element_body(self, self.body, type.rank, type.element_type)


class PadOp(Operation):
    """A tensor with elements around it that a body computes."""

    name = "tensor.pad"
    traits = (AttrSizedOperands(), Pure(), SingleBlock(), ImplicitTerminator("tensor.yield"))
    assembly_format = (
        "$source (`nofold` $nofold^)? `low` `` custom<DynamicIndexList>($low, $static_low) "
        "`high` `` custom<DynamicIndexList>($high, $static_high) $body_region attr-dict "
        "`:` type($source) `to` type($result)"
    )
    source: Value = operand(RANKED_TENSOR)
    low: tuple[Value, ...] = variadic_operand(INDEX)
    high: tuple[Value, ...] = variadic_operand(INDEX)
    static_low: DenseArrayAttr = attr(I64_ARRAY)
    static_high: DenseArrayAttr = attr(I64_ARRAY)
    nofold: UnitAttr | None = optional_attr(UnitAttr)
    result: OpResult = result(RANKED_TENSOR)
    body_region: Region = region(single_block=True)
    result_name_hint = result_name("padded")

    @property
    def mixed_low(self) -> tuple[Mixed, ...]:
        """Elements in front, per dimension."""
        return mixed(self.static_low, self.low)

    @property
    def mixed_high(self) -> tuple[Mixed, ...]:
        """Elements behind, per dimension."""
        return mixed(self.static_high, self.high)

    @property
    def index_arguments(self) -> list[BlockArgument]:
        return self.body.arguments

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        low, high = self.static_low.values, self.static_high.values
        if len(low) != source.rank or len(high) != source.rank:
            raise self.error("expected as many low and high paddings as the source has dimensions")
        check_mixed(self, "low padding", low, self.low)
        check_mixed(self, "high padding", high, self.high)
        wanted = tuple(
            t.DYNAMIC if t.DYNAMIC in (n, a, b) else n + a + b
            for n, a, b in zip(source.shape, low, high, strict=True)
        )
        inferred = t.TensorType(wanted, source.element_type)
        if not compatible_shapes(inferred, made) or made.element_type is not source.element_type:
            raise self.error(
                f"specified type '{made}' does not match the inferred type '{inferred}'"
            )
        _check_element_body(self, self.body, made.rank, made.element_type)


class SplatOp(Operation):
    """A tensor whose elements all are one scalar."""

    name = "tensor.splat"
    traits = (
        Pure(),
        TypesMatchWith(
            "input", "aggregate", element_of, "operand type matches element type of result"
        ),
    )
    assembly_format = "$input (`[` $dynamic_sizes^ `]`)? attr-dict `:` type($aggregate)"
    input: Value = operand()
    dynamic_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    aggregate: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("splat")

    def verify_(self) -> None:
        _check_dynamic(self, len(self.dynamic_sizes), self.aggregate.type)
