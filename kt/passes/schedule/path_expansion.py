"""path-expansion: every movement of data follows the links of the device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from attrs import define, field, frozen

from kt.arch import Device, ExecUnit
from kt.arch.routes import Hop
from kt.ir import types as t
from kt.ir.attributes import Attribute
from kt.ir.builder import Builder
from kt.ir.clone import clone_op, clone_ops
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import Location, Note, PassError, fuse
from kt.ir.dialects import ktdf, memref, scf
from kt.ir.dialects.ktdf_types import FifoSlotType, token
from kt.ir.effects import is_pure
from kt.passes.analysis.target import device_of
from kt.passes.frontend.rules.pipelines import (
    Resources,
    Side,
    open_pipeline,
    open_stage,
    transfer,
)
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.flows import Flow, buffer_shape, flows_of, unit_of


@register_pass
@frozen
class PathExpansion(Pass):
    """Route each operand over the device: one stage per unit, buffers in between.

    A transfer between a memory and the compute unit becomes one per hop of the best route; the
    hop's unit labels its stage. Data waits in buffers of the memories on the way, one per
    operand; FIFO slots get the names of the units at their ends::

        stage { transfer %x[%i, %j] → slot<"far" -> "alu"> }

        stage { transfer %x[%i, %j] → %buffer[0, 0] }             {applicable_units = ["dma_in"]}
        stage { transfer %buffer[0, 0] → slot<"load" -> "alu"> }  {applicable_units = ["load"]}

    Operands are routed one by one, so that they may be in different memories. A program that only
    moves data goes over the nearest memory that both sides reach. The last vector of a row is
    padded on its way into the slot, and cut on its way into the memory of the output.
    """

    name = "path-expansion"

    def run(self, module: Operation, ctx: PassContext) -> None:
        pipelines = [op for op in module.walk(post_order=True) if isinstance(op, ktdf.PipelineOp)]
        pipelines = [op for op in pipelines if not _is_expanded(op)]
        if not pipelines:
            return
        device = device_of(module, ctx)
        for pipeline in pipelines:
            expansion = _Expansion(pipeline, device)
            expansion.build()
            ctx.stat("pipelines")
            ctx.stat("buffers", expansion.buffers)
            ctx.remark(f"stages: {', '.join(expansion.units())}", pipeline.location)


def _is_expanded(pipeline: ktdf.PipelineOp) -> bool:
    """Whether every stage has its units, or holds pipelines of its own."""
    return all(s.units or s.nested_pipelines() for s in pipeline.stages) and not any(
        _ends_in_memory(s) for s in pipeline.stages
    )


def _ends_in_memory(stage: ktdf.StageOp) -> bool:
    """Whether a compute stage talks to a memory directly, through a slot."""
    slots = [op.fifo_slot.type for op in stage.walk()
             if isinstance(op, (ktdf.ReadFromFifoOp, ktdf.WriteToFifoOp))]  # fmt: skip
    return any(isinstance(x, FifoSlotType) and None in stage_ends(stage, x) for x in slots)


def stage_ends(
    stage: ktdf.StageOp, slot: FifoSlotType
) -> tuple[Attribute | None, Attribute | None]:
    """The ends of a slot; None for the one that isn't a unit that has a stage of its pipeline."""
    units = {u for s in stage.pipeline.stages for u in s.units}
    return tuple(e if e in units else None for e in slot.channel)  # type: ignore[return-value]


@define(eq=False)
class _Expansion:
    pipeline: ktdf.PipelineOp
    device: Device
    flows: list[Flow] = field(factory=list)
    compute: ktdf.StageOp | None = None
    resources: Resources = field(factory=Resources)
    buffers: int = 0

    def __attrs_post_init__(self) -> None:
        for stage in self.pipeline.stages:
            if stage.units:
                if self.compute is not None:
                    raise PassError(
                        "a pipeline has two stages with a unit, but not all stages have one",
                        stage.location,
                        notes=[Note("the other one", self.compute.location)],
                        hint="give every stage its unit, or only the compute stage",
                    )
                self.compute = stage
        self.flows = flows_of(self.pipeline, self.compute, self.device)

    def steps(self) -> list[tuple[int, Attribute]]:
        """The stages in order: rank and unit."""
        found: dict[tuple[int, Attribute], None] = {}
        for flow in self.flows:
            for rank, hop in zip(flow.ranks, flow.route.hops, strict=True):
                found.setdefault((rank, unit_of(hop)))
        if self.compute is not None:
            found.setdefault((0, self.compute.units[0]))
        return sorted(found, key=lambda step: step[0])

    def units(self) -> list[str]:
        return [getattr(unit, "value", str(unit)) for _, unit in self.steps()]

    def build(self) -> None:
        """Put the expanded pipeline in place of the old one."""
        steps = self.steps()
        self.add_resources(steps)
        edges = self.edges(steps)
        sources = {a for a, _ in edges}
        tokens = {s: self.resources.add(token, None, self.pipeline.location)
                  for s in steps if s in sources}  # fmt: skip
        _, build = open_pipeline(Builder.before(self.pipeline))
        self.resources.build(build)
        for step in steps:
            waits = [self.resources[tokens[a]] for a, b in edges if b == step]
            done = [self.resources[tokens[step]]] if step in tokens else []
            rank, unit = step
            movers = [] if rank == 0 else self.movers(step)
            place = self.place_of(step, movers)
            _, inside = open_stage(build, waits, done, [unit], place)
            if rank == 0:
                self.fill_compute(inside)
            elif rank == -1 and any(flow.span for flow, _ in movers):
                self.fill_load(inside, movers)
            else:
                for flow, i in movers:
                    self.move(inside, flow, i)
        self.pipeline.erase()

    def place_of(
        self, step: tuple[int, Attribute], movers: Sequence[tuple[Flow, int]]
    ) -> Location:
        if step[0] == 0 and self.compute is not None:
            return self.compute.location
        return fuse([flow.location for flow, _ in movers])

    def movers(self, step: tuple[int, Attribute]) -> list[tuple[Flow, int]]:
        """The hops that a stage makes: flows and numbers of their hops."""
        return [
            (flow, i)
            for flow in self.flows
            for i, (rank, hop) in enumerate(zip(flow.ranks, flow.route.hops, strict=True))
            if (rank, unit_of(hop)) == step
        ]

    def edges(self, steps: list[tuple[int, Attribute]]) -> list[tuple]:
        """Which stage hands data to which, each pair once."""
        found: dict[tuple, None] = {}
        middle = next((s for s in steps if s[0] == 0), None)
        for flow in self.flows:
            chain = [
                (rank, unit_of(hop)) for rank, hop in zip(flow.ranks, flow.route.hops, strict=True)
            ]
            if middle is not None and not flow.is_copy:
                chain = [*chain, middle] if flow.store is None else [middle, *chain]
            for pair in pairwise(chain):
                found.setdefault(pair)
        return list(found)

    def add_resources(self, steps: list[tuple[int, Attribute]]) -> None:
        """Buffers and slots in the order of the stages that fill them."""
        for flow in self.flows:
            flow.places = [-1] * len(flow.route.hops)
        for step in steps:
            if step[0] == 0:
                for flow in self.flows:
                    if flow.load is None:
                        self.add_slot(flow, 0)
            for flow, i in self.movers(step) if step[0] else ():
                hop = flow.route.hops[i]
                if i + 1 < len(flow.route.hops):
                    self.add_buffer(flow, i, hop)
                elif flow.store is None:
                    self.add_slot(flow, i)

    def add_slot(self, flow: Flow, i: int) -> None:
        """The slot between the compute unit and the unit next to it."""
        old = flow.slot.type
        assert isinstance(old, FifoSlotType) and self.compute is not None
        hop, unit = flow.route.hops[i], self.compute.units[0]
        near = unit_of(hop)
        ends = (unit, near) if flow.load is None else (near, unit)
        type = FifoSlotType(*ends, old.count, old.element_type)
        number = self.resources.add(type, flow.operand, flow.location)
        if flow.load is None:
            flow.places.append(number)
        else:
            flow.places[i] = number

    def add_buffer(self, flow: Flow, i: int, hop: Hop) -> None:
        shape = buffer_shape(flow)
        old = flow.slot.type
        assert isinstance(old, FifoSlotType)
        type = t.MemRefType(shape, old.element_type, None, hop.target.kind_attr)
        flow.places[i] = self.resources.add(type, flow.operand, flow.location)
        self.buffers += 1

    def fill_compute(self, inside: Builder) -> None:
        """The computation, on the new slots."""
        assert self.compute is not None
        known: dict[Value, Value] = {}
        for flow in self.flows:
            if not flow.is_copy:
                known[flow.slot] = self.resources[flow.places[-1]]
        for op in clone_ops(list(self.compute.body.ops), known):
            inside.insert(op)

    def fill_load(self, inside: Builder, movers: Sequence[tuple[Flow, int]]) -> None:
        """The last hops into slots, in the loops of the load stage."""
        hops: dict[Operation, tuple[Flow, int]] = {
            flow.load: (flow, i) for flow, i in movers if flow.load is not None
        }
        stage = next(iter(hops)).parent_of_type(ktdf.StageOp)
        assert stage is not None
        self.repeat(inside, stage.body, hops, {})

    def repeat(
        self,
        build: Builder,
        block: Block,
        hops: dict[Operation, tuple[Flow, int]],
        known: dict[Value, Value],
    ) -> None:
        """The ops of a block of the load stage; transfers become those of the given hops."""
        for op in block.ops:
            if op in hops:
                flow, i = hops[op]
                if flow.span is None:
                    self.move(build, flow, i)
                    continue
                if i:
                    source = flow.span.part_of(self.resources[flow.places[i - 1]], known)
                else:
                    source = _side(flow.load.source_side, known)  # type: ignore[union-attr]
                slot = Side.slot(self.resources[flow.places[i]])
                transfer(build, source, slot, self.mode(flow), flow.location)
            elif isinstance(op, scf.ForOp):
                if any(inner in hops for inner in op.walk()):
                    bounds = [known.get(v, v) for v in op.operands]
                    loop = build.insert(scf.ForOp.of(bounds[0], bounds[1], bounds[2], location=op.location))
                    loop.attributes.update(op.attributes)
                    known[op.induction_variable] = loop.induction_variable
                    inside = Builder.at_end(loop.body, op.location)
                    self.repeat(inside, op.body, hops, known)
                    inside.create(scf.YieldOp)
            elif is_pure(op) and op.results:
                build.insert(clone_op(op, known))

    def move(self, inside: Builder, flow: Flow, i: int) -> None:
        """The transfer of one hop."""
        first, last = i == 0, i + 1 == len(flow.route.hops)
        short = self.short_sizes(flow)
        mode = None
        if flow.span is not None and not last:
            source = flow.span.whole
            if not first:
                source = flow.span.of_buffer(self.resources[flow.places[i - 1]])
            dest = flow.span.of_buffer(self.resources[flow.places[i]])
            transfer(inside, source, dest, None, flow.location)
            return
        if first and flow.load is not None:
            source = _side(flow.load.source_side, self.indices(inside, flow.load, i, flow))
        elif first:
            source = Side.slot(self.resources[flow.places[-1]])
        else:
            source = self.buffer_side(flow, i - 1, short)
        if last and flow.stores:
            for store in flow.stores:
                dest = _side(store.dest_side, self.indices(inside, store, i, flow))
                mode = store.transfer_mode if first and not flow.is_copy else None
                if not first:
                    source = Side(source.value, self.boxed(source, dest.sizes), source.map)
                place = store.location if len(flow.stores) > 1 else flow.location
                transfer(inside, source, dest, mode, place)
            return
        if last:
            dest, mode = Side.slot(self.resources[flow.places[i]]), self.mode(flow)
        else:
            dest = self.buffer_side(flow, i, short)
        transfer(inside, source, dest, mode, flow.location)

    def indices(
        self, inside: Builder, move: ktdf.DataTransferOp, i: int, flow: Flow
    ) -> dict[Value, Value]:
        """What the stage of a transfer computes for its subscripts, made again in the new stage."""
        known: dict[Value, Value] = {}
        block = move.parent
        assert block is not None
        needed: dict[Operation, None] = {}
        stack: list[Operation] = [move]
        while stack:
            for value in stack.pop().operands:
                made = value.defining_op
                if made is not None and made.parent is block and made not in needed:
                    needed[made] = None
                    stack.append(made)
        for op in (op for op in block.ops if op in needed):
            if isinstance(op, memref.LoadOp):
                self.check_lookup(op, flow.route.hops[i].units[0])
            inside.insert(clone_op(op, known))
        return known

    def check_lookup(self, op: memref.LoadOp, unit: ExecUnit) -> None:
        """Raise PassError if a unit can't read the coordinates that it needs."""
        memory = op.memref.type.memory_space  # type: ignore[attr-defined]
        if unit.kind in self.device.readers(memory):
            return
        raise PassError(
            f"unit {unit.kind} has to look up coordinates, but can't read {memory}",
            op.location,
            notes=[Note("the unit", unit.location)],
            hint="keep the coordinates in a memory that the unit reads",
        )

    def short_sizes(self, flow: Flow) -> tuple[int | Value, ...] | None:
        """What the load brings in; None where whole vectors travel."""
        return flow.load.source_side.sizes if flow.load is not None else None

    def buffer_side(self, flow: Flow, i: int, short: tuple[int | Value, ...] | None) -> Side:
        whole = Side.whole(self.resources[flow.places[i]])
        return whole if short is None else Side(whole.value, self.boxed(whole, short), whole.map)

    def boxed(self, buffer: Side, sizes: tuple[int | Value, ...]) -> tuple[int | Value, ...]:
        """Sizes of the part of a buffer that as many elements fill as a box of ``sizes`` has."""
        shape = buffer.value.type.shape  # type: ignore[attr-defined]
        wide = [i for i, n in enumerate(shape) if n != 1]
        rest = [s for s in sizes if not isinstance(s, int) or s != 1]
        if len(wide) != 1 or len(rest) > 1:
            return tuple(shape)
        return tuple((rest or [1])[0] if i in wide else 1 for i in range(len(shape)))

    @staticmethod
    def mode(flow: Flow) -> str | None:
        return flow.load.transfer_mode if flow.load is not None else None


def _side(side: ktdf.TransferSide, known: Mapping[Value, Value] | None = None) -> Side:
    """A side of another transfer, with other values for some."""
    assert side.sizes is not None
    known = known or {}
    sizes = tuple(n if isinstance(n, int) else known.get(n, n) for n in side.sizes)
    return Side(side.value, sizes, side.map, tuple(known.get(v, v) for v in side.indices))
