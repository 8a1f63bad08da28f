"""Index values as linear forms, and values that are computed alike."""

from __future__ import annotations

from attrs import frozen

from kt.ir.attributes import IntegerAttr
from kt.ir.core import Operation, Value
from kt.ir.effects import is_effect_free

_SUMS = {"arith.addi": 1, "arith.subi": -1}


@frozen(eq=False)
class Linear:
    """``constant + sum(coefficient * leaf)``; a leaf is a value that isn't a sum itself."""

    constant: int
    terms: dict[Value, int]

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """This form plus ``factor`` times another one."""
        terms = dict(self.terms)
        for leaf, count in other.terms.items():
            same = next((v for v in terms if equivalent(v, leaf)), leaf)
            terms[same] = terms.get(same, 0) + factor * count
        kept = {leaf: count for leaf, count in terms.items() if count}
        return Linear(self.constant + factor * other.constant, kept)

    def minus(self, other: Linear) -> Linear:
        """The difference of two forms."""
        return self.plus(other, -1)

    @property
    def number(self) -> int | None:
        """The value when it is a known number."""
        return None if self.terms else self.constant


def linear_form(value: Value) -> Linear:
    """A value as a sum of leaves with constant coefficients."""
    op = value.defining_op
    if op is None:
        return Linear(0, {value: 1})
    found = op.attr("value") if op.name == "arith.constant" else None
    if isinstance(found, IntegerAttr):
        return Linear(found.value, {})
    if op.name in _SUMS:
        left, right = map(linear_form, op.operands)
        return left.plus(right, _SUMS[op.name])
    if op.name == "arith.muli":
        left, right = map(linear_form, op.operands)
        for form, other in ((left, right), (right, left)):
            if other.number is not None:
                return Linear(0, {}).plus(form, other.number)
    return Linear(0, {value: 1})


def equivalent(a: Value, b: Value, depth: int = 32) -> bool:
    """Whether two values are computed alike, by equal ops without effects from equal values."""
    if a is b:
        return True
    x, y = a.defining_op, b.defining_op
    if x is None or y is None or not depth or a.type is not b.type:
        return False
    if x.name != y.name or x.properties != y.properties or len(x.operands) != len(y.operands):
        return False
    if x.regions or not is_effect_free(x) or a.index != b.index:  # type: ignore[attr-defined]
        return False
    return all(equivalent(v, w, depth - 1) for v, w in zip(x.operands, y.operands, strict=True))


def depends_on_op(value: Value, name: str) -> bool:
    """Whether a value is computed from the result of an op called ``name``.

    Induction variables depend on the bounds of their loop, results of control flow on all that is
    used inside.
    """
    todo, seen = [value], set()
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        owner = current.owner
        if not isinstance(owner, Operation):
            around = owner.parent_op
            if around is not None and around.name != "func.func":
                todo += around.operands
                if current is not owner.arguments[0] and owner.terminator is not None:
                    todo += owner.terminator.operands  # a carried value
            continue
        if owner.name == name:
            return True
        todo += owner.operands
        for region in owner.regions:
            for inner in region.walk():
                todo += inner.operands
                if inner.name == name:
                    return True
    return False
