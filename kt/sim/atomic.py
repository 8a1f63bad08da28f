"""The combinations that ``memref.atomic_rmw`` and the reductions of ``affine.parallel`` name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kt.ir.numbers import DType
from kt.sim.semantics import lookup

_OTHER_NAMES = {
    "maxs": "arith.maxsi", "maxu": "arith.maxui", "mins": "arith.minsi", "minu": "arith.minui",
}  # fmt: skip


def operation(kind: str) -> str | None:
    """The `arith` op of a combination; None for ``assign``, which keeps the new value."""
    return None if kind == "assign" else _OTHER_NAMES.get(kind, f"arith.{kind}")


def combination(kind: str, of: DType) -> Callable[[Any, Any], Any]:
    """A function of the old and the new value that gives their combination, rounded to ``of``."""
    name = operation(kind)
    if name is None:
        return lambda old, new: new
    compute = lookup(name)
    return lambda old, new: compute(old, new, dtype=of, in_dtypes=(of, of), attrs={})
