"""Text of `ktdf_lowering.signal`."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.dialects.ktdf_lowering import SignalOp
from kt.parse.syntax_api import Pending, printer, syntax


@syntax("ktdf_lowering.signal", rule="ktdf_lowering_signal")
def build_signal(cls: type, units: tuple[str, ...], attributes: dict[str, Attribute] | None) -> Pending:
    return Pending(cls, operands=units, types=(t.index,) * len(units), attributes=attributes)


@printer("ktdf_lowering.signal")
def print_signal(p: Any, op: SignalOp) -> None:
    p.write(" ")
    p.values(op.units)
    p.attr_dict(op)
