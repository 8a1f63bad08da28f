"""Comparing the buffers of two runs.

Data movement, integers, and every operation that rounds the same way at every level must agree bit
by bit, with one NaN as good as another. Where a pass may re-associate a sum or a device computes an
operation by a template, an element may be off by the amount that ``allowed`` states for it: never
by one tolerance for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen

from kt.ir.numbers import DType, decode


@frozen
class Comparison:
    """Whether two runs agree; ``max_error`` is the largest absolute difference of finite elements."""

    ok: bool
    max_error: float = 0.0
    message: str = ""


def compare_buffers(
    wanted: Mapping[str, np.ndarray],
    found: Mapping[str, np.ndarray],
    dtypes: Mapping[str, DType] | None = None,
    allowed: Mapping[str, np.ndarray] | None = None,
) -> Comparison:
    """Compare all buffers of ``wanted`` with those of ``found``.

    ``dtypes`` tell what the elements of a buffer are where its array holds codes; ``allowed`` holds
    arrays of absolute differences that are fine (else: none).
    """
    dtypes, allowed = dtypes or {}, allowed or {}
    worst, message = 0.0, ""
    for name, want in wanted.items():
        got = found.get(name)
        if got is None:
            message = message or f"buffer '{name}' is missing"
            continue
        one = compare_arrays(want, got, dtypes.get(name), allowed.get(name))
        worst = max(worst, one.max_error)
        if not one.ok:
            message = message or f"buffer '{name}': {one.message}"
    return Comparison(not message, worst, message)


def compare_arrays(
    want: np.ndarray, got: np.ndarray, of: DType | None = None, allowed: Any = None
) -> Comparison:
    """Compare two arrays element by element; the message names the first element that is off."""
    want, got = np.asarray(want), np.asarray(got)
    if want.shape != got.shape or want.dtype != got.dtype:
        return Comparison(False, 0.0, f"{_form(got)} instead of {_form(want)}")
    if np.array_equal(_bits(want), _bits(got)):
        return Comparison(True)
    a, b = _values(want, of), _values(got, of)
    same = _bits(want) == _bits(got)
    with np.errstate(all="ignore"):
        error = np.abs(a - b)
    if error.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    error = np.where(same, 0.0, error).astype(np.float64)
    fine = same if allowed is None else same | (error <= allowed)
    finite = error[np.isfinite(error)]
    worst = float(finite.max()) if finite.size else 0.0
    if fine.all():
        return Comparison(True, worst)
    bad = np.argwhere(~fine)
    where = tuple(int(i) for i in bad[0])
    place = f"[{', '.join(map(str, where))}]"
    count = f"{len(bad)} of {want.size} elements differ"
    return Comparison(False, worst, f"{count}, first at {place}: {b[where]} instead of {a[where]}")


def _form(array: np.ndarray) -> str:
    return "x".join(map(str, (*array.shape, array.dtype)))


def _bits(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f":
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def _values(array: np.ndarray, of: DType | None) -> np.ndarray:
    """Elements as numbers that can be subtracted: float64, or Python's integers for wide ones."""
    if of is not None and of.is_float and array.dtype.kind != "f":
        return np.asarray(decode(array, of), np.float64)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(object) if array.dtype.itemsize == 8 else array.astype(np.int64)
