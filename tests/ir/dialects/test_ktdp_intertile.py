"""ktdp between tiles: rules of produce, consume and reduce, and who exchanges with whom."""

from __future__ import annotations

from refusals import rejection

from kt.ir import types as t
from kt.ir.affine import AffineSet, dim, sym
from kt.ir.attributes import AffineSetAttr
from kt.ir.core import Block, Region
from kt.ir.dialects import ktdp


class TestInterTile:
    tensor = t.TensorType((4,), t.f32)
    two_groups = AffineSetAttr(AffineSet.box([(0, 2)]))
    quad = AffineSetAttr(
        AffineSet(1, 1, [dim(0) - sym(0) * 4, sym(0) * 4 + 3 - dim(0)], [False] * 2)
    )

    def produce(self, producers=None, arguments=(t.index,), yielded=1):
        value = Block([self.tensor]).arguments[0]
        body = Block(arguments, [ktdp.YieldPartialOp.build([value] * yielded)])
        return ktdp.InterTileProduceOp.build(
            producer_tiles_per_group=producers or self.quad,
            result_types=[ktdp.TileFutureType((self.tensor,), self.two_groups)],
            regions=[Region([body])],
        )

    def test_who_produces_and_consumes(self):
        made = self.produce()
        made.verify_()
        assert made.group_numbers() == (0, 1)
        assert made.producers(1) == (4, 5, 6, 7)
        mirror = AffineSetAttr(AffineSet(1, 2, [dim(0) + sym(0) - sym(1) * 8 - 3], [True]))
        consume = ktdp.InterTileConsumeOp.build(
            made,
            consumer_tiles_per_group=self.quad,
            producer_dependency_per_consumer=mirror,
            result_types=[self.tensor],
        )
        consume.verify_()
        assert consume.produced_by is made
        assert consume.consumers(0) == (0, 1, 2, 3)
        assert consume.dependencies(1, 0) == (2,)
        assert consume.dependencies(4, 1) == (7,)

    def test_without_dependency_set_all_producers_are_needed(self):
        consume = ktdp.InterTileConsumeOp.build(
            self.produce(), consumer_tiles_per_group=self.quad, result_types=[self.tensor]
        )
        assert consume.dependencies(5, 1) == (4, 5, 6, 7)

    def test_produce_rules(self):
        shared = AffineSetAttr(AffineSet(1, 1, [dim(0) - sym(0), sym(0) + 1 - dim(0)], [False] * 2))
        assert (
            rejection(self.produce(shared))
            == "producer_tiles_per_group for groups 0 and 1 are not disjoint"
        )
        assert (
            rejection(self.produce(arguments=()))
            == "producer region must take a single `index` group-id argument"
        )
        assert (
            rejection(self.produce(AffineSetAttr(AffineSet.box([(0, 1)]))))
            == "`producer_tiles_per_group` must have exactly one symbol (the group index g)"
        )
        assert (
            rejection(self.produce(yielded=2))
            == "yield_partial yields 2 values but the future carries 1 partial type(s)"
        )

    def test_unbounded_tile_set_is_not_listed(self):
        assert (
            rejection(self.produce(AffineSetAttr(AffineSet(1, 1, [dim(0) - sym(0) * 4], [False]))))
            is None
        )

    def reduce(self, *, arguments=None, result=None, identity=None):
        values = Block([identity or self.tensor]).arguments
        body = Block(arguments or [self.tensor] * 2)
        body.append(ktdp.YieldReducedOp.build([body.arguments[0]]))
        return ktdp.InterTileReduceOp.build(
            self.produce(),
            [values[0]],
            consumer_tiles_per_group=self.quad,
            result_types=[result or self.tensor],
            regions=[Region([body])],
        )

    def test_reduce_rules(self):
        self.reduce().verify_()
        row = t.TensorType((1, 4), t.f32)
        assert (
            rejection(self.reduce(result=row))
            == "failed to verify that result types must match future partial types"
        )
        assert (
            rejection(self.reduce(identity=row))
            == "failed to verify that identity types must match result types"
        )
        assert (
            rejection(self.reduce(arguments=[self.tensor]))
            == "reducer region must take 2*1 arguments, got 1"
        )
        assert rejection(self.reduce(arguments=[row, self.tensor])) == (
            "reducer argument #0 type 'tensor<1x4xf32>' does not match future partial type "
            "'tensor<4xf32>'"
        )

    def test_dependency_set_arity(self):
        consume = ktdp.InterTileConsumeOp.build(
            self.produce(),
            consumer_tiles_per_group=self.quad,
            producer_dependency_per_consumer=AffineSetAttr(AffineSet.box([(0, 1)])),
            result_types=[self.tensor],
        )
        assert (
            rejection(consume)
            == "`producer_dependency_per_consumer` must have one symbol (c) or two symbols (c, g)"
        )
