"""What several upstream dialects share: name hints, mixed static and dynamic numbers, reassociations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, DenseArrayAttr, IntegerAttr
from kt.ir.constraints import array_of
from kt.ir.core import Operation, Value

Mixed = int | Value
"""A number known at compile time, or an index value."""


def result_name(hint: str) -> Callable[[Operation], str]:
    """A ``result_name_hint`` method: the name that printed results of an op class begin with."""
    return lambda op: hint


def mixed(statics: Iterable[int], dynamics: Sequence[Value]) -> tuple[Mixed, ...]:
    """Numbers and values in one row: each DYNAMIC static takes the next value."""
    rest = iter(dynamics)
    return tuple(next(rest) if n == t.DYNAMIC else n for n in statics)


def split_mixed(entries: Iterable[Mixed]) -> tuple[DenseArrayAttr, list[Value]]:
    """The reverse of :func:`mixed`: the ``static_…`` attribute and the dynamic operands."""
    statics: list[int] = []
    dynamics: list[Value] = []
    for entry in entries:
        if isinstance(entry, int):
            statics.append(entry)
        else:
            statics.append(t.DYNAMIC)
            dynamics.append(entry)
    return DenseArrayAttr.of(statics, t.i64), dynamics


def extents_of(entries: Iterable[Mixed]) -> tuple[int, ...]:
    """The numbers, DYNAMIC where a value stands."""
    return tuple(n if isinstance(n, int) else t.DYNAMIC for n in entries)


def check_mixed(
    op: Operation, what: str, statics: Sequence[int], dynamics: Sequence[Value]
) -> None:
    """As many dynamic operands as ``statics`` has DYNAMIC entries."""
    wanted = sum(1 for n in statics if n == t.DYNAMIC)
    if wanted != len(dynamics):
        raise op.error(f"expected {wanted} dynamic {what} values, got {len(dynamics)}")


INDEX_LISTS = array_of(
    array_of(IntegerAttr, "Array of 64-bit integer attributes"),
    "Array of 64-bit integer array attributes",
)
"""Constraint of a ``reassociation`` attribute."""


def index_lists(groups: Iterable[Iterable[int]]) -> ArrayAttr:
    """``[[0, 1], [2]]`` as an attribute."""
    return ArrayAttr(
        tuple(ArrayAttr(tuple(IntegerAttr(i, t.i64) for i in group)) for group in groups)
    )


def groups_of(reassociation: Any) -> tuple[tuple[int, ...], ...]:
    """A ``reassociation`` attribute as tuples."""
    return tuple(tuple(int(i) for i in group) for group in reassociation)


def collapsed_shape(shape: Sequence[int], groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Extents after merging each group of dimensions."""
    merged: list[int] = []
    for group in groups:
        extents = [shape[i] for i in group]
        size = 1
        for extent in extents:
            size *= extent
        merged.append(t.DYNAMIC if t.DYNAMIC in extents else size)
    return tuple(merged)


def check_reassociation(
    op: Operation,
    groups: Sequence[Sequence[int]],
    expanded: Sequence[int],
    collapsed: Sequence[int],
) -> None:
    """Groups cover the dims of ``expanded`` in order, and merge to the extents of ``collapsed``."""
    if len(groups) != len(collapsed):
        raise op.error(
            f"expected collapsed rank ({len(collapsed)}) to equal the number of reassociation maps "
            f"({len(groups)})"
        )
    if groups and [i for group in groups for i in group] != list(range(len(expanded))):
        raise op.error(
            f"expected reassociation groups to hold dimensions 0 to {len(expanded) - 1} in order"
        )
    for i, (group, extent) in enumerate(zip(groups, collapsed, strict=True)):
        (merged,) = collapsed_shape(expanded, [group])
        if merged == extent:
            continue
        if t.DYNAMIC in (merged, extent):
            raise op.error(
                f"expected dimension {i} of collapsed type to be dynamic if and only if one or "
                "more of the corresponding dimensions in the expanded type is dynamic"
            )
        raise op.error(
            f"expected dimension {i} of collapsed type to be static value of {merged}, got {extent}"
        )
    if not groups and any(extent != 1 for extent in expanded):
        raise op.error("expected all extents to be 1 when collapsing to rank 0")
