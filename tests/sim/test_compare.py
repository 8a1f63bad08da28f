"""Comparing buffers: bit by bit, NaN as NaN, stated allowances, codes of odd floats."""

from __future__ import annotations

import numpy as np
import pytest

from kt.ir.numbers import dtype
from kt.sim.compare import compare_arrays, compare_buffers

NAN = np.array([0x7E00, 0x7E01, 0xFE00], np.uint16).view(np.float16)


def test_equal_arrays_of_every_kind():
    for array in (np.arange(4.0), np.arange(4), np.array([True, False]), np.zeros((0, 3)), NAN):
        assert compare_arrays(array, array.copy()) == compare_arrays(array, array.copy())
        assert compare_arrays(array, array.copy()).ok


def test_any_nan_equals_any_nan():
    assert compare_arrays(NAN, NAN[::-1].copy()).ok
    assert not compare_arrays(NAN[:1], np.zeros(1, np.float16)).ok


def test_signed_zeros_differ():
    assert not compare_arrays(np.array([0.0]), np.array([-0.0])).ok


def test_the_message_names_the_first_element_that_is_off():
    want = np.zeros((2, 3), np.float16)
    got = want.copy()
    got[1, 0], got[1, 2] = 0.5, 2
    found = compare_arrays(want, got)
    assert not found.ok and found.max_error == 2
    assert found.message == "2 of 6 elements differ, first at [1, 0]: 0.5 instead of 0.0"


def test_allowances_are_per_element():
    want, got = np.zeros(3, np.float32), np.array([1e-3, 0, 2e-3], np.float32)
    assert compare_arrays(want, got, allowed=np.array([1e-2, 0, 1e-2])).ok
    found = compare_arrays(want, got, allowed=np.array([1e-2, 0, 1e-3]))
    assert not found.ok and "[2]" in found.message
    assert not compare_arrays(want, np.array([np.nan, 0, 0], np.float32), allowed=np.ones(3)).ok


def test_infinities_count_as_different_but_not_as_a_number():
    found = compare_arrays(np.array([1.0, np.inf]), np.array([1.5, -np.inf]))
    assert not found.ok and found.max_error == 0.5


def test_wide_integers_are_compared_exactly():
    big = np.array([2**62 + 1], np.int64)
    found = compare_arrays(big, big - 1)
    assert not found.ok and found.max_error == 1


def test_codes_are_numbers_of_their_type():
    bf16 = dtype("bf16")
    want, got = np.array([0x3F80], np.uint16), np.array([0x4000], np.uint16)  # 1.0, 2.0
    assert compare_arrays(want, got, bf16).max_error == 1.0
    nan = np.array([0x7FC0], np.uint16), np.array([0x7FC1], np.uint16)
    assert compare_arrays(*nan, bf16).ok and not compare_arrays(*nan).ok


@pytest.mark.parametrize("got", [np.zeros(3), np.zeros((2, 2)), np.zeros(4, np.float32)])
def test_another_form_is_a_difference(got):
    assert not compare_arrays(np.zeros(4), got).ok


def test_buffers_by_name():
    one, two = np.zeros(2), np.ones(2)
    assert compare_buffers({"a": one, "b": two}, {"b": two, "a": one, "c": two}).ok
    assert compare_buffers({"a": one}, {}).message == "buffer 'a' is missing"
    assert compare_buffers({"a": one, "b": two}, {"a": one, "b": one}).message.startswith("buffer 'b'")
