"""The program of one unit kind, projected out of the work of a function.

Work is walked once per kind: ``execute_on`` of other units is skipped, loops and conditions are
rebuilt around what remains, and every op of the schedule is replaced by what the unit does for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from kt.ir import types as t
from kt.ir.affine import AffineBinary, AffineConst, AffineDim, AffineExpr
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import (
    affine,
    arith,
    builtin,
    dataflow,
    ktdf,
    ktdf_lowering,
    ktdp,
    memref,
    scf,
    tensor,
    uniform,
)
from kt.ir.effects import is_effect_free
from kt.passes.analysis.index_maps import constant_index
from kt.passes.backend import dfir_views
from kt.passes.backend.dfir_values import (
    DYNAMIC,
    FunctionValues,
    UnitValues,
    unit_cores,
    unit_lookup,
)
from kt.passes.backend.dfir_views import Place, View

if TYPE_CHECKING:
    from kt.arch import Device, Memory


@define(eq=False)
class FunctionUnits:
    """Handles of a function: units by (type, core, corelet), memories made on demand, constants."""

    device: Device
    values: FunctionValues
    units: dict[tuple[str, int, int], Value] = field(factory=dict)
    memories: dict[tuple[str, int | None], Value] = field(factory=dict)
    numbers: dict[int, Value] = field(factory=dict)
    pointers: set[Value] = field(factory=set)
    """Arguments that stand alone as the address of some view: surely pointers."""

    def constant(self, number: int) -> Value:
        if number not in self.numbers:
            self.numbers[number] = self.values.prelude.constant(number)
        return self.numbers[number]

    def memory(self, memory: Memory, core: int) -> Value:
        """The handle of a memory as a core sees it."""
        scope = self.device.scope(memory.kind)
        place = core if scope == "core" else None
        if scope == "group":  # named after the first core that has it
            place = self.device.sharers(self.device.memory(memory.kind, core))[0]  # type: ignore[arg-type]
        tag = self.device.tag(memory.kind)
        key = (tag, place)
        if key not in self.memories:
            attributes = {} if place is None else {"core": IntegerAttr(place, t.i32)}
            self.memories[key] = self.values.prelude.create(
                dataflow.GetUnitOp,
                unit_name=tag if place is None else f"C{place}-{tag}",
                unit_type=tag,
                attributes=attributes,
            ).results[0]
        return self.memories[key]


@define(eq=False)
class UnitProgram:
    """One program unit being built."""

    function: FunctionUnits
    kind: str
    handles: list[Value]
    """The units that run the program."""
    op: dataflow.ProgramUnitOp = field(init=False)
    top: Builder = field(init=False)
    """Inserts in front of the work: tables, symbols, views."""
    work: Block = field(factory=Block)
    cores: list[int] = field(init=False)
    corelets: list[int] = field(init=False)
    launch: UnitValues = field(init=False)
    env: dict[Value, Value] = field(factory=dict)
    """Values of the schedule that the program computes itself."""
    places: dict[Value, Place] = field(factory=dict)
    views: dict[Value, View] = field(factory=dict)
    tables: dict[tuple[Value, ...], Value] = field(factory=dict)
    sums: dict[tuple[Value, Value], Value] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        from kt.ir.core import Region

        body = Block([t.index])
        self.op = dataflow.ProgramUnitOp.build(self.handles, regions=[Region([body])])
        self.top = Builder.at_end(body)
        self.cores = unit_cores(self.handles)
        self.corelets = [max(0, h.defining_op.corelet) for h in self.handles]  # type: ignore[union-attr]
        self.launch = UnitValues(self)

    # -- what the lowering of ops asks -----------------------------------------------------------

    @property
    def device(self) -> Device:
        return self.function.device

    @property
    def values(self) -> FunctionValues:
        return self.function.values

    def constants(self, number: int) -> Value:
        return self.function.constant(number)

    def is_pointer(self, argument: Value) -> bool:
        return argument in self.function.pointers

    def lookup(self, values: list[Value]) -> Value:
        """The value for the unit that runs the program, out of one per unit."""
        key = tuple(values)
        if key not in self.tables:
            handle = self.op.self_handle
            assert handle is not None
            self.tables[key] = unit_lookup(self.top, self.handles, values, handle)
        return self.tables[key]

    def value(self, value: Value) -> Value:
        """A scalar of the schedule inside the program."""
        if value in self.env:
            return self.env[value]
        if self.values.when(value) < DYNAMIC:
            number = constant_index(value) if value.type is t.index else None
            return self.constants(number) if number is not None else self.launch.get(value)
        raise PassError(
            f"unit {self.kind} needs a value that only other units compute", value.location
        )

    def sum_of(self, a: Value, b: Value) -> Value:
        """A launch-time sum, as a value of the function (never used by it, only symbolised)."""
        if (a, b) not in self.sums:
            made = self.values.prelude.create(arith.AddIOp, a, b)
            self.sums[a, b] = made.result
        return self.sums[a, b]

    def memory_handle(self, memory: Memory) -> Value:
        handles = [self.function.memory(memory, core) for core in self.cores]
        return handles[0] if len(set(handles)) == 1 else self.lookup(handles)

    def peer(self, kind: str) -> Value:
        """The unit of another kind on the same core (and of the same instance, if it has several)."""
        tag = self.device.tag(kind)
        found = []
        for core, corelet in zip(self.cores, self.corelets, strict=True):
            unit = self.function.units.get((tag, core, corelet)) or self.function.units.get(
                (tag, core, 0)
            )
            if unit is None:
                raise PassError(f"no peer of kind {kind} for a unit of kind {self.kind}")
            found.append(unit)
        return self.lookup(found)

    def view(self, value: Value, builder: Builder, user: Operation) -> View:
        """The logical view of a memref; made once per program, unless its start changes."""
        place = self.places.get(value)
        if place is None:
            raise PassError(f"no address is known for a memref that unit {self.kind} uses", user.location)
        if value not in self.views:
            where = builder if place.copies else self.top
            self.views[value] = dfir_views.materialise(place, self, where, user)
        return self.views[value]

    # -- the walk --------------------------------------------------------------------------------

    def lower(self, ops: Iterable[Operation], builder: Builder) -> None:
        """Lower those of some ops that concern this unit."""
        for op in ops:
            LOWER.get(type(op), _arithmetic)(self, op, builder)

    def finish(self) -> dataflow.ProgramUnitOp:
        """Put the work behind the tables, end the program."""
        body = self.op.regions[0].block
        for op in self.work.ops:
            body.append(op.detach())
        body.append(dataflow.ReturnOp.build())
        return self.op

    def nested(self, builder: Builder, block: Block, source: Block) -> None:
        """Lower ``source`` into ``block``, ended by a yield. Views made there don't outlive it."""
        before = dict(self.views)
        inside = Builder.at_end(block, builder.location)
        self.lower(source.ops, inside)
        inside.create(scf.YieldOp)
        self.views = before


def _arithmetic(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    """Scalar arithmetic that depends on loops is copied; everything else is known without it."""
    if op.regions or not is_effect_free(op):
        raise PassError(
            f"'{op.name}' can't be lowered for a unit",
            op.location,
            hint="only loops, conditions, transfers, FIFO ops and linalg.generic may stand in stages",
        )
    if unit.values.when(op.results[0]) == DYNAMIC and all(_is_index_like(r.type) for r in op.results):
        mapping = {v: unit.value(v) for v in op.operands}
        copy = builder.insert(clone_op(op, mapping))
        unit.env.update(zip(op.results, copy.results, strict=True))


def _is_index_like(type: t.Type) -> bool:
    return isinstance(type, (t.IndexType, t.IntegerType))


def _skip(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    pass


def plain_loop(unit: UnitProgram, op: scf.ForOp, builder: Builder) -> None:
    """A loop that carries nothing."""
    bounds = [unit.value(v) for v in op.operands[:3]]
    loop = scf.ForOp.of(bounds[0], bounds[1], bounds[2], location=op.location)
    loop.induction_variable.name_hint = op.induction_variable.name_hint
    unit.env[op.induction_variable] = loop.induction_variable
    builder.insert(loop)
    unit.nested(builder, loop.body, op.body)


def _if(unit: UnitProgram, op: scf.IfOp, builder: Builder) -> None:
    made = builder.insert(
        scf.IfOp.of(unit.value(op.condition), with_else=op.has_else, location=op.location)
    )
    for new, old in zip(made.regions, op.regions, strict=True):
        if old.blocks:
            unit.nested(builder, new.block, old.block)


def _execute_on(unit: UnitProgram, op: ktdf_lowering.ExecuteOnOp, builder: Builder) -> None:
    if any(unit.kind == unit.device.kind_of_tag(handle_type(h)) for h in op.units):
        unit.lower(op.body.ops, builder)


def handle_units(handle: Value) -> list[Value]:
    """The units, core by core, that a lookup by the tile id stands for."""
    query = handle.defining_op
    table = query.operands[0].defining_op if isinstance(query, uniform.QueryMapOp) else None
    if not isinstance(table, uniform.DefImmutableMappingOp):
        raise PassError(
            "could not resolve component type for unit operand of ktdf_lowering.execute_on",
            handle.location,
        )
    return list(table.values)


def handle_type(handle: Value) -> str:
    """Lower-cased kind of the units that a handle stands for."""
    unit = handle_units(handle)[0].defining_op
    assert isinstance(unit, dataflow.GetUnitOp)
    return unit.unit_type.value


def _signal(unit: UnitProgram, op: ktdf_lowering.SignalOp, builder: Builder) -> None:
    mine = unit.device.tag(unit.kind)
    handles = [(handle_type(h), handle_units(h)) for h in op.units]
    if not any(tag == mine for tag, _ in handles):
        return
    peers: list[Value] = []
    for tag in dict.fromkeys(tag for tag, _ in handles if tag != mine):
        groups = [units for other, units in handles if other == tag]
        matched = len(groups) > 1 and len(set(unit.corelets)) > 1
        for instance, units in enumerate(groups):
            if matched and instance:
                break
            picked = [
                (groups[corelet] if matched else units)[core]
                for core, corelet in zip(unit.cores, unit.corelets, strict=True)
            ]
            peers.append(unit.lookup(picked))
    wait = IntegerAttr(1, t.i1)
    for peer in peers:
        builder.create(dataflow.SyncSendOp, peer, wait=wait, location=op.location)
    for peer in peers:
        builder.create(dataflow.SyncRecvOp, peer, location=op.location)


def _parallel(unit: UnitProgram, op: ktdf.ParallelOp, builder: Builder) -> None:
    """Each instance runs its contiguous chunk of a one-dimensional range."""
    bounds = [constant_index(v) for v in op.operands]
    if len(bounds) != 3 or bounds[0] != 0 or bounds[2] != 1:
        raise PassError("ktdf.parallel can be lowered for one variable from 0 by 1", op.location)
    total, count = bounds[1], op.num_instances.value
    if total is None:
        lower, upper = _chunk(unit, unit.value(op.upper_bounds[0]), count, builder)
    else:
        chunk = -(-total // count)
        starts = [min(total, i * chunk) for i in unit.corelets]
        ends = [min(total, s + chunk) for s in starts]
        lower, upper = (_per_unit(unit, numbers) for numbers in (starts, ends))
    loop = builder.insert(scf.ForOp.of(lower, upper, unit.constants(1), location=op.location))
    unit.env[op.induction_variables[0]] = loop.induction_variable
    unit.env[op.instance_id] = _per_unit(unit, unit.corelets)
    unit.nested(builder, loop.body, op.body)


def _chunk(unit: UnitProgram, total: Value, count: int, builder: Builder) -> tuple[Value, Value]:
    """First and end of an instance's chunk of a number of iterations that isn't known before."""
    chunk = builder.create(arith.CeilDivSIOp, total, unit.constants(count)).result
    ends = []
    for number in (unit.corelets, [i + 1 for i in unit.corelets]):
        end = builder.create(arith.MulIOp, _per_unit(unit, number), chunk).result
        ends.append(builder.create(arith.MinSIOp, end, total).result)
    return ends[0], ends[1]


def _per_unit(unit: UnitProgram, numbers: list[int]) -> Value:
    if len(set(numbers)) == 1:
        return unit.constants(numbers[0])
    return unit.lookup([unit.constants(n) for n in numbers])


# -- memrefs -------------------------------------------------------------------------------------------


def _memory_view(unit: UnitProgram, op: ktdp.ConstructMemoryViewOp, builder: Builder) -> None:
    unit.places[op.results[0]] = dfir_views.of_memory_view(op, unit)


def _memref_cast(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    place = unit.places.get(op.operands[0])
    if place is not None:
        unit.places[op.results[0]] = dfir_views.through_cast(op, place, unit)


def _buffer(unit: UnitProgram, op: builtin.UnrealizedConversionCastOp, builder: Builder) -> None:
    """A buffer with an address in bytes, which may depend on the core: dense and row-major."""
    type = op.results[0].type
    if not isinstance(type, t.MemRefType):
        raise PassError("a conversion to something other than a buffer can't be lowered", op.location)
    addresses = [unit.values.number_on_core(op.operands[0], core) for core in unit.cores]
    strides, _ = type.strides_and_offset()
    memory = unit.device.memory_for_space(type.memory_space)
    shifts = tuple(a - addresses[0] for a in addresses)
    unit.places[op.results[0]] = Place(
        memory, type.element_type, type.shape, strides, start=addresses[0],
        shifts=shifts if any(shifts) else (),
    )  # fmt: skip


def _select_memref(unit: UnitProgram, op: ktdf.SelectMemrefOp, builder: Builder) -> None:
    candidates = [unit.places[c] for c in op.candidates]
    first = candidates[0]
    unit.places[op.results[0]] = evolve(
        first, start=0, copies=tuple(c.start for c in candidates), phase=op.phase
    )


def _buffer_phase(unit: UnitProgram, op: ktdf.BufferPhaseOp, builder: Builder) -> None:
    """Number of the iteration over the listed loops, modulo the copies."""
    number: Value | None = None
    for iv in op.ivs:
        loop = iv.parent_block.parent_op  # type: ignore[union-attr]
        assert isinstance(loop, scf.ForOp)
        here = unit.value(iv)
        if number is None:
            number = here
        else:
            scaled = builder.create(arith.MulIOp, number, unit.value(loop.upper_bound)).result
            number = builder.create(arith.AddIOp, scaled, here).result
    assert number is not None
    copies = unit.constants(op.num_phases.value)
    unit.env[op.phase] = builder.create(arith.RemUIOp, number, copies).result


# -- index arithmetic ----------------------------------------------------------------------------------


def _derive_size(unit: UnitProgram, op: ktdf.DeriveSizeOp, builder: Builder) -> None:
    """What is left of the total after the outer tiles, at most a tile."""
    left = unit.value(op.total_size)
    zero = unit.constants(0)
    for iv, tile in op.pairs:
        size = unit.value(tile)
        done = builder.create(arith.MulIOp, unit.value(iv), size).result
        left = builder.create(arith.SubIOp, left, done).result
        left = builder.create(arith.MaxSIOp, left, zero).result
        left = builder.create(arith.MinSIOp, left, size).result
    unit.env[op.size] = left


def _linearize(unit: UnitProgram, op: ktdf.LinearizeIndexOp, builder: Builder) -> None:
    total: Value | None = None
    for iv, stride in op.pairs:
        part = unit.value(iv)
        if constant_index(stride) != 1:
            part = builder.create(arith.MulIOp, part, unit.value(stride)).result
        total = part if total is None else builder.create(arith.AddIOp, total, part).result
    assert total is not None
    unit.env[op.results[0]] = total


def _affine(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    """``affine.apply``, ``min`` and ``max`` as plain arithmetic, where they depend on loops."""
    if unit.values.when(op.results[0]) < DYNAMIC:
        return
    operands = [unit.value(v) for v in op.operands]
    map = op.attr("map").map
    parts = [expand(e, operands, map.num_dims, unit, builder) for e in map.results]
    combine: Any = {"affine.min": arith.MinSIOp, "affine.max": arith.MaxSIOp}.get(op.name)
    total = parts[0]
    for part in parts[1:]:
        total = builder.create(combine, total, part).result
    unit.env[op.results[0]] = total


_ARITHMETIC: dict[str, Any] = {
    "add": arith.AddIOp, "mul": arith.MulIOp, "mod": arith.RemSIOp,
    "floordiv": arith.FloorDivSIOp, "ceildiv": arith.CeilDivSIOp,
}  # fmt: skip


def expand(
    expr: AffineExpr, operands: list[Value], num_dims: int, unit: UnitProgram, builder: Builder
) -> Value:
    """An affine expression over non-negative operands as arithmetic ops."""
    if isinstance(expr, AffineConst):
        return unit.constants(expr.value)
    if isinstance(expr, AffineBinary):
        lhs = expand(expr.lhs, operands, num_dims, unit, builder)
        rhs = expand(expr.rhs, operands, num_dims, unit, builder)
        return builder.create(_ARITHMETIC[expr.kind], lhs, rhs).result
    position = expr.position if isinstance(expr, AffineDim) else num_dims + expr.position  # type: ignore[attr-defined]
    return operands[position]


LOWER: dict[type, Callable[[UnitProgram, Any, Builder], None]] = {
    scf.IfOp: _if,
    scf.YieldOp: _skip,
    ktdf.ParallelOp: _parallel,
    ktdf.ParallelYieldOp: _skip,
    ktdf_lowering.ExecuteOnOp: _execute_on,
    ktdf_lowering.SignalOp: _signal,
    ktdp.ConstructMemoryViewOp: _memory_view,
    ktdp.GetComputeTileIdOp: _skip,
    memref.MemorySpaceCastOp: _memref_cast,
    memref.ReinterpretCastOp: _memref_cast,
    memref.CastOp: _memref_cast,
    memref.DeallocOp: _skip,
    builtin.UnrealizedConversionCastOp: _buffer,
    ktdf.SelectMemrefOp: _select_memref,
    ktdf.BufferPhaseOp: _buffer_phase,
    ktdf.DeriveSizeOp: _derive_size,
    ktdf.LinearizeIndexOp: _linearize,
    ktdf.FifoAllocateOp: _skip,
    ktdf.CreateTokenOp: _skip,
    affine.ApplyOp: _affine,
    affine.MinOp: _affine,
    affine.MaxOp: _affine,
    tensor.EmptyOp: _skip,
    dataflow.GetUnitOp: _skip,
    uniform.DefImmutableMappingOp: _skip,
    uniform.QueryMapOp: _skip,
}
"""How each op of a schedule is lowered for one unit; dfir_moves and dfir_compute add theirs."""


def lowers(*classes: type) -> Callable[[Callable], Callable]:
    """Decorator: register the lowering of some op classes."""

    def register(function: Callable) -> Callable:
        LOWER.update(dict.fromkeys(classes, function))
        return function

    return register


