"""Expressions compiled to one plain Python function, for code that evaluates them often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kt.ir.affine.build import APPLY
from kt.ir.affine.expr import AffineBinary, AffineConst, AffineDim, AffineExpr, AffineSymbol

Evaluator = Callable[[Sequence[Any], Sequence[Any]], tuple[Any, ...]]


def compile_exprs(exprs: Sequence[AffineExpr]) -> Evaluator:
    """A function `(dims, symbols) -> values`, over ints or NumPy arrays that broadcast.

    Shared sub-expressions are computed once. Raises AffineError as `AffineExpr.eval` does for bad
    divisors, but trusts the number of dims and symbols.
    """
    lines: list[str] = []
    names: dict[AffineExpr, str] = {}

    def name_of(node: AffineExpr) -> str:
        if isinstance(node, AffineConst):
            return f"({node.value})"
        if isinstance(node, AffineDim):
            return f"d[{node.position}]"
        if isinstance(node, AffineSymbol):
            return f"s[{node.position}]"
        return names[node]

    for expr in exprs:
        for node in expr.walk():
            if isinstance(node, AffineBinary) and node not in names:
                names[node] = f"t{len(names)}"
                text = _operation(node, name_of(node.lhs), name_of(node.rhs))
                lines.append(f" {names[node]} = {text}\n")
    results = "".join(f"{name_of(expr)}, " for expr in exprs)
    source = f"def evaluate(d, s):\n{''.join(lines)} return ({results})\n"
    # The text holds nothing but our own names, positions and integers.
    scope: dict[str, Any] = dict(APPLY)
    exec(source, scope)
    return scope["evaluate"]


def _operation(node: AffineBinary, lhs: str, rhs: str) -> str:
    if node.kind == "add":
        return f"{lhs} + {rhs}"
    if node.kind == "mul":
        return f"{lhs} * {rhs}"
    if isinstance(node.rhs, AffineConst) and node.rhs.value > 0:
        if node.kind == "mod":
            return f"{lhs} % {rhs}"
        return f"{lhs} // {rhs}" if node.kind == "floordiv" else f"-(-{lhs} // {rhs})"
    return f"{node.kind}({lhs}, {rhs})"
