"""kt: buffers without an address, views of other tiles' scratchpads, float conversions, splats."""

from __future__ import annotations

import pytest

from kt.ir import types as t
from kt.ir.attributes import StridedLayoutAttr, StringAttr
from kt.ir.core import Block
from kt.ir.diagnostics import KtError, VerifyError
from kt.ir.dialects import kt
from kt.ir.dialects.spyreop import df16
from kt.ir.verifier import verify
from kt.parse import parse_text, print_op


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


PEERS = """func.func @f(%%c0: index) attributes {grid = [2, 2]} {
  %%v = ktdp.construct_memory_view %%c0, sizes: [8], strides: [1] {coordinate_set = affine_set<(i) : (i >= 0, -i + 7 >= 0)>,
    memory_space = #ktdp.memory_space<%s>} : memref<8xf16>
  %%p = kt.peer_view %%v peers %s : memref<8xf16>
  return
}"""


def test_peer_view_in_both_forms():
    module = parse_text(PEERS % ("ct_local", "[3, 0, 1, 2]"))
    verify(module)
    (op,) = module.walk_type(kt.PeerViewOp)
    assert op.peers.values == (3, 0, 1, 2)
    assert op.type is op.source.type
    assert "kt.peer_view %0 peers [3, 0, 1, 2] : memref<8xf16>" in print_op(module)
    generic = print_op(module, generic=True)
    assert '"kt.peer_view"(%0) <{peers = array<i64: 3, 0, 1, 2>}> : (memref<8xf16>) -> memref<8xf16>' in generic
    assert print_op(parse_text(generic)) == print_op(module)


@pytest.mark.parametrize(
    ("space", "peers", "words"),
    [
        ("ct_local", "[2, 0, 1]", "has a peer for 3 tiles, but the grid has 4"),
        ("ct_local", "[3, 0, 1, 4]", "names tile 4, but it has a peer for 4 tiles, 0 to 3"),
        ("ct_local", "[3, 0, 1, -1]", "names tile -1"),
        ("global", "[3, 0, 1, 2]", "not of the tile's own scratchpad"),
        ("ct_local, ct_id = 1", "[3, 0, 1, 2]", "not of the tile's own scratchpad"),
    ],
)
def test_peer_view_rules(space, peers, words):
    with pytest.raises(KtError) as caught:
        verify(parse_text(PEERS % (space, peers)))
    assert words in str(caught.value)
