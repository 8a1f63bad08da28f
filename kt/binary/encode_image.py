"""What the streams of one program share, and what a value is inside a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from kt.binary.model import Constant
from kt.ir.dialects.dataflow import GetUnitOp


@frozen
class SymbolRef:
    """A table entry that a launch fills in."""

    id: int


Entry = int | GetUnitOp | SymbolRef
"""What a value is on one unit: a number, the handle of a unit, or a symbol."""


@frozen
class Scalar:
    """A scalar in ``s[register]``; floats as bit pattern."""

    register: int


@frozen
class Vector:
    """Lanes in ``v[register]``; a scalar float has one lane."""

    register: int
    dtype: str
    lanes: int


Binding = Scalar | Vector


@define(eq=False)
class ImageEncoder:
    """What the streams of one program share: constants, units, and the device's facts."""

    device: Any
    unit_index: Callable[[GetUnitOp], int]
    """Number of a unit in the artifact."""
    memory_index: Callable[[GetUnitOp], None]
    """Tells that a unit is a memory."""
    constants: list[Constant] = field(factory=list)
    _numbers: dict[Constant, int] = field(factory=dict)
    templates: dict[str, None] = field(factory=dict)
    """Names of used templates in order."""
    starts: dict[int, Any] = field(factory=dict)
    """Symbols that are starts of views, with what is known of the buffer."""
    values: set[int] = field(factory=set)
    """Symbols used in another way."""

    def constant(self, constant: Constant) -> int:
        """Number of a constant; equal ones are shared."""
        found = self._numbers.get(constant)
        if found is None:
            found = self._numbers[constant] = len(self.constants)
            self.constants.append(constant)
        return found

    def kind_of(self, unit: GetUnitOp) -> str:
        """The device's name of a unit's kind."""
        tag = unit.unit_type.value
        kind = self.device.kind_of_tag(tag) if self.device is not None else None
        return str(kind) if kind is not None else tag.upper()
