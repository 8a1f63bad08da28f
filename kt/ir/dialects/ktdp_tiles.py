"""`ktdp` ops that move data: access tiles, load, store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kt.ir import types as t
from kt.ir.affine import AffineConst
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    IntegerAttr,
)
from kt.ir.constraints import (
    ANY_TYPE,
    INDEX,
    RANKED_MEMREF,
    TypeConstraint,
    array_of,
)
from kt.ir.core import Operation, OpResult, Region, Value
from kt.ir.dialects.ktdp_types import ACCESS_TILE
from kt.ir.opdef import attr, operand, region, result, variadic_operand
from kt.ir.traits import (
    AttrSizedOperands,
    HasParent,
    ImplicitTerminator,
    Pure,
    ReadEffect,
    SingleBlock,
    Terminator,
    WriteEffect,
)

if TYPE_CHECKING:
    from kt.ir.affine import AffineMap, AffineSet, Box

INDEXABLE = TypeConstraint(
    "memref of any type values or ranked tensor of any type values",
    lambda type: isinstance(type, (t.MemRefType, t.TensorType)),
)


class TileSpaceOp(Operation):
    """What both kinds of access tile share: a set of points, their order, a base, a tile."""

    @property
    def space(self) -> AffineSet:
        """The points of the tile, relative to the base coordinate (or of the variables)."""
        raise TypeError("TileSpaceOp is abstract")

    @property
    def order(self) -> AffineMap:
        """Sort key of the points: lexicographic on its results, the last one fastest."""
        raise TypeError("TileSpaceOp is abstract")

    @property
    def type(self) -> Any:
        return self.result.type

    @property
    def permutation(self) -> tuple[int, ...] | None:
        """``p[k]`` is the dimension of the space that runs along tile axis ``k``; None if none."""
        return self.order.dim_positions if self.order.is_permutation else None

    @property
    def box(self) -> Box | None:
        """(first, one past last) per dimension of the space when it is a box without symbols."""
        return None if self.space.num_symbols else self.space.as_box()

    def extents(self) -> tuple[int | None, ...]:
        """Extent of the space along each *tile* axis where it is a known number."""
        dims = self.permutation
        box = self.space.as_symbolic_box()
        if dims is None or box is None:
            return (None,) * self.space.num_dims
        sizes = [hi - lo for lo, hi in zip(*box, strict=True)]
        return tuple(
            max(0, n.value) if isinstance(n := sizes[d], AffineConst) else None for d in dims
        )

    def _verify_tile(self) -> None:
        """Rules that upstream lets through: order is a permutation, extents are the tile's."""
        if not self.order.is_permutation:
            raise self.error(
                f"the order of the points must be a permutation, but is {self.order}", code="strict"
            )
        for axis, (extent, dim) in enumerate(zip(self.extents(), self.type.shape, strict=True)):
            if extent is not None and dim not in (t.DYNAMIC, extent):
                raise self.error(
                    f"the set has {extent} points along axis {axis} of the tile, but the result "
                    f"type has {dim}",
                    code="strict",
                )


class ConstructAccessTileOp(TileSpaceOp):
    """Coordinates ``base_map(indices) + p`` for every point ``p`` of a set, in an order.

    Tile axis ``k`` runs along dimension ``permutation[k]`` of the set.
    """

    name = "ktdp.construct_access_tile"
    traits = (Pure(), AttrSizedOperands())
    base: Value = operand(INDEXABLE)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    symbol_operands: tuple[Value, ...] = variadic_operand(INDEX)
    base_map: AffineMapAttr = attr(AffineMapAttr)
    access_tile_set: AffineSetAttr = attr(AffineSetAttr)
    access_tile_order: AffineMapAttr = attr(AffineMapAttr)
    tile: OpResult = result(ACCESS_TILE)

    @property
    def subscripts(self) -> AffineMap:
        """The base coordinate as a function of ``indices``."""
        return self.base_map.map

    @property
    def space(self) -> AffineSet:
        return self.access_tile_set.set

    @property
    def order(self) -> AffineMap:
        return self.access_tile_order.map

    def verify_(self) -> None:
        space, order, base_map = self.space, self.order, self.subscripts
        if space.num_dims != base_map.num_results:
            raise self.error(
                f"access_tile_set dimensions ({space.num_dims}) must match base_map dims "
                f"({base_map.num_results})"
            )
        if base_map.num_inputs != len(self.indices):
            raise self.error(
                f"base_map expects {base_map.num_inputs} operands but got {len(self.indices)}"
            )
        if space.num_symbols != len(self.symbol_operands):
            raise self.error(
                f"access_tile_set has {space.num_symbols} symbols but got "
                f"{len(self.symbol_operands)} symbol operands"
            )
        if order.num_inputs != order.num_results:
            raise self.error(
                f"access_tile_order must have equal number of inputs ({order.num_inputs}) and "
                f"outputs ({order.num_results})"
            )
        if order.num_dims != space.num_dims:
            raise self.error(
                f"access_tile_order dimensions ({order.num_dims}) must match access_tile_set "
                f"dimensions ({space.num_dims})"
            )
        if self.type.rank != space.num_dims:
            raise self.error(
                f"result type rank ({self.type.rank}) must match access_tile_set dimensions "
                f"({space.num_dims})"
            )
        base = self.base.type
        if base.rank != base_map.num_results:
            raise self.error(
                f"number of subscripts ({base_map.num_results}) must match base rank ({base.rank})",
                code="strict",
            )
        self._verify_tile()


class ConstructIndirectAccessTileOp(TileSpaceOp):
    """Coordinates given per point of a variables space, some of them looked up in memory.

    Subscript ``d`` is ``map_d(captured, variables)``, or the element of an index view at those
    coordinates. Captured values are the first dims of every map, the variables the others.
    """

    name = "ktdp.construct_indirect_access_tile"
    traits = (
        ReadEffect(),
        AttrSizedOperands(),
        SingleBlock(),
        ImplicitTerminator("ktdp.region_terminator"),
    )
    base: Value = operand(INDEXABLE)
    index_views: tuple[Value, ...] = variadic_operand(RANKED_MEMREF)
    captured: tuple[Value, ...] = variadic_operand(INDEX)
    symbol_operands: tuple[Value, ...] = variadic_operand(INDEX)
    per_dim_subscript_kinds: ArrayAttr = attr(array_of(IntegerAttr, "array of booleans"))
    per_dim_subscript_maps: ArrayAttr = attr(array_of(AffineMapAttr, "AffineMap array attribute"))
    variables_space_set: AffineSetAttr = attr(AffineSetAttr)
    variables_space_order: AffineMapAttr = attr(AffineMapAttr)
    tile: OpResult = result(ACCESS_TILE)
    variables: Region = region(single_block=True)

    def needs_generic_form(self) -> bool:
        """Whether the custom form, which leaves out the terminator, would lose something."""
        return any(op._attributes for block in self.variables.blocks for op in block.ops)

    @property
    def num_variables(self) -> int:
        blocks = self.variables.blocks
        return len(blocks[0].arguments) if blocks else 0

    @property
    def space(self) -> AffineSet:
        return self.variables_space_set.set

    @property
    def order(self) -> AffineMap:
        return self.variables_space_order.map

    def subscripts(self) -> Iterator[tuple[Value | None, AffineMap]]:
        """Per dimension of the base: the index view (None when direct) and its map."""
        views = iter(self.index_views)
        for kind, map in zip(
            self.per_dim_subscript_kinds, self.per_dim_subscript_maps, strict=True
        ):
            yield (next(views) if kind.value else None), map.map  # type: ignore[attr-defined]

    def verify_(self) -> None:
        space, order = self.space, self.order
        if space.num_dims != order.num_inputs:
            raise self.error(
                f"variables_space_set dimensions ({space.num_dims}) must match "
                f"variables_space_order inputs ({order.num_inputs})"
            )
        if order.num_results != order.num_inputs:
            raise self.error(
                f"variables_space_order must have equal number of inputs ({order.num_inputs}) and "
                f"outputs ({order.num_results})"
            )
        if self.num_variables != space.num_dims:
            raise self.error(
                f"number of intermediate variables ({self.num_variables}) must match "
                f"variables_space_set dimensions ({space.num_dims})"
            )
        if space.num_symbols != len(self.symbol_operands):
            raise self.error(
                f"variables_space_set has {space.num_symbols} symbols but got "
                f"{len(self.symbol_operands)} symbol operands"
            )
        self._verify_subscripts()
        if self.type.rank != space.num_dims:
            raise self.error(
                f"result type rank ({self.type.rank}) must match variables_space_set dimensions "
                f"({space.num_dims})"
            )
        for i, view in enumerate(self.index_views):
            if not isinstance(view.type.element_type, (t.IntegerType, t.IndexType)):
                raise self.error(
                    f"index memref #{i} must have integer elements, but has "
                    f"'{view.type.element_type}'",
                    code="strict",
                )
        self._verify_tile()

    def _verify_subscripts(self) -> None:
        kinds, maps = self.per_dim_subscript_kinds, self.per_dim_subscript_maps
        rank = self.base.type.rank
        if len(maps) != rank:
            raise self.error(f"number of subscripts ({len(maps)}) must match base rank ({rank})")
        if len(kinds) != len(maps):
            raise self.error(f"{len(kinds)} subscript kinds but {len(maps)} subscript maps")
        indirect = sum(bool(kind.value) for kind in kinds)  # type: ignore[attr-defined]
        if indirect != len(self.index_views):
            raise self.error(
                f"{indirect} indirect subscripts but {len(self.index_views)} indirect memrefs"
            )
        inputs = len(self.captured) + self.num_variables
        for dim, (view, map) in enumerate(self.subscripts()):
            if view is None and map.num_results != 1:
                raise self.error(
                    f"direct subscript map for dimension {dim} must produce exactly 1 result, but "
                    f"produces {map.num_results}"
                )
            if view is not None and map.num_results != view.type.rank:  # type: ignore[attr-defined]
                raise self.error(
                    f"indirect subscript map for dimension {dim} produces {map.num_results} "
                    f"results, but indirect memref has rank {view.type.rank}"  # type: ignore[attr-defined]
                )
            if (map.num_dims, map.num_symbols) != (inputs, 0):
                raise self.error(
                    f"subscript map for dimension {dim} must have {inputs} dims and no symbols, "
                    f"but is {map}"
                )


class RegionTerminatorOp(Operation):
    """Ends the region that declares the variables of an indirect access tile."""

    name = "ktdp.region_terminator"
    traits = (Pure(), Terminator(), HasParent(("ktdp.construct_indirect_access_tile",)))
    assembly_format = "attr-dict"


def view_element_type(tile: Value) -> t.Type | None:
    """Element type of the base of an access tile; None when the tile isn't made in view."""
    made = tile.defining_op
    return made.base.type.element_type if isinstance(made, TileSpaceOp) else None


class LoadOp(Operation):
    """Reads the elements at the coordinates of a tile, in the tile's order, row-major."""

    name = "ktdp.load"
    traits = (ReadEffect(),)
    assembly_format = "$access_tile attr-dict `:` type($access_tile) `->` type($data)"
    access_tile: Value = operand(ACCESS_TILE)
    data: OpResult = result(ANY_TYPE)

    def verify_(self) -> None:
        if not isinstance(self.data.type, t.TensorType):
            raise self.error("result must be a ranked tensor")
        if self.data.type.shape != self.access_tile.type.shape:  # type: ignore[attr-defined]
            raise self.error("access tile shape must match result tensor shape")
        _verify_elements(self, self.access_tile, self.data.type)


class StoreOp(Operation):
    """Writes a tensor to the coordinates of a tile. No order among the elements is promised."""

    name = "ktdp.store"
    traits = (WriteEffect(),)
    assembly_format = "$data `,` $access_tile attr-dict `:` type($data) `,` type($access_tile)"
    data: Value = operand(ANY_TYPE)
    access_tile: Value = operand(ACCESS_TILE)

    def verify_(self) -> None:
        if not isinstance(self.data.type, t.TensorType):
            raise self.error("data_tile must be a ranked tensor")
        if self.data.type.shape != self.access_tile.type.shape:  # type: ignore[attr-defined]
            raise self.error("data tile shape must match access tile shape")
        _verify_elements(self, self.access_tile, self.data.type)


def _verify_elements(op: Operation, tile: Value, tensor: t.TensorType) -> None:
    element = view_element_type(tile)
    if element is not None and element is not tensor.element_type:
        raise op.error(
            f"element type of the tensor ('{tensor.element_type}') must match that of the view "
            f"('{element}')",
            code="strict",
        )
