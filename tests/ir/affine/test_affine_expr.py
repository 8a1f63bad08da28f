"""Affine expressions: uniquing, MLIR's simplification and text, evaluation."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.affine import (
    AffineBinary,
    AffineConst,
    AffineDim,
    AffineError,
    AffineExpr,
    as_expr,
    binary,
    coefficient_gcd,
    compile_exprs,
    const,
    dim,
    dims,
    format_expr,
    from_linear_form,
    linear_form,
    simplify,
    sym,
    syms,
)

d0, d1, d2 = dims(3)
s0, s1 = syms(2)

# A tree is an int, ("d", i), ("s", i) or (kind, tree, tree): an expression nobody simplified.
Tree = Any


def tree_value(tree: Tree, point: list[int], symbols: list[int]) -> int:
    if isinstance(tree, int):
        return tree
    if tree[0] == "d":
        return point[tree[1]]
    if tree[0] == "s":
        return symbols[tree[1]]
    lhs, rhs = (tree_value(t, point, symbols) for t in tree[1:])
    if tree[0] == "add":
        return lhs + rhs
    if tree[0] == "mul":
        return lhs * rhs
    if tree[0] == "mod":
        return lhs - rhs * (lhs // rhs)
    return lhs // rhs if tree[0] == "floordiv" else (lhs + rhs - 1) // rhs


def tree_expr(tree: Tree) -> AffineExpr:
    if isinstance(tree, int):
        return const(tree)
    if tree[0] in ("d", "s"):
        return (dim if tree[0] == "d" else sym)(tree[1])
    return binary(tree[0], tree_expr(tree[1]), tree_expr(tree[2]))


leaves = (
    st.integers(-12, 12)
    | st.tuples(st.just("d"), st.integers(0, 2))
    | st.tuples(st.just("s"), st.integers(0, 1))
)


def grow(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return (
        st.tuples(st.just("add"), inner, inner)
        | st.tuples(st.just("mul"), inner, st.integers(-6, 6))
        | st.tuples(st.just("mul"), st.integers(-6, 6), inner)
        | st.tuples(st.sampled_from(["mod", "floordiv", "ceildiv"]), inner, st.integers(1, 8))
    )


trees = st.recursive(leaves, grow, max_leaves=10)
points = st.lists(st.integers(-40, 40), min_size=3, max_size=3)
symbol_values = st.lists(st.integers(-20, 20), min_size=2, max_size=2)


@settings(deadline=None)
@given(trees, points, symbol_values)
def test_simplified_expression_keeps_its_value(tree, point, symbols):
    expected = tree_value(tree, point, symbols)
    expr = tree_expr(tree)
    assert expr.eval(point, symbols) == expected
    assert simplify(expr).eval(point, symbols) == expected
    assert compile_exprs([expr])(point, symbols) == (expected,)


@settings(deadline=None)
@given(trees, points, symbol_values)
def test_rebuilding_gives_the_same_object(tree, point, symbols):
    expr = tree_expr(tree)
    assert tree_expr(tree) is expr
    assert pickle.loads(pickle.dumps(expr)) is expr
    assert simplify(simplify(expr)).eval(point, symbols) == expr.eval(point, symbols)
    if not isinstance(expr, AffineConst):
        divisor = expr.largest_divisor
        assert divisor == 0 or expr.eval(point, symbols) % divisor == 0


@settings(deadline=None)
@given(trees, points, symbol_values)
def test_linear_form_is_exact(tree, point, symbols):
    expr = tree_expr(tree)
    form = linear_form(expr)
    if form is None:
        assert any(
            isinstance(n, AffineBinary) and n.kind not in ("add", "mul") for n in expr.walk()
        )
        return
    by_dim, by_symbol, constant = form
    value = constant + sum(c * point[i] for i, c in by_dim.items())
    value += sum(c * symbols[i] for i, c in by_symbol.items())
    assert value == expr.eval(point, symbols)
    assert from_linear_form(*form).eval(point, symbols) == value


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * d0 + d1, "d0 * 2 + d1"),
        (41 - d0, "-d0 + 41"),
        (d0 - 1, "d0 - 1"),
        (-d0 * 2, "d0 * -2"),
        (d0 % 4, "d0 mod 4"),
        ((d0 + 1) // 2, "(d0 + 1) floordiv 2"),
        ((d0 + 1).ceildiv(2), "(d0 + 1) ceildiv 2"),
        (s0 * 2, "s0 * 2"),
        (d0 * 1 + 0, "d0"),
        (d0 * 0, "0"),
        (-(d0 - 3), "-(d0 - 3)"),
        (2 * d0 + 3 * d1 - 4, "d0 * 2 + d1 * 3 - 4"),
        (s0 - d0 - 1, "-d0 + s0 - 1"),
        (d0 - s0 * 4, "d0 - s0 * 4"),
        (-d0 + s0 * 4 + 3, "-d0 + s0 * 4 + 3"),
        (d0 + d1 - s0 * 4 - 1, "d0 + d1 - s0 * 4 - 1"),
        (d0 - (d1 + d2), "d0 - (d1 + d2)"),
        (d0 - (d1 + d2) * 3, "d0 - (d1 + d2) * 3"),
        (d0 + (-d1) % 4, "d0 + (-d1) mod 4"),
        ((d0 % 4) * 3 // 2, "((d0 mod 4) * 3) floordiv 2"),
        ((d0 - s0) % 2, "(d0 - s0) mod 2"),
        (s0 * d0, "d0 * s0"),
        (d0 - d1 // 2, "d0 - d1 floordiv 2"),
        (d0 - d1 * s0, "d0 - d1 * s0"),
        (const(-3) + d0 * -1, "-d0 - 3"),
    ],
)
def test_text_is_mlirs(expr, text):
    assert str(expr) == text


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (const(4) + d0, d0 + 4),
        ((d0 + 2) + 3, d0 + 5),
        ((d0 + 2) + d1, (d0 + d1) + 2),
        (s0 + d0, d0 + s0),
        ((d0 * 2) * 3, d0 * 6),
        ((d0 * 2) * s0, (d0 * s0) * 2),
        (d0 * 3 + d0 * 5, d0 * 8),
        (d0 + d0, d0 * 2),
        (d0 - d0, const(0)),
        (d0 + (d0 // 4) * -4, d0 % 4),
        (d0 - (d0 // s0) * s0, d0 % s0),
        (d1 + d0 + (d0 // 4) * -4, d1 + d0 % 4),
        ((d0 * 128) // 64, d0 * 2),
        ((d0 * 128).ceildiv(64), d0 * 2),
        ((d0 * 8 + d1) // 4, d0 * 2 + d1 // 4),
        ((d0 * 8 + d1) % 4, d1 % 4),
        ((d1 + d0 * 8) % 4, d1 % 4),
        ((d0 * 12) % 4, const(0)),
        ((d0 % 8) % 4, d0 % 4),
        ((d0 % 6) % 4, AffineBinary("mod", d0 % 6, const(4))),
        (d0 // 1, d0),
        (const(-7) // 2, const(-4)),
        (const(-7).ceildiv(2), const(-3)),
        (const(-7) % 4, const(1)),
        (d0 % 1, const(0)),
    ],
)
def test_local_rules(built, expected):
    assert built is expected


def test_negated_sums_and_bare_quotients_stay_as_mlir_leaves_them():
    assert isinstance(-(d0 + 1), AffineBinary) and (-(d0 + 1)).lhs is d0 + 1
    assert str((d0 // 4) * -4 + d0) == "(d0 floordiv 4) * -4 + d0"


def test_whole_simplification_merges_like_terms():
    assert simplify(d0 + d1 - d0) is d1
    assert simplify(-(d0 - 3) + d1) is -d0 + d1 + 3
    assert simplify(d0 % 4) is d0 % 4
    assert simplify((d0 * 4 + 8) // 8) is (d0 + 2) // 2
    assert simplify((d0 + s0) - (s0 + d0)) is const(0)
    assert simplify(d0 * s0) is d0 * s0
    assert simplify((d0 * 256) % 128 + d1) is d1


def test_equal_is_identical():
    assert d0 * 2 + d1 is dim(0) * 2 + dim(1)
    assert AffineDim(3) is not AffineDim(4)
    assert const(True) is const(1) and type(const(np.int64(77)).value) is int
    assert copy.deepcopy(d0 + s0) is d0 + s0
    assert hash(d0 + s0) == hash(d0 + s0)


def test_unused_values_are_forgotten():
    from kt.ir.affine.expr import _CONSTS

    AffineConst(987654321012)
    gc.collect()
    assert 987654321012 not in _CONSTS.refs


def test_immutable():
    with pytest.raises(AttributeError, match="immutable"):
        d0.position = 4  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        del d0.position
    assert dim(0).position == 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: d0 * d1,
            "at least one of the multiply operands has to be either a constant or sym",
        ),
        (lambda: d0 // d1, "right operand of floordiv has to be either a constant or symbolic"),
        (
            lambda: d0.ceildiv(d1),
            "right operand of ceildiv has to be either a constant or symbolic",
        ),
        (lambda: 8 % d1, "right operand of mod has to be either a constant or symbolic"),
    ],
)
def test_non_affine_is_refused(build, message):
    with pytest.raises(AffineError, match="non-affine expression: " + message):
        build()


def test_bad_input_is_an_affine_error():
    for bad in (
        lambda: dim(-1),
        lambda: const(1 << 63),
        lambda: AffineBinary("xor", d0, d1),  # type: ignore[arg-type]
        lambda: (d0 // 0).eval([1]),
        lambda: (d0 % -4).eval([1]),
        lambda: (d0 // s0).eval([1], [0]),
        lambda: compile_exprs([d0.ceildiv(s0)])([1], [0]),
        lambda: (d0 + d1).eval([1]),
        lambda: sum((dim(i % 7) % (i + 2) for i in range(2000)), const(0)),
    ):
        with pytest.raises(AffineError):
            bad()


def test_eval_broadcasts_arrays():
    expr = (d0 * 8 + d1 - s0) // 3 + d1 % 4
    i, j = np.arange(-5, 5)[:, None], np.arange(-7, 7)[None, :]
    expected = np.floor((i * 8 + j - 2) / 3).astype(int) + np.mod(j, 4)
    np.testing.assert_array_equal(expr.eval([i, j], [2]), expected)
    np.testing.assert_array_equal(compile_exprs([expr])([i, j], [2])[0], expected)


def test_queries():
    expr = (d0 + d2) * s1 + 3
    assert (expr.max_dim, expr.max_sym) == (2, 1)
    assert [expr.depends_on_dim(i) for i in range(4)] == [True, False, True, False]
    assert [expr.depends_on_sym(i) for i in range(3)] == [False, True, False]
    assert not expr.is_pure_affine and (d0 * 2 + d1 % 4).is_pure_affine
    assert (s0 * s1).is_symbolic and not expr.is_symbolic
    assert expr.shift_dims(2) is (dim(2) + dim(4)) * s1 + 3
    assert expr.shift_symbols(1) is (d0 + d2) * sym(2) + 3
    assert [str(node) for node in (d0 + s0 * 2).walk()] == [
        "d0",
        "s0",
        "2",
        "s0 * 2",
        "d0 + s0 * 2",
    ]
    assert (d0 * 6 + d1 * 4).is_multiple_of(2) and not (d0 * 6 + d1 * 4).is_multiple_of(4)
    assert coefficient_gcd(d0 * 6 + s0 * 9 + 4) == 3 and coefficient_gcd(d0 % 2) is None


def test_replace_simplifies_on_the_way():
    assert (d0 * 4 + s0).replace_dims_and_symbols([3], [d1]) is d1 + 12
    assert (d0 % 8 + d1).replace({d0 % 8: const(5)}) is d1 + 5
    assert (d0 % 8).replace({d0: d1 * 16}) is const(0)


def test_names_of_operands_in_text():
    expr = (d0 * 32 + s0) % 7
    text = format_expr(expr, lambda i: f"%v{i}", lambda i: f"symbol(%n{i})")
    assert text == "(%v0 * 32 + symbol(%n0)) mod 7"


@settings(deadline=None)
@given(trees)
def test_text_reads_back(tree):
    """Python has MLIR's precedence once mod, floordiv and ceildiv are spelled as operators."""
    expr = tree_expr(tree)
    text = str(expr)
    if "ceildiv" in text:
        return
    source = text.replace("mod", "%").replace("floordiv", "//")
    names = {f"d{i}": dim(i) for i in range(3)} | {f"s{i}": sym(i) for i in range(2)}
    read = eval(source, names)
    assert simplify(as_expr(read)) is simplify(expr)
