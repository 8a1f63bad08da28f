"""`spyreop` intrinsics: exact in the declared type, rounded once from float64.

The statistics ops are undocumented upstream. Assumed here: `exx2` of a scalar is that element's
contribution (x, x²); `layernormscale` is 1/√(E[x²] - E[x]²), the frontend having added any
epsilon; `layernormnorm` is (x - mean)·scale·weight + bias, the mean being its `squares` operand
(its first half, if that is a packed pair).
"""

from __future__ import annotations

from functools import reduce as fold
from math import sqrt
from typing import Any

import numpy as np

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics import special
from kt.sim.semantics.reductions import reduce
from kt.sim.semantics.registry import semantics, signed, wide
from kt.sim.semantics.unary import unary


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


def _gelu(x: np.ndarray) -> np.ndarray:
    """x·Φ(x), Φ(x) = erfc(-x/√2)/2: no cancellation in the negative tail."""
    return 0.5 * x * special.erfc(-x / sqrt(2.0))


for _name, _function in (
    ("exp", np.exp),
    ("gelu", _gelu),
    ("reciprocal", lambda x: 1.0 / x),
    ("rsqrt", lambda x: 1.0 / np.sqrt(x)),
    ("sigmoid", _sigmoid),
    ("silu", lambda x: x * _sigmoid(x)),
    ("sqrt", np.sqrt),
):
    unary(f"spyreop.{_name}", _function)


@semantics("spyreop.softplus")
def softplus(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """x if β·x > threshold else log(1 + e^(β·x))/β; β = 1 and threshold = 20 unless given."""
    beta, threshold = float(attrs.get("beta", 1.0)), float(attrs.get("threshold", 20.0))
    x = wide(a)
    return rounded(np.where(beta * x > threshold, x, np.log1p(np.exp(beta * x)) / beta), dtype)


@semantics("spyreop.idx32toaddr")
def idx32toaddr(index: Any, *operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """base + stride·index in i32; base and stride are operands or (old form) attributes."""
    if operands:
        base, stride = (signed(value, dtype) for value in operands)
    else:
        base, stride = (rounded(int(attrs[k]), dtype) for k in ("base_address", "stride"))
    return rounded(base + stride * signed(index, dtype), dtype)


# Statistics


@semantics("spyreop.exx2")
def exx2(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """(x, x²)."""
    return rounded(a, dtype), rounded(wide(a) ** 2, dtype)


def _pack(mean: np.ndarray, square: np.ndarray, dtype: DType) -> np.ndarray:
    out = np.empty(np.shape(square), [("mean", np.float64), ("square", np.float64)])
    out["mean"], out["square"] = mean, square
    return rounded(out, dtype)


@semantics("spyreop.exx2_fused")
def exx2_fused(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """The pair of exx2, packed."""
    return _pack(wide(a), wide(a) ** 2, dtype)


@semantics("spyreop.exx2_zeromean_fused")
def exx2_zeromean_fused(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """The pair (0, x²), packed."""
    return _pack(np.zeros_like(wide(a)), wide(a) ** 2, dtype)


def _scale(mean: Any, square: Any) -> np.ndarray:
    mean = wide(mean)
    return 1.0 / np.sqrt(wide(square) - mean * mean)


@semantics("spyreop.layernormscale")
def layernormscale(a: Any, squares: Any = None, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """1/√(squares - a²); the old form with one operand takes it as the variance."""
    if squares is None:
        return rounded(_scale(0.0, a), dtype)
    return rounded(_scale(a, squares), dtype)


@semantics("spyreop.layernormscale_fused")
def layernormscale_fused(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """layernormscale of a packed pair."""
    a = np.asarray(a)
    return rounded(_scale(a["mean"], a["square"]), dtype)


@semantics("spyreop.layernormnorm")
def layernormnorm(
    a: Any,
    squares: Any,
    scale: Any,
    weight: Any,
    bias: Any,
    *,
    dtype: Any,
    in_dtypes: Any,
    attrs: Any,
) -> Any:
    """(a - mean)·scale·weight + bias."""
    mean = np.asarray(squares)["mean"] if in_dtypes[1].kind == "pair" else squares
    normal = (wide(a) - wide(mean)) * wide(scale) * wide(weight)
    return rounded(normal + wide(bias), dtype)


# Reductions over the lanes of a slice

_KINDS = {
    "add": ("arith.addf", "arith.addi"),
    "mul": ("arith.mulf", "arith.muli"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
}


@semantics("spyreop.slice_reduction")
def slice_reduction(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Reduce the innermost axis by slices of `attrs["slice_width"]` lanes (the device's number).

    `in_slice` puts each slice's reduction in its first lane; `across_slice` puts the lane-wise
    reduction over all slices in the first slice. The other lanes, unspecified upstream, get the
    same: those of the slice, those of the other slices.
    """
    a = np.asarray(a)
    width, scope = int(attrs["slice_width"]), attrs["reduction_scope"]
    if a.shape[-1] % width:
        raise RunError(f"slice_reduction: {a.shape[-1]} lanes are not whole slices of {width}")
    out = a.reshape(*a.shape[:-1], -1, width).copy()
    if scope == "in_slice":
        out[...] = _reduce_lanes(attrs["reduction_kind"], out, -1, dtype)[..., None]
    elif scope == "across_slice":
        out[...] = _reduce_lanes(attrs["reduction_kind"], out, -2, dtype)[..., None, :]
    else:
        raise RunError(
            f"slice_reduction: the scope '{scope}' has no public meaning",
            hint="only in_slice and across_slice can be executed",
        )
    return out.reshape(a.shape)


def _reduce_lanes(kind: str, values: np.ndarray, axis: int, dtype: DType) -> Any:
    if kind == "sub":
        first, *rest = np.moveaxis(values, axis, 0)
        work = np.float64 if dtype.is_float else values.dtype
        return rounded(fold(np.subtract, rest, first.astype(work)), dtype)
    if kind == "abs_max":
        return reduce("arith.maximumf", np.abs(values), axis, dtype)
    return reduce(_KINDS[kind][dtype.is_integer], values, axis, dtype)
