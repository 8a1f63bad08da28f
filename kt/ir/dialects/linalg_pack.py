"""``linalg`` ops that aren't loop nests with a body: layouts in tiles, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr, IntegerAttr
from kt.ir.constraints import ANY_TYPE, I64_ARRAY, INDEX, RANKED_SHAPED, RANKED_TENSOR, integer_attr
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.common import result_name
from kt.ir.dialects.linalg_base import infer_tensor_results
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    optional_operand,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import AttrSizedOperands, DestinationStyle, Pure, TypesMatchWith

RESULT_IS_DEST = TypesMatchWith(
    "result", "dest", lambda type: type, "expected result type to match dest type"
)
TILES = (
    "(`outer_dims_perm` `=` $outer_dims_perm^)? `inner_dims_pos` `=` $inner_dims_pos "
    "`inner_tiles` `=` custom<DynamicIndexList>($inner_tiles, $static_inner_tiles) "
    "`into` $dest attr-dict `:` type($source) `->` type($dest)"
)


class _Tiled(Operation):
    """What pack and unpack share: a plain tensor and one whose last dimensions are tiles of it."""

    source: Value
    dest: Value
    inner_tiles: tuple[Value, ...]
    outer_dims_perm: DenseArrayAttr | None
    inner_dims_pos: DenseArrayAttr
    static_inner_tiles: DenseArrayAttr

    @property
    def plain(self) -> Value:
        """The operand without tiles."""
        raise AttributeError("plain")

    @property
    def packed(self) -> Value:
        """The operand with tiles."""
        raise AttributeError("packed")

    @property
    def outer_order(self) -> list[int]:
        """The dimensions of the plain tensor in the order that those of tiles have."""
        rank = len(self.plain.type.shape)  # type: ignore[attr-defined]
        given = self.outer_dims_perm
        return list(given.values) if given is not None and given.values else list(range(rank))

    def packed_shape(self) -> list[int]:
        """Extents of the packed tensor that fits the plain one; DYNAMIC where they aren't known."""
        shape: Sequence[int] = self.plain.type.shape  # type: ignore[attr-defined]
        tiles = dict(zip(self.inner_dims_pos.values, self.static_inner_tiles.values, strict=True))

        def outer(d: int) -> int:
            tile = tiles.get(d, 1)
            return t.DYNAMIC if t.DYNAMIC in (shape[d], tile) else -(-shape[d] // tile)

        return [*(outer(d) for d in self.outer_order), *self.static_inner_tiles.values]

    def verify_(self) -> None:
        plain: Any = self.plain.type
        packed: Any = self.packed.type
        positions, tiles = self.inner_dims_pos.values, self.static_inner_tiles.values
        if plain.element_type is not packed.element_type:
            raise self.error(
                f"expected one element type, got '{plain.element_type}' and '{packed.element_type}'"
            )
        if len(set(positions)) != len(positions) or any(not 0 <= d < plain.rank for d in positions):
            raise self.error("invalid inner_dims_pos vector")
        if sorted(self.outer_order) != list(range(plain.rank)):
            raise self.error("invalid outer_dims_perm vector")
        if len(tiles) != len(positions):
            raise self.error(
                f"tiling factors must equal the number of dimensions to tile: {len(tiles)} factors, "
                f"{len(positions)} dimensions"
            )
        if tiles.count(t.DYNAMIC) != len(self.inner_tiles):
            raise self.error(
                f"expected {tiles.count(t.DYNAMIC)} dynamic tile values, got {len(self.inner_tiles)}"
            )
        if any(n != t.DYNAMIC and n < 1 for n in tiles):
            raise self.error("invalid zero tile factor")
        if packed.rank != plain.rank + len(tiles):
            raise self.error(
                f"packed rank != (unpacked rank + num tiling factors), got {packed.rank} != "
                f"{plain.rank + len(tiles)}"
            )
        if any(
            t.DYNAMIC not in (a, b) and a != b
            for a, b in zip(packed.shape[plain.rank :], tiles, strict=True)
        ):
            raise self.error(
                "mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type"
            )
        wanted = self.packed_shape()
        if any(t.DYNAMIC not in (a, b) and a != b for a, b in zip(wanted, packed.shape, strict=True)):
            fitting = t.TensorType(tuple(wanted), plain.element_type)
            raise self.error(f"expected '{fitting}' for the packed type, got '{packed}'", code="strict")


class PackOp(_Tiled):
    """Elements moved into tiles: the last dimensions of the result run inside a tile.

    Tiles that reach beyond the source are filled up with the padding value.
    """

    name = "linalg.pack"
    traits = (AttrSizedOperands(), DestinationStyle(), Pure(), RESULT_IS_DEST)
    assembly_format = "$source (`padding_value` `(` $padding_value^ `:` type($padding_value) `)`)? " + TILES
    source: Value = operand(RANKED_TENSOR)
    dest: Value = operand(RANKED_TENSOR)
    padding_value: Value | None = optional_operand(ANY_TYPE)
    inner_tiles: tuple[Value, ...] = variadic_operand(INDEX)
    outer_dims_perm: DenseArrayAttr | None = optional_attr(I64_ARRAY)
    inner_dims_pos: DenseArrayAttr = attr(I64_ARRAY)
    static_inner_tiles: DenseArrayAttr = attr(I64_ARRAY)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("pack")

    @property
    def plain(self) -> Value:
        return self.source

    @property
    def packed(self) -> Value:
        return self.dest

    def verify_(self) -> None:
        super().verify_()
        source: Any = self.source.type
        if self.padding_value is not None:
            if self.padding_value.type is not source.element_type:
                raise self.error(
                    f"expected padding_value has '{source.element_type}' but got: "
                    f"'{self.padding_value.type}'"
                )
            return
        pairs = zip(self.inner_dims_pos.values, self.static_inner_tiles.values, strict=True)
        if any(t.DYNAMIC not in (source.shape[d], n) and source.shape[d] % n for d, n in pairs):
            raise self.error(
                "invalid tile factor or output size provided. Only full tiles are supported when "
                "padding_value is not set"
            )


class UnPackOp(_Tiled):
    """The reverse of ``linalg.pack``: elements moved out of tiles, padding dropped."""

    name = "linalg.unpack"
    traits = (DestinationStyle(), Pure(), RESULT_IS_DEST)
    assembly_format = "$source " + TILES
    source: Value = operand(RANKED_TENSOR)
    dest: Value = operand(RANKED_TENSOR)
    inner_tiles: tuple[Value, ...] = variadic_operand(INDEX)
    outer_dims_perm: DenseArrayAttr | None = optional_attr(I64_ARRAY)
    inner_dims_pos: DenseArrayAttr = attr(I64_ARRAY)
    static_inner_tiles: DenseArrayAttr = attr(I64_ARRAY)
    result: OpResult = result(RANKED_TENSOR)
    result_name_hint = result_name("unpack")

    @property
    def plain(self) -> Value:
        return self.dest

    @property
    def packed(self) -> Value:
        return self.source


class SoftmaxOp(Operation):
    """``exp(x - max) / sum(exp(x - max))`` along one dimension."""

    name = "linalg.softmax"
    traits = (DestinationStyle(),)
    assembly_format = (
        "attr-dict `dimension` `(` $dimension `)` `ins` `(` $input `:` type($input) `)` "
        "`outs` `(` $output `:` type($output) `)` (`->` type($outcome)^)?"
    )
    input: Value = operand(RANKED_SHAPED)
    output: Value = operand(RANKED_SHAPED)
    dimension: IntegerAttr = attr(integer_attr(t.i64, "64-bit signless integer attribute"))
    outcome: tuple[OpResult, ...] = variadic_result()
    infer_types = staticmethod(infer_tensor_results)

    def verify_(self) -> None:
        source: Any = self.input.type
        made: Any = self.output.type
        if tuple(source.shape) != tuple(made.shape):
            raise self.error("incompatible output shape")
        if not 0 <= self.dimension.value < source.rank:
            raise self.error("incorrect dimension specified")
        if source.element_type is not made.element_type or not t.is_float(source.element_type):
            raise self.error(
                f"expected one float element type, got '{source.element_type}' and "
                f"'{made.element_type}'"
            )

    def effects_(self) -> frozenset[str] | bool:
        """Tensors have no effects; a memref is read or written."""
        found = {"read": self.input.type, "write": self.output.type}
        return frozenset(k for k, type in found.items() if isinstance(type, t.MemRefType)) or True
