"""What a kernel's tiles may have in common, as far as its text tells: it decides what is tracked."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.dialects.ktdp import ConstructIndirectAccessTileOp
from kt.sim.memory import Sharing

_READS = ("ktdp.load", "memref.load", "affine.load", "affine.vector_load", "memref.copy")
_WRITES = ("ktdp.store", "memref.store", "affine.store", "affine.vector_store", "memref.copy")


def sharing_of(module: Operation, function: Any, flat: bool = False) -> Sharing:
    """What the tiles of a launch of ``function`` may have in common."""
    watched = buffers_read_and_written(module, function)
    return Sharing(names_other_tiles(module), watched, flat)


def names_other_tiles(module: Operation) -> bool:
    """Whether some view names the scratchpad of another tile, so that tiles can reach it."""
    return any(
        op.name == "kt.peer_view"
        or (
            op.name == "ktdp.construct_memory_view"
            and getattr(op.memory_space, "tile", None) is not None
        )
        for op in module.walk()
    )


def buffers_read_and_written(module: Operation, function: Any) -> set[str] | None:
    """The arguments (by their names) that the kernel both loads from and stores to.

    None when something that is read or written can't be traced to an argument while the other access
    can reach it: then all memory may be both.
    """
    inputs = function.regions[0].blocks[0].arguments
    arguments = {a: a.name_hint or f"arg{i}" for i, a in enumerate(inputs)}
    read: set[str | None] = set()
    written: set[str | None] = set()
    for op in module.walk():
        if op.name in _READS:
            read |= {arguments.get(root) for root in _roots(op.operands[0])}
        if op.name in _WRITES:
            written |= {arguments.get(root) for root in _roots(op.operands[1])}
        if isinstance(op, ConstructIndirectAccessTileOp):
            views = [view for view, _ in op.subscripts() if view is not None]
            read |= {arguments.get(root) for view in views for root in _roots(view)}
        if op.dialect == "linalg" and getattr(op, "outputs", None) and not op.results:
            read.add(None)
            written.add(None)
    if (None in read and written) or (None in written and read):
        return None
    return {name for name in read & written if name is not None}


def _roots(value: Value) -> set[Any]:
    """The values that the addresses behind a memref or an access tile come from."""
    if isinstance(value.type, t.TensorType):
        return set()  # a tile of a value, which is in no memory
    op = value.defining_op
    if op is None:
        return {value}
    if op.name == "ktdp.construct_memory_view":
        return {_pointer(op.operands[0])}
    if op.name in ("ktdp.construct_access_tile", "ktdp.construct_indirect_access_tile", "kt.peer_view"):
        return _roots(op.operands[0])
    if op.name == "ktdp.construct_distributed_memory_view":
        return {root for part in op.operands for root in _roots(part)}
    return {value}


def _pointer(value: Value) -> Value:
    """The argument that an address is a displacement of; the value itself if there is no such one."""
    while not isinstance(value, BlockArgument):
        op = value.defining_op
        if op is None or op.name not in ("arith.addi", "arith.subi"):
            return value
        sides = [v for v in op.operands if isinstance(v, BlockArgument) or _is_sum(v)]
        if len(sides) != 1:
            return value
        value = sides[0]
    return value


def _is_sum(value: Value) -> bool:
    op = value.defining_op
    return op is not None and op.name in ("arith.addi", "arith.subi")
