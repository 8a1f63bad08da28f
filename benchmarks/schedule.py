"""Modelled cycles of compiled kernels against what the device could do at best.

    python benchmarks/schedule.py [--device spyre mesh] [--mode capacity upstream] [--units] [FILE …]

The bound depends on the kernel and on the device file alone, not on any schedule. It is the largest
of

- distinct bytes of device memory that the kernel reads and writes / ``kt.bandwidth`` of that memory,
- distinct bytes that one tile reads (writes) / bandwidth of its core's way in (out),
- vector operations of one tile times ``kt.cost`` / instances of the compute unit in a core,

plus the latencies of the way from device memory to the compute unit and back: one unloaded fill.
Counts come from one run of the KTIR. Prints cycles / bound for each kernel, device and mode, and for
mode ``upstream``, why upstream's own lowering of those plans would be wrong (kt's adds what is missing);
``--units`` adds what the units of core 0 do with their time. Without files: ``benchmarks/kernels/``
and the corpus of the tests.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field

import kt
from kt.arch import Device
from kt.passes.analysis.nests import programs
from kt.passes.compiler import Compilation, Options
from kt.passes.schedule.plan import plan_of
from kt.passes.schedule.upstream_legality import upstream_violations
from kt.sim.estimate import DeviceModel
from kt.sim.inputs import generate_arguments
from kt.sim.machine import Machine
from kt.sim.meter import Meter
from kt.sim.runtime import Report
from kt.sim.simulate import find_function, simulate

HERE = Path(__file__).parent
SCALARS = {"dynamic_rows": {"n": 21}}
"""Numbers that a kernel of the corpus must be given."""
CORPUS = HERE.parent / "tests" / "corpus" / "kernels"


@define(eq=False)
class DistinctMeter(Meter):
    """A meter that also knows which boxes of the shared memory were accessed: sizes by tile."""

    boxes: dict[tuple[Any, ...], dict[int, int]] = field(factory=dict)

    def box(
        self, bank: Any, address: Any, shape: Any, strides: Any, size: int, tiles: Any, verb: str
    ) -> None:
        super().box(bank, address, shape, strides, size, tiles, verb)
        if self.memories and self.memories[bank.name].shared:
            addresses = np.broadcast_to(np.asarray(address), (len(tiles),))
            for tile, start in zip(tiles, addresses, strict=True):
                key = (verb == "reads", bank.name, int(start), tuple(shape), tuple(strides), size)
                self.boxes.setdefault(key, {})[int(tile)] = int(np.prod(shape, dtype=int)) * size

    def points(self, bank: Any, byte: Any, batched: bool, tiles: Any, size: int, verb: str) -> None:
        super().points(bank, byte, batched, tiles, size, verb)
        if self.memories[bank.name].shared:
            for i, tile in enumerate(tiles):
                places = np.unique(byte[i] if batched else byte)
                key = (verb == "reads", bank.name, places.tobytes(), size)
                self.boxes.setdefault(key, {})[int(tile)] = places.size * size

    def total(self) -> int:
        """Bytes of all boxes, each once."""
        return sum(next(iter(sizes.values())) for sizes in self.boxes.values())

    def most(self, reads: bool) -> int:
        """Bytes that the busiest tile reads or writes."""
        found = np.zeros(self.tiles, dtype=int)
        for key, sizes in self.boxes.items():
            if key[0] == reads:
                for tile, size in sizes.items():
                    found[tile] += size
        return int(found.max(initial=0))


def bound(module: Any, arguments: dict[str, Any], device: Device) -> tuple[float, str]:
    """Least cycles for a kernel, and what limits them."""
    model, machine = DeviceModel(device), Machine(device=device)
    meter = DistinctMeter(granule=model.meter().granule, lanes=model.lanes)
    machine.meter = meter
    simulate(module, {k: _copy(v) for k, v in arguments.items()}, machine=machine)
    memory, compute = device.global_memory, str(device.compute_kind)
    kind = str(memory.kind)
    ways_in, ways_out = device.route(kind, compute), device.route(compute, kind)
    limits = {"compute": max(tile.compute for tile in model.evaluate(meter).tiles)}
    if memory.bandwidth:
        limits["memory"] = meter.total() / memory.bandwidth
    for name, way, size in (
        ("way in", _first(device, ways_in), meter.most(True)),
        ("way out", _first(device, ways_out), meter.most(False)),
    ):
        if way:
            limits[name] = size / way
    most = max(limits, key=lambda name: limits[name])
    return limits[most] + ways_in.latency + ways_out.latency, most


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _first(device: Device, route: Any) -> float | None:
    """Bandwidth of the links of a route that touch the device's memory or the engines there.

    Beyond the core's own memory there are as many ways as instances of the compute unit.
    """
    shared = device.global_memory
    nodes = [n for link in route.links for n in (link.source, link.target)]
    near = {id(n) for n in nodes if _touches(device, n, shared)}
    rates = [x.bandwidth for x in route.links if id(x.source) in near or id(x.target) in near]
    return min((r for r in rates if r), default=None)


def _touches(device: Device, node: Any, shared: Any) -> bool:
    if node is shared:
        return True
    return any(x.source is shared or x.target is shared for x in device.links_of(node))


def measure(module: Any, arguments: dict[str, Any], device: Device, mode: str) -> Report:
    """Cycles of one kernel; only the clock runs, unless the flow of control depends on data."""
    program = kt.compile(module, device, mode=mode)
    for data in (False, True):
        kernel = kt.Runtime(device, checks=False, data=data).load(program)
        try:
            kernel({k: _copy(v) for k, v in arguments.items()})
        except kt.KtError:
            if data:
                raise
            continue
        break
    return kernel.last  # pyright: ignore[reportPossiblyUnbound]


def rows(files: list[Path], devices: list[str], modes: list[str], units: bool) -> Iterator[str]:
    for path in files:
        for name in devices:
            device = kt.device(name)
            module = kt.parse_file(path)
            scalars = SCALARS.get(path.stem)
            arguments = generate_arguments(module, find_function(module), 0, scalars)
            least = limit = None
            for mode in modes:
                start = time.perf_counter()
                head = f"{path.stem:20} {name:7} {mode:9}"
                try:
                    report = measure(module, arguments, device, mode)
                    if least is None:
                        least, limit = bound(module, arguments, device)
                except kt.KtError as error:
                    yield f"{head} refused: {error.message}"
                    continue
                yield (
                    f"{head} {report.cycles:>11,} cycles {least:>11,.0f} bound ({limit:7}) "
                    f"{report.cycles / least:7.2f}x   ({time.perf_counter() - start:.1f} s)"
                )
                if mode == "upstream":
                    yield from (f"    not legal upstream: {why}" for why in objections(module, device))
                if units:
                    yield from unit_rows(report)


def objections(module: Any, device: Device) -> list[str]:
    """Why upstream's own lowering of its plans would be wrong, for all programs of a kernel."""
    options = Options(mode="upstream", verify_each=False)
    planned = Compilation.start(module, device, options=options).lower("plan")
    found: dict[str, None] = {}
    for program in programs(planned):
        plan = plan_of(program)
        assert plan is not None
        for why in upstream_violations(program, plan, device):
            found[f"{program.symbol}: {why.message}"] = None
    return list(found)


def unit_rows(report: Report) -> Iterator[str]:
    """Accounts of the units of the core whose name comes first."""
    first = min((n.partition("-")[0] for n in report.units), default="")
    for name, times in report.units.items():
        if name.partition("-")[0] == first:
            parts = [
                f"{k} {100 * v / max(1, times.cycles):5.1f} %" for k, v in times.to_json().items()
            ]
            yield f"    {name:24} {'  '.join(parts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--device", nargs="+", default=["spyre"])
    parser.add_argument("--mode", nargs="+", default=["capacity", "upstream"])
    parser.add_argument("--units", action="store_true", help="what the units do with their time")
    args = parser.parse_args()
    files = args.files or [
        *sorted((HERE / "kernels").glob("*.mlir")),
        *sorted(CORPUS.glob("*.mlir")),
    ]
    for row in rows(files, args.device, args.mode, args.units):
        print(row, flush=True)


if __name__ == "__main__":
    main()
