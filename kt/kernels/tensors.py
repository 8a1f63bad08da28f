"""Parameters that lie in memory: views of it, and tiles that are loaded and stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define

from kt.ir.diagnostics import KtError
from kt.kernels.arrays import Array, Scalar, full
from kt.kernels.writer import Writer, extents, place, refusal


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
        kind = f"tensor<{extents(sizes)}x{self.element}>"
        access = f"!ktdp.access_tile<{extents(sizes)}xindex>"
        name = self.writer.value(f"ktdp.load {tile} : {access} -> {kind}", f"{self.name}_")
        return Array(self.writer, name, self.element, sizes)

    def __setitem__(self, where: Any, value: Array | Scalar) -> None:
        tile, sizes = self._tile(where)
        if not isinstance(value, Array):
            value = full(self.writer, sizes, self.element, value)
        value = value.broadcast(sizes).astype(self.element)
        access = f"!ktdp.access_tile<{extents(sizes)}xindex>"
        self.writer.emit(f"ktdp.store {value.name}, {tile} : {value.type}, {access}")

    @property
    def memref(self) -> str:
        return f"memref<{extents([n if isinstance(n, int) else '?' for n in self.shape])}x{self.element}>"

    def construction(self) -> str:
        """The line that makes the view."""
        if any(isinstance(n, str) for n in self.shape[1:]):
            raise KtError(f"only the first dimension of '{self.name}' may have a name", code="kernel")
        sizes = ", ".join(str(n) if isinstance(n, int) else f"%{n}" for n in self.shape)
        strides, step = [], 1
        for n in reversed(self.shape):
            strides.append(step)
            step *= n if isinstance(n, int) else 1
        return (
            f"  {self.view} = ktdp.construct_memory_view %{self.name}, sizes: [{sizes}], "
            f"strides: [{', '.join(map(str, reversed(strides)))}] {{coordinate_set = {_box(self.shape)}, "
            f"memory_space = #ktdp.memory_space<global>}} : {self.memref}"
        )

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
            f"!ktdp.access_tile<{extents(sizes)}xindex>", "t",
        )  # fmt: skip
        return name, tuple(sizes)


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
