"""`kt trace`: screen, trace events, pictures."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest


@pytest.fixture
def add(kernels):
    return kernels / "add_single.mlir"


def test_screen(kt, add):
    done = kt("trace", add, "--device", "toy", "--width", "100")
    assert done.code == 0
    for words in ("@add_single on toy", "limited by", "MAIN → DMAI", "PAD:", "timeline", "C0-vpu"):
        assert words in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_trace_events_add_up_to_the_report(kt, add, tmp_path):
    data = kt("trace", add, "--device", "toy", "-o", "t.json", "--json").json
    trace = json.loads((tmp_path / "t.json").read_text())
    assert trace["otherData"]["cycles"] == data["cycles"]
    names = {
        (e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"
    }
    sums = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            key = (names[event["pid"], event["tid"]], event["cat"])
            sums[key] = sums.get(key, 0) + event["dur"]
            assert event["ts"] + event["dur"] <= data["cycles"]
    for unit, times in data["units"].items():
        for kind in ("busy", "stall_in", "stall_out", "sync"):
            assert sums.get((unit, kind), 0) == times[kind]
        assert sum(times.values()) == data["cycles"]


def test_links_carry_what_memories_move(kt, add):
    data = kt("trace", add, "--device", "toy", "--json").json
    for kind, traffic in data["bytes"].items():
        out = sum(n for name, n in data["links"].items() if name.startswith(f"{kind} ->"))
        into = sum(n for name, n in data["links"].items() if name.endswith(f"-> {kind}"))
        assert (out, into) == (traffic["moved_read"], traffic["moved_written"])


def test_bounds_are_below_the_cycles(kt, add):
    data = kt("trace", add, "--device", "toy", "--json").json
    assert data["bounds"]
    assert all(0 <= cycles <= data["cycles"] for cycles in data["bounds"].values())


def test_work_is_counted(kernels):
    """12 x 192 additions over 3 arrays of f16."""
    from kt.parse import parse_path
    from kt.passes.compiler import Compilation
    from kt.sim.inputs import generate_arguments
    from kt.sim.runtime import Runtime
    from kt.sim.simulate import find_function
    from kt.view.roofline import roofline

    compilation = Compilation.start(parse_path(kernels / "add_single.mlir"), "toy")
    arguments = generate_arguments(compilation.module, find_function(compilation.module), 0)
    compilation.lower()
    program = compilation.encode()
    kernel = Runtime(compilation.device, trace=True).load(program)
    kernel(arguments)
    found = roofline(kernel.last, program, compilation.device)
    assert found.work == 12 * 192
    assert found.traffic == 3 * 12 * 192 * 2


def test_pictures(kt, add, tmp_path):
    assert kt("trace", add, "--device", "toy", "--svg", "t.svg", "--roofline", "r.svg").code == 0
    for name in ("t.svg", "r.svg"):
        ElementTree.fromstring((tmp_path / name).read_text())
