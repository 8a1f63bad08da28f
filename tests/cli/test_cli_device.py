"""`kt device`: facts as tables and JSON, routes, the check."""

from __future__ import annotations

from importlib.resources import files


def test_shipped_devices_are_listed(kt):
    assert kt("device").out.split() == ["mesh", "spyre", "toy"]
    assert kt("device", "--json").json["devices"] == ["mesh", "spyre", "toy"]


def test_tables_of_a_device(kt):
    text = kt("device", "toy").out
    for words in ("toy: 8 cores", "MAIN", "256 KiB", "VPU", "8×f16", "main → dmai0", "4, in order"):
        assert words in text


def test_drawing_has_the_layers_from_top_to_bottom(kt):
    text = kt("device", "mesh").out
    places = [text.index(f"│ {kind} ") for kind in ("DRAM", "FETCH", "SRAM", "LIFT", "TPAD", "LDA", "VEC")]
    assert places == sorted(places)
    assert "one for 4 cores" in text and "2 ports" in text and "registers VRF 4 KiB" in text
    assert "HUB, linked to up to 4 of other cores" in text


def test_dot_has_every_kind_and_link_of_a_core(kt):
    lines = kt("device", "toy", "--dot").out.splitlines()
    assert lines[0] == 'digraph "toy" {' and lines[-1] == "}"
    assert sum("shape=" in x for x in lines) == 9 and sum("->" in x for x in lines) == 10


def test_svg_is_a_picture_of_every_layer(kt, tmp_path):
    from xml.etree import ElementTree

    assert kt("device", "mesh", "--svg", "mesh.svg").code == 0
    root = ElementTree.parse(tmp_path / "mesh.svg").getroot()
    texts = ["".join(x.itertext()) for x in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"DRAM", "SRAM", "TPAD", "VEC", "LDB 64 B/cycle"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}line"))) == 7


def test_route_says_why_and_what_else(kt):
    out = kt("device", "mesh", "--route", "DRAM", "VEC").out
    assert "chosen: as good as the next one; its links come first in the file" in out
    assert "LDB → VEC: as good as the best; its links come later in the file" in out
    data = kt("device", "mesh", "--route", "DRAM", "VEC", "--json", "--core", "9").json
    assert [way["route"][-2] for way in data["ways"]] == ["LDA", "LDB"]
    assert kt("device", "toy", "--route", "MAIN", "VREG").code == 1


def test_facts_as_json(kt):
    data = kt("device", "toy", "--json").json
    memories = {m["kind"]: m for m in data["memories"]}
    assert memories["PAD"] == {
        "kind": "PAD", "bytes": 8192, "scope": "core", "count": 8, "bandwidth": None,
    }  # fmt: skip
    units = {u["kind"]: u for u in data["units"]}
    assert units["VPU"]["lanes"]["f16"] == 8 and "compute" in units["VPU"]["features"]


def test_routes(kt):
    assert kt("device", "toy", "--route", "MAIN", "VPU").out.startswith(
        "MAIN → DMAI → PAD → FEED → VPU"
    )
    data = kt("device", "toy", "--route", "VPU", "MAIN", "--json").json
    assert data["route"] == ["VPU", "DRAIN", "PAD", "DMAO", "MAIN"] and data["bandwidth"] == 8
    wrong = kt("device", "toy", "--route", "MAIN", "NOWHERE")
    assert wrong.code == 1 and "NOWHERE" in wrong.err


def test_check_of_own_files(kt, tmp_path):
    assert kt("device", "toy", "--check").code == 0
    text = (files("kt.arch") / "devices" / "toy.mlir").read_text()
    (tmp_path / "own.mlir").write_text(text.replace("  size = 8192 // 8 KiB per core\n", "  size = 0\n"))
    cut = "\n".join(x for x in text.splitlines() if "%drain to %pad" not in x)
    (tmp_path / "cut.mlir").write_text(cut)
    result = kt("device", "cut.mlir", "--check")
    assert result.code == 1 and "cut.mlir:" in result.err and "help:" in result.err
    assert kt("device", "none.mlir").code == 1
