"""Types that the text leaves out follow from others only where those are what the op allows."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.diagnostics import KtError
from kt.ir.dialects import memref, tensor
from kt.ir.dialects.builtin import ModuleOp
from kt.parse import parse_text


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("%r = tensor.splat %x : f16", "result #0 must be ranked tensor"),
        ("%r = tensor.extract %x[] : f16", "operand #0 must be ranked tensor"),
        ("%r = tensor.insert %x into %x[] : f16", "operand #1 must be ranked tensor"),
        ("%r = memref.load %x[] : tensor<4xf16>", "operand #0 must be ranked memref"),
        ("memref.store %x, %x[] : f16", "operand #1 must be ranked memref"),
        ("%r = affine.load %x[] : index", "operand #0 must be ranked memref"),
        ("affine.store %x, %x[] : f16", "operand #1 must be ranked memref"),
        ("%r = arith.cmpf oeq, %x, %x : memref<2xf16>", "operand #0 must be floating-point-like"),
        ("%r = math.isnan %x : memref<2xf16>", "operand #0 must be floating-point-like"),
        ("%r = arith.cmpi eq, %x, %x : none", "operand #0 must be signless-integer-like"),
    ],
)
def test_a_type_that_the_op_does_not_allow(op, expected):
    with pytest.raises(KtError) as refusal:
        parse_text(f"func.func @f(%x: f16) {{\n  {op}\n  return\n}}\n", "t.mlir")
    name = op.removeprefix("%r = ").split()[0]
    assert refusal.value.message.startswith(f"custom op '{name}' {expected}")
    assert refusal.value.location.line == 2


def test_builders_refuse_it_too():
    block = ModuleOp.empty().regions[0].blocks[0]
    x = block.add_argument(t.f16)
    with pytest.raises(TypeError, match="tensor must be ranked tensor"):
        tensor.ExtractOp.build(x, ())
    with pytest.raises(TypeError, match="memref must be ranked memref"):
        memref.LoadOp.build(x, ())
