"""Routes within a core and between cores; links; reasons when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from kt.arch import load_device
from kt.ir.diagnostics import DeviceError
from kt.parse import parse_text

DEVICES = Path(__file__).parent / "devices"


@pytest.fixture(scope="module")
def toy():
    return load_device("toy")


@pytest.fixture(scope="module")
def columns():
    return load_device(DEVICES / "columns.mlir")


def test_route_to_the_compute_unit_and_back(toy):
    there, back = toy.route("MAIN", "VPU"), toy.route("VPU", "MAIN")
    assert there.kinds == ("MAIN", "DMAI", "PAD", "FEED", "VPU")
    assert back.kinds == ("VPU", "DRAIN", "PAD", "DMAO", "MAIN")
    assert [str(h) for h in there.hops] == ["MAIN -(DMAI)-> PAD", "PAD -(FEED)-> VPU"]
    assert [str(h) for h in back.hops] == ["VPU -(DRAIN)-> PAD", "PAD -(DMAO)-> MAIN"]
    assert len(there) == 4 and len(there.links) == 4


def test_hop_facts(toy):
    fill, feed = toy.route("MAIN", "VPU").hops
    assert fill.unit.kind == "DMAI" and fill.bandwidth == 16 and fill.latency == 20 + 2
    assert fill.granularity == (16,) and fill.queue is None
    assert feed.granularity == (16, 4, 2) and feed.queue.depth == 4 and feed.queue.ordered
    drain = toy.route("VPU", "MAIN").hops[1]
    assert drain.bandwidth == 8


def test_route_by_space_and_core(toy):
    from kt.ir.dialects.ktdp_types import MemorySpaceAttr

    route = toy.route(MemorySpaceAttr("global"), MemorySpaceAttr("ct_local"), core=6)
    assert [n.label for n in route.nodes] == ["main", "dmai6", "pad6"]
    assert toy.route("PAD", "PAD").kinds == ("PAD",)
    assert toy.route("PAD", "PAD").hops == ()


def test_copy_route_turns_round_in_the_nearest_memory(toy, columns):
    assert toy.copy_route("MAIN", "MAIN").kinds == ("MAIN", "DMAI", "PAD", "DMAO", "MAIN")
    assert columns.copy_route("DRAM", "DRAM").kinds == ("DRAM", "FILL", "SRAM", "DRAIN", "DRAM")
    assert toy.copy_route("MAIN", "PAD").kinds == toy.route("MAIN", "PAD").kinds


def test_bandwidth_breaks_ties(columns):
    # Two loaders, both two links away; the second one in the file is faster.
    route = columns.route("SPM", "ALU")
    assert route.kinds == ("SPM", "LDB", "ALU") and route.bandwidth == 64
    both = columns.k_routes("SPM", "ALU", 5)
    assert [r.kinds[1] for r in both] == ["LDB", "LDA"]
    assert columns.route("DRAM", "ALU").kinds == (
        "DRAM", "FILL", "SRAM", "MOVE", "SPM", "LDB", "ALU",
    )  # fmt: skip


def test_file_order_breaks_the_last_ties():
    text = """
ktdf_arch.device @d {
  %a = memory {kind = "A"}
  %b = memory {kind = "B"}
  %z = exec_unit {kind = "Z"}
  %y = exec_unit {kind = "Y"}
  datapath %a to %FIRST : memory, exec_unit
  datapath %a to %SECOND : memory, exec_unit
  datapath %y to %b : exec_unit, memory
  datapath %z to %b : exec_unit, memory
}
"""
    for first, second in (("z", "y"), ("y", "z")):
        device = load_device(parse_text(text.replace("FIRST", first).replace("SECOND", second)))
        assert device.route("A", "B").kinds == ("A", first.upper(), "B")


def test_route_is_a_shortest_path(toy, columns):
    for device in (toy, columns):
        graph = device.kind_graph()
        for a in device.kinds:
            for b in device.kinds:
                free = [n for n in graph if n in (a, b) or not graph.nodes[n]["node"].is_compute]
                view = graph.subgraph(free)
                if nx.has_path(view, a, b):
                    assert len(device.route(a, b)) == nx.shortest_path_length(view, a, b)
                else:
                    with pytest.raises(DeviceError):
                        device.route(a, b)


def test_no_way_through_a_compute_unit(toy):
    # FEED only leads into the compute unit, from where data would go on to DRAIN.
    with pytest.raises(DeviceError, match="except through a compute unit"):
        toy.route("FEED", "PAD")


def test_reasons():
    device = load_device(
        parse_text(
            """
ktdf_arch.device @d {
  %a = memory {kind = "A"}
  %b = memory {kind = "B"}
  %c = memory {kind = "C"}
  %u = exec_unit {kind = "U"}
  %v = exec_unit {kind = "V"}
  datapath %a to %u : memory, exec_unit
  datapath %v to %b : exec_unit, memory
}
"""
        )
    )
    with pytest.raises(DeviceError, match="'C': it has no outgoing datapath") as error:
        device.route("C", "B")
    assert error.value.location.position() is not None
    with pytest.raises(DeviceError, match="'C': it has no incoming datapath"):
        device.route("A", "C")
    with pytest.raises(DeviceError, match="from 'A' it only reaches U"):
        device.route("A", "B")
    assert device.k_routes("A", "B", 3) == []


@pytest.mark.parametrize(("target", "steps"), [(0, 0), (1, 1), (3, 3), (4, 4), (5, 3), (7, 1)])
def test_remote_scratchpads_over_the_ring(toy, target, steps):
    route = toy.route_between(toy.memory("PAD", core=0), toy.memory("PAD", core=target))
    ring = [link for link in route.links if link.id]
    assert len(ring) == steps
    assert [n.kind for n in route.nodes] == (
        ["PAD", *["XCH"] * (steps + 1), "PAD"] if steps else ["PAD"]
    )
    assert len(route.hops) == (1 if steps else 0)


def test_staging_in_shared_memory(toy):
    a, b = toy.memory("PAD", core=0), toy.memory("PAD", core=4)
    staged = toy.route_between(a, b, staging=True)
    assert [n.kind for n in staged.nodes] == ["PAD", "DMAO", "MAIN", "DMAI", "PAD"]


def test_no_direct_way_between_columns(columns):
    a, b = columns.memory("SPM", core=0), columns.memory("SPM", core=2)
    with pytest.raises(DeviceError, match="'spm0' to 'spm2' without a memory in between"):
        columns.route_between(a, b)
    assert "DRAM" in [n.kind for n in columns.route_between(a, b, staging=True).nodes]


def test_links(toy):
    link = toy.link("FEED", "VPU")
    assert (link.bandwidth, link.latency, link.granularity) == (16, 1, (16, 4, 2))
    assert toy.link("FEED", "DRAIN") is None
    xch = toy.unit("XCH", core=2)
    assert [x.id for x in toy.links_of(xch, outgoing=False) if x.id] == ["cw1", "ccw3"]
    assert {x.target.id for x in toy.links_of(xch, incoming=False)} == {"pad2", "xch1", "xch3"}


def test_defaults_of_a_bare_link(columns):
    link = columns.link("DRAM", "FILL")
    assert (link.bandwidth, link.latency, link.granularity, link.queue) == (None, 1, (), None)


def test_switch_connectivity_restricts_the_way():
    text = """
ktdf_arch.device @d {
  %a = exec_unit {kind = "A"}
  %b = exec_unit {kind = "B"}
  %c = exec_unit {kind = "C"}
  %x:3 = switch [3] {id = "xbar", connectivity =
    dense<[[false, true, false], [false, false, false], [false, false, false]]> : tensor<3x3xi1>}
  datapath %a to %x#0 : exec_unit, port
  datapath %x#1 to %b : port, exec_unit
  datapath %x#2 to %c : port, exec_unit
}
"""
    device = load_device(parse_text(text))
    a, b, c = (device.unit(k) for k in "ABC")
    assert [n.label for n in device.route_between(a, b).nodes] == ["A", "xbar", "xbar", "B"]
    assert len(device.route("A", "B").links) == 2
    with pytest.raises(DeviceError, match="no way of data"):
        device.route_between(a, c)


def test_hop_granularity_is_what_all_links_permit(toy, columns):
    # The scratchpad side of the fill engine and its memory side both move 16 bytes.
    assert toy.route("MAIN", "PAD").hops[0].granularity == (16,)
    assert columns.route("DRAM", "SRAM").hops[0].granularity is None


def test_same_answers_under_any_hash_seed():
    script = (
        "from kt.arch import load_device\n"
        f"d = load_device({str(DEVICES / 'columns.mlir')!r})\n"
        "print(d.kinds, [str(r) for r in d.k_routes('DRAM', 'ALU', 9)], d.readers('SPM'))\n"
        "print(list(d.kind_graph(2)), [x.label for x in d.visible(1)])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
