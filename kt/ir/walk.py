"""Walks over an operation and all that is inside it, without recursion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kt.ir.block import Block
    from kt.ir.operation import Operation


def _blocks_of(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks


def walk_pre(root: Operation) -> Iterator[Operation]:
    """``root``, then what is inside, each op before its children."""
    yield root
    # Enclosing levels: the blocks still to visit there, and the op to go on with.
    outer: list[tuple[Iterator[Block], Operation | None]] = []
    blocks, op = _blocks_of(root), None
    while True:
        if op is None:
            block = next(blocks, None)
            if block is not None:
                op = block.first_op
            elif outer:
                blocks, op = outer.pop()
            else:
                return
            continue
        after = op.next_op
        yield op
        if op.regions and op.parent is not None:
            outer.append((blocks, after))
            blocks, op = _blocks_of(op), None
        else:
            op = after


def walk_post(root: Operation) -> Iterator[Operation]:
    """What is inside ``root``, each op behind its children, then ``root``."""
    outer: list[tuple[Iterator[Block], Operation | None, Operation]] = []
    blocks, op, owner = _blocks_of(root), None, root
    while True:
        if op is None:
            block = next(blocks, None)
            if block is not None:
                op = block.first_op
            elif outer:
                done = owner
                blocks, op, owner = outer.pop()
                yield done
            else:
                yield root
                return
            continue
        after = op.next_op
        if op.regions:
            outer.append((blocks, after, owner))
            blocks, op, owner = _blocks_of(op), None, op
        else:
            yield op
            op = after
