"""Allowances: other orders of a sum are within them, other sums are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kt.ir.numbers import dtype
from kt.parse import parse_path
from kt.sim.doubt import UNIT, Doubt, allowances, doubting, spacing
from kt.sim.simulate import simulate

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"


def run_of(name, arguments):
    module = parse_path(KERNELS / f"{name}.mlir")

    def run():
        copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        return simulate(module, copies)

    return run


def rows(seed=0):
    x = np.random.default_rng(seed).standard_normal((33, 200)).astype(np.float16)
    return {"x": x, "out": np.zeros(33, np.float32)}


def sequential(values):
    total = np.zeros(values.shape[0], np.float32)
    for column in values.T.astype(np.float32):
        total = total + column
    return total


def allowed_rows(arguments):
    run = run_of("row_sum", arguments)
    wanted = run()
    found = allowances(run, wanted, {"x": dtype("f16"), "out": dtype("f32")})
    return wanted["out"], found


def test_a_stored_sum_may_be_off_as_the_rule_says():
    arguments = rows()
    wanted, found = allowed_rows(arguments)
    x = arguments["x"].astype(np.float64)
    assert list(found) == ["out"]  # what is only read may not change at all
    bound = 2 * 200 * UNIT * np.abs(x).sum(1) + np.spacing(np.abs(wanted))
    assert (found["out"] >= bound).all()
    assert (found["out"] <= bound + 4 * np.spacing(np.abs(wanted))).all()


@pytest.mark.parametrize("seed", range(3))
def test_orders_of_a_sum_and_lost_terms(seed):
    arguments = rows(seed)
    wanted, found = allowed_rows(arguments)
    x = arguments["x"]
    shuffled = x[:, np.random.default_rng(seed).permutation(200)]
    for order in (x, x[:, ::-1], shuffled):
        assert (np.abs(sequential(order) - wanted) <= found["out"]).all()
    for lost in (0, 100, 199):
        rest = sequential(np.delete(x, lost, 1))
        off = np.abs(rest - wanted) > found["out"]
        assert (off == (np.abs(x[:, lost]) > 2 * found["out"])).mean() > 0.9 and off.any()


def test_later_operations_carry_what_sums_allow():
    x = (100 + 3 * np.random.default_rng(0).standard_normal((40, 192))).astype(np.float16)
    run = run_of("softmax_rows", {"x": x, "y": np.zeros_like(x)})
    wanted = run()
    found = allowances(run, wanted, {"y": dtype("f16")})["y"]
    y = wanted["y"].astype(np.float64)
    assert (found >= np.spacing(wanted["y"])).all()
    assert (found <= 4 * np.spacing(wanted["y"]).astype(np.float64)).all()  # no one tolerance
    assert y.max() / y[y > 0].min() > 1e5


def test_pointwise_kernels_have_no_doubt():
    x = np.ones((12, 192), np.float16)
    run = run_of("add_single", {"x": x, "y": x, "z": x})
    assert allowances(run, run(), {n: dtype("f16") for n in "xyz"}) == {}


def test_templates_are_in_doubt_by_their_units():
    x = np.random.default_rng(0).standard_normal((20, 320)).astype(np.float16)
    arguments = {"x": x, "b": x[0].copy(), "out": np.zeros_like(x)}
    run = run_of("bias_gelu", arguments)
    wanted = run()
    dtypes = {"out": dtype("f16")}
    assert allowances(run, wanted, dtypes) == {}
    found = allowances(run, wanted, dtypes, ulps=2)["out"]
    ulp = np.spacing(np.abs(wanted["out"])).astype(np.float64)
    assert (found >= 2 * ulp).all() and (found <= 5 * ulp).all()


def test_spacing_of_odd_floats():
    values = np.array([1.0, -1.5, 2.0, 0.0, 1e-30, 3.0e4])
    for name in ("f16", "f32", "f64"):
        of = dtype(name)
        native = np.spacing(np.abs(values).astype(f"f{of.itemsize}"))
        np.testing.assert_array_equal(spacing(values, of), native.astype(np.float64))
    assert spacing(1.0, dtype("bf16")) == 2.0**-7


def test_a_run_outside_is_not_disturbed():
    run = run_of("row_sum", rows())
    before = run()
    with doubting(Doubt(lambda shape: 1.0)):
        disturbed = run()
    after = run()
    np.testing.assert_array_equal(before["out"], after["out"])
    assert (disturbed["out"] > before["out"]).all()
