"""The symbols of a launch site: in their order, divided, and named when they are odd."""

from __future__ import annotations

import itertools

import pytest

from kt.binary.expressions import Node
from kt.binary.model import Symbol
from kt.binary.plans import Site
from kt.ir.diagnostics import RunError

NODES = (
    Node("arg", 0), Node("arg", 1), Node("iv", 0), Node("const", imm=8), Node("mul", 2, 3),
    Node("add", 0, 4), Node("sub", 1, 4),
)  # fmt: skip
"""x, n, i, 8, 8 i, x + 8 i, n - 8 i."""


@pytest.mark.parametrize("expressions", list(itertools.permutations((0, 1, 4, 5))))
def test_values_stand_in_the_order_of_the_symbols(expressions: tuple[int, ...]) -> None:
    symbols = [Symbol(-2 - i, "value", e, 4, 4) for i, e in enumerate(expressions)]
    site = Site.of(NODES, symbols, ("x", "n"))
    args = [64, 12]
    fixed = site.fixed_values(args)
    for trip in range(3):
        by_node = {0: 16, 1: 3, 4: 2 * trip, 5: 16 + 2 * trip}
        assert site.values(fixed, args, (trip,)) == tuple(by_node[e] for e in expressions)


def test_a_site_may_have_no_symbols() -> None:
    site = Site.of(NODES, (), ())
    assert site.values(site.fixed_values([1, 2]), [1, 2], (0,)) == ()


@pytest.mark.parametrize(
    ("kind", "align", "trip", "message"),
    [
        ("address", 1, 3, r"symbol -3, \(n - \(iv0 \* 8\)\), is the negative address -4"),
        ("address", 16, 0, r"symbol -3, \(n - \(iv0 \* 8\)\), is 20, not a multiple of 16"),
        ("value", 1, 3, ""),
    ],
)
def test_odd_values_are_refused_by_name(kind: str, align: int, trip: int, message: str) -> None:
    symbols = [Symbol(-2, "value", 0), Symbol(-3, kind, 6, 1, align)]
    site = Site.of(NODES, symbols, ("x", "n"))
    fixed = site.fixed_values([7, 20])
    if not message:
        assert site.values(fixed, [7, 20], (trip,)) == (7, -4)
        return
    with pytest.raises(RunError, match=message):
        site.values(fixed, [7, 20], (trip,))
