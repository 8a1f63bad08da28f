"""What a structured op is: pointwise, a reduction or a contraction; combiners and their parts."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from kt.ir import types as t
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.dialects import linalg, tensor
from kt.ir.dialects.linalg_base import PARALLEL, LinalgOp

POINTWISE, REDUCTION, CONTRACTION = "pointwise", "reduction", "contraction"

COMBINERS = (
    "arith.addf", "arith.mulf", "arith.addi", "arith.muli", "arith.maximumf", "arith.minimumf",
    "arith.maxnumf", "arith.minnumf", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui",
    "arith.andi", "arith.ori", "arith.xori",
)  # fmt: skip
"""Ops that are associative and commutative (floats: up to rounding) and have an identity."""
ACCUMULATING = ("arith.addf", "arith.mulf")
"""Combiners whose partial results are kept in f32 when the elements are narrower floats."""
_PRODUCT = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}
_CASTS = ("arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp", "kt.convert")
CASTS = (*_CASTS, "arith.truncf", "arith.trunci")
"""Conversions: they cost little, and less than the wider buffer that would save them."""


@frozen(eq=False)
class Combiner:
    """How one output of a reduction comes about: ``op`` joins ``term`` to the old element.

    ``factors`` are both sides of the term when it is a product of two different inputs, or None.
    """

    op: Operation
    term: Value
    factors: tuple[Value, Value] | None


def combiner_of(op: LinalgOp, number: int = 0) -> Combiner | None:
    """The combiner of an output, if its new element is one known op of a term and the old element."""
    end = op.body.terminator
    if end is None or number >= len(end.operands):
        return None
    old, new = op.output_arguments[number], end.operands[number]
    joined = new.defining_op
    if joined is None or joined.name not in COMBINERS or joined.parent is not op.body:
        return None
    if not new.has_one_use or not old.has_one_use or old not in joined.operands:
        return None
    term = joined.operands[1] if joined.operands[0] is old else joined.operands[0]
    return Combiner(joined, term, _factors(op, joined, term))


def _factors(op: LinalgOp, joined: Operation, term: Value) -> tuple[Value, Value] | None:
    product = term.defining_op
    if product is None or product.name != _PRODUCT.get(joined.name) or not term.has_one_use:
        return None
    sources = [_source(op, v) for v in product.operands]
    if product.parent is not op.body or None in sources or sources[0] is sources[1]:
        return None
    return product.operands[0], product.operands[1]


def _source(op: LinalgOp, value: Value) -> Value | None:
    """The input element that a value is, but for conversions."""
    while (made := value.defining_op) is not None and made.name in _CASTS:
        value = made.operands[0]
    return value if value in op.input_arguments else None


def kind_of(op: LinalgOp) -> str:
    """``pointwise``, ``contraction`` (a sum of products of two inputs) or ``reduction``."""
    if all(kind == PARALLEL for kind in op.iterator_types()):
        return POINTWISE
    found = combiner_of(op) if len(op.outputs) == 1 else None
    return CONTRACTION if found is not None and found.factors is not None else REDUCTION


def is_pointwise(op: Operation | None) -> bool:
    """A generic op on tensors without reductions that doesn't read its destinations."""
    return (
        isinstance(op, linalg.GenericOp)
        and kind_of(op) == POINTWISE
        and bool(op.results)
        and not any(a.has_uses for a in op.output_arguments)
    )


def is_fill(op: Operation | None) -> bool:
    """A pointwise op that puts one number from outside into every element."""
    if not is_pointwise(op) or not isinstance(op, linalg.GenericOp) or op.inputs:
        return False
    return filled_with(op) is not None


def filled_with(op: LinalgOp) -> Value | None:
    """The scalar from outside its body that a fill yields (or a constant in it)."""
    end = op.body.terminator
    if end is None or len(end.operands) != 1:
        return None
    value = end.operands[0]
    made = value.defining_op
    if made is None or made.parent is not op.body:
        return None if isinstance(value, BlockArgument) and value.block is op.body else value
    return value if made.name == "arith.constant" else None


def is_relayout(op: Operation | None) -> bool:
    """A pointwise op that only moves the elements of its one input."""
    return (
        is_pointwise(op)
        and isinstance(op, linalg.GenericOp)
        and len(op.inputs) == len(op.outputs) == 1
        and op.body.terminator is not None
        and op.body.first_op is op.body.terminator
        and op.body.terminator.operands[0] is op.body.arguments[0]
    )


def free_values(op: Operation) -> Iterator[Value]:
    """Operands of an op, and values from outside that its regions use, in textual order."""
    yield from op.operands
    for region in op.regions:
        for inner in region.walk():
            for value in inner.operands:
                owner = value.owner
                around = owner if isinstance(owner, Operation) else owner.parent_op
                if around is None or not op.is_ancestor_of(around):
                    yield value


def body_types(op: LinalgOp) -> list[t.Type]:
    """Types of all scalars that a body computes with, in order of appearance, without repetition."""
    seen: dict[t.Type, None] = {}
    for argument in op.body.arguments:
        if isinstance(argument, BlockArgument) and argument.has_uses:
            seen.setdefault(argument.type)
    for inner in op.body.ops:
        for value in (*inner.operands, *inner.results):
            if value.type is not t.index:  # a loop's own index, which is cast
                seen.setdefault(value.type)
    return list(seen)


def is_empty_tensor(value: Value) -> bool:
    """Whether a value is a tensor without contents."""
    return isinstance(value.defining_op, tensor.EmptyOp)
