"""Reductions and contractions of placed arrays: one axis per loop, extent 1 where it doesn't vary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kt.ir import types as t
from kt.ir.numbers import DType, round_to
from kt.sim.semantics import accumulator_dtype, reduce
from kt.sim.values import dtype_of


def combine(
    name: str, term: Any, reduced: Sequence[int], extents: tuple[int, ...], start: Any, of: DType
) -> np.ndarray:
    """``term`` combined over the ``reduced`` axes (kept with extent 1), from ``start`` or identity."""
    axes = len(extents)
    term = np.asarray(term)
    if term.ndim < axes:
        term = term.reshape((1,) * (axes - term.ndim) + term.shape)
    lead = term.ndim - axes
    wanted = tuple(extents[d] if d in reduced else term.shape[lead + d] for d in range(axes))
    term = np.broadcast_to(term, term.shape[:lead] + wanted)
    term, over = _canonical(term, lead, reduced)
    init = None if start is None else start[_drop(np.ndim(start) - axes, axes, reduced)]
    total = np.asarray(reduce(name, term, over, of, init))
    back = [slice(None)] * (total.ndim - (axes - len(reduced)))
    index: list[Any] = [None if d in reduced else slice(None) for d in range(axes)]
    return total[tuple(back + index)]


def _drop(lead: int, axes: int, reduced: Sequence[int]) -> tuple[Any, ...]:
    return (slice(None),) * lead + tuple(0 if d in reduced else slice(None) for d in range(axes))


def _canonical(term: np.ndarray, lead: int, reduced: Sequence[int]) -> tuple[np.ndarray, Any]:
    """The term with its reduced axes as one axis, such that a batch adds in the order of one tile.

    Leading reduced axes are merged in place, any others are moved to the end.
    """
    axes = term.ndim - lead
    if not reduced:
        return term, ()
    kept = [d for d in range(axes) if d not in reduced]
    if tuple(reduced) == tuple(range(len(reduced))) and kept:
        rest = term.shape[lead + len(reduced) :]
        merged = np.ascontiguousarray(term).reshape(*term.shape[:lead], -1, *rest)
        return merged, lead
    order = [*range(lead), *(lead + d for d in kept), *(lead + d for d in reduced)]
    moved = np.ascontiguousarray(term.transpose(order))
    return moved.reshape(*moved.shape[: lead + len(kept)], -1), lead + len(kept)


def contract(
    p: Any, q: Any, reduced: Sequence[int], extents: tuple[int, ...], start: Any, of: DType
) -> np.ndarray:
    """Sum of p * q over the ``reduced`` axes, exact products, rounded once; axes kept as extent 1."""
    work: Any = np.dtype(np.int64)
    if of.is_float:
        work = accumulator_dtype("arith.addf", of).compute
    axes = len(extents)
    p, q = (_lifted(a, axes).astype(work, copy=False) for a in (p, q))
    has_p, has_q = ({d for d in range(axes) if a.shape[a.ndim - axes + d] > 1} for a in (p, q))
    kept = [d for d in range(axes) if d not in reduced]
    rows = [d for d in kept if d in has_p - has_q]
    columns = [d for d in kept if d in has_q - has_p]
    inner = [d for d in reduced if d in has_p and d in has_q]
    clear = all(d in inner or extents[d] == 1 for d in reduced)
    if clear and (rows or columns):
        both = [d for d in kept if d in has_p and d in has_q]
        total = _matmul(p, q, both, rows, inner, columns, axes)
    else:
        with np.errstate(all="ignore"):
            product = np.multiply(p, q)
        name = "arith.addf" if of.is_float else "arith.addi"
        wide = accumulator_dtype(name, of) if of.is_float else dtype_of(t.i64)
        total = combine(name, product, reduced, extents, None, wide)
    if start is not None:
        with np.errstate(all="ignore"):
            total = np.add(np.asarray(start).astype(work, copy=False), total)
    return round_to(total, of)


def _lifted(array: Any, axes: int) -> np.ndarray:
    array = np.asarray(array)
    return array.reshape((1,) * max(0, axes - array.ndim) + array.shape)


def _matmul(
    p: np.ndarray,
    q: np.ndarray,
    both: list[int],
    rows: list[int],
    inner: list[int],
    columns: list[int],
    axes: int,
) -> np.ndarray:
    """Matrix products of the batch dimensions ``both``; the result has all axes (1 where none)."""
    a = _matrix(p, both, rows, inner, axes)
    b = _matrix(q, both, inner, columns, axes)
    with np.errstate(all="ignore"):
        if a.dtype.kind == "i":
            product = np.einsum("...mk,...kn->...mn", a, b)
        else:
            product = np.matmul(a, b)
    lead = product.shape[: product.ndim - 2 - len(both)]
    sizes = {d: p.shape[p.ndim - axes + d] for d in (*both, *rows)}
    sizes |= {d: q.shape[q.ndim - axes + d] for d in columns}
    order = [*both, *rows, *columns]
    shaped = product.reshape((*lead, *(sizes[d] for d in order)))
    base = len(lead)
    sorted_dims = sorted(order)
    turned = shaped.transpose((*range(base), *(base + order.index(d) for d in sorted_dims)))
    spread = tuple(slice(None) if d in sizes else None for d in range(axes))
    return turned[(slice(None),) * base + spread]


def _matrix(
    array: np.ndarray, both: list[int], first: list[int], second: list[int], axes: int
) -> np.ndarray:
    """(tiles,)? + both + (product of first, product of second), contiguous."""
    lead = array.ndim - axes
    used = [*both, *first, *second]
    unused = [d for d in range(axes) if d not in used]
    order = [*range(lead), *(lead + d for d in (*used, *unused))]
    moved = array.transpose(order)
    moved = moved.reshape(moved.shape[: lead + len(used)])
    head = moved.shape[: lead + len(both)]
    split = lead + len(both) + len(first)
    m = int(np.prod(moved.shape[lead + len(both) : split], dtype=np.int64))
    n = int(np.prod(moved.shape[split:], dtype=np.int64))
    return np.ascontiguousarray(moved.reshape((*head, m, n)))
