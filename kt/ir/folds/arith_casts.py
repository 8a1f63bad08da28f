"""Folds of ``arith`` casts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.core import Operation
from kt.ir.folding import folder
from kt.ir.folds.elements import (
    float_attr,
    fold_integers,
    integer_attr,
    integers,
    signed,
    splat_float,
    unsigned,
    width,
)

Consts = Sequence[Attribute | None]
_EXACT = 1 << 53
"""Integers up to this one are exact doubles."""


@folder("arith.extsi", "arith.index_cast", "arith.extui", "arith.index_castui", "arith.trunci")
def fold_integer_cast(op: Operation, constants: Consts) -> Any:
    source, result = op.operands[0].type, op.results[0].type
    if constants[0] is not None:
        view = unsigned if op.name in ("arith.extui", "arith.index_castui") else signed
        bits = width(source)
        return fold_integers(lambda a: view(a, bits), constants, result)
    inner = op.operands[0].defining_op
    if inner is None or inner.name not in _UNDONE_BY.get(op.name, ()):
        return None
    # Back to the type it came from, nothing lost on the way.
    before = inner.operands[0]
    return before if before.type is result and width(source) >= width(result) else None


_UNDONE_BY = {
    "arith.trunci": ("arith.extsi", "arith.extui"),
    "arith.index_cast": ("arith.index_cast",),
    "arith.index_castui": ("arith.index_castui",),
}


@folder("arith.sitofp", "arith.uitofp")
def fold_integer_to_float(op: Operation, constants: Consts) -> Any:
    found = integers(constants[0])
    if found is None or len(found) != 1:
        return None
    view = signed if op.name == "arith.sitofp" else unsigned
    number = view(found[0], width(op.operands[0].type))
    return float_attr(float(number), op.results[0].type) if abs(number) <= _EXACT else None


@folder("arith.fptosi", "arith.fptoui")
def fold_float_to_integer(op: Operation, constants: Consts) -> Any:
    value = splat_float(constants[0])
    if value is None or not math.isfinite(value):
        return None
    bits, number = width(op.results[0].type), math.trunc(value)
    low, high = (0, 1 << bits) if op.name == "arith.fptoui" else (-(1 << bits - 1), 1 << bits - 1)
    return integer_attr([number], op.results[0].type) if low <= number < high else None


@folder("arith.extf", "arith.truncf")
def fold_float_cast(op: Operation, constants: Consts) -> Any:
    value = splat_float(constants[0])
    if value is not None and "roundingmode" not in op.properties:
        return float_attr(value, op.results[0].type)
    inner = op.operands[0].defining_op
    if op.name == "arith.truncf" and inner is not None and inner.name == "arith.extf":
        return inner.operands[0] if inner.operands[0].type is op.results[0].type else None
    return None


@folder("arith.bitcast")
def fold_bitcast(op: Operation, constants: Consts) -> Any:
    inner = op.operands[0].defining_op
    if op.operands[0].type is op.results[0].type:
        return op.operands[0]
    if inner is not None and inner.name == "arith.bitcast":
        before = inner.operands[0]
        return before if before.type is op.results[0].type else None
    value = constants[0]
    if t.is_float(t.element_type_of(op.results[0].type)) or value is None:
        return None
    return integer_attr(found, op.results[0].type) if (found := integers(value)) else None
