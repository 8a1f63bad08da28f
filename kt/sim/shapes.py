"""Whether an array lies in memory as a kernel's view of it expects.

A kernel sees the elements of a buffer in the order in which they lie. An array of the view's shape is what
it means; so is one with dimensions merged or split (flat above all), or a larger one of which the view takes
a part. A transposed one is not: its rows would be taken for columns without a word.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir.diagnostics import UNKNOWN, Location, RunError

if TYPE_CHECKING:
    from kt.sim.buffers import Parameter, Ranges


@frozen
class Layout:
    """Extents, and strides in elements, of a view that begins where its buffer does.

    The first extent of a dense one may be unknown (-1).
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def dense(cls, sizes: Sequence[int]) -> Layout:
        return cls(tuple(sizes), tuple(math.prod(sizes[i + 1 :]) for i in range(len(sizes))))

    def takes(self, array: Layout) -> bool:
        """Whether the view's dimensions are some of an array's, merged, split or in part."""
        own = [(n, s) for n, s in zip(self.sizes, self.strides) if n != 1]
        given = [(n, s) for n, s in zip(array.sizes, array.strides) if n != 1]
        here, there = {s for _, s in own}, {s for _, s in given}
        return here <= there or there <= here or all(_within(n, s, given) for n, s in own)


def _within(size: int, stride: int, dims: Sequence[tuple[int, int]]) -> bool:
    """Whether steps of ``stride`` stay in one dimension of an array; many of them only in the first."""
    dims = dims[:1] if size < 0 else dims
    return any(stride % s == 0 and (size - 1) * stride < n * s for n, s in dims)


def check_shape(
    name: str, shape: Sequence[int], views: Sequence[Layout], location: Location = UNKNOWN
) -> None:
    """RunError for an array of a shape that no view of its buffer takes; without views any will do."""
    given = Layout.dense(shape)
    if len(shape) < 2 or 0 in shape or not views or any(view.takes(given) for view in views):
        return
    sizes = views[0].sizes
    turned = len(shape) == len(sizes) and all(n in (-1, m) for n, m in zip(sizes, shape[::-1]))
    wanted = ", ".join("?" if n < 0 else str(n) for n in sizes)
    raise RunError(
        f"argument '{name}' has shape {list(shape)}, but the kernel's view of it [{wanted}]",
        location,
        hint=f"transpose it: {name}.T" if turned else "reshape it; a flat array is taken as it lies",
    )


def layouts(parameter: Parameter, ranges: Ranges) -> list[Layout]:
    """The views that the kernel's text makes at an argument; [] if one isn't known or was made by a pass.

    Passes give views dimensions of their own; those of a kernel are what its access tiles are made of.
    """
    found = []
    for use in parameter.uses:
        if use.displaced or not any("access_tile" in user.name for user in use.view.result.users):
            return []
        bounds = [
            (n, n) if isinstance(n, int) else ranges.of(n)
            for n in (*use.view.mixed_sizes, *use.view.mixed_strides)
        ]
        numbers = [b[0] for b in bounds if b is not None and b[0] == b[1]]
        if len(numbers) < len(bounds):
            return []
        half = len(numbers) // 2
        found.append(Layout(tuple(numbers[:half]), tuple(numbers[half:])))
    return found
