"""Maps together with their operands: canonical form, and composition with producers.

Operands are any hashable values, those of the dims first, then those of the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import AffineDim, AffineExpr, AffineSymbol, const
from kt.ir.affine.map import AffineMap

Operand = TypeVar("Operand", bound=Hashable)


def canonicalize_map_and_operands(
    affine_map: AffineMap,
    operands: Sequence[Operand],
    is_symbol: Callable[[Operand], bool],
    as_constant: Callable[[Operand], int | None],
) -> tuple[AffineMap, list[Operand]]:
    """Promote dims to symbols, fold constants, drop unused and merge repeated operands.

    `is_symbol` tells whether an operand may be a symbol (constants may); promoted ones come after
    the symbols that are there. `as_constant` gives the value of a constant operand, else None.
    """
    _check_operands(affine_map, operands)
    num_dims = affine_map.num_dims
    kept_dims: list[Operand] = []
    symbols: list[Operand] = list(operands[num_dims:])
    renamed: list[AffineExpr] = []
    for operand in operands[:num_dims]:
        if is_symbol(operand):
            renamed.append(AffineSymbol(len(symbols)))
            symbols.append(operand)
        else:
            renamed.append(AffineDim(len(kept_dims)))
            kept_dims.append(operand)
    promoted = affine_map.replace_dims_and_symbols(renamed, (), len(kept_dims), len(symbols))

    dim_of: dict[Operand, AffineExpr] = {}
    symbol_of: dict[Operand, AffineExpr] = {}
    new_dims: list[AffineExpr] = [const(0)] * len(kept_dims)
    new_symbols: list[AffineExpr] = [const(0)] * len(symbols)
    for i in promoted.used_dims:
        new_dims[i] = dim_of.setdefault(kept_dims[i], AffineDim(len(dim_of)))
    for i in promoted.used_symbols:
        value = as_constant(symbols[i])
        if value is not None:
            new_symbols[i] = const(value)
        else:
            new_symbols[i] = symbol_of.setdefault(symbols[i], AffineSymbol(len(symbol_of)))
    canonical = promoted.replace_dims_and_symbols(
        new_dims, new_symbols, len(dim_of), len(symbol_of)
    )
    return canonical, [*dim_of, *symbol_of]


def compose_with(
    affine_map: AffineMap,
    operands: Sequence[Operand],
    producer: Callable[[Operand], tuple[AffineMap, Sequence[Operand]] | None],
    is_symbol: Callable[[Operand], bool],
    as_constant: Callable[[Operand], int | None],
) -> tuple[AffineMap, list[Operand]]:
    """Substitute the one-result maps that produce operands until none is left; canonicalize.

    `producer` gives map and operands of the affine computation that an operand is the result of,
    or None. If anything was substituted, the results are simplified as wholes as well.
    """
    _check_operands(affine_map, operands)
    if all(producer(operand) is None for operand in operands):
        return canonicalize_map_and_operands(affine_map, operands, is_symbol, as_constant)
    dims: list[Operand | None] = list(operands[: affine_map.num_dims])
    symbols: list[Operand | None] = list(operands[affine_map.num_dims :])
    results = affine_map
    while (found := _first_produced(dims, symbols, producer)) is not None:
        column, position, (inner, inner_operands) = found
        # Promoting dims of the producer keeps products affine where only symbols are left.
        inner, inner_operands = canonicalize_map_and_operands(
            inner, inner_operands, is_symbol, as_constant
        )
        if inner.num_results != 1:
            raise AffineError(f"cannot substitute '{inner}' for an operand: not one result")
        new = inner.results[0].shift_dims(len(dims)).shift_symbols(len(symbols))
        old = AffineDim(position) if column is dims else AffineSymbol(position)
        column[position] = None
        dims += inner_operands[: inner.num_dims]
        symbols += inner_operands[inner.num_dims :]
        results = results.replace(old, new, len(dims), len(symbols))
    left_dims = [operand for operand in dims if operand is not None]
    left_symbols = [operand for operand in symbols if operand is not None]
    results = results.replace_dims_and_symbols(
        _positions(dims, AffineDim), _positions(symbols, AffineSymbol),
        len(left_dims), len(left_symbols),
    )  # fmt: skip
    results, left = canonicalize_map_and_operands(
        results, left_dims + left_symbols, is_symbol, as_constant
    )
    return results.simplify(), left


def _first_produced(
    dims: list[Operand | None],
    symbols: list[Operand | None],
    producer: Callable[[Operand], tuple[AffineMap, Sequence[Operand]] | None],
) -> tuple[list[Operand | None], int, tuple[AffineMap, Sequence[Operand]]] | None:
    for column in (dims, symbols):
        for position, operand in enumerate(column):
            produced = None if operand is None else producer(operand)
            if produced is not None:
                return column, position, produced
    return None


def _positions(
    column: Sequence[object | None], leaf: Callable[[int], AffineExpr]
) -> list[AffineExpr]:
    """New leaves for the operands that are left, numbered in order; 0 for replaced ones."""
    renamed: list[AffineExpr] = []
    count = 0
    for operand in column:
        renamed.append(const(0) if operand is None else leaf(count))
        count += operand is not None
    return renamed


def _check_operands(affine_map: AffineMap, operands: Sequence[object]) -> None:
    if len(operands) != affine_map.num_inputs:
        raise AffineError(
            f"'{affine_map}' takes {affine_map.num_inputs} operands, got {len(operands)}"
        )
