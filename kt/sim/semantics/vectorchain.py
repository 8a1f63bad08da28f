"""What vectorchain ops compute, on one-dimensional lanes (more dimensions are linearised).

Besides the op's own attributes, ``attrs`` has ``out_lanes`` (lanes of the result), ``lanes`` (for each
input lane the result lane that it is folded into; absent: each into its own) and ``masked`` (the last
operand is a mask). A lane that is masked off contributes the identity to a fold; elsewhere the result
lane is that of the first operand. Folds of narrow floats accumulate in f32 and round once. Estimates
are exact in f32, rounded once: slope and offset of a function f are f' and f(x) - x·f'(x), the two
stages of exp are 2^floor(x / ln 2) and the rest, so that their product is exp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, from_bits, to_bits
from kt.ir.numbers.rounding import rounded
from kt.sim.semantics.reductions import accumulator_dtype, identity
from kt.sim.semantics.registry import semantics, unguarded

_ARITH = {"add": ("addf", "addi"), "sub": ("subf", "subi"), "mul": ("mulf", "muli"),
          "min": ("minimumf", "minsi"), "max": ("maximumf", "maxsi")}  # fmt: skip
_BITWISE: dict[str, Callable[[Any, Any], Any]] = {
    "and0": lambda a, b: a & b,
    "or0": lambda a, b: a | b,
    "xnor": lambda a, b: ~(a ^ b),
    "and_not": lambda a, b: a & ~b,
}
_MAGNITUDE = {"abs_min": "min", "abs_max": "max"}
_FOLDS = ("add", "mul", "min", "max")
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "compare_eq": np.equal,
    "compare_neq": np.not_equal,
    "compare_lt": np.less,
    "compare_le": np.less_equal,
    "compare_gt": np.greater,
    "compare_ge": np.greater_equal,
}


def _arith(word: str, of: DType) -> str:
    return "arith." + _ARITH[word][0 if of.is_float else 1]


def binary_word(word: str, a: Any, b: Any, of: DType) -> Any:
    """One ``binary_operator`` on two values of type ``of``."""
    if word in _ARITH:
        return unguarded(_arith(word, of))(a, b, dtype=of, in_dtypes=(of, of), attrs={})
    if word in _BITWISE:
        return from_bits(_BITWISE[word](to_bits(a, of), to_bits(b, of)), of)
    if word in _MAGNITUDE:
        return binary_word(_MAGNITUDE[word], np.abs(a), np.abs(b), of)
    if word == "mul_div2":
        if of.is_float:
            return rounded(np.asarray(a, np.float64) * np.asarray(b, np.float64) / 2, of)
        product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
        return rounded((product + (product < 0)) >> 1, of)
    raise RunError(f"there is no binary operator '{word}'")


def _fold(
    word: str, terms: Any, of: DType, attrs: dict[str, Any], mask: Any, start: Any = None
) -> Any:
    """Terms combined into the result lanes in order; one rounding for narrow floats."""
    if word not in _FOLDS:
        raise RunError(
            f"binary operator '{word}' can't fold lanes",
            hint=f"those that can: {', '.join(_FOLDS)}",
        )
    name = _arith(word, of)
    wide = accumulator_dtype(name, of)
    count = attrs.get("out_lanes", len(terms))
    targets = attrs.get("lanes") or range(len(terms))
    first = identity(name, wide) if start is None else np.asarray(start, wide.compute)
    total = np.array(np.broadcast_to(first, (count,)), wide.compute)
    combine = unguarded(name)
    for lane, target in enumerate(targets):
        if mask is None or mask[lane]:
            total[target] = combine(
                total[target], terms[lane], dtype=wide, in_dtypes=(wide, wide), attrs={}
            )
    return rounded(total, of)


def _split(operands: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
    """Operands without the mask, and the mask or None."""
    if attrs.get("masked"):
        return operands[:-1], np.asarray(operands[-1]) != 0
    return operands, None


def _keep(result: Any, first: Any, mask: Any, of: DType) -> Any:
    """Lanes that are masked off take those of the first operand."""
    return result if mask is None else np.where(mask, result, rounded(first, of))


@semantics("vectorchain.binary")
def binary(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """A lane-wise op, or the fold of its results where a lane map says so."""
    (a, b), mask = _split(operands, attrs)
    word = attrs["binary_op"]
    result = binary_word(word, a, b, dtype)
    if attrs.get("lanes") is None:
        return _keep(result, a, mask, dtype)
    return _fold(word, result, dtype, attrs, mask)


def _products(a: Any, b: Any, of: DType) -> tuple[Any, DType]:
    """Products in the type that they are summed in."""
    wide = accumulator_dtype(_arith("add", of), of)
    product = unguarded(_arith("mul", of))
    return product(a, b, dtype=wide, in_dtypes=(wide, wide), attrs={}), wide


@semantics("vectorchain.multiply")
def multiply(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Sums of products."""
    (a, b), mask = _split(operands, attrs)
    terms, _ = _products(a, b, dtype)
    return _fold("add", terms, dtype, attrs, mask)


@semantics("vectorchain.multiply_and_accumulate")
def multiply_and_accumulate(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Sums of products, added to a third vector."""
    (a, b, c), mask = _split(operands, attrs)
    terms, _ = _products(a, b, dtype)
    return _fold("add", terms, dtype, attrs, mask, c)


@semantics("vectorchain.element_wise_compare")
def compare(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """1 where the comparison holds, else 0. A comparison with a NaN holds for ``neq`` only."""
    (a, b), mask = _split(operands, attrs)
    result = rounded(COMPARE[attrs["compare_op"]](a, b).astype(np.int8), dtype)
    return _keep(result, a, mask, dtype)


@semantics("vectorchain.element_wise_selection")
def selection(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """One of two lanes each."""
    (choice, a, b), mask = _split(operands, attrs)
    result = rounded(np.where(np.asarray(choice) != 0, a, b), dtype)
    return _keep(result, a, mask, dtype)


@semantics("vectorchain.cast")
def cast(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Lane-wise conversion."""
    (a,), mask = _split(operands, attrs)
    source = in_dtypes[0]
    if source.is_float and dtype.is_integer:
        result = unguarded("arith.fptosi")(a, dtype=dtype, in_dtypes=(source,), attrs={})
    else:
        result = rounded(a, dtype)
    return _keep(result, a, mask, dtype)


@semantics("vectorchain.scan_with_gap")
def scan_with_gap(a: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Running op with the lane ``gap`` places before, or behind from right to left."""
    backwards = attrs.get("eval_order") == "right_to_left"
    found = np.array(rounded(a, dtype))
    if backwards:
        found = found[::-1]
    gap = attrs["gap"]
    for i in range(gap, len(found), gap):
        now = found[i : i + gap]
        found[i : i + gap] = binary_word(
            attrs["reduction_op"], now, found[i - gap : i - gap + len(now)], dtype
        )
    return found[::-1].copy() if backwards else found


@semantics("vectorchain.rotate")
def rotate(a: Any, amount: Any, *, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """Lanes moved round, to the right unless ``right_shift`` is false."""
    step = int(amount) % max(1, len(a))
    return np.roll(a, step if attrs.get("right_shift", True) else -step)


@semantics("vectorchain.create_affine_mask")
def create_affine_mask(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
    """True in the lanes for which all constraints hold; the operand is their symbol."""
    bound = int(operands[0]) if operands else 0
    lane = np.arange(attrs["out_lanes"])
    found = np.ones(len(lane), bool)
    for on_lane, on_bound, constant, equality in attrs["constraints"]:
        value = on_lane * lane + (on_bound * bound + constant)
        found &= value == 0 if equality else value >= 0
    return found


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _tangent(value: Callable[[Any], Any], slope: Callable[[Any], Any], attrs: Any, x: Any) -> Any:
    found = slope(value(x))
    return found if attrs["version"] == "slope" else value(x) - x * found


def _exp_stage(x: Any, attrs: Any) -> Any:
    whole = np.floor(x / np.log(2.0))
    return np.exp2(whole) if attrs["version"] == "a" else np.exp(x - whole * np.log(2.0))


_UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "floor": lambda x, attrs: np.floor(x),
    "neg": lambda x, attrs: -x,
    "fast_exp": lambda x, attrs: np.exp(x),
    "rec_estimate": lambda x, attrs: 1 / x,
    "ln_estimate": lambda x, attrs: np.log(x),
    "rsqrt_estimate": lambda x, attrs: 1 / np.sqrt(x),
    "exp_estimate": _exp_stage,
    "sigmoid_estimate": lambda x, attrs: _tangent(_sigmoid, lambda s: s * (1 - s), attrs, x),
    "tanh_estimate": lambda x, attrs: _tangent(np.tanh, lambda y: 1 - y * y, attrs, x),
}


def _unary(name: str, function: Callable[[Any, Any], Any]) -> None:
    @semantics(f"vectorchain.{name}")
    def run(*operands: Any, dtype: Any, in_dtypes: Any, attrs: Any) -> Any:
        (a,), mask = _split(operands, attrs)
        if dtype.is_integer:
            result = rounded(function(np.asarray(a, np.int64), attrs), dtype)
        else:
            exact = function(np.asarray(a, np.float64), attrs)
            result = rounded(exact if dtype.name == "f64" else exact.astype(np.float32), dtype)
        return _keep(result, a, mask, dtype)


for _name, _function in _UNARY.items():
    _unary(_name, _function)
