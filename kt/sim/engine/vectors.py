"""Vector instructions as Python functions: ops by name, templates, shuffles, constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kt.binary.model import Constant, Lanes, Shuffle, VectorOp
from kt.ir.diagnostics import RunError
from kt.ir.numbers import decode, dtype, from_bits, to_bits
from kt.sim.engine.templates import Template, template_functions
from kt.sim.semantics.registry import tolerant, unguarded

__all__ = ["constant_value", "first_lane", "splat", "template_functions"]

_MISUSE = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What an op raises whose attributes or operands, as an artifact gives them, are not those it has."""


def constant_value(constant: Constant, templates: Mapping[str, Template]) -> Any:
    """What generated code calls for a constant of an image (or, for lanes, uses)."""
    match constant:
        case VectorOp():
            return vector_function(constant, templates)
        case Shuffle():
            return shuffle_function(constant)
        case Lanes():
            return decode(constant.array().copy(), dtype(constant.dtype))
    return None


def vector_function(constant: VectorOp, templates: Mapping[str, Template]) -> Callable[..., Any]:
    """``fn(*operands) -> result`` (a tuple when there are several) of a vector instruction.

    Every result has the lanes that the instruction says; RunError if the op gives others.
    """
    if not constant.results:
        raise RunError(f"'{constant.name}' gives no vector")
    function = tolerant(_lanewise(constant, templates))
    shapes = [(o.lanes,) for o in constant.results]
    computes = [dtype(o.dtype).compute for o in constant.results]
    several = len(shapes) > 1

    def run(*operands: Any) -> Any:
        try:
            made = function(*operands)
        except _MISUSE as error:
            raise RunError(f"'{constant.name}' can't be computed from this: {error!r}") from error
        if type(made) is np.ndarray and made.shape == shapes[0] and made.dtype == computes[0]:
            return made
        results = []
        for value, shape, compute in zip(
            made if several else (made,), shapes, computes, strict=True
        ):
            value = np.asarray(value, compute)
            if value.shape != shape:
                value = _spread(value, shape, constant.name)
            results.append(value)
        return tuple(results) if several else results[0]

    return run


def _spread(value: np.ndarray, shape: tuple[int, ...], name: str) -> np.ndarray:
    if value.size != 1:
        raise RunError(f"'{name}' gives {value.size} lanes where {shape[0]} are expected")
    return np.full(shape, value.reshape(-1)[0])


def _lanewise(constant: VectorOp, templates: Mapping[str, Template]) -> Callable[..., Any]:
    if constant.name.startswith("@"):
        found = templates.get(constant.name[1:])
        if found is None:
            raise RunError(f"the artifact has no template '{constant.name}'")
        return found
    function = unguarded(constant.name)
    out = dtype(constant.results[0].dtype)
    ins = tuple(dtype(o.dtype) for o in constant.operands)
    attrs = {**constant.attrs, "out_lanes": constant.results[0].lanes}

    def run(*operands: Any) -> Any:
        return function(*operands, dtype=out, in_dtypes=ins, attrs=attrs)

    return run


def shuffle_function(constant: Shuffle) -> Callable[..., Any]:
    """``fn(*inputs)``: lanes picked from the concatenated inputs, -1 is zero, then repeated."""
    indices = np.tile(np.array(constant.indices, np.int64), constant.repetition)
    zero = indices < 0
    picked = np.where(zero, 0, indices)
    blank = np.zeros((), dtype(constant.dtype).compute)

    def run(*inputs: Any) -> Any:
        joined = inputs[0] if len(inputs) == 1 else np.concatenate(inputs)
        return joined[picked]

    def run_padded(*inputs: Any) -> Any:
        joined = np.concatenate(inputs) if inputs else np.zeros(1, blank.dtype)
        return np.where(zero, blank, joined[picked])

    return run_padded if zero.any() else run


def splat(bits: int, name: str, lanes: int) -> Any:
    """The low bits of a scalar register as a number of format ``name`` in every lane."""
    form = dtype(name)
    value = from_bits(np.asarray(bits & (1 << form.bits) - 1, np.uint64), form)
    return np.full(lanes, value)


def first_lane(vector: Any, name: str) -> int:
    """Lane 0 as a scalar register holds it: float by its bits, integers sign-extended."""
    form = dtype(name)
    value = np.asarray(vector).reshape(-1)[0]
    return int(to_bits(np.asarray(value), form)) if form.is_float else int(value)
