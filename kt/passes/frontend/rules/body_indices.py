"""Loop indices that a body uses as data: numbers of the engine instead of index values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kt.ir import types as t
from kt.ir.affine import AffineBinary, AffineConst, AffineDim, AffineExpr
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.dialects import affine, arith, linalg

NUMBER = t.i64
"""What an index is in a vector."""


def widen_indices(function: Operation) -> int:
    """Let bodies compute with i64 where they compute with indices; how many bodies there were.

    ``linalg.index`` stays, with a cast behind it; all else has no index values any more::

        %j = linalg.index 1 : index              %j = linalg.index 1 : index
        %m = arith.cmpi sle, %j, %i : index  →   %n = arith.index_cast %j : index to i64
                                                 %m = arith.cmpi sle, %n, %k : i64
    """
    found = [
        op
        for op in function.walk()
        if isinstance(op, linalg.GenericOp)
        and any(
            v.type is t.index and not _is_own_cast(inner)
            for inner in op.body.ops
            for v in (*inner.operands, *inner.results)
            if not isinstance(inner, linalg.IndexOp)
        )
    ]
    for op in found:
        _widen(op)
    return len(found)


def _is_own_cast(op: Operation) -> bool:
    made = op.operands[0].defining_op if isinstance(op, arith.IndexCastOp) else None
    return isinstance(made, linalg.IndexOp) and op.results[0].type is NUMBER


def _widen(op: linalg.GenericOp) -> None:
    end = op.body.terminator
    assert end is not None
    outside = Builder.before(op)
    known: dict[Value, Value] = {}

    def number(value: Value) -> Value:
        """A value of the old body, an index as i64."""
        if value not in known and value.type is t.index:
            known[value] = outside.create(arith.IndexCastOp, value, result_types=[NUMBER]).results[0]
        return known.get(value, value)

    for inner in list(op.body.ops):
        build = Builder.before(inner)
        if isinstance(inner, linalg.IndexOp):
            known[inner.result] = Builder.after(inner).create(
                arith.IndexCastOp, inner.result, result_types=[NUMBER]
            ).results[0]
        elif inner is end:
            inner.operands = [number(v) for v in inner.operands]
        elif isinstance(inner, (arith.IndexCastOp, arith.IndexCastUIOp)):
            if inner not in {v.defining_op for v in known.values()}:
                known[inner.results[0]] = _cast(build, inner, number)
        elif isinstance(inner, affine.ApplyOp):
            inputs = [number(v) for v in inner.operands]
            known[inner.results[0]] = _expression(build, inner.map.map.results[0], inputs)
        else:
            _retype(build, inner, known, number)
    for inner in reversed(list(op.body.ops)):
        if inner is not end and not any(r.has_uses for r in inner.results):
            inner.erase()


def _retype(
    build: Builder,
    op: Operation,
    known: dict[Value, Value],
    number: Callable[[Value], Value],
) -> None:
    """The same op on i64 where it was on indices."""
    mapping = {v: number(v) for v in op.operands}
    (made,) = clone_ops([op], mapping)
    for old, new in zip(op.results, made.results, strict=True):
        if old.type is t.index:
            new.type = NUMBER
        known[old] = new
    value = op.attr("value") if isinstance(op, arith.ConstantOp) else None
    if isinstance(value, IntegerAttr) and value.type is t.index:
        made.properties["value"] = IntegerAttr(value.value, NUMBER)
    build.insert(made)


def _cast(
    build: Builder, op: arith.IndexCastOp | arith.IndexCastUIOp, number: Callable[[Value], Value]
) -> Value:
    """A cast between index and integers, between integers."""
    value, target = number(op.operands[0]), op.results[0].type
    target = NUMBER if target is t.index else target
    have, want = value.type.width, target.width  # type: ignore[attr-defined]
    if have == want:
        return value
    if have > want:
        kind: type[Operation] = arith.TruncIOp
    else:
        kind = arith.ExtSIOp if isinstance(op, arith.IndexCastOp) else arith.ExtUIOp
    return build.create(kind, value, result_types=[target]).results[0]


def _expression(build: Builder, expr: AffineExpr, inputs: list[Value]) -> Value:
    """An affine expression of numbers."""
    if isinstance(expr, AffineConst):
        return build.create(
            arith.ConstantOp, value=IntegerAttr(expr.value, NUMBER), result_types=[NUMBER]
        ).results[0]
    if isinstance(expr, AffineDim):
        return inputs[expr.position]
    assert isinstance(expr, AffineBinary)
    left, right = (_expression(build, e, inputs) for e in (expr.lhs, expr.rhs))
    match expr.kind:
        case "add":
            return build.create(arith.AddIOp, left, right).result
        case "mul":
            return build.create(arith.MulIOp, left, right).result
        case "floordiv":
            return build.create(arith.FloorDivSIOp, left, right).result
        case "ceildiv":
            return build.create(arith.CeilDivSIOp, left, right).result
    whole = build.create(arith.FloorDivSIOp, left, right).result
    return build.create(arith.SubIOp, left, build.create(arith.MulIOp, whole, right).result).result


def place_indices(body: linalg.GenericOp, counters: Mapping[int, Value], vector: int) -> None:
    """Indices of a body that has become one on vectors: where the vector begins, plus the lane.

    ``counters`` are the loops around it, as i64, ``vector`` the one along the lanes.
    """
    for op in [op for op in body.body.ops if isinstance(op, linalg.IndexOp)]:
        start = counters[op.dim.value]
        for cast in list(op.result.users):
            value = cast.results[0]
            if op.dim.value != vector:
                value.replace_all_uses_with(start)
                cast.erase()
                continue
            total = Builder.after(cast).create(arith.AddIOp, value, start)
            value.replace_all_uses_with(total.result, where=lambda user, sum=total: user is not sum)
        if not op.result.has_uses:
            op.erase()
