"""ktdp: rules of views, tiles, futures, and the queries that passes and executors use."""

from __future__ import annotations

import pytest
from refusals import rejection

from kt.ir import types as t
from kt.ir.affine import AffineMap, AffineSet, dim, sym
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayAttr,
    IntegerAttr,
    StridedLayoutAttr,
)
from kt.ir.core import Block, Region
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import ktdp
from kt.ir.verifier import verify

GLOBAL = ktdp.MemorySpaceAttr("global")
DYN = t.DYNAMIC


def box(*extents, symbols=0):
    return AffineSetAttr(AffineSet.box([(0, n) for n in extents], symbols))


def order(*dims):
    return AffineMapAttr(AffineMap.permutation(dims))


def memref(*shape, element=t.f16, **more):
    return t.MemRefType(shape, element, **more)


def view(sizes, strides, type, dynamic=(), dynamic_strides=(), **more):
    """A view at a block argument; sizes and strides may hold DYNAMIC."""
    block = Block([t.index])
    named = {"memory_space": GLOBAL, "coordinate_set": box(*(0 if n == DYN else n for n in sizes))}
    op = ktdp.ConstructMemoryViewOp.build(
        block.arguments[0],
        dynamic,
        dynamic_strides,
        static_sizes=DenseArrayAttr.of(sizes, t.i64),
        static_strides=DenseArrayAttr.of(strides, t.i64),
        result_types=[type],
        **{**named, **more},
    )
    block.append(op)
    return op


def tile(base, shape, *, space=None, permutation=None, subscripts=None, indices=(), symbols=()):
    rank = len(shape)
    return ktdp.ConstructAccessTileOp.build(
        base,
        indices,
        symbols,
        base_map=AffineMapAttr(subscripts or AffineMap.constant(*[0] * rank)),
        access_tile_set=space or box(*shape),
        access_tile_order=permutation or order(*range(rank)),
        result_types=[ktdp.AccessTileType(shape)],
    )


class TestTypes:
    def test_text(self):
        assert str(ktdp.MemorySpaceAttr("ct_local", 3)) == "#ktdp.memory_space<ct_local, ct_id = 3>"
        assert str(ktdp.AccessTileType((DYN, 6))) == "!ktdp.access_tile<?x6xindex>"
        assert str(ktdp.AccessTileType(())) == "!ktdp.access_tile<index>"
        assert (
            str(ktdp.RuntimeArgType(t.index, 16, 512))
            == "!ktdp.runtime_arg<index, granularity=16, upperbound=512>"
        )

    def test_own_scratchpad_is_no_tile(self):
        assert ktdp.MemorySpaceAttr("ct_local").tile is None
        assert ktdp.MemorySpaceAttr("ct_local", 0).tile == 0
        assert ktdp.MemorySpaceAttr("ct_local", 0) is not ktdp.MemorySpaceAttr("ct_local")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("HBM",), "expected one of [global, ct_local]"),
            (("global", 2), "ct_id is only valid for ct_local memory spaces"),
            (("ct_local", -4), "ct_id must be non-negative, but got: -4"),
        ],
    )
    def test_wrong_memory_space(self, arguments, message):
        with pytest.raises(ValueError) as caught:
            ktdp.MemorySpaceAttr(*arguments)
        assert str(caught.value).startswith(message)

    @pytest.mark.parametrize("bad", [{"granularity": 0}, {"upperbound": -3}])
    def test_promises_are_positive(self, bad):
        ((word, value),) = bad.items()
        with pytest.raises(
            ValueError, match=f"runtime_arg {word} must be positive, but got: {value}"
        ):
            ktdp.RuntimeArgType(t.index, **bad)

    def test_future_rules(self):
        tensor = t.TensorType((4,), t.f16)
        for partials, groups, message in (
            ((), AffineSet.box([(0, 2)]), "must carry at least one partial type"),
            ((tensor,), AffineSet.box([(0, 2), (0, 2)]), "must have exactly one dimension"),
            ((tensor,), AffineSet.box([(0, sym(0))], 1), "must have no symbols"),
            ((t.f16,), AffineSet.box([(0, 2)]), "must be ranked tensors"),
        ):
            with pytest.raises(ValueError, match=message):
                ktdp.TileFutureType(partials, AffineSetAttr(groups))


class TestMemoryView:
    def test_queries(self):
        block = Block([t.index, t.index])
        rows, pitch = block.arguments
        op = view(
            [DYN, 72],
            [DYN, 1],
            memref(DYN, 72),
            [rows],
            [pitch],
            coordinate_set=AffineSetAttr(AffineSet.box([(0, sym(0)), (8, 80)], 1)),
        )
        op.verify_()
        assert op.mixed_sizes == (rows, 72)
        assert op.mixed_strides == (pitch, 1)
        assert op.symbols == (rows,)
        assert op.origin == (0, 8)

    def test_origin_of_a_triangle(self):
        triangle = AffineSet(
            2, 0, [dim(0) - 3, 5 - dim(0), dim(1) - dim(0), 9 - dim(1)], [False] * 4
        )
        op = view([3, 7], [7, 1], memref(3, 7), coordinate_set=AffineSetAttr(triangle))
        assert op.origin == (3, 3)

    def test_structure(self):
        index = Block([t.index]).arguments[0]
        assert (
            rejection(view([9, 3], [1], memref(9)))
            == "static_sizes and static_strides must have equal length"
        )
        assert (
            rejection(view([9], [1], memref(9), [index]))
            == "number of dynamic size operands does not match kDynamic entries in static_sizes"
        )
        assert (
            rejection(view([9], [1], memref(9), (), [index]))
            == "number of dynamic stride operands does not match kDynamic entries in static_strides"
        )
        assert (
            rejection(view([9], [1], memref(3, 3)))
            == "result memref rank does not match sizes/strides length"
        )

    @pytest.mark.parametrize(
        ("sizes", "strides", "type", "more", "message"),
        [
            (
                [7, 4],
                [4, 1],
                memref(DYN, 99),
                {},
                "size #1 is 4 but extent #1 of the result memref is 99",
            ),
            ([-1], [1], memref(DYN), {}, "size #0 is negative: -1"),
            (
                [4],
                [1],
                memref(4, memory_space=ktdp.MemorySpaceAttr("ct_local")),
                {},
                "memory space of the view (#ktdp.memory_space<global>) differs from that of the "
                "result memref (#ktdp.memory_space<ct_local>)",
            ),
            (
                [4, 8],
                [8, 1],
                memref(4, 8, layout=StridedLayoutAttr((16, 1))),
                {},
                "stride #0 is 8 but stride #0 of the result memref is 16",
            ),
            (
                [4],
                [1],
                memref(4),
                {"coordinate_set": box(4, 4)},
                "coordinate_set dimensions (2) must match the rank of the view (1)",
            ),
            (
                [4],
                [1],
                memref(4),
                {"coordinate_set": box(sym(0), symbols=1)},
                "coordinate_set has 1 symbols but the view has 0 dynamic sizes",
            ),
            (
                [4],
                [1],
                memref(4),
                {"coordinate_set": box(5)},
                "coordinate_set spans 5 coordinates along dimension 0 but the view has 4",
            ),
        ],
    )
    def test_contradictions(self, sizes, strides, type, more, message):
        op = view(sizes, strides, type, **more)
        assert rejection(op) == f"strict: {message}"
        verify(op, lenient=True)

    def test_space_given_as_a_string_is_no_contradiction(self):
        from kt.ir.attributes import StringAttr

        assert rejection(view([4], [1], memref(4, memory_space=StringAttr("MAIN")))) is None

    def test_distributed(self):
        block = Block([memref(4, 4), memref(4, 4, element=t.f32), memref(4)])
        a, b, c = block.arguments

        def made(partitions, type):
            return ktdp.ConstructDistributedMemoryViewOp.build(partitions, result_types=[type])

        made([a, a], memref(8, 4)).verify_()
        made([], memref(8, 4)).verify_()
        assert (
            rejection(made([a, b], memref(8, 4)))
            == "all input memrefs must have the same element type as the result"
        )
        assert (
            rejection(made([a, c], memref(8, 4)))
            == "all input memrefs must have the same rank as the result"
        )
        assert (
            rejection(made([a], memref(8, 3)))
            == "strict: partition #0 has 4 coordinates along dimension 1 but the result has 3"
        )


class TestAccessTile:
    def test_transposed_tile(self):
        base = Block([memref(40, 24)]).arguments[0]
        op = tile(base, (12, 8), space=box(8, 12), permutation=order(1, 0))
        op.verify_()
        assert op.permutation == (1, 0)
        assert op.extents() == (12, 8)
        assert op.box == ((0, 8), (0, 12))

    def test_symbolic_extent_is_unknown(self):
        base, n = Block([memref(40, 24), t.index]).arguments
        op = tile(base, (DYN, 6), space=box(sym(0), 6, symbols=1), symbols=[n])
        op.verify_()
        assert op.extents() == (None, 6)
        assert op.box is None

    def test_triangle_has_no_extents(self):
        base = Block([memref(40, 24)]).arguments[0]
        triangle = AffineSet(2, 0, [dim(0), 7 - dim(0), dim(1), dim(0) - dim(1)], [False] * 4)
        assert rejection(tile(base, (8, 8), space=AffineSetAttr(triangle))) is None

    def test_structure(self):
        base, n = Block([memref(40, 24), t.index]).arguments
        assert (
            rejection(tile(base, (8, 8), subscripts=AffineMap.constant(0)))
            == "access_tile_set dimensions (2) must match base_map dims (1)"
        )
        assert (
            rejection(tile(base, (8, 8), subscripts=AffineMap.identity(2), indices=[n]))
            == "base_map expects 2 operands but got 1"
        )
        assert (
            rejection(tile(base, (8, 8), permutation=AffineMapAttr(AffineMap(2, 0, [dim(0)]))))
            == "access_tile_order must have equal number of inputs (2) and outputs (1)"
        )
        assert (
            rejection(tile(base, (8, 8), permutation=order(0)))
            == "access_tile_order dimensions (1) must match access_tile_set dimensions (2)"
        )
        assert (
            rejection(
                tile(
                    base,
                    (8,),
                    space=box(8, 8),
                    permutation=order(0, 1),
                    subscripts=AffineMap.constant(0, 0),
                )
            )
            == "result type rank (1) must match access_tile_set dimensions (2)"
        )
        assert (
            rejection(tile(base, (8, 8), symbols=[n]))
            == "access_tile_set has 0 symbols but got 1 symbol operands"
        )

    def test_contradictions(self):
        base = Block([memref(40, 24)]).arguments[0]
        assert (
            rejection(tile(base, (8,)))
            == "strict: number of subscripts (1) must match base rank (2)"
        )
        assert (
            rejection(
                tile(base, (8, 8), permutation=AffineMapAttr(AffineMap(2, 0, [dim(0), dim(0)])))
            )
            == "strict: the order of the points must be a permutation, but is (d0, d1) -> (d0, d0)"
        )
        assert (
            rejection(tile(base, (8, 12), space=box(8, 12), permutation=order(1, 0)))
            == "strict: the set has 12 points along axis 0 of the tile, but the result type has 8"
        )

    def test_load_and_store(self):
        base = Block([memref(40, 24)]).arguments[0]
        made = tile(base, (8, 12))

        def load(type):
            return ktdp.LoadOp.build(made, result_types=[type])

        load(t.TensorType((8, 12), t.f16)).verify_()
        assert rejection(load(t.UnrankedTensorType(t.f16))) == "result must be a ranked tensor"
        assert (
            rejection(load(t.TensorType((8, 13), t.f16)))
            == "access tile shape must match result tensor shape"
        )
        message = "element type of the tensor ('f32') must match that of the view ('f16')"
        assert rejection(load(t.TensorType((8, 12), t.f32))) == f"strict: {message}"
        wide = Block([t.TensorType((8, 12), t.f32), t.TensorType((96,), t.f16)]).arguments
        assert rejection(ktdp.StoreOp.build(wide[0], made)) == f"strict: {message}"
        assert (
            rejection(ktdp.StoreOp.build(wide[1], made))
            == "data tile shape must match access tile shape"
        )

    def test_dynamic_shapes_must_agree_as_such(self):
        argument = Block([ktdp.AccessTileType((DYN, 4))]).arguments[0]
        load = ktdp.LoadOp.build(argument, result_types=[t.TensorType((8, 4), t.f16)])
        assert rejection(load) == "access tile shape must match result tensor shape"


class TestIndirectTile:
    def made(
        self,
        kinds,
        maps,
        *,
        shape=(8, 8),
        variables=2,
        captured=(),
        index_type=memref(8, element=t.i32),
        **more,
    ):
        block = Block([memref(8, 8), index_type, t.index])
        named = {
            "variables_space_set": box(*shape),
            "variables_space_order": order(*range(len(shape))),
            **more,
        }
        return ktdp.ConstructIndirectAccessTileOp.build(
            block.arguments[0],
            [block.arguments[1]] * sum(kinds),
            captured,
            (),
            per_dim_subscript_kinds=ArrayAttr([IntegerAttr(int(k), t.i1) for k in kinds]),
            per_dim_subscript_maps=ArrayAttr([AffineMapAttr(m) for m in maps]),
            result_types=[ktdp.AccessTileType(shape)],
            regions=[Region([Block([t.index] * variables, [ktdp.RegionTerminatorOp.build()])])],
            **named,
        )

    def test_subscripts(self):
        row, column = AffineMap(2, 0, [dim(0)]), AffineMap(2, 0, [dim(1)])
        op = self.made([True, False], [row, column])
        op.verify_()
        assert list(op.subscripts()) == [(op.index_views[0], row), (None, column)]
        assert op.num_variables == 2
        assert op.extents() == (8, 8)

    def test_rules(self):
        row, column, both = (AffineMap(2, 0, r) for r in ([dim(0)], [dim(1)], [dim(0), dim(1)]))
        assert (
            rejection(self.made([True, False], [both, column]))
            == "indirect subscript map for dimension 0 produces 2 results, but indirect memref has rank 1"
        )
        assert (
            rejection(self.made([True, False], [row, both]))
            == "direct subscript map for dimension 1 must produce exactly 1 result, but produces 2"
        )
        assert (
            rejection(self.made([True], [row]))
            == "number of subscripts (1) must match base rank (2)"
        )
        assert (
            rejection(self.made([True, False], [row, column], variables_space_set=box(8)))
            == "variables_space_set dimensions (1) must match variables_space_order inputs (2)"
        )
        assert (
            rejection(self.made([True, False], [row, column], variables=1))
            == "number of intermediate variables (1) must match variables_space_set dimensions (2)"
        )
        assert rejection(self.made([True, False], [row, AffineMap(3, 0, [dim(2)])])) == (
            "subscript map for dimension 1 must have 2 dims and no symbols, "
            "but is (d0, d1, d2) -> (d2)"
        )
        assert (
            rejection(self.made([True, False], [row, column], index_type=memref(8)))
            == "strict: index memref #0 must have integer elements, but has 'f16'"
        )


class TestRuntimeArg:
    def extract(self, what, type, result):
        number = ("value", "granularity", "upperbound").index(what)
        argument = Block([type]).arguments[0]
        return ktdp.RuntimeArgExtractOp.build(
            argument, kind=IntegerAttr(number, t.i32), result_types=[result]
        )

    def test_promises_are_constants(self):
        type = ktdp.RuntimeArgType(t.index, 16, 512)
        assert self.extract("value", type, t.index).constant is None
        assert self.extract("granularity", type, t.index).constant == 16
        assert self.extract("upperbound", type, t.index).constant == 512

    def test_rules(self):
        assert (
            rejection(self.extract("granularity", ktdp.RuntimeArgType(t.i32), t.index))
            == "cannot extract granularity from runtime_arg that doesn't have one"
        )
        assert (
            rejection(self.extract("value", ktdp.RuntimeArgType(t.i32), t.index))
            == "result type ('index') must match runtime_arg underlying type ('i32') when extracting value"
        )
        assert (
            rejection(self.extract("upperbound", ktdp.RuntimeArgType(t.i32, upperbound=9), t.i32))
            == "result type must be index when extracting upperbound, but got 'i32'"
        )


def test_tile_id_needs_a_dimension():
    assert (
        rejection(ktdp.GetComputeTileIdOp.build(result_types=[]))
        == "must return at least one index (num tile-grid dims >= 1)"
    )
    with pytest.raises(VerifyError, match="result #0 must be variadic of index, but got 'i32'"):
        verify(ktdp.GetComputeTileIdOp.build(result_types=[t.i32]))
