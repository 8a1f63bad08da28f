"""construct-three-stage-pipeline: vectors in loops, with a load, a compute and a store stage."""

from __future__ import annotations

from attrs import define, field, frozen

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, dim
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.dce import erase_dead_ops
from kt.ir.diagnostics import fuse
from kt.ir.dialects import arith, func, ktdf, ktdp, linalg, scf, tensor
from kt.ir.dialects.ktdf_types import PARALLEL_LOOP, FifoSlotType, token
from kt.passes.analysis.aliasing import may_alias, same_elements
from kt.passes.analysis.groups import overwrites_operand
from kt.passes.analysis.iteration import (
    Mixed,
    Operand,
    Program,
    lane_coefficient,
    runs_along_lanes,
    stage_map,
)
from kt.passes.analysis.nests import set_loop_dim
from kt.passes.analysis.target import compute_unit, device_of
from kt.passes.frontend.rules.body_indices import NUMBER, place_indices, widen_indices
from kt.passes.frontend.rules.fusion import fuse_pointwise
from kt.passes.frontend.rules.pipelines import (
    Resources,
    Side,
    open_pipeline,
    open_stage,
    transfer,
    vector_size,
)
from kt.passes.frontend.rules.programs import (
    merge_loads,
    read_program,
    read_pulls,
    stores_of,
)
from kt.passes.frontend.rules.reduction_stages import ReductionBuilder
from kt.passes.frontend.rules.reductions import ReductionProgram, find_reduction, read_reduction
from kt.passes.manager import Pass, PassContext, register_pass


@register_pass
@frozen
class ConstructThreeStagePipeline(Pass):
    """Turn every program into loops over vectors around a load → compute → store pipeline.

    Pointwise producers are fused into one generic op. Its loops become ``scf.for`` (bounds are
    extents, induction variables are element coordinates), the one along the lanes innermost with
    the vector length as step. Loads, computation and store become the stages of a pipeline that pass
    vectors through FIFO slots; access tiles become casts of their views::

        %x = ktdp.load %xt                  scf.for %i = 0 to 12 step 1 {
        %y = linalg.generic ins(%x)           scf.for %j = 0 to 100 step 8 {
        ktdp.store %y, %yt            →         %n = affine.min (8, 100 - %j)
                                                ktdf.pipeline {
                                                  stage { transfer %xm[%i, %j] size [1, %n] to slot
                                                          {transfer_mode = "pad"} }
                                                  stage { read, linalg.generic on tensor<1x8>, write }
                                                  stage { transfer slot size [1, 8] to %ym[%i, %j] size [1, %n]
                                                          {transfer_mode = "pad"} } } } }

    Lanes are those of the widest element type. A vector at the end that is shorter (``%n``) is padded
    to full slots on its way in, and cut on its way out (both have mode ``pad``). Operands without the innermost loop
    travel as one element. A program that only moves data has no compute stage; where its slot feeds
    several stores, all but the last leave the elements in it (mode ``keep``). Copies from the scratchpads
    of other tiles that share a program get a pipeline each.
    """

    name = "construct-three-stage-pipeline"

    def run(self, module: Operation, ctx: PassContext) -> None:
        programs = [f for f in module.walk_type(func.FuncOp) if _has_store(f)]
        if not programs:
            return
        device = device_of(module, ctx)
        for function in programs:
            ctx.stat("merged-loads", merge_loads(function))
            ctx.stat("fused", fuse_pointwise(function))
            widen_indices(function)
            reduction, pulls = find_reduction(function), read_pulls(function, device)
            if pulls is not None:
                program, *_ = pulls
                _build_pulls(function, pulls, device)
            elif reduction is not None:
                program = read_reduction(function, reduction, device)
                _check_in_place(program.store, program.all_loads)
                ReductionBuilder(function, program, device).build()
            else:
                program = read_program(function, device)
                for store in program.stores:
                    _check_in_place(store, program.loads)
                _PipelineBuilder(function, program, device).build()
            _erase_tensors(function)
            ctx.stat("pipelines")
            ctx.remark(_described(program), program.store.op.location)


def _build_pulls(function: func.FuncOp, pulls: list[Program], device: Device) -> None:
    """A pipeline for each copy, in order; their loops have dimensions of their own."""
    loads = [load for program in pulls for load in program.loads]
    dims = 0
    for program in pulls:
        _check_in_place(program.store, loads)
        _PipelineBuilder(function, program, device, dims).build()
        dims += len(program.extents)


def _has_store(function: Operation) -> bool:
    return any(isinstance(op, ktdp.StoreOp) for op in function.walk())


def _described(program: Program | ReductionProgram) -> str:
    if isinstance(program, ReductionProgram):
        lanes = "partial results" if program.along_reduction else "results"
        loops = ", ".join(f"d{d}" for d in program.reduced_order)
        return f"{program.lanes} {lanes} along d{program.vector}, accumulated over {loops}"
    if program.body is None:
        return f"a copy, {program.lanes} elements at a time along d{program.vector}"
    tail = {True: ", the last one padded", False: "", None: ", the last one padded if shorter"}
    return f"vectors of {program.lanes} elements along d{program.vector}{tail[program.tail]}"


def _check_in_place(store: Operand, loads: list[Operand]) -> None:
    """A tile that is loaded and stored must be the same one, element by element."""
    assert isinstance(store.op, ktdp.StoreOp)
    for load in loads:
        assert isinstance(load.op, ktdp.LoadOp)
        if not may_alias(load.op.access_tile, store.op.access_tile):
            continue
        if same_elements(load.op.access_tile, store.op.access_tile) and load.map is store.map:
            continue
        raise overwrites_operand(load.op, store.op)


# -- building the pipeline ---------------------------------------------------------------------------


@define(eq=False)
class _PipelineBuilder:
    function: func.FuncOp
    program: Program
    device: Device
    dims: int = 0
    """Dimensions of other pipelines of the program."""
    ivs: dict[int, Value] = field(factory=dict)
    size: Mixed = 0
    """Elements of the current vector: all lanes, or fewer at the end."""

    def build(self) -> None:
        program, end = self.program, self.function.entry.terminator
        assert end is not None
        place = fuse([o.op.location for o in (*program.loads, *program.stores)])
        inner = self.loops(Builder.before(end, program.store.op.location))
        extent, iv = program.extents[program.vector], self.ivs[program.vector]
        self.size = vector_size(inner, extent, program.lanes, iv)
        inner.location = place
        _, stages = open_pipeline(inner)
        self.stages(stages)

    def loops(self, build: Builder) -> Builder:
        """The loop nest; returns a builder in the innermost body."""
        program = self.program
        bounds = []
        for d in program.order:
            extent = program.extents[d]
            step = program.lanes if d == program.vector else 1
            upper = build.constant(extent) if isinstance(extent, int) else extent
            bounds.append((build.constant(0), upper, build.constant(step)))
        for d, (lower, upper, step) in zip(program.order, bounds, strict=True):
            loop = scf.ForOp.of(lower, upper, step, location=build.location)
            loop.attributes["loop_type"] = PARALLEL_LOOP
            set_loop_dim(loop, self.dims + d)
            build.insert(loop)
            self.ivs[d] = loop.induction_variable
            end = scf.YieldOp.build([], location=build.location)
            loop.body.append(end)
            build = Builder.before(end, build.location)
        return build

    # -- stages -----------------------------------------------------------------------------------

    def stages(self, build: Builder) -> None:
        program = self.program
        resources = Resources()
        computes = program.body is not None
        slots = {o.number: resources.add(self.slot_type(o), o.number, o.op.location)
                 for o in program.loads}  # fmt: skip
        for o in program.stores if computes else ():
            slots[o.number] = resources.add(self.slot_type(o), o.number, o.op.location)
        steps = [bool(program.loads), computes, True]
        tokens = [resources.add(token, None, build.location) if s else -1 for s in steps]
        resources.build(build)
        before: list[Value] = []
        if program.loads:
            before = self.load_stage(build, slots, resources, resources[tokens[0]])
        if computes:
            before = self.compute_stage(build, slots, resources, before, resources[tokens[1]])
        place = fuse([o.op.location for o in program.stores])
        _, inside = open_stage(build, before, [resources[tokens[2]]], location=place)
        for store in program.stores:
            box = self.box(store, inside)
            if computes:
                slot, taken = slots[store.number], self.full_shape(store)
                mode = "pad" if self.is_short(store) else None
            else:
                slot, taken = slots[program.loads[0].number], box.sizes
                mode = None if store is program.stores[-1] else "keep"
            transfer(inside, Side(resources[slot], taken), box, mode, store.op.location)

    def load_stage(
        self, build: Builder, slots: dict[int, int], resources: Resources, done: Value
    ) -> list[Value]:
        place = fuse([o.op.location for o in self.program.loads])
        _, inside = open_stage(build, [], [done], location=place)
        for operand in self.program.loads:
            box = self.box(operand, inside)
            slot = Side(resources[slots[operand.number]], self.full_shape(operand))
            # A copy moves what there is; vectors for the compute unit are filled up.
            short = self.program.body is not None and self.is_short(operand)
            if self.program.body is None:
                slot = Side(slot.value, box.sizes)
            transfer(inside, box, slot, "pad" if short else None, operand.op.location)
        return [done]

    def compute_stage(
        self,
        build: Builder,
        slots: dict[int, int],
        resources: Resources,
        before: list[Value],
        done: Value,
    ) -> list[Value]:
        program, body = self.program, self.program.body
        assert body is not None
        unit = compute_unit(self.device)
        _, inside = open_stage(build, before, [done], [unit], body.location)
        values = []
        for operand in program.loads:
            type = t.TensorType(self.full_shape(operand), operand.element_type)
            slot = resources[slots[operand.number]]
            read = inside.create(
                ktdf.ReadFromFifoOp, slot, result_types=[type], location=operand.op.location
            )
            values.append(read.result)
        empties: list[Value] = []
        for store in program.stores:
            empty = tensor.EmptyOp.of(
                self.full_shape(store), store.element_type, location=body.location
            )
            empties.append(inside.insert(empty).result)
        made = self.vector_body(body, values, empties)
        if any(isinstance(op, linalg.IndexOp) for op in made.body.ops):
            counters = {
                d: inside.create(arith.IndexCastOp, iv, result_types=[NUMBER]).results[0]
                for d, iv in self.ivs.items()
            }
            place_indices(made, counters, program.vector)
        inside.insert(made)
        for store, result in zip(program.stores, made.results, strict=True):
            inside.create(
                ktdf.WriteToFifoOp, result, resources[slots[store.number]],
                location=store.op.location,
            )  # fmt: skip
        return [done]

    def vector_body(
        self, body: linalg.GenericOp, values: list[Value], empties: list[Value]
    ) -> linalg.GenericOp:
        """The generic op on the elements of one vector."""
        program = self.program
        maps = [stage_map(o.map, program.vector) for o in (*program.loads, *program.stores)]
        loops = len(program.extents)
        made = linalg.GenericOp.of(
            values, empties, maps, ["parallel"] * loops, location=body.location
        )
        known: dict[Value, Value] = dict(zip(body.body.arguments, made.body.arguments, strict=True))
        for op in clone_ops(list(body.body.ops), known):
            made.body.append(op)
        return made

    # -- operands ---------------------------------------------------------------------------------

    def varies(self, operand: Operand) -> bool:
        user = self.program.body or self.program.store.op
        return runs_along_lanes(operand, self.program.vector, user)

    def is_short(self, operand: Operand) -> bool:
        """Whether the vectors of an operand may have fewer elements than lanes."""
        return self.varies(operand) and self.size != self.program.lanes

    def full_shape(self, operand: Operand) -> tuple[int, ...]:
        """Shape of one full vector of an operand: the lanes along one axis, 1 along the others."""
        return tuple(
            self.program.lanes if lane_coefficient(e, self.program.vector) else 1
            for e in operand.map.results
        )

    def slot_type(self, operand: Operand) -> FifoSlotType:
        self.varies(operand)
        program, device = self.program, self.device
        count = 1
        for n in self.full_shape(operand):
            count *= n
        memory = device.memory(operand.access.memory).kind_attr
        if program.body is None:
            ends = memory, device.memory(program.store.access.memory).kind_attr
        elif operand in program.stores:
            ends = compute_unit(device), memory
        else:
            ends = memory, compute_unit(device)
        return FifoSlotType(*ends, count, operand.element_type)

    def box(self, operand: Operand, inside: Builder) -> Side:
        """The part of an operand's memory that the current vector covers.

        Coordinates that are looked up are loaded right in front of the transfer.
        """
        program = self.program
        sizes: list[Mixed] = [
            self.size if lane_coefficient(e, program.vector) else 1 for e in operand.map.results
        ]
        used = [d for d in operand.map.used_dims]
        map, ivs = operand.map.drop_unused_dims(), [self.ivs[d] for d in used]
        lookups = operand.access.lookups
        found = [x.build(inside, map.results, ivs) for x in lookups]
        front = [dim(len(ivs) + i) for i in range(len(found))]
        whole = AffineMap(len(ivs) + len(found), 0, (*front, *map.results))
        return Side(operand.access.memref, (*[1] * len(found), *sizes), whole, (*ivs, *found))


def _erase_tensors(function: func.FuncOp) -> None:
    """Erase the stores and everything that only they needed."""
    for store in stores_of(function):
        store.erase()
    erase_dead_ops(function)
