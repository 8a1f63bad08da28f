"""Functions of one float: evaluated in float64, rounded once; tabulated for 16-bit types."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.numbers import DType, from_bits, to_bits
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.registry import semantics, wide

Function = Callable[[np.ndarray], np.ndarray]

# A 16-bit type has 65,536 values, so its functions are tabulated for arrays of at least this size:
# ten evaluations pay for the table, and a look-up beats even one exp.
_TABLE_FROM = 1 << 13


def unary(name: str, function: Function) -> None:
    """Register an op as a float64 function of its operand, rounded once to the result type."""

    @semantics(name)
    def run(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        return evaluate(function, a, dtype)


def evaluate(function: Function, a: Any, dtype: DType) -> Any:
    """`function` of values of dtype `dtype`, rounded to it."""
    a = np.asarray(a, dtype.compute)
    if dtype.bits == 16 and a.size >= _TABLE_FROM:
        return _table(function, dtype)[to_bits(a, dtype)]
    return rounded(function(wide(a)), dtype)


@functools.cache
def _table(function: Function, dtype: DType) -> np.ndarray:
    values = from_bits(np.arange(1 << 16, dtype=np.uint16), dtype)
    table = np.asarray(rounded(function(wide(values)), dtype))
    table.setflags(write=False)
    return table
