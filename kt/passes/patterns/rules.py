"""The patterns of a device as rules of the greedy rewriter."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from kt.arch import Device
from kt.ir.core import Operation
from kt.ir.dialects import pdl
from kt.ir.rewriter import Pattern, Rewriter
from kt.passes.patterns.actions import apply
from kt.passes.patterns.matcher import Bindings, constants, matches, root_of


@define(eq=False)
class PdlPattern(Pattern):
    """One ``pdl.pattern``. Its name in reports is the op it starts at and the line of its file."""

    op: pdl.PatternOp
    root: Any = field(init=False)
    benefit: int = field(init=False)  # type: ignore[misc]
    fixed: Bindings = field(init=False)

    def __attrs_post_init__(self) -> None:
        named = root_of(self.op).op_name
        self.root = None if named is None else named.value
        self.benefit = self.op.benefit.value
        self.fixed = constants(self.op)

    @property
    def name(self) -> str:
        place = self.op.location.position()
        where = f" ({place.file.rpartition('/')[2]}:{place.line})" if place is not None else ""
        own = self.op.sym_name.value if self.op.sym_name is not None else self.root or "any op"
        return f"{own}{where}"

    def rewrite(self, op: Operation, rw: Rewriter) -> bool:
        bound = matches(self.op, self.fixed, op)
        if bound is None:
            return False
        apply(self.op, op, bound, rw)
        return True


def device_rules(device: Device, groups: tuple[str, ...]) -> list[PdlPattern]:
    """The rules of the enabled groups, in textual order."""
    return [PdlPattern(op) for op in device.patterns(*groups)]
