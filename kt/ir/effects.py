"""What an op does besides computing its results.

Effects are ``read``, ``write`` and ``alloc``. Traits declare them; a class whose effects depend on
the op (linalg on tensors or memrefs) has a method ``effects_(self)`` that returns a set, True for
"those of the ops inside", or None. An op that declares nothing may do anything (None).
"""

from __future__ import annotations

from kt.ir.attributes import DenseElementsAttr, IntegerAttr
from kt.ir.core import Operation
from kt.ir.traits import (
    AllocEffect,
    ConstantLike,
    NoMemoryEffect,
    Pure,
    ReadEffect,
    RecursiveEffects,
    Symbol,
    Terminator,
    WriteEffect,
)

Effects = frozenset[str]
NONE: Effects = frozenset()
_DECLARED = ((ReadEffect, "read"), (WriteEffect, "write"), (AllocEffect, "alloc"))
_DIVISIONS = frozenset(
    f"arith.{name}"
    for name in ("divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui")
)
_SIGNED_DIVISIONS = frozenset(f"arith.{name}" for name in ("divsi", "ceildivsi", "floordivsi"))
_DECLARED_BY: dict[type, Effects | bool | None] = {}


def _declared_effects(cls: type[Operation]) -> Effects | bool | None:
    """Effects by the traits of a class; True if those of the ops inside are meant."""
    if cls.has_trait(RecursiveEffects):
        return True
    if any(cls.has_trait(x) for x in (Pure, NoMemoryEffect, ConstantLike)):
        return NONE
    return frozenset(w for trait, w in _DECLARED if cls.has_trait(trait)) or None


def _own_effects(op: Operation) -> Effects | bool | None:
    """Effects of an op: by its method ``effects_``, if the class has one, else by the traits."""
    cls = type(op)
    own = getattr(cls, "effects_", None)
    if own is not None:
        return own(op)
    try:
        return _DECLARED_BY[cls]
    except KeyError:
        made = _DECLARED_BY[cls] = _declared_effects(cls)
        return made


def effects(op: Operation) -> Effects | None:
    """The effects of ``op`` with all ops inside it; None if they are unknown.

    Inside a region, a terminator that declares nothing has no effect of its own.
    """
    total: set[str] = set()
    todo = [op]
    while todo:
        current = todo.pop()
        own = _own_effects(current)
        if own is True:
            todo += [x for r in current.regions for b in r.blocks for x in b.ops]
        elif isinstance(own, frozenset):
            total |= own
        elif current is op or not current.has_trait(Terminator):
            return None
    return frozenset(total)


def is_effect_free(op: Operation) -> bool:
    """Whether the op (with its regions) only computes its results."""
    own = _own_effects(op)
    return own == NONE if own is not True else effects(op) == NONE


def is_speculatable(op: Operation) -> bool:
    """Whether the op may run where the program wouldn't have run it (no traps, no endless loop)."""
    cls = type(op)
    if cls.has_trait(RecursiveEffects):
        inside = (x for r in op.regions for b in r.blocks for x in b.ops)
        return "while" not in op.name and all(
            is_speculatable(x) or x.has_trait(Terminator) for x in inside
        )
    if op.name in _DIVISIONS:
        return _safe_divisor(op)
    return cls.has_trait(Pure) or cls.has_trait(ConstantLike)


def _safe_divisor(op: Operation) -> bool:
    definition = op.operands[1].defining_op
    if definition is None or not definition.has_trait(ConstantLike):
        return False
    value = definition.attr("value")
    if isinstance(value, IntegerAttr):
        values = [value.value]
    elif isinstance(value, DenseElementsAttr):
        values = value.to_numpy().reshape(-1).tolist()
    else:
        return False
    # The most negative number divided by -1 has no result.
    forbidden = (0, -1) if op.name in _SIGNED_DIVISIONS else (0,)
    return not any(v in forbidden for v in values)


def is_pure(op: Operation) -> bool:
    """No effects and safe to run anywhere: may be erased, merged and moved."""
    return is_effect_free(op) and is_speculatable(op)


def erasable_when_unused(op: Operation) -> bool:
    """Whether an op without used results may go: no effects but reading or allocating for itself."""
    if op.has_trait(Terminator) or (op.has_trait(Symbol) and op.attr("sym_name") is not None):
        return False
    own = _own_effects(op)
    if own is None:
        return False
    found = effects(op) if own is True else own
    return found is not None and "write" not in found  # type: ignore[operator]


def is_dead(op: Operation) -> bool:
    """Whether nothing would change if the op were erased."""
    return all(v._uses is None for v in op.results) and erasable_when_unused(op)
