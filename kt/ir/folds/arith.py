"""Folds of ``arith`` on integers and index: exact, modulo 2^width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.folding import CHANGED, constant_int, folder, int_of
from kt.ir.folds import arith_casts as arith_casts
from kt.ir.folds import arith_floats as arith_floats
from kt.ir.folds.elements import fold_integers, integer_attr, signed, unsigned, width

Consts = Sequence[Attribute | None]


def _truncated(a: int, b: int) -> int:
    """Quotient rounded towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _signed_quotient(a: int, b: int, bits: int, divide: Callable[[int, int], int]) -> int | None:
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))):
        return None
    return divide(a, b)


# f(a, b, bits) on signed numbers; None where the result is undefined.
_SIGNED: dict[str, Callable[[int, int, int], int | None]] = {
    "addi": lambda a, b, n: a + b,
    "subi": lambda a, b, n: a - b,
    "muli": lambda a, b, n: a * b,
    "andi": lambda a, b, n: a & b,
    "ori": lambda a, b, n: a | b,
    "xori": lambda a, b, n: a ^ b,
    "maxsi": lambda a, b, n: max(a, b),
    "minsi": lambda a, b, n: min(a, b),
    "divsi": lambda a, b, n: _signed_quotient(a, b, n, _truncated),
    "ceildivsi": lambda a, b, n: _signed_quotient(a, b, n, lambda x, y: -(-x // y)),
    "floordivsi": lambda a, b, n: _signed_quotient(a, b, n, lambda x, y: x // y),
    "remsi": lambda a, b, n: None if b == 0 else a - b * _truncated(a, b),
    "shrsi": lambda a, b, n: a >> b if 0 <= b < n else None,
}
# The same on unsigned numbers.
_UNSIGNED: dict[str, Callable[[int, int, int], int | None]] = {
    "maxui": lambda a, b, n: max(a, b),
    "minui": lambda a, b, n: min(a, b),
    "divui": lambda a, b, n: None if b == 0 else a // b,
    "ceildivui": lambda a, b, n: None if b == 0 else -(-a // b),
    "remui": lambda a, b, n: None if b == 0 else a % b,
    "shli": lambda a, b, n: a << b if b < n else None,
    "shrui": lambda a, b, n: a >> b if b < n else None,
}
BINARY = {**_SIGNED, **_UNSIGNED}


def compute(name: str, a: int, b: int, bits: int) -> int | None:
    """The result of ``arith.<name>`` on two integers of ``bits`` bits (not wrapped), or None."""
    view = unsigned if name in _UNSIGNED else signed
    return BINARY[name](view(a, bits), view(b, bits), bits)


@folder(*(f"arith.{name}" for name in BINARY))
def fold_binary(op: Operation, constants: Consts) -> Any:
    name = op.name.removeprefix("arith.")
    type = op.results[0].type
    bits = width(type)
    if constants[1] is not None:
        if constants[0] is not None:
            made = fold_integers(lambda a, b: compute(name, a, b, bits), constants, type)
            if made is not None:
                return made
        right = int_of(constants[1])
        if right is not None and (rule := _RIGHT_CONSTANT.get(name)) is not None:
            kept = rule(right, bits)
            if kept is not None:
                return constants[1] if kept else op.operands[0]
    if name in _SAME_OPERANDS_ZERO and op.operands[0] is op.operands[1]:
        return integer_attr([0], type)
    return _UNDONE[name](op) if name in _UNDONE else None


def _lowest(bits: int) -> int:
    return -(1 << (bits - 1))


def _neutral(number: int) -> Callable[[int, int], bool | None]:
    """``x op number = x``."""
    return lambda c, n: False if unsigned(c, n) == unsigned(number, n) else None


def _bounds(
    kept: Callable[[int], int], gone: Callable[[int], int]
) -> Callable[[int, int], bool | None]:
    """``x op kept = kept`` and ``x op gone = x`` for two extreme constants."""

    def rule(c: int, n: int) -> bool | None:
        bits = unsigned(c, n)
        if bits == unsigned(kept(n), n):
            return True
        return False if bits == unsigned(gone(n), n) else None

    return rule


# What a constant right operand means: True: the result is the constant, False: the left operand.
_RIGHT_CONSTANT: dict[str, Callable[[int, int], bool | None]] = {
    "addi": _neutral(0),
    "subi": _neutral(0),
    "xori": _neutral(0),
    "shli": _neutral(0),
    "shrsi": _neutral(0),
    "shrui": _neutral(0),
    "divsi": _neutral(1),
    "divui": _neutral(1),
    "ceildivsi": _neutral(1),
    "ceildivui": _neutral(1),
    "floordivsi": _neutral(1),
    "muli": _bounds(lambda n: 0, lambda n: 1),
    "andi": _bounds(lambda n: 0, lambda n: -1),
    "ori": _bounds(lambda n: -1, lambda n: 0),
    "maxsi": _bounds(lambda n: ~_lowest(n), _lowest),
    "minsi": _bounds(_lowest, lambda n: ~_lowest(n)),
    "maxui": _bounds(lambda n: -1, lambda n: 0),
    "minui": _bounds(lambda n: 0, lambda n: -1),
}
_SAME_OPERANDS_ZERO = frozenset(("subi", "xori"))


def _inner(value: Value, name: str) -> Operation | None:
    op = value.defining_op
    return op if op is not None and op.name == name else None


def _add_undoes_sub(op: Operation) -> Value | None:
    """(a - b) + b = a"""
    for one, other in (op.operands, op.operands[::-1]):
        sub = _inner(one, "arith.subi")
        if sub is not None and sub.operands[1] is other:
            return sub.operands[0]
    return None


def _undoes(name: str, op: Operation) -> Value | None:
    """(a + b) - b = a, (a + b) - a = b, (a ^ b) ^ b = a: ``name`` is the operation inside."""
    inner = _inner(op.operands[0], name)
    if inner is not None:
        a, b = inner.operands
        if b is op.operands[1]:
            return a
        if a is op.operands[1]:
            return b
    return None


def _remainder_by_one(op: Operation) -> Attribute | None:
    """x mod 1 = 0"""
    one = constant_int(op.operands[1]) == 1
    return integer_attr([0], op.results[0].type) if one else None


_UNDONE: dict[str, Callable[[Operation], Any]] = {
    "addi": _add_undoes_sub,
    "subi": partial(_undoes, "arith.addi"),
    "xori": partial(_undoes, "arith.xori"),
    "remsi": _remainder_by_one,
    "remui": _remainder_by_one,
}

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_SWAPPED = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle",
    "ult": "ugt", "ule": "uge", "ugt": "ult", "uge": "ule",
}  # fmt: skip
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def compare(predicate: str, a: int, b: int, bits: int) -> bool:
    """``arith.cmpi`` on two integers of ``bits`` bits."""
    view = unsigned if predicate[0] == "u" else signed
    return _RELATIONS[predicate[-2:]](view(a, bits), view(b, bits))


@folder("arith.cmpi")
def fold_cmpi(op: Any, constants: Consts) -> Any:
    predicate = PREDICATES[op.properties["predicate"].value]
    bits = width(op.operands[0].type)
    result = op.results[0].type
    left, right = op.operands
    if left is right:
        return integer_attr([compare(predicate, 0, 0, bits)], result)
    if constants[0] is not None and constants[1] is not None:
        return fold_integers(lambda a, b: compare(predicate, a, b, bits), constants, result)
    if constants[0] is not None:
        swapped = PREDICATES.index(_SWAPPED[predicate])
        op.properties["predicate"] = IntegerAttr(swapped, op.properties["predicate"].type)
        op.operands = (right, left)
        return CHANGED
    number = int_of(constants[1])
    if bits == 1 and number is not None and (predicate, number & 1) in (("eq", 1), ("ne", 0)):
        return left
    return None


@folder("arith.select")
def fold_select(op: Operation, constants: Consts) -> Any:
    condition, yes, no = op.operands
    if yes is no:
        return yes
    chosen = int_of(constants[0])
    if chosen is not None:
        return yes if chosen & 1 else no
    kind = t.element_type_of(op.results[0].type)
    if kind is t.i1 and int_of(constants[1]) in (1, -1) and int_of(constants[2]) == 0:
        return condition
    return None
