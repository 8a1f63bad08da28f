"""Folds of ``arith`` on floats: scalars and splats, only where the result is exactly known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kt.ir.attributes import Attribute
from kt.ir.core import Operation
from kt.ir.folding import folder
from kt.ir.folds.elements import float_attr, integer_attr, splat_float

Consts = Sequence[Attribute | None]


def _greater(a: float, b: float) -> float:
    if a == b == 0:
        return math.copysign(0.0, max(math.copysign(1, a), math.copysign(1, b)))
    return max(a, b)


_BINARY: dict[str, Callable[[float, float], float]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": lambda a, b: a / b if b else math.nan,
    "maximumf": _greater,
    "maxnumf": _greater,
    "minimumf": lambda a, b: -_greater(-a, -b),
    "minnumf": lambda a, b: -_greater(-a, -b),
}
# x op c = x, also for x = -0, infinities and NaN.
_NEUTRAL = {"addf": -0.0, "subf": 0.0, "mulf": 1.0, "divf": 1.0}


@folder(*(f"arith.{name}" for name in _BINARY))
def fold_binary(op: Operation, constants: Consts) -> Any:
    right = splat_float(constants[1])
    if right is None:
        return None
    name = op.name.removeprefix("arith.")
    left = splat_float(constants[0])
    if left is not None and not math.isnan(left) and not math.isnan(right):
        return float_attr(_BINARY[name](left, right), op.results[0].type)
    neutral = _NEUTRAL.get(name)
    if neutral is None or right != neutral or math.copysign(1, right) != math.copysign(1, neutral):
        return None
    return op.operands[0]


@folder("arith.negf")
def fold_negf(op: Operation, constants: Consts) -> Any:
    value = splat_float(constants[0])
    if value is not None:
        return float_attr(-value, op.results[0].type)
    inner = op.operands[0].defining_op
    return inner.operands[0] if inner is not None and inner.name == "arith.negf" else None


# What each predicate accepts: 1 equal, 2 greater, 4 less, 8 unordered.
_ACCEPTS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15)


def compare(predicate: int, a: float, b: float) -> bool:
    """``arith.cmpf`` on two floats."""
    accepts = _ACCEPTS[predicate]
    if math.isnan(a) or math.isnan(b):
        return bool(accepts & 8)
    if a == b:
        return bool(accepts & 1)
    return bool(accepts & (2 if a > b else 4))


@folder("arith.cmpf")
def fold_cmpf(op: Operation, constants: Consts) -> Any:
    predicate: int = op.properties["predicate"].value  # type: ignore[attr-defined]
    result = op.results[0].type
    if predicate in (0, 15):
        return integer_attr([predicate & 1], result)
    left, right = splat_float(constants[0]), splat_float(constants[1])
    if left is None or right is None:
        return None
    return integer_attr([compare(predicate, left, right)], result)
