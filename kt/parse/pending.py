"""What the grammar's callbacks return for operations: names where the IR has values.

Bottom-up callbacks see a region before the operation that owns it, so operand names can't be
resolved yet. They collect :class:`Pending` records; :mod:`kt.parse.binder` turns a finished
top-level record into operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kt.ir.diagnostics import KtError, Location

if TYPE_CHECKING:
    from kt.ir.types import Type


class SyntaxFailure(Exception):
    """Raised by callbacks (see :func:`fail`); the driver adds the place and makes a ParseError."""

    def __init__(
        self, message: str, hint: str | None = None, name: str | None = None, last: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.name = name
        """A name or number in the op that the message is about, to point at: its first use, or its last."""
        self.last = last


def fail(message: str, hint: str | None = None, at: str | None = None) -> Any:
    """Refuse the op being parsed; ``at`` is an SSA name in it to point at."""
    raise SyntaxFailure(message, hint, at)


class Pending:
    """An operation whose operands are still names. See :func:`Pending.__init__`."""

    __slots__ = (
        "attributes", "cls", "custom", "location", "offset", "op_name", "operands", "properties", "regions",
        "result_names", "result_types", "successors", "types",
    )  # fmt: skip

    def __init__(
        self,
        cls: Any,
        operands: Sequence[str] = (),
        types: Sequence[Type | None] | None = None,
        result_types: Sequence[Type] = (),
        properties: dict[str, Any] | None = None,
        attributes: dict[str, Any] | None = None,
        regions: Sequence[PendingRegion] = (),
        successors: Sequence[str] = (),
    ) -> None:
        """``types`` are what the text says about the operands (None entries: nothing).

        ``attributes`` as written in the dictionary; inherent ones are sorted out later.
        """
        self.cls = cls
        self.operands = operands
        self.types = types
        self.result_types = result_types
        self.properties = properties
        self.attributes = attributes
        self.regions = regions
        self.successors = successors
        self.custom = True  # false for generic form, which adds nothing to what is written
        self.op_name: str | None = None  # of an unregistered op
        self.result_names: Any = None  # "%a" or a list of (name, count)
        self.offset = 0
        self.location: Location | None = None


class PendingBlock:
    """A block: label, arguments as (name, type, location or None), records."""

    __slots__ = ("arguments", "label", "ops")

    def __init__(
        self,
        label: str | None,
        arguments: list[tuple[str, Type, Any]],
        ops: Sequence[Pending],
    ) -> None:
        self.label = label
        self.arguments = arguments
        self.ops = ops


class PendingRegion:
    """A region: its blocks. ``absent``: not written at all (see :func:`empty_region`)."""

    __slots__ = ("absent", "blocks")

    def __init__(self, blocks: list[PendingBlock], absent: bool = False) -> None:
        self.blocks = blocks
        self.absent = absent

    def set_arguments(self, arguments: Sequence[tuple[Any, ...]]) -> PendingRegion:
        """Name the entry block's arguments: (name, type) or (name, type, location) each."""
        if not self.blocks:
            self.blocks = [PendingBlock(None, [], [])]
        entry = self.blocks[0]
        if entry.arguments or (entry.label is not None and arguments):
            fail("the entry block's arguments are named by the operation")
        entry.arguments = [(a[0], a[1], a[2] if len(a) > 2 else None) for a in arguments]
        return self


def empty_region() -> PendingRegion:
    """A region that the text leaves out: it stays without blocks."""
    return PendingRegion([], True)


def as_failure(error: Exception) -> SyntaxFailure:
    """What a failing constructor of a type or attribute says, as a SyntaxFailure."""
    if isinstance(error, KtError):
        return SyntaxFailure(error.message, error.hint)
    if isinstance(error, OverflowError):
        return SyntaxFailure("an integer here must fit its 32 or 64 bits")
    return SyntaxFailure(str(error))
