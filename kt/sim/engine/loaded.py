"""A program image on a device: compiled, bound to memories, ready to be launched again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.binary.isa import Op
from kt.binary.model import Image, Stream, Unit
from kt.binary.program import Program
from kt.ir.diagnostics import RunError
from kt.sim.engine.access import Accessor
from kt.sim.engine.channels import Fifo, Tokens
from kt.sim.engine.code import Mode, Writer
from kt.sim.engine.process import Process
from kt.sim.engine.steady import LoopFacts, loop_facts

if TYPE_CHECKING:
    from kt.sim.engine.machine import DeviceMachine


@define(eq=False)
class LoadedImage:
    """An image with its processes and queues. A launch changes the entries of relocated tables only."""

    machine: DeviceMachine
    program: Program
    number: int
    mode: Mode
    constants: list[Any]
    processes: list[Process] = field(factory=list)
    fifos: dict[tuple[int, int], Fifo] = field(factory=dict)
    tokens: dict[tuple[int, int], Tokens] = field(factory=dict)
    _places: list[list[tuple[list[int], int]]] = field(factory=list)
    """Per symbol: the entries (tables of a process, number) that hold it."""
    _symbols: tuple[int, ...] = ()
    _facts: dict[tuple[int, int, tuple[int, ...]], LoopFacts | None] = field(factory=dict)

    @classmethod
    def of(
        cls, machine: DeviceMachine, program: Program, number: int, mode: Mode, constants: list[Any]
    ) -> LoadedImage:
        """Compile the streams and bind every process to its memories."""
        made = cls(machine, program, number, mode, constants)
        first: list[int] = []
        for index, stream in enumerate(made.image.streams):
            first.append(len(made.processes))
            made._add_stream(index, stream)
        made._places = [[] for _ in made.image.symbols]
        for at in made.image.relocations:
            process = made.processes[first[at.stream] + at.ordinal]
            made._places[at.symbol].append((process.tables, at.table))
        return made

    @property
    def image(self) -> Image:
        return self.program.images[self.number]

    def _add_stream(self, index: int, stream: Stream) -> None:
        machine, costs = self.machine, self.machine.costs
        kind = stream.kind
        writer = Writer(
            self.image, stream, self.mode, costs.issue(kind), costs.sync(kind),
            lambda op: costs.vector_op(kind, op),
        )  # fmt: skip
        source = writer.compile()
        stores = frozenset(
            [x.imm for x in stream.code if x.op is Op.STV]
            + [x.store for x in stream.code if x.op is Op.XFER]
        )
        layouts: list[dict] = [{} for _ in stream.accesses]
        for ordinal, unit in enumerate(stream.units):
            tables = [table.values[ordinal] for table in stream.tables]
            accessors = []
            for at, access in enumerate(stream.accesses):
                user, place = self.program.units[unit], self.program.units[tables[access.table]]
                store = machine.store(self.program, place, user)
                way = costs.memory_way(user, store, place, at in stores)
                accessors.append(Accessor(access, store, way, layouts[at]))
            name = self.program.units[unit].name
            process = Process(
                len(self.processes), index, unit, name, tables, accessors, stores,
                self.constants, source,
            )  # fmt: skip
            self.processes.append(process)

    def patch(self, symbols: tuple[int, ...]) -> int:
        """Put the values of symbols into the tables; returns how many had changed."""
        changed = 0
        known = self._symbols
        if known == symbols:
            return 0
        for number, value in enumerate(symbols):
            if not known or known[number] != value:
                changed += 1
                for tables, at in self._places[number]:
                    tables[at] = value
        self._symbols = symbols
        return changed

    def loop_facts(self, process: Process, pc: int) -> LoopFacts | None:
        """What is known about the trips of a loop."""
        granules = tuple(accessor.way.granule for accessor in process.accessors)
        key = (process.stream, pc, granules)
        if key not in self._facts:
            self._facts[key] = loop_facts(self.image.streams[process.stream], granules, pc)
        return self._facts[key]

    # -- queues ----------------------------------------------------------------------------------

    def fifo(self, source: int, target: int) -> Fifo:
        """The FIFO from one unit to another, made on first use."""
        found = self.fifos.get((source, target))
        if found is None:
            ends = self._unit(source), self._unit(target)
            way, depth, size, far = self.machine.costs.queue(*ends)
            found = self.fifos[source, target] = Fifo(source, target, way, depth, size, far)
        return found

    def token_queue(self, source: int, target: int) -> Tokens:
        """The tokens from one unit to another, made on first use."""
        found = self.tokens.get((source, target))
        if found is None:
            self._unit(source)
            self._unit(target)
            found = self.tokens[source, target] = Tokens(source, target)
        return found

    def _unit(self, number: int) -> Unit:
        """A unit by the number that a register holds."""
        if not 0 <= number < len(self.program.units):
            raise RunError(f"names unit {number}, the program has {len(self.program.units)}")
        return self.program.units[number]

    def reset(self) -> None:
        """Nothing is under way."""
        for queue in (*self.fifos.values(), *self.tokens.values()):
            queue.reset()
