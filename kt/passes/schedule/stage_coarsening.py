"""stage-coarsening: sink the point loops into the pipeline, so that whole tiles are handed over.

Before::

    scf.for %pi … { scf.for %pj … {
      ktdf.pipeline {
        private { buffers, FIFO slots, tokens }
        stage {DMA in}  stage {load}  stage {compute}  stage {store}  stage {DMA out}
      }
    } }

After (buffers have one leading dimension per sunk loop that their contents vary with)::

    ktdf.pipeline {
      private { memref<?x?x1x32xf16, "near"> …, tokens }
      stage {DMA in}  { scf.for %pi { scf.for %pj { transfers } } }
      stage {load, compute, store} {
        scf.for %pi { scf.for %pj {
          ktdf.pipeline { private { FIFO slots, tokens } stage {load} stage {compute} stage {store} }
        } }
      }
      stage {DMA out} { scf.for %pi { scf.for %pj { transfers } } }
    }

Stages that share a FIFO or a memory below the scratchpad stay together; every other stage becomes
one of its own. A transfer of a stage that stands alone runs only in the loops that it varies with:
a row vector is loaded once per tile, not once per row.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import networkx as nx
from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.attributes import ArrayAttr, Attribute
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, OpResult, Region, Value
from kt.ir.dialects import ktdf, memref, scf
from kt.passes.analysis.buffers import StagingBuffer, staging_buffers, varying_loops
from kt.passes.analysis.index_maps import set_side
from kt.passes.analysis.nests import Nest, is_index_code, is_inside, nests, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.tile_scf_for_loops import POINT

if TYPE_CHECKING:
    from kt.arch import Device


@register_pass
@frozen
class StageCoarsening(Pass):
    """Sink point loops into pipelines, tile by tile instead of vector by vector."""

    name = "stage-coarsening"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            for nest in nests(program):
                points = tuple(loop for loop in nest.loops if loop.attr(POINT) is not None)
                if points:
                    _Coarsening.of(Nest(nest.pipeline, points), ctx.device).run()
                    ctx.stat("pipelines")


def stage_groups(pipeline: ktdf.PipelineOp, device: Device) -> list[list[ktdf.StageOp]]:
    """Stages that can't be separated by loops of their own, in textual order."""
    stages = pipeline.stages
    order = {stage: i for i, stage in enumerate(stages)}
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(stages)
    first_user: dict[Value, ktdf.StageOp] = {}
    for stage in stages:
        for value in _resources_used(stage, pipeline):
            if not isinstance(value.type, ktdf.TokenType) and _binds(value, device):
                graph.add_edge(first_user.setdefault(value, stage), stage)
    groups = [sorted(g, key=order.__getitem__) for g in nx.connected_components(graph)]
    return sorted(groups, key=lambda group: order[group[0]])


def _binds(value: Value, device: Device) -> bool:
    """Whether a resource can't be expanded by loops: a FIFO slot, or a buffer in registers."""
    if not isinstance(value.type, t.MemRefType):
        return True
    return device.is_below_scratchpad(value.type.memory_space)


def _resources_used(stage: ktdf.StageOp, pipeline: ktdf.PipelineOp) -> list[Value]:
    """Results of the pipeline's private op that ops inside a stage use, in order of use."""
    private = pipeline.private
    return list(
        dict.fromkeys(
            value
            for op in stage.walk()
            if op is not stage
            for value in op.operands
            if isinstance(value, OpResult) and value.op is private
        )
    )


@define(eq=False)
class _Coarsening:
    """One pipeline being rebuilt."""

    nest: Nest
    groups: list[list[ktdf.StageOp]]
    buffers: dict[Value, StagingBuffer]
    builder: Builder
    mapping: dict[Value, Value] = field(factory=dict)
    """Old values to new ones that hold everywhere in the new pipeline."""

    @classmethod
    def of(cls, nest: Nest, device: Device) -> _Coarsening:
        groups = stage_groups(nest.pipeline, device)
        buffers: dict[Value, StagingBuffer] = {b.resource: b for b in staging_buffers(nest, device)}
        return cls(nest, groups, buffers, Builder.before(nest.root, nest.pipeline.location))

    def run(self) -> None:
        body = Block()
        outer = self.builder.create(ktdf.PipelineOp, regions=[Region([body])])
        outer.attributes.update(self.nest.pipeline.attributes)
        inside = Builder.at_end(body, outer.location)
        edges = self._group_edges()
        tokens = self._outer_private(inside, sorted({a for a, _ in edges}))
        for number, group in enumerate(self.groups):
            before = [tokens[a] for a, b in edges if b == number]
            after = [tokens[number]] if number in tokens else []
            stage = _stage(inside, group, before, after)
            self._fill(Builder.at_end(stage.body, stage.location), group)
        self.nest.root.erase()

    # -- structure -------------------------------------------------------------------------------

    def _group_edges(self) -> list[tuple[int, int]]:
        """Which group waits for which, from the tokens between their stages."""
        number = {stage: i for i, group in enumerate(self.groups) for stage in group}
        pairs = ((number[a], number[b]) for a, b in self.nest.pipeline.edges())
        return sorted({(a, b) for a, b in pairs if a != b})

    def _outer_private(self, builder: Builder, producers: list[int]) -> dict[int, Value]:
        """Expanded buffers, what single stages use, and a token per group that others wait for."""
        old = self.nest.pipeline.private
        block = Block()
        inside = Builder.at_end(block, self.builder.location)
        yields: list[Value] = []
        kept: list[OpResult] = []
        copied: dict[Value, Value] = {}
        for resource in old.results if old is not None else ():
            if isinstance(resource.type, ktdf.TokenType) or self._home(resource) is not None:
                continue
            inner = old.inner_value(resource)  # type: ignore[union-attr]
            yields.append(self._allocate(inside, resource, inner, copied))
            kept.append(resource)
        made_tokens = [inside.create(ktdf.CreateTokenOp).token for _ in producers]
        private = _private(builder, block, [*yields, *made_tokens])
        for resource, new in zip(kept, private.results, strict=False):
            self.mapping[resource] = new
        return dict(zip(producers, private.results[len(kept) :], strict=True))

    def _home(self, resource: OpResult) -> int | None:
        """The group of several stages that alone uses a resource; None if it stays outside."""
        users = [
            i
            for i, group in enumerate(self.groups)
            if any(resource in _resources_used(stage, self.nest.pipeline) for stage in group)
        ]
        alone = len(users) == 1 and len(self.groups[users[0]]) > 1
        return users[0] if alone else None

    def _allocate(
        self, builder: Builder, resource: OpResult, inner: Value, copied: dict[Value, Value]
    ) -> Value:
        """The resource inside the new private op, with one leading dimension per loop it varies with."""
        op = inner.defining_op
        assert op is not None
        buffer = self.buffers.get(resource)
        if buffer is None or not buffer.dims:
            if inner not in copied:
                builder.insert(clone_op(op, copied))
            return copied[inner]
        sizes = [_tile_size(self.nest.loops[d]) for d in buffer.dims]
        type = t.MemRefType(
            (*[t.DYNAMIC] * len(sizes), *buffer.type.shape),
            buffer.type.element_type,
            None,
            buffer.type.memory_space,
        )
        made = builder.create(
            memref.AllocOp, [*sizes, *op.operands], result_types=[type], location=op.location
        )
        made.attributes.update(op.attributes)
        return made.results[0]

    # -- bodies ----------------------------------------------------------------------------------

    def _fill(self, builder: Builder, group: list[ktdf.StageOp]) -> None:
        if len(group) == 1 and _is_movement(group[0]):
            self._transfers(builder, group[0])
            return
        loops = tuple(range(len(self.nest.loops)))
        inside, values = self._loops(builder, loops)
        if len(group) == 1:
            self._clone_body(inside, group[0], values)
        else:
            self._nested_pipeline(inside, group, values)

    def _transfers(self, builder: Builder, stage: ktdf.StageOp) -> None:
        """Each transfer in just the loops that it varies with; neighbours share their loops."""
        moves = [op for op in stage.body.ops if isinstance(op, ktdf.DataTransferOp)]
        for loops, run in groupby(moves, self._loops_of):
            inside, values = self._loops(builder, loops)
            for op in run:
                self._clone_op(inside, op, values)

    def _loops_of(self, op: ktdf.DataTransferOp) -> tuple[int, ...]:
        varies = varying_loops(op, self.nest.loops)
        for end in (op.source, op.destination):
            if end in self.buffers:
                varies |= set(self.buffers[end].dims)
        return tuple(sorted(varies))

    def _loops(
        self, builder: Builder, positions: tuple[int, ...]
    ) -> tuple[Builder, dict[Value, Value]]:
        """Copies of some loops of the nest, one in the other; the inner builder and value map."""
        values = dict(self.mapping)
        for position in positions:
            old = self.nest.loops[position]
            bounds = [self._pull(builder, v, values) for v in old.operands[:3]]
            made = scf.ForOp.of(bounds[0], bounds[1], bounds[2], location=old.location)
            made.attributes.update(old.attributes)
            made.induction_variable.name_hint = old.induction_variable.name_hint
            values[old.induction_variable] = made.induction_variable
            builder.insert(made)
            made.body.append(scf.YieldOp.build(location=old.location))
            builder = Builder(made.body, made.body.last_op, old.location)
        return builder, values

    def _pull(self, builder: Builder, value: Value, values: dict[Value, Value]) -> Value:
        """``value`` in the new nest: pure arithmetic of the old one is copied where it is needed."""
        if value in values:
            return values[value]
        op = value.defining_op
        if op is None or not is_inside(value, self.nest.root) or not is_index_code(op):
            return value
        for operand in op.operands:
            self._pull(builder, operand, values)
        builder.insert(clone_op(op, values))
        return values[value]

    def _nested_pipeline(
        self, builder: Builder, group: list[ktdf.StageOp], values: dict[Value, Value]
    ) -> None:
        for stage in group:
            for op in stage.walk():
                for value in op.operands:
                    if not is_inside(value, self.nest.pipeline):
                        self._pull(builder, value, values)
        body = Block()
        pipeline = builder.create(ktdf.PipelineOp, regions=[Region([body])])
        inside = Builder.at_end(body, pipeline.location)
        edges = [(a, b) for a, b in self.nest.pipeline.edges() if a in group and b in group]
        tokens = self._nested_private(inside, group, [a for a, _ in edges], values)
        for stage in group:
            before = [tokens[a] for a, b in edges if b is stage]
            after = [tokens[stage]] if stage in tokens else []
            made = _stage(inside, [stage], before, after)
            self._clone_body(Builder.at_end(made.body, made.location), stage, dict(values))

    def _nested_private(
        self,
        builder: Builder,
        group: list[ktdf.StageOp],
        producers: list[ktdf.StageOp],
        values: dict[Value, Value],
    ) -> dict[ktdf.StageOp, Value]:
        """The group's own resources and tokens; ``values`` learns the resources."""
        old = self.nest.pipeline.private
        number = self.groups.index(group)
        block = Block()
        inside = Builder.at_end(block, builder.location)
        copied = dict(values)
        mine = [r for r in old.results if self._home(r) == number] if old is not None else []
        yields = []
        for resource in mine:
            if isinstance(resource.type, ktdf.TokenType):
                continue
            inner = old.inner_value(resource)  # type: ignore[union-attr]
            op = inner.defining_op
            assert op is not None
            if inner not in copied:
                inside.insert(clone_op(op, copied))
            yields.append((resource, copied[inner]))
        stages = list(dict.fromkeys(producers))
        made_tokens = [inside.create(ktdf.CreateTokenOp).token for _ in stages]
        private = _private(builder, block, [*(v for _, v in yields), *made_tokens])
        for (resource, _), new in zip(yields, private.results, strict=False):
            values[resource] = new
        return dict(zip(stages, private.results[len(yields) :], strict=True))

    def _clone_body(
        self, builder: Builder, stage: ktdf.StageOp, values: dict[Value, Value]
    ) -> None:
        for op in stage.body.ops:
            self._clone_op(builder, op, values)

    def _clone_op(self, builder: Builder, op: Operation, values: dict[Value, Value]) -> None:
        """Copy an op of a stage; transfers at expanded buffers are indexed by the sunk loops."""
        for inner in op.walk():
            for value in inner.operands:
                if not is_inside(value, op):
                    self._pull(builder, value, values)
        copy = builder.insert(clone_op(op, values))
        for old, new in zip(op.walk(), copy.walk(), strict=True):
            if isinstance(old, ktdf.DataTransferOp):
                self._reindex(old, new, values)  # type: ignore[arg-type]

    def _reindex(
        self, old: ktdf.DataTransferOp, new: ktdf.DataTransferOp, values: dict[Value, Value]
    ) -> None:
        for (word, before), (_, after) in zip(list(old.sides()), list(new.sides()), strict=True):
            buffer = self.buffers.get(before.value)
            if buffer is None or not buffer.dims or after.map is None or after.sizes is None:
                continue
            lead = len(buffer.dims)
            ivs = [values[self.nest.loops[d].induction_variable] for d in buffer.dims]
            shifted = [e.shift_dims(lead) for e in after.map.results]
            map = AffineMap(
                lead + after.map.num_dims, 0, (*[dim(i) for i in range(lead)], *shifted)
            )
            set_side(new, word, map, [*ivs, *after.indices], [*[1] * lead, *after.sizes])


def _is_movement(stage: ktdf.StageOp) -> bool:
    """Whether a stage consists of transfers and arithmetic for them."""
    return all(isinstance(op, ktdf.DataTransferOp) or is_index_code(op) for op in stage.body.ops)


def _tile_size(loop: scf.ForOp) -> Value:
    """The largest trip count of a point loop: its tile size (the bound itself if it has none)."""
    op = loop.upper_bound.defining_op
    return op.tile_sizes[-1] if isinstance(op, ktdf.DeriveSizeOp) else loop.upper_bound


def _stage(
    builder: Builder, group: list[ktdf.StageOp], before: list[Value], after: list[Value]
) -> ktdf.StageOp:
    """An empty stage that stands for a group: its units are those of all its stages."""
    units: dict[Attribute, None] = {}
    for stage in group:
        units.update(dict.fromkeys(stage.units))
    made = builder.create(
        ktdf.StageOp,
        before,
        after,
        regions=[Region([Block()])],
        applicable_units=ArrayAttr(tuple(units)) if units else None,
        location=group[0].location,
    )
    for stage in group:
        made.attributes.update(stage.attributes)
    return made


def _private(builder: Builder, block: Block, values: list[Value]) -> ktdf.PrivateOp:
    """``ktdf.private`` around a block that yields ``values``."""
    block.append(ktdf.PrivateYieldOp.build(values, location=builder.location))
    return builder.create(
        ktdf.PrivateOp, regions=[Region([block])], result_types=[v.type for v in values]
    )
