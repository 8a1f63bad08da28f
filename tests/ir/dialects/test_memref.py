"""memref: layouts of views, accesses."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.attributes import StridedLayoutAttr
from kt.ir.core import Block
from kt.ir.dialects import memref
from kt.ir.verifier import verify

REFUSED = [
    (
        "%r = memref.load %m[%i] : memref<4x8xf32>",
        "'memref.load' op incorrect number of indices for load, expected 2 but got 1",
    ),
    (
        "memref.store %h, %m[%i, %i] : memref<4x8xf32>",
        "use of value '%h' expects different type than prior uses: 'f32' vs 'f16'",
    ),
    (
        "%r = memref.alloc(%i) : memref<4xf32>",
        "'memref.alloc' op incorrect number of dynamic sizes, has 1, expected 0",
    ),
    (
        "%r = memref.alloc() : memref<?xf32>",
        "'memref.alloc' op incorrect number of dynamic sizes, has 0, expected 1",
    ),
    (
        "%r = memref.cast %m : memref<4x8xf32> to memref<4x9xf32>",
        (
            "'memref.cast' op operand type 'memref<4x8xf32>' and result type "
            "'memref<4x9xf32>' are cast incompatible"
        ),
    ),
    (
        "memref.copy %m, %mh : memref<4x8xf32> to memref<4x8xf16>",
        "'memref.copy' op requires the same element type for all operands",
    ),
    (
        (
            "%r = memref.reinterpret_cast %m to offset: [0], sizes: [4, 8], strides: [8, 1] "
            ": memref<4x8xf32> to memref<4x9xf32, strided<[8, 1]>>"
        ),
        ("'memref.reinterpret_cast' op expected result type with size = 8 instead of 9 in dim = 1"),
    ),
    (
        (
            "%r = memref.reinterpret_cast %m to offset: [0], sizes: [4, 8], strides: [9, 1] "
            ": memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>"
        ),
        (
            "'memref.reinterpret_cast' op expected result type with stride = 9 instead of 8 "
            "in dim = 0"
        ),
    ),
    (
        (
            "%r = memref.reinterpret_cast %m to offset: [3], sizes: [4, 8], strides: [8, 1] "
            ": memref<4x8xf32> to memref<4x8xf32, strided<[8, 1]>>"
        ),
        "'memref.reinterpret_cast' op expected result type with offset = 3 instead of 0",
    ),
    (
        "%r = memref.subview %m[0, 0] [2, 2] [1, 1] : memref<4x8xf32> to memref<2x2xf32>",
        (
            "'memref.subview' op expected result type to be 'memref<2x2xf32, strided<[8, "
            "1]>>' or a rank-reduced version. (mismatch of result layout)"
        ),
    ),
    (
        "%r = memref.memory_space_cast %m : memref<4x8xf32> to memref<4x8xf16, 1>",
        (
            "'memref.memory_space_cast' op operand type 'memref<4x8xf32>' and result type "
            "'memref<4x8xf16, 1>' are cast incompatible"
        ),
    ),
    (
        "%r = memref.get_global @nope : memref<2xf32>",
        "'memref.get_global' op 'nope' does not reference a valid global memref",
    ),
    (
        "%r = memref.assume_alignment %m, 3 : memref<4x8xf32>",
        "'memref.assume_alignment' op alignment must be power of 2",
    ),
    (
        "%r = memref.atomic_rmw addi %f, %m[%i, %i] : (f32, memref<4x8xf32>) -> f32",
        "'memref.atomic_rmw' op with kind 'addi' expects an integer type",
    ),
    (
        "%r = memref.transpose %m (x, y) -> (y, x) : memref<4x8xf32> to memref<8x4xf32>",
        (
            "'memref.transpose' op result type 'memref<8x4xf32>' is not equivalent to the "
            "canonical transposed input type 'memref<8x4xf32, strided<[1, 8]>>'"
        ),
    ),
    (
        (
            "%r = memref.subview %m[0, 7] [2, 2] [1, 1] : memref<4x8xf32> to memref<2x2xf32, "
            "strided<[8, 1], offset: 7>>"
        ),
        "'memref.subview' op slice along dimension 1 runs out-of-bounds: 8 >= 8",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


DYN = t.DYNAMIC


def buffer(*shape):
    return Block([t.MemRefType(shape, t.f32)]).arguments[0]


def test_layout_of_a_subview():
    part = memref.SubViewOp.of(buffer(8, 16), [2, 4], [3, 4], [2, 3])
    verify(part)
    # Row stride 16 elements; element (2, 4) is number 2 * 16 + 4.
    assert part.result.type.layout is StridedLayoutAttr((32, 3), 36)


def test_dynamic_offset_of_a_subview():
    n = Block([t.index]).arguments[0]
    part = memref.SubViewOp.of(buffer(8, 16), [n, 0], [2, 16])
    verify(part)
    assert part.result.type.layout is StridedLayoutAttr((16, 1), DYN)


def test_reinterpret_cast():
    n = Block([t.index]).arguments[0]
    view = memref.ReinterpretCastOp.of(buffer(64), n, [4, 8], [8, 1])
    verify(view)
    assert view.result.type is t.MemRefType((4, 8), t.f32, StridedLayoutAttr((8, 1), DYN))
    assert view.offset is n


def test_casts_of_layouts():
    assert (
        refusal(
            "%x = memref.cast %m : memref<4x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>\n"
            "%y = memref.cast %x : memref<?x8xf32, strided<[8, 1], offset: ?>> to memref<*xf32>"
        )
        is None
    )


def test_metadata_has_a_size_and_a_stride_per_dimension():
    made = memref.ExtractStridedMetadataOp.build(buffer(4, 8))
    verify(made)
    assert [v.type for v in made.results[1:]] == [t.index] * 5
    assert made.result_name_hint() == ["base_buffer", "offset", "sizes", None, "strides", None]
