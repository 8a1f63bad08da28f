"""spyreop: types of the intrinsics, and df16 as a float type."""

from __future__ import annotations

import numpy as np
import pytest

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.core import Block
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import spyreop as s
from kt.ir.verifier import verify

F = [t.f16, s.df16, t.f32]
UNARY = [s.ExpOp, s.ReciprocalOp, s.RsqrtOp, s.SigmoidOp, s.SiluOp, s.SqrtOp]


def argument(type):
    return Block([type]).arguments[0]


def message(op):
    with pytest.raises(VerifyError) as caught:
        verify(op)
    return caught.value.message


def test_df16_is_a_16_bit_float_type():
    assert isinstance(s.df16, t.FloatType)
    assert s.df16.bits == 16
    assert s.df16.numpy_dtype() == np.dtype("<u2")
    assert str(t.TensorType((4,), s.df16)) == "tensor<4x!spyreop.df16>"


def test_fused_types_know_their_part():
    assert {pair.part: str(pair) for pair in s.FUSED.values()} == {
        t.f16: "!spyreop.fp16_fused",
        s.df16: "!spyreop.df16_fused",
        t.f32: "!spyreop.fp32_fused",
    }
    assert s.FUSED[t.f32].numpy_dtype().itemsize == 8


@pytest.mark.parametrize("cls", UNARY)
@pytest.mark.parametrize("type", F)
def test_unary_on_scalars_and_vectors(cls, type):
    for operand in (type, t.VectorType((8,), type)):
        op = cls.build(argument(operand))
        assert op.result.type is operand
        verify(op)


@pytest.mark.parametrize("cls", UNARY)
def test_unary_refuses_other_types(cls):
    op = cls.build(argument(t.i32))
    assert message(op) == (
        f"'{cls.name}' op operand #0 must be 16-bit float or IBM df16 float or 32-bit float, "
        "but got 'i32'"
    )


@pytest.mark.parametrize("cls", [s.GeluOp, s.SoftplusOp])
def test_half_only(cls):
    numbers = {"beta": FloatAttr.of(1.0, t.f32), "threshold": FloatAttr.of(20.0, t.f32)}
    more = numbers if cls is s.SoftplusOp else {}
    verify(cls.build(argument(s.df16), **more))
    assert "must be 16-bit float or IBM df16 float, but got 'f32'" in message(
        cls.build(argument(t.f32), **more)
    )


def test_softplus_beta_is_a_non_zero_f32():
    for beta in (FloatAttr.of(0.0, t.f32), FloatAttr.of(1.0, t.f16)):
        op = s.SoftplusOp.build(argument(t.f16), beta=beta, threshold=FloatAttr.of(20.0, t.f32))
        assert message(op) == (
            "'spyreop.softplus' op attribute 'beta' failed to satisfy constraint: "
            "32-bit float attribute which is non-zero"
        )


def test_integer_intrinsics():
    for cls, type in (
        (s.AddI32ToI32Op, t.i32),
        (s.MulI32ToI32Op, t.i32),
        (s.AddI64ToI64Op, t.i64),
    ):
        a = argument(type)
        assert cls.build(a, a).result.type is type
        verify(cls.build(a, a))
        b = argument(t.i16)
        assert "bit signless integer, but got 'i16'" in message(
            cls(operands=(b, b), result_types=(t.i16,))
        )


def test_address_takes_values_or_numbers():
    i = argument(t.i32)
    verify(s.Idx32ToAddrOp.build(i, [i, i]))
    number = IntegerAttr(4, t.i32)
    verify(s.Idx32ToAddrOp.build(i, base_address=number, stride=number))
    for wrong in (
        s.Idx32ToAddrOp.build(i),
        s.Idx32ToAddrOp.build(i, [i]),
        s.Idx32ToAddrOp.build(i, [i, i], stride=number),
    ):
        assert "takes base and stride, either as operands or as attributes" in message(wrong)


@pytest.mark.parametrize("type", F)
def test_fused_statistics(type):
    pair = s.FUSED[type]
    for cls in (s.Exx2FusedOp, s.Exx2ZeroMeanFusedOp):
        op = cls.build(argument(type))
        assert op.result.type is pair
        verify(op)
        wrong = cls(operands=(argument(type),), result_types=(s.FUSED[F[F.index(type) - 1]],))
        assert f"result of '{type}' must be '{pair}'" in message(wrong)
    scale = s.LayerNormScaleFusedOp.build(argument(pair))
    assert scale.result.type is type
    verify(scale)


def test_statistics_and_normalisation():
    x = argument(t.f16)
    both = s.Exx2Op.build(x)
    assert [r.type for r in both.results] == [t.f16, t.f16]
    mean, squares = both.results
    verify(s.LayerNormScaleOp.build(mean, squares))
    assert s.LayerNormScaleOp.build(mean).squares is None
    verify(s.LayerNormNormOp.build(x, squares, mean, x, x))
    mixed = s.LayerNormNormOp.build(x, squares, mean, x, argument(t.f32))
    assert "requires the same type for all operands and results" in message(mixed)


def test_constant_has_the_type_of_its_literal():
    op = s.ConstantOp.build(value=FloatAttr.of(1.5, t.f16))
    assert op.result.type is t.f16
    verify(op)
    wrong = s.ConstantOp(result_types=(t.f32,), properties={"value": FloatAttr.of(1.5, t.f16)})
    assert "failed to verify that all of {value, result} have same type" in message(wrong)


def test_slice_reduction_attributes():
    tensor = argument(t.TensorType((64,), t.f16))
    op = s.SliceReductionOp.build(
        tensor,
        reduction_kind=s.ReductionKindAttr("abs_max"),
        reduction_scope=s.ReductionScopeAttr("across_slice"),
        result_types=[tensor.type],
    )
    verify(op)
    assert str(op.reduction_scope) == "#spyreop.reduction_scope<across_slice>"
    with pytest.raises(ValueError, match="expected one of add, sub"):
        s.ReductionKindAttr("median")


def test_every_intrinsic_is_pure_and_documented():
    from kt.ir.traits import Pure

    registry.load_dialect("spyreop")
    ops = [op for name, op in registry.OPS.items() if name.startswith("spyreop.")]
    assert len(ops) == 21
    for op in ops:
        assert op.has_trait(Pure), op.name
        assert op.__doc__
