"""The program of one unit kind, projected out of the work of a function.

Work is walked once per kind: ``execute_on`` of other units is skipped, loops and conditions are
rebuilt around what remains, and every op of the schedule is replaced by what the unit does for it:
by a function that a ``dfir_`` module registers with :func:`lowers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_op
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, dataflow, ktdf, ktdp, memref, scf, tensor, uniform
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

    def per_unit(self, numbers: list[int]) -> Value:
        """A number that each unit that runs the program has its own of."""
        if len(set(numbers)) == 1:
            return self.constants(numbers[0])
        return self.lookup([self.constants(n) for n in numbers])

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

    def memory_handle(self, memory: Memory, peers: Sequence[int] = ()) -> Value:
        """The memory as each unit's core sees it, or as core ``peers[n]`` does for a unit of core n."""
        cores = [peers[core] for core in self.cores] if peers else self.cores
        handles = [self.function.memory(memory, core) for core in cores]
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


def plain_loop(unit: UnitProgram, op: scf.ForOp, builder: Builder) -> None:
    """A loop that carries nothing."""
    bounds = [unit.value(v) for v in op.operands[:3]]
    loop = scf.ForOp.of(bounds[0], bounds[1], bounds[2], location=op.location)
    loop.induction_variable.name_hint = op.induction_variable.name_hint
    unit.env[op.induction_variable] = loop.induction_variable
    builder.insert(loop)
    unit.nested(builder, loop.body, op.body)


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


LOWER: dict[type, Callable[[UnitProgram, Any, Builder], None]] = {}
"""How each op of a schedule is lowered for one unit; without an entry, as arithmetic."""


def lowers(*classes: type) -> Callable[[Callable], Callable]:
    """Decorator: register the lowering of some op classes."""

    def register(function: Callable) -> Callable:
        LOWER.update(dict.fromkeys(classes, function))
        return function

    return register


@lowers(
    scf.YieldOp, ktdf.ParallelYieldOp, ktdp.GetComputeTileIdOp, memref.DeallocOp, ktdf.FifoAllocateOp,
    ktdf.CreateTokenOp, tensor.EmptyOp, dataflow.GetUnitOp, uniform.DefImmutableMappingOp,
    uniform.QueryMapOp,
)  # fmt: skip
def _skip(unit: UnitProgram, op: Operation, builder: Builder) -> None:
    """Nothing to do: made anew where it is needed."""
