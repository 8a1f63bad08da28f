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


EVENTS = {
    # What Perfetto's importer of Chrome traces reads of each phase: field -> type.
    "M": {"name": str, "ph": str, "pid": int, "tid": int, "args": dict},
    "X": {
        "name": str, "cat": str, "ph": str, "ts": (int, float), "dur": (int, float), "pid": int,
        "tid": int, "args": dict,
    },
}  # fmt: skip
METADATA = {
    "process_name": {"name": str},
    "process_sort_index": {"sort_index": int},
    "thread_name": {"name": str},
    "thread_sort_index": {"sort_index": int},
}

ARGS = {"dynamic_rows": ["--arg", "n=7"], "branch_int": []}


@pytest.mark.parametrize(("kernel", "device"), [("dynamic_rows", "toy"), ("branch_int", "mesh")])
def test_trace_files_have_perfetto_s_schema(kt, kernels, tmp_path, kernel, device):
    """Object form of Chrome's trace events; slices of a thread nest or follow each other."""
    found = kt("trace", kernels / f"{kernel}.mlir", "--device", device, "-o", "t.json", "--json", *ARGS[kernel])
    assert found.code == 0, found.out
    run = found.json
    trace = json.loads((tmp_path / "t.json").read_text())
    assert set(trace) <= {"traceEvents", "displayTimeUnit", "otherData", "metadata"}
    assert trace["displayTimeUnit"] in ("ms", "ns")
    threads, slices = {}, {}
    for event in trace["traceEvents"]:
        fields = EVENTS[event["ph"]]
        assert set(event) == set(fields)
        assert all(isinstance(event[name], type) for name, type in fields.items())
        if event["ph"] == "M":
            wanted = METADATA[event["name"]]
            assert all(isinstance(event["args"][name], type) for name, type in wanted.items())
            if event["name"] == "thread_name":
                threads[event["pid"], event["tid"]] = event["args"]["name"]
        else:
            assert event["ts"] >= 0 and event["dur"] >= 0
            slices.setdefault((event["pid"], event["tid"]), []).append(event)
    assert set(slices) <= set(threads) and len(set(threads.values())) == len(threads)
    for key, events in slices.items():
        end = 0
        for event in sorted(events, key=lambda e: e["ts"]):
            assert event["ts"] >= end
            end = event["ts"] + event["dur"]
        assert end <= run["cycles"]
        # All that the unit did, and what it was idle for, are the cycles of the run.
        worked = sum(e["dur"] for e in events if e["cat"] == "busy")
        assert worked == run["units"][threads[key]]["busy"]
        assert sum(run["units"][threads[key]].values()) == run["cycles"]


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
    from kt.sim.functions import find_function
    from kt.sim.inputs import generate_arguments
    from kt.sim.runtime import Runtime
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
