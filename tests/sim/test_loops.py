"""Loops of the executor: the most trips that a launch may have, and numbers at the ends of 64 bits."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from kernel_lines import run

import kt
from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.loops import Lattice, trips
from kt.sim.machine import MAX_TRIPS, Machine
from kt.sim.simulate import simulate

LAST, FIRST = 2**63 - 1, -(2**63)
HEAD = f"""func.func @f() -> i32 attributes {{grid = [GRID]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %first = arith.constant {FIRST} : index
  %last = arith.constant {LAST} : index
  %t = ktdp.get_compute_tile_id : index
"""
LINE = HEAD.count("\n") + 1
"""Of the first line of a body."""


def kernel(body: str, result: str = "%z", grid: int = 1) -> str:
    return f"{HEAD.replace('GRID', str(grid))}  {body}\n  return {result} : i32\n}}"


@pytest.mark.parametrize(
    ("op", "body", "count", "grid"),
    [
        ("scf.for", "scf.for %i = %c0 to %last step %c1 {}", LAST, 1),
        ("scf.for", "scf.for %i = %first to %last step %c1 {}", 2**64 - 1, 1),
        ("scf.for", "scf.for unsigned %i = %t to %first step %c3 {}", -(-(2**63) // 3), 4),
        ("scf.for", "scf.for %i = %t to %last step %c1 {}", LAST, 4),  # tile 0 has the most
        (
            "scf.parallel",
            "scf.parallel (%i, %j) = (%c0, %first) to (%last, %last) step (%c1, %c3) { scf.reduce }",
            LAST * -(-(2**64 - 1) // 3),
            1,
        ),
        ("scf.forall", "scf.forall (%i, %j) in (%last, 3) {}", 3 * LAST, 1),
        ("affine.for", f"affine.for %i = 5 to {LAST} step 2 {{}}", -(-(LAST - 5) // 2), 1),
        ("affine.parallel", f"affine.parallel (%i) = (0) to ({LAST}) {{}}", LAST, 1),
    ],
)
def test_loops_that_would_never_end_dont_begin(op: str, body: str, count: int, grid: int) -> None:
    with pytest.raises(RunError, match=f"'{op}' op.*the loop has {count} trips, .* {MAX_TRIPS} ") as error:
        run(kernel(body, grid=grid), {})
    assert error.value.location.position().line == LINE


NESTED = """%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z) -> i32 {
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> i32 {
      %n = arith.addi %b, %one : i32
      scf.yield %n : i32
    }
    scf.yield %s : i32
  }"""
ENDLESS = """%r = scf.while (%a = %z) : (i32) -> i32 {
    scf.condition(%yes) %a : i32
  } do {
  ^bb0(%a: i32):
    %n = arith.addi %a, %one : i32
    scf.yield %n : i32
  }"""
CIRCLE = """cf.br ^a
^a:
  cf.br ^b
^b:
  cf.cond_br %yes, ^a, ^end
^end:"""


def test_the_trips_of_a_launch_are_counted_together() -> None:
    module = parse_text(kernel(NESTED, "%r"))
    machine = Machine(max_trips=12)  # 3 outside, 3 · 3 inside
    assert [simulate(module, {}, machine=machine)["result0"] for _ in range(2)] == [9, 9]
    with pytest.raises(RunError, match=r"'scf.for' op.*it goes on, but all loops .* 11 together") as error:
        simulate(module, {}, machine=Machine(max_trips=11))
    assert error.value.location.position().line == LINE + 1


@pytest.mark.parametrize(("op", "body", "line"), [("scf.while", ENDLESS, 0), ("cf.cond_br", CIRCLE, 4)])
def test_loops_without_a_count_end_at_the_limit(op: str, body: str, line: int) -> None:
    with pytest.raises(RunError, match=f"'{op}' op.*it goes on, but all loops .* 100 together") as error:
        simulate(parse_text(kernel(body)), {}, machine=Machine(max_trips=100))
    assert error.value.location.position().line == LINE + line


def test_counts_beyond_64_bits_of_tiles_that_differ() -> None:
    low, high = np.array([FIRST, FIRST + 1, LAST, 7]), np.array([LAST, LAST, FIRST, 7])
    assert trips(low, high, 1).tolist() == [2**64 - 1, 2**64 - 2, 0, 0]
    assert trips(low, LAST, np.array([4, 3, 2, 1])).tolist() == [2**62, -(-(2**64 - 2) // 3), 0, LAST - 7]
    with pytest.raises(RunError, match="must be positive, but is -2"):
        trips(low, high, np.array([1, -2, 0, 1]))


def test_points_of_a_nest() -> None:
    bounds = [(2, 9, 3), (-4, 0, 1), (5, 7, 2)]
    wanted = list(product(*(range(*bound) for bound in bounds)))
    nest = Lattice.of(bounds, Machine())
    assert list(nest) == wanted and nest.count == len(wanted) == 12
    assert list(zip(*(a.tolist() for a in nest.part(3, 100)))) == wanted[3:]
    large = Lattice.of([(0, 2**20, 1), (0, 2**11, 1)], Machine())
    assert [a.tolist() for a in large.part(2**31 - 2, 2**31)] == [[2**20 - 1] * 2, [2**11 - 2, 2**11 - 1]]


@kt.kernel(grid=1, x="f16[1, 64]", out="f16[1, 64]", n="index")
def repeated(tile: Any, x: Any, out: Any, n: Any) -> None:
    for _ in tile.range(0, n, 1):
        out[0:1, :] = x[0:1, :] + x[0:1, :]


def test_loops_of_the_host_and_of_a_unit_have_limits_too() -> None:
    x = np.ones((1, 64), np.float16)
    device = kt.device("toy")
    program = kt.compile(repeated.module, device)
    kernel = kt.Runtime(device, max_trips=20).load(program)
    assert kernel(x=x, out=x, n=3)["out"].sum() == 128
    for n, text in ((21, "a host loop has 21 trips"), (LAST, f"a host loop has {LAST} trips")):
        with pytest.raises(RunError, match=f"^{text}, but all host loops of a call have 20 together"):
            kernel(x=x, out=x, n=n)
    kernel = kt.Runtime(device, max_trips=7).load(program)
    with pytest.raises(RunError, match=r"a loop has 8 trips, but all loops of a unit have 7 together"):
        kernel(x=x, out=x, n=1)  # eight vectors of eight lanes
