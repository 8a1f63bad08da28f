"""ktdf_lowering: execute_on and signal."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.core import Block, Region, UnregisteredOp
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects.ktdf_lowering import ExecuteOnOp, SignalOp
from kt.ir.verifier import verify


def execute_on(units, *blocks):
    return ExecuteOnOp.build(units, regions=[Region(blocks)])


def test_units_are_index_values():
    good, bad = Block([t.index, t.i32]).arguments
    verify(execute_on([good, good], Block()))
    verify(SignalOp.build([good, good]))
    with pytest.raises(VerifyError, match="names no unit that could meet another"):
        verify(SignalOp.build())
    with pytest.raises(VerifyError, match="operand #0 must be variadic of index, but got 'i32'"):
        verify(SignalOp.build([bad]))


def test_exactly_one_block_without_arguments():
    for blocks in ((), (Block(), Block())):
        with pytest.raises(VerifyError, match="failed to verify constraint: region with 1 blocks"):
            verify(execute_on([], *blocks))
    with pytest.raises(VerifyError, match="should have no arguments"):
        verify(execute_on([], Block([t.index])))


def test_nesting_needs_no_parent():
    top = Block([t.index])
    unit = top.arguments[0]
    inner = execute_on([unit], Block((), [SignalOp.build([unit, unit])]))
    top.append(execute_on([unit], Block((), [inner])))
    verify(UnregisteredOp.make("test.top", regions=[Region([top])]))
