"""The timed kernels run close to what the device could do at best."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import script

import kt
from kt.sim.functions import find_function
from kt.sim.inputs import generate_arguments

FOLDER = Path(__file__).parent.parent / "benchmarks"
SCHEDULE = script(FOLDER / "schedule.py")


def ratio(path: Path, mode: str) -> float:
    device, module = kt.device("spyre"), kt.parse_file(path)
    arguments = generate_arguments(module, find_function(module))
    least, _ = SCHEDULE.bound(module, arguments, device)
    return SCHEDULE.measure(module, arguments, device, mode).cycles / least


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["add_4096", "silu_4096", "softmax_4096", "row_sum_8192"])
def test_large_kernels_reach_the_bound(name):
    assert 0.99 < ratio(FOLDER / "kernels" / f"{name}.mlir", "capacity") <= 1.25


def test_the_bound_counts_each_byte_once():
    path = Path(__file__).parent / "corpus" / "kernels" / "add_grid32.mlir"
    device, module = kt.device("spyre"), kt.parse_file(path)
    arguments = generate_arguments(module, find_function(module))
    least, limit = SCHEDULE.bound(module, arguments, device)
    moved = sum(a.nbytes for a in arguments.values())
    memory, unit = device.global_memory, device.compute_kind
    fill = device.route(memory.kind, unit).latency + device.route(unit, memory.kind).latency
    assert limit == "memory"
    assert least == moved / memory.bandwidth + fill
