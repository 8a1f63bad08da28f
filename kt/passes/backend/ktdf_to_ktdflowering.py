"""ktdf-to-ktdflowering: pipelines become work of named units, with signals between them.

Before::

    ktdf.pipeline {
      %p:2 = ktdf.private -> (!ktdf.fifo.slot<…>, !ktdf.token) { … }
      ktdf.stage depends_in(none) depends_out(%p#1) { A } {applicable_units = ["dma_in"]}
      ktdf.stage depends_in(%p#1) depends_out(none) { B } {applicable_units = ["load"]}
    }

After (``%dmai`` and ``%feed`` are the engines of the core that runs the function)::

    ktdf_lowering.execute_on %dmai, %feed {
      …
      ktdf_lowering.execute_on %dmai { A }
      ktdf_lowering.signal %dmai, %feed
      ktdf_lowering.execute_on %feed { B }
    }

A signal is a rendezvous. One stands behind each stage whose buffers a later stage of other units
reads; FIFOs need none, a receive blocks by itself. A buffer with one copy that is filled again in the
next iteration gets a second rendezvous at the end of the pipeline, which frees it; so does a buffer
that carries data from one iteration to the next.

Needs: ``grid = [n]``, labelled stages. Guarantees: no pipeline, stage or private op is left.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir.builder import Builder
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.dialects import ktdf, ktdf_lowering
from kt.passes.analysis.nests import DIM, programs
from kt.passes.backend.engines import Engine, Engines, grid_size, stage_engines
from kt.passes.backend.handovers import HandOver, hand_overs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.tile_scf_for_loops import POINT


@register_pass
@frozen
class KtdfToKtdflowering(Pass):
    """Hand stages to their units and insert the signals between them."""

    name = "ktdf-to-ktdflowering"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for function in list(programs(module)):
            stages = [s for s in function.walk(post_order=True) if isinstance(s, ktdf.StageOp)]
            kinds: dict[Engine, None] = {}
            for stage in stages:
                if stage.is_leaf:
                    kinds.update(dict.fromkeys(stage_engines(stage)))
            engines = Engines(ctx.device, function, grid_size(function))
            engines.materialise(list(kinds))
            pipelines = [p for p in function.walk() if isinstance(p, ktdf.PipelineOp)]
            for pipeline in pipelines:
                for hand_over in hand_overs(pipeline, ctx.device):
                    ctx.stat("signals", insert_signals(hand_over, engines))
            for pipeline in pipelines:
                rewrite_pipeline(pipeline, engines)
            for op in function.walk():
                for key in ("loop_type", DIM, POINT):
                    op.attributes.pop(key, None)


def insert_signals(hand_over: HandOver, engines: Engines) -> int:
    """Rendezvous of writer and reader; how many were made."""
    units = [*engines.handles(hand_over.writer), *engines.handles(hand_over.reader)]
    units = list(dict.fromkeys(units))
    if set(hand_over.writer.unit_names) == set(hand_over.reader.unit_names):
        return 0  # one unit runs both, in order
    made = 0
    if not hand_over.backward:
        anchor: Operation = hand_over.before
        while isinstance(anchor.next_op, ktdf_lowering.SignalOp):
            anchor = anchor.next_op
        Builder.after(anchor).create(ktdf_lowering.SignalOp, units)
        made += 1
    if hand_over.reused or hand_over.backward:
        Builder.at_end(hand_over.pipeline.body, hand_over.pipeline.location).create(
            ktdf_lowering.SignalOp, units
        )
        made += 1
    return made


def rewrite_pipeline(pipeline: ktdf.PipelineOp, engines: Engines) -> None:
    """The pipeline and its stages become ``execute_on``; private resources move in front."""
    stages = pipeline.ordered_stages()
    union: dict[Value, None] = {}
    for stage in stages:
        union.update(dict.fromkeys(engines.handles(stage)))
    for stage in stages:
        execute = _execute_on(Builder.before(stage), engines.handles(stage))
        for op in stage.body.ops:
            execute.body.append(op.detach())
        stage.erase()
    outer = _execute_on(Builder.before(pipeline), list(union))
    for op in pipeline.body.ops:
        if isinstance(op, ktdf.PrivateOp):
            yielded = op.yielded
            for inner in op.body.ops:
                if not isinstance(inner, ktdf.PrivateYieldOp):
                    outer.body.append(inner.detach())
            op.replace_with(yielded)
        else:
            outer.body.append(op.detach())
    pipeline.erase()


def _execute_on(builder: Builder, units: list[Value]) -> ktdf_lowering.ExecuteOnOp:
    return builder.create(ktdf_lowering.ExecuteOnOp, units, regions=[Region([Block()])])
