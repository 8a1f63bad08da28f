"""Expressions against Python's own integers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kt.binary.expression_builder import ExpressionBuilder, compacted
from kt.binary.expressions import (
    BINARY,
    HIGH,
    LOW,
    Node,
    compile_roots,
    dependencies,
    evaluate,
)
from kt.ir.diagnostics import RunError

INT64 = st.integers(LOW, HIGH) | st.integers(-20, 20)


def wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def reference(op: str, a: int, b: int) -> int | None:
    """The value by definition; None where there is none."""
    ua, ub = a % (1 << 64), b % (1 << 64)
    if op in ("divs", "rems", "ceildivs", "floordivs", "divu", "remu") and b == 0:
        return None
    if op in ("shl", "shrs", "shru") and not 0 <= b < 64:
        return None
    exact = {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "divs": lambda: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1),
        "rems": lambda: abs(a) % abs(b) * (-1 if a < 0 else 1),
        "ceildivs": lambda: (a + b - (1 if b > 0 else -1)) // b if a % b else a // b,
        "floordivs": lambda: a // b,
        "divu": lambda: ua // ub,
        "remu": lambda: ua % ub,
        "mins": lambda: a if a < b else b,
        "maxs": lambda: a if a > b else b,
        "and": lambda: wrapped(ua & ub),
        "or": lambda: wrapped(ua | ub),
        "xor": lambda: wrapped(ua ^ ub),
        "shl": lambda: a * 2**b,
        "shrs": lambda: a // 2**b,
        "shru": lambda: ua // 2**b,
        "eq": lambda: int(a == b),
        "ne": lambda: int(a != b),
        "slt": lambda: int(a < b),
        "sle": lambda: int(a <= b),
        "sgt": lambda: int(a > b),
        "sge": lambda: int(a >= b),
        "ult": lambda: int(ua < ub),
        "ule": lambda: int(ua <= ub),
        "ugt": lambda: int(ua > ub),
        "uge": lambda: int(ua >= ub),
    }[op]()
    return exact if LOW <= exact <= HIGH else None


@given(st.sampled_from(sorted(BINARY)), INT64, INT64)
def test_every_operator_by_both_evaluators(op: str, a: int, b: int) -> None:
    nodes = [Node("arg", 0), Node("arg", 1), Node(op, 0, 1)]
    expected = reference(op, a, b)
    compiled = compile_roots(nodes, [(2, -1)])
    if expected is None:
        with pytest.raises(RunError):
            evaluate(nodes, 2, [a, b])
        with pytest.raises(RunError):
            compiled([a, b])
    else:
        assert evaluate(nodes, 2, [a, b]) == expected
        assert compiled([a, b]) == (expected,)


@given(INT64, st.integers(1, 64))
def test_extensions(a: int, width: int) -> None:
    nodes = [Node("arg", 0), Node("sext", 0, imm=width), Node("zext", 0, imm=width)]
    low = a % 2**width
    signed = low - 2**width if low >= 2 ** (width - 1) else low
    assert evaluate(nodes, 1, [a]) == signed
    if low <= HIGH:
        assert compile_roots(nodes, [(1, -1), (2, -1)])([a]) == (signed, low)


def test_overflow_names_the_node() -> None:
    nodes = [Node("arg", 0), Node("const", imm=HIGH), Node("add", 0, 1), Node("sub", 2, 1)]
    assert compile_roots(nodes, [(3, -1)])([0]) == (0,)
    with pytest.raises(RunError, match=r"\(arg0 \+ 9223372036854775807\) does not fit 64 bits"):
        compile_roots(nodes, [(3, -1)])([1])


def test_division_by_zero_names_the_node() -> None:
    nodes = [Node("arg", 0), Node("arg", 1), Node("divs", 0, 1)]
    with pytest.raises(RunError, match=r"division by zero in \(arg0 / arg1\)"):
        compile_roots(nodes, [(2, -1)])([1, 0])


def test_grid_and_counters_are_bound_per_root() -> None:
    b = ExpressionBuilder()
    row = b.binary("add", b.grid(), b.binary("mul", b.iv(0), b.const(8)))
    at = b.binary("add", b.arg(0), b.binary("mul", row, b.const(64)))
    values = compile_roots(b.nodes, [(at, 0), (at, 5), (at, 0)])([1000], [2])
    assert values == (1000 + 16 * 64, 1000 + 21 * 64, 1000 + 16 * 64)
    on_grid, depth = dependencies(b.nodes)
    assert (on_grid[at], depth[at]) == (True, 1)
    assert evaluate(b.nodes, b.at_core(at, 5), [1000], [2]) == 1000 + 21 * 64
    assert not b.depends_on_grid(b.at_core(at, 5))


def test_equal_nodes_are_one_and_constants_fold() -> None:
    b = ExpressionBuilder()
    x = b.arg(0)
    assert b.binary("add", x, b.const(4)) == b.binary("add", x, b.const(4))
    assert b.binary("add", x, b.const(0)) == x
    assert b.value(b.binary("mul", b.const(6), b.const(7))) == 42
    assert b.select(b.const(0), x, b.const(3)) == b.const(3)
    with pytest.raises(RunError, match="division by zero"):
        b.binary("divs", b.const(1), b.const(0))


def test_compaction_keeps_what_is_needed_in_post_order() -> None:
    b = ExpressionBuilder()
    b.binary("mul", b.arg(0), b.const(9))
    root = b.binary("sub", b.arg(1), b.const(2))
    nodes, numbers = compacted(b.nodes, [root])
    assert nodes == (Node("arg", 1), Node("const", imm=2), Node("sub", 0, 1))
    assert numbers[root] == 2


def test_long_chains_need_no_recursion() -> None:
    b = ExpressionBuilder()
    root = b.arg(0)
    for i in range(5000):
        root = b.binary("add", root, b.arg(i % 3))
    assert evaluate(b.nodes, root, [1, 1, 1]) == 5001
    assert compile_roots(b.nodes, [(root, -1)])([1, 1, 1]) == (5001,)
