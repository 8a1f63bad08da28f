"""Folding: what an op becomes when operands are constant or the op has no effect on a value.

A folder belongs to an op class and looks at one op::

    @folder("arith.addi")
    def fold_addi(op, constants):
        ...

``constants`` has the attribute of each constant operand, None for the others. It returns None
(nothing to do), CHANGED (the op was changed in place), or what the result becomes: a Value that
exists already or an Attribute; a list of those for several results. Folders create no ops.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from kt.ir.attributes import Attribute, DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.core import Operation, UnregisteredOp, Value
from kt.ir.traits import Commutative, ConstantLike, Idempotent

CHANGED = object()
"""Returned by a folder that changed its op in place."""

Folder = Callable[[Any, Sequence[Attribute | None]], Any]
FOLDERS: dict[str, Folder] = {}
"""Folders by op name."""

_met: set[str] = set()


def folder(*ops: str | type[Operation]) -> Callable[[Folder], Folder]:
    """Decorator: register a folder for these op names or classes."""

    def register(function: Folder) -> Folder:
        for op in ops:
            FOLDERS[op if isinstance(op, str) else op.name] = function
        return function

    return register


def folder_of(op: Operation) -> Folder | None:
    """The folder of an op; the folds of its dialect are imported at first use."""
    if isinstance(op, UnregisteredOp):
        return None
    dialect = op.dialect
    if dialect not in _met:
        _met.add(dialect)
        module = f"kt.ir.folds.{dialect}"
        if importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
    return FOLDERS.get(op.name)


def constant_of(value: Value) -> Attribute | None:
    """The attribute of a value that a constant op defines, else None."""
    op = value.defining_op
    return op.attr("value") if op is not None and op.has_trait(ConstantLike) else None


def constant_int(value: Value) -> int | None:
    """The integer behind a scalar (or splat) constant, else None."""
    return int_of(constant_of(value))


def int_of(attribute: Attribute | None) -> int | None:
    """The integer of an attribute: a scalar one, or all elements of a splat."""
    if isinstance(attribute, IntegerAttr):
        return attribute.value
    if isinstance(attribute, DenseElementsAttr) and attribute.is_splat:
        element = attribute.to_numpy().reshape(-1)[0]
        return int(element) if element.dtype.kind in "iub" else None
    return None


def is_constant(value: Value, number: int) -> bool:
    """Whether a value is the integer constant ``number``."""
    return constant_int(value) == number


def constant_float(value: Value) -> float | None:
    """The number behind a scalar float constant, else None."""
    attribute = constant_of(value)
    return attribute.value if isinstance(attribute, FloatAttr) else None


def fold(op: Operation) -> Any:
    """What ``op`` folds to: None, CHANGED, or a list with one Value or Attribute per result."""
    operands = op._operands
    swappable = len(operands) == 2 and op.has_trait(Commutative)
    if swappable and constant_of(operands[0]) is not None and constant_of(operands[1]) is None:
        op.operands = (operands[1], operands[0])
        return CHANGED
    if op.has_trait(Idempotent) and (again := _idempotent(op)) is not None:
        return [again]
    function = folder_of(op)
    if function is None:
        return None
    found = function(op, [constant_of(v) for v in operands])
    if found is None or found is CHANGED:
        return found
    values = list(found) if isinstance(found, (list, tuple)) else [found]
    for value, result in zip(values, op.results, strict=True):
        # A value of a less precise type (tensor<?xf32> for tensor<4xf32>) can't take its place.
        if value is result or (isinstance(value, Value) and value.type is not result.type):
            return None
    return values


def _idempotent(op: Operation) -> Value | None:
    """x for ``x f x``, f(x) for f(f(x))."""
    first = op._operands[0]
    if len(op._operands) == 2:
        again = first if first is op._operands[1] else None
    else:
        inner = first.defining_op
        again = first if inner is not None and inner.name == op.name else None
    return again if again is not None and again.type is op.results[0].type else None
