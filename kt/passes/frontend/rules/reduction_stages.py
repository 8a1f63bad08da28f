"""Load, compute and store stages of a reduction: loops inside the stages, accumulators in registers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from attrs import define, field

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.attributes import DenseElementsAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import fuse
from kt.ir.dialects import arith, func, ktdf, linalg, scf, tensor
from kt.ir.dialects.ktdf_types import PARALLEL_LOOP, REDUCTION_LOOP, FifoSlotType, token
from kt.passes.analysis.iteration import Mixed, Operand, lane_coefficient, stage_map
from kt.passes.analysis.nests import set_loop_dim
from kt.passes.analysis.structured import combiner_of
from kt.passes.analysis.target import compute_unit
from kt.passes.frontend.rules.accumulators import identity_attr
from kt.passes.frontend.rules.pipelines import (
    Resources,
    Side,
    open_pipeline,
    open_stage,
    transfer,
    vector_size,
)
from kt.passes.frontend.rules.reductions import ReductionProgram


@define(eq=False)
class ReductionBuilder:
    """Builds the loops over vectors of the output and the pipeline inside.

    The stages repeat the loops of the reduction::

        stage { transfer start → slot ; for %k { transfer %x[%i, %k] → slot } }
        stage { %a = read ; %s = for %k iter_args(%a) { %v = read ; yield generic(%v, %a) } ; write %s }
        stage { transfer slot → %y[%i] }

    An epilogue is computed behind the loops, and its other operands are loaded there.
    """

    function: func.FuncOp
    program: ReductionProgram
    device: Device
    ivs: dict[int, Value] = field(factory=dict)
    size: Mixed = 0
    """Elements of the current vector, of a parallel loop."""
    slots: dict[int, Value] = field(factory=dict)

    def build(self) -> None:
        program, end = self.program, self.function.entry.terminator
        assert end is not None
        build = Builder.before(end, program.store.op.location)
        for d in program.parallel_order:
            build = self.loop(build, d, PARALLEL_LOOP)
        self.size = 1 if program.along_reduction else self.vector_size(build)
        build.location = fuse([*(o.op.location for o in program.all_loads), build.location])
        _, inside = open_pipeline(build)
        self.stages(inside)

    def loop(self, build: Builder, d: int, kind: object) -> Builder:
        """A loop over one dimension; returns a builder in its body."""
        program = self.program
        extent = program.extents[d]
        upper = build.constant(extent) if isinstance(extent, int) else extent
        step = program.lanes if d == program.vector else 1
        loop = scf.ForOp.of(
            build.constant(0), upper, build.constant(step), location=build.location
        )
        loop.attributes["loop_type"] = kind  # type: ignore[assignment]
        set_loop_dim(loop, d)
        build.insert(loop)
        self.ivs[d] = loop.induction_variable
        loop.body.append(scf.YieldOp.build([], location=build.location))
        return Builder(loop.body, loop.body.last_op, build.location)

    def vector_size(self, build: Builder) -> Mixed:
        """Elements of the current vector."""
        program = self.program
        return vector_size(build, program.extents[program.vector], program.lanes, self.ivs[program.vector])

    def stages(self, build: Builder) -> None:
        program = self.program
        resources = Resources()
        operands = [*program.all_loads, program.store]
        numbers = {
            o.number: resources.add(self.slot_type(o), o.number, o.op.location) for o in operands
        }
        tokens = [resources.add(token, None, build.location) for _ in range(3)]
        resources.build(build)
        self.slots = {o.number: resources[numbers[o.number]] for o in operands}
        loaded, computed, stored = (resources[n] for n in tokens)
        place = fuse([o.op.location for o in program.all_loads])
        _, inside = open_stage(build, [], [loaded], location=place)
        self.load_stage(inside)
        unit = compute_unit(self.device)
        _, inside = open_stage(build, [loaded], [computed], [unit], program.body.location)
        _Compute(self, inside).run()
        store = program.store
        _, inside = open_stage(build, [computed], [stored], location=store.op.location)
        box = self.box(store, self.size)
        cut = "pad" if self.is_short(store, self.size) else None
        transfer(inside, Side(self.slots[store.number], self.full_shape(store)), box, cut)

    # -- loading ----------------------------------------------------------------------------------

    def load_stage(self, build: Builder) -> None:
        """What stays the same, then what varies, in the loops of the reduction, then the extras."""
        program = self.program
        for operand in program.all_loads:
            if not program.varies(operand) and operand not in program.extras:
                self.load(build, operand, self.size)
        inside = build
        for d in program.reduced_order:
            inside = self.loop(inside, d, REDUCTION_LOOP)
        size = self.vector_size(inside) if program.along_reduction else self.size
        for operand in program.loads:
            if program.varies(operand):
                self.load(inside, operand, size)
        for operand in program.extras:
            self.load(build, operand, self.size)

    def load(self, build: Builder, operand: Operand, size: Mixed) -> None:
        slot = Side(self.slots[operand.number], self.full_shape(operand))
        mode = "pad" if self.is_short(operand, size) else None
        transfer(build, self.box(operand, size), slot, mode, operand.op.location)

    # -- operands ---------------------------------------------------------------------------------

    def full_shape(self, operand: Operand) -> tuple[int, ...]:
        """Shape of one full vector of an operand: the lanes along one axis, 1 along the others."""
        return self.shape_of(operand.map)

    def shape_of(self, map: AffineMap) -> tuple[int, ...]:
        program = self.program
        return tuple(
            program.lanes if lane_coefficient(e, program.vector) else 1 for e in map.results
        )

    def is_short(self, operand: Operand, size: Mixed) -> bool:
        return self.program.lanes in self.full_shape(operand) and size != self.program.lanes

    def slot_type(self, operand: Operand) -> FifoSlotType:
        memory = self.device.memory(operand.access.memory).kind_attr
        unit = compute_unit(self.device)
        ends = (unit, memory) if operand is self.program.store else (memory, unit)
        return FifoSlotType(*ends, math.prod(self.full_shape(operand)), operand.element_type)

    def box(self, operand: Operand, size: Mixed) -> Side:
        """The part of an operand's memory that the current vector covers."""
        vector = self.program.vector
        sizes = [size if lane_coefficient(e, vector) else 1 for e in operand.map.results]
        map = operand.map.drop_unused_dims()
        indices = tuple(self.ivs[d] for d in operand.map.used_dims)
        return Side(operand.access.memref, tuple(sizes), map, indices)


@define(eq=False)
class _Compute:
    """The compute stage: accumulators pass from iteration to iteration as values."""

    stages: ReductionBuilder
    build: Builder
    same: dict[int, Value] = field(factory=dict)
    """Operands that were read in front of the loops."""

    @property
    def program(self) -> ReductionProgram:
        return self.stages.program

    @property
    def accumulator(self) -> tuple[t.TensorType, AffineMap]:
        """Type of the accumulators of one vector, and their subscripts from the loops."""
        program = self.program
        shape = self.stages.shape_of(program.output)
        map = stage_map(program.output, program.vector)
        if program.along_reduction:
            shape = (*shape, program.lanes)
            map = AffineMap(map.num_dims, 0, (*map.results, dim(program.vector)))
        element = t.element_type_of(program.body.results[0].type)
        return t.TensorType(shape, element), map

    def run(self) -> None:
        program, build = self.program, self.build
        start = self.start(build)
        for operand in program.loads:
            if not program.varies(operand):
                self.same[operand.number] = self.read(build, operand)
        type, _ = self.accumulator
        total = self.filled(build, type) if program.along_reduction else start
        total = self.loops(build, program.reduced_order, total)
        if program.along_reduction:
            total = self.join_lanes(build, total, start)
        if program.epilogue is not None:
            total = self.epilogue(build, program.epilogue, total)
        slot = self.stages.slots[program.store.number]
        build.create(ktdf.WriteToFifoOp, total, slot, location=program.store.op.location)

    def start(self, build: Builder) -> Value:
        """What the accumulators begin with, one vector (or element) of the output."""
        program = self.program
        values = [self.read(build, operand) for operand in program.starts]
        if isinstance(program.start, Operand):
            return values[0]
        element = t.element_type_of(program.body.results[0].type)
        type = t.TensorType(self.stages.shape_of(program.output), element)
        maps = [*(o.map for o in program.starts), program.output]
        return self.elementwise(build, program.start, values, maps, type)

    def elementwise(
        self,
        build: Builder,
        op: linalg.GenericOp,
        values: Sequence[Value],
        maps: Sequence[AffineMap],
        type: t.TensorType,
    ) -> Value:
        """An op on one vector each of its operands; ``maps`` are from the loops of the reduction."""
        made = linalg.GenericOp.of(
            values, [self.empty(build, type)], *self.outer_loops(maps), location=op.location
        )
        known: dict[Value, Value] = dict(zip(op.input_arguments, made.input_arguments, strict=True))
        for inner in clone_ops(list(op.body.ops), known):
            made.body.append(inner)
        return build.insert(made).results[0]

    def filled(self, build: Builder, type: t.TensorType) -> Value:
        """The identity of the combiner in all lanes."""
        combiner = self.program.combiner
        assert combiner is not None
        identity = build.constant(identity_attr(combiner.op.name, type.element_type))
        same = AffineMap.identity(type.rank)
        made = linalg.GenericOp.of(
            [], [self.empty(build, type)], [same], ["parallel"] * type.rank,
            lambda block, arguments: [identity], location=self.program.body.location,
        )  # fmt: skip
        return build.insert(made).results[0]

    def empty(self, build: Builder, type: t.TensorType) -> Value:
        made = tensor.EmptyOp.of(type.shape, type.element_type, location=self.build.location)
        return build.insert(made).result

    def read(self, build: Builder, operand: Operand) -> Value:
        type = t.TensorType(self.stages.full_shape(operand), operand.element_type)
        slot = self.stages.slots[operand.number]
        return build.create(
            ktdf.ReadFromFifoOp, slot, result_types=[type], location=operand.op.location
        ).result

    # -- accumulating -----------------------------------------------------------------------------

    def loops(self, build: Builder, dims: list[int], total: Value) -> Value:
        """Loops over some reduced dimensions; the last vector of a row is a step of its own."""
        if not dims:
            return self.step(build, total)
        program, (d, *rest) = self.program, dims
        extent = program.extents[d]
        if d != program.vector:
            return self.loop(build, d, extent, 1, total, lambda b, v: self.loops(b, rest, v))
        assert isinstance(extent, int)
        tail = extent % program.lanes
        if extent >= program.lanes:
            total = self.loop(build, d, extent - tail, program.lanes, total, self.step)
        return self.step(build, total, tail) if tail else total

    def loop(
        self,
        build: Builder,
        d: int,
        extent: Mixed,
        step: int,
        total: Value,
        body: Callable[[Builder, Value], Value],
    ) -> Value:
        upper = build.constant(extent) if isinstance(extent, int) else extent
        made = scf.ForOp.of(
            build.constant(0), upper, build.constant(step), [total], location=build.location
        )
        made.attributes["loop_type"] = REDUCTION_LOOP
        set_loop_dim(made, d)
        build.insert(made)
        inside = Builder.at_end(made.body, build.location)
        result = body(inside, made.iter_args[0])
        inside.create(scf.YieldOp, [result])
        return made.results[0]

    def step(self, build: Builder, total: Value, tail: int = 0) -> Value:
        """Accumulate one vector of every operand; with ``tail``, of its first lanes only."""
        program, body = self.program, self.program.body
        values, maps = [], []
        for operand in program.loads:
            value = self.same.get(operand.number)
            values.append(self.read(build, operand) if value is None else value)
            maps.append(stage_map(operand.map, program.vector))
        if tail:
            values.append(self.mask(build, tail))
            maps.append(AffineMap(len(program.extents), 0, (dim(program.vector),)))
        kinds = ["parallel"] * len(program.extents)
        for d in program.reduced:
            if d != program.vector:
                kinds[d] = "reduction"
        made = linalg.GenericOp.of(
            values, [total], [*maps, self.accumulator[1]], kinds, location=body.location
        )
        arguments = list(made.body.arguments)
        inputs = [*arguments[: len(program.loads)], arguments[-1]]
        known: dict[Value, Value] = dict(zip(body.body.arguments, inputs, strict=True))
        for op in clone_ops(list(body.body.ops), known):
            made.body.append(op)
        if tail:
            _mask_term(made, arguments[-2])
        return build.insert(made).results[0]

    def mask(self, build: Builder, tail: int) -> Value:
        type = t.TensorType((self.program.lanes,), t.i1)
        value = DenseElementsAttr.of([lane < tail for lane in range(self.program.lanes)], type)
        return build.create(arith.ConstantOp, value=value, result_types=[type]).results[0]

    def join_lanes(self, build: Builder, total: Value, start: Value) -> Value:
        """Combine the partial results of all lanes with what the accumulators begin with."""
        program, combiner = self.program, self.program.combiner
        assert combiner is not None
        rank = len(total.type.shape)  # type: ignore[attr-defined]
        outer = AffineMap(rank, 0, [dim(d) for d in range(rank - 1)])

        def body(block, arguments):  # type: ignore[no-untyped-def]
            joined = combiner.op
            sides = [arguments[1], arguments[0]]
            made: Operation = type(joined)(
                sides, [joined.result.type], joined.properties, joined.attributes,
                location=joined.location,
            )  # fmt: skip
            block.append(made)
            return [made.results[0]]

        made = linalg.GenericOp.of(
            [total], [start], [AffineMap.identity(rank), outer],
            ["parallel"] * (rank - 1) + ["reduction"], body, location=program.body.location,
        )  # fmt: skip
        return build.insert(made).results[0]


    # -- what follows -----------------------------------------------------------------------------

    def epilogue(self, build: Builder, op: linalg.GenericOp, total: Value) -> Value:
        """The elements of one vector that are stored, from the accumulators and the extras."""
        program = self.program
        extras = iter([(self.read(build, operand), operand.map) for operand in program.extras])
        result = program.body.results[0]
        inputs = [(total, program.output) if v is result else next(extras) for v in op.inputs]
        type = t.TensorType(self.stages.full_shape(program.store), program.store.element_type)
        maps = [*(map for _, map in inputs), program.store.map]
        return self.elementwise(build, op, [value for value, _ in inputs], maps, type)

    def outer_loops(self, maps: Sequence[AffineMap]) -> tuple[list[AffineMap], list[str]]:
        """Subscripts of one vector from the loops of the output alone, and these loops."""
        count, reduced = len(self.program.extents), self.program.reduced
        kept = [d for d in range(count) if d not in reduced]
        loops = [dim(kept.index(d)) if d in kept else const(0) for d in range(count)]
        found = [stage_map(m, self.program.vector) for m in maps]
        return [
            AffineMap(len(kept), 0, [e.replace_dims_and_symbols(loops, ()) for e in m.results])
            for m in found
        ], ["parallel"] * len(kept)


def _mask_term(op: linalg.GenericOp, mask: Value) -> None:
    """Lanes outside the mask contribute the combiner's identity."""
    combiner = combiner_of(op)
    assert combiner is not None
    joined, term = combiner.op, combiner.term
    build = Builder.before(joined)
    identity = build.constant(identity_attr(joined.name, term.type))
    chosen = build.create(arith.SelectOp, mask, term, identity).result
    joined.set_operand(joined.operands.index(term), chosen)
