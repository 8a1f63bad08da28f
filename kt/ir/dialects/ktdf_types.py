"""Types and attributes of the `ktdf` dialect: tokens, FIFO slots, kinds of loops."""

from __future__ import annotations

from collections.abc import Callable

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import Attribute, EnumAttr, attribute
from kt.ir.constraints import TypeConstraint, instance
from kt.ir.text import dims


@attribute
class TokenType(t.Type):
    """``!ktdf.token``: one completion event of a stage within one execution of a pipeline."""

    name = "ktdf.token"


@attribute
class FifoSlotType(t.Type):
    """``!ktdf.fifo.slot<"A" -> "B", 8xf16>``: ``count`` elements on the way between two ends.

    Source and destination are attributes, normally strings with the kind of a unit or memory.
    ``count`` is DYNAMIC where the text has ``?``.
    """

    name = "ktdf.fifo.slot"
    source: Attribute
    destination: Attribute
    count: int
    element_type: t.Type

    def __attrs_post_init__(self) -> None:
        if self.count != t.DYNAMIC and self.count < 1:
            raise ValueError(f"a FIFO slot holds at least one element, got {self.count}")

    @property
    def channel(self) -> tuple[Attribute, Attribute]:
        """Source and destination: slots with equal channels share one hardware queue."""
        return self.source, self.destination

    def parameters(self, nested: Callable[[Attribute], str] = str) -> str:
        ends = f"{nested(self.source)} -> {nested(self.destination)}"
        return f"<{ends}, {dims((self.count,))}{nested(self.element_type)}>"


@attribute
class LoopTypeAttr(EnumAttr):
    """``#ktdf.loop_type<parallel_loop>``: on loops, as the discardable attribute ``loop_type``."""

    name = "ktdf.loop_type"
    cases = ("parallel_loop", "reduction_loop")

    def __attrs_post_init__(self) -> None:
        if self.value not in self.cases:
            raise ValueError(
                f"expected ::mlir::ktdf::LoopType to be one of: {', '.join(self.cases)}"
            )


token = TokenType()
PARALLEL_LOOP = LoopTypeAttr("parallel_loop")
REDUCTION_LOOP = LoopTypeAttr("reduction_loop")

TOKEN = TypeConstraint("token", lambda type: type is token, token)
FIFO_SLOT = instance(FifoSlotType, "FIFO slot")
FIFO_DATA = TypeConstraint(
    "ranked tensor of any type values or memref of any type values",
    lambda type: isinstance(type, (t.TensorType, t.MemRefType)),
)
MEMREF_OR_SLOT = TypeConstraint(
    "memref of any type values or FIFO slot",
    lambda type: isinstance(type, (t.MemRefType, FifoSlotType)),
)

for _kind in (TokenType, FifoSlotType, LoopTypeAttr):
    registry.ATTRIBUTES[_kind.name] = _kind
