"""Iteration spaces: the frame of a body that runs on all points at once, and operands laid out in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from kt.ir.affine import AffineConst, AffineDim, AffineMap
from kt.ir.core import Value
from kt.sim.errors import Fault
from kt.sim.interp import Frame
from kt.sim.values import rank_of


class BodyFrame(Frame):
    """The frame of a body: scalars are arrays over the iteration space (``axes`` dimensions)."""

    __slots__ = ("axes", "extents", "point")

    def __init__(self, outer: Frame, extents: tuple[int, ...]) -> None:
        super().__init__(outer.tiles, outer.order, outer)
        self.axes = len(extents)
        self.extents = extents
        self.point: dict[int, int] = {}
        """Dimensions that a fold has fixed, and where."""

    def __missing__(self, value: Value) -> Any:
        assert self.parent is not None
        found = self.parent[value]
        if rank_of(value.type) == 0 and isinstance(found, np.ndarray) and found.ndim == 1:
            found = found.reshape(-1, *(1,) * self.axes)
        self[value] = found
        return found

    def part(self, positions: np.ndarray) -> Frame:
        raise Fault("control flow that differs between the elements of a structured op")

    def index(self, dim: int) -> Any:
        """``linalg.index``: the coordinate along a dimension."""
        if dim in self.point:
            return self.point[dim]
        shape = [1] * self.axes
        shape[dim] = -1
        return np.arange(self.extents[dim]).reshape(shape)


@frozen
class Placement:
    """How an operand's axes spread over the iteration space: a transposition, then new axes."""

    map: AffineMap
    axes: int
    rank: int
    positions: tuple[int, ...] | None
    """Dimension of each axis, -1 for a constant subscript; None when a gather is needed."""
    constants: tuple[int, ...]

    @classmethod
    def of(cls, map: AffineMap, axes: int) -> Placement:
        positions: list[int] | None = []
        constants = []
        for expr in map.results:
            assert positions is not None
            positions.append(expr.position if isinstance(expr, AffineDim) else -1)
            constants.append(expr.value if isinstance(expr, AffineConst) else 0)
        dims = [p for p in positions if p >= 0]
        simple = len(set(dims)) == len(dims) and all(
            isinstance(e, (AffineDim, AffineConst)) for e in map.results
        )
        return cls(
            map, axes, map.num_results, tuple(positions) if simple else None, tuple(constants)
        )

    @property
    def whole(self) -> bool:
        """Whether the operand has the dimensions of the space, in their order."""
        return self.positions == tuple(range(self.axes))

    def place(self, value: Any, extents: tuple[int, ...]) -> np.ndarray:
        """The operand with one axis per dimension of the space (and the batch in front)."""
        value = np.asarray(value)
        lead = value.ndim - self.rank
        if self.positions is None:
            return self._gather(value, lead, extents)
        if self.whole:
            return value
        if -1 in self.positions:
            index = tuple(
                c if p < 0 else slice(None) for p, c in zip(self.positions, self.constants)
            )
            value = value[(slice(None),) * lead + index]
        dims = [p for p in self.positions if p >= 0]
        order = sorted(range(len(dims)), key=dims.__getitem__)
        value = value.transpose((*range(lead), *(lead + i for i in order)))
        spread = tuple(slice(None) if d in dims else None for d in range(self.axes))
        return value[(slice(None),) * lead + spread]

    def _gather(self, value: np.ndarray, lead: int, extents: tuple[int, ...]) -> np.ndarray:
        found = value[(slice(None),) * lead + self._subscripts(extents, value.shape[lead:])]
        return found

    def _subscripts(self, extents: tuple[int, ...], shape: tuple[int, ...]) -> tuple[Any, ...]:
        grids = np.meshgrid(*map(np.arange, extents), indexing="ij", sparse=True)
        found = []
        for i, c in enumerate(self.map.eval(grids)):
            c = np.asarray(c).reshape(np.shape(c) or (1,) * self.axes)
            if c.size and (c.min() < 0 or c.max() >= shape[i]):
                raise Fault(
                    f"subscript #{i} of {self.map} reaches {int(c.min())} to {int(c.max())}, but the "
                    f"operand has {shape[i]} elements there"
                )
            found.append(c)
        return tuple(found)

    def unplace(
        self, array: Any, extents: tuple[int, ...], shape: tuple[int, ...], old: Any
    ) -> np.ndarray:
        """The operand whose placement ``array`` is; ``old`` gives what a scatter leaves alone."""
        array = np.asarray(array)
        lead = max(0, array.ndim - self.axes)
        if array.ndim < self.axes:
            array = array.reshape((1,) * (self.axes - array.ndim) + array.shape)
        if self.whole and array.shape[lead:] == extents:
            return array
        if self.positions is None or -1 in self.positions:
            return self._scatter(array, lead, extents, shape, old)
        full = array.shape[:lead] + tuple(
            e if d in self.positions else array.shape[lead + d] for d, e in enumerate(extents)
        )
        array = np.broadcast_to(array, full)
        # Dimensions without an axis of the operand: the last iteration has the last word.
        index = tuple(slice(None) if d in self.positions else -1 for d in range(self.axes))
        array = array[(slice(None),) * lead + index]
        rest = sorted(self.positions)
        return array.transpose((*range(lead), *(lead + rest.index(p) for p in self.positions)))

    def _scatter(
        self,
        array: np.ndarray,
        lead: int,
        extents: tuple[int, ...],
        shape: tuple[int, ...],
        old: Any,
    ) -> np.ndarray:
        array = np.broadcast_to(array, (*array.shape[:lead], *extents))
        out = np.empty((*array.shape[:lead], *shape), array.dtype)
        reached = np.zeros(shape, bool)
        subscripts = self._subscripts(extents, shape)
        out[(slice(None),) * lead + subscripts] = array
        reached[subscripts] = True
        if not reached.all():
            out[..., ~reached] = np.asarray(old)[..., ~reached]
        return out
