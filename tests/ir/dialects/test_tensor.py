"""tensor: shapes of results, slices, reshapes."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.core import Block
from kt.ir.dialects import tensor
from kt.ir.verifier import verify

REFUSED = [
    (
        "%r = tensor.extract %t[%i] : tensor<4x8xf32>",
        "'tensor.extract' op incorrect number of indices for extract_element",
    ),
    (
        '%r = "tensor.extract"(%t, %i, %i) : (tensor<4x8xf32>, index, index) -> f16',
        "'tensor.extract' op failed to verify that result type matches element type of tensor",
    ),
    (
        "%r = tensor.insert %f into %t[%i] : tensor<4x8xf32>",
        "'tensor.insert' op incorrect number of indices",
    ),
    (
        "%r = tensor.empty(%i) : tensor<4xf32>",
        "'tensor.empty' op incorrect number of dynamic sizes, has 1, expected 0",
    ),
    (
        "%r = tensor.collapse_shape %t [[0], [1]] : tensor<4x8xf32> into tensor<32xf32>",
        (
            "'tensor.collapse_shape' op expected collapsed rank (1) to equal the number of "
            "reassociation maps (2)"
        ),
    ),
    (
        "%r = tensor.collapse_shape %t [[0, 1]] : tensor<4x8xf32> into tensor<30xf32>",
        (
            "'tensor.collapse_shape' op expected dimension 0 of collapsed type to be static "
            "value of 32, got 30"
        ),
    ),
    (
        (
            "%r = tensor.expand_shape %v [[0, 1]] output_shape [2, 3] : tensor<4xf32> into "
            "tensor<2x3xf32>"
        ),
        (
            "'tensor.expand_shape' op expected dimension 0 of collapsed type to be static "
            "value of 6, got 4"
        ),
    ),
    (
        "%r = tensor.extract_slice %t[0, 0] [2] [1, 1] : tensor<4x8xf32> to tensor<2xf32>",
        "'tensor.extract_slice' op expected 2 size values, got 1",
    ),
    (
        ("%r = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<4x8xf32> to tensor<2x3xf32>"),
        (
            "'tensor.extract_slice' op expected type to be 'tensor<2x2xf32>' or a "
            "rank-reduced version. (size mismatch)"
        ),
    ),
    (
        ("%r = tensor.extract_slice %t[3, 0] [2, 2] [1, 1] : tensor<4x8xf32> to tensor<2x2xf32>"),
        "'tensor.extract_slice' op slice along dimension 0 runs out-of-bounds: 4 >= 4",
    ),
    (
        "%r = tensor.insert_slice %t into %v[0] [2] [1] : tensor<4x8xf32> into tensor<4xf32>",
        (
            "'tensor.insert_slice' op expected type to be 'tensor<2xf32>' or a rank-reduced "
            "version. (size mismatch)"
        ),
    ),
    (
        "%r = tensor.cast %t : tensor<4x8xf32> to tensor<4x9xf32>",
        (
            "'tensor.cast' op operand type 'tensor<4x8xf32>' and result type "
            "'tensor<4x9xf32>' are cast incompatible"
        ),
    ),
    (
        "%r = tensor.reshape %t(%sh) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<5x7xf32>",
        (
            "'tensor.reshape' op source and destination tensor should have the same number "
            "of elements"
        ),
    ),
    (
        '%r = "tensor.from_elements"(%f, %f) : (f32, f32) -> tensor<3xf32>',
        ("'tensor.from_elements' op failed to verify that operand types match result element type"),
    ),
    (
        "%r = tensor.generate %i { ^bb0(%x: index): tensor.yield %h : f16 } : tensor<?xf32>",
        (
            "'tensor.generate' op body must be terminated with a `yield` operation of the "
            "tensor element type"
        ),
    ),
    (
        (
            "%r = tensor.concat dim(2) %t, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> "
            "tensor<8x8xf32>"
        ),
        "'tensor.concat' op concatenation dim must be less than the tensor rank",
    ),
    (
        (
            "%r = tensor.concat dim(0) %t, %t2 : (tensor<4x8xf32>, tensor<8x4xf32>) -> "
            "tensor<12x8xf32>"
        ),
        (
            "'tensor.concat' op static concatenation size mismatch along non-concatenated "
            "dimension 1"
        ),
    ),
    (
        "%r = tensor.dim %s, %i : tensor<f32>",
        (
            "'tensor.dim' op operand #0 must be non-0-ranked or unranked tensor, but got "
            "'tensor<f32>'"
        ),
    ),
    (
        "%r = tensor.splat %h : tensor<4xf32>",
        "use of value '%h' expects different type than prior uses: 'f32' vs 'f16'",
    ),
    (
        (
            "%r = tensor.pad %t low[1, 0] high[0, 0] { ^bb0(%x: index, %y: index): "
            "tensor.yield %f : f32 } : tensor<4x8xf32> to tensor<6x8xf32>"
        ),
        (
            "'tensor.pad' op specified type 'tensor<6x8xf32>' does not match the inferred "
            "type 'tensor<5x8xf32>'"
        ),
    ),
    (
        "%r = tensor.bitcast %t : tensor<4x8xf32> to tensor<4x8xi16>",
        (
            "'tensor.bitcast' op operand type 'tensor<4x8xf32>' and result type "
            "'tensor<4x8xi16>' are cast incompatible"
        ),
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


DYN = t.DYNAMIC


def test_empty_of_mixed_sizes():
    n = Block([t.index]).arguments[0]
    made = tensor.EmptyOp.of([4, n, 2], t.f16)
    verify(made)
    assert made.result.type is t.TensorType((4, DYN, 2), t.f16)
    assert made.sizes == (4, n, 2)


def test_slices():
    source, n = Block([t.TensorType((8, 16), t.f32), t.index]).arguments
    cut = tensor.ExtractSliceOp.of(source, [n, 4], [2, 3], [1, 2])
    verify(cut)
    assert cut.result.type is t.TensorType((2, 3), t.f32)
    assert (cut.mixed_offsets, cut.mixed_sizes, cut.mixed_strides) == ((n, 4), (2, 3), (1, 2))
    row = tensor.ExtractSliceOp.of(
        source, [0, 0], [1, 16], result_types=[t.TensorType((16,), t.f32)]
    )
    verify(row)
    back = tensor.InsertSliceOp.of(cut, source, [0, 0], [2, 3])
    verify(back)
    assert back.result.type is source.type


def test_reshapes():
    source = Block([t.TensorType((4, 6, DYN), t.f32)]).arguments[0]
    flat = tensor.CollapseShapeOp.of(source, [[0, 1], [2]])
    verify(flat)
    assert flat.result.type is t.TensorType((24, DYN), t.f32)
    wide = tensor.ExpandShapeOp.of(
        Block([t.TensorType((24,), t.f32)]).arguments[0], [[0, 1]], [8, 3]
    )
    verify(wide)
    assert wide.groups == ((0, 1),) and wide.sizes == (8, 3)
    scalar = tensor.CollapseShapeOp.of(Block([t.TensorType((1, 1), t.f32)]).arguments[0], [])
    verify(scalar)
    assert scalar.result.type is t.TensorType((), t.f32)


@pytest.mark.parametrize(
    ("full", "reduced", "fits"),
    [
        ((2, 3), (2, 3), True),
        ((1, 3), (3,), True),
        ((1, 3, 1), (3, 1), True),
        ((1, 1), (), True),
        ((2, 3), (3,), False),
        ((2, 3), (3, 2), False),
        ((1, 3), (3, 1), False),
    ],
)
def test_rank_reduction(full, reduced, fits):
    from kt.ir.dialects.tensor_slices import is_rank_reduced

    assert is_rank_reduced(full, reduced) is fits


def test_extents_of_a_concatenation():
    a, b = Block([t.TensorType((4, 8), t.f32), t.TensorType((DYN, 8), t.f32)]).arguments
    assert tensor.ConcatOp.build([a, a], dim=0).result.type is t.TensorType((8, 8), t.f32)
    assert tensor.ConcatOp.build([a, b], dim=0).result.type is t.TensorType((DYN, 8), t.f32)
    assert tensor.ConcatOp.build([a, a], dim=1).result.type is t.TensorType((4, 16), t.f32)
