"""Integer arithmetic of the host, evaluated on known numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kt.ir.attributes import IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.types import IntegerType

_PREDICATES: tuple[Callable[[int, int], bool], ...] = (
    int.__eq__, int.__ne__, int.__lt__, int.__le__, int.__gt__, int.__ge__,
    int.__lt__, int.__le__, int.__gt__, int.__ge__,
)  # fmt: skip


def _quotient(a: int, b: int) -> int:
    """Division that truncates towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": _quotient,
    "arith.divui": lambda a, b: a // b,
    "arith.remsi": lambda a, b: a - _quotient(a, b) * b,
    "arith.remui": lambda a, b: a % b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.minsi": min,
    "arith.minui": min,
    "arith.maxsi": max,
    "arith.maxui": max,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
}
CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci")


def evaluate(value: Value, known: Mapping[Value, int]) -> int | None:
    """The number that ``value`` has when those in ``known`` are given; None if it isn't determined.

    Index and integer arithmetic of non-negative numbers below 2^63: what tile ids, sizes and offsets
    are computed with.
    """
    if value in known:
        return known[value]
    op = value.defining_op
    if op is None:
        return None
    if op.name == "arith.constant":
        constant = op.attr("value")
        return constant.value if isinstance(constant, IntegerAttr) else None
    operands = [evaluate(v, known) for v in op.operands]
    if any(v is None for v in operands):
        return None
    return _apply(op, [v for v in operands if v is not None])


def _apply(op: Operation, operands: list[int]) -> int | None:
    if op.name in BINARY:
        a, b = operands
        division = "div" in op.name or "rem" in op.name
        return None if division and b == 0 else BINARY[op.name](a, b)
    if op.name == "arith.cmpi":
        return int(_PREDICATES[op.attr("predicate").value](*operands))
    if op.name == "arith.select":
        return operands[1] if operands[0] else operands[2]
    if op.name in CASTS:
        type = op.results[0].type
        width = type.width if isinstance(type, IntegerType) else 64
        return operands[0] & 1 if width == 1 else operands[0]
    if op.name in ("affine.apply", "affine.min", "affine.max"):
        map = op.attr("map").map
        results = map.eval(operands[: map.num_dims], operands[map.num_dims :])
        return {"affine.min": min, "affine.max": max}.get(op.name, min)(results)
    return None
