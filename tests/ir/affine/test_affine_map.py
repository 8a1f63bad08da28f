"""Affine maps and maps with operands."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.affine import (
    AffineError,
    AffineMap,
    canonicalize_map_and_operands,
    compose_with,
    const,
    dim,
    dims,
    sym,
    syms,
)

d0, d1, d2 = dims(3)
s0, s1 = syms(2)


def test_text():
    assert str(AffineMap(2, 1, (d0 * 2 + s0, d1))) == "(d0, d1)[s0] -> (d0 * 2 + s0, d1)"
    assert str(AffineMap(0, 0, ())) == "() -> ()"
    assert str(AffineMap(1, 2, (3,))) == "(d0)[s0, s1] -> (3)"


def test_uniqued():
    built = AffineMap(2, 0, [d0, d1])
    assert built is AffineMap.identity(2)
    assert pickle.loads(pickle.dumps(built)) is built and copy.deepcopy(built) is built
    with pytest.raises(AttributeError, match="immutable"):
        built.num_dims = 3


def test_constructors_and_properties():
    swap = AffineMap.permutation((1, 0))
    assert swap is AffineMap.multi_dim(2, (1, 0)) and swap.is_permutation
    assert not swap.is_identity and not swap.is_minor_identity and swap.dim_positions == (1, 0)
    assert AffineMap.identity(3).is_identity and AffineMap.identity(0).is_identity
    assert AffineMap.minor_identity(3, 2).results == (d1, d2)
    assert AffineMap.minor_identity(3, 2).is_minor_identity
    assert AffineMap.minor_identity(3, 2).is_projected_permutation
    assert not AffineMap(2, 0, (d0, d0)).is_projected_permutation
    assert not AffineMap(2, 0, (d0, d1 + 1)).is_permutation
    assert not AffineMap(2, 0, (d0,)).is_identity
    assert not AffineMap(1, 1, (d0,)).is_identity
    assert AffineMap.constant(3, 4).is_constant and AffineMap.constant(3, 4).constants == (3, 4)
    assert AffineMap(1, 0, (d0, 3)).constants is None
    assert AffineMap(1, 0, (d0, 3)).dim_positions is None


def test_bad_maps_are_refused():
    for bad in (
        lambda: AffineMap(1, 0, (d1,)),
        lambda: AffineMap(1, 0, (s0,)),
        lambda: AffineMap(-1, 0, ()),
        lambda: AffineMap.permutation((0, 2)),
        lambda: AffineMap.minor_identity(1, 2),
        lambda: AffineMap.identity(2).compose(AffineMap.identity(1)),
        lambda: AffineMap.identity(2).eval((1,)),
        lambda: AffineMap(1, 1, (d0 + s0,)).bind_symbols(()),
        lambda: AffineMap(1, 1, (d0 + s0,)).inverse_permutation(),
        lambda: AffineMap.identity(2).eval_points([1, 2, 3]),
    ):
        with pytest.raises(AffineError):
            bad()


@settings(deadline=None)
@given(
    st.lists(st.integers(-9, 9), min_size=6, max_size=6),
    st.integers(1, 6),
    st.lists(st.integers(-30, 30), min_size=4, max_size=4),
)
def test_compose_is_application(coefficients, divisor, values):
    a, b, c, d, e, f = coefficients
    outer = AffineMap(2, 1, (d0 * a + d1 * b + s0, (d1 * c + s0) // divisor))
    inner = AffineMap(2, 1, (d0 * d + d1 + s0, (d0 + d1 * e + f) % divisor))
    composed = outer.compose(inner)
    point, (outer_symbol, inner_symbol) = values[:2], values[2:]
    assert (composed.num_dims, composed.num_symbols) == (2, 2)
    expected = outer.eval(inner.eval(point, [inner_symbol]), [outer_symbol])
    assert composed.eval(point, [outer_symbol, inner_symbol]) == expected


def test_eval_points():
    mapping = AffineMap(2, 1, (d1 * 3 + s0, 7, d0 % 4))
    points = np.array([[i, j] for i in range(-3, 3) for j in range(4)])
    got = mapping.eval_points(points, (5,))
    assert got.dtype == np.int64
    expected = np.stack([points[:, 1] * 3 + 5, np.full(24, 7), np.mod(points[:, 0], 4)], axis=1)
    np.testing.assert_array_equal(got, expected)
    assert AffineMap(0, 0, (3,)).eval_points(np.zeros((2, 0))).tolist() == [[3], [3]]


@settings(deadline=None)
@given(st.permutations(range(5)))
def test_inverse_permutation(order):
    mapping = AffineMap.permutation(order)
    inverse = mapping.inverse_permutation()
    assert inverse is not None
    assert mapping.compose(inverse).is_identity and inverse.compose(mapping).is_identity


def test_inverse_of_partial_maps():
    assert AffineMap(2, 0, (d1, d0 + d1, d0, d1)).inverse_permutation() is AffineMap(4, 0, (d2, d0))
    assert AffineMap(2, 0, (d1, d0 + 1)).inverse_permutation() is None


def test_reshaping():
    mapping = AffineMap(3, 2, (d2 + s1, d0))
    assert mapping.used_dims == (0, 2) and mapping.used_symbols == (1,)
    assert mapping.drop_unused_dims() is AffineMap(2, 2, (d1 + s1, d0))
    assert mapping.drop_unused_symbols() is AffineMap(3, 1, (d2 + s0, d0))
    assert mapping.sub_map((1, 1)) is AffineMap(3, 2, (d0, d0))
    assert mapping.bind_symbols((0, 4)) is AffineMap(3, 0, (d2 + 4, d0))
    assert mapping.shift_dims(1) is AffineMap(4, 2, (dim(3) + s1, d1))
    assert mapping.shift_symbols(1) is AffineMap(3, 3, (d2 + sym(2), d0))
    both = AffineMap.concat([mapping, AffineMap(1, 1, (d0 + s0,))])
    assert both is AffineMap(3, 3, (d2 + s1, d0, d0 + sym(2)))
    assert AffineMap(2, 0, (d0 + d1 - d0,)).simplify() is AffineMap(2, 0, (d1,))


CONSTANTS = {"c3": 3, "c0": 0}


def is_symbol(operand: str) -> bool:
    return operand in CONSTANTS or operand.startswith("arg")


def test_canonicalize_promotes_folds_drops_and_merges():
    mapping = AffineMap(4, 1, (d0 * 4 + d1 + s0, d2 + d0))
    got = canonicalize_map_and_operands(
        mapping, ["iv", "arg", "iv", "unused", "c3"], is_symbol, CONSTANTS.get
    )
    assert got == (AffineMap(1, 1, (d0 * 4 + s0 + 3, d0 * 2)), ["iv", "arg"])


def test_promoted_symbols_follow_the_others():
    mapping = AffineMap(2, 1, (d0 + d1 + s0,))
    got = canonicalize_map_and_operands(mapping, ["arg0", "iv", "arg1"], is_symbol, CONSTANTS.get)
    assert got[1] == ["iv", "arg1", "arg0"]
    assert got[0] is AffineMap(1, 2, (d0 + s1 + s0,))


def test_constant_map_loses_its_operands():
    got = canonicalize_map_and_operands(AffineMap.identity(1), ["c0"], is_symbol, CONSTANTS.get)
    assert got == (AffineMap.constant(0), [])


def test_compose_substitutes_to_the_end():
    produced = {
        "p": (AffineMap(1, 1, (d0 * 8 + s0,)), ["q", "arg"]),
        "q": (AffineMap(2, 0, (d0 - d1,)), ["iv", "c3"]),
    }
    got = compose_with(
        AffineMap(2, 0, (d0, d1 * 2)), ["p", "iv"], produced.get, is_symbol, CONSTANTS.get
    )
    assert got == (AffineMap(1, 1, (d0 * 8 + s0 - 24, d0 * 2)), ["iv", "arg"])


def test_compose_without_producers_only_canonicalizes():
    mapping = AffineMap(2, 0, (d0 + d1 - d0,))
    got = compose_with(mapping, ["a", "b"], lambda _: None, is_symbol, CONSTANTS.get)
    assert got == (mapping, ["a", "b"])
    with pytest.raises(AffineError, match="takes 2 operands, got 1"):
        compose_with(mapping, ["a"], lambda _: None, is_symbol, CONSTANTS.get)


@settings(deadline=None)
@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(-20, 20))
def test_compose_keeps_values(x, y, n):
    values = {"x": x, "y": y, "arg": n, "c3": 3}
    produced = {
        "u": (AffineMap(2, 0, ((d0 + d1) // 4,)), ["x", "arg"]),
        "v": (AffineMap(1, 1, (d0 % 4 + s0,)), ["u", "c3"]),
    }
    values["u"] = (x + n) // 4
    values["v"] = values["u"] % 4 + 3
    mapping = AffineMap(3, 1, (d0 * 2 + d1, d2 - d0 + s0))
    operands = ["v", "y", "u", "arg"]
    expected = mapping.eval([values[o] for o in operands[:3]], [n])
    composed, left = compose_with(mapping, operands, produced.get, is_symbol, CONSTANTS.get)
    assert set(left) <= {"x", "y", "arg"}
    point = [values[o] for o in left]
    assert composed.eval(point[: composed.num_dims], point[composed.num_dims :]) == expected


def test_results_that_are_constants_fold():
    assert AffineMap(1, 1, (d0 * s0,)).replace_dims_and_symbols([2], [3], 0, 0).results == (
        const(6),
    )
