"""A device that executes programs: its memories keep their contents from launch to launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from kt.binary.model import Unit
from kt.binary.plans import Call
from kt.binary.program import Program
from kt.sim.engine.code import Mode, needs_data
from kt.sim.engine.costs import Costs
from kt.sim.engine.launch import LaunchRun
from kt.sim.engine.loaded import LoadedImage
from kt.sim.engine.stores import UNKNOWN_SIZE, Store, Traffic
from kt.sim.engine.timeline import Event, UnitTimes
from kt.sim.engine.vectors import constant_value, template_functions

if TYPE_CHECKING:
    from kt.arch import Device

MAX_TRIPS = 1 << 32
"""Trips of loops that one unit may make in one launch."""


@define
class LaunchResult:
    """What a launch took."""

    cycles: int
    units: dict[str, UnitTimes]
    events: list[Event]
    links: dict[tuple[str, str], int]
    """Bytes that moved between memories and units, by the kinds of both, in the direction of flow."""
    skipped: int = 0
    """Cycles that were not run, since they repeat others."""


@define(eq=False)
class DeviceMachine:
    """The simulated device. Memories exist once they are used.

    ``checks``: a read of bytes that were never written is an error. ``mode`` says what runs do;
    ``max_trips`` bounds the loops of every unit.
    """

    device: Device
    checks: bool = True
    mode: Mode = field(factory=Mode)
    max_trips: int = MAX_TRIPS
    costs: Costs = field(init=False)
    stores: dict[tuple[str, int], Store] = field(factory=dict)
    """By kind, and number of the resource on the device (or of the unit, for its registers)."""

    def __attrs_post_init__(self) -> None:
        self.costs = Costs(self.device)

    # -- memories --------------------------------------------------------------------------------

    def memory(self, kind: str, core: int = 0) -> Store:
        """The memory of a kind as a core sees it."""
        node = self.device.memory(kind, core)
        key = (str(node.kind), node.index)
        if key not in self.stores:
            name = str(node.kind) if node.core is None else f"{node.kind} of core {node.core}"
            self.stores[key] = self._new(name, str(node.kind), node.size)
        return self.stores[key]

    def store(self, program: Program, place: Unit, user: Unit) -> Store:
        """The memory behind a memory unit, as the unit ``user`` sees it."""
        assert place.memory is not None
        info = program.memories[place.memory]
        if info.scope != "unit":
            core = info.core if info.core is not None else user.core
            return self.memory(info.kind, core or 0)
        node = self.device.unit(user.kind, user.core or 0, user.corelet or 0)
        key = (info.kind, -1 - node.index)
        if key not in self.stores:
            made = self._new(f"{info.kind} of {user.name}", info.kind, info.size)
            made.private = True
            self.stores[key] = made
        return self.stores[key]

    def _new(self, name: str, kind: str, size: int | None) -> Store:
        store = Store(name, kind, size or UNKNOWN_SIZE)
        if not self.checks or not self.mode.data:
            store.valid = None
        return store

    def traffic(self) -> dict[str, Traffic]:
        """Bytes that moved so far, by memory kind, in order of first use."""
        found: dict[str, Traffic] = {}
        for store in self.stores.values():
            found.setdefault(store.kind, Traffic()).add(store.traffic)
        return found

    # -- programs --------------------------------------------------------------------------------

    def load(self, program: Program) -> list[LoadedImage]:
        """All images of a program, compiled for this device."""
        templates = template_functions(program.templates)
        loaded = []
        for number, image in enumerate(program.images):
            data = self.mode.data or needs_data(image)
            mode = evolve(self.mode, data=data, extrapolate=self.mode.extrapolate and not data)
            constants: list[Any] = [
                constant_value(c, templates) if mode.data else None for c in image.constants
            ]
            loaded.append(LoadedImage.of(self, program, number, mode, constants))
        return loaded

    def launch(self, loaded: LoadedImage, call: Call) -> LaunchResult:
        """Execute one launch on the memories as they are."""
        loaded.patch(call.symbols)
        self.costs.reset()
        run = LaunchRun(loaded, self.max_trips)
        cycles = run.execute()
        events = run.timeline() if loaded.mode.trace else []
        skipped = run.extrapolation.cycles if run.extrapolation is not None else 0
        return LaunchResult(cycles, run.times(cycles), events, run.links, skipped)
