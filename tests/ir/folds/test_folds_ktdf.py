"""Folds of ktdf and ktdp: values derived by hand from the ops' definitions."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Block
from kt.ir.dialects import ktdf, ktdp
from kt.ir.folding import CHANGED, fold


@pytest.fixture
def block():
    return Block([t.index, t.index])


def index(value):
    return [IntegerAttr(value, t.index)]


@pytest.mark.parametrize(("tile", "total", "size"), [(4, 10, 4), (16, 10, 10), (4, 0, 0)])
def test_first_tile(block, tile, total, size):
    b = Builder.at_end(block)
    zero, ts, n = (b.constant(v, t.index) for v in (0, tile, total))
    assert fold(b.create(ktdf.DeriveSizeOp, [zero], [ts], n)) == index(size)


def test_other_tiles_are_left_alone(block):
    b = Builder.at_end(block)
    zero, two, n = (b.constant(v, t.index) for v in (0, 2, 10))
    for ivs, tiles in (([two], [two]), ([block.arguments[0]], [two]), ([zero, zero], [two, two])):
        assert fold(b.create(ktdf.DeriveSizeOp, ivs, tiles, n)) is None


def test_phase_forgets_loops_of_one_trip(block):
    i, j = block.arguments
    b = Builder.at_end(block)
    zero = b.constant(0, t.index)
    op = b.create(ktdf.BufferPhaseOp, [i, zero, j], num_phases=2)
    assert fold(op) is CHANGED
    assert op.operands == (i, j)
    assert fold(op) is None
    assert fold(b.create(ktdf.BufferPhaseOp, [zero, zero], num_phases=2)) == index(0)


def test_known_phase_selects(block):
    b = Builder.at_end(block)
    one, five = b.constant(1, t.index), b.constant(5, t.index)
    buffers = Block([t.MemRefType((4,), t.f16)] * 2).arguments
    assert fold(b.create(ktdf.SelectMemrefOp, one, buffers)) == [buffers[1]]
    assert fold(b.create(ktdf.SelectMemrefOp, five, buffers)) is None
    assert fold(b.create(ktdf.SelectMemrefOp, block.arguments[0], buffers)) is None


def test_promises_of_runtime_arguments():
    argument = Block([ktdp.RuntimeArgType(t.index, 16, 512)]).arguments[0]
    found = [
        fold(
            ktdp.RuntimeArgExtractOp.build(
                argument, kind=IntegerAttr(kind, t.i32), result_types=[t.index]
            )
        )
        for kind in range(3)
    ]
    assert found == [None, index(16), index(512)]
