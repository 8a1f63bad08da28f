"""Affine sets: text, boxes, bounds and enumeration against brute force."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.affine import AffineError, AffineSet, bounds, const, dim, dims, simplify, sym, syms

d0, d1, d2 = dims(3)
s0, s1 = syms(2)


def conj(num_dims, *constraints, num_symbols=0):
    """A set of `expr >= 0`, or `expr == 0` for `(expr,)`."""
    exprs = [c[0] if isinstance(c, tuple) else c for c in constraints]
    flags = [isinstance(c, tuple) for c in constraints]
    return AffineSet(num_dims, num_symbols, exprs, flags)


def test_text():
    got = conj(2, d0, -d0 + s0 - 1, (d1,), num_symbols=1)
    assert str(got) == "(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 == 0)"
    assert str(AffineSet(1, 0)) == "(d0) : (0 == 0)"
    assert str(AffineSet.universe(0)) == "() : (0 == 0)"
    assert str(AffineSet.empty(1)) == "(d0) : (1 == 0)"
    assert str(conj(1, d0, d0)) == "(d0) : (d0 >= 0, d0 >= 0)"
    assert str(AffineSet.box([(0, s0), (3, 8)], 1)) == (
        "(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 - 3 >= 0, -d1 + 7 >= 0)"
    )


def test_uniqued_and_checked():
    got = conj(1, d0, 7 - d0)
    assert got is AffineSet.box([(0, 8)])
    assert pickle.loads(pickle.dumps(got)) is got and copy.copy(got) is got
    for bad in (
        lambda: AffineSet(1, 0, (d1,), (False,)),
        lambda: AffineSet(1, 0, (d0,), ()),
        lambda: got.bind_symbols((1,)),
        lambda: got.contains((1, 2)),
        lambda: got.intersect(AffineSet.universe(2)),
    ):
        with pytest.raises(AffineError):
            bad()


@pytest.mark.parametrize(
    ("constraints", "box"),
    [
        ((d0, 15 - d0, d1 - 32, 47 - d1), ((0, 16), (32, 48))),
        (((d0 - 5,), d1, 3 - d1), ((5, 6), (0, 4))),
        ((d0 * 3 - 4, 10 - d0 * 4, (d1 * 2 - 6,)), ((2, 3), (3, 4))),
        (((d0 * 2 - 5,), d1, 3 - d1), ((3, 3), (0, 4))),
        ((d0, 7 - d0, d0 - 2, 9 - d0, d1, -d1), ((2, 8), (0, 1))),
        (((d0 // 8,), d1.ceildiv(4) - 2, 3 - d1.ceildiv(4)), ((0, 8), (5, 13))),
        ((d0 + d1 - d1, 3 - d0, d1, 3 - d1), ((0, 4), (0, 4))),
        ((d0, 3 - d0, d1, 3 - d1, const(-1)), ((0, 0), (0, 0))),
        ((d0, -1 - d0, d1, 3 - d1), ((0, 0), (0, 4))),
        ((d0, 3 - d0, d1), None),
        ((d0, 3 - d0, d1 - d0, 3 - d1), None),
        ((d0, 3 - d0, d1, 3 - d1, (d0 % 2,)), None),
    ],
)
def test_box_detection(constraints, box):
    assert conj(2, *constraints).as_box() == box


def test_box_of_rank_0():
    assert AffineSet.universe(0).as_box() == ()
    assert AffineSet.universe(0).enumerate().shape == (1, 0)
    assert AffineSet.empty(0).as_box() is None
    assert AffineSet.empty(0).enumerate().shape == (0, 0)
    assert AffineSet.empty(0).is_empty() and not AffineSet.universe(0).is_empty()


def test_symbols_bind_before_detection():
    got = conj(2, d0 - s0, -d0 + s0 * s1, d1, -d1 + s1 - 1, num_symbols=2)
    assert got.as_box((2, 3)) == ((2, 7), (0, 3))
    pair = conj(1, d0 - s0 * 2, -d0 + s0 * 2 + 1, num_symbols=1)
    assert pair.enumerate((3,)).tolist() == [[6], [7]]
    partner = conj(1, (d0 + s0 - s1 * 4 - 1,), num_symbols=2)
    assert partner.enumerate((0, 1)).tolist() == [[5]]
    assert conj(1, (((d0 - s0) % 2),), d0, 5 - d0, num_symbols=1).enumerate((1,)).tolist() == [
        [1], [3], [5],
    ]  # fmt: skip


def test_symbolic_box():
    got = conj(3, d0, -d0 + s0 - 1, d1 * 2 - s1, 9 - d1, 6 - d1, (d2 - 4,), num_symbols=2)
    lower, upper = got.as_symbolic_box() or ((), ())
    assert lower == (const(0), s1.ceildiv(2), const(4))
    assert upper == (s0, const(7), const(5))
    assert conj(2, d0, 3 - d0, d1 - d0, 3 - d1).as_symbolic_box() is None
    assert conj(1, d0).as_symbolic_box() is None
    assert conj(1, d0, -d0 + s0, -d0 + s1, num_symbols=2).as_symbolic_box() is None


@settings(deadline=None)
@given(st.integers(-8, 8), st.integers(-8, 8), st.integers(1, 4), st.integers(1, 4))
def test_symbolic_box_agrees_with_bound_box(m, n, a, b):
    got = conj(1, d0 * a - s0 + 1, -d0 * b + s1 + 2, num_symbols=2)
    box = got.as_symbolic_box()
    assert box is not None
    lo, hi = box[0][0].eval((), (m, n)), box[1][0].eval((), (m, n))
    assert got.as_box((m, n)) == ((lo, max(lo, hi)),)


small = st.integers(-4, 4)


@st.composite
def constraint(draw):
    """A constraint over two dims with coefficients, a quotient or a remainder."""
    a, b, c = draw(small), draw(small), draw(st.integers(-9, 9))
    expr = d0 * a + d1 * b + c
    shape = draw(st.sampled_from(["linear", "linear", "mod", "floordiv", "ceildiv", "mixed"]))
    divisor = draw(st.integers(2, 5))
    if shape == "mod":
        expr = expr % divisor - draw(st.integers(0, 2))
    elif shape == "floordiv":
        expr = expr // divisor
    elif shape == "ceildiv":
        expr = expr.ceildiv(divisor) + d0
    elif shape == "mixed":
        expr = expr // divisor - (d1 + 1) % divisor
    return (expr,) if draw(st.integers(0, 3)) == 0 else expr


WINDOW = range(-40, 41)


def brute(affine_set):
    grid = np.array(list(itertools.product(WINDOW, repeat=affine_set.num_dims)), dtype=np.int64)
    keep = np.ones(len(grid), dtype=bool)
    for expr, eq in zip(affine_set.constraints, affine_set.eq_flags):
        value = np.broadcast_to(expr.eval(list(grid.T)), len(grid))
        keep &= (value == 0) if eq else (value >= 0)
    return grid[keep]


@settings(deadline=None)
@given(st.lists(constraint(), min_size=1, max_size=4))
def test_enumeration_is_brute_force_within_a_window(constraints):
    window = (d0 + 6, 6 - d0, d1 + 6, 6 - d1)
    got = conj(2, *constraints, *window)
    expected = brute(got)
    points = got.enumerate()
    assert points.dtype == np.int64 and points.tolist() == expected.tolist()
    assert got.count() == len(expected) and got.is_empty() == (len(expected) == 0)
    box = got.bounding_box()
    assert box is not None
    for (lo, hi), column in zip(box, expected.T):
        assert all(lo <= x < hi for x in column)
    exact = got.as_box()
    if exact is not None:
        assert list(itertools.product(*(range(lo, hi) for lo, hi in exact))) == [
            tuple(p) for p in expected.tolist()
        ]
    assert got.simplify().enumerate().tolist() == expected.tolist()


@settings(deadline=None)
@given(st.lists(constraint(), min_size=1, max_size=4))
def test_enumeration_finds_bounds_in_coupled_constraints(constraints):
    """No dim has a bound of its own: the window is a rhombus within -41 < d < 41."""
    rhombus = (d0 + d1 + 8, 8 - d0 - d1, d0 * 2 - d1 + 8, 8 - d0 * 2 + d1)
    got = conj(2, *constraints, *rhombus)
    assert got.enumerate().tolist() == brute(got).tolist()


@settings(deadline=None)
@given(st.lists(constraint(), min_size=1, max_size=3), st.integers(0, 1))
def test_projection_is_exact_where_it_is_given(constraints, position):
    got = conj(2, *constraints, d0 + 6, 6 - d0, d1 + 6, 6 - d1)
    projected = got.project_out(position)
    if projected is None:  # only coefficients beyond 1 or quotients may be refused
        assert any(word in str(got) for word in ("*", "mod", "div", "=="))
        return
    expected = sorted({p[1 - position] for p in brute(got).tolist()})
    assert [p[0] for p in projected.enumerate().tolist()] == expected


def test_projection():
    assert conj(2, d0, 7 - d0, d1, 3 - d1).project_out(0) is conj(1, d0, 3 - d0)
    assert conj(2, (d0 - d1 * 2,), d0, 7 - d0).project_out(0) is conj(1, d0 * 2, -d0 * 2 + 7)
    assert conj(2, (d0 * 2 - d1,), d0, 7 - d0).project_out(0) is None
    assert conj(2, d0, 3 - d0, d1, 3 - d1, (d0 % 2,)).project_out(0) is None


def test_rotated_box_is_bounded():
    got = conj(2, d0 + d1, 3 - d0 - d1, d0 - d1, 3 - d0 + d1)
    assert got.as_box() is None
    assert got.enumerate().tolist() == brute(got).tolist()


def test_triangle_in_three_dims():
    got = conj(3, d0, 9 - d0, d1, d0 - d1, d2, d1 - d2)
    assert got.count() == 220  # 10 over 3, with repetition
    assert got.bounding_box() == ((0, 10), (0, 10), (0, 10))


def test_huge_boxes_and_bad_sets():
    huge = AffineSet.box([(0, 1 << 40), (0, 1 << 20)])
    assert huge.count() == 1 << 60 and not huge.is_empty()
    far = 1 << 62
    for affine_set, message in (
        (huge, "too many points to list"),
        (conj(2, d0, d1 - d0, (1 << 40) - d1), "too many points to list"),
        (conj(2, d0, 3 - d0, d1 - d0), "d1 is unbounded"),
        (conj(1, (d0 % 4,)), "d0 is unbounded"),
        (conj(1, d0, 3 - d0, d0 // 0), "divides by zero"),
        (conj(1, d0 - far, far + 3 - d0), "do not fit 64 bits"),
        (conj(2, d0 - far, far + 3 - d0, d1 - d0, d0 - d1), "do not fit 64 bits"),
    ):
        with pytest.raises(AffineError, match=message):
            affine_set.enumerate()


def test_intersection_and_simplification():
    a, b = AffineSet.box([(0, 8)]), conj(1, d0, d0 - 2)
    assert a.intersect(b) is conj(1, d0, 7 - d0, d0 - 2)
    assert a.intersect(AffineSet.universe(1)) is a
    assert conj(1, d0, const(0), (const(0),)).simplify() is conj(1, d0)
    assert conj(1, d0, (const(3),)).simplify() is AffineSet.empty(1)
    assert conj(1, d0 - d0).simplify() is AffineSet.universe(1)


def test_contains():
    got = conj(2, d0 - d1, (d1 % 2,), -d0 + s0, num_symbols=1)
    assert got.contains((5, 4), (5,))
    assert not got.contains((5, 3), (5,)) and not got.contains((6, 4), (5,))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 6)), min_size=2, max_size=2),
    constraint(),
)
def test_interval_arithmetic_is_sound(ranges, drawn):
    expr = drawn[0] if isinstance(drawn, tuple) else drawn
    inclusive = [(lo, lo + length) for lo, length in ranges]
    found = bounds(expr, inclusive)
    assert found is not None
    values = [
        expr.eval(point) for point in itertools.product(*(range(a, b + 1) for a, b in inclusive))
    ]
    assert found[0] <= min(values) and max(values) <= found[1]
    if not any(word in str(simplify(expr)) for word in ("mod", "div")):
        assert found == (min(values), max(values))


def test_interval_arithmetic_with_symbols_and_unknowns():
    assert bounds(d0 * s0, [(-2, 3)], [(1, 4)]) == (-8, 12)
    assert bounds(d0 % s0, [None], [(2, 5)]) == (0, 4)
    assert bounds(d0 % 8, [(16, 19)]) == (0, 3)
    assert bounds(d0 // s0, [(10, 20)], [(2, 5)]) == (2, 10)
    assert bounds(d0 // s0, [(10, 20)], [(-1, 5)]) is None
    assert bounds(d0 + d1, [(0, 3)]) is None
    assert bounds(d0 + d1 - d0, [None, (1, 2)]) == (1, 2)
    assert bounds(s0 * 0 + dim(0) * 2 + sym(1), [(0, 1)], [None, (5, 5)]) == (5, 7)
    assert bounds(d0.ceildiv(4), [(1, 9)]) == (1, 3)
