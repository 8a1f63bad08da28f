"""A small exact algebra of affine expressions, maps and sets.

Everything is immutable and uniqued (equal means identical), simplifies as MLIR does while it is
built, and prints as MLIR does. All errors are `AffineError`s, which carry no location.
"""

from __future__ import annotations

from kt.ir.affine.bounds import bounds, drop_mods
from kt.ir.affine.box import Box, split_dim
from kt.ir.affine.compiled import compile_exprs
from kt.ir.affine.errors import AffineError
from kt.ir.affine.expr import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineExpr,
    AffineSymbol,
    ExprLike,
    Kind,
    as_expr,
    binary,
    const,
    dim,
    dims,
    sym,
    syms,
)
from kt.ir.affine.flatten import coefficient_gcd, from_linear_form, linear_form, simplify
from kt.ir.affine.map import AffineMap
from kt.ir.affine.operands import canonicalize_map_and_operands, compose_with
from kt.ir.affine.set import MAX_POINTS, AffineSet
from kt.ir.affine.text import format_expr, format_map, format_set

__all__ = [
    "MAX_POINTS",
    "AffineBinary",
    "AffineConst",
    "AffineDim",
    "AffineError",
    "AffineExpr",
    "AffineMap",
    "AffineSet",
    "AffineSymbol",
    "Box",
    "ExprLike",
    "Kind",
    "as_expr",
    "binary",
    "bounds",
    "canonicalize_map_and_operands",
    "coefficient_gcd",
    "compile_exprs",
    "compose_with",
    "const",
    "dim",
    "dims",
    "drop_mods",
    "format_expr",
    "format_map",
    "format_set",
    "from_linear_form",
    "linear_form",
    "simplify",
    "split_dim",
    "sym",
    "syms",
]
