"""The decorator: a function becomes the text of a kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import define

from kt.ir.diagnostics import KtError
from kt.ir.numbers import dtype
from kt.kernels.tensors import Tensor
from kt.kernels.writer import Index, Writer, refusal

if TYPE_CHECKING:
    import numpy as np


@define(eq=False, slots=False)
class Kernel:
    """A kernel as KTIR. ``text`` is the source, ``module`` the verified IR."""

    name: str
    text: str
    line: int = 1
    """Where the function begins in its file: two of one name are told apart in messages by it."""

    @cached_property
    def module(self) -> Any:
        """The IR, to give to ``kt.compile``, ``kt.simulate``, ``kt.diff_passes``…"""
        from kt.ir.verifier import verify
        from kt.parse import parse_text

        module = parse_text(self.text, f"{self.name}@{self.line}.py.mlir")
        verify(module)
        return module

    def __call__(self, /, *arguments: Any, **named: Any) -> dict[str, np.ndarray]:
        """Run it by the meaning of its operations: ``add(x, y, out)`` or ``add(x=x, y=y, out=out)``.

        Returns all buffers by name as they are after the run, as ``kt.simulate`` does, which has more
        to choose; for a device, load what ``kt.compile`` makes. RunError for arguments that don't fit.
        """
        from kt.sim.arguments import bind
        from kt.sim.functions import argument_names, find_function
        from kt.sim.simulate import simulate

        names = argument_names(find_function(self.module, self.name))
        return simulate(self.module, bind(names, arguments, named), self.name)

    def __str__(self) -> str:
        return self.text


def kernel(
    grid: int | Sequence[int] = 1, *nameless: Any, **parameters: str
) -> Callable[[Callable[..., None]], Kernel]:
    """Decorator: the KTIR of a function, which is called once, with the tile and the parameters.

    A parameter is ``"f16[96, 64]"`` (a tensor; a dimension may be the name of an ``index`` parameter), or
    ``"index"``; the function's order counts. ``grid`` is the number of tiles; with several dimensions the
    function gets one index for each, as a tuple.
    """
    if nameless or callable(grid):
        raise refusal(
            "the parameters of a kernel are described by name",
            'write @kt.kernel(grid=4, x="f16[96, 64]", out="f16[96, 64]")',
        )
    extents = list(grid) if isinstance(grid, Sequence) else [grid]
    if not extents or not all(isinstance(n, int) and n > 0 for n in extents):
        raise refusal(f"the grid {grid!r} is no number of tiles", "write grid=4, or grid=(2, 4)")

    def make(function: Callable[..., None]) -> Kernel:
        names = _names(function, parameters)
        writer = Writer()
        given = {name: _parameter(writer, name, parameters[name]) for name in names}
        ids = [f"%tile{k}" for k in range(len(extents))] if len(extents) > 1 else ["%tile"]
        tiles = [Index(writer, name) for name in ids]
        views = [p.construction() for p in given.values() if isinstance(p, Tensor)]
        function(tiles[0] if len(tiles) == 1 else tuple(tiles), **given)
        if not any("ktdp.store" in line for line in writer.lines):
            raise refusal(
                f"kernel '{function.__name__}' stores nothing", "assign to a part of a parameter: out[:, :] = …"
            )
        head = ", ".join(f"%{name}: index" for name in names)
        size = ", ".join(map(str, extents))
        types = ", ".join(["index"] * len(ids))
        body = [
            f"func.func @{function.__name__}({head}) attributes {{grid = [{size}]}} {{",
            *(f"  {name} = {text}" for name, text in writer.consts.items()),
            f"  {', '.join(ids)} = ktdp.get_compute_tile_id : {types}",
            *views, *writer.lines, "  return", "}",
        ]  # fmt: skip
        line = getattr(getattr(function, "__code__", None), "co_firstlineno", 1)
        return Kernel(function.__name__, "\n".join(body) + "\n", line)

    return make


def _names(function: Callable[..., None], parameters: Mapping[str, str]) -> list[str]:
    """The function's parameters behind the tile, each described once."""
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
    return names


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
