"""Folds of ``affine``: maps swallow producers and constants, and are evaluated when nothing is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineDim, AffineMap, AffineSymbol, compose_with
from kt.ir.attributes import AffineMapAttr, Attribute, IntegerAttr
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.folding import CHANGED, constant_int, folder
from kt.ir.traits import IsolatedFromAbove

Consts = Sequence[Attribute | None]


def is_symbol(value: Value) -> bool:
    """Whether a value may be a symbol of an affine map: fixed in the whole function.

    Constants, function arguments, results at the top level of a function, and applies of those.
    """
    block = value.parent_block
    around = block.parent_op if block is not None else None
    if around is not None and around.has_trait(IsolatedFromAbove):
        return True
    if isinstance(value, BlockArgument) or value.defining_op is None:
        return False
    if constant_int(value) is not None:
        return True
    return value.defining_op.name == "affine.apply" and all(
        map(is_symbol, value.defining_op.operands)
    )


def applied_map(value: Value) -> tuple[AffineMap, tuple[Value, ...]] | None:
    """Map and operands of the ``affine.apply`` that makes a value."""
    op = value.defining_op
    if op is None or op.name != "affine.apply":
        return None
    return op.properties["map"].map, op.operands  # type: ignore[attr-defined]


def composed(op: Operation, key: str = "map") -> tuple[AffineMap, list[Value]]:
    """The map of an op with its operands, producers and constants swallowed."""
    map: AffineMap = op.properties[key].map  # type: ignore[attr-defined]
    return compose_with(map, list(op.operands), applied_map, is_symbol, constant_int)


def _update(op: Operation, map: AffineMap, operands: Sequence[Value]) -> Any:
    if map is op.properties["map"].map and tuple(operands) == op.operands:  # type: ignore[attr-defined]
        return None
    op.properties["map"] = AffineMapAttr(map)
    op.operands = tuple(operands)
    return CHANGED


@folder("affine.apply")
def fold_apply(op: Operation, constants: Consts) -> Any:
    map, operands = composed(op)
    if map.is_constant:
        return IntegerAttr(map.constants[0], t.index)  # type: ignore[index]
    if isinstance(map.results[0], (AffineDim, AffineSymbol)):
        return operands[0]
    return _update(op, map, operands)


@folder("affine.min", "affine.max")
def fold_extreme(op: Operation, constants: Consts) -> Any:
    """One of several constant results stays; equal results are listed once."""
    map, operands = composed(op)
    choose = min if op.name == "affine.min" else max
    numbers = [e.value for e in map.results if isinstance(e, AffineConst)]
    best = choose(numbers) if numbers else None
    if len(numbers) == len(map.results):
        return IntegerAttr(choose(numbers), t.index)
    fitting = (e for e in map.results if not isinstance(e, AffineConst) or e.value == best)
    kept = list(dict.fromkeys(fitting))
    if len(kept) == 1 and isinstance(kept[0], (AffineDim, AffineSymbol)):
        return operands[0]
    return _update(op, AffineMap(map.num_dims, map.num_symbols, kept), operands)


@folder("affine.delinearize_index")
def fold_delinearize(op: Any, constants: Consts) -> Any:
    number = constant_int(op.linear_index)
    basis = [b if isinstance(b, int) else constant_int(b) for b in op.basis]
    if number is None or any(b is None for b in basis):
        return None
    digits: list[int] = []
    inner = basis[1:] if op.has_outer_bound else basis
    for extent in reversed(inner):
        assert extent is not None
        number, digit = divmod(number, extent)
        digits.append(digit)
    return [IntegerAttr(d, t.index) for d in (number, *reversed(digits))]


@folder("affine.linearize_index")
def fold_linearize(op: Any, constants: Consts) -> Any:
    digits = [constant_int(v) for v in op.multi_index]
    basis = [b if isinstance(b, int) else constant_int(b) for b in op.basis]
    if any(n is None for n in (*digits, *basis)):
        return None
    inner = basis[1:] if len(basis) == len(digits) else basis
    total = digits[0] if digits else 0
    for digit, extent in zip(digits[1:], inner, strict=True):
        total = total * extent + digit  # type: ignore[operator]
    return IntegerAttr(total, t.index)  # type: ignore[arg-type]
