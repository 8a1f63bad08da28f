"""A device that executes programs: its memories keep their contents from launch to launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from kt.binary.isa import Op
from kt.binary.model import Unit, VectorOp
from kt.binary.plans import Call
from kt.binary.program import Program
from kt.sim.engine.generate import Code, compile_stream
from kt.sim.engine.launch import Event, LaunchRun
from kt.sim.engine.ports import Port
from kt.sim.engine.stores import Store, Traffic
from kt.sim.engine.vectors import constant_function, template_functions

if TYPE_CHECKING:
    from kt.arch import Device


@define(eq=False)
class Costs:
    """What operations cost on a device, in cycles; everything from the device file."""

    device: Device
    _ports: dict[tuple[str, int, bool], Port] = field(factory=dict)

    def issue(self, kind: str) -> int:
        return self.device.issue(kind)

    def sync(self, kind: str) -> int:
        return self.device.sync(kind)

    def port(self, kind: str, store: Store, writes: bool) -> Port:
        """The way from a unit kind to a memory (or back), as the link between them says."""
        key = (kind, id(store), writes)
        if key not in self._ports:
            ends = (kind, store.kind) if writes else (store.kind, kind)
            link = self.device.link(*ends)
            granules = [a.size for a in self.device.granularities(kind, store.kind)]
            self._ports[key] = Port(
                store,
                link.bandwidth if link is not None else None,
                link.latency if link is not None else 0,
                min(granules, default=1),
            )
        return self._ports[key]

    def queue(self, source: Unit, target: Unit) -> tuple[int | None, int | None, int]:
        """Depth, bandwidth (bytes per cycle) and latency of the FIFO between two units."""
        link = self.device.link(source.kind, target.kind)
        if link is None:
            return None, None, 1
        depth = link.queue.depth if link.queue is not None else None
        return depth, link.bandwidth, link.latency

    def vector_op(self, kind: str, op: VectorOp) -> int:
        """Cycles of a vector instruction: its cost per vector, for as many vectors as it has lanes."""
        operands = [o for o in (*op.results, *op.operands) if not o.is_scalar]
        lanes = max((o.lanes for o in operands), default=1)
        width = self._lanes(kind, operands[0].dtype) if operands else 0
        return self.device.cost(kind, op.name.lstrip("@")) * max(1, -(-lanes // max(1, width or lanes)))

    def _lanes(self, kind: str, name: str) -> int:
        for type in self.device.element_types(kind):
            if getattr(type, "dtype_name", str(type)) == name or str(type) == name:
                return self.device.lanes(kind, type)
        return 0


@define(eq=False)
class ImageCode:
    """An image, compiled: a generator function per stream, its constants, accesses that store."""

    streams: list[Callable[[Any], Any]]
    constants: list[Any]
    stores: list[set[int]]


@define(eq=False)
class DeviceMachine:
    """The simulated device.

    ``checks`` tracks bytes that were never written. Memories exist once they are used.
    """

    device: Device
    checks: bool = True
    costs: Costs = field(init=False)
    stores: dict[tuple[str, int | None], Store] = field(factory=dict)
    _code: dict[tuple[int, int], tuple[Program, ImageCode]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.costs = Costs(self.device)

    def memory(self, kind: str, place: int | None, size: int) -> Store:
        """The memory of a kind at a place (a core, a unit, or None for what all share)."""
        key = (kind, place)
        if key not in self.stores:
            known = self.device.memory_for_space(kind)
            bandwidth = known.bandwidth if known is not None else None
            name = kind if place is None else f"{kind} of core {place}"
            store = Store(name, kind, size or 1 << 40, bandwidth)
            if not self.checks:
                store.valid = None
            self.stores[key] = store
        return self.stores[key]

    def store(self, program: Program, place: Unit, user: int) -> Store:
        """The memory behind a memory unit, as the unit ``user`` sees it."""
        assert place.memory is not None
        info = program.memories[place.memory]
        if info.scope == "device":
            at = None
        elif info.scope == "core":
            at = info.core if info.core is not None else program.units[user].core
        else:
            at = user
        return self.memory(info.kind, at, info.size)

    def code(self, program: Program, image: int) -> ImageCode:
        """The compiled image; kept while the program is."""
        key = (id(program), image)
        found = self._code.get(key)
        if found is None or found[0] is not program:
            found = self._code[key] = (program, self._compile(program, image))
        return found[1]

    def _compile(self, program: Program, number: int) -> ImageCode:
        image = program.images[number]
        templates = template_functions(program.templates)
        streams, writes = [], []
        for stream in image.streams:
            stored = {x.imm for x in stream.code if x.op is Op.STV}
            stored |= {x.store for x in stream.code if x.op is Op.XFER}
            shared = []
            for access in stream.accesses:
                unit = program.units[stream.tables[access.table].values[0]]
                kind = program.memories[unit.memory].kind if unit.memory is not None else ""
                memory = self.device.memory_for_space(kind)
                shared.append(memory is not None and memory.bandwidth is not None)
            kind = stream.kind
            code = Code(image, stream, tuple(shared), lambda op, k=kind: self.costs.vector_op(k, op))
            streams.append(compile_stream(code, f"<{image.name}:{stream.kind}>"))
            writes.append(stored)
        constants = [constant_function(c, templates) for c in image.constants]
        return ImageCode(streams, constants, writes)

    def launch(self, program: Program, call: Call, trace: bool = False) -> LaunchResult:
        """Execute one launch on the memories as they are."""
        for store in self.stores.values():
            store.free = 0
        run = LaunchRun(self, program, call, trace)
        cycles = run.execute()
        units = {
            p.name: UnitTimes(p.busy, p.stall_in, p.stall_out, p.stall_sync) for p in run.processes
        }
        return LaunchResult(cycles, units, run.events)

    def traffic(self) -> dict[str, Traffic]:
        """Bytes that moved so far, by memory kind, in order of first use."""
        found: dict[str, Traffic] = {}
        for store in self.stores.values():
            found.setdefault(store.kind, Traffic()).add(store.traffic)
        return found


@define
class UnitTimes:
    """Cycles of one unit: at work, and waiting for vectors, for space, for tokens."""

    busy: int = 0
    stall_in: int = 0
    stall_out: int = 0
    sync: int = 0


@define
class LaunchResult:
    """What a launch took."""

    cycles: int
    units: dict[str, UnitTimes]
    events: list[Event]


