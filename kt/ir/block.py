"""Blocks and regions: operations in order, in a doubly linked list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import define

from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.types import Type
from kt.ir.value import BlockArgument, Value

if TYPE_CHECKING:
    from kt.ir.operation import Operation


@define(eq=False, init=False, repr=False)
class Block:
    """A list of operations with arguments."""

    arguments: list[BlockArgument]
    first_op: Operation | None
    last_op: Operation | None
    parent: Region | None

    def __init__(self, argument_types: Iterable[Type] = (), ops: Iterable[Operation] = ()) -> None:
        self.arguments = [BlockArgument(t, self, i) for i, t in enumerate(argument_types)]
        self.first_op = self.last_op = None
        self.parent = None
        for op in ops:
            self.append(op)

    def add_argument(
        self, type: Type, name_hint: str | None = None, location: Location = UNKNOWN
    ) -> BlockArgument:
        argument = BlockArgument(type, self, len(self.arguments), name_hint, location)
        self.arguments.append(argument)
        return argument

    def set_arguments(self, arguments: Sequence[BlockArgument]) -> None:
        """Give the block these arguments in this order. Nothing may use those that go any more."""
        self.arguments = list(arguments)
        for i, argument in enumerate(self.arguments):
            argument.block, argument.index = self, i

    def erase_argument(self, index: int) -> None:
        """Remove an unused argument."""
        if self.arguments[index].has_uses:
            raise ValueError(f"block argument #{index} is erased while it is used")
        del self.arguments[index]
        for i, argument in enumerate(self.arguments):
            argument.index = i

    @property
    def ops(self) -> Iterator[Operation]:
        """Operations in order; the current one may be erased, moved or followed by new ones."""
        op = self.first_op
        while op is not None:
            after = op.next_op
            yield op
            op = after

    __iter__ = ops.fget  # type: ignore[assignment]

    def __len__(self) -> int:
        return sum(1 for _ in self.ops)

    def __bool__(self) -> bool:
        return True

    @property
    def is_empty(self) -> bool:
        return self.first_op is None

    @property
    def terminator(self) -> Operation | None:
        """The last op (whether it is a terminator is the verifier's business)."""
        return self.last_op

    @property
    def parent_op(self) -> Operation | None:
        return self.parent.parent if self.parent is not None else None

    def append(self, op: Operation) -> None:
        assert op.parent is None, "the op already is in a block"
        op.parent = self
        op._order = None
        last = self.last_op
        op.prev_op = last
        if last is None:
            self.first_op = op
        else:
            last.next_op = op
        self.last_op = op

    def prepend(self, op: Operation) -> None:
        if self.first_op is None:
            self.append(op)
        else:
            self.insert_before(op, self.first_op)

    def insert_before(self, op: Operation, anchor: Operation) -> None:
        assert op.parent is None, "the op already is in a block"
        op.parent = self
        op._order = None
        before = anchor.prev_op
        op.prev_op, op.next_op = before, anchor
        anchor.prev_op = op
        if before is None:
            self.first_op = op
        else:
            before.next_op = op

    def insert_after(self, op: Operation, anchor: Operation) -> None:
        if anchor.next_op is None:
            self.append(op)
        else:
            self.insert_before(op, anchor.next_op)

    def split_before(self, op: Operation) -> Block:
        """Move ``op`` and everything behind it into a new block, placed after this one."""
        tail = Block()
        rest = []
        current: Operation | None = op
        while current is not None:
            rest.append(current)
            current = current.next_op
        for moved in rest:
            tail.append(moved.detach())
        if self.parent is not None:
            self.parent.insert_block(self.parent.blocks.index(self) + 1, tail)
        return tail

    def inline_before(self, anchor: Operation, values: Sequence[Value] = ()) -> None:
        """Move all ops of this block in front of ``anchor``, arguments replaced by ``values``."""
        for argument, value in zip(self.arguments, values, strict=True):
            argument.replace_all_uses_with(value)
        for op in self.ops:
            op.move_before(anchor)

    def walk(self) -> Iterator[Operation]:
        for op in self.ops:
            yield from op.walk()


@define(eq=False, init=False, repr=False)
class Region:
    """A list of blocks that belongs to an operation."""

    blocks: list[Block]
    parent: Operation | None

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self.blocks = []
        self.parent = None
        for block in blocks:
            self.append(block)

    def append(self, block: Block) -> Block:
        return self.insert_block(len(self.blocks), block)

    def insert_block(self, index: int, block: Block) -> Block:
        assert block.parent is None, "the block already is in a region"
        block.parent = self
        self.blocks.insert(index, block)
        return block

    def detach_block(self, block: Block) -> Block:
        self.blocks.remove(block)
        block.parent = None
        return block

    @property
    def block(self) -> Block:
        """The only block."""
        (block,) = self.blocks
        return block

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    @property
    def is_empty(self) -> bool:
        return not self.blocks

    def move_blocks_to(self, other: Region) -> None:
        """Append all blocks to another region."""
        for block in self.blocks:
            block.parent = None
            other.append(block)
        self.blocks = []

    def walk(self) -> Iterator[Operation]:
        for block in self.blocks:
            yield from block.walk()
