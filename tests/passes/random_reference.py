"""What the values of a random kernel are, by NumPy: one run per compute tile, rounding included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define, field
from kernel_text import NUMPY, shaped

UNIT, ULPS = 2.0**-24, 2
"""Rounding of f32 sums; units in the last place that estimates may be off."""


def maximum(a: Any, b: Any) -> Any:
    """The greater; of zeros the positive one."""
    return np.where((a == b) & (a == 0), a + b, np.maximum(a, b)).astype(np.asarray(a).dtype)


def minimum(a: Any, b: Any) -> Any:
    return -maximum(-a, -b)


def number(choose: Callable, of: Callable) -> Callable:
    """maxnumf, minnumf: the other operand of a NaN."""
    return lambda a, b: np.where(np.isnan(a), b, np.where(np.isnan(b), a, choose(a, b)))


BINARY: dict[str, Callable] = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide,
    "maximumf": maximum, "minimumf": minimum, "maxnumf": number(maximum, np.maximum),
    "minnumf": number(minimum, np.minimum), "addi": np.add, "subi": np.subtract,
    "muli": np.multiply, "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and,
    "ori": np.bitwise_or, "xori": np.bitwise_xor,
}  # fmt: skip


@define(eq=False)
class Run:
    """One compute tile (and turn of the loop) of the reference."""

    place: tuple[int, ...]
    memory: dict[str, np.ndarray]
    nudge: int
    """Moves results that may be rounded in more than one way: 0, or up or down."""
    known: dict[Value, np.ndarray] = field(factory=dict)

    def __call__(self, value: Value) -> np.ndarray:
        if value not in self.known:
            made = np.asarray(value.of(self))
            assert made.shape == value.shape, (value.name, made.shape, value.shape)
            self.known[value] = made.astype(NUMPY[value.element])
        return self.known[value]

    def moved(self, result: Any, bound: Any, ulps: float, element: str) -> np.ndarray:
        """``result``, rounded to ``element``, and moved if the run is to show what that may change."""
        result = np.asarray(result, np.float64)
        if self.nudge:
            unit = np.spacing(np.abs(result.astype(NUMPY[element]))).astype(np.float64)
            result = result + self.nudge * (bound + ulps * np.nan_to_num(unit))
        return result.astype(NUMPY[element])


@define(eq=False)
class Value:
    """A tensor of the kernel."""

    name: str
    shape: tuple[int, ...]
    element: str
    of: Callable[[Run], Any]

    @property
    def type(self) -> str:
        return shaped("tensor", self.shape, self.element)

    @property
    def kind(self) -> str:
        return self.element[0]


@define(eq=False)
class Place:
    """Where a tile of a buffer lies: its view, start per dimension, and the same for NumPy."""

    buffer: str
    view: str
    shape: tuple[int, ...]
    element: str
    strides: list[int]
    spread: list[list[int]]
    """Coordinates that divide each dimension."""
    counts: list[int]
    pad: list[int]

    def starts(self, place: tuple[int, ...], shift: list[int]) -> list[int]:
        found = []
        for size, coordinates, start in zip(self.shape, self.spread, shift):
            number = 0
            for c in coordinates:
                number = number * self.counts[c] + place[c]
            found.append(number * size + start)
        return found

    def at(self, run: Run, shift: list[int]) -> np.ndarray:
        """The tile as a part of the buffer that can be written."""
        array = run.memory[self.buffer]
        start = sum(s * k for s, k in zip(self.starts(run.place, shift), self.strides))
        return np.lib.stride_tricks.as_strided(
            array[start:], self.shape, [k * array.itemsize for k in self.strides]
        )


def summed(run: Run, terms: np.ndarray, element: str) -> np.ndarray:
    """The sum over the first axis: in f32, rounded once; in doubt if its order can matter."""
    terms = terms.astype(np.float64)
    size = np.abs(terms).sum(0)
    grain = np.ldexp(1.0, -12)
    sure = np.all(terms == np.round(terms / grain) * grain) and np.all(size < grain * 2**24)
    total = terms.sum(0).astype(np.float32)
    return total.astype(NUMPY[element]) if sure else run.moved(total, len(terms) * UNIT * size, 0.5, element)
