"""Constants as plain numbers and back, for scalars and for dense elements alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.attributes import Attribute, DenseElementsAttr, FloatAttr, IntegerAttr
from kt.ir.lazy import np

MAX_ELEMENTS = 4096
"""Dense constants of more elements than this aren't folded one by one."""


def width(type: t.Type) -> int:
    """Bits of an integer or index type (or of the elements of a shaped one)."""
    element = t.element_type_of(type)
    return element.width if isinstance(element, t.IntegerType) else 64


def signed(value: int, bits: int) -> int:
    """The two's complement number of the low ``bits`` bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    """The low ``bits`` bits as a non-negative number."""
    return value & ((1 << bits) - 1)


def integers(attribute: Attribute | None) -> list[int] | None:
    """The integers of a constant; one if it is scalar or a splat."""
    if isinstance(attribute, IntegerAttr):
        return [attribute.value]
    if isinstance(attribute, DenseElementsAttr):
        values = attribute.to_numpy().reshape(-1)
        if values.dtype.kind not in "iub" or values.size == 0:
            return None
        if attribute.is_splat:
            return [int(values[0])]
        return [int(v) for v in values] if values.size <= MAX_ELEMENTS else None
    return None


def integer_attr(values: Sequence[int], type: t.Type) -> Attribute | None:
    """The constant of a type with these elements (one for all), wrapped to the width."""
    bits = width(type)
    wrapped = [v & 1 if bits == 1 else signed(v, bits) for v in values]
    if not isinstance(type, t.ShapedType):
        return IntegerAttr(wrapped[0], type)
    return _dense(wrapped, type)


def _dense(values: Sequence[Any], type: Any) -> Attribute | None:
    if not type.has_static_shape:
        return None
    if len(values) == 1:
        return DenseElementsAttr.of(np.full(type.shape, values[0]), type)
    return DenseElementsAttr.of(np.array(values).reshape(type.shape), type)


def fold_integers(
    function: Callable[..., int | None], constants: Sequence[Attribute | None], type: t.Type
) -> Attribute | None:
    """``function`` applied element by element; None if an operand isn't constant or a result is None."""
    found = [integers(c) for c in constants]
    if any(f is None for f in found):
        return None
    columns: list[list[int]] = [f for f in found if f is not None]
    size = max(len(f) for f in columns)
    columns = [f * size if len(f) == 1 else f for f in columns]
    values = [function(*row) for row in zip(*columns, strict=True)]
    kept = [v for v in values if v is not None]
    return integer_attr(kept, type) if len(kept) == len(values) else None


def splat_float(attribute: Attribute | None) -> float | None:
    """The number of a scalar float constant or a splat of one of NumPy's own types."""
    if isinstance(attribute, FloatAttr):
        return attribute.value
    if isinstance(attribute, DenseElementsAttr) and attribute.is_splat:
        element = attribute.to_numpy().reshape(-1)[0]
        return float(element) if element.dtype.kind == "f" else None
    return None


def float_attr(value: float, type: t.Type) -> Attribute | None:
    """The constant of a type nearest to ``value``; None for NaN and for types without numbers.

    ``value`` is the exact result rounded to double: for +, -, * and / of types up to 24 bits of
    precision, rounding that once more gives what rounding once would have.
    """
    element = t.element_type_of(type)
    if math.isnan(value) or not isinstance(element, t.FloatType):
        return None
    try:
        dtype = numbers.dtype(element.dtype_name)
    except ValueError:
        return None
    rounded = float(numbers.round_to(np.float64(value), dtype))
    if not isinstance(type, t.ShapedType):
        return FloatAttr.of(rounded, type)
    return _dense([rounded], type) if element.numpy_dtype().kind == "f" else None
