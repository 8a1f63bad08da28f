"""Kernels written in Python: a function that is run once, and writes down what it would compute.

>>> @kernel(grid=8, x="f16[96, 64]", y="f16[96, 64]", out="f16[96, 64]")
... def add(tile, x, y, out):
...     rows = tile * 12
...     out[rows:12, 0:64] = x[rows:12, 0:64] + y[rows:12, 0:64]
>>> print(add.text.splitlines()[0])
func.func @add(%x: index, %y: index, %out: index) attributes {grid = [8]} {

``x[start:size, …]`` is an access tile: ``size`` elements from ``start`` on in each dimension. Reading one
loads it; arithmetic on the loaded arrays broadcasts as in NumPy. A dimension of a tensor may be named
after a parameter of the kernel (``"f16[n, 64]"`` with ``n="index"``). ``for row in tile.range(n)`` is a loop.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import define, field

from kt.ir.diagnostics import KtError
from kt.ir.numbers import dtype

FLOATS = ("f16", "bf16", "f32", "f64")
BINARY = {
    "+": ("addf", "addi"), "-": ("subf", "subi"), "*": ("mulf", "muli"), "/": ("divf", "divsi"),
    "max": ("maximumf", "maxsi"), "min": ("minimumf", "minsi"),
}  # fmt: skip
IDENTITY = {"+": 0.0, "max": -math.inf, "min": math.inf}
Scalar = int | float


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
        name = ufunc.__name__
        binary = {"add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "divide": "/"}
        if method == "__call__" and name in binary and isinstance(inputs[1], Array):
            return inputs[1].binary(binary[name], float(inputs[0]), True)
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


@define(eq=False)
class Tensor:
    """A parameter that lies in memory, or a part of it (``tensor[start:size, …]``)."""

    writer: Writer
    name: str
    element: str
    shape: tuple[int | str, ...]
    view: str = ""

    def _not_loaded(self, *_: Any) -> Any:
        where = ", ".join(":" for _ in self.shape)
        raise refusal(f"'{self.name}' lies in memory; only loaded tiles can be computed with", f"load it: {self.name}[{where}]")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __neg__ = _not_loaded
    __truediv__ = __rtruediv__ = astype = sum = max = min = mean = _not_loaded

    def __getitem__(self, where: Any) -> Array:
        tile, sizes = self._tile(where)
        kind = f"tensor<{_shape(sizes)}x{self.element}>"
        access = f"!ktdp.access_tile<{_shape(sizes)}xindex>"
        name = self.writer.value(f"ktdp.load {tile} : {access} -> {kind}", f"{self.name}_")
        return Array(self.writer, name, self.element, sizes)

    def __setitem__(self, where: Any, value: Array | Scalar) -> None:
        tile, sizes = self._tile(where)
        if not isinstance(value, Array):
            value = full(self.writer, sizes, self.element, value)
        value = value.broadcast(sizes).astype(self.element)
        access = f"!ktdp.access_tile<{_shape(sizes)}xindex>"
        self.writer.emit(f"ktdp.store {value.name}, {tile} : {value.type}, {access}")

    @property
    def memref(self) -> str:
        return f"memref<{_shape([n if isinstance(n, int) else '?' for n in self.shape])}x{self.element}>"

    def _tile(self, where: Any) -> tuple[str, tuple[int, ...]]:
        slices = where if isinstance(where, tuple) else (where,)
        if len(slices) != len(self.shape):
            raise KtError(
                f"'{self.name}' has {len(self.shape)} dimensions, got {len(slices)}",
                hint="give start:size for each", code="kernel",
            )  # fmt: skip
        starts, sizes = [], []
        for part, extent in zip(slices, self.shape, strict=True):
            start, size = (part.start, part.stop) if isinstance(part, slice) else (part, 1)
            if isinstance(part, slice) and start is None and size is None:
                start, size = 0, extent
            if not isinstance(size, int) or size < 1:
                raise KtError(
                    f"the size of a tile of '{self.name}' must be a number, not {size!r}",
                    hint="tiles are start:size; only the start may be computed", code="kernel",
                )  # fmt: skip
            start = 0 if start is None else start
            if isinstance(start, int) and isinstance(extent, int) and not 0 <= start <= extent - size:
                raise refusal(
                    f"coordinates {start} to {start + size - 1} leave a dimension of '{self.name}', which has {extent}",
                    "tiles are start:size, not start:stop",
                )
            starts.append(place(self.writer, start))
            sizes.append(size)
        dims = [f"d{i}" for i in range(len(sizes))]
        name = self.writer.value(
            f"ktdp.construct_access_tile {self.view}[{', '.join(starts)}] "
            f"{{access_tile_set = {_box(sizes)}, access_tile_order = "
            f"affine_map<({', '.join(dims)}) -> ({', '.join(dims)})>}} : {self.memref} -> "
            f"!ktdp.access_tile<{_shape(sizes)}xindex>", "t",
        )  # fmt: skip
        return name, tuple(sizes)


def _shape(sizes: Sequence[Any]) -> str:
    return "x".join(map(str, sizes))


def _box(sizes: Sequence[int | str]) -> str:
    """The affine set of all coordinates below ``sizes``; strings are symbols."""
    dims = [f"d{i}" for i in range(len(sizes))]
    names = [n for n in sizes if isinstance(n, str)]
    symbols = f"[{', '.join(f's{k}' for k in range(len(names)))}]" if names else ""
    rules, k = [], 0
    for d, n in zip(dims, sizes, strict=True):
        if isinstance(n, str):
            upper, k = f"-{d} + s{k} - 1", k + 1
        else:
            upper = f"-{d} + {n - 1}"
        rules += [f"{d} >= 0", f"{upper} >= 0"]
    return f"affine_set<({', '.join(dims)}){symbols} : ({', '.join(rules)})>"


def full(writer: Writer, sizes: Sequence[int], element: str, value: Scalar) -> Array:
    """An array whose elements are all ``value``."""
    text = number(element, value)
    name = writer.value(f"arith.constant dense<{text}> : tensor<{_shape(sizes)}x{element}>", "cst")
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
        return f"tensor<{_shape(sizes)}x{self.element}>" if sizes else f"tensor<{self.element}>"

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
            raise KtError(f"shapes {_shape(self.shape)} and {_shape(shape)} don't fit", code="kernel")
        kept = tuple(d for d in real if own[d] == shape[d])
        value = self
        if kept != real:  # drop ones that are really there
            groups = _reassociation(real, kept)
            target = f"tensor<{_shape([own[d] for d in kept])}x{self.element}>".replace("<x", "<")
            text = f"tensor.collapse_shape {self.name} {groups} : {self.type} into {target}"
            value = Array(self.writer, self.writer.value(text), self.element, own, kept)
        missing = [d for d in range(len(shape)) if d not in kept]
        if not missing:
            return Array(self.writer, value.name, self.element, shape)
        kind = f"tensor<{_shape(shape)}x{self.element}>"
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
            raise KtError(f"{_shape(self.shape)} @ {_shape(other.shape)} has no meaning", code="kernel")
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


# -- the decorator -----------------------------------------------------------------------------------


@define(eq=False, slots=False)
class Kernel:
    """A kernel as KTIR. ``text`` is the source, ``module`` the verified IR."""

    name: str
    text: str

    @cached_property
    def module(self) -> Any:
        """The IR, to give to ``kt.compile``, ``kt.simulate``, ``kt.diff_passes``…"""
        from kt.ir.verifier import verify
        from kt.parse import parse_text

        module = parse_text(self.text, f"{self.name}.py.mlir")
        verify(module)
        return module

    def __str__(self) -> str:
        return self.text


def kernel(grid: int | Sequence[int] = 1, **parameters: str) -> Callable[[Callable[..., None]], Kernel]:
    """Decorator: the KTIR of a function, which is called once, with the tile and the parameters.

    A parameter is ``"f16[96, 64]"`` (a tensor; a dimension may be the name of an ``index`` parameter), or
    ``"index"``. ``grid`` is the number of tiles; with several dimensions the function gets one index for
    each, as a tuple.
    """
    extents = [grid] if isinstance(grid, int) else list(grid)
    if not extents or not all(isinstance(n, int) and n > 0 for n in extents):
        raise refusal(f"the grid {grid!r} is no number of tiles", "write grid=4, or grid=(2, 4)")

    def make(function: Callable[..., None]) -> Kernel:
        _check_signature(function, parameters)
        writer = Writer()
        given = {name: _parameter(writer, name, text) for name, text in parameters.items()}
        ids = [f"%tile{k}" for k in range(len(extents))] if len(extents) > 1 else ["%tile"]
        tiles = [Index(writer, name) for name in ids]
        views = [_view(writer, p) for p in given.values() if isinstance(p, Tensor)]
        function(tiles[0] if len(tiles) == 1 else tuple(tiles), **given)
        if not any("ktdp.store" in line for line in writer.lines):
            raise refusal(
                f"kernel '{function.__name__}' stores nothing", "assign to a part of a parameter: out[:, :] = …"
            )
        head = ", ".join(f"%{name}: index" for name in parameters)
        size = ", ".join(map(str, extents))
        types = ", ".join(["index"] * len(ids))
        body = [
            f"func.func @{function.__name__}({head}) attributes {{grid = [{size}]}} {{",
            *(f"  {name} = {text}" for name, text in writer.consts.items()),
            f"  {', '.join(ids)} = ktdp.get_compute_tile_id : {types}",
            *views, *writer.lines, "  return", "}",
        ]  # fmt: skip
        return Kernel(function.__name__, "\n".join(body) + "\n")

    return make


def _check_signature(function: Callable[..., None], parameters: Mapping[str, str]) -> None:
    _, *names = inspect.signature(function).parameters or [""]
    if set(names) != set(parameters):
        raise refusal(
            f"'{function.__name__}' takes {', '.join(names) or 'nothing'} behind the tile, but the decorator "
            f"describes {', '.join(parameters) or 'nothing'}",
            "describe each parameter once: @kt.kernel(grid=4, x=\"f16[96, 64]\", n=\"index\")",
        )
    for name, text in parameters.items():
        for n in text.partition("[")[2].rstrip("]").split(","):
            if n.strip() and not n.strip().isdigit() and parameters.get(n.strip()) != "index":
                raise refusal(
                    f"parameter '{name}': the size '{n.strip()}' is neither a number nor an index parameter",
                    f"add {n.strip()}=\"index\"",
                )


def _element(name: str, text: str) -> str:
    """A known element type."""
    try:
        return dtype(text.strip()).name
    except ValueError:
        floats = {"float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32", "float": "f32", "float64": "f64"}
        near = floats.get(text.strip(), text.strip().replace("int", "i"))
        raise refusal(
            f"parameter '{name}': '{text.strip()}' is no element type", f"write it as in MLIR: {near}" if near != text else None
        ) from None


def _parameter(writer: Writer, name: str, text: str) -> Tensor | Index:
    if text == "index":
        return Index(writer, f"%{name}")
    element, bracket, rest = text.partition("[")
    if not bracket or not rest.endswith("]"):
        raise KtError(f"parameter '{name}': '{text}' is neither 'index' nor like 'f16[96, 64]'", code="kernel")
    shape = tuple(int(n) if n.strip().isdigit() else n.strip() for n in rest[:-1].split(","))
    return Tensor(writer, name, _element(name, element), shape, f"%{name}_view")


def _view(writer: Writer, tensor: Tensor) -> str:
    sizes = ", ".join(str(n) if isinstance(n, int) else f"%{n}" for n in tensor.shape)
    strides, step = [], 1
    for n in reversed(tensor.shape):
        strides.append(step)
        step *= n if isinstance(n, int) else 1
    if any(isinstance(n, str) for n in tensor.shape[1:]):
        raise KtError(f"only the first dimension of '{tensor.name}' may have a name", code="kernel")
    return (
        f"  {tensor.view} = ktdp.construct_memory_view %{tensor.name}, sizes: [{sizes}], "
        f"strides: [{', '.join(map(str, reversed(strides)))}] {{coordinate_set = {_box(tensor.shape)}, "
        f"memory_space = #ktdp.memory_space<global>}} : {tensor.memref}"
    )
