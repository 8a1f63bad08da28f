"""How long a kernel of the KTIR level takes, from counts of one run and the facts of a device.

Nothing is scheduled: the kernel is charged for what it says. Per tile there are cycles of compute,
of the shared memory, and of exchanges with other tiles. ``cycles`` adds the three up (nothing
overlaps), ``overlapped`` takes the largest (all of it does): a schedule lies in between. Scratchpad
accesses are free in both models.

Model of a device (:class:`DeviceModel`): a vector operation costs ``kt.cost`` cycles for each vector of
the compute unit's lanes, a contraction one multiplication and one addition per vector of products,
both divided over the unit's instances in a core; operations on single integers are address
arithmetic and free. Bytes count in whole granules of the shared memory; its ``kt.bandwidth`` is
divided evenly among the tiles; each access costs the load unit's ``kt.issue``. A delivery costs its
bytes over the slowest link between the two scratchpads, and the links' latency; where no route
leads, it goes through the shared memory.

Model of ktir-cpu (:class:`PeerModel`), as its documentation has it: sticks of 128 bytes at 128
bytes per cycle shared by all tiles; 64 elements per cycle, four times as long for transcendental
functions, 1024 operations per cycle in contractions; casts, integers and shape operations free; a
reduction between tiles passes every partial result around all tiles of the grid at 64 bytes per cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen

from kt.arch import Device, load_device
from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.diagnostics import DeviceError
from kt.sim.machine import LOCAL, Machine
from kt.sim.meter import Meter, Work
from kt.sim.simulate import simulate

CASTS = (
    "arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui",
    "arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui",
    "arith.bitcast", "kt.convert",
)  # fmt: skip


@frozen
class TileCycles:
    """Cycles of one tile by what they are spent on."""

    compute: float
    memory: float
    exchange: float

    @property
    def serial(self) -> float:
        return self.compute + self.memory + self.exchange

    @property
    def overlapped(self) -> float:
        return max(self.compute, self.memory, self.exchange)


@frozen
class Estimate:
    """Cycles per tile and in total, and where the kernel stands under the roofline."""

    model: str
    tiles: tuple[TileCycles, ...]
    flops: int
    """Float operations; a multiplication with its addition counts as two."""
    bytes: int
    """Bytes of the shared memory, in whole granules."""
    exchanged: int
    """Bytes that tiles send each other."""
    peak: float
    """Float operations per cycle of all tiles together."""
    bandwidth: float
    """Bytes per cycle of the shared memory; infinite if unbounded."""

    @property
    def cycles(self) -> float:
        """Of the slowest tile, when nothing overlaps."""
        return max(tile.serial for tile in self.tiles)

    @property
    def overlapped(self) -> float:
        """Of the slowest tile, when compute, memory and exchanges run at the same time."""
        return max(tile.overlapped for tile in self.tiles)

    @property
    def bottleneck(self) -> str:
        """What the slowest tile spends most cycles on."""
        tile = max(self.tiles, key=lambda tile: tile.serial)
        parts = {"compute": tile.compute, "memory": tile.memory, "exchange": tile.exchange}
        return max(parts, key=lambda name: parts[name])

    @property
    def intensity(self) -> float:
        """Float operations per byte of the shared memory."""
        return self.flops / self.bytes if self.bytes else float("inf")

    @property
    def roofline(self) -> float:
        """Cycles below which no schedule gets: all bytes at full bandwidth, all operations at the peak."""
        return max(self.bytes / self.bandwidth, self.flops / self.peak)

    @property
    def attainment(self) -> float:
        """The share of the roofline's speed that the serial estimate reaches."""
        return self.roofline / self.cycles if self.cycles else 1.0

    def to_json(self) -> dict[str, Any]:
        """Plain numbers; tiles as [compute, memory, exchange]."""
        return {
            "model": self.model,
            "cycles": self.cycles,
            "overlapped": self.overlapped,
            "roofline": self.roofline,
            "attainment": self.attainment,
            "bottleneck": self.bottleneck,
            "flops": self.flops,
            "bytes": self.bytes,
            "exchanged": self.exchanged,
            "tiles": [[tile.compute, tile.memory, tile.exchange] for tile in self.tiles],
        }


class Model(Protocol):
    """What turns counts into cycles."""

    def meter(self) -> Meter: ...

    def evaluate(self, meter: Meter) -> Estimate: ...


def estimate(
    module: Operation,
    arguments: Mapping[str, Any] | Sequence[Any] = (),
    func: str | None = None,
    *,
    device: Any = None,
    seed: int = 0,
    checks: bool = True,
) -> Estimate:
    """Run a kernel (as :func:`kt.sim.simulate.simulate` does) and estimate its cycles.

    ``device`` is a :class:`kt.arch.Device`, or what names one; without it the model of ktir-cpu
    answers. The counts depend on the arguments only where accesses or branches do.
    """
    loaded = None if device is None else load_device(device)
    model, machine = model_for(loaded), Machine(device=loaded)
    machine.meter = meter = model.meter()
    simulate(module, arguments, func, checks, machine, seed=seed)
    return model.evaluate(meter)


def model_for(device: Device | None) -> Model:
    """The model of a device; without one that of ktir-cpu."""
    return PeerModel() if device is None else DeviceModel(device)


def float_operations(meter: Meter) -> int:
    """Float operations of all tiles; casts and moves count nothing."""
    total = 0.0
    for (name, kind, _), work in meter.work.items():
        if _is_float(kind) and name not in CASTS and not name.startswith("linalg."):
            total += work.elements.sum() * (2 if name == "matmul" else 1)
    return int(total)


def _is_float(kind: str) -> bool:
    return kind not in ("index",) and kind.lstrip("us")[:1] != "i"


# -- ktir-cpu ------------------------------------------------------------------------------------

TRANSCENDENTAL = (
    "math.exp", "math.log", "math.sin", "math.cos", "math.tanh", "math.rsqrt", "math.sqrt",
    "math.powf", "math.erf",
)  # fmt: skip


@frozen
class PeerModel:
    """The latency model of ktir-cpu with its default facts (spec of the peer, section 6)."""

    stick: int = 128
    memory_bandwidth: float = 128.0
    ring_bandwidth: float = 64.0
    lanes: int = 64
    systolic: int = 1024
    penalty: int = 4

    def meter(self) -> Meter:
        return Meter(granule=self.stick)

    def evaluate(self, meter: Meter) -> Estimate:
        compute = sum(
            (self._cycles(*key, work) for key, work in meter.work.items()), np.zeros(meter.tiles)
        )
        sticks = sum(
            (m.granules for m in meter.memories.values() if m.shared), np.zeros(meter.tiles)
        )
        memory = sticks * self.stick / (self.memory_bandwidth / meter.tiles)
        exchange = meter.exchanged * (meter.tiles - 1)
        return Estimate(
            "ktir-cpu",
            _tiles(compute, memory, exchange / self.ring_bandwidth),
            float_operations(meter),
            int(sticks.sum()) * self.stick,
            int(exchange.sum()),
            float(self.systolic * meter.tiles) if _multiplies(meter) else float(self.lanes * meter.tiles),
            self.memory_bandwidth,
        )  # fmt: skip

    def _cycles(self, name: str, kind: str, single: bool, work: Work) -> np.ndarray:
        if name == "matmul":
            return 2 * work.elements / self.systolic
        if name in CASTS or (single and not _is_float(kind)):
            return np.zeros_like(work.elements)
        factor = self.penalty if name in TRANSCENDENTAL else 1
        return work.elements / self.lanes * factor


def _multiplies(meter: Meter) -> bool:
    return any(name == "matmul" for name, _, _ in meter.work)


def _tiles(compute: Any, memory: Any, exchange: Any) -> tuple[TileCycles, ...]:
    return tuple(
        TileCycles(float(c), float(m), float(e)) for c, m, e in zip(compute, memory, exchange)
    )


# -- a device ------------------------------------------------------------------------------------


@define
class DeviceModel:
    """Costs from a device file; see the text of this module."""

    device: Device
    _kind: Any = field(init=False)
    _instances: int = field(init=False)
    _issue: int = field(init=False)
    _routes: dict[tuple[int, int], tuple[float, int] | None] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        kinds = self.device.compute_kinds
        self._kind = kinds[0] if kinds else None
        core = 0 if self.device.num_cores else None
        self._instances = max(1, len(self.device.instances(self._kind, core))) if kinds else 1
        movers = [u for u in self.device.units if u.moves_data]
        touching = [u for u in movers if self._reaches(u)]
        self._issue = max((u.issue for u in touching or movers), default=1)

    def _reaches(self, unit: Any) -> bool:
        shared = self.device.global_memory
        links = self.device.links_of(unit)
        return any(link.source is shared or link.target is shared for link in links)

    def lanes(self, type: t.Type) -> int:
        """Vector length; for a type that the unit doesn't have, that of its widest one."""
        if self._kind is None:
            return 1
        found = self.device.lanes(self._kind, type)
        known = self.device.element_types(self._kind)
        return found or min((self.device.lanes(self._kind, k) for k in known), default=1)

    def meter(self) -> Meter:
        granule = max(1, self.device.alignment(self.device.global_memory.kind or ""))
        return Meter(granule=granule, lanes=self.lanes)

    def evaluate(self, meter: Meter) -> Estimate:
        compute = np.zeros(meter.tiles)
        for (name, kind, single), work in meter.work.items():
            if not (single and not _is_float(kind)):
                compute += work.vectors * self._cost(name) / self._instances
        bandwidth = float(self.device.global_memory.bandwidth or "inf")
        moved, memory = np.zeros(meter.tiles), np.zeros(meter.tiles)
        for traffic in meter.memories.values():
            if traffic.shared:
                moved += traffic.granules * meter.granule
                memory += traffic.accesses * self._issue
        exchange = np.zeros(meter.tiles)
        sent = 0
        for producer, consumer, size in meter.messages:
            sent += size
            route = self._route(producer, consumer)
            if route is None:
                moved[consumer] += size
                moved[producer] += size
            else:
                exchange[consumer] += size / route[0] + route[1]
        memory += moved * meter.tiles / bandwidth
        return Estimate(
            str(self.device.name),
            _tiles(compute, memory, exchange),
            float_operations(meter),
            int(moved.sum()),
            sent,
            self._peak(meter),
            bandwidth,
        )

    def _cost(self, name: str) -> int:
        if self._kind is None:
            return 1
        if name == "matmul":
            return sum(self.device.cost(self._kind, op) for op in ("arith.mulf", "arith.addf"))
        return 0 if name.startswith("linalg.") else self.device.cost(self._kind, name)

    def _peak(self, meter: Meter) -> float:
        """Float operations per cycle if every one were the cheapest, in the type used most."""
        if self._kind is None:
            return float(meter.tiles)
        used = [kind for _, kind, _ in meter.work if _is_float(kind)]
        lanes = [self.device.lanes(self._kind, k) for k in self.device.element_types(self._kind)
                 if str(k).removeprefix("!spyreop.") in used]  # fmt: skip
        return float(max(lanes or [1]) * self._instances * meter.tiles)

    def _route(self, producer: int, consumer: int) -> tuple[float, int] | None:
        """Bandwidth and latency between two cores' scratchpads; None if no links lead there."""
        key = (producer, consumer)
        if key not in self._routes:
            self._routes[key] = None
            memory = self.device.memory_for_space(LOCAL)
            if memory is not None and memory.kind is not None:
                ends = [self.device.memory(memory.kind, core=core) for core in key]
                try:
                    route = self.device.route_between(ends[0], ends[1], staging=True)
                    self._routes[key] = float(route.bandwidth or "inf"), route.latency
                except DeviceError:
                    pass
        return self._routes[key]
