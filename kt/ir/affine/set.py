"""Affine sets: integer points that meet a conjunction of affine constraints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, final

from kt.ir.affine import box as boxes
from kt.ir.affine.box import Box
from kt.ir.affine.enumerate import box_points, check_limit, filtered_points
from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import AffineConst, AffineExpr, ExprLike, as_expr, const, dim
from kt.ir.affine.flatten import simplify
from kt.ir.affine.map import check_positions
from kt.ir.affine.polyhedron import dim_ranges
from kt.ir.affine.text import format_set
from kt.ir.affine.unique import Interner, Uniqued

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_set = object.__setattr__
_SETS = Interner()

MAX_POINTS = 1 << 26
"""Default limit on the points (and candidates) that an enumeration may list."""


@final
class AffineSet(Uniqued):
    """The points `(d0, …)` for which every constraint is `>= 0`, or `== 0` where flagged.

    Immutable and uniqued. No constraints at all are stored as MLIR does: `0 == 0`.
    """

    __slots__ = ("constraints", "eq_flags", "num_dims", "num_symbols")
    num_dims: int
    num_symbols: int
    constraints: tuple[AffineExpr, ...]
    eq_flags: tuple[bool, ...]

    def __new__(
        cls,
        num_dims: int,
        num_symbols: int,
        constraints: Iterable[ExprLike] = (),
        eq_flags: Iterable[bool] = (),
    ) -> AffineSet:
        exprs, flags = tuple(map(as_expr, constraints)), tuple(map(bool, eq_flags))
        if len(exprs) != len(flags):
            raise AffineError(f"{len(exprs)} constraints but {len(flags)} equality flags")
        if not exprs:
            exprs, flags = (const(0),), (True,)
        key = (num_dims, num_symbols, exprs, flags)
        found = _SETS.get(key)
        if found is None:
            check_positions("set", num_dims, num_symbols, exprs)
            new = object.__new__(cls)
            _set(new, "num_dims", int(num_dims))
            _set(new, "num_symbols", int(num_symbols))
            _set(new, "constraints", exprs)
            _set(new, "eq_flags", flags)
            found = _SETS.add(key, new)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineSet, (self.num_dims, self.num_symbols, self.constraints, self.eq_flags)

    # Constructors

    @staticmethod
    def universe(num_dims: int, num_symbols: int = 0) -> AffineSet:
        """All points: `(d0, …) : (0 == 0)`."""
        return AffineSet(num_dims, num_symbols)

    @staticmethod
    def empty(num_dims: int, num_symbols: int = 0) -> AffineSet:
        """No point: `(d0, …) : (1 == 0)`."""
        return AffineSet(num_dims, num_symbols, (1,), (True,))

    @staticmethod
    def box(ranges: Sequence[tuple[ExprLike, ExprLike]], num_symbols: int = 0) -> AffineSet:
        """`lo <= di < hi` for each `(lo, hi)`, ints or expressions over symbols."""
        constraints: list[AffineExpr] = []
        for i, (lo, hi) in enumerate(ranges):
            constraints += (dim(i) - lo, -dim(i) + hi - 1)
        return AffineSet(len(ranges), num_symbols, constraints, (False,) * len(constraints))

    # New sets from old

    def replace_dims_and_symbols(
        self,
        dims: Sequence[ExprLike],
        symbols: Sequence[ExprLike],
        num_dims: int,
        num_symbols: int,
    ) -> AffineSet:
        """Replace `di` by `dims[i]`, `si` by `symbols[i]`; the counts are those of the new set."""
        replaced = [expr.replace_dims_and_symbols(dims, symbols) for expr in self.constraints]
        return AffineSet(num_dims, num_symbols, replaced, self.eq_flags)

    def bind_symbols(self, values: Sequence[int]) -> AffineSet:
        """The set without symbols in which `si` is `values[i]`."""
        if len(values) != self.num_symbols:
            raise AffineError(f"'{self}' has {self.num_symbols} symbols, got {len(values)} values")
        return self.replace_dims_and_symbols((), values, self.num_dims, 0) if values else self

    def intersect(self, other: AffineSet) -> AffineSet:
        """The points of both; dims and symbols are shared. Repeated constraints are dropped."""
        if (self.num_dims, self.num_symbols) != (other.num_dims, other.num_symbols):
            raise AffineError(f"cannot intersect '{self}' with '{other}': dims or symbols differ")
        pairs = dict.fromkeys(self._pairs() + other._pairs())
        return self._with(pair for pair in pairs if pair != (const(0), True))

    def simplify(self) -> AffineSet:
        """Every constraint simplified as a whole; true ones dropped; `1 == 0` if one is false."""
        kept: dict[tuple[AffineExpr, bool], None] = {}
        for expr, eq in self._pairs():
            expr = simplify(expr)
            if not isinstance(expr, AffineConst):
                kept[expr, eq] = None
            elif expr.value < 0 or (eq and expr.value):
                return AffineSet.empty(self.num_dims, self.num_symbols)
        return self._with(kept)

    def project_out(self, position: int) -> AffineSet | None:
        """The set of the other dims for which some value of `d<position>` exists.

        Exact, or None where it is not simple: the dim must have a coefficient of ±1 in an equality,
        or in all its lower or all its upper bounds. Later dims move down by one.
        """
        lowers: list[tuple[int, AffineExpr]] = []
        uppers: list[tuple[int, AffineExpr]] = []
        kept: list[tuple[AffineExpr, bool]] = []
        solution: AffineExpr | None = None
        for expr, eq in self._pairs():
            split = boxes.split_dim(expr, position)
            if eq and solution is None and split is not None and abs(split[0]) == 1:
                solution = split[1] * -split[0]
                continue
            kept.append((expr, eq))
            if split is not None and split[0]:
                (lowers if split[0] > 0 else uppers).append((abs(split[0]), split[1]))
        others = [dim(i - (i > position)) for i in range(self.num_dims)]
        if solution is None:
            dependent = [(expr, eq) for expr, eq in kept if expr.depends_on_dim(position)]
            inexact = any(a != 1 for a, _ in lowers) and any(b != 1 for _, b in uppers)
            split_all = len(lowers) + len(uppers) == len(dependent)
            if inexact or not split_all or any(eq for _, eq in dependent):
                return None
            kept = [pair for pair in kept if pair not in dependent]
            kept += [(low * b + up * a, False) for a, low in lowers for b, up in uppers]
        else:
            solved = [dim(i) for i in range(self.num_dims)]
            kept = [
                (e.replace_dims_and_symbols([*solved[:position], solution]), eq) for e, eq in kept
            ]
        renumbered = [(simplify(e).replace_dims_and_symbols(others), eq) for e, eq in kept]
        reduced = AffineSet(
            self.num_dims - 1,
            self.num_symbols,
            [e for e, _ in renumbered],
            [q for _, q in renumbered],
        )
        return reduced.simplify()

    # Boxes

    def as_box(self, symbols: Sequence[int] = ()) -> Box | None:
        """Per dim (first, one past last) if the set is such a box, else None; see `box.as_box`."""
        return boxes.as_box(self, symbols)

    def as_symbolic_box(self) -> tuple[tuple[AffineExpr, ...], tuple[AffineExpr, ...]] | None:
        """Lower and exclusive upper bounds over the symbols; see `box.as_symbolic_box`."""
        return boxes.as_symbolic_box(self)

    def bounding_box(self, symbols: Sequence[int] = ()) -> Box | None:
        """A box that holds every point, None if unbounded; equal to `as_box` where that exists.

        All ranges are (0, 0) if the set is seen to be empty. May be wider than needed otherwise.
        """
        box, _ = self._bounding_box(symbols)
        return box

    def _bounding_box(self, symbols: Sequence[int]) -> tuple[Box | None, int]:
        """The bounding box, or None and the first unbounded dim."""
        box = self.as_box(symbols)
        if box is not None:
            return box, -1
        ranges = dim_ranges(self.bind_symbols(symbols))
        if ranges is None:
            return ((0, 0),) * self.num_dims, -1
        found: list[tuple[int, int]] = []
        for position, (lo, hi) in enumerate(ranges):
            if isinstance(lo, float) or isinstance(hi, float):
                return None, position
            found.append((lo, hi + 1))
        return tuple(found), -1

    # Points

    def contains(self, point: Sequence[int], symbols: Sequence[int] = ()) -> bool:
        """Whether the point meets every constraint."""
        if len(point) != self.num_dims or len(symbols) != self.num_symbols:
            raise AffineError(
                f"'{self}' takes {self.num_dims} dims and {self.num_symbols} symbols, "
                f"got {len(point)} and {len(symbols)}"
            )
        values = ((expr.eval(point, symbols), eq) for expr, eq in self._pairs())
        return all(value == 0 if eq else value >= 0 for value, eq in values)

    def count(self, symbols: Sequence[int] = (), limit: int = MAX_POINTS) -> int:
        """Number of points; the limit concerns sets that are no boxes. AffineError if infinite."""
        box = self.as_box(symbols)
        if box is not None:
            return math.prod(hi - lo for lo, hi in box)
        return len(self.enumerate(symbols, limit))

    def is_empty(self, symbols: Sequence[int] = ()) -> bool:
        """Whether there is no point; AffineError if it is not bounded and not plainly empty."""
        box = self.bounding_box(symbols)
        if box is not None and any(lo >= hi for lo, hi in box):
            return True
        return self.count(symbols) == 0

    def enumerate(self, symbols: Sequence[int] = (), limit: int = MAX_POINTS) -> NDArray[np.int64]:
        """All points, (npoints, num_dims) int64, in lexicographic order.

        Raises AffineError if the set is unbounded or has more than `limit` points (for a set that
        is no box: candidates looked at).
        """
        bound = self.bind_symbols(symbols)
        exact = bound.as_box()
        if exact is not None:
            check_limit(math.prod(hi - lo for lo, hi in exact), limit, bound)
            return box_points(exact)
        box, unbounded = bound._bounding_box(())
        if box is None:
            raise AffineError(f"affine set '{bound}' is not finite: d{unbounded} is unbounded")
        return filtered_points(bound, box, limit)

    def _pairs(self) -> list[tuple[AffineExpr, bool]]:
        return list(zip(self.constraints, self.eq_flags))

    def _with(self, pairs: Iterable[tuple[AffineExpr, bool]]) -> AffineSet:
        pairs = list(pairs)
        exprs, flags = [expr for expr, _ in pairs], [eq for _, eq in pairs]
        return AffineSet(self.num_dims, self.num_symbols, exprs, flags)

    def __str__(self) -> str:
        return format_set(self)

    def __repr__(self) -> str:
        return f"<affine_set {self}>"
