"""Groups that load the same tiles become one, so that each tile is loaded once."""

from __future__ import annotations

from collections.abc import Callable

from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.dialects import kt, ktdp, linalg, tensor
from kt.passes.analysis.aliasing import may_alias, same_elements, space_of
from kt.passes.analysis.groups import ComputeGroup, may_move
from kt.passes.analysis.linear import equivalent
from kt.passes.analysis.structured import is_pointwise, is_relayout


def share_loads(
    groups: list[ComputeGroup], has_room: Callable[[list[Operation]], bool] = lambda ops: True
) -> list[ComputeGroup]:
    """The groups of a block, those joined that run over the same points and load a tile in common.

    So do copies from the scratchpads of other tiles, whatever they copy. A group joins the first one
    before it that it fits to; it then runs there. Groups stay apart if
    one of them runs before another's store, or stores what the other loads or stores, or if
    ``has_room`` says that one program can't hold the ops of both.
    """
    by_store: dict[Operation, ComputeGroup] = {g.store: g for g in groups}
    awaited = {g.before for g in groups}
    kept: list[ComputeGroup] = []
    joined: dict[ComputeGroup, list[ktdp.StoreOp]] = {}
    for group in groups:
        first = next(
            (other for other in kept
             if not {group, other} & awaited and _fits(other, joined[other], group, by_store)
             and has_room([*group.ops, *(o for s in joined[other] for o in by_store[s].ops)])),
            None,
        )  # fmt: skip
        if first is None:
            kept.append(group)
            joined[group] = [group.store]
        else:
            joined[first].append(group.store)
    return [g if len(joined[g]) == 1 else ComputeGroup(joined[g]) for g in kept]


def _fits(
    first: ComputeGroup,
    stores: list[ktdp.StoreOp],
    group: ComputeGroup,
    by_store: dict[Operation, ComputeGroup],
) -> bool:
    """Whether ``group`` can be computed along with the stores that ``first`` stands for."""
    if first.before is not None or group.before is not None:
        return False
    parts = [by_store[store] for store in stores]
    if not all(map(is_pull, (*parts, group))):
        if not any(_common_load(part, group) for part in parts):
            return False
        if not all(_same_points(part, group) for part in parts):
            return False
    for part in parts:
        for one, other in ((part, group), (group, part)):
            touched = [one.store.access_tile, *(load.access_tile for load in one.loads)]
            if any(may_alias(tile, other.store.access_tile) for tile in touched):
                return False
    return may_move(group, first.store, by_store)


def is_pull(group: ComputeGroup) -> bool:
    """Whether a group copies a tile from the scratchpads of others to a place of the tile's own.

    Such copies have nothing to wait for: one after the other, they make one program.
    """
    if len(group.stores) != 1 or len(group.loads) != 1:
        return False
    (load,) = group.loads
    tile = load.access_tile.defining_op
    return (
        group.store.data is load.data
        and isinstance(tile, ktdp.ConstructAccessTileOp)
        and isinstance(tile.base.defining_op, kt.PeerViewOp)
    )


def _common_load(first: ComputeGroup, second: ComputeGroup) -> bool:
    return any(
        a is b or same_elements(a.access_tile, b.access_tile)
        for a in first.loads
        for b in second.loads
    )


def _same_points(first: ComputeGroup, second: ComputeGroup) -> bool:
    """Whether one elementwise op can compute both, or both are copies of the same tile."""
    if not (_is_elementwise(first) and _is_elementwise(second)):
        return False
    if _moves_freely(first) and _moves_freely(second):
        return space_of(first.store.access_tile) is space_of(second.store.access_tile)
    a, b = first.store, second.store
    if a.data.type.shape != b.data.type.shape:  # type: ignore[attr-defined]
        return False
    return t.DYNAMIC not in a.data.type.shape or _same_extents(a, b)  # type: ignore[attr-defined]


def _same_extents(a: ktdp.StoreOp, b: ktdp.StoreOp) -> bool:
    """Whether the tiles that are stored to have the same extents, also those known late."""
    x, y = a.access_tile.defining_op, b.access_tile.defining_op
    return (
        isinstance(x, ktdp.ConstructAccessTileOp)
        and isinstance(y, ktdp.ConstructAccessTileOp)
        and x.attr("access_tile_set") is y.attr("access_tile_set")
        and len(x.symbol_operands) == len(y.symbol_operands)
        and all(map(equivalent, x.symbol_operands, y.symbol_operands))
    )


def _is_elementwise(group: ComputeGroup) -> bool:
    """Whether a program of this group is one elementwise op once its producers are fused."""
    return all(
        is_pointwise(op) or isinstance(op, (ktdp.LoadOp, tensor.EmptyOp))
        for op in group.ops
        if any(isinstance(v.type, t.TensorType) for v in op.results)
    )


def _moves_freely(group: ComputeGroup) -> bool:
    """Whether a group only moves a tile of shared memory, each element once, in any order of axes."""
    work = [op for op in group.ops if isinstance(op, linalg.GenericOp)]
    if len(group.loads) != 1 or len(work) > 1 or not all(map(is_relayout, work)):
        return False
    space = space_of(group.loads[0].access_tile)
    return (
        space is not None
        and space.is_global
        and all(m.is_permutation for op in work for m in op.indexing_maps())
    )
