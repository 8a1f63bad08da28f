"""Reports from runs made up by hand: what the numbers say is what the screen says."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from attrs import evolve

from kt.binary import Program
from kt.binary.model import MemoryInfo, Unit
from kt.ir.diagnostics import FileLoc
from kt.sim.engine.stores import Traffic
from kt.sim.engine.timeline import Event, UnitTimes
from kt.sim.runtime import Report
from kt.view import timeline
from kt.view.bounds import summarise
from kt.view.buffers import buffers_of
from kt.view.report import render_report
from kt.view.roofline import Roofline
from kt.view.roofline import svg as roofline_svg
from kt.view.scratchpad import Buffer
from kt.view.timeline import axis, buckets, cell, trace_json

PLACE = FileLoc.at("k.mlir", 7, 3)


def program() -> Program:
    return Program(
        metadata={"kernel": "k", "device": {"name": "d"}, "grid": [1]},
        arguments=(),
        units=(
            Unit("C0-mover", "MOVER", 0, None, None),
            Unit("C0-alu", "ALU", 0, None, None),
            Unit("big", "BIG", None, None, 0),
        ),
        memories=(MemoryInfo("BIG", "device", 1 << 20, None),),
        expressions=(), images=(), sites=(), plan=(),
    )  # fmt: skip


def report() -> Report:
    """100 cycles: the mover works 80, then waits; the ALU waits 60 for data, works 30, idles."""
    events = [
        Event("C0-mover", "busy", 0, 80, 3, "move", PLACE, "p"),
        Event("C0-mover", "sync", 80, 100, 4, "signal", PLACE, "p"),
        Event("C0-alu", "stall_in", 0, 60, 1, "receive", PLACE, "p"),
        Event("C0-alu", "busy", 60, 90, 2, "add", PLACE, "p"),
    ]
    return Report(
        cycles=100,
        programs=1,
        bytes={"BIG": Traffic(640, 320, 640, 384)},
        units={"C0-mover": UnitTimes(busy=80, sync=20), "C0-alu": UnitTimes(30, 60, 0, 0, 10)},
        events=events,
        links={("BIG", "MOVER"): 640},
    )


def test_the_highest_bound_limits():
    found = summarise(report(), program())
    assert found.limit is not None
    assert (found.limit.name, found.limit.cycles) == ("MOVER", 80)
    assert found.verdict() == "limited by MOVER, at work 80% of the time"


def test_shares_of_a_kind_add_up():
    for unit in summarise(report(), program()).units:
        total = unit.busy + unit.stall_in + unit.stall_out + unit.sync + unit.idle
        assert total == pytest.approx(1)


def test_a_run_that_mostly_waits_is_limited_by_latency():
    slow = evolve(report(), cycles=1000)
    slow.units["C0-mover"] = UnitTimes(busy=80, sync=900)
    verdict = summarise(slow, program()).verdict()
    assert verdict == "limited by latency: even MOVER is at work only 8% of the time, it waits for signals 90% of the time"


def test_nothing_ran():
    assert summarise(Report(), program()).verdict() == "nothing ran"


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_screen(width):
    buffers = [Buffer("p", "BIG", 0, 128, "memref<64xf16>", "%a = ktdp.load", PLACE)]
    lines = list(render_report(report(), program(), None, buffers).lines(width))
    assert max(line.cell_len for line in lines) <= width


def test_buckets_say_what_filled_a_part():
    events = [e for e in report().events if e.unit == "C0-alu"]
    parts = buckets(events, 100, 10)
    assert [kind for kind, _ in parts] == ["stall_in"] * 6 + ["busy"] * 3 + [""]
    assert parts[6] == ("busy", pytest.approx(1))


def test_work_is_as_high_as_its_share():
    half = [Event("u", "busy", 0, 5)]
    ((kind, share),) = buckets(half, 10, 1)
    assert (kind, share) == ("busy", 0.5)
    assert cell(kind, share) == "▄"
    assert cell("busy", 1.0) == "█"


def test_trace_events_have_the_format_of_viewers():
    data = json.loads(json.dumps(trace_json(report(), program(), "d")))
    threads = {}
    for event in data["traceEvents"]:
        assert event["ph"] in ("X", "M")
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "process_sort_index", "thread_name")
            if event["name"] == "thread_name":
                threads[event["tid"]] = event["args"]["name"]
        else:
            assert {"name", "cat", "ts", "dur", "args"} <= event.keys()
            assert event["dur"] >= 0 and event["ts"] >= 0
            assert threads[event["tid"]] in ("C0-mover", "C0-alu")
    assert data["otherData"]["cycles"] == 100


def test_trace_durations_add_up_to_the_accounts():
    run = report()
    data = trace_json(run, program())
    names = {e["tid"]: e["args"]["name"] for e in data["traceEvents"] if e["name"] == "thread_name"}
    for tid, name in names.items():
        for kind in ("busy", "stall_in", "stall_out", "sync"):
            total = sum(
                e["dur"] for e in data["traceEvents"] if e["ph"] == "X" and e["tid"] == tid and e["cat"] == kind
            )
            assert total == getattr(run.units[name], kind)


def test_places_lead_back_to_the_kernel():
    (first, *_) = [e for e in trace_json(report(), program())["traceEvents"] if e["ph"] == "X"]
    assert first["args"] == {"program": "p", "pc": 3, "place": "k.mlir:7:3"}


@pytest.mark.parametrize("text", [timeline.svg(report(), "a <b>"), roofline_svg(Roofline(64, 32, 10, 16, 4), "t")])
def test_pictures_are_xml_without_references(text):
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text.count("http") == 1


@pytest.mark.parametrize(("cycles", "ticks"), [(100, [0, 20, 40, 60, 80, 100]), (7, [0, 1, 2, 3, 4, 5, 6, 7])])
def test_axis_has_round_numbers(cycles, ticks):
    assert axis(cycles) == ticks


def test_roofline_numbers():
    found = Roofline(work=640, traffic=320, cycles=100, peak=16, bandwidth=4)
    assert found.intensity == 2
    assert found.speed == 6.4
    assert found.roof(2) == 8
    assert found.roof(100) == 16


def test_a_run_without_traffic_has_a_roofline():
    picture = ElementTree.fromstring(roofline_svg(Roofline(0, 0, 10, 16, None), "t"))
    assert picture.tag.endswith("svg") and len(picture)


def test_buffers_are_read_off_the_ir():
    from kt.parse import parse_text

    module = parse_text("""\
module @p {
  func.func @p() {
    %c64 = arith.constant 64 : index
    %0 = builtin.unrealized_conversion_cast %c64 : index to memref<2x8xf16, "PAD">
    "t.use"(%0) : (memref<2x8xf16, "PAD">) -> ()
    return
  }
}
""")
    (buffer,) = buffers_of(module)
    assert (buffer.memory, buffer.address, buffer.size, buffer.program) == ("PAD", 64, 32, "p")
