"""Inserting new operations: an insertion point and a default location."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from attrs import define

from kt.ir import types as t
from kt.ir.attributes import Attribute, FloatAttr, IntegerAttr
from kt.ir.core import Block, Operation, OpResult, Region, UnregisteredOp
from kt.ir.diagnostics import UNKNOWN, Location, VerifyError
from kt.ir.registry import lookup_op
from kt.ir.types import Type

OpT = TypeVar("OpT", bound=Operation)


@define(eq=False)
class Builder:
    """Puts ops in front of ``anchor`` in ``block`` (at the end if ``anchor`` is None), in order.

    ``location`` is what ops get that are created without one.
    """

    block: Block | None
    anchor: Operation | None = None
    location: Location = UNKNOWN

    @classmethod
    def at_end(cls, block: Block, location: Location = UNKNOWN) -> Self:
        return cls(block, None, location)

    @classmethod
    def at_start(cls, block: Block, location: Location = UNKNOWN) -> Self:
        return cls(block, block.first_op, location)

    @classmethod
    def before(cls, op: Operation, location: Location | None = None) -> Self:
        """Insert in front of ``op``, with its location unless another one is given."""
        return cls(op.parent, op, op.location if location is None else location)

    @classmethod
    def after(cls, op: Operation, location: Location | None = None) -> Self:
        """Insert behind ``op``, with its location unless another one is given."""
        return cls(op.parent, op.next_op, op.location if location is None else location)

    def move_to(self, block: Block, anchor: Operation | None = None) -> None:
        """Go on in another place: before ``anchor``, or at the end of ``block``."""
        self.block, self.anchor = block, anchor

    def insert(self, op: OpT) -> OpT:
        """Put a detached op here; returns it."""
        if self.block is None:
            raise ValueError("the builder has no insertion point")
        if self.anchor is None:
            self.block.append(op)
        else:
            self.block.insert_before(op, self.anchor)
        self.inserted(op)
        return op

    def inserted(self, op: Operation) -> None:
        """Called for each op that was put somewhere (for subclasses)."""

    def create(self, op_class: type[OpT], *operands: Any, **parts: Any) -> OpT:
        """``op_class.build(…)`` with this builder's location, inserted here."""
        parts.setdefault("location", self.location)
        return self.insert(op_class.build(*operands, **parts))

    def constant(self, value: int | float | Attribute, type: Type | None = None) -> OpResult:
        """An ``arith.constant`` here. A plain number gets ``type`` (index if not given)."""
        attribute = value if isinstance(value, Attribute) else number_attr(value, type or t.index)
        return self.insert(constant_op(attribute, type, self.location)).results[0]

    def region(self, *argument_types: Type) -> tuple[Region, Builder]:
        """A new region of one block, and a builder at its end."""
        block = Block(argument_types)
        return Region([block]), Builder(block, None, self.location)


def number_attr(value: int | float, type: Type) -> Attribute:
    """The scalar attribute of a plain number."""
    if isinstance(type, t.FloatType):
        return FloatAttr.of(float(value), type)
    return IntegerAttr(int(value), type)


def constant_op(
    value: Attribute, type: Type | None = None, location: Location = UNKNOWN
) -> Operation:
    """A detached ``arith.constant``; ``type`` is that of the attribute unless given."""
    cls = lookup_op("arith.constant") or UnregisteredOp
    result = type or getattr(value, "type", None)
    if result is None:
        raise VerifyError(f"'arith.constant' op can't hold {value}", location)
    return cls((), (result,), {"value": value}, location=location)
