"""Loaded tiles, and what is computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attrs import define

from kt.ir.diagnostics import KtError
from kt.ir.numbers import dtype
from kt.kernels.writer import Symbolic, Writer, extents

FLOATS = ("f16", "bf16", "f32", "f64")
BINARY = {
    "+": ("addf", "addi"), "-": ("subf", "subi"), "*": ("mulf", "muli"), "/": ("divf", "divsi"),
    "max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi"),
}  # fmt: skip
IDENTITY = {"+": 0.0, "max": -math.inf, "min": math.inf}
Scalar = int | float


def full(writer: Writer, sizes: Sequence[int], element: str, value: Scalar) -> Array:
    """An array whose elements are all ``value``."""
    text = number(element, value)
    name = writer.value(f"arith.constant dense<{text}> : tensor<{extents(sizes)}x{element}>", "cst")
    return Array(writer, name, element, tuple(sizes))


def number(element: str, value: Scalar) -> str:
    """A constant of an element type as text."""
    if element not in FLOATS:
        return str(int(value))
    value = float(value)
    if math.isfinite(value):
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")
    bits = dtype(element)
    import numpy as np

    pattern = np.asarray(value, np.float32 if element == "bf16" else bits.storage)
    digits = 2 * bits.itemsize
    text = pattern.tobytes()[::-1].hex().upper()[:digits]
    return f"0x{text}"


@define(eq=False)
class Array(Symbolic):
    """A loaded tile, or what was computed from one. ``shape`` may have leading or inner ones that only
    exist for broadcasting: ``real`` says which dimensions the value itself has."""

    writer: Writer
    name: str
    element: str
    shape: tuple[int, ...]
    real: tuple[int, ...] | None = None

    @property
    def type(self) -> str:
        sizes = self.shape if self.real is None else [self.shape[d] for d in self.real]
        return f"tensor<{extents(sizes)}x{self.element}>" if sizes else f"tensor<{self.element}>"

    def _made(self, text: str, element: str | None = None) -> Array:
        return Array(self.writer, self.writer.value(text), element or self.element, self.shape, self.real)

    # -- types and shapes --------------------------------------------------------------------------

    def astype(self, element: str) -> Array:
        """The same numbers in another type (float to float)."""
        if element == self.element:
            return self
        if element not in FLOATS or self.element not in FLOATS:
            raise KtError(f"no conversion from {self.element} to {element} here", code="kernel")
        op = "extf" if FLOATS.index(element) > FLOATS.index(self.element) else "truncf"
        target = self.type.replace(f"{self.element}>", f"{element}>")
        return self._made(f"arith.{op} {self.name} : {self.type} to {target}", element)

    def broadcast(self, shape: Sequence[int]) -> Array:
        """Stretched to ``shape``, as NumPy does it. KtError if that can't be."""
        shape = tuple(shape)
        lead = len(shape) - len(self.shape)
        own = (1,) * lead + self.shape
        real = tuple(d + lead for d in (self.real if self.real is not None else range(len(self.shape))))
        if lead < 0 or any(n not in (1, m) for n, m in zip(own, shape, strict=True)):
            raise KtError(f"shapes {extents(self.shape)} and {extents(shape)} don't fit", code="kernel")
        kept = tuple(d for d in real if own[d] == shape[d])
        value = self
        if kept != real:  # drop ones that are really there
            groups = _reassociation(real, kept)
            target = f"tensor<{extents([own[d] for d in kept])}x{self.element}>".replace("<x", "<")
            text = f"tensor.collapse_shape {self.name} {groups} : {self.type} into {target}"
            value = Array(self.writer, self.writer.value(text), self.element, own, kept)
        missing = [d for d in range(len(shape)) if d not in kept]
        if not missing:
            return Array(self.writer, value.name, self.element, shape)
        kind = f"tensor<{extents(shape)}x{self.element}>"
        empty = self.writer.value(f"tensor.empty() : {kind}", "e")
        name = self.writer.value(
            f"linalg.broadcast ins({value.name} : {value.type}) outs({empty} : {kind}) "
            f"dimensions = [{', '.join(map(str, missing))}]"
        )
        return Array(self.writer, name, self.element, shape)

    # -- arithmetic --------------------------------------------------------------------------------

    def binary(self, op: str, other: Array | Scalar, swapped: bool = False) -> Array:
        """An operation on two arrays, or an array and a number."""
        if not isinstance(other, Array):
            other = full(self.writer, self.shape, self.element, other)
        if other.element != self.element:
            raise KtError(
                f"{self.element} and {other.element} don't mix", hint="convert one with astype", code="kernel"
            )
        shape = _common(self.shape, other.shape)
        a, b = self.broadcast(shape), other.broadcast(shape)
        if swapped:
            a, b = b, a
        name = BINARY[op][self.element not in FLOATS]
        return a._made(f"arith.{name} {a.name}, {b.name} : {a.type}")

    def __add__(self, other: Any) -> Array:
        return self.binary("+", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Array:
        return self.binary("-", other)

    def __rsub__(self, other: Any) -> Array:
        return self.binary("-", other, True)

    def __mul__(self, other: Any) -> Array:
        return self.binary("*", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Array:
        return self.binary("/", other)

    def __rtruediv__(self, other: Any) -> Array:
        return self.binary("/", other, True)

    def __neg__(self) -> Array:
        return self._made(f"arith.negf {self.name} : {self.type}")

    def unary(self, op: str) -> Array:
        """An operation on each element: ``math.exp``, …"""
        return self._made(f"{op} {self.name} : {self.type}")

    def __matmul__(self, other: Array) -> Array:
        if len(self.shape) != 2 or len(other.shape) != 2 or self.shape[1] != other.shape[0]:
            raise KtError(f"{extents(self.shape)} @ {extents(other.shape)} has no meaning", code="kernel")
        shape = (self.shape[0], other.shape[1])
        zero = full(self.writer, shape, "f32", 0.0)
        name = self.writer.value(
            f"linalg.matmul ins({self.name}, {other.name} : {self.type}, {other.type}) "
            f"outs({zero.name} : {zero.type}) -> {zero.type}"
        )
        return Array(self.writer, name, "f32", shape)

    # -- reductions --------------------------------------------------------------------------------

    def reduce(self, op: str, axis: int, keepdims: bool = False) -> Array:
        """``+``, ``max`` or ``min`` over one dimension."""
        axis %= len(self.shape)
        left = [n for d, n in enumerate(self.shape) if d != axis]
        start = full(self.writer, left, self.element, IDENTITY[op])
        name = self.writer.value(
            f"linalg.reduce {{ arith.{BINARY[op][0]} }} ins({self.name} : {self.type}) "
            f"outs({start.name} : {start.type}) dimensions = [{axis}]"
        )
        if not keepdims:
            return Array(self.writer, name, self.element, tuple(left))
        shape = tuple(1 if d == axis else n for d, n in enumerate(self.shape))
        return Array(self.writer, name, self.element, shape, tuple(d for d in range(len(shape)) if d != axis))

    def sum(self, axis: int = -1, keepdims: bool = False) -> Array:
        """The sum over a dimension."""
        return self.reduce("+", axis, keepdims)

    def max(self, axis: int = -1, keepdims: bool = False) -> Array:
        """The greatest element along a dimension."""
        return self.reduce("max", axis, keepdims)

    def min(self, axis: int = -1, keepdims: bool = False) -> Array:
        """The least element along a dimension."""
        return self.reduce("min", axis, keepdims)

    def mean(self, axis: int = -1, keepdims: bool = False) -> Array:
        """The mean over a dimension."""
        return self.sum(axis, keepdims) * (1.0 / self.shape[axis])


def _common(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    size = max(len(a), len(b))
    pairs = zip((1,) * (size - len(a)) + tuple(a), (1,) * (size - len(b)) + tuple(b), strict=True)
    return tuple(max(m, n) for m, n in pairs)


def _reassociation(real: Sequence[int], kept: Sequence[int]) -> str:
    """Groups of positions: each kept dimension, with dropped ones beside it."""
    if not kept:
        return "[]"
    groups: list[list[int]] = [[] for _ in kept]
    at = 0
    for position, d in enumerate(real):
        if d in kept:
            at = kept.index(d)
        groups[at].append(position)
    return f"[{', '.join(str(g) for g in groups)}]"
