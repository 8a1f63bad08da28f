"""ktdf: rules of FIFOs, transfers, pipelines and instances, and the queries of passes."""

from __future__ import annotations

import pytest
from refusals import refusal

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.attributes import (
    AffineMapAttr,
    DenseArrayAttr,
    IntegerAttr,
    StringAttr,
)
from kt.ir.core import Block
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import ktdf
from kt.ir.verifier import verify

DYN = t.DYNAMIC


def slot(count=8, element=t.f16, source="FEED", destination="VPU"):
    return ktdf.FifoSlotType(StringAttr(source), StringAttr(destination), count, element)


def argument(type):
    return Block([type]).arguments[0]


class TestTypes:
    def test_parts_of_a_slot(self):
        made = slot(DYN)
        assert made.count == DYN
        assert made.channel == (StringAttr("FEED"), StringAttr("VPU"))
        assert t.element_type_of(made) is t.f16
        assert slot(8).channel == made.channel

    @pytest.mark.parametrize("count", [0, -1])
    def test_a_slot_holds_something(self, count):
        with pytest.raises(
            ValueError, match=f"a FIFO slot holds at least one element, got {count}"
        ):
            slot(count)

    def test_loop_type(self):
        assert str(ktdf.REDUCTION_LOOP) == "#ktdf.loop_type<reduction_loop>"
        with pytest.raises(ValueError, match="to be one of: parallel_loop, reduction_loop"):
            ktdf.LoopTypeAttr("vector_loop")


class TestFifo:
    def test_allocate_counts_dynamic_slots(self):
        n = argument(t.index)
        op = ktdf.FifoAllocateOp.build([n], result_types=[slot(DYN), slot(16)])
        verify(op)
        assert op.mixed_sizes() == (n, 16)
        assert refusal(ktdf.FifoAllocateOp.build([n], result_types=[slot(16)])) == (
            "number of dynamic size operands (1) must match number of dynamic sizes in result types "
            "(0)"
        )

    @pytest.mark.parametrize(
        ("count", "data", "message"),
        [
            (
                8,
                t.TensorType((8,), t.f32),
                "failed to verify that all of {%s} have same element type",
            ),
            (
                8,
                t.TensorType((DYN,), t.f16),
                "FIFO slot and data must both be dynamic or both be static",
            ),
            (
                DYN,
                t.TensorType((8,), t.f16),
                "FIFO slot and data must both be dynamic or both be static",
            ),
            (
                8,
                t.MemRefType((3, 3), t.f16),
                "data total elements (9) must match FIFO slot size (8)",
            ),
        ],
    )
    def test_amounts(self, count, data, message):
        source, value = argument(slot(count)), argument(data)
        read = ktdf.ReadFromFifoOp.build(source, result_types=[data])
        write = ktdf.WriteToFifoOp.build(value, source)
        assert refusal(read) == message.replace("%s", "fifo_slot, result")
        assert refusal(write) == message.replace("%s", "data, fifo_slot")

    def test_shape_is_free(self):
        assert (
            refusal(
                ktdf.ReadFromFifoOp.build(
                    argument(slot(8)), result_types=[t.TensorType((2, 4), t.f16)]
                )
            )
            is None
        )
        assert (
            refusal(
                ktdf.ReadFromFifoOp.build(
                    argument(slot(DYN)), result_types=[t.MemRefType((DYN, 4), t.f16)]
                )
            )
            is None
        )

    def test_no_vectors(self):
        assert refusal(
            ktdf.ReadFromFifoOp.build(argument(slot(8)), result_types=[t.VectorType((8,), t.f16)])
        ) == (
            "result #0 must be ranked tensor of any type values or memref of any type values, "
            "but got 'vector<8xf16>'"
        )


class TestTiling:
    def test_pairs(self):
        i, j, a, b, n = Block([t.index] * 5).arguments
        op = ktdf.DeriveSizeOp.build([i, j], [a, b], n)
        verify(op)
        assert op.operands == (i, j, a, b, n)
        assert op.pairs == ((i, a), (j, b))
        assert op.total_size is n
        flat = ktdf.LinearizeIndexOp.build([i, j], [a, b])
        assert flat.pairs == ((i, a), (j, b))

    def test_at_least_one_pair(self):
        n = argument(t.index)
        assert (
            refusal(ktdf.DeriveSizeOp.build([], [], n))
            == "must have at least one [iv : tile_size] pair"
        )
        assert (
            refusal(ktdf.LinearizeIndexOp.build([], []))
            == "must have at least one [iv : stride] pair"
        )

    def test_odd_and_even_operand_counts(self):
        i, j, a, b = Block([t.index] * 4).arguments
        for wrong in (
            ktdf.DeriveSizeOp(operands=(i, j, a, b), result_types=(t.index,)),
            ktdf.LinearizeIndexOp(operands=(i, j, a), result_types=(t.index,)),
        ):
            with pytest.raises(VerifyError, match="does not match its variadic operand size"):
                verify(wrong)

    def test_reserve_size_attributes(self):
        assert (
            refusal(ktdf.ReserveSizeOp.build(min_value=IntegerAttr(4, t.index)))
            == "requires attribute 'divisibility'"
        )
        assert (
            refusal(
                ktdf.ReserveSizeOp.build(
                    divisibility=IntegerAttr(4, t.index), min_value=IntegerAttr(4, t.i64)
                )
            )
            == "attribute 'min_value' failed to satisfy constraint: index attribute"
        )

    def test_buffer_phase(self):
        i = argument(t.index)
        assert (
            refusal(ktdf.BufferPhaseOp.build([], num_phases=2))
            == "requires at least one induction variable operand"
        )
        assert refusal(ktdf.BufferPhaseOp.build([i], num_phases=1)) == (
            "attribute 'num_phases' failed to satisfy constraint: 64-bit signless integer attribute "
            "whose minimum value is 2"
        )

    def test_select_memref(self):
        i, a, b, other = Block(
            [
                t.index,
                t.MemRefType((4,), t.f16),
                t.MemRefType((4,), t.f16),
                t.MemRefType((5,), t.f16),
            ]
        ).arguments
        phase = ktdf.BufferPhaseOp.build([i], num_phases=2)
        op = ktdf.SelectMemrefOp.build(phase, [a, b])
        assert op.selected.type is a.type
        verify(op)
        assert (
            refusal(ktdf.SelectMemrefOp.build(i, [a]))
            == "requires at least 2 candidate memrefs, got 1"
        )
        assert (
            refusal(ktdf.SelectMemrefOp.build(phase, [a, b, a]))
            == "phase op num_phases (2) must equal candidate count (3)"
        )
        assert (
            refusal(ktdf.SelectMemrefOp.build(i, [a, other]))
            == "candidate #1 has type 'memref<5xf16>' but the result has 'memref<4xf16>'"
        )


class TestTransfer:
    memory = t.MemRefType((32, 16), t.f16)

    def made(self, source, dest, **more):
        """Sides are (value, map, indices, static sizes, dynamic sizes) with Nones for absent parts."""
        named = dict(more)
        operands = []
        for word, (value, map, indices, static, dynamic) in (("source", source), ("dest", dest)):
            operands += [value, indices, dynamic]
            if map is not None:
                named[f"{word}_map"] = AffineMapAttr(map)
            if static is not None:
                named[f"static_{word}_sizes"] = DenseArrayAttr.of(static, t.i64)
        return ktdf.DataTransferOp.build(*operands, **named)

    def box(self, map=None, indices=(), static=(1, 8), dynamic=()):
        return (argument(self.memory), map or AffineMap.constant(0, 0), indices, static, dynamic)

    def fifo(self, static=(8,), count=8):
        return (argument(slot(count)), None, (), static, ())

    def test_sides(self):
        i, j, n = Block([t.index] * 3).arguments
        map = AffineMap(2, 0, [dim(0), dim(1) * 2 + 1])
        op = self.made(self.box(map, [i, j], (1, DYN), [n]), self.fifo())
        verify(op)
        assert op.source_side.sizes == (1, n)
        assert op.source_side.indices == (i, j)
        assert op.source_side.map is map
        assert op.source_side.static_count() is None
        assert op.dest_side.is_fifo
        assert op.dest_side.static_count() == 8
        assert op.side_of(op.destination).sizes == (8,)
        assert op.transfer_mode is None

    def test_size_of_a_slot_is_its_capacity_unless_written(self):
        op = self.made(self.box(), self.fifo(None))
        verify(op)
        assert op.dest_side.sizes is None
        assert op.dest_side.static_count() == 8

    def test_rules(self):
        i = argument(t.index)
        assert (
            refusal(self.made((argument(self.memory), None, (), None, ()), self.fifo()))
            == "source_map must be present when source is a memref"
        )
        assert (
            refusal(self.made(self.box(AffineMap(1, 1, [0, 0]), [i, i]), self.fifo()))
            == "source_map must have 0 symbols (dims-only); got 1"
        )
        assert (
            refusal(self.made(self.fifo(), self.box(AffineMap.constant(0))))
            == "dest memref has rank 2 but dest_map has 1 results"
        )
        assert (
            refusal(self.made(self.box(AffineMap.identity(2), [i]), self.fifo()))
            == "source_indices count (1) must match source_map dim count (2)"
        )
        assert (
            refusal(self.made(self.box(static=(8,)), self.fifo()))
            == "source size count (1) must match memref rank (2)"
        )
        assert (
            refusal(self.made(self.box(), (argument(slot()), AffineMap.constant(0), (), None, ())))
            == "dest_map must be absent for fifo dest"
        )
        assert (
            refusal(self.made(self.box(), (argument(slot()), None, [i], None, ())))
            == "FIFO slot dest cannot have indices specified"
        )
        assert refusal(self.made(self.box(static=(DYN, 8)), self.fifo())) == (
            "number of dynamic source sizes (0) must match number of dynamic entries in "
            "static_source_sizes (1)"
        )
        wide = (argument(slot(8, t.f32)), None, (), None, ())
        assert (
            refusal(self.made(self.box(), wide))
            == "failed to verify that all of {source, destination} have same element type"
        )

    def test_contradictions(self):
        assert (
            refusal(self.made(self.fifo(), self.fifo()))
            == "strict: moves from one FIFO slot to another"
        )
        assert (
            refusal(self.made(self.box(static=(1, 16)), self.fifo((16,))))
            == "strict: dest size (16 elements) exceeds the FIFO slot (8)"
        )
        assert (
            refusal(self.made(self.box(static=(2, 8)), self.fifo()))
            == "strict: source size (16 elements) differs from dest size (8)"
        )
        assert (
            refusal(self.made(self.fifo((8,), 32), self.box(static=(1, 17))))
            == "strict: dest size #1 (17) exceeds extent 16 of the memref"
        )
        assert (
            refusal(self.made(self.box(static=(1, -2)), self.fifo()))
            == "strict: source size #1 is negative: -2"
        )

    def test_mode(self):
        op = self.made(
            self.box(static=(1, 1)), self.fifo(), attributes={"transfer_mode": StringAttr("splat")}
        )
        assert op.transfer_mode == "splat"
        verify(op)


class TestOpaque:
    def made(self, outputs, results):
        return ktdf.OpaqueOp.build(
            [], [argument(o) for o in outputs], template_name="FMA8", result_types=results
        )

    def test_destination_style(self):
        tensor, memory = t.TensorType((8,), t.f16), t.MemRefType((8,), t.f16)
        verify(self.made([tensor, memory], [tensor]))
        assert (
            refusal(self.made([memory], [tensor]))
            == "expected the number of tensor results (1) to be equal to the number of output tensors (0)"
        )
        assert refusal(self.made([tensor], [t.TensorType((4,), t.f16)])) == (
            "expected type of operand #0 ('tensor<8xf16>') to match type of corresponding result "
            "('tensor<4xf16>')"
        )
        assert (
            refusal(self.made([t.VectorType((8,), t.f16)], []))
            == "expected that operand #0 is a tensor or a memref"
        )
