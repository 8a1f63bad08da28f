"""Text of the `ktdp` dialect where MLIR's declarative format doesn't reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    Attribute,
    IntegerAttr,
)
from kt.ir.dialects.ktdp import (
    NO_TILE,
    ConstructAccessTileOp,
    ConstructIndirectAccessTileOp,
    ConstructMemoryViewOp,
    MemorySpaceAttr,
)
from kt.parse.core_actions import affine_of_values
from kt.parse.syntax_api import (
    Pending,
    PendingRegion,
    action,
    fail,
    printer,
    segments,
    static_array,
    syntax,
)

Attributes = dict[str, Attribute] | None

OLD_SPACES = {"HBM": "global", "LX": "ct_local"}
"""Old spelling of the memory spaces → the present one."""


# Attributes and types


@syntax("ktdp.memory_space", rule="ktdp_memory_space")
def build_memory_space(cls: type, kind: str, number: int | None) -> Attribute:
    return MemorySpaceAttr(kind, NO_TILE if number is None else number)


@action("ktdp_tile_number")
def tile_number(word: str | None, number: int | None) -> int | None:
    """The number behind ``ct_id =``, in old texts ``core =``."""
    if word not in (None, "ct_id", "core"):
        fail(f"expected 'ct_id', got '{word}'")
    if number is not None and number < 0:
        fail(f"ct_id must be non-negative, but got: {number}")
    return number


@syntax("ktdp.spyre_memory_space", rule="ktdp_memory_space")
def build_old_memory_space(cls: type, kind: str, number: int | None) -> Attribute:
    """``<HBM>``, ``<LX>``, ``<LX, core = 3>``: read, never written."""
    if kind not in OLD_SPACES:
        fail(
            f"expected one of [{', '.join(OLD_SPACES)}] for the old memory-space enum, got: {kind}"
        )
    return MemorySpaceAttr(OLD_SPACES[kind], NO_TILE if number is None else number)


@syntax("ktdp.access_tile", rule="ktdp_access_tile_type")
def build_access_tile_type(cls: type, shape: tuple[int, ...], element: t.Type) -> Attribute:
    if element is not t.index:
        fail(f"tile element type must be 'index', but got: '{element}'")
    return cls(shape)


@syntax("ktdp.runtime_arg", rule="ktdp_runtime_arg")
def build_runtime_arg(cls: type, type: t.Type, *promises: tuple[str, int]) -> Attribute:
    given: dict[str, int] = {}
    for word, value in promises:
        if word not in ("granularity", "upperbound"):
            fail("expected 'granularity' or 'upperbound' keyword")
        if word in given:
            fail(f"duplicate '{word}' keyword")
        given[word] = value
    return cls(type, given.get("granularity"), given.get("upperbound"))


@syntax("ktdp.tile_future", rule="ktdp_tile_future")
def build_tile_future(cls: type, partials: tuple[t.Type, ...], groups: Attribute) -> Attribute:
    if not isinstance(groups, AffineSetAttr):
        fail("tile_future `groups` must be an affine set")
    return cls(partials, groups)


# Memory views


@syntax("ktdp.construct_memory_view", rule="ktdp_memory_view")
def build_memory_view(
    cls: type,
    offset: str,
    sizes: tuple[tuple[int, ...], tuple[str, ...]],
    strides: tuple[tuple[int, ...], tuple[str, ...]],
    attributes: Attributes,
    type: t.Type,
) -> Pending:
    if not isinstance(type, t.MemRefType):
        fail(f"invalid kind of type specified: expected builtin.memref, but found '{type}'")
    properties: dict[str, Attribute] = {
        "static_sizes": static_array(sizes[0]),
        "static_strides": static_array(strides[0]),
        "operandSegmentSizes": segments(1, len(sizes[1]), len(strides[1])),
    }
    operands = (offset, *sizes[1], *strides[1])
    return Pending(
        cls,
        operands=operands,
        types=(t.index,) * len(operands),
        result_types=(type,),
        properties=properties,
        attributes=attributes,
    )


@printer("ktdp.construct_memory_view")
def print_memory_view(p: Any, op: ConstructMemoryViewOp) -> None:
    p.write(" ")
    p.value(op.offset)
    p.write(", sizes: ")
    p.mixed_list(op.static_sizes, op.sizes)
    p.write(", strides: ")
    p.mixed_list(op.static_strides, op.strides)
    p.attr_dict(op, elided=("static_sizes", "static_strides", "operandSegmentSizes"))
    p.write(" : ")
    p.type(op.view.type)


# Access tiles


@action("ktdp_symbols")
def symbols(names: tuple[str, ...] | None) -> tuple[str, ...]:
    return names or ()


@syntax("ktdp.construct_access_tile", rule="ktdp_access_tile")
def build_access_tile(
    cls: type,
    base: str,
    subscripts: tuple[AffineMap, tuple[str, ...], tuple[str, ...]],
    symbols: tuple[str, ...],
    attributes: Attributes,
    base_type: t.Type,
    type: t.Type,
) -> Pending:
    base_map, indices, symbol_names = subscripts
    if symbol_names:
        fail("symbols are not allowed in the subscripts of an access tile")
    _check_tile_attributes(base_map, attributes, len(symbols))
    operands = (base, *indices, *symbols)
    return Pending(
        cls,
        operands=operands,
        types=(base_type, *(t.index for _ in operands[1:])),
        result_types=(type,),
        properties={
            "base_map": AffineMapAttr(base_map),
            "operandSegmentSizes": segments(1, len(indices), len(symbols)),
        },
        attributes=attributes,
    )


def _check_tile_attributes(
    base_map: AffineMap, attributes: Attributes, num_symbols: int
) -> None:
    """What upstream's parser refuses before any verifier runs."""
    attributes = attributes or {}
    tile_set, tile_order = attributes.get("access_tile_set"), attributes.get("access_tile_order")
    if not isinstance(tile_set, AffineSetAttr):
        return fail("Access tile set is missing in the operation")
    if not isinstance(tile_order, AffineMapAttr):
        return fail("Access tile order is missing in the operation")
    space, order = tile_set.set, tile_order.map
    if space.num_dims != base_map.num_results:
        fail("Access tile set and Base input dimensions should match")
    if space.num_symbols != num_symbols:
        fail(
            f"access_tile_set has {space.num_symbols} symbols but got {num_symbols} symbol operands"
        )
    if order.num_inputs != order.num_results:
        fail(
            "Number of input dimensions and output dimensions in the access tile order should match"
        )
    if order.num_dims != space.num_dims:
        fail("Number of dimensions in the access tile order and access tile set must match!")


def _print_symbols(p: Any, symbols: Sequence[Any]) -> None:
    if symbols:
        p.write(" symbols(")
        p.values(symbols)
        p.write(")")


@printer("ktdp.construct_access_tile")
def print_access_tile(p: Any, op: ConstructAccessTileOp) -> None:
    p.write(" ")
    p.value(op.base)
    p.write("[")
    p.affine_operands(op.subscripts, op.indices)
    p.write("]")
    _print_symbols(p, op.symbol_operands)
    p.attr_dict(op, elided=("base_map", "operandSegmentSizes"))
    p.write(" : ")
    p.type(op.base.type)
    p.write(" -> ")
    p.type(op.tile.type)


# Indirect access tiles


@action("ktdp_subscript")
def subscript(*parts: Any) -> tuple[str | None, Any]:
    """(index view or None, expression trees) of one subscript."""
    return parts if len(parts) == 2 else (None, parts[0])  # type: ignore[return-value]


@syntax("ktdp.construct_indirect_access_tile", rule="ktdp_indirect_tile")
def build_indirect_tile(
    cls: type,
    variables: tuple[str, ...],
    base: str,
    subscripts: tuple[tuple[str | None, Any], ...],
    symbols: tuple[str, ...],
    attributes: Attributes,
    types: tuple[t.Type, ...],
    type: t.Type,
) -> Pending:
    views = [view for view, _ in subscripts if view is not None]
    if len(types) != 1 + len(views):
        fail(
            f"expected {1 + len(views)} types (base + {len(views)} indirect memrefs), "
            f"but got {len(types)}"
        )
    captured, maps = _over_captured_and_variables([part for _, part in subscripts], variables)
    kinds = [IntegerAttr(int(view is not None), t.i1) for view, _ in subscripts]
    rest = (*captured, *symbols)
    return Pending(
        cls,
        operands=(base, *views, *rest),
        types=(*types, *(t.index for _ in rest)),
        result_types=(type,),
        properties={
            "per_dim_subscript_kinds": ArrayAttr(kinds),
            "per_dim_subscript_maps": ArrayAttr([AffineMapAttr(map) for map in maps]),
            "operandSegmentSizes": segments(1, len(views), len(captured), len(symbols)),
        },
        attributes=attributes,
        regions=[PendingRegion([]).set_arguments([(name, t.index) for name in variables])],
    )


def _over_captured_and_variables(
    parts: list[Any], variables: tuple[str, ...]
) -> tuple[list[str], list[AffineMap]]:
    """Names from outside in order of first use, and the maps over those, then the variables."""
    _, names, symbols = affine_of_values([tree for trees in parts for tree in trees])
    if symbols:
        fail("symbols are not allowed in the subscripts of an access tile")
    captured = [name for name in names if name not in variables]
    dims = [*captured, *variables]
    return captured, [affine_of_values(trees, dims)[0] for trees in parts]


@printer("ktdp.construct_indirect_access_tile")
def print_indirect_tile(p: Any, op: ConstructIndirectAccessTileOp) -> None:
    variables = op.variables.block.arguments
    p.write(" intermediate_variables(")
    p.values(variables)
    p.write(") ")
    p.value(op.base)
    p.write("[")
    for i, (view, map) in enumerate(op.subscripts()):
        p.write(", " if i else "")
        if view is not None:
            p.write("ind(")
            p.value(view)
        p.write("(" if view is None else "[")
        p.affine_operands(map, (*op.captured, *variables))
        p.write(")" if view is None else "])")
    p.write("]")
    _print_symbols(p, op.symbol_operands)
    p.attr_dict(
        op,
        elided=("per_dim_subscript_kinds", "per_dim_subscript_maps", "operandSegmentSizes"),
    )
    p.write(" : ")
    p.types([op.base.type, *(view.type for view in op.index_views)])
    p.write(" -> ")
    p.type(op.tile.type)
