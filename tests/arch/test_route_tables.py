"""Routes as tables: device, source, target, expected way; alternatives with reasons; ways of many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import DeviceError

DEVICES = Path(__file__).parent / "devices"

TABLE = """
toy     MAIN  VPU    MAIN DMAI PAD FEED VPU
toy     VPU   MAIN   VPU DRAIN PAD DMAO MAIN
toy     MAIN  PAD    MAIN DMAI PAD
toy     PAD   MAIN   PAD DMAO MAIN
toy     VPU   XCH    VPU DRAIN PAD XCH
spyre   LPDDR VCE    LPDDR DMALD LX LXLD VCE
spyre   VCE   LPDDR  VCE LXST LX DMAST LPDDR
spyre   LX    LPDDR  LX DMAST LPDDR
mesh    DRAM  VEC    DRAM FETCH SRAM LIFT TPAD LDA VEC
mesh    VEC   DRAM   VEC PUT TPAD SINK SRAM FLUSH DRAM
mesh    DRAM  SRAM   DRAM FETCH SRAM
mesh    TPAD  DRAM   TPAD SINK SRAM FLUSH DRAM
mesh    SRAM  VEC    SRAM LIFT TPAD LDA VEC
detour  FAR   NEAR   FAR SHORT NEAR
detour  FAR   MID    FAR LONG1 MID
detour  NEAR  ALU    NEAR FAST ALU
detour  FAR   ALU    FAR SHORT NEAR FAST ALU
detour  ALU   FAR    ALU STORE NEAR BACK FAR
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def device(name: str) -> Any:
    path = DEVICES / f"{name}.mlir"
    return load_device(path if path.exists() else name)


@pytest.mark.parametrize(("name", "source", "target", "path"), [(*r[:3], r[3:]) for r in ROWS])
def test_route(name: str, source: str, target: str, path: list[str]) -> None:
    assert list(device(name).route(source, target).kinds) == path


@pytest.mark.parametrize("name", ["toy", "spyre", "mesh"])
def test_every_core_has_the_routes_of_the_first(name: str) -> None:
    found = device(name)
    home, engine = found.global_memory.key, found.compute_kind
    for ends in ((home, engine), (engine, home)):
        kinds = {found.route(*ends, core=i).kinds for i in range(found.num_cores)}
        assert len(kinds) == 1


def test_hops_count_before_bandwidth() -> None:
    """The documented cost: fewer links win even where they are narrow; the other way is second."""
    first, second = device("detour").alternatives("FAR", "NEAR", 5)
    assert first.route.kinds == ("FAR", "SHORT", "NEAR") and first.route.bandwidth == 1
    assert first.reason == "fewest links: 2, the next best has 4"
    assert second.route.kinds == ("FAR", "LONG1", "MID", "LONG2", "NEAR")
    assert second.route.bandwidth == 64 and second.reason == "4 links instead of 2"


def test_bandwidth_decides_among_equally_long_ways() -> None:
    first, second = device("detour").alternatives("NEAR", "ALU", 5)
    assert first.route.kinds[1] == "FAST" and second.route.kinds[1] == "SLOW"
    assert first.reason == "of the ways with 2 links, a byte is through soonest"
    # 1/64 + 1/32 against 1/1 + 1/32
    assert second.reason == "as many links, but narrower: 1.031 cycles per byte instead of 0.04688"


def test_order_in_the_file_decides_last() -> None:
    first, second = device("mesh").alternatives("DRAM", "VEC", 5)
    assert [c.route.kinds[-2] for c in (first, second)] == ["LDA", "LDB"]
    assert first.reason.endswith("its links come first in the file")
    assert second.reason.endswith("its links come later in the file")
    assert device("toy").alternatives("MAIN", "VPU", 5)[0].reason == "the only way"


REASONS = [
    ("toy", "MAIN", "VREG", "it has no incoming datapath"),
    ("toy", "VREG", "MAIN", "it has no outgoing datapath"),
    ("mesh", "VRF", "DRAM", "it has no outgoing datapath"),
]


@pytest.mark.parametrize(("name", "source", "target", "words"), REASONS)
def test_reason_when_there_is_none(name: str, source: str, target: str, words: str) -> None:
    with pytest.raises(DeviceError, match=words):
        device(name).route(source, target)


@pytest.mark.parametrize(
    ("one", "other", "hubs"),
    [(0, 1, "00 01"), (0, 7, "00 01 02 03 04 05 06 07"), (0, 24, "00 10 20 30"), (9, 18, "11 12 22")],
)
def test_remote_pads_over_the_mesh(one: int, other: int, hubs: str) -> None:
    """Steps are those of the Manhattan distance: nothing leads around the edge."""
    mesh = device("mesh")
    route = mesh.route_between(mesh.memory("TPAD", one), mesh.memory("TPAD", other))
    labels = [n.label for n in route.nodes if n.kind == "HUB"]
    rows, columns = abs(one // 8 - other // 8), abs(one % 8 - other % 8)
    assert len(labels) == rows + columns + 1
    assert labels[0] == f"hub{hubs.split()[0]}" and labels[-1] == f"hub{hubs.split()[-1]}"


def test_a_broadcast_uses_each_link_once() -> None:
    mesh = device("mesh")
    pads = [mesh.memory("TPAD", i) for i in range(8)]
    links = mesh.broadcast(pads[0], pads[1:])
    assert len(links) == len(set(links)) == 1 + 7 + 7  # out of the pad, along the row, into each pad


def test_operands_share_the_links_of_their_ways() -> None:
    mesh = device("mesh")
    first, second = (c.route for c in mesh.alternatives("DRAM", "VEC", 2))
    shared = mesh.shared_links([first, second])
    assert [x.source.key for x in shared] == ["DRAM", "FETCH", "SRAM", "LIFT"]
    assert set(shared.values()) == {2}
