"""The timed kernels run close to what the device could do at best."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import kt
from kt.sim.inputs import generate_arguments
from kt.sim.simulate import find_function

FOLDER = Path(__file__).parent.parent / "benchmarks"


@cache
def schedule() -> Any:
    """The benchmark's module."""
    spec = importlib.util.spec_from_file_location("kt_benchmark_schedule", FOLDER / "schedule.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ratio(path: Path, mode: str) -> float:
    device, module = kt.device("spyre"), kt.parse_file(path)
    arguments = generate_arguments(module, find_function(module))
    least, _ = schedule().bound(module, arguments, device)
    return schedule().measure(module, arguments, device, mode).cycles / least


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["add_4096", "silu_4096", "softmax_4096", "row_sum_8192"])
def test_large_kernels_reach_the_bound(name):
    assert 0.99 < ratio(FOLDER / "kernels" / f"{name}.mlir", "capacity") <= 1.25


def test_the_bound_counts_each_byte_once():
    path = Path(__file__).parent / "corpus" / "kernels" / "add_grid32.mlir"
    device, module = kt.device("spyre"), kt.parse_file(path)
    arguments = generate_arguments(module, find_function(module))
    least, limit = schedule().bound(module, arguments, device)
    moved = sum(a.nbytes for a in arguments.values())
    memory, unit = device.global_memory, device.compute_kind
    fill = device.route(memory.kind, unit).latency + device.route(unit, memory.kind).latency
    assert limit == "memory"
    assert least == moved / memory.bandwidth + fill
