"""The buffers of a compilation, read off the IR right after addresses were assigned.

Apart from :mod:`kt.view.scratchpad`, which shows them: a launch shows its report without the compiler.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from attrs import define, field

from kt.ir.core import Operation
from kt.ir.folding import constant_int
from kt.ir.numbers import dtype
from kt.ir.types import MemRefType
from kt.passes.base import Pass, PassContext
from kt.passes.instruments import Instrument, top_of
from kt.view.scratchpad import Buffer, label_of

PASS = "address-assignment"


@define(eq=False)
class Buffers(Instrument):
    """Collects the buffers of a compilation; give it to ``Compilation.lower``."""

    found: list[Buffer] = field(factory=list)

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        if item.name == PASS:
            self.found = list(buffers_of(top_of(op)))


def buffers_of(module: Operation) -> Iterator[Buffer]:
    """All memrefs that stand at a constant byte address."""
    for op in module.walk():
        if op.name != "builtin.unrealized_conversion_cast" or len(op.results) != 1:
            continue
        type: Any = op.results[0].type
        if not isinstance(type, MemRefType) or not op.operands or min(type.shape, default=0) < 0:
            continue
        address = constant_int(op.operands[0])
        memory = getattr(type.memory_space, "value", None)
        if address is None or memory is None:
            continue
        element: Any = type.element_type
        size = math.prod(type.shape) * dtype(getattr(element, "dtype_name", None) or str(element)).itemsize
        yield Buffer(_program(op), str(memory), address, size, str(type), label_of(op), op.location)


def _program(op: Operation) -> str:
    at: Operation | None = op
    while at is not None:
        name = at.attr("sym_name")
        if name is not None:
            return str(name.value)
        at = at.parent_op
    return ""
