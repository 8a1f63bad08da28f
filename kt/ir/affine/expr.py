"""Affine expressions: dims, symbols, constants and the five binary operators.

Expressions are immutable and uniqued. The Python operators simplify locally, by the rules that
MLIR applies when an expression is built, so that printed text agrees with MLIR's.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Union, final

from kt.ir.affine.errors import AffineError
from kt.ir.affine.unique import Interner, Uniqued

Kind = Literal["add", "mul", "mod", "floordiv", "ceildiv"]
ExprLike = Union["AffineExpr", int]

MAX_DEPTH = 256
"""Operators on the longest path of an expression; all algorithms recurse along it."""

_set = object.__setattr__
_INT64_MIN, _INT64_MAX = -(1 << 63), (1 << 63) - 1


class AffineExpr(Uniqued):
    """An integer expression over dims `d0, d1, …` and symbols `s0, s1, …`.

    `dim_mask` and `sym_mask` have bit i set where `di` / `si` occurs.
    """

    __slots__ = ("dim_mask", "sym_mask")
    dim_mask: int
    sym_mask: int
    depth = 0

    def __add__(self, other: ExprLike) -> AffineExpr:
        return build.add(self, as_expr(other))

    def __radd__(self, other: ExprLike) -> AffineExpr:
        return build.add(as_expr(other), self)

    def __sub__(self, other: ExprLike) -> AffineExpr:
        return build.add(self, -as_expr(other))

    def __rsub__(self, other: ExprLike) -> AffineExpr:
        return build.add(as_expr(other), -self)

    def __neg__(self) -> AffineExpr:
        return build.mul(self, AffineConst(-1))

    def __mul__(self, other: ExprLike) -> AffineExpr:
        return build.mul(self, as_expr(other))

    def __rmul__(self, other: ExprLike) -> AffineExpr:
        return build.mul(as_expr(other), self)

    def __floordiv__(self, other: ExprLike) -> AffineExpr:
        return build.floordiv(self, as_expr(other))

    def __rfloordiv__(self, other: ExprLike) -> AffineExpr:
        return build.floordiv(as_expr(other), self)

    def __mod__(self, other: ExprLike) -> AffineExpr:
        return build.mod(self, as_expr(other))

    def __rmod__(self, other: ExprLike) -> AffineExpr:
        return build.mod(as_expr(other), self)

    def floordiv(self, other: ExprLike) -> AffineExpr:
        """Quotient rounded to minus infinity."""
        return build.floordiv(self, as_expr(other))

    def ceildiv(self, other: ExprLike) -> AffineExpr:
        """Quotient rounded to plus infinity."""
        return build.ceildiv(self, as_expr(other))

    def __str__(self) -> str:
        from kt.ir.affine.text import format_expr

        return format_expr(self)

    def __repr__(self) -> str:
        return f"<affine {self}>"

    @property
    def is_symbolic(self) -> bool:
        """Whether the expression is free of dims (symbols and constants only)."""
        return not self.dim_mask

    @property
    def max_dim(self) -> int:
        """The highest dim position used, -1 if none."""
        return self.dim_mask.bit_length() - 1

    @property
    def max_sym(self) -> int:
        """The highest symbol position used, -1 if none."""
        return self.sym_mask.bit_length() - 1

    def depends_on_dim(self, position: int) -> bool:
        """Whether `d<position>` occurs."""
        return bool(self.dim_mask >> position & 1)

    def depends_on_sym(self, position: int) -> bool:
        """Whether `s<position>` occurs."""
        return bool(self.sym_mask >> position & 1)

    @property
    def is_pure_affine(self) -> bool:
        """Whether every product, division and modulus has a constant on one side (the right)."""
        for node in self.walk():
            if isinstance(node, AffineBinary) and node.kind != "add":
                constant = isinstance(node.rhs, AffineConst) or (
                    node.kind == "mul" and isinstance(node.lhs, AffineConst)
                )
                if not constant:
                    return False
        return True

    @property
    def largest_divisor(self) -> int:
        """The largest integer known to divide every value; 0 for the constant 0."""
        return build.largest_divisor(self)

    def is_multiple_of(self, factor: int) -> bool:
        """Whether every value is known to be a multiple of `factor`."""
        return factor != 0 and self.largest_divisor % factor == 0

    def walk(self) -> Iterator[AffineExpr]:
        """Every node, operands before their operator (a shared node as often as it occurs)."""
        stack: list[tuple[AffineExpr, bool]] = [(self, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded or not isinstance(node, AffineBinary):
                yield node
            else:
                stack += ((node, True), (node.rhs, False), (node.lhs, False))

    def replace(self, mapping: Mapping[AffineExpr, AffineExpr]) -> AffineExpr:
        """Replace whole sub-expressions, outermost match first, and simplify on the way up."""
        found = mapping.get(self)
        if found is not None:
            return found
        if not isinstance(self, AffineBinary):
            return self
        return _rebuild(self, self.lhs.replace(mapping), self.rhs.replace(mapping))

    def replace_dims_and_symbols(
        self, dims: Sequence[ExprLike] = (), symbols: Sequence[ExprLike] = ()
    ) -> AffineExpr:
        """Replace `di` by `dims[i]` and `si` by `symbols[i]`; positions beyond the end stay."""
        if isinstance(self, AffineBinary):
            lhs = self.lhs.replace_dims_and_symbols(dims, symbols)
            rhs = self.rhs.replace_dims_and_symbols(dims, symbols)
            return _rebuild(self, lhs, rhs)
        if isinstance(self, AffineDim) and self.position < len(dims):
            return as_expr(dims[self.position])
        if isinstance(self, AffineSymbol) and self.position < len(symbols):
            return as_expr(symbols[self.position])
        return self

    def shift_dims(self, shift: int) -> AffineExpr:
        """Renumber `di` to `d(i + shift)`."""
        return self.replace_dims_and_symbols(
            [AffineDim(i + shift) for i in range(self.max_dim + 1)]
        )

    def shift_symbols(self, shift: int) -> AffineExpr:
        """Renumber `si` to `s(i + shift)`."""
        symbols = [AffineSymbol(i + shift) for i in range(self.max_sym + 1)]
        return self.replace_dims_and_symbols((), symbols)

    def eval(self, dims: Sequence[Any] = (), symbols: Sequence[Any] = ()) -> Any:
        """The value at a point; entries may be ints or NumPy integer arrays that broadcast.

        Raises AffineError for a missing entry, a zero divisor or a modulus below 1.
        """
        if self.max_dim >= len(dims) or self.max_sym >= len(symbols):
            raise AffineError(
                f"'{self}' needs {self.max_dim + 1} dims and {self.max_sym + 1} symbols, "
                f"got {len(dims)} and {len(symbols)}"
            )
        return _eval(self, dims, symbols)


@final
class AffineDim(AffineExpr):
    """The dimension `d<position>`."""

    __slots__ = ("position",)
    position: int

    def __new__(cls, position: int) -> AffineDim:
        # Positions are small and few: leaves are kept for good, the fastest table there is.
        found = _DIMS.get(position)
        if found is None:
            position = _position(position)
            found = object.__new__(cls)
            _set(found, "position", position)
            _set(found, "dim_mask", 1 << position)
            _set(found, "sym_mask", 0)
            found = _DIMS.setdefault(position, found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineDim, (self.position,)


@final
class AffineSymbol(AffineExpr):
    """The symbol `s<position>`."""

    __slots__ = ("position",)
    position: int

    def __new__(cls, position: int) -> AffineSymbol:
        found = _SYMBOLS.get(position)
        if found is None:
            position = _position(position)
            found = object.__new__(cls)
            _set(found, "position", position)
            _set(found, "dim_mask", 0)
            _set(found, "sym_mask", 1 << position)
            found = _SYMBOLS.setdefault(position, found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineSymbol, (self.position,)


@final
class AffineConst(AffineExpr):
    """A 64-bit integer constant."""

    __slots__ = ("value",)
    value: int

    def __new__(cls, value: int) -> AffineConst:
        found = _CONSTS.get(value)
        if found is None:
            value = operator.index(value)
            if not _INT64_MIN <= value <= _INT64_MAX:
                raise AffineError(f"affine constant {value} does not fit 64 bits")
            new = object.__new__(cls)
            # Not `value`: True and NumPy integers are equal keys but other objects.
            _set(new, "value", int(value))
            _set(new, "dim_mask", 0)
            _set(new, "sym_mask", 0)
            found = _CONSTS.add(new.value, new)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineConst, (self.value,)


@final
class AffineBinary(AffineExpr):
    """`lhs kind rhs` exactly as given; the Python operators and `binary` simplify instead.

    Raises AffineError where the result would not be affine.
    """

    __slots__ = ("depth", "kind", "lhs", "rhs")
    depth: int
    kind: Kind
    lhs: AffineExpr
    rhs: AffineExpr

    def __new__(cls, kind: Kind, lhs: AffineExpr, rhs: AffineExpr) -> AffineBinary:
        key = (kind, lhs, rhs)
        found = _BINARIES.get(key)
        if found is None:
            _check_affine(kind, lhs, rhs)
            new = object.__new__(cls)
            _set(new, "depth", 1 + max(lhs.depth, rhs.depth))
            _set(new, "kind", kind)
            _set(new, "lhs", lhs)
            _set(new, "rhs", rhs)
            _set(new, "dim_mask", lhs.dim_mask | rhs.dim_mask)
            _set(new, "sym_mask", lhs.sym_mask | rhs.sym_mask)
            found = _BINARIES.add(key, new)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineBinary, (self.kind, self.lhs, self.rhs)


_DIMS: dict[int, AffineDim] = {}
_SYMBOLS: dict[int, AffineSymbol] = {}
_CONSTS = Interner()
_BINARIES = Interner()


def as_expr(value: ExprLike) -> AffineExpr:
    """`value` itself, or the constant expression of an integer."""
    return value if isinstance(value, AffineExpr) else AffineConst(value)


def binary(kind: Kind, lhs: ExprLike, rhs: ExprLike) -> AffineExpr:
    """The simplified `lhs kind rhs`; what a parser or a generic rebuild calls."""
    return build.BUILDERS[kind](as_expr(lhs), as_expr(rhs))


def dim(position: int) -> AffineDim:
    """The dimension `d<position>`."""
    return AffineDim(position)


def dims(count: int) -> tuple[AffineDim, ...]:
    """The dimensions `d0 … d<count-1>`."""
    return tuple(map(AffineDim, range(count)))


def sym(position: int) -> AffineSymbol:
    """The symbol `s<position>`."""
    return AffineSymbol(position)


def syms(count: int) -> tuple[AffineSymbol, ...]:
    """The symbols `s0 … s<count-1>`."""
    return tuple(map(AffineSymbol, range(count)))


def const(value: int) -> AffineConst:
    """The constant `value`."""
    return AffineConst(value)


def _position(position: int) -> int:
    position = operator.index(position)
    if position < 0:
        raise AffineError(f"position of a dim or symbol must not be negative, got {position}")
    return position


def _check_affine(kind: Kind, lhs: AffineExpr, rhs: AffineExpr) -> None:
    if kind not in build.BUILDERS:
        raise AffineError(f"unknown affine operator '{kind}' (one of {', '.join(build.BUILDERS)})")
    if max(lhs.depth, rhs.depth) >= MAX_DEPTH:
        raise AffineError(f"affine expression is nested deeper than {MAX_DEPTH} operators")
    if kind == "add" or not rhs.dim_mask:
        return
    if kind != "mul":
        raise AffineError(
            f"non-affine expression: right operand of {kind} has to be either a constant or symbolic"
        )
    if lhs.dim_mask:
        raise AffineError(
            "non-affine expression: at least one of the multiply operands has to be either "
            "a constant or symbolic"
        )


def _rebuild(old: AffineBinary, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    if lhs is old.lhs and rhs is old.rhs:
        return old
    return build.BUILDERS[old.kind](lhs, rhs)


def _eval(expr: AffineExpr, dims: Sequence[Any], symbols: Sequence[Any]) -> Any:
    if isinstance(expr, AffineBinary):
        lhs, rhs = _eval(expr.lhs, dims, symbols), _eval(expr.rhs, dims, symbols)
        return build.APPLY[expr.kind](lhs, rhs)
    if isinstance(expr, AffineConst):
        return expr.value
    if isinstance(expr, AffineDim):
        return dims[expr.position]
    assert isinstance(expr, AffineSymbol)
    return symbols[expr.position]


# Nodes and their builders need each other: the builders import this module first.
from kt.ir.affine import build  # noqa: E402
