"""Conversions between types."""

from __future__ import annotations

import math

import numpy as np
import pytest
from exact_reference import apply, same
from hypothesis import given, settings
from hypothesis import strategies as st

from kt.ir.numbers import dtype, round_to
from kt.sim.semantics import ArithmeticFault


def test_extf_is_exact_and_truncf_rounds():
    codes = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    wide = apply("arith.extf", codes, of="f16", result="f32")
    assert wide.dtype == np.float32
    back = apply("arith.truncf", wide, of="f32", result="f16")
    assert back.dtype == dtype("f16").compute and same(back, codes)
    assert apply("arith.truncf", np.float32(2049), of="f32", result="f16") == 2048
    assert apply("arith.truncf", np.float32(2049), of="f32", result="bf16") == 2048
    tie = np.float64(1 + 2.0**-11 + 2.0**-40)
    assert apply("arith.truncf", tie, of="f64", result="f16") == 1 + 2.0**-10
    up = apply("arith.truncf", np.float32(1 + 2.0**-20), of="f32", result="f16",
               roundingmode="upward")  # fmt: skip
    assert up == 1 + 2.0**-10


def test_convert_saturates_only_df16_to_f16():
    values = np.array([65536.0, -65536.0, 1e9, np.inf, -np.inf, 1.0], np.float32)
    got = apply("kt.convert", values, of="df16", result="f16")
    assert got.tolist() == [65472, -65472, 65472, np.inf, -np.inf, 1]
    assert apply("kt.convert", np.float16(65504), of="f16", result="df16") == 65536


@settings(max_examples=100, deadline=None)
@given(st.integers(-(2**31), 2**31 - 1), st.sampled_from(["i1", "i4", "i8", "i32", "i64"]))
def test_integer_casts(value, target):
    bits = dtype(target).bits
    x = np.int32(value)
    low = value % (1 << bits)
    as_int = low if target == "i1" or low < 1 << (bits - 1) else low - (1 << bits)
    for name in ("arith.trunci", "arith.index_cast"):
        if bits <= 32:
            assert int(apply(name, x, of="i32", result=target)) == as_int
    assert int(apply("arith.extsi", x, of="i32", result="i64")) == value
    assert int(apply("arith.extui", x, of="i32", result="i64")) == value % 2**32
    assert int(apply("arith.index_cast", x, of="i32", result="index")) == value
    assert int(apply("arith.index_castui", x, of="i32", result="index")) == value % 2**32


def test_booleans_extend_as_minus_one_or_one():
    bools = np.array([False, True])
    assert apply("arith.extsi", bools, of="i1", result="i32").tolist() == [0, -1]
    assert apply("arith.extui", bools, of="i1", result="i32").tolist() == [0, 1]
    assert apply("arith.sitofp", bools, of="i1", result="f16").tolist() == [0, -1]
    assert apply("arith.uitofp", bools, of="i1", result="f16").tolist() == [0, 1]
    assert apply("arith.trunci", np.array([2, 3]), of="i64", result="i1").tolist() == [False, True]


def test_integer_to_float_rounds_once():
    odd = np.array([2**53 + 1, 2**24 + 1, -1], np.int64)
    assert apply("arith.sitofp", odd, of="i64", result="f64").tolist() == [2**53, 2**24 + 1, -1]
    assert apply("arith.sitofp", odd, of="i64", result="f32").tolist() == [2**53, 2**24, -1]
    assert apply("arith.uitofp", np.int8(-1), of="i8", result="f32") == 255
    assert apply("arith.uitofp", np.int64(-1), of="i64", result="f64") == 2.0**64
    assert apply("arith.uitofp", np.int64(-1), of="i64", result="bf16") == 2.0**64
    # A tie of bf16 plus one, which float64 cannot tell from the tie.
    assert (
        apply("arith.sitofp", np.int64(257 * 2**54 + 1), of="i64", result="bf16") == 258 * 2.0**54
    )
    assert apply("arith.sitofp", np.int64(257 * 2**54), of="i64", result="bf16") == 256 * 2.0**54


@settings(max_examples=100, deadline=None)
@given(st.floats(-1e6, 1e6), st.sampled_from(["i4", "i8", "i16", "i32"]))
def test_float_to_integer_truncates_or_faults(value, target):
    bits = dtype(target).bits
    whole = math.trunc(value)
    for name, low, high in (("fptosi", -(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                            ("fptoui", 0, (1 << bits) - 1)):  # fmt: skip
        run = lambda name=name: apply(f"arith.{name}", np.float64(value), of="f64", result=target)  # noqa: E731
        if low <= whole <= high:
            assert run() == round_to(np.int64(whole), dtype(target))
        else:
            with pytest.raises(ArithmeticFault, match="outside the range"):
                run()


def test_float_to_integer_at_the_edges():
    assert apply("arith.fptosi", -(2.0**63), of="f64", result="i64") == -(2**63)
    assert int(apply("arith.fptoui", 2.0**64 - 2048, of="f64", result="i64")) == -2048
    assert apply("arith.fptoui", -0.75, of="f64", result="i8") == 0
    for value in (2.0**63, np.nan, np.inf):
        with pytest.raises(ArithmeticFault):
            apply("arith.fptosi", np.array([0.0, value]), of="f64", result="i64")


def test_bitcast():
    assert apply("arith.bitcast", np.float32(1.0), of="f32", result="i32") == 0x3F800000
    assert apply("arith.bitcast", np.int32(-0x800000), of="i32", result="f32") == -np.inf
    assert apply("arith.bitcast", np.float16(1.0), of="f16", result="bf16") == 2.0**-7
    assert apply("arith.bitcast", np.float32(1.0), of="df16", result="i16") == 0x3E00
    codes = np.arange(1 << 16, dtype=np.uint16).view(np.int16)
    halves = apply("arith.bitcast", codes, of="i16", result="f16")
    assert np.array_equal(apply("arith.bitcast", halves, of="f16", result="i16"), codes)
