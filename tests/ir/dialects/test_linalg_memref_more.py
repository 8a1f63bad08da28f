"""Windows, tiles, softmax, growing memory and atomic regions: what the verifier refuses."""

from __future__ import annotations

import pytest
from refusal import accepted, refusal

from kt.ir.dialects.linalg_windows import WindowOp
from kt.parse import parse_text, print_op

PACK = "%e = tensor.empty() : tensor<E>\n%r = linalg.pack %t A into %e : tensor<4x8xf32> -> tensor<E>"
CASES = [
    ("%r = linalg.conv_1d {strides = dense<1> : tensor<2xi64>} ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>",
     "'linalg.conv_1d' op expected 'strides' of type 'tensor<1xi64>', got 'tensor<2xi64>'"),
    ("%r = linalg.conv_1d ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>",
     "'linalg.conv_1d' op inferred input/output operand #0 has shape's dimension #0 to be greater than or equal to 7, but found 4"),
    ("%r = linalg.conv_1d ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>",
     "'linalg.conv_1d' op expected 2 inputs, got 1"),
    (PACK.replace("E>", "1x1x4x8xf32>").replace(" A ", " inner_dims_pos = [0, 0] inner_tiles = [4, 8] "),
     "'linalg.pack' op invalid inner_dims_pos vector"),
    (PACK.replace("E>", "1x1x4x8xf32>").replace(" A ", " outer_dims_perm = [0] inner_dims_pos = [0, 1] inner_tiles = [4, 8] "),
     "'linalg.pack' op invalid outer_dims_perm vector"),
    (PACK.replace("E>", "1x1x4x8xf32>").replace(" A ", " inner_dims_pos = [0, 1] inner_tiles = [4] "),
     "'linalg.pack' op tiling factors must equal the number of dimensions to tile: 1 factors, 2 dimensions"),
    (PACK.replace("E>", "1x1x4x8xf32>").replace(" A ", " inner_dims_pos = [0, 1] inner_tiles = [2, 8] "),
     "'linalg.pack' op mismatch in inner tile sizes specified and shaped of tiled dimension in the packed type"),
    (PACK.replace("E>", "1x1x4x8xf32>").replace(" A ", " inner_dims_pos = [1] inner_tiles = [8] "),
     "'linalg.pack' op packed rank != (unpacked rank + num tiling factors), got 4 != 3"),
    (PACK.replace("E>", "2x8x3xf32>").replace(" A ", " inner_dims_pos = [0] inner_tiles = [3] "),
     "'linalg.pack' op invalid tile factor or output size provided. Only full tiles are supported when padding_value is not set"),
    (PACK.replace("E>", "2x8x3xf32>").replace(" A ", " padding_value(%h : f16) inner_dims_pos = [0] inner_tiles = [3] "),
     "'linalg.pack' op expected padding_value has 'f32' but got: 'f16'"),
    (PACK.replace("E>", "3x8x2xf32>").replace(" A ", " inner_dims_pos = [0] inner_tiles = [2] "),
     "'linalg.pack' op expected 'tensor<2x8x2xf32>' for the packed type, got 'tensor<3x8x2xf32>'"),
    ("%e = tensor.empty() : tensor<2x8x2xf32>\n%r = linalg.unpack %e inner_dims_pos = [0] inner_tiles = [%n] into %th : tensor<2x8x2xf32> -> tensor<4x8xf16>",
     "'linalg.unpack' op expected one element type, got 'f16' and 'f32'"),
    ("%r = linalg.softmax dimension(2) ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>",
     "'linalg.softmax' op incorrect dimension specified"),
    ("%r = linalg.softmax dimension(0) ins(%t : tensor<4x8xf32>) outs(%t2 : tensor<8x4xf32>) -> tensor<8x4xf32>",
     "'linalg.softmax' op incompatible output shape"),
    ("%r = memref.realloc %m : memref<4x8xf32> to memref<8xf32>",
     "'memref.realloc' op expected a source of rank 1, got 'memref<4x8xf32>'"),
    ("%x = memref.alloc() : memref<4xf32>\n%r = memref.realloc %x : memref<4xf32> to memref<?xf32>",
     "'memref.realloc' op missing dimension operand for result type 'memref<?xf32>'"),
    ("%x = memref.alloc() : memref<4xf32>\n%r = memref.realloc %x : memref<4xf32> to memref<8xf16>",
     "'memref.realloc' op different element types of source 'memref<4xf32>' and result 'memref<8xf16>'"),
    ("%r = memref.generic_atomic_rmw %m[%i] : memref<4x8xf32> {\n^bb0(%o: f32):\nmemref.atomic_yield %o : f32\n}",
     "'memref.generic_atomic_rmw' op expects the number of subscripts to be equal to memref rank"),
    ("%r = memref.generic_atomic_rmw %m[%i, %i] : memref<4x8xf32> {\n^bb0(%o: f32):\nmemref.atomic_yield %h : f16\n}",
     "'memref.atomic_yield' op types mismatch between yield op: 'f16' and its parent: 'f32'"),
    ("%r = memref.generic_atomic_rmw %m[%i, %i] : memref<4x8xf32> {\n^bb0(%o: f32):\n%x = memref.load %m[%i, %i] : memref<4x8xf32>\nmemref.atomic_yield %o : f32\n}",
     "'memref.load' op body of 'memref.generic_atomic_rmw' should contain only operations with no side effects"),
    ("%r = memref.generic_atomic_rmw %m[%i, %i] : memref<4x8xf32> {\n^bb0(%o: f16):\nmemref.atomic_yield %f : f32\n}",
     "'memref.generic_atomic_rmw' op expected the body to take one argument of type 'f32'"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "message"), CASES, ids=range(len(CASES)))
def test_refused(body, message):
    assert refusal(body) == message


def test_subscripts_of_a_convolution():
    module = accepted(
        "%x = tensor.empty() : tensor<1x3x9xf32>\n%k2 = tensor.empty() : tensor<5x3x2xf32>\n"
        "%o = tensor.empty() : tensor<1x5x4xf32>\n"
        "%r = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>}"
        " ins(%x, %k2 : tensor<1x3x9xf32>, tensor<5x3x2xf32>) outs(%o : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>"
    )
    (op,) = module.walk_type(WindowOp)
    assert [str(m) for m in op.indexing_maps()] == [
        "(d0, d1, d2, d3, d4) -> (d0, d3, d2 * 2 + d4 * 2)",
        "(d0, d1, d2, d3, d4) -> (d1, d3, d4)",
        "(d0, d1, d2, d3, d4) -> (d0, d1, d2)",
    ]
    assert op.iterator_types() == ["parallel"] * 3 + ["reduction"] * 2


def test_distinct_attributes_are_counted_anew():
    text = '"t.a"() {a = distinct[7]<>, b = distinct[3]<1 : i8>, c = distinct[7]<unit>} : () -> ()'
    printed = '"t.a"() {a = distinct[0]<>, b = distinct[1]<1 : i8>, c = distinct[0]<>} : () -> ()'
    once = print_op(parse_text(text))
    assert printed in once
    assert print_op(parse_text(once)) == once


def test_an_index_in_loops_of_unknown_kind():
    assert refusal("%r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [#x.y]} "
        "outs(%v : tensor<4xf32>) {\n^bb0(%o: f32):\n%j = linalg.index 0 : index\nlinalg.yield %o : f32\n"
        "} -> tensor<4xf32>") == "'linalg.generic' op attribute 'iterator_types' failed to satisfy constraint: Iterator type should be an enum."
