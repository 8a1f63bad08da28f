"""Scalar instructions: int64, wrapping. The Python text of each, what it reads, and its helpers."""

from __future__ import annotations

from typing import Any

from kt.binary.isa import Instruction, Op
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


def scalar_text(x: Instruction) -> str | None:
    """The statement that a scalar instruction is; None if it is another kind of instruction."""
    a, b, d = f"s{x.a}", f"s{x.b}", f"s{x.d}"
    if x.op in BINARY:
        return f"{d} = {BINARY[x.op].format(a=a, b=f'({x.imm})' if x.immediate else b)}"
    match x.op:
        case Op.SCONST:
            return f"{d} = {x.imm}"
        case Op.SMOV:
            return f"{d} = {a}"
        case Op.SEXT:
            half = 1 << x.imm - 1
            return f"{d} = ({a} + {half} & {2 * half - 1}) - {half}"
        case Op.ZEXT:
            return f"{d} = W({a} & {(1 << x.imm) - 1})"
        case Op.SCMP:
            if x.imm >= FIRST_UNSIGNED:
                a, b = f"U({a})", f"U({b})"
            return f"{d} = int({a} {COMPARE[x.imm]} {b})"
        case Op.SSEL:
            return f"{d} = {a} if s{x.imm} else {b}"
        case Op.UTAB:
            return f"{d} = T[{x.imm}]"
    return None


def scalar_reads(x: Instruction) -> tuple[int, ...]:
    """The scalar registers that a scalar instruction reads."""
    if x.op in BINARY:
        return (x.a,) if x.immediate else (x.a, x.b)
    match x.op:
        case Op.SMOV | Op.SEXT | Op.ZEXT:
            return (x.a,)
        case Op.SCMP:
            return (x.a, x.b)
        case Op.SSEL:
            return (x.a, x.b, x.imm)
    return ()


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
