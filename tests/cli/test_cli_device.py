"""`kt device`: facts as tables and JSON, routes, the check."""

from __future__ import annotations

from importlib.resources import files


def test_shipped_devices_are_listed(kt):
    assert kt("device").out.split() == ["spyre", "toy"]
    assert kt("device", "--json").json["devices"] == ["spyre", "toy"]


def test_tables_of_a_device(kt):
    text = kt("device", "toy").out
    for words in ("toy: 8 cores", "MAIN", "262,144", "VPU", "8 x f16", "main → dmai0"):
        assert words in text


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
