"""Identities, accumulator types and whole-axis reductions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from exact_reference import apply, same

from kt.ir.diagnostics import RunError
from kt.ir.numbers import dtype, round_to
from kt.sim.semantics import accumulator_dtype, identity, reduce

FLOAT_OPS = [f"arith.{n}" for n in ("addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf")]
INTEGER_OPS = [
    f"arith.{n}"
    for n in ("addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
]


@pytest.mark.parametrize("of", ["f16", "bf16", "df16", "f32", "f64", "f8E4M3FN"])
@pytest.mark.parametrize("name", FLOAT_OPS)
def test_float_identities(name, of):
    e = identity(name, dtype(of))
    assert e.dtype == dtype(of).compute
    values = round_to(np.array([1.5, -2.0, 0.0, 100.0, -448.0]), dtype(of))
    assert same(apply(name, np.broadcast_to(e, 5), values, of=of), values)


@pytest.mark.parametrize("of", ["i1", "i7", "i8", "i32", "i64", "index"])
@pytest.mark.parametrize("name", INTEGER_OPS)
def test_integer_identities(name, of):
    e = identity(name, dtype(of))
    assert e.dtype == dtype(of).compute
    values = round_to(np.array([0, 1, -1, -64, 63, 5]), dtype(of))
    assert np.array_equal(apply(name, np.broadcast_to(e, 6), values, of=of), values)
    assert reduce(name, values[:0], 0, dtype(of)) == e


def test_ops_without_identity_are_refused():
    with pytest.raises(RunError, match=r"'arith\.subf' has no identity"):
        identity("arith.subf", dtype("f16"))


def test_accumulators():
    wide = {"f16": "f32", "bf16": "f32", "df16": "f32", "f32": "f32", "f64": "f64", "i8": "i8"}
    for of, expected in wide.items():
        assert accumulator_dtype("arith.addf", dtype(of)).name == expected
    assert accumulator_dtype("arith.maximumf", dtype("f16")).name == "f16"


def test_narrow_sums_accumulate_in_f32_and_round_once():
    ones = np.ones((2, 5000), np.float16)
    assert reduce("arith.addf", ones, 1, dtype("f16")).tolist() == [5000, 5000]
    tenth = round_to(np.full(4096, 0.1), dtype("df16"))
    total = reduce("arith.addf", tenth, 0, dtype("df16"))
    assert total == round_to(4096 * np.float64(tenth[0]), dtype("df16"))
    many = np.full(4, 256.0, np.float16)
    assert reduce("arith.mulf", many, 0, dtype("f32")) == 2.0**32


def test_start_value_is_combined_before_the_rounding():
    values = np.full(8, 0.5, np.float16)
    assert reduce("arith.addf", values, 0, dtype("f16"), np.float16(5)) == 9
    # 2048 + 8·0.5 in f32; adding the halves one by one in f16 would stay at 2048.
    assert reduce("arith.addf", values, 0, dtype("f16"), np.float16(2048)) == 2052
    assert reduce("arith.maximumf", values, 0, dtype("f16"), np.float16(3)) == 3
    assert reduce("arith.addi", np.arange(4), 0, dtype("i64"), np.int64(10)) == 16


@pytest.mark.parametrize("name", [n for n in FLOAT_OPS if n not in ("arith.addf", "arith.mulf")])
def test_float_extremes_equal_a_fold(name):
    rng = np.random.default_rng(3)
    pool = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], np.float16)
    table = rng.choice(pool, size=(400, 3), p=[0.3, 0.3, 0.1, 0.1, 0.05, 0.05, 0.1])
    start = np.broadcast_to(identity(name, dtype("f16")), 400)
    fold = functools.reduce(lambda a, b: apply(name, a, b, of="f16"), table.T, start)
    assert same(reduce(name, table, 1, dtype("f16")), fold)


@pytest.mark.parametrize("of", ["i1", "i7", "i16", "i64"])
@pytest.mark.parametrize("name", INTEGER_OPS)
def test_integer_reductions_equal_a_fold(name, of):
    rng = np.random.default_rng(4)
    values = round_to(rng.integers(-(2**62), 2**62, (2, 5, 3)), dtype(of))
    terms = [values[i, :, j] for i in range(2) for j in range(3)]
    fold = functools.reduce(lambda a, b: apply(name, a, b, of=of), terms)
    assert np.array_equal(reduce(name, values, (0, 2), dtype(of)), fold)


def test_other_combiners_fold_from_the_left():
    values = np.array([[9, 4, 3], [1, 1, 1]], np.int32)
    assert reduce("arith.subi", values, 1, dtype("i32")).tolist() == [2, -1]
    assert reduce("arith.subi", values, 1, dtype("i32"), np.zeros(2, int)).tolist() == [-16, -3]
    with pytest.raises(RunError, match="needs a start value"):
        reduce("arith.subi", values[:, :0], 1, dtype("i32"))
