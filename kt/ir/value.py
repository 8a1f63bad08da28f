"""Values: what operations compute and use, and who uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define

from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.types import Type

if TYPE_CHECKING:
    from kt.ir.block import Block
    from kt.ir.operation import Operation


@define(eq=False)
class Value:
    """Something an operation can use: a result or a block argument.

    ``_uses`` is None, the only user (with one use), or a dict from users to their number of uses:
    most values have one use, and it then costs no container.
    """

    type: Type
    name_hint: str | None
    _uses: Any

    @property
    def users(self) -> tuple[Operation, ...]:
        """Operations that use this value, each once, in the order of their first use."""
        uses = self._uses
        if uses is None:
            return ()
        return tuple(uses) if isinstance(uses, dict) else (uses,)

    @property
    def uses(self) -> list[tuple[Operation, int]]:
        """All (operation, operand number) pairs."""
        return [(op, i) for op in self.users for i, v in enumerate(op._operands) if v is self]

    @property
    def has_uses(self) -> bool:
        return self._uses is not None

    @property
    def num_uses(self) -> int:
        uses = self._uses
        if uses is None:
            return 0
        return sum(uses.values()) if isinstance(uses, dict) else 1

    @property
    def has_one_use(self) -> bool:
        return self.num_uses == 1

    def _add_use(self, op: Operation) -> None:
        uses = self._uses
        if uses is None:
            self._uses = op
        elif isinstance(uses, dict):
            uses[op] = uses.get(op, 0) + 1
        else:
            self._uses = {uses: 2} if uses is op else {uses: 1, op: 1}

    def _drop_use(self, op: Operation) -> None:
        uses = self._uses
        if uses is op:
            self._uses = None
            return
        count = uses[op] - 1
        if count:
            uses[op] = count
            return
        del uses[op]
        if len(uses) == 1 and next(iter(uses.values())) == 1:
            self._uses = next(iter(uses))
        elif not uses:
            self._uses = None

    def replace_all_uses_with(
        self, new: Value, where: Callable[[Operation], bool] | None = None
    ) -> None:
        """Make every user (for which ``where`` holds) use ``new`` instead; keeps a name hint."""
        if new is self:
            return
        for op in self.users:
            if where is None or where(op):
                op.operands = tuple([new if v is self else v for v in op._operands])
        if new.name_hint is None:
            new.name_hint = self.name_hint

    @property
    def owner(self) -> Operation | Block:
        raise TypeError("a bare Value has no owner")

    @property
    def defining_op(self) -> Operation | None:
        """The operation whose result this is; None for block arguments."""
        raise TypeError("a bare Value has no owner")

    @property
    def parent_block(self) -> Block | None:
        raise TypeError("a bare Value has no owner")

    @property
    def location(self) -> Location:
        raise TypeError("a bare Value has no owner")


@define(eq=False)
class OpResult(Value):
    """Result number ``index`` of ``op``."""

    op: Operation
    index: int

    def __init__(self, type: Type, op: Operation, index: int, name_hint: str | None = None) -> None:
        self.type = type
        self.name_hint = name_hint
        self._uses = None
        self.op = op
        self.index = index

    @property
    def owner(self) -> Operation:
        return self.op

    @property
    def defining_op(self) -> Operation:
        return self.op

    @property
    def parent_block(self) -> Block | None:
        return self.op.parent

    @property
    def location(self) -> Location:
        return self.op.location

    def __repr__(self) -> str:
        return f"<result #{self.index} of {self.op.name}>"


@define(eq=False)
class BlockArgument(Value):
    """Argument number ``index`` of ``block``."""

    block: Block
    index: int
    loc: Location

    def __init__(
        self,
        type: Type,
        block: Block,
        index: int,
        name_hint: str | None = None,
        loc: Location = UNKNOWN,
    ) -> None:
        self.type = type
        self.name_hint = name_hint
        self._uses = None
        self.block = block
        self.index = index
        self.loc = loc

    @property
    def owner(self) -> Block:
        return self.block

    @property
    def defining_op(self) -> None:
        return None

    @property
    def parent_block(self) -> Block:
        return self.block

    @property
    def location(self) -> Location:
        return self.loc

    def __repr__(self) -> str:
        return f"<block argument #{self.index}: {self.type}>"
