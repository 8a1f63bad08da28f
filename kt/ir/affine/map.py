"""Affine maps: tuples of expressions over dims and symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, final

from kt.ir.affine.compiled import Evaluator, compile_exprs
from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import (
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineSymbol,
    ExprLike,
    as_expr,
    dims,
)
from kt.ir.affine.flatten import simplify
from kt.ir.affine.text import format_map
from kt.ir.affine.unique import Interner, Uniqued
from kt.ir.lazy import np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_set = object.__setattr__
_MAPS = Interner()


def check_positions(
    what: str, num_dims: int, num_symbols: int, exprs: Iterable[AffineExpr]
) -> None:
    """Raise AffineError if an expression uses a dim or symbol that `what` does not have."""
    if num_dims < 0 or num_symbols < 0:
        raise AffineError(f"affine {what} with {num_dims} dims and {num_symbols} symbols")
    for expr in exprs:
        if expr.max_dim >= num_dims:
            raise AffineError(
                f"'{expr}' uses d{expr.max_dim} in an affine {what} of {num_dims} dims"
            )
        if expr.max_sym >= num_symbols:
            raise AffineError(
                f"'{expr}' uses s{expr.max_sym} in an affine {what} of {num_symbols} symbols"
            )


@final
class AffineMap(Uniqued):
    """A map from dims and symbols to a tuple of integers; immutable and uniqued."""

    __slots__ = ("_evaluator", "num_dims", "num_symbols", "results")
    num_dims: int
    num_symbols: int
    results: tuple[AffineExpr, ...]
    _evaluator: Evaluator | None

    def __new__(cls, num_dims: int, num_symbols: int, results: Iterable[ExprLike]) -> AffineMap:
        exprs = tuple(map(as_expr, results))
        key = (num_dims, num_symbols, exprs)
        found = _MAPS.get(key)
        if found is None:
            check_positions("map", num_dims, num_symbols, exprs)
            new = object.__new__(cls)
            _set(new, "num_dims", int(num_dims))
            _set(new, "num_symbols", int(num_symbols))
            _set(new, "results", exprs)
            _set(new, "_evaluator", None)
            found = _MAPS.add(key, new)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineMap, (self.num_dims, self.num_symbols, self.results)

    # Constructors

    @staticmethod
    def identity(rank: int) -> AffineMap:
        """`(d0, …) -> (d0, …)`."""
        return AffineMap(rank, 0, dims(rank))

    @staticmethod
    def minor_identity(num_dims: int, num_results: int) -> AffineMap:
        """The last `num_results` of `num_dims` dims, in order."""
        if num_results > num_dims:
            raise AffineError(f"minor identity with {num_results} results of {num_dims} dims")
        return AffineMap(num_dims, 0, dims(num_dims)[num_dims - num_results :])

    @staticmethod
    def constant(*values: int) -> AffineMap:
        """`() -> (values…)`."""
        return AffineMap(0, 0, values)

    @staticmethod
    def permutation(order: Sequence[int]) -> AffineMap:
        """Result i is dim `order[i]`; `order` must be a permutation of 0 … n-1."""
        if sorted(order) != list(range(len(order))):
            raise AffineError(f"{list(order)} is not a permutation of 0..{len(order) - 1}")
        return AffineMap(len(order), 0, map(AffineDim, order))

    @staticmethod
    def multi_dim(num_dims: int, targets: Sequence[int]) -> AffineMap:
        """Result i is dim `targets[i]`, of `num_dims` dims."""
        return AffineMap(num_dims, 0, map(AffineDim, targets))

    @staticmethod
    def concat(maps: Sequence[AffineMap]) -> AffineMap:
        """All results in a row: shared dims, symbols of each map one after the other."""
        results: list[AffineExpr] = []
        num_symbols = 0
        for one in maps:
            results += (expr.shift_symbols(num_symbols) for expr in one.results)
            num_symbols += one.num_symbols
        return AffineMap(max((m.num_dims for m in maps), default=0), num_symbols, results)

    # Shape and properties

    @property
    def num_results(self) -> int:
        """Number of result expressions."""
        return len(self.results)

    @property
    def num_inputs(self) -> int:
        """Number of dims and symbols together."""
        return self.num_dims + self.num_symbols

    @property
    def is_identity(self) -> bool:
        """Whether it is `(d0, …, dn) -> (d0, …, dn)`, without symbols."""
        return not self.num_symbols and self.results == dims(self.num_dims)

    @property
    def is_minor_identity(self) -> bool:
        """Whether the results are the last dims, in order, without symbols."""
        tail = max(self.num_dims - self.num_results, 0)
        return not self.num_symbols and self.results == dims(self.num_dims)[tail:]

    @property
    def is_projected_permutation(self) -> bool:
        """Whether every result is another dim; no symbols."""
        bare = all(isinstance(expr, AffineDim) for expr in self.results)
        return not self.num_symbols and bare and len(set(self.results)) == self.num_results

    @property
    def is_permutation(self) -> bool:
        """Whether the results are all dims in some order; no symbols."""
        return self.num_results == self.num_dims and self.is_projected_permutation

    @property
    def is_constant(self) -> bool:
        """Whether every result is a constant."""
        return all(isinstance(expr, AffineConst) for expr in self.results)

    @property
    def constants(self) -> tuple[int, ...] | None:
        """The results of a constant map, None for another map."""
        values = tuple(expr.value for expr in self.results if isinstance(expr, AffineConst))
        return values if len(values) == self.num_results else None

    @property
    def dim_positions(self) -> tuple[int, ...] | None:
        """The position of each result if all are plain dims, else None."""
        found = tuple(expr.position for expr in self.results if isinstance(expr, AffineDim))
        return found if len(found) == self.num_results else None

    @property
    def used_dims(self) -> tuple[int, ...]:
        """Positions of the dims that occur in the results, ascending."""
        return tuple(
            i for i in range(self.num_dims) if any(e.depends_on_dim(i) for e in self.results)
        )

    @property
    def used_symbols(self) -> tuple[int, ...]:
        """Positions of the symbols that occur in the results, ascending."""
        return tuple(
            i for i in range(self.num_symbols) if any(e.depends_on_sym(i) for e in self.results)
        )

    # Evaluation

    def eval(self, dims: Sequence[Any], symbols: Sequence[Any] = ()) -> tuple[Any, ...]:
        """The results at a point; entries may be ints or NumPy arrays that broadcast.

        Compiled on first use. Raises AffineError for a wrong number of entries or a bad divisor.
        """
        if len(dims) != self.num_dims or len(symbols) != self.num_symbols:
            raise AffineError(
                f"'{self}' takes {self.num_dims} dims and {self.num_symbols} symbols, "
                f"got {len(dims)} and {len(symbols)}"
            )
        return self.evaluator(dims, symbols)

    @property
    def evaluator(self) -> Evaluator:
        """The compiled `(dims, symbols) -> results`, without a check of the arities."""
        if self._evaluator is None:
            _set(self, "_evaluator", compile_exprs(self.results))
        assert self._evaluator is not None
        return self._evaluator

    def eval_points(self, points: ArrayLike, symbols: Sequence[int] = ()) -> NDArray[np.int64]:
        """The results at many points: (npoints, num_dims) -> (npoints, num_results), int64."""
        rows = np.asarray(points, dtype=np.int64)
        if rows.ndim != 2:
            raise AffineError(
                f"points must be a (npoints, {self.num_dims}) array, got {rows.shape}"
            )
        values = np.empty((len(rows), self.num_results), dtype=np.int64)
        for i, column in enumerate(self.eval(list(rows.T), symbols)):
            values[:, i] = column
        return values

    # New maps from old

    def compose(self, inner: AffineMap) -> AffineMap:
        """`self(inner(…))`: dims of `inner`, symbols of self and then of `inner`."""
        if inner.num_results != self.num_dims:
            raise AffineError(
                f"cannot compose '{self}' with '{inner}': "
                f"{self.num_dims} dims, {inner.num_results} results"
            )
        fed = [expr.shift_symbols(self.num_symbols) for expr in inner.results]
        results = [expr.replace_dims_and_symbols(fed) for expr in self.results]
        return AffineMap(inner.num_dims, self.num_symbols + inner.num_symbols, results)

    def replace_dims_and_symbols(
        self,
        dims: Sequence[ExprLike],
        symbols: Sequence[ExprLike],
        num_dims: int,
        num_symbols: int,
    ) -> AffineMap:
        """Replace `di` by `dims[i]`, `si` by `symbols[i]`; the counts are those of the new map."""
        results = [expr.replace_dims_and_symbols(dims, symbols) for expr in self.results]
        return AffineMap(num_dims, num_symbols, results)

    def replace(
        self, old: AffineExpr, new: AffineExpr, num_dims: int, num_symbols: int
    ) -> AffineMap:
        """Replace a sub-expression; the counts are those of the new map."""
        return AffineMap(num_dims, num_symbols, [e.replace({old: new}) for e in self.results])

    def bind_symbols(self, values: Sequence[int]) -> AffineMap:
        """The map without symbols in which `si` is `values[i]`."""
        if len(values) != self.num_symbols:
            raise AffineError(f"'{self}' has {self.num_symbols} symbols, got {len(values)} values")
        return self.replace_dims_and_symbols((), values, self.num_dims, 0)

    def shift_dims(self, shift: int) -> AffineMap:
        """Renumber `di` to `d(i + shift)`; `shift` new unused dims come first."""
        results = [expr.shift_dims(shift) for expr in self.results]
        return AffineMap(self.num_dims + shift, self.num_symbols, results)

    def shift_symbols(self, shift: int) -> AffineMap:
        """Renumber `si` to `s(i + shift)`; `shift` new unused symbols come first."""
        results = [expr.shift_symbols(shift) for expr in self.results]
        return AffineMap(self.num_dims, self.num_symbols + shift, results)

    def sub_map(self, positions: Sequence[int]) -> AffineMap:
        """The map of the chosen results, in the order given."""
        return AffineMap(self.num_dims, self.num_symbols, [self.results[i] for i in positions])

    def drop_unused_dims(self) -> AffineMap:
        """Renumber so that only `used_dims` remain."""
        used = self.used_dims
        renamed = [AffineDim(used.index(i)) if i in used else 0 for i in range(self.num_dims)]
        return self.replace_dims_and_symbols(renamed, (), len(used), self.num_symbols)

    def drop_unused_symbols(self) -> AffineMap:
        """Renumber so that only `used_symbols` remain."""
        used = self.used_symbols
        renamed = [AffineSymbol(used.index(i)) if i in used else 0 for i in range(self.num_symbols)]
        return self.replace_dims_and_symbols((), renamed, self.num_dims, len(used))

    def inverse_permutation(self) -> AffineMap | None:
        """The map from results back to dims, from the first result that is each plain dim.

        Other results are ignored; None if some dim never stands alone. Symbols are not allowed.
        """
        if self.num_symbols:
            raise AffineError(f"cannot invert '{self}': it has symbols")
        position_of: dict[AffineExpr, int] = {}
        for i, expr in enumerate(self.results):
            position_of.setdefault(expr, i)
        found = [position_of[d] for d in dims(self.num_dims) if d in position_of]
        if len(found) != self.num_dims:
            return None
        return AffineMap.multi_dim(self.num_results, found)

    def simplify(self) -> AffineMap:
        """The map with every result simplified as a whole (see `flatten.simplify`)."""
        return AffineMap(self.num_dims, self.num_symbols, map(simplify, self.results))

    def __str__(self) -> str:
        return format_map(self)

    def __repr__(self) -> str:
        return f"<affine_map {self}>"
