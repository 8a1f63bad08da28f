"""How far a result may be off when sums are added in another order, or templates round otherwise.

Sums have no order. Two orders differ by at most 2·n·2⁻²⁴·Σ|terms| and one unit in the last place. A run
in which every sum is moved by half of that shows what becomes of it in later operations: twice the
largest deviation of a few such runs (all up, all down, mixed), and one unit in the last place, is what
each element of a buffer may be off. Buffers that no sum reaches may not be off at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from attrs import define

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, decode, round_to

UNIT = 2.0**-24
SUMS = ("arith.addf", "arith.mulf")

Signs = Callable[[tuple[int, ...]], Any]


@define(eq=False)
class Doubt:
    """A disturbance: the sign of each element's move, and units in the last place of templates."""

    signs: Signs
    ulps: int = 0
    met: int = 0

    def about_sum(self, total: np.ndarray, magnitude: Any, count: int, of: DType) -> np.ndarray:
        """A sum of ``count`` terms, moved. ``magnitude`` is the sum of the terms' absolute values."""
        return self._moved(total, count * UNIT * np.asarray(magnitude), 0.5, of)

    def about_template(self, result: Any, of: DType) -> Any:
        """The result of an operation for which the device has a template, moved."""
        return self._moved(np.asarray(result), 0.0, self.ulps / 2, of)

    def _moved(self, value: np.ndarray, bound: Any, ulps: float, of: DType) -> Any:
        self.met += 1
        exact = np.asarray(value, np.float64)
        with np.errstate(all="ignore"):
            moved = exact + self.signs(exact.shape) * (bound + ulps * spacing(exact, of))
        return round_to(np.where(np.isfinite(moved), moved, exact), of)


_ACTIVE: ContextVar[Doubt | None] = ContextVar("doubt", default=None)


def doubt() -> Doubt | None:
    """The disturbance of the run at hand."""
    return _ACTIVE.get()


@contextmanager
def doubting(active: Doubt) -> Iterator[None]:
    """Runs inside are disturbed."""
    token = _ACTIVE.set(active)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def spacing(values: Any, of: DType) -> np.ndarray:
    """The unit in the last place at these values of a float type."""
    assert of.format is not None
    values = np.nan_to_num(np.asarray(values, np.float64), posinf=0.0, neginf=0.0)
    exponent = np.where(values == 0, of.format.min_exponent, np.frexp(values)[1] - 1)
    return np.ldexp(1.0, np.maximum(exponent, of.format.min_exponent) - of.format.fraction)


def allowances(
    run: Callable[[], Mapping[str, np.ndarray]],
    wanted: Mapping[str, np.ndarray],
    dtypes: Mapping[str, DType],
    ulps: int = 0,
) -> dict[str, np.ndarray]:
    """What each element of the float buffers of ``run`` may be off; empty if no sum is in doubt.

    ``ulps`` is the largest error of a device's templates, 0 if it has none.
    """
    worst: dict[str, Any] = {}
    for signs in (lambda shape: 1.0, lambda shape: -1.0, _mixed(1), _mixed(2)):
        active = Doubt(signs, ulps)
        try:
            with doubting(active):
                found = run()
        except RunError:  # the disturbance leads astray: only the exact result will do
            return {}
        if not active.met:
            return {}
        for name, of in dtypes.items():
            if of.is_float and name in wanted:
                a, b = (_decoded(x[name], of) for x in (wanted, found))
                with np.errstate(all="ignore"):
                    off = np.nan_to_num(np.abs(a - b), nan=0.0, posinf=0.0)
                worst[name] = np.maximum(worst.get(name, 0.0), off)
    return {
        name: 2 * off + spacing(_decoded(wanted[name], dtypes[name]), dtypes[name])
        for name, off in worst.items()
        if off.any()
    }


def _mixed(seed: int) -> Signs:
    random = np.random.default_rng(seed)
    return lambda shape: random.choice((-1.0, 1.0), size=shape)


def _decoded(array: np.ndarray, of: DType) -> np.ndarray:
    """Elements of a buffer as float64, whether it holds values or codes."""
    values = array if array.dtype.kind == "f" else decode(array, of)
    return np.nan_to_num(np.asarray(values, np.float64), posinf=0.0, neginf=0.0)
