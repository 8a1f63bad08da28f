"""Views of memory without access to it; import them from :mod:`kt.ir.dialects.memref`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, ArrayAttr, DenseArrayAttr, StridedLayoutAttr
from kt.ir.constraints import ANY_MEMREF, I64_ARRAY, INDEX, RANKED_MEMREF, TypeConstraint
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.common import (
    INDEX_LISTS,
    Mixed,
    check_mixed,
    check_reassociation,
    extents_of,
    groups_of,
    mixed,
    result_name,
)
from kt.ir.dialects.tensor_slices import LISTS, SliceBase, is_rank_reduced, slice_parts
from kt.ir.opdef import attr, operand, result, variadic_operand, variadic_result
from kt.ir.traits import Pure

STRIDED_MEMREF = TypeConstraint(
    "strided memref of any type values",
    lambda type: (
        isinstance(type, t.MemRefType)
        and (type.layout is None or isinstance(type.layout, StridedLayoutAttr))
    ),
)


def _product(a: int, b: int) -> int:
    return t.DYNAMIC if t.DYNAMIC in (a, b) else a * b


def _fits(found: int, wanted: int) -> bool:
    return found == wanted or t.DYNAMIC in (found, wanted)


def _shapes_fit(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(map(_fits, a, b))


class CastOp(Operation):
    """Forget or state static extents, strides and offset."""

    name = "memref.cast"
    traits = (Pure(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"
    source: Value = operand(ANY_MEMREF)
    dest: OpResult = result(ANY_MEMREF)
    result_name_hint = result_name("cast")

    def verify_(self) -> None:
        if not _castable(self.source.type, self.dest.type):
            raise self.error(
                f"operand type '{self.source.type}' and result type '{self.dest.type}' "
                "are cast incompatible"
            )


def _castable(a: Any, b: Any) -> bool:
    if a.element_type is not b.element_type or a.memory_space is not b.memory_space:
        return False
    if not (isinstance(a, t.MemRefType) and isinstance(b, t.MemRefType)):
        return isinstance(a, t.MemRefType) or isinstance(b, t.MemRefType)
    if not _shapes_fit(a.shape, b.shape):
        return False
    if a.layout is b.layout:
        return True
    if isinstance(a.layout, AffineMapAttr) or isinstance(b.layout, AffineMapAttr):
        return False
    (left, start), (right, other) = a.strides_and_offset(), b.strides_and_offset()
    return _fits(start, other) and all(
        _fits(x, y) or 1 in (n, m) for x, y, n, m in zip(left, right, a.shape, b.shape, strict=True)
    )


class MemorySpaceCastOp(Operation):
    """The same memory under the name of another memory space."""

    name = "memref.memory_space_cast"
    traits = (Pure(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"
    source: Value = operand(ANY_MEMREF)
    dest: OpResult = result(ANY_MEMREF)
    result_name_hint = result_name("memspacecast")

    def verify_(self) -> None:
        source: Any = self.source.type
        dest: Any = self.dest.type
        parts = [
            (x.element_type, getattr(x, "shape", None), getattr(x, "layout", None))
            for x in (source, dest)
        ]
        if parts[0] != parts[1]:
            raise self.error(
                f"operand type '{source}' and result type '{dest}' are cast incompatible"
            )


class ReinterpretCastOp(SliceBase):
    """Another view of the same base: offset, sizes and strides in elements, whatever they were."""

    name = "memref.reinterpret_cast"
    assembly_format = (
        "$source `to` `offset` `` `:` custom<DynamicIndexList>($offsets, $static_offsets) `` `,` "
        "`sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes) `` `,` "
        "`strides` `` `:` custom<DynamicIndexList>($strides, $static_strides) attr-dict "
        "`:` type($source) `to` type($result)"
    )
    source: Value = operand(ANY_MEMREF)
    offsets: tuple[Value, ...] = variadic_operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(STRIDED_MEMREF)
    result_name_hint = result_name("reinterpret_cast")

    @classmethod
    def of(
        cls,
        source: Value,
        offset: Mixed,
        sizes: Sequence[Mixed],
        strides: Sequence[Mixed],
        **named: Any,
    ) -> ReinterpretCastOp:
        """The view, with a strided layout of what is static."""
        operands, statics = slice_parts([offset], sizes, strides)
        kind: Any = source.type
        layout = StridedLayoutAttr(extents_of(strides), extents_of([offset])[0])
        type = t.MemRefType(extents_of(sizes), kind.element_type, layout, kind.memory_space)
        return cls.build(source, *operands, **statics, result_types=[type], **named)

    @property
    def offset(self) -> Mixed:
        """First element, counted from the base."""
        return self.mixed_offsets[0]

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        self.check_lists(None)
        if source.memory_space is not made.memory_space:
            raise self.error(
                f"different memory spaces specified for source type '{source}' and target memref "
                f"type '{made}'"
            )
        if source.element_type is not made.element_type:
            raise self.error(
                f"different element types specified for source type '{source}' and target memref "
                f"type '{made}'"
            )
        if len(self.static_offsets) != 1:
            raise self.error("expected 1 offset value")
        strides, offset = made.strides_and_offset()
        rows = (
            ("size", self.static_sizes.values, made.shape),
            ("stride", self.static_strides.values, strides),
        )
        for what, given, wanted in rows:
            if len(given) != made.rank:
                raise self.error(f"expected {made.rank} {what} values")
            for i, (a, b) in enumerate(zip(given, wanted, strict=True)):
                if not _fits(a, b):
                    raise self.error(
                        f"expected result type with {what} = {a} instead of {b} in dim = {i}"
                    )
        given = self.static_offsets.values[0]
        if not _fits(given, offset):
            raise self.error(f"expected result type with offset = {given} instead of {offset}")


class SubViewOp(SliceBase):
    """A part of a memref: offsets, sizes and strides in its own subscripts."""

    name = "memref.subview"
    assembly_format = "$source `` " + LISTS + "type($source) `to` type($result)"
    source: Value = operand(RANKED_MEMREF)
    offsets: tuple[Value, ...] = variadic_operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    strides: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_MEMREF)
    result_name_hint = result_name("subview")

    @classmethod
    def of(
        cls,
        source: Value,
        offsets: Sequence[Mixed],
        sizes: Sequence[Mixed],
        strides: Sequence[Mixed] | None = None,
        **named: Any,
    ) -> SubViewOp:
        """The part, all dimensions kept."""
        operands, statics = slice_parts(offsets, sizes, strides)
        steps = statics["static_strides"].values
        type = subview_type(source.type, extents_of(offsets), extents_of(sizes), steps)
        return cls.build(source, *operands, **statics, result_types=[type], **named)

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        self.check_lists(source.rank)
        if made.element_type is not source.element_type:
            raise self.error(
                f"expected result element type to be '{source.element_type}', "
                f"got '{made.element_type}'"
            )
        if made.memory_space is not source.memory_space:
            raise self.error("expected result and source memory spaces to match")
        lists = (self.static_offsets.values, self.static_sizes.values, self.static_strides.values)
        inferred = subview_type(source, *lists)
        if not is_rank_reduced(inferred.shape, made.shape):
            raise self.error(
                f"expected result type to be '{inferred}' or a rank-reduced version. "
                "(mismatch of result sizes)"
            )
        if made.rank == source.rank and inferred.strides_and_offset() != made.strides_and_offset():
            raise self.error(
                f"expected result type to be '{inferred}' or a rank-reduced version. "
                "(mismatch of result layout)"
            )
        self.check_bounds(source.shape)


def subview_type(
    source: Any, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> t.MemRefType:
    """Type of a subview that keeps all dimensions."""
    outer, offset = source.strides_and_offset()
    for start, stride in zip(offsets, outer, strict=True):
        moved = _product(start, stride)
        offset = t.DYNAMIC if t.DYNAMIC in (offset, moved) else offset + moved
    layout = StridedLayoutAttr(tuple(map(_product, outer, strides)), offset)
    return t.MemRefType(tuple(sizes), source.element_type, layout, source.memory_space)


class ViewOp(Operation):
    """A memref of any element type at a byte offset of an i8 buffer."""

    name = "memref.view"
    traits = (Pure(),)
    assembly_format = (
        "$source `[` $byte_shift `]` `` `[` $sizes `]` attr-dict "
        "`:` type($source) `to` type($result)"
    )
    source: Value = operand(
        TypeConstraint(
            "1D memref of 8-bit signless integer values",
            lambda type: (
                isinstance(type, t.MemRefType) and type.rank == 1 and type.element_type is t.i8
            ),
        )
    )
    byte_shift: Value = operand(INDEX)
    sizes: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(RANKED_MEMREF)
    result_name_hint = result_name("view")

    def verify_(self) -> None:
        made: Any = self.result.type
        source: Any = self.source.type
        if source.memory_space is not made.memory_space:
            raise self.error(
                "different memory spaces specified for base memref type "
                f"'{source}' and view memref type '{made}'"
            )
        wanted = sum(1 for n in made.shape if n == t.DYNAMIC)
        if len(self.sizes) != wanted:
            raise self.error(f"incorrect number of size operands for type '{made}'")


class ReshapeOp(Operation):
    """The same elements in row-major order in a shape given as a memref."""

    name = "memref.reshape"
    traits = (Pure(),)
    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"
    source: Value = operand(ANY_MEMREF)
    shape: Value = operand(RANKED_MEMREF)
    result: OpResult = result(ANY_MEMREF)
    result_name_hint = result_name("reshape")

    def verify_(self) -> None:
        source: Any = self.source.type
        made: Any = self.result.type
        if source.element_type is not made.element_type:
            raise self.error(
                "element types of source and destination memref types should be the same"
            )
        if isinstance(made, t.MemRefType):
            (length,) = self.shape.type.shape  # type: ignore[attr-defined]
            if length not in (made.rank, t.DYNAMIC):
                raise self.error("length of shape operand differs from the result's memref rank")


class ExpandShapeOp(Operation):
    """Split dimensions into groups of dimensions."""

    name = "memref.expand_shape"
    traits = (Pure(),)
    assembly_format = (
        "$src $reassociation `output_shape` "
        "custom<DynamicIndexList>($output_shape, $static_output_shape) attr-dict "
        "`:` type($src) `into` type($result)"
    )
    src: Value = operand(STRIDED_MEMREF)
    reassociation: ArrayAttr = attr(INDEX_LISTS)
    output_shape: tuple[Value, ...] = variadic_operand(INDEX)
    static_output_shape: DenseArrayAttr = attr(I64_ARRAY)
    result: OpResult = result(STRIDED_MEMREF)
    result_name_hint = result_name("expand_shape")

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return groups_of(self.reassociation)

    @property
    def sizes(self) -> tuple[Mixed, ...]:
        return mixed(self.static_output_shape, self.output_shape)

    def verify_(self) -> None:
        check_mixed(self, "output shape", self.static_output_shape.values, self.output_shape)
        source: Any = self.src.type
        made: Any = self.result.type
        check_reassociation(self, self.groups, made.shape, source.shape)


class CollapseShapeOp(Operation):
    """Merge groups of dimensions that lie in memory like one."""

    name = "memref.collapse_shape"
    traits = (Pure(),)
    assembly_format = "$src $reassociation attr-dict `:` type($src) `into` type($result)"
    src: Value = operand(STRIDED_MEMREF)
    reassociation: ArrayAttr = attr(INDEX_LISTS)
    result: OpResult = result(STRIDED_MEMREF)
    result_name_hint = result_name("collapse_shape")

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return groups_of(self.reassociation)

    def verify_(self) -> None:
        source: Any = self.src.type
        made: Any = self.result.type
        check_reassociation(self, self.groups, source.shape, made.shape)


class TransposeOp(Operation):
    """The dimensions of a memref in another order; no data moves."""

    name = "memref.transpose"
    traits = (Pure(),)
    source: Value = operand(STRIDED_MEMREF)
    permutation: AffineMapAttr = attr(AffineMapAttr)
    result: OpResult = result(STRIDED_MEMREF)
    result_name_hint = result_name("transpose")

    def verify_(self) -> None:
        map = self.permutation.map
        source: Any = self.source.type
        made: Any = self.result.type
        if not map.is_permutation:
            raise self.error("expected a permutation map")
        if map.num_dims != source.rank:
            raise self.error("expected a permutation map of same rank as the input")
        strides, offset = source.strides_and_offset()
        order = map.dim_positions or ()
        layout = StridedLayoutAttr(tuple(strides[d] for d in order), offset)
        inferred = t.MemRefType(
            tuple(source.shape[d] for d in order), source.element_type, layout, source.memory_space
        )
        if (
            inferred.shape != made.shape
            or inferred.strides_and_offset() != made.strides_and_offset()
        ):
            raise self.error(
                f"result type '{made}' is not equivalent to the canonical transposed input type "
                f"'{inferred}'"
            )


class ExtractAlignedPointerAsIndexOp(Operation):
    """The address of a memref's buffer."""

    name = "memref.extract_aligned_pointer_as_index"
    traits = (Pure(),)
    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"
    source: Value = operand(ANY_MEMREF)
    aligned_pointer: OpResult = result(INDEX)
    result_name_hint = result_name("intptr")


class ExtractStridedMetadataOp(Operation):
    """Base buffer, offset, sizes and strides of a memref."""

    name = "memref.extract_strided_metadata"
    traits = (Pure(),)
    assembly_format = "$source `:` type($source) `->` type(results) attr-dict"
    source: Value = operand(STRIDED_MEMREF)
    base_buffer: OpResult = result(STRIDED_MEMREF)
    offset: OpResult = result(INDEX)
    sizes: tuple[OpResult, ...] = variadic_result(INDEX)
    strides: tuple[OpResult, ...] = variadic_result(INDEX)

    @staticmethod
    def infer_types(source: Any, properties: dict[str, Any]) -> list[t.Type]:
        kind = source[0].type
        base = t.MemRefType((), kind.element_type, None, kind.memory_space)
        return [base, t.index, *([t.index] * (2 * kind.rank))]

    def result_name_hint(self) -> list[str | None]:
        rank = len(self.sizes)
        rest: list[str | None] = [
            "sizes",
            *([None] * (rank - 1)),
            "strides",
            *([None] * (rank - 1)),
        ]
        return ["base_buffer", "offset", *(rest if rank else [])]

    def verify_(self) -> None:
        if len(self.results) != 2 + 2 * self.source.type.rank:  # type: ignore[attr-defined]
            raise self.error("expected a size and a stride for each dimension")
