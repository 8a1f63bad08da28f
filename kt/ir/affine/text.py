"""MLIR's text of affine expressions, maps and sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kt.ir.affine.expr import AffineBinary, AffineConst, AffineDim, AffineExpr, AffineSymbol

if TYPE_CHECKING:
    from kt.ir.affine.map import AffineMap
    from kt.ir.affine.set import AffineSet

Namer = Callable[[int], str]

_SPELLING = {
    "add": " + ",
    "mul": " * ",
    "mod": " mod ",
    "floordiv": " floordiv ",
    "ceildiv": " ceildiv ",
}


def format_expr(
    expr: AffineExpr, dim_name: Namer = "d{}".format, symbol_name: Namer = "s{}".format
) -> str:
    """Text of an expression; the namers give the text of dims and symbols by position."""

    def parenthesised(node: AffineExpr) -> str:
        return f"({text(node)})" if isinstance(node, AffineBinary) else text(node)

    def text(node: AffineExpr) -> str:
        if isinstance(node, AffineConst):
            return str(node.value)
        if isinstance(node, AffineDim):
            return dim_name(node.position)
        if isinstance(node, AffineSymbol):
            return symbol_name(node.position)
        assert isinstance(node, AffineBinary)
        lhs, rhs = node.lhs, node.rhs
        if node.kind != "add":
            if node.kind == "mul" and isinstance(rhs, AffineConst) and rhs.value == -1:
                return "-" + parenthesised(lhs)
            return parenthesised(lhs) + _SPELLING[node.kind] + parenthesised(rhs)
        # A sum with something negative reads as a difference.
        if isinstance(rhs, AffineConst) and rhs.value < 0:
            return f"{text(lhs)} - {-rhs.value}"
        if isinstance(rhs, AffineBinary) and rhs.kind == "mul" and isinstance(rhs.rhs, AffineConst):
            factor, term = rhs.rhs.value, rhs.lhs
            if factor == -1:
                is_sum = isinstance(term, AffineBinary) and term.kind == "add"
                return f"{text(lhs)} - {parenthesised(term) if is_sum else text(term)}"
            if factor < -1:
                return f"{text(lhs)} - {parenthesised(term)} * {-factor}"
        return f"{text(lhs)} + {text(rhs)}"

    return text(expr)


def format_map(affine_map: AffineMap) -> str:
    """`(d0, d1)[s0] -> (d0 * 2 + s0, d1)`."""
    header = _header(affine_map.num_dims, affine_map.num_symbols)
    return f"{header} -> ({', '.join(map(format_expr, affine_map.results))})"


def format_set(affine_set: AffineSet) -> str:
    """`(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)`."""
    return f"{_header(affine_set.num_dims, affine_set.num_symbols)} : ({_conditions(affine_set)})"


def _conditions(affine_set: AffineSet) -> str:
    pairs: Iterable[tuple[AffineExpr, bool]] = zip(affine_set.constraints, affine_set.eq_flags)
    return ", ".join(f"{format_expr(expr)} {'==' if eq else '>='} 0" for expr, eq in pairs)


def _header(num_dims: int, num_symbols: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(num_dims))
    symbols = ", ".join(f"s{i}" for i in range(num_symbols))
    return f"({dims})[{symbols}]" if num_symbols else f"({dims})"
