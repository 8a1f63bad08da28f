"""Canonical forms of ``arith``: constants are gathered, negations and casts merged."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import Attribute, IntegerAttr
from kt.ir.core import Value
from kt.ir.dialects import arith
from kt.ir.folding import constant_of, int_of
from kt.ir.folds.arith import PREDICATES
from kt.ir.folds.elements import fold_integers
from kt.ir.rewriter import Rewriter, canonicalization

Split = tuple[int, Value, Attribute, int]


def _split(value: Value) -> Split | None:
    """``value = s·x + f·c`` with a constant c and s, f in {1, -1}, if it is such a sum."""
    op = value.defining_op
    if op is None or op.name not in ("arith.addi", "arith.subi"):
        return None
    factor = 1 if op.name == "arith.addi" else -1
    left, right = (constant_of(v) for v in op.operands)
    if right is not None and left is None:
        return 1, op.operands[0], right, factor
    if left is not None and right is None:
        return factor, op.operands[1], left, 1
    return None


@canonicalization("arith.addi", "arith.subi", name="gather-added-constants")
def gather_sum(op: Any, rw: Rewriter) -> bool:
    """(x ± c) ± d = x ± (c ± d), and the forms with c - x."""
    outer = _split(op.result)
    inner = _split(outer[1]) if outer is not None else None
    if outer is None or inner is None:
        return False
    sign, _, d, d_factor = outer
    inner_sign, x, c, c_factor = inner
    type = op.result.type
    # The sum is total·x + (sign·c_factor)·c + d_factor·d.
    c_factor *= sign
    if sign * inner_sign < 0:
        rest = _combined(c, c_factor, d, d_factor, type)
        return rest is not None and _replace(op, rw, arith.SubIOp, rw.constant(rest, type), x)
    both_less = c_factor < 0 and d_factor < 0
    flip = -1 if both_less else 1
    rest = _combined(c, c_factor * flip, d, d_factor * flip, type)
    if rest is None:
        return False
    kind = arith.SubIOp if both_less else arith.AddIOp
    return _replace(op, rw, kind, x, rw.constant(rest, type))


def _combined(c: Attribute, c_factor: int, d: Attribute, d_factor: int, type: t.Type) -> Any:
    return fold_integers(lambda a, b: c_factor * a + d_factor * b, (c, d), type)


def _replace(op: Any, rw: Rewriter, kind: type, left: Value, right: Value) -> bool:
    rw.replace(op, rw.create(kind, left, right))
    return True


@canonicalization("arith.muli", name="gather-factors")
def gather_product(op: Any, rw: Rewriter) -> bool:
    """(x * c) * d = x * (c * d)"""
    inner, d = op.lhs.defining_op, constant_of(op.rhs)
    if d is None or inner is None or inner.name != "arith.muli":
        return False
    c = constant_of(inner.operands[1])
    product = fold_integers(lambda a, b: a * b, (c, d), op.result.type) if c is not None else None
    if product is None:
        return False
    return _replace(op, rw, arith.MulIOp, inner.operands[0], rw.constant(product, op.result.type))


_INVERSE = {
    "eq": "ne", "slt": "sge", "sle": "sgt", "ult": "uge", "ule": "ugt",
    "ne": "eq", "sge": "slt", "sgt": "sle", "uge": "ult", "ugt": "ule",
}  # fmt: skip


def _is_true(value: Value) -> bool:
    return t.element_type_of(value.type) is t.i1 and int_of(constant_of(value)) in (1, -1)


@canonicalization("arith.xori", name="not-compare")
def invert_compare(op: Any, rw: Rewriter) -> bool:
    """not (a < b) = a >= b"""
    compare = op.lhs.defining_op
    if compare is None or compare.name != "arith.cmpi" or not _is_true(op.rhs):
        return False
    predicate = PREDICATES.index(_INVERSE[PREDICATES[compare.attr("predicate").value]])
    made = rw.create(
        arith.CmpIOp, *compare.operands, predicate=IntegerAttr(predicate, t.i64),
        result_types=[op.result.type],
    )  # fmt: skip
    rw.replace(op, made)
    return True


@canonicalization("arith.select", name="select-not")
def select_not(op: Any, rw: Rewriter) -> bool:
    """select(not c, a, b) = select(c, b, a)"""
    inner = op.condition.defining_op
    if inner is None or inner.name != "arith.xori" or not _is_true(inner.operands[1]):
        return False
    rw.set_operands(op, (inner.operands[0], op.false_value, op.true_value))
    return True


_THROUGH = {
    "arith.extsi": "arith.extsi",
    "arith.extui": "arith.extui",
    "arith.trunci": "arith.trunci",
    "arith.index_cast": "arith.extsi",
    "arith.index_castui": "arith.extui",
}


@canonicalization(*_THROUGH, name="cast-of-cast")
def cast_of_cast(op: Any, rw: Rewriter) -> bool:
    """One extension (truncation) instead of two; index_cast takes in an extension."""
    inner = op.operands[0].defining_op
    if inner is None or inner.name != _THROUGH[op.name]:
        return False
    rw.set_operands(op, inner.operands)
    return True
