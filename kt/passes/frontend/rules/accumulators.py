"""What a reduction starts from and what it keeps its partial results in becomes explicit."""

from __future__ import annotations

from collections.abc import Sequence

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, linalg
from kt.ir.rewriter import Rewriter, pattern
from kt.passes.analysis.structured import (
    ACCUMULATING,
    Combiner,
    combiner_of,
    filled_with,
    is_empty_tensor,
    is_pointwise,
    kind_of,
)
from kt.passes.frontend.rules.generic import empty_like, pointwise


def identity_attr(combiner: str, type: t.Type) -> FloatAttr | IntegerAttr:
    """The constant e with ``combiner(e, x) = x``."""
    # Imported late: who has no reduction needs neither the operations' meaning nor NumPy.
    from kt.ir.numbers import dtype
    from kt.sim.semantics import identity

    value = identity(combiner, dtype(str(type)))
    if isinstance(type, t.FloatType):
        return FloatAttr.of(float(value), type)
    return IntegerAttr(int(value), type)


def widen(build: Builder, value: Value, to: t.Type) -> Value:
    """A float scalar in a type that holds all its values."""
    if value.type is to:
        return value
    return build.create(arith.ExtFOp, value, result_types=[to]).result


def narrow(build: Builder, value: Value, to: t.Type) -> Value:
    """A float scalar rounded to a narrower type."""
    return build.create(arith.TruncFOp, value, result_types=[to]).result


def _combiners(op: linalg.GenericOp) -> list[Combiner] | None:
    if kind_of(op) == "pointwise" or not op.results or len(op.results) != len(op.outputs):
        return None
    found = [combiner_of(op, i) for i in range(len(op.outputs))]
    return None if None in found else found  # type: ignore[return-value]


def _is_narrow(combiner: Combiner) -> bool:
    type = combiner.op.result.type
    return combiner.op.name in ACCUMULATING and isinstance(type, t.FloatType) and type.bits < 32


def filled(build: Builder, like: Value, number: FloatAttr | IntegerAttr) -> Value:
    """A tensor as large as ``like`` with one number in every element."""
    scalar = build.constant(number)
    output = empty_like(build, like, number.type)
    return pointwise(build, [], [], output, lambda b, _: [scalar]).results[0]


@pattern(linalg.GenericOp)
def start_from_identity(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """A reduction into a tensor without contents starts from the identity of its combiner."""
    combiners = _combiners(op)
    if combiners is None or any(map(_is_narrow, combiners)):
        return False
    if not any(map(is_empty_tensor, op.outputs)):
        return False
    outputs = [
        filled(rw, v, identity_attr(c.op.name, c.op.result.type)) if is_empty_tensor(v) else v
        for v, c in zip(op.outputs, combiners, strict=True)
    ]
    rw.set_operands(op, [*op.inputs, *outputs])
    return True


@pattern(linalg.GenericOp, benefit=2)
def accumulate_in_f32(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """Sums and products of floats narrower than f32 are kept in f32 and rounded once, at the end.

    The products of a contraction are taken in f32 too, where they are exact.
    """
    combiners = _combiners(op)
    if combiners is None or not any(map(_is_narrow, combiners)):
        return False
    starts = [
        _wide_start(rw, v, c) if _is_narrow(c) else v
        for v, c in zip(op.outputs, combiners, strict=True)
    ]
    made = _with_outputs(op, starts)
    rw.insert(made)
    for i, combiner in enumerate(combiners):
        moved = combiner_of(made, i)
        if _is_narrow(combiner) and moved is not None:
            _widen_combiner(made, i, moved)
    rw.update(made)
    results = [
        _rounded(rw, new, old.type.element_type) if _is_narrow(c) else new
        for new, old, c in zip(made.results, op.results, combiners, strict=True)
    ]
    rw.replace(op, results)
    return True


def _wide_start(rw: Rewriter, init: Value, combiner: Combiner) -> Value:
    if is_empty_tensor(init):
        return filled(rw, init, identity_attr(combiner.op.name, t.f32))
    number = _number_in(init)
    if number is not None:
        return filled(rw, init, FloatAttr.of(number.value, t.f32))
    same = AffineMap.identity(init.type.rank)  # type: ignore[attr-defined]
    output = empty_like(rw, init, t.f32)
    return pointwise(
        rw, [init], [same], output, lambda b, elements: [widen(b, elements[0], t.f32)]
    ).results[0]


def _number_in(value: Value) -> FloatAttr | None:
    """The constant that fills a tensor."""
    op = value.defining_op
    scalar = filled_with(op) if isinstance(op, linalg.GenericOp) else None
    constant = scalar.defining_op if scalar is not None else None
    number = constant.value if isinstance(constant, arith.ConstantOp) else None
    return number if isinstance(number, FloatAttr) else None


def _rounded(rw: Rewriter, value: Value, to: t.Type) -> Value:
    same = AffineMap.identity(value.type.rank)  # type: ignore[attr-defined]
    output = empty_like(rw, value, to)
    return pointwise(
        rw, [value], [same], output, lambda b, elements: [narrow(b, elements[0], to)]
    ).results[0]


def _with_outputs(op: linalg.GenericOp, outputs: Sequence[Value]) -> linalg.GenericOp:
    """A copy with other destinations, whose element types may differ; the body moves as it is."""
    made = linalg.GenericOp.of(
        op.inputs, outputs, op.indexing_maps(), op.iterator_types(), location=op.location
    )
    for old, new in zip(op.body.arguments, made.body.arguments, strict=True):
        old.replace_all_uses_with(new)
    for inner in op.body.ops:
        made.body.append(inner.detach())
    return made


def _widen_combiner(op: linalg.GenericOp, number: int, combiner: Combiner) -> None:
    """Compute term and combiner of one output in f32."""
    joined = combiner.op
    build = Builder.before(joined)
    if combiner.factors is not None:
        product = combiner.term.defining_op
        assert product is not None
        sides = [widen(build, v, t.f32) for v in combiner.factors]
        term = in_type(build, product, sides, t.f32)
    else:
        term = widen(build, combiner.term, t.f32)
    old = op.output_arguments[number]
    operands = [old, term] if joined.operands[0] is old else [term, old]
    wide = in_type(build, joined, operands, t.f32)
    end = op.body.terminator
    assert end is not None
    end.set_operand(number, wide)
    joined.erase()
    if combiner.factors is not None and combiner.term.defining_op is not None:
        combiner.term.defining_op.erase()


def in_type(build: Builder, op: Operation, operands: Sequence[Value], element: t.Type) -> Value:
    """The same op on operands and a result of another type."""
    made = type(op)(operands, (element,), op.properties, op.attributes, location=op.location)
    return build.insert(made).result


@pattern(linalg.GenericOp)
def accumulate_instead_of_add(op: linalg.GenericOp, rw: Rewriter) -> bool:
    """``x + contraction into zero`` becomes a contraction that starts from ``x``."""
    found = _added(op)
    if found is None:
        return False
    made, number = found
    other = op.inputs[1 - number]
    contraction = made.defining_op
    assert isinstance(contraction, linalg.GenericOp)
    if not _dominates(other, contraction):
        return False
    rw.set_operands(contraction, [*contraction.inputs, other])
    rw.replace(op, contraction.results[0])
    return True


def _added(op: linalg.GenericOp) -> tuple[Value, int] | None:
    """The input of ``a + b`` that is a contraction used nowhere else, started from zero."""
    if not is_pointwise(op) or len(op.inputs) != 2 or len(op.results) != 1:
        return None
    if not all(m.is_identity for m in op.indexing_maps()):
        return None
    first, end = op.body.first_op, op.body.terminator
    if (
        first is None
        or end is None
        or first.next_op is not end
        or end.operands[0] not in first.results
    ):
        return None
    if first.name not in ("arith.addf", "arith.addi") or set(first.operands) != set(
        op.input_arguments
    ):
        return None
    for number, value in enumerate(op.inputs):
        made = value.defining_op
        if (
            isinstance(made, linalg.GenericOp)
            and kind_of(made) == "contraction"
            and value.has_one_use
            and value.type is op.result.type
            and made.parent is op.parent
            and _starts_from_zero(made)
        ):
            return value, number
    return None


def _starts_from_zero(op: linalg.GenericOp) -> bool:
    init = op.outputs[0].defining_op
    if not isinstance(init, linalg.GenericOp) or init.inputs or init.body.terminator is None:
        return False
    number = arith.constant_value(init.body.terminator.operands[0])
    return number == 0


def _dominates(value: Value, op: Operation) -> bool:
    made = value.defining_op
    if made is None or made.parent is not op.parent:
        return True
    return made.is_before_in_block(op)


ACCUMULATOR_RULES = (start_from_identity, accumulate_in_f32, accumulate_instead_of_add)
