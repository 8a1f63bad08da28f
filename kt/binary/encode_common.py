"""What the host's and the units' half of the encoder share: integer ops, constants, attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from kt.binary.errors import refuse
from kt.binary.expressions import FUNCTIONS
from kt.binary.formats import bit_width
from kt.binary.isa import Op
from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BitEnumAttr,
    DenseArrayAttr,
    EnumAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
)
from kt.ir.core import Operation
from kt.ir.numbers import dtype, to_bits


@frozen
class IntegerOp:
    """How an integer op is spelled: op code, expression op, and whether operands are unsigned."""

    code: Op
    expression: str
    unsigned: bool = False


INTEGER_OPS: dict[str, IntegerOp] = {
    "arith.addi": IntegerOp(Op.SADD, "add"),
    "arith.subi": IntegerOp(Op.SSUB, "sub"),
    "arith.muli": IntegerOp(Op.SMUL, "mul"),
    "arith.divsi": IntegerOp(Op.SDIVS, "divs"),
    "arith.remsi": IntegerOp(Op.SREMS, "rems"),
    "arith.divui": IntegerOp(Op.SDIVU, "divu", True),
    "arith.remui": IntegerOp(Op.SREMU, "remu", True),
    "arith.minsi": IntegerOp(Op.SMINS, "mins"),
    "arith.maxsi": IntegerOp(Op.SMAXS, "maxs"),
    "arith.minui": IntegerOp(Op.SMINU, "minu", True),
    "arith.maxui": IntegerOp(Op.SMAXU, "maxu", True),
    "arith.ceildivsi": IntegerOp(Op.SCEILDIVS, "ceildivs"),
    "arith.ceildivui": IntegerOp(Op.SCEILDIVU, "ceildivu", True),
    "arith.floordivsi": IntegerOp(Op.SFLOORDIVS, "floordivs"),
    "arith.andi": IntegerOp(Op.SAND, "and"),
    "arith.ori": IntegerOp(Op.SOR, "or"),
    "arith.xori": IntegerOp(Op.SXOR, "xor"),
    "arith.shli": IntegerOp(Op.SSHL, "shl"),
    "arith.shrsi": IntegerOp(Op.SSHRS, "shrs"),
    "arith.shrui": IntegerOp(Op.SSHRU, "shru", True),
}
CLOSED = frozenset(("mins", "maxs", "minu", "maxu", "and", "or", "xor", "rems", "shrs"))
"""Ops whose result needs no narrowing if the operands are in range."""

CASTS = frozenset(
    f"arith.{name}"
    for name in ("index_cast", "index_castui", "extsi", "extui", "trunci", "bitcast")
)
"""Casts of scalars that keep or cut bits."""

_IGNORED = frozenset(
    ("operandSegmentSizes", "resultSegmentSizes", "dbgName", "fastmath", "overflowFlags")
)


def is_integer_like(type: t.Type) -> bool:
    """Index or signless integer scalar."""
    return isinstance(type, (t.IndexType, t.IntegerType))


def is_scalar(type: t.Type) -> bool:
    return isinstance(type, (t.IndexType, t.IntegerType, t.FloatType))


def narrowing(type: t.Type) -> tuple[str, int] | None:
    """How a 64-bit result becomes a scalar of ``type``; None if it is one.

    Integers are kept sign-extended (i1: 0 or 1), floats as their bit pattern.
    """
    width = bit_width(type)
    if width >= 64:
        return None
    return ("zext", width) if width == 1 or isinstance(type, t.FloatType) else ("sext", width)


def cast_of(name: str, source: t.Type, target: t.Type) -> tuple[str, int] | None:
    """What a cast of scalars does to the kept form: an extension of low bits, or nothing."""
    if name in ("arith.index_castui", "arith.extui") and bit_width(source) < bit_width(target):
        return "zext", bit_width(source)
    if name in ("arith.index_cast", "arith.extsi") and bit_width(source) == 1:
        return "sext", 1
    if bit_width(source) <= bit_width(target) and not isinstance(source, t.FloatType):
        if not isinstance(target, t.FloatType) and bit_width(target) > 1:
            return None
        return None if bit_width(source) == 1 else narrowing(target)
    return narrowing(target)


def fold_integers(name: str, type: t.Type, a: int, b: int) -> int | None:
    """The value of an integer op on known operands; None if it has none."""
    op = INTEGER_OPS[name]
    width = bit_width(type)
    if op.unsigned:
        a, b = a & (1 << width) - 1, b & (1 << width) - 1
    try:
        match op.expression:
            case "minu":
                value = min(a, b)
            case "maxu":
                value = max(a, b)
            case "ceildivu":
                value = -(-a // b)
            case expression:
                value = FUNCTIONS[expression](a, b)
    except (ZeroDivisionError, ValueError):
        return None
    narrow = narrowing(type) or ("sext", 64)
    return FUNCTIONS[narrow[0]](value, narrow[1])


def constant_bits(value: Any) -> int | None:
    """A scalar constant as it is kept; None if the attribute is none."""
    if isinstance(value, IntegerAttr) and is_integer_like(value.type):
        narrow = narrowing(value.type) or ("sext", 64)
        return FUNCTIONS[narrow[0]](value.value, narrow[1])
    if isinstance(value, FloatAttr):
        form = dtype(str(value.type))
        return int(to_bits(np.asarray(value.value, form.compute), form))
    return None


def plain_attributes(op: Operation) -> dict[str, Any]:
    """Inherent attributes as plain values; what only steers optimisation is left out."""
    found = {k: plain(op, v) for k, v in op.properties.items() if k not in _IGNORED}
    predicate = getattr(op, "predicate_name", None)
    if predicate is not None:
        found["predicate"] = predicate
    return found


def plain(op: Operation, attribute: Any) -> Any:
    """One attribute as a number, string or list."""
    match attribute:
        case IntegerAttr():
            return bool(attribute.value) if attribute.type is t.i1 else attribute.value
        case FloatAttr() | StringAttr() | EnumAttr() | BitEnumAttr():
            return attribute.value
        case UnitAttr():
            return True
        case ArrayAttr():
            return [plain(op, element) for element in attribute]
        case DenseArrayAttr():
            return list(attribute.values)
        case AffineMapAttr() | AffineSetAttr():
            return str(attribute)
        case t.Type():
            return str(attribute)
    raise refuse(op, f"has an attribute without binary form: {attribute}")


def lane_map(op: Operation, map: AffineMap, lanes: int) -> list[int] | None:
    """The image of each lane under a map; None for the identity."""
    if map.num_dims != 1 or map.num_symbols or map.num_results != 1:
        raise refuse(op, f"needs a lane map from one number to one, not '{map}'")
    images = [int(row[0]) for row in map.eval_points([[i] for i in range(lanes)])]
    return None if images == list(range(lanes)) else images


def constraint_rows(op: Operation, points: AffineSet) -> list[list[int]]:
    """``[lane coefficient, symbol coefficient, constant, is equality]`` per constraint."""
    from kt.ir.affine import linear_form

    rows = []
    for expr, equality in zip(points.constraints, points.eq_flags, strict=True):
        form = linear_form(expr)
        if form is None:
            raise refuse(op, f"has the mask constraint '{expr}', which is not linear")
        dims, symbols, constant = form
        rows.append([dims.get(0, 0), symbols.get(0, 0), constant, int(equality)])
    return rows
