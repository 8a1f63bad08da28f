"""The text that a kernel in Python becomes, and the integers in it that tiles are placed by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import define, field

from kt.ir.diagnostics import KtError


@define(eq=False)
class Writer:
    """The text being written. ``consts`` stand at the function's start."""

    lines: list[str] = field(factory=list)
    consts: dict[str, str] = field(factory=dict)
    depth: int = 1
    count: int = 0

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def value(self, text: str, hint: str = "v") -> str:
        """A new value that ``text`` computes."""
        name = f"%{hint}{self.count}"
        self.count += 1
        self.emit(f"{name} = {text}")
        return name

    def index(self, number: int) -> str:
        name = f"%c{number}" if number >= 0 else f"%cm{-number}"
        self.consts[name] = f"arith.constant {number} : index"
        return name


def refusal(message: str, hint: str | None = None) -> KtError:
    """What a kernel in Python can't say."""
    return KtError(message, hint=hint, code="kernel")


_REFLECTED = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "true_divide": "__rtruediv__",
}  # fmt: skip


class Symbolic:
    """A value that is known when the kernel runs, not when its function does: nothing can be decided by it."""

    name: str

    def _undecided(self, *_: Any) -> Any:
        raise refusal(
            f"Python can't decide by {self.name}: the function is run once, and what it writes holds for all tiles",
            "compute with it; loops are `for i in tile.range(n)`, choices are kt.ops.maximum and minimum",
        )

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _undecided  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **_: Any) -> Any:
        """A number of NumPy on the left of an operator counts as Python's own."""
        name, left = ufunc.__name__, inputs[0]
        reflected = getattr(self, _REFLECTED.get(name, ""), None)
        plain = isinstance(left, (np.generic, np.ndarray)) and left.ndim == 0
        if method == "__call__" and reflected is not None and plain:
            return reflected(left.item())
        raise refusal(
            f"np.{name} can't be used in a kernel", f"use kt.ops.{name}, or what else kt.ops has"
        )


@define(eq=False, repr=False)
class Index(Symbolic):
    """An integer that tiles are placed by: the tile's number, a loop counter, an argument."""

    writer: Writer
    name: str

    def __repr__(self) -> str:
        return self.name

    def __index__(self) -> int:
        raise refusal(f"{self.name} is no number yet", "write `for i in tile.range(n)` instead of range(n)")

    def __truediv__(self, other: Any) -> Index:
        raise refusal(f"'/' of {self.name} would be no integer", "divide with //")

    def _binary(self, op: str, other: Any, swapped: bool = False) -> Index:
        a, b = self.name, place(self.writer, other)
        if swapped:
            a, b = b, a
        return Index(self.writer, self.writer.value(f"arith.{op} {a}, {b} : index", "i"))

    def __add__(self, other: Any) -> Index:
        return self._binary("addi", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Index:
        return self._binary("subi", other)

    def __rsub__(self, other: Any) -> Index:
        return self._binary("subi", other, True)

    def __mul__(self, other: Any) -> Index:
        return self._binary("muli", other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Index:
        return self._binary("floordivsi", other)

    def __mod__(self, other: Any) -> Index:
        return self._binary("remsi", other)

    def range(self, *limits: Any) -> Iterator[Index]:
        """A loop: ``range(stop)``, ``range(start, stop)`` or ``range(start, stop, step)``.

        On the tile's number, the loop of ``range(stop)`` begins at 0 as well.
        """
        start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]
        words = [place(self.writer, v) for v in (start, stop, step)]
        name = f"%k{self.writer.count}"
        self.writer.count += 1
        self.writer.emit(f"scf.for {name} = {words[0]} to {words[1]} step {words[2]} {{")
        self.writer.depth += 1
        yield Index(self.writer, name)
        self.writer.depth -= 1
        self.writer.emit("}")


def place(writer: Writer, value: Any) -> str:
    """The name of an index, a constant made if need be."""
    if isinstance(value, Index):
        return value.name
    if isinstance(value, int) and not isinstance(value, bool):
        return writer.index(value)
    raise KtError(f"{value!r} is no index", hint="use integers, the tile, loop counters, arguments", code="kernel")


def extents(sizes: Sequence[Any]) -> str:
    return "x".join(map(str, sizes))
