"""ktdf structure: rules of pipelines, stages, private resources and instances, and their queries."""

from __future__ import annotations

import pytest
from refusals import refusal

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, StringAttr
from kt.ir.core import Block, Region
from kt.ir.diagnostics import VerifyError
from kt.ir.dialects import ktdf
from kt.ir.verifier import verify


def argument(type):
    return Block([type]).arguments[0]


def stage(ins=(), outs=(), ops=(), units=None):
    named = {} if units is None else {"applicable_units": ArrayAttr([StringAttr(u) for u in units])}
    return ktdf.StageOp.build(ins, outs, regions=[Region([Block((), ops)])], **named)


def pipeline(*ops, modulo=None):
    return ktdf.PipelineOp.build(modulo=modulo, regions=[Region([Block((), ops)])])


def private(*values, inner=(), types=None):
    end = ktdf.PrivateYieldOp.build(values)
    return ktdf.PrivateOp.build(
        result_types=types or [v.type for v in values], regions=[Region([Block((), [*inner, end])])]
    )


class TestPipeline:
    def chain(self, count):
        """Tokens of a private op and stages in a chain over them."""
        made = [ktdf.CreateTokenOp.build() for _ in range(count)]
        resources = private(*(op.result for op in made), inner=made)
        tokens = resources.results
        return resources, [
            stage(tokens[i - 1 : i] if i else (), tokens[i : i + 1]) for i in range(count + 1)
        ]

    def test_queries(self):
        resources, stages = self.chain(2)
        op = pipeline(resources, *stages, modulo=2)
        verify(op)
        assert op.private is resources
        assert op.stages == stages
        assert op.num_copies == 2
        assert op.edges() == [(stages[0], stages[1]), (stages[1], stages[2])]
        assert resources.inner_value(resources.results[1]) is resources.yielded[1]
        assert pipeline().num_copies == 1

    def test_order_is_the_token_graph(self):
        resources, stages = self.chain(3)
        op = pipeline(resources, *reversed(stages))
        assert op.ordered_stages() == stages

    def test_free_choice_follows_the_text(self):
        first, second = stage(), stage()
        assert pipeline(second, first).ordered_stages() == [second, first]

    def test_cycle(self):
        made = [ktdf.CreateTokenOp.build() for _ in range(2)]
        resources = private(*(op.result for op in made), inner=made)
        a, b = resources.results
        op = pipeline(resources, stage([b], [a]), stage([a], [b]))
        verify(op)
        with pytest.raises(VerifyError, match="Circular token dependency detected in pipeline"):
            op.ordered_stages()

    def test_children(self):
        op = pipeline(ktdf.CreateTokenOp.build())
        with pytest.raises(VerifyError) as caught:
            verify(op)
        assert caught.value.message == (
            "'ktdf.pipeline' op immediate children must be 'ktdf.stage' or 'ktdf.private' ops"
        )
        assert caught.value.notes[0].message == "found 'ktdf.create_token' op"
        assert (
            refusal(pipeline(private(), private()))
            == "at most one immediate 'ktdf.private' child is allowed"
        )

    def test_modulo(self):
        assert refusal(pipeline(modulo=0)) == (
            "attribute 'modulo' failed to satisfy constraint: 64-bit signless integer attribute "
            "whose minimum value is 1"
        )

    def test_stage_stands_in_a_pipeline(self):
        alone = stage()
        Block((), [alone])
        other = pipeline(stage(ops=[stage()]))
        with pytest.raises(
            VerifyError, match=r"'ktdf\.stage' op expects parent op 'ktdf\.pipeline'"
        ):
            verify(other)

    @pytest.mark.parametrize("word", ["in", "out"])
    def test_origin_of_tokens(self, word):
        token = argument(ktdf.token)
        wrong = stage(**{f"{word}s": [token]})
        with pytest.raises(VerifyError) as caught:
            wrong.verify_()
        assert caught.value.message == (
            f"'ktdf.stage' op depends_{word} operand must originate from ktdf.create_token or "
            "ktdf.private operation yielding a token created by ktdf.create_token"
        )

    def test_a_token_has_one_producer(self):
        token = ktdf.CreateTokenOp.build()
        first, second = stage(outs=[token.result]), stage(outs=[token.result])
        block = Block((), [token])
        block.append(pipeline(first, second))
        with pytest.raises(VerifyError) as caught:
            second.verify_()
        assert caught.value.code == "strict"
        assert caught.value.message.endswith("depends_out token is completed by another stage too")

    def test_nested_pipelines(self):
        innermost = pipeline(stage())
        inner = pipeline(stage(ops=[innermost]))
        coarse = stage(ops=[inner], units=["FEED", "VPU"])
        pipeline(coarse)
        assert coarse.nested_pipelines() == [inner]
        assert not coarse.is_leaf
        assert innermost.stages[0].is_leaf
        assert coarse.unit_names == ("FEED", "VPU")
        assert stage().units == ()

    def test_scope(self):
        from kt.ir import registry

        if not registry.load_dialect("scf"):
            pytest.skip("the scf dialect isn't there yet")
        bound = argument(t.index)

        def loop(*ops):
            end = registry.OPS["scf.yield"].build([])
            body = Block([t.index], [*ops, end])
            return registry.OPS["scf.for"](operands=(bound,) * 3, regions=[Region([body])])

        op = pipeline()
        inner = loop(op)
        outer = loop(inner)
        stage(ops=[outer])
        assert op.scope == [outer, inner]
        sibling = pipeline()
        outer.body.insert_before(sibling, inner)
        assert op.scope == [inner]
        assert sibling.scope == []

    def test_private_yield_matches_the_results(self):
        token = ktdf.CreateTokenOp.build()
        edge = "along control flow edge from Operation ktdf.private_yield to parent: "
        assert (
            refusal(private(types=[ktdf.token]))
            == f"{edge}region branch point has 0 operands, but region successor needs 1 inputs"
        )
        assert refusal(private(token.result, inner=[token], types=[t.index])) == (
            f"{edge}successor operand type #0 '!ktdf.token' should match successor input type #0 "
            "'index'"
        )


class TestParallel:
    def made(self, count=1, instances=2, arguments=None, end=True):
        bounds = Block([t.index] * 3).arguments
        body = Block([t.index] * (count + 1) if arguments is None else arguments)
        if end:
            body.append(ktdf.ParallelYieldOp.build())
        return ktdf.ParallelOp.build(
            *([bound] * count for bound in bounds),
            num_instances=instances,
            regions=[Region([body])],
        )

    def test_queries(self):
        op = self.made(2)
        verify(op)
        assert op.induction_variables == op.body.arguments[:2]
        assert op.instance_id is op.body.arguments[2]
        assert list(op.ranges) == list(zip(op.lower_bounds, op.upper_bounds, op.steps, strict=True))

    def test_rules(self):
        for op, message in (
            (self.made(0), "expected at least one induction variable"),
            (self.made(instances=0), "expected num_instances >= 1, got 0"),
            (
                self.made(2, arguments=[t.index]),
                "expected 3 block arguments (one per induction variable plus the instance id), got 1",
            ),
            (
                self.made(arguments=[t.index, t.i32]),
                "all block arguments (induction variables and instance id) must be of type index",
            ),
            (self.made(end=False), "expects a non-empty block"),
        ):
            with pytest.raises(VerifyError) as caught:
                op.verify_()
            assert caught.value.message == f"'ktdf.parallel' op {message}"
