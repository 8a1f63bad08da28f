"""The table of op semantics, the fault that undefined arithmetic raises, and operand views."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from difflib import get_close_matches
from typing import Any

import numpy as np

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, int_dtype, to_bits
from kt.ir.numbers.rounding import rounded

Semantics = Callable[..., Any]

SEMANTICS: dict[str, Semantics] = {}
"""Full op name → `fn(*operands, dtype=, in_dtypes=, attrs=)`."""


class ArithmeticFault(RunError, ValueError):
    """Arithmetic without a defined result. `index` is the first offending element, () if scalar."""

    def __init__(self, message: str, index: tuple[int, ...] = ()) -> None:
        where = f" at element {list(index)}" if index else ""
        super().__init__(message + where)
        self.index = index


def semantics(*names: str) -> Callable[[Semantics], Semantics]:
    """Register a function as the meaning of ops. NumPy's floating point warnings are silenced."""

    def register(function: Semantics) -> Semantics:
        guarded = np.errstate(all="ignore")(function)
        for name in names:
            if name in SEMANTICS:
                raise ValueError(f"the semantics of '{name}' are registered twice")
            SEMANTICS[name] = guarded
        return guarded

    return register


def lookup(name: str) -> Semantics:
    """The semantics of an op; RunError if it has none."""
    try:
        return SEMANTICS[name]
    except KeyError:
        near = get_close_matches(name, SEMANTICS, n=1)
        hint = f"did you mean '{near[0]}'?" if near else None
        raise RunError(f"op '{name}' has no element-wise semantics", hint=hint) from None


def unguarded(name: str) -> Semantics:
    """The same, for callers that already silence NumPy's floating point warnings."""
    return lookup(name).__wrapped__  # type: ignore[attr-defined]


_unread_lanes: ContextVar[bool] = ContextVar("_unread_lanes", default=False)


def check(bad: Any, message: str) -> bool:
    """Raise ArithmeticFault naming the first True element of `bad`, if there is one.

    Under :func:`tolerant` it is no fault: True then tells that some elements have no defined result.
    """
    bad = np.asarray(bad)
    if not bad.any():
        return False
    if not _unread_lanes.get():
        raise ArithmeticFault(message, tuple(int(i) for i in np.argwhere(bad)[0]))
    return True


def tolerant(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a unit's vectors: lanes without a defined result hold some number.

    The last vector of a row is padded, and what the padding gives (0 / 0) is computed but never
    stored. Scalars are read always: their faults stay faults.
    """

    def run(*operands: Any) -> Any:
        try:
            return function(*operands)
        except ArithmeticFault:
            if not any(np.ndim(operand) for operand in operands):
                raise
            before = _unread_lanes.set(True)
            try:
                with np.errstate(all="ignore"):
                    return function(*operands)
            finally:
                _unread_lanes.reset(before)

    return run


def signed(values: Any, of: DType) -> np.ndarray:
    """Integer operand as sign-extended signed integers (i1: 0 or -1)."""
    if of.bits == 1:
        return -(np.asarray(values).astype(np.int8) & np.int8(1))
    values = np.asarray(values)
    if of.bits == 64 and values.dtype == np.int64:
        return values
    return rounded(values, int_dtype(of.bits))


def unsigned(values: Any, of: DType) -> np.ndarray:
    """Integer operand as zero-extended unsigned integers."""
    return to_bits(values, of)


def wide(values: Any) -> np.ndarray:
    """Float operand as float64 (exact for every dtype)."""
    return np.asarray(values, np.float64)
