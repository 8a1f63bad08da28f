"""Stores that would change what their own program still has to load."""

from __future__ import annotations

from collections.abc import Iterator

from kt.ir.affine import AffineMap
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import func, ktdp, linalg
from kt.passes.analysis.aliasing import may_alias, same_elements
from kt.passes.frontend.rules.buffers import load, new_buffer, store
from kt.passes.frontend.rules.carried import is_tensor


def stage_overwriting_stores(function: func.FuncOp) -> int:
    """Let results that overwrite their operands in another order pass through a buffer.

    A vector that is loaded and stored at the same place does no harm, so a tile may be changed in
    place, element by element. A transposition or a shift in place may not: all of it is computed
    before any of it is stored::

        ktdp.store %y, %t            →     ktdp.store %y, %b[…]
                                           %y1 = ktdp.load %b[…]
                                           ktdp.store %y1, %t

    Returns how many buffers that took.
    """
    top = Builder.at_start(function.entry, function.location)
    stores = [op for op in function.walk_type(ktdp.StoreOp) if _overwrites(op)]
    for op in stores:
        build = Builder.before(op, op.location)
        buffer = new_buffer(top, op.data.type, op.location)
        store(build, op.data, buffer)
        op.operands = [load(build, buffer), *op.operands[1:]]
    return len(stores)


def _overwrites(op: ktdp.StoreOp) -> bool:
    """Whether some tile that the value is computed from meets the store's in another order."""
    type = op.data.type
    rank = getattr(type, "rank", 0)
    return any(
        may_alias(made.access_tile, op.access_tile)
        and not (map is not None and map.is_identity and same_elements(made.access_tile, op.access_tile))
        for made, map in _loads(op.data, AffineMap.identity(rank))
    )  # fmt: skip


def _loads(
    value: Value, map: AffineMap | None
) -> Iterator[tuple[ktdp.LoadOp, AffineMap | None]]:
    """What a tensor is loaded from, each with the map from its elements; None for anything else."""
    seen: set[tuple[Operation, AffineMap | None]] = set()
    todo = [(value, map)]  # a list: the chain of operations may be longer than Python's stack
    while todo:
        value, map = todo.pop()
        op = value.defining_op
        if op is None or (op, map) in seen:
            continue
        seen.add((op, map))
        if isinstance(op, ktdp.LoadOp):
            yield op, map
            continue
        parts = zip(op.operands, _operand_maps(op, value, map), strict=True)
        todo += reversed([(operand, part) for operand, part in parts if is_tensor(operand)])


def _operand_maps(op: Operation, value: Value, map: AffineMap | None) -> list[AffineMap | None]:
    """For each operand, the map from the elements that ``map`` takes to those of ``value``."""
    maps: list[AffineMap | None] = [None] * len(op.operands)
    if isinstance(op, linalg.GenericOp):
        own = op.indexing_maps()
        back = own[len(op.inputs) + op.results.index(value)].inverse_permutation()
        outer = None if map is None or back is None else back.compose(map)
        if outer is not None:
            maps = [m.compose(outer) for m in own]
        elif "reduction" in op.iterator_types():
            maps[len(op.inputs) :] = [map] * len(op.outputs)
    return maps
