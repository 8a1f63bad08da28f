"""Slices of tensors; import them from :mod:`kt.ir.dialects.tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr
from kt.ir.constraints import I64_ARRAY, INDEX, RANKED_TENSOR
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.common import Mixed, check_mixed, extents_of, mixed, result_name, split_mixed
from kt.ir.opdef import attr, operand, result, variadic_operand
from kt.ir.traits import AttrSizedOperands, DestinationStyle, HasParent, Pure, TypesMatchWith

LISTS = (
    "custom<DynamicIndexList>($offsets, $static_offsets) "
    "custom<DynamicIndexList>($sizes, $static_sizes) "
    "custom<DynamicIndexList>($strides, $static_strides) attr-dict `:` "
)
"""Assembly format of ``[offsets] [sizes] [strides]``."""


class SliceBase(Operation):
    """What ops with offsets, sizes and strides share; a subclass declares the operands."""

    traits = (AttrSizedOperands(), Pure())
    static_offsets: DenseArrayAttr = attr(I64_ARRAY)
    static_sizes: DenseArrayAttr = attr(I64_ARRAY)
    static_strides: DenseArrayAttr = attr(I64_ARRAY)
    offsets: tuple[Value, ...]
    sizes: tuple[Value, ...]
    strides: tuple[Value, ...]

    @property
    def mixed_offsets(self) -> tuple[Mixed, ...]:
        """First subscripts."""
        return mixed(self.static_offsets, self.offsets)

    @property
    def mixed_sizes(self) -> tuple[Mixed, ...]:
        """Extents."""
        return mixed(self.static_sizes, self.sizes)

    @property
    def mixed_strides(self) -> tuple[Mixed, ...]:
        """Steps between subscripts."""
        return mixed(self.static_strides, self.strides)

    def check_lists(self, rank: int | None) -> None:
        """Lists are as long as the rank and have their dynamic operands."""
        for what, statics, dynamics in (
            ("offset", self.static_offsets.values, self.offsets),
            ("size", self.static_sizes.values, self.sizes),
            ("stride", self.static_strides.values, self.strides),
        ):
            if rank is not None and len(statics) != rank:
                raise self.error(f"expected {rank} {what} values, got {len(statics)}")
            check_mixed(self, what, statics, dynamics)
        for size in self.static_sizes:
            if size < 0 and size != t.DYNAMIC:
                raise self.error(f"expected sizes to be non-negative, but got {size}")

    def check_bounds(self, shape: Sequence[int]) -> None:
        """Static slices lie within static extents."""
        rows = zip(self.static_offsets, self.static_sizes, self.static_strides, shape, strict=True)
        for i, (offset, size, stride, extent) in enumerate(rows):
            if extent == t.DYNAMIC or offset == t.DYNAMIC:
                continue
            if offset < 0 or (offset >= extent and size != 0):
                raise self.error(
                    f"offset {i} is out-of-bounds: {offset} >= {extent}",
                )
            if t.DYNAMIC in (size, stride) or size == 0:
                continue
            last = offset + (size - 1) * stride
            if not 0 <= last < extent:
                raise self.error(
                    f"slice along dimension {i} runs out-of-bounds: {last} >= {extent}"
                )


def slice_parts(
    offsets: Sequence[Mixed], sizes: Sequence[Mixed], strides: Sequence[Mixed] | None
) -> tuple[list[list[Value]], dict[str, Any]]:
    """Dynamic operand groups and ``static_…`` attributes of a slice (strides default to 1)."""
    steps = [1] * len(sizes) if strides is None else strides
    parts = [split_mixed(entries) for entries in (offsets, sizes, steps)]
    names = ("static_offsets", "static_sizes", "static_strides")
    return [p[1] for p in parts], dict(zip(names, (p[0] for p in parts), strict=True))


def is_rank_reduced(full: Sequence[int], reduced: Sequence[int]) -> bool:
    """Whether ``reduced`` is ``full`` with some extents 1 dropped."""
    rest = list(reduced)
    for extent in full:
        if rest and rest[0] == extent:
            rest.pop(0)
        elif extent != 1:
            return False
    return not rest


class ExtractSliceOp(SliceBase):
    """A sub-tensor: offsets, sizes and strides, with dimensions of extent 1 dropped if wanted."""

    name = "tensor.extract_slice"
    assembly_format = "$source `` " + LISTS + "type($source) `to` type($result)"
    source: Value = operand(RANKED_TENSOR)
    offsets: tuple[Value, ...] = variadic_operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("extracted_slice")

    @classmethod
    def of(
        cls,
        source: Value,
        offsets: Sequence[Mixed],
        sizes: Sequence[Mixed],
        strides: Sequence[Mixed] | None = None,
        **named: Any,
    ) -> ExtractSliceOp:
        """The slice of ``source``; ``result_types`` may give a rank-reduced type."""
        operands, statics = slice_parts(offsets, sizes, strides)
        if "result_types" not in named:
            element = t.element_type_of(source.type)
            named["result_types"] = [t.TensorType(extents_of(sizes), element)]
        return cls.build(source, *operands, **statics, **named)

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        self.check_lists(source.rank)
        if made.element_type is not source.element_type:
            raise self.error(
                f"expected element type to be '{source.element_type}', got '{made.element_type}'"
            )
        if not is_rank_reduced(self.static_sizes.values, made.shape):
            inferred = t.TensorType(self.static_sizes.values, source.element_type)
            raise self.error(
                f"expected type to be '{inferred}' or a rank-reduced version. (size mismatch)"
            )
        self.check_bounds(source.shape)


class InsertSliceOp(SliceBase):
    """A tensor with a sub-tensor replaced."""

    name = "tensor.insert_slice"
    traits = (
        AttrSizedOperands(),
        DestinationStyle(),
        Pure(),
        TypesMatchWith(
            "result", "dest", lambda type: type, "expected result type to match dest type"
        ),
    )
    assembly_format = "$source `into` $dest `` " + LISTS + "type($source) `into` type($dest)"
    source: Value = operand(RANKED_TENSOR)
    dest: Value = operand(RANKED_TENSOR)
    offsets: tuple[Value, ...] = variadic_operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("inserted_slice")

    @classmethod
    def of(
        cls,
        source: Value,
        dest: Value,
        offsets: Sequence[Mixed],
        sizes: Sequence[Mixed],
        strides: Sequence[Mixed] | None = None,
        **named: Any,
    ) -> InsertSliceOp:
        """``dest`` with the slice replaced by ``source``."""
        operands, statics = slice_parts(offsets, sizes, strides)
        return cls.build(source, dest, *operands, **statics, **named)

    def verify_(self) -> None:
        check_insertion(self, self.source.type, self.dest.type)


class ParallelInsertSliceOp(SliceBase):
    """An insertion that all points of a parallel loop make into a shared tensor."""

    name = "tensor.parallel_insert_slice"
    traits = (AttrSizedOperands(), HasParent(("scf.forall.in_parallel",)))
    assembly_format = "$source `into` $dest `` " + LISTS + "type($source) `into` type($dest)"
    source: Value = operand(RANKED_TENSOR)
    dest: Value = operand(RANKED_TENSOR)
    offsets: tuple[Value, ...] = variadic_operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)

    def verify_(self) -> None:
        check_insertion(self, self.source.type, self.dest.type)


def check_insertion(op: SliceBase, source: Any, dest: Any) -> None:
    """A slice of ``dest`` has the type of ``source``."""
    op.check_lists(dest.rank)
    if source.element_type is not dest.element_type:
        raise op.error(
            f"expected element type to be '{dest.element_type}', got '{source.element_type}'"
        )
    if not is_rank_reduced(op.static_sizes.values, source.shape):
        inferred = t.TensorType(op.static_sizes.values, dest.element_type)
        raise op.error(
            f"expected type to be '{inferred}' or a rank-reduced version. (size mismatch)"
        )
    op.check_bounds(dest.shape)
