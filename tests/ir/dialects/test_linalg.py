"""linalg: the structured interface, implied bodies, refusals."""

from __future__ import annotations

import pytest
from refusal import refusal

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.core import Block, Region
from kt.ir.diagnostics import KtError, VerifyError
from kt.ir.dialects import arith, linalg
from kt.ir.effects import effects
from kt.ir.verifier import verify
from kt.parse import parse_text

REFUSED = [
    (
        (
            "%r = linalg.add ins(%t, %th : tensor<4x8xf32>, tensor<4x8xf16>) outs(%t : "
            "tensor<4x8xf32>) -> tensor<4x8xf32>"
        ),
        "'arith.addf' op requires the same type for all operands and results",
    ),
    (
        (
            "%r = linalg.add ins(%t, %t2 : tensor<4x8xf32>, tensor<8x4xf32>) outs(%t : "
            "tensor<4x8xf32>) -> tensor<4x8xf32>"
        ),
        (
            "'linalg.add' op inferred input/output operand #1 has shape's dimension #0 to be "
            "4, but found 8"
        ),
    ),
    (
        "%r = linalg.fill ins(%h : f16) outs(%t : tensor<4x8xf32>) -> tensor<4x8xf32>",
        ("'linalg.fill' op expected fill value type ('f16') to match output element type ('f32')"),
    ),
    (
        (
            "%r = linalg.matmul ins(%t, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%t : "
            "tensor<4x8xf32>) -> tensor<4x8xf32>"
        ),
        (
            "'linalg.matmul' op inferred input/output operand #1 has shape's dimension #0 to "
            "be 8, but found 4"
        ),
    ),
    (
        (
            "%r = linalg.reduce { arith.addf } ins(%t : tensor<4x8xf32>) outs(%t : "
            "tensor<4x8xf32>) dimensions = [1]"
        ),
        ("'linalg.reduce' op number of dimensions after reduction 1 doesn't match the init rank 2"),
    ),
    (
        (
            "%r = linalg.reduce { arith.addf } ins(%t : tensor<4x8xf32>) outs(%v : "
            "tensor<4xf32>) dimensions = [2]"
        ),
        "'linalg.reduce' op dimensions for reduction should be in the range [0, 1], got 2",
    ),
    (
        (
            "%r = linalg.reduce { arith.addf } ins(%t : tensor<4x8xf32>) outs(%v : "
            "tensor<4xf32>) dimensions = [0]"
        ),
        (
            "'linalg.reduce' op init dimensions [4] doesn't match input dimensions after "
            "reduction [8]"
        ),
    ),
    (
        (
            "%r = linalg.reduce { arith.addf } ins(%t : tensor<4x8xf32>) outs(%v : "
            "tensor<4xf32>) dimensions = [1, 0]"
        ),
        (
            "'linalg.reduce' op attribute 'dimensions' failed to satisfy constraint: i64 "
            "dense array attribute should be in increasing order"
        ),
    ),
    (
        (
            "%r = linalg.transpose ins(%t : tensor<4x8xf32>) outs(%t2 : tensor<8x4xf32>) "
            "permutation = [0, 0]"
        ),
        "'linalg.transpose' op permutation is not valid",
    ),
    (
        (
            "%r = linalg.transpose ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) "
            "permutation = [1, 0]"
        ),
        ("'linalg.transpose' op dim(result, 0) = 4 doesn't match dim(input, permutation[0]) = 8"),
    ),
    (
        (
            "%r = linalg.broadcast ins(%v : tensor<4xf32>) outs(%t : tensor<4x8xf32>) "
            "dimensions = [0]"
        ),
        "'linalg.broadcast' op input dim 0 should match init dim 1. input: 4, init: 8",
    ),
    (
        (
            "%r = linalg.broadcast ins(%v : tensor<4xf32>) outs(%t : tensor<4x8xf32>) "
            "dimensions = [2]"
        ),
        "'linalg.broadcast' op dimension 0 is out of range. expected range: [0, 1], got: 2",
    ),
    (
        (
            "%r = linalg.broadcast ins(%v : tensor<4xf32>) outs(%t : tensor<4x8xf32>) "
            "dimensions = [0, 1]"
        ),
        (
            "'linalg.broadcast' op input rank plus added dimensions does not match init "
            "rank. input rank: 1, dimensions size: 2, init rank: 2"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], "
            'iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x8xf32>) outs(%t : '
            "tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> "
            "tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op expected the number of indexing_map (1) to be equal to the "
            "number of input/output operands (2)"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "linalg.yield %x : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op expected operand #0 rank (2) to match the result rank of "
            "indexing_map (1)"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel"]} ins(%t : '
            "tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "linalg.yield %x : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op expected indexing_map #0 to have 1 dim(s) to match the "
            "number of loops"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f16, %y: f32): "
            "linalg.yield %y : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op expected type of bb argument #0 ('f16') to match element or "
            "self type of the corresponding operand ('f32')"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "linalg.yield %x, %y : f32, f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.yield' op expected number of yield values (2) to match the number of "
            "inits / outs operands of the enclosing LinalgOp (1)"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "linalg.yield %h : f16 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.yield' op type of yield operand 1 ('f16') doesn't match the element "
            "type of the enclosing linalg.generic op ('f32')"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, "
            'affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", '
            '"parallel", "reduction"]} ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) '
            "{ ^bb0(%x: f32, %y: f32): linalg.yield %x : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op invalid indexing maps are non-invertible: loop d2 is used "
            "by no indexing map"
        ),
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "linalg.yield %x : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.generic' op inferred input/output operand #0 has shape's dimension #0 "
            "to be greater than or equal to 11, but found 4"
        ),
    ),
    (
        (
            "%r = linalg.exp ins(%ti : tensor<4x8xi32>) outs(%ti : tensor<4x8xi32>) -> "
            "tensor<4x8xi32>"
        ),
        "'linalg.exp' op exp has no meaning for 'i32'",
    ),
    (
        "%r = linalg.index 0 : index",
        "'linalg.index' op expected parent op with LinalgOp interface",
    ),
    (
        (
            "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
            "ins(%t : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) { ^bb0(%x: f32, %y: f32): "
            "%q = linalg.index 2 : index\n linalg.yield %x : f32 } -> tensor<4x8xf32>"
        ),
        (
            "'linalg.index' op expected dim (2) to be lower than the number of loops (2) of "
            "the enclosing LinalgOp"
        ),
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(body, message):
    assert refusal(body) == message


def values(*types):
    return Block(types).arguments


def tensor(*shape, element=t.f32):
    return t.TensorType(shape, element)


def body_names(op):
    return [inner.name for inner in op.body.ops]


class TestInterface:
    def test_matmul(self):
        a, b, c = values(tensor(4, 6, element=t.f16), tensor(6, 8, element=t.f16), tensor(4, 8))
        made = linalg.MatmulOp.build([a, b], [c])
        verify(made)
        assert made.inputs == (a, b) and made.outputs == (c,)
        assert [m.dim_positions for m in made.indexing_maps()] == [(0, 2), (2, 1), (0, 1)]
        assert made.iterator_types() == ["parallel", "parallel", "reduction"]
        assert made.extents() == [4, 8, 6]
        assert made.results[0].type is c.type
        assert body_names(made) == [
            "arith.extf", "arith.extf", "arith.mulf", "arith.addf", "linalg.yield",
        ]  # fmt: skip
        assert made.reads_output()

    def test_reduce_drops_its_dimensions(self):
        x, start = values(tensor(4, 6, 8), tensor(6))
        made = linalg.ReduceOp.build([x], [start], dimensions=linalg_dims(0, 2), regions=[Region()])
        assert [m.dim_positions for m in made.indexing_maps()] == [(0, 1, 2), (1,)]
        assert made.iterator_types() == ["reduction", "parallel", "reduction"]
        assert made.dims_of_kind("reduction") == [0, 2]
        assert made.extents() == [4, 6, 8]

    def test_transpose_reads_permuted(self):
        x, out = values(tensor(4, 6, 8), tensor(8, 4, 6))
        made = linalg.TransposeOp.build(x, out, permutation=linalg_dims(2, 0, 1))
        verify(made)
        # result[i, j, k] = input[j, k, i], because extent i of the result is extent 2 of the input
        assert [m.dim_positions for m in made.indexing_maps()] == [(1, 2, 0), (0, 1, 2)]
        assert made.extents() == [8, 4, 6]
        assert made.inputs == (x,) and made.outputs == (out,)

    def test_broadcast_adds_dimensions(self):
        x, out = values(tensor(6), tensor(4, 6))
        made = linalg.BroadcastOp.build(x, out, dimensions=linalg_dims(0))
        verify(made)
        assert [m.dim_positions for m in made.indexing_maps()] == [(1,), (0, 1)]
        assert not made.reads_output()

    def test_scalars_of_elementwise_ops_stand_for_every_element(self):
        s, x = values(t.f32, tensor(4, 6))
        made = linalg.AddOp.build([s, x], [x])
        verify(made)
        assert [m.num_results for m in made.indexing_maps()] == [0, 2, 2]

    def test_generic_of(self):
        x, out = values(tensor(4, 6), tensor(4))

        def body(block, arguments):
            total = arith.AddFOp.build(arguments[1], arguments[0])
            block.append(total)
            return [total.result]

        rows = AffineMap(2, 0, [dim(0)])
        made = linalg.GenericOp.of(
            [x], [out], [AffineMap.identity(2), rows], ["parallel", "reduction"], body
        )
        verify(made)
        assert made.iterator_types() == ["parallel", "reduction"]
        assert made.indexing_map(1) is rows
        assert made.argument_operand(made.output_arguments[0]) is out

    def test_effects_are_those_of_memrefs(self):
        x, m = values(t.f32, t.MemRefType((4,), t.f32))
        assert effects(linalg.FillOp.build([x], [m])) == {"write"}
        assert effects(linalg.CopyOp.build([m], [m])) == {"read", "write"}
        assert effects(linalg.FillOp.build([x], [values(tensor(4))[0]])) == frozenset()


def linalg_dims(*numbers):
    from kt.ir.attributes import DenseArrayAttr

    return DenseArrayAttr.of(numbers, t.i64)


class TestImpliedBody:
    @pytest.mark.parametrize(
        ("cls", "element", "names"),
        [
            (linalg.AddOp, t.f32, ["arith.addf"]),
            (linalg.AddOp, t.i32, ["arith.addi"]),
            (linalg.AddOp, t.i1, ["arith.ori"]),
            (linalg.MulOp, t.i1, ["arith.andi"]),
            (linalg.DivOp, t.i32, ["arith.divsi"]),
            (linalg.DivUnsignedOp, t.i32, ["arith.divui"]),
            (linalg.MaxOp, t.f16, ["arith.maximumf"]),
            (linalg.MinOp, t.i32, ["arith.minsi"]),
            (linalg.PowFOp, t.f32, ["math.powf"]),
        ],
    )
    def test_binary(self, cls, element, names):
        x = values(tensor(4, element=element))[0]
        made = cls.build([x, x], [x])
        verify(made)
        assert body_names(made) == [*names, "linalg.yield"]

    @pytest.mark.parametrize(
        ("cls", "names"),
        [
            (linalg.ExpOp, ["math.exp"]),
            (linalg.SquareOp, ["arith.mulf"]),
            (linalg.ReciprocalOp, ["arith.constant", "arith.divf"]),
            (linalg.NegFOp, ["arith.negf"]),
        ],
    )
    def test_unary(self, cls, names):
        x = values(tensor(4))[0]
        made = cls.build([x], [x])
        verify(made)
        assert body_names(made) == [*names, "linalg.yield"]

    def test_integers_are_widened_by_sign(self):
        a, c = values(tensor(4, 4, element=t.i8), tensor(4, 4, element=t.i32))
        assert body_names(linalg.MatmulOp.build([a, a], [c]))[:2] == ["arith.extsi"] * 2
        unsigned = linalg.MatmulOp.build([a, a], [c], cast="cast_unsigned")
        assert body_names(unsigned)[:2] == ["arith.extui"] * 2

    def test_two_formats_of_one_width_meet_in_f32(self):
        a, c = values(tensor(4, element=t.f16), tensor(4, element=t.bf16))
        made = linalg.CopyOp.build([a], [c])
        verify(made)
        assert body_names(made) == ["arith.extf", "arith.truncf", "linalg.yield"]

    def test_another_body_is_a_contradiction(self):
        x = values(tensor(4))[0]
        made = linalg.AddOp.build([x, x], [x])
        assert made.has_implied_body
        old = made.body.first_op
        new = arith.MulFOp.build(*old.operands)
        made.body.insert_before(new, old)
        old.replace_with([new.result])
        assert not made.has_implied_body
        with pytest.raises(VerifyError, match="a body that its name doesn't stand for"):
            verify(made)
        verify(made, lenient=True)

    def test_a_copy_keeps_the_body(self):
        x = values(tensor(4))[0]
        copy = linalg.AddOp.build([x, x], [x]).clone()
        assert copy.has_implied_body and len(copy.regions) == 1


def test_contract_takes_its_loops_from_the_maps():
    a, c = values(tensor(4, 6), tensor(6))
    maps = [AffineMap.identity(2), AffineMap(2, 0, [dim(0)]), AffineMap(2, 0, [dim(1)])]
    w = values(tensor(4))[0]
    made = linalg.ContractOp.build([a, w], [c], maps=linalg.map_array(maps))
    verify(made)
    assert made.iterator_types() == ["reduction", "parallel"]


@pytest.mark.parametrize(
    "op",
    [
        "linalg.exp ins(%t : tensor<4xf32>) outs(%u : memref<*xf32>)",
        "linalg.add ins(%u, %u : memref<*xf32>, memref<*xf32>) outs(%u : memref<*xf32>)",
        "linalg.matmul ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%u : memref<*xf32>)",
        "linalg.fill ins(%s : f32) outs(%u : memref<*xf32>)",
        "linalg.reduce { arith.addf } ins(%u : memref<*xf32>) outs(%s : f32) dimensions = [0]",
        "linalg.map { math.exp } ins(%t : tensor<4xf32>) outs(%u : memref<*xf32>)",
        "linalg.broadcast ins(%t : tensor<4xf32>) outs(%u : memref<*xf32>) dimensions = [0]",
        "linalg.transpose ins(%t : tensor<4xf32>) outs(%u : memref<*xf32>) permutation = [0]",
        "linalg.pooling_nhwc_max ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%u : memref<*xf32>)",
        "linalg.softmax dimension(0) ins(%t : tensor<4xf32>) outs(%u : memref<*xf32>)",
    ],
)
def test_operands_have_a_rank(op):
    text = f"func.func @f(%t: tensor<4xf32>, %u: memref<*xf32>, %s: f32) {{\n  {op}\n  return\n}}"
    with pytest.raises(KtError, match="ranked tensor, memref or vector"):
        verify(parse_text(text))
