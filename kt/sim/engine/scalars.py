"""Scalar arithmetic of the instruction set: int64, wrapping. Text of each op, and its helpers."""

from __future__ import annotations

from typing import Any

from kt.binary.isa import Op
from kt.ir.diagnostics import RunError

_EXACT = {
    Op.SADD: "{a} + {b}", Op.SSUB: "{a} - {b}", Op.SMUL: "{a} * {b}", Op.SDIVS: "DIV({a}, {b})",
    Op.SDIVU: "U({a}) // U({b})", Op.SREMU: "U({a}) % U({b})", Op.SCEILDIVS: "-(-{a} // {b})",
    Op.SFLOORDIVS: "{a} // {b}", Op.SCEILDIVU: "-(-U({a}) // U({b}))", Op.SSHL: "{a} << N({b})",
    Op.SSHRU: "U({a}) >> N({b})",
}  # fmt: skip
"""Ops whose exact result may have more than 64 bits, or be meant as unsigned."""
BITS, HALF = (1 << 64) - 1, 1 << 63
BINARY = {
    op: f"w if {-HALF} <= (w := {text}) <= {HALF - 1} else W(w)" for op, text in _EXACT.items()
}
BINARY |= {
    Op.SREMS: "REM({a}, {b})", Op.SMINS: "min({a}, {b})", Op.SMAXS: "max({a}, {b})",
    Op.SMINU: "min({a}, {b}, key=U)", Op.SMAXU: "max({a}, {b}, key=U)",
    Op.SAND: "{a} & {b}", Op.SOR: "{a} | {b}", Op.SXOR: "{a} ^ {b}", Op.SSHRS: "{a} >> N({b})",
}  # fmt: skip
"""Python text per op; ``{a}`` and ``{b}`` are names or parenthesised numbers."""

COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""By number of the predicate; from the seventh on, of unsigned operands."""
FIRST_UNSIGNED = 6


def wrap(value: int) -> int:
    """The low 64 bits as a signed number."""
    return (value + HALF & BITS) - HALF


def unsigned(value: int) -> int:
    """The 64 bits as an unsigned number."""
    return value & BITS


def quotient(a: int, b: int) -> int:
    """Division that truncates towards zero."""
    found = abs(a) // abs(b)
    return found if (a < 0) == (b < 0) else -found


def remainder(a: int, b: int) -> int:
    """What truncating division leaves: it has the sign of ``a``."""
    return a - quotient(a, b) * b


def distance(amount: int) -> int:
    """The amount of a shift. RunError outside 0 to 63."""
    if not 0 <= amount < 64:
        raise RunError(f"shifts 64 bits by {amount}")
    return amount


HELPERS: dict[str, Any] = {
    "W": wrap,
    "U": unsigned,
    "N": distance,
    "DIV": quotient,
    "REM": remainder,
}
