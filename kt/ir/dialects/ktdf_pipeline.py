"""`ktdf` structure: pipelines of stages, their private resources, parallel instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.constraints import ANY_TYPE, INDEX, integer_attr
from kt.ir.core import Operation, OpResult, Region, Value
from kt.ir.diagnostics import Note
from kt.ir.dialects.ktdf_tiling import CreateTokenOp
from kt.ir.dialects.ktdf_types import TOKEN
from kt.ir.opdef import attr, optional_attr, region, variadic_operand, variadic_result
from kt.ir.traits import (
    AttrSizedOperands,
    HasParent,
    ImplicitTerminator,
    NoTerminator,
    Pure,
    ReturnLike,
    SameVariadicOperandSize,
    SingleBlock,
    Terminator,
)

if TYPE_CHECKING:
    from kt.ir.core import BlockArgument


class PipelineOp(Operation):
    """Stages that overlap between the iterations of the loops around the pipeline.

    Order within an iteration is the token graph, not the text. ``modulo`` is the number of copies
    of the private resources that iterations use in turn.
    """

    name = "ktdf.pipeline"
    traits = (SingleBlock(), NoTerminator())
    assembly_format = "(`modulo` `(` `size` `:` $modulo^ `)`)? $stage_region attr-dict"
    modulo: IntegerAttr | None = optional_attr(
        integer_attr(t.i64, "64-bit signless integer attribute whose minimum value is 1", 1)
    )
    stage_region: Region = region(single_block=True)

    @property
    def private(self) -> PrivateOp | None:
        """The op that makes the private resources, if there is one."""
        return next((op for op in self.body.ops if isinstance(op, PrivateOp)), None)

    @property
    def stages(self) -> list[StageOp]:
        """The stages in textual order."""
        return [op for op in self.body.ops if isinstance(op, StageOp)]

    @property
    def num_copies(self) -> int:
        """How many copies of the private resources there are: ``modulo``, or 1."""
        return 1 if self.modulo is None else self.modulo.value

    @property
    def scope(self) -> list[Operation]:
        """Loops over which consecutive executions overlap, outermost first.

        The chain of ``scf.for`` around the pipeline, up to another kind of op or a loop that holds
        a pipeline outside the chain.
        """
        loops: list[Operation] = []
        inner: Operation = self
        op = self.parent_op
        while op is not None and op.name == "scf.for":
            if any(_has_pipeline(other) for other in op.body.ops if other is not inner):
                break
            loops.append(op)
            inner, op = op, op.parent_op
        return loops[::-1]

    def edges(self) -> list[tuple[StageOp, StageOp]]:
        """(before, after) pairs from the tokens, ordered by the later stage, without repetition."""
        stages = self.stages
        producer = {token: stage for stage in stages for token in stage.depends_out}
        found = dict.fromkeys(
            (producer[token], stage)
            for stage in stages
            for token in stage.depends_in
            if token in producer
        )
        return list(found)

    def ordered_stages(self) -> list[StageOp]:
        """Stages in an order that the tokens allow, textual where they leave a choice.

        Raises VerifyError at a stage that waits for itself through others.
        """
        waiting = {stage: 0 for stage in self.stages}
        after: dict[StageOp, list[StageOp]] = {stage: [] for stage in waiting}
        for before, later in self.edges():
            waiting[later] += 1
            after[before].append(later)
        ready = [stage for stage, count in waiting.items() if not count]
        done: list[StageOp] = []
        for stage in ready:  # grows while it is walked
            done.append(stage)
            for later in after[stage]:
                waiting[later] -= 1
                if not waiting[later]:
                    ready.append(later)
        if len(done) < len(waiting):
            stuck = next(stage for stage, count in waiting.items() if count)
            raise stuck.error("Circular token dependency detected in pipeline")
        return done

    def verify_(self) -> None:
        private: PrivateOp | None = None
        for op in self.body.ops:
            if isinstance(op, PrivateOp):
                if private is not None:
                    raise self.error(
                        "at most one immediate 'ktdf.private' child is allowed",
                        notes=(Note("previous 'ktdf.private' is here", private.location),),
                    )
                private = op
            elif not isinstance(op, StageOp):
                raise self.error(
                    "immediate children must be 'ktdf.stage' or 'ktdf.private' ops",
                    notes=(Note(f"found '{op.name}' op", op.location),),
                )


def _has_pipeline(op: Operation) -> bool:
    return any(isinstance(inner, PipelineOp) for inner in op.walk())


class StageOp(Operation):
    """One step of a pipeline: waits for tokens, runs its body on one engine, completes tokens.

    ``applicable_units`` lists the kinds of units that may run it: one for a leaf stage, all those
    of the nested pipeline for a coarse stage.
    """

    name = "ktdf.stage"
    traits = (
        AttrSizedOperands(),
        SingleBlock(),
        NoTerminator(),
        HasParent(("ktdf.pipeline",)),
    )
    assembly_format = (
        "`depends_in` `(` ($depends_in^) : (`none`)? `)` "
        "`depends_out` `(` ($depends_out^) : (`none`)? `)` $body_region attr-dict"
    )
    depends_in: tuple[Value, ...] = variadic_operand(TOKEN)
    depends_out: tuple[Value, ...] = variadic_operand(TOKEN)
    applicable_units: ArrayAttr | None = optional_attr(ArrayAttr)
    body_region: Region = region(single_block=True)

    @property
    def units(self) -> tuple[Attribute, ...]:
        """The kinds of ``applicable_units``; empty when there are none."""
        return () if self.applicable_units is None else self.applicable_units.elements

    @property
    def unit_names(self) -> tuple[str, ...]:
        """Those kinds that are given as strings."""
        return tuple(unit.value for unit in self.units if isinstance(unit, StringAttr))

    @property
    def pipeline(self) -> PipelineOp:
        """The pipeline that the stage belongs to."""
        return self.parent_op  # type: ignore[return-value]

    def nested_pipelines(self) -> list[PipelineOp]:
        """Pipelines inside the stage that are in no other one, in textual order."""
        found = [op for op in self.walk() if isinstance(op, PipelineOp)]
        return [op for op in found if op.parent_of_type(PipelineOp) is self.parent_op]

    @property
    def is_leaf(self) -> bool:
        """Whether no pipeline is nested in the stage."""
        return not _has_pipeline(self)

    def verify_(self) -> None:
        for word, tokens in (("in", self.depends_in), ("out", self.depends_out)):
            if not all(map(_is_token_of_someone, tokens)):
                raise self.error(
                    f"depends_{word} operand must originate from ktdf.create_token or "
                    "ktdf.private operation yielding a token created by ktdf.create_token"
                )
        for token in self.depends_out:
            for other in token.users:
                if other is not self and isinstance(other, StageOp) and token in other.depends_out:
                    raise self.error(
                        "depends_out token is completed by another stage too",
                        notes=(Note("the other stage is here", other.location),),
                        hint="give every stage its own token",
                        code="strict",
                    )


def _is_token_of_someone(token: Value) -> bool:
    """Whether a token comes from create_token, directly or out of ``ktdf.private``."""
    if not isinstance(token, OpResult):
        return False
    made = token.op
    if isinstance(made, PrivateOp):
        yielded = made.yielded
        return token.index < len(yielded) and _is_token_of_someone(yielded[token.index])
    return isinstance(made, CreateTokenOp)


class PrivateOp(Operation):
    """Resources of one execution of the pipeline: buffers, FIFO slots, tokens."""

    name = "ktdf.private"
    traits = (
        SingleBlock(),
        ImplicitTerminator("ktdf.private_yield"),
        HasParent(("ktdf.pipeline",)),
    )
    assembly_format = "(`->` `(` type($resources)^ `)`)? $body_region attr-dict-with-keyword"
    resources: tuple[OpResult, ...] = variadic_result(ANY_TYPE)
    body_region: Region = region(single_block=True)

    @property
    def yielded(self) -> tuple[Value, ...]:
        """The values inside that the results stand for, in order."""
        blocks = self.body_region.blocks
        end = blocks[0].last_op if blocks else None
        return end.operands if isinstance(end, PrivateYieldOp) else ()

    def inner_value(self, resource: Value) -> Value:
        """The value inside that a result stands for."""
        assert isinstance(resource, OpResult) and resource.op is self
        return self.yielded[resource.index]

    def verify_(self) -> None:
        edge = "along control flow edge from Operation ktdf.private_yield to parent: "
        yielded = self.yielded
        if len(yielded) != len(self.results):
            raise self.error(
                f"{edge}region branch point has {len(yielded)} operands, but region successor "
                f"needs {len(self.results)} inputs"
            )
        for i, (inner, outer) in enumerate(zip(yielded, self.results, strict=True)):
            if inner.type is not outer.type:
                raise self.error(
                    f"{edge}successor operand type #{i} '{inner.type}' should match successor "
                    f"input type #{i} '{outer.type}'"
                )


class PrivateYieldOp(Operation):
    """Hands the private resources to the stages."""

    name = "ktdf.private_yield"
    traits = (Pure(), Terminator(), ReturnLike(), HasParent(("ktdf.private",)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand(ANY_TYPE)


class ParallelOp(Operation):
    """Identical instances share an iteration space, cut into contiguous chunks.

    The points of the half-open ranges, first variable outermost, are cut into ``num_instances``
    chunks of ``ceil(points / instances)``; instance ``i`` runs chunk ``i`` in order.
    """

    name = "ktdf.parallel"
    traits = (SingleBlock(), SameVariadicOperandSize())
    lower_bounds: tuple[Value, ...] = variadic_operand(INDEX)
    upper_bounds: tuple[Value, ...] = variadic_operand(INDEX)
    steps: tuple[Value, ...] = variadic_operand(INDEX)
    num_instances: IntegerAttr = attr(integer_attr(t.i64, "64-bit signless integer attribute"))
    body_region: Region = region(single_block=True)

    @property
    def induction_variables(self) -> list[BlockArgument]:
        """The induction variables, outermost first."""
        return self.body.arguments[:-1]

    @property
    def instance_id(self) -> BlockArgument:
        """The number of the executing instance."""
        return self.body.arguments[-1]

    @property
    def ranges(self) -> Iterator[tuple[Value, Value, Value]]:
        """(lower, upper, step) per induction variable."""
        return zip(self.lower_bounds, self.upper_bounds, self.steps, strict=True)

    def verify_(self) -> None:
        count = len(self.lower_bounds)
        if not count:
            raise self.error("expected at least one induction variable")
        if self.num_instances.value < 1:
            raise self.error(f"expected num_instances >= 1, got {self.num_instances.value}")
        arguments = self.body.arguments
        if len(arguments) != count + 1:
            raise self.error(
                f"expected {count + 1} block arguments (one per induction variable plus the "
                f"instance id), got {len(arguments)}"
            )
        if any(argument.type is not t.index for argument in arguments):
            raise self.error(
                "all block arguments (induction variables and instance id) must be of type index"
            )
        if self.body.last_op is None:
            raise self.error("expects a non-empty block")
        if not isinstance(self.body.last_op, ParallelYieldOp):
            raise self.error("region must be terminated by a ktdf.parallel_yield operation")


class ParallelYieldOp(Operation):
    """Ends the body of `ktdf.parallel`."""

    name = "ktdf.parallel_yield"
    traits = (Pure(), Terminator(), ReturnLike(), HasParent(("ktdf.parallel",)))
    assembly_format = "attr-dict"
