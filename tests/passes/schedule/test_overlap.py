"""How many tiles pay: the pipeline's time by hand, and the estimate's facts from a device file."""

from __future__ import annotations

from pathlib import Path

import pytest

import kt
from kt.ir.types import f16
from kt.passes.analysis.buffers import staging_buffers
from kt.passes.analysis.nests import nests, programs
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import normalise, pipeline, schedule_programs
from kt.passes.schedule.overlap import Stage, best_tiles, cycles, estimate
from kt.passes.schedule.plan import plan_of

FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"


def test_time_of_a_pipeline_of_three_stages():
    """Two tiles of 10 + 30, 20 and 5 + 15 cycles: 40 + 20 + 20, and once more the slowest."""
    stages = (Stage(10, 60), Stage(0, 40), Stage(5, 30))
    assert cycles(stages, 1) == 70 + 40 + 35
    assert cycles(stages, 2) == 40 + 20 + 20 + 40


@pytest.mark.parametrize(
    ("stages", "tiles"),
    [
        ((Stage(0, 90), Stage(0, 90), Stage(0, 90)), 4),  # nothing to wait for: as many as there may be
        ((Stage(400, 10), Stage(0, 10), Stage(400, 10)), 1),  # a second tile waits longer than it saves
        ((Stage(0, 0), Stage(0, 900), Stage(0, 0)), 1),  # nothing to overlap
        ((Stage(100, 0), Stage(0, 300), Stage(0, 300)), 3),  # 700, 550, 500, 525
    ],
)
def test_tiles_that_pay(stages, tiles):
    assert best_tiles(stages) == tiles


def test_estimate_reads_the_device_file():
    """A tile of add_single has 12 × 192 f16 = 4,608 bytes; one compute tile has the memory to itself."""
    device = kt.device("toy")
    module = kt.parse_file(FOLDER / "add_single.mlir")
    PassManager([*normalise(), *schedule_programs()]).run(module, PassContext(device=device))
    (nest,) = nests(next(programs(module)))
    trips = [12, 192 // device.lanes(str(device.compute_kind), f16)]
    buffers = staging_buffers(nest, device)
    load, work, store = estimate(nest, buffers, trips, 1, device)
    kind, pad = device.global_memory.kind, buffers[0].memory.kind
    into, back = device.route(kind, pad), device.route(pad, kind)
    memory = device.global_memory.bandwidth
    assert memory and into.bandwidth and back.bandwidth
    assert (load.wait, store.wait) == (into.latency, back.latency)
    assert load.busy == 2 * 4608 / min(into.bandwidth, memory)
    assert store.busy == 4608 / min(back.bandwidth, memory)
    assert work == Stage(0, trips[0] * trips[1])  # one addition of a cycle per vector
    four = estimate(nest, buffers, trips, 4, device)[0]
    assert four.busy == max(4 * 2 * 4608 / memory, 2 * 4608 / into.bandwidth)


@pytest.mark.parametrize(("device", "rows"), [("spyre", 12), ("toy", 3)])
def test_a_small_program_is_cut_where_latency_is_small(device, rows):
    """Each tile waits twice for memory: 400 cycles on spyre, 22 on toy, to move some hundred cycles."""
    module = kt.parse_file(FOLDER / "add_single.mlir")
    PassManager(pipeline("plan")).run(module, PassContext(device=kt.device(device)))
    plan = plan_of(next(programs(module)))
    assert plan is not None and plan.tile[0] == rows
