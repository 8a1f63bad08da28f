"""Steps of pure operations that work element by element, through :mod:`kt.sim.semantics`."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.attributes import EnumAttr, FloatAttr, IntegerAttr, StringAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.ir.registry import plugins
from kt.sim.doubt import doubt
from kt.sim.interp import Frame, Interpreter, Step
from kt.sim.semantics import SEMANTICS, lookup
from kt.sim.semantics.registry import tolerant
from kt.sim.values import dtype_of, rank_of

ESTIMATED = ("math", "spyreop")
"""Dialects of the operations for which a device may have templates."""

ON_UNITS = ("ktdf.stage", "ktdf_lowering.execute_on")
"""Operations whose regions compute on vectors, with padded tails, instead of the kernel's tensors."""

# Index arithmetic of one tile: Python's own operators, where they agree with two's complement.
_QUICK: dict[str, Any] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
}
_QUICK_POSITIVE: dict[str, Any] = {
    "arith.divui": operator.floordiv, "arith.divsi": operator.floordiv,
    "arith.floordivsi": operator.floordiv, "arith.remui": operator.mod, "arith.remsi": operator.mod,
    "arith.ceildivsi": lambda a, b: -(-a // b), "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.minsi": min, "arith.maxsi": max, "arith.minui": min, "arith.maxui": max,
}  # fmt: skip
_QUICK_COMPARE: dict[str, Any] = {
    "eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le,
    "sgt": operator.gt, "sge": operator.ge,
}  # fmt: skip


def elementwise(op: Operation, interp: Interpreter) -> Step:
    """The step of any operation that has element-wise semantics. RunError for another one."""
    if op.name not in SEMANTICS:
        raise unknown(op)
    compute = semantics_of(op)
    if len(op.results) > 1:
        return _several(op, compute)
    result = op.result
    if isinstance(result.type, t.ShapedType):
        return _tensor(op, compute)
    quick = _quick(op)
    scalar = scalar_of(result.type)
    if len(op.operands) == 2:
        a, b = op.operands
        if quick is not None:
            # 64-bit arrays of a batch wrap as the operation does.
            arrays = _QUICK.get(op.name) if dtype_of(result.type).bits == 64 else None

            def pair(frame: Frame) -> None:
                x, y = frame[a], frame[b]
                if type(x) is int and type(y) is int:
                    found = quick(x, y)
                    frame[result] = scalar(compute(x, y)) if found is None else found
                elif arrays is not None:
                    frame[result] = scalar(arrays(np.asarray(x), y))
                else:
                    frame[result] = scalar(compute(x, y))

            return pair

        def binary(frame: Frame) -> None:
            frame[result] = scalar(compute(frame[a], frame[b]))

        return binary
    operands = op.operands

    def step(frame: Frame) -> None:
        frame[result] = scalar(compute(*[frame[v] for v in operands]))

    return step


def unknown(op: Operation) -> RunError:
    """The refusal of an operation that no executor knows."""
    return RunError(
        "can't be executed: neither a handler nor element-wise semantics exist for it",
        hint="run a pass that lowers it, or register a handler with kt.sim.interp.handles",
    )


def semantics_of(op: Operation) -> Any:
    """The op's function of its operands, bound to types and attributes."""
    function = lookup(op.name)
    of = dtype_of(op.results[0].type)
    ins = tuple(dtype_of(v.type) for v in op.operands)
    attrs = plain_attributes(op)

    def compute(*operands: Any) -> Any:
        return function(*operands, dtype=of, in_dtypes=ins, attrs=attrs)

    of_unit = any(outer.name in ON_UNITS for outer in op.ancestors())
    if of_unit and not isinstance(op.results[0].type, t.IndexType):
        compute = tolerant(compute)
    active = doubt()
    if active is None or not active.ulps or not of.is_float or op.dialect not in (*ESTIMATED, *plugins()):
        return compute
    certain = compute
    return lambda *operands: active.about_template(certain(*operands), of)


def plain_attributes(op: Operation) -> dict[str, Any]:
    """Inherent attributes as plain numbers and strings; enumerations by their keyword."""
    found = {key: _plain(value) for key, value in op.properties.items()}
    if (predicate := getattr(op, "predicate_name", None)) is not None:
        found["predicate"] = predicate
    return found


def _plain(attribute: Any) -> Any:
    if isinstance(attribute, (IntegerAttr, FloatAttr, StringAttr, EnumAttr)):
        return attribute.value
    return getattr(attribute, "value", attribute)


def scalar_of(type: t.Type) -> Any:
    """Normalises a scalar result: integers of one tile are Python ints, batches stay arrays."""
    if isinstance(type, (t.IntegerType, t.IndexType)):
        return lambda v: int(v) if np.ndim(v) == 0 else v
    return lambda v: v[()] if isinstance(v, np.ndarray) and v.ndim == 0 else v


def _tensor(op: Operation, compute: Any) -> Step:
    result, operands = op.result, op.operands
    if any(rank_of(v.type) != rank_of(result.type) for v in operands):
        return _mixed_ranks(op, compute)
    if len(operands) == 2:
        a, b = operands

        def binary(frame: Frame) -> None:
            frame[result] = compute(frame[a], frame[b])

        return binary

    def step(frame: Frame) -> None:
        frame[result] = compute(*[frame[v] for v in operands])

    return step


def _mixed_ranks(op: Operation, compute: Any) -> Step:
    """A scalar operand of a shaped op (the condition of a select): a batch of it gets the axes."""
    result, operands = op.result, op.operands
    rank = rank_of(result.type)

    def step(frame: Frame) -> None:
        values = []
        for v in operands:
            value = frame[v]
            if rank_of(v.type) == 0 and isinstance(value, np.ndarray) and value.ndim == 1:
                value = value.reshape(-1, *(1,) * rank)
            values.append(value)
        frame[result] = compute(*values)

    return step


def _several(op: Operation, compute: Any) -> Step:
    results, operands = op.results, op.operands
    finish = [
        (lambda v: v) if isinstance(r.type, t.ShapedType) else scalar_of(r.type) for r in results
    ]

    def step(frame: Frame) -> None:
        found = compute(*[frame[v] for v in operands])
        for value, done, part in zip(results, finish, found):
            frame[value] = done(part)

    return step


def _quick(op: Operation) -> Any:
    """A function of two Python ints that gives the result, or None where it can't."""
    type = op.operands[0].type
    if not isinstance(type, (t.IndexType, t.IntegerType)):
        return None
    bits = 64 if isinstance(type, t.IndexType) else type.width
    if bits == 1:
        return None
    low, high = -(1 << (bits - 1)), 1 << (bits - 1)
    if (apply := _QUICK.get(op.name)) is not None:
        return lambda x, y: r if low <= (r := apply(x, y)) < high else None
    if (apply := _QUICK_POSITIVE.get(op.name)) is not None:
        return lambda x, y: apply(x, y) if x >= 0 and y > 0 else None
    if op.name == "arith.cmpi" and (
        compare := _QUICK_COMPARE.get(plain_attributes(op)["predicate"])
    ):
        return lambda x, y: int(compare(x, y))
    return None
