"""kt: buffers without an address, float conversions, splats."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import StridedLayoutAttr, StringAttr
from kt.ir.core import Block
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import kt
from kt.ir.dialects.spyreop import df16
from kt.ir.verifier import verify


def message(op):
    with pytest.raises(VerifyError) as caught:
        verify(op)
    return caught.value.message


def test_buffer():
    n = Block([t.index]).arguments[0]
    op = kt.BufferOp.build([n], result_types=[t.MemRefType((t.DYNAMIC, 8), t.f16)])
    verify(op)
    assert op.mixed_sizes == (n, 8)


@pytest.mark.parametrize(
    ("type", "words"),
    [
        (t.MemRefType((t.DYNAMIC,), t.f16), "dimension operand count (0) does not equal"),
        (t.MemRefType((8,), t.f16, None, StringAttr("PAD")), "the memory of a buffer is undecided"),
        (t.MemRefType((8,), t.f16, StridedLayoutAttr((1,))), "its type must have no layout"),
    ],
)
def test_buffer_rules(type, words):
    assert words in message(kt.BufferOp.build(result_types=[type]))


def convert(source, target):
    return kt.ConvertOp.build(Block([source]).arguments[0], result_types=[target])


@pytest.mark.parametrize(
    "wrap", [lambda e: e, lambda e: t.VectorType((8,), e), lambda e: t.TensorType((2, 4), e)]
)
def test_convert(wrap):
    verify(convert(wrap(t.f16), wrap(df16)))
    verify(convert(wrap(df16), wrap(t.f32)))


def test_convert_rules():
    assert "requires the same shape" in message(
        convert(t.TensorType((4,), t.f16), t.TensorType((5,), df16))
    )
    assert "requires the same shape" in message(convert(t.f16, t.VectorType((4,), df16)))
    assert "operand #0 must be floating-point-like, but got 'i32'" in message(convert(t.i32, t.f16))


def test_splat():
    scalar = Block([t.f16]).arguments[0]
    verify(kt.SplatOp.build(scalar, result_types=[t.VectorType((8,), t.f16)]))
    assert "element type of the vector ('f32') must be the scalar's ('f16')" in message(
        kt.SplatOp.build(scalar, result_types=[t.VectorType((8,), t.f32)])
    )
