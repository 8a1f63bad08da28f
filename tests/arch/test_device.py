"""Queries about a device, against what stands in its file."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kt.arch import Access, load_device
from kt.ir import types as t
from kt.ir.attributes import StringAttr
from kt.ir.diagnostics import DeviceError
from kt.ir.dialects.ktdp_types import MemorySpaceAttr
from kt.parse import parse_text

DEVICES = Path(__file__).parent / "devices"
GLOBAL, LOCAL = MemorySpaceAttr("global"), MemorySpaceAttr("ct_local")


@pytest.fixture(scope="module")
def toy():
    return load_device("toy")


@pytest.fixture(scope="module")
def spyre():
    return load_device("spyre")


@pytest.fixture(scope="module")
def pebble():
    return load_device(DEVICES / "pebble.mlir")


@pytest.fixture(scope="module")
def ridge():
    return load_device(DEVICES / "ridge.mlir")


@pytest.fixture(scope="module")
def columns():
    return load_device(DEVICES / "columns.mlir")


# Kinds and instances


def test_kinds(toy):
    assert toy.memory_kinds == ("MAIN", "PAD", "VREG")
    assert toy.unit_kinds == ("DMAI", "DMAO", "XCH", "VPU", "FEED", "DRAIN")
    assert toy.has_kind("PAD") and toy.has_kind(StringAttr("PAD")) and not toy.has_kind("pad")
    assert len(toy.instances("PAD")) == 8
    assert [n.id for n in toy.instances("PAD", core=3)] == ["pad3"]
    assert [n.id for n in toy.instances("MAIN", core=3)] == ["main"]
    assert toy.unit("VPU", core=5).id == "vpu5"
    assert toy.unit("VPU", core=5).core == 5
    assert toy.memory("MAIN", core=5).core is None


def test_unknown_kind_names_the_known_ones(toy):
    with pytest.raises(DeviceError, match="has no execution unit of kind 'GPU'") as error:
        toy.unit("GPU")
    assert "FEED" in error.value.hint
    with pytest.raises(DeviceError, match="has no core 8; it has 8 cores"):
        toy.unit("VPU", core=8)
    with pytest.raises(DeviceError, match="there is no number 1"):
        toy.unit("VPU", instance=1)


def test_tags(toy):
    assert toy.tag("DMAI") == "dmai"
    assert toy.kind_of_tag("dmai") == "DMAI"
    assert toy.kind_of_tag("x") is None


def test_cores(toy, spyre, pebble, ridge, columns):
    assert [d.num_cores for d in (toy, spyre, pebble, ridge, columns)] == [8, 32, 1, 1, 3]
    assert [g.id for g in columns.cores] == ["t0", "t1", "t2"]
    assert [m.id for m in columns.instances("SRAM")] == ["sram0", "sram1"]
    assert columns.memory("SRAM", core=1).id == "sram0"
    assert columns.memory("SRAM", core=2).id == "sram1"
    assert columns.unit("FILL", core=2).id == "fill1"
    assert columns.memory("SPM", core=2).id == "spm2"


def test_slices(toy, spyre, ridge, columns):
    inner = ("LXLD", "VCE", "LXST")
    assert [g.id for g in spyre.slice_groups(inner)] == ["corelet00_0", "corelet00_1"]
    assert [g.id for g in spyre.slice_groups(inner, core=7)] == ["corelet07_0", "corelet07_1"]
    assert spyre.num_slices(inner) == 2
    assert spyre.num_slices(("DMALD", *inner)) == 1
    assert spyre.num_slices(("VCE",)) == 2
    assert [u.instance for u in spyre.instances("VCE", core=1)] == [0, 1]
    assert spyre.unit("LXLD", core=1, instance=1).id == "lxld01_1"
    assert toy.num_slices(("FEED", "VPU", "DRAIN")) == 1
    assert ridge.num_slices(("LD", "ALU")) == 2
    # Tiles of one kind are cores: places, not instances.
    assert ridge.num_slices(("IN",)) == 1
    assert columns.num_slices(("LDA", "ALU")) == 1


# Units


def test_compute(toy, spyre, columns):
    assert (toy.compute_kind, spyre.compute_kind, columns.compute_kind) == ("VPU", "VCE", "ALU")
    assert len(toy.compute_units) == 8 and len(spyre.compute_units) == 64


def test_lanes_fill_a_vector(toy, spyre):
    for device, width in ((toy, 16), (spyre, 128)):
        for element in device.element_types(device.compute_kind):
            size = {"f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i64": 8, "i16": 2, "i8": 1,
                        "!spyreop.fp16_fused": 4, "!spyreop.df16_fused": 4, "!spyreop.fp32_fused": 8}.get(str(element), 2)
            assert device.lanes(device.compute_kind, element) * size == width
    assert toy.lanes("VPU", t.f64) == 0
    assert toy.lanes("FEED", t.f16) == 0


def test_flags(toy, spyre):
    assert toy.has_splat("FEED") and toy.has_zero_pad("FEED")
    assert toy.has_splat("VPU") and not toy.has_zero_pad("VPU")
    assert not spyre.has_splat("VCE") and not toy.has_splat("DRAIN")
    assert toy.features("XCH") == ("load", "store")
    assert toy.features("VPU") == ("compute", "simd")
    assert toy.partial("DMAI") == 2 and toy.partial("FEED") is None
    assert toy.unit("DMAI").double_buffer_last and not toy.unit("FEED").double_buffer_last


def test_words_and_accesses(toy, pebble):
    assert toy.word_size("DMAI", "MAIN") == 16
    assert toy.word_size("DMAI", GLOBAL) == 16
    assert toy.word_size("FEED", "PAD") == 1
    assert toy.word_size("VPU", "PAD") == 1
    assert toy.granularities("DMAI", "PAD") == (Access(16, 16),)
    assert toy.granularities("FEED", LOCAL) == (Access(16, 16), Access(4, 4), Access(2, 2))
    assert pebble.granularities("GLD", "HBM") == (Access(32, 32),)
    assert pebble.granularities("GLD", "PAD") == ()
    assert toy.fit_access("FEED", "PAD", 2, 16) == Access(2, 2)
    assert toy.fit_access("FEED", "PAD", 3, 16) == Access(4, 4)
    assert toy.fit_access("FEED", "PAD", 3, 2) is None
    assert toy.fit_access("FEED", "PAD", 17, 64) is None


def test_alignment_suits_every_unit(toy, pebble):
    for device, memory in ((toy, "PAD"), (toy, "MAIN"), (pebble, "PAD")):
        needs = [
            access.align
            for unit in device.unit_kinds
            for access in device.granularities(unit, memory)
        ]
        assert device.alignment(memory) == math.lcm(*needs)


def test_costs(toy, pebble):
    assert toy.cost("VPU", "arith.addf") == 1 and toy.cost("VPU", "math.exp") == 4
    assert pebble.cost("VPU", "math.exp") == 1
    assert (pebble.issue("GLD"), pebble.sync("GLD")) == (1, 1)
    assert (toy.issue("DMAI"), toy.sync("DMAI")) == (4, 2)
    assert toy.memory("MAIN").bandwidth == 32
    assert pebble.memory("HBM").bandwidth is None and pebble.memory("HBM").ports is None


# Memories


def test_spaces(toy, ridge):
    assert toy.memory_for_space(GLOBAL).id == "main"
    assert toy.memory_for_space(LOCAL).kind == "PAD"
    assert toy.memory_for_space(MemorySpaceAttr("ct_local", 3)).kind == "PAD"
    assert toy.memory_for_space(StringAttr("PAD")) is toy.memory_for_space("PAD")
    assert toy.memory_for_space("nope") is None
    assert toy.canonical_space(GLOBAL) is StringAttr("MAIN")
    assert toy.canonical_space("MAIN") is StringAttr("MAIN")
    assert toy.canonical_space(StringAttr("nope")) is None
    assert toy.spaces_for("PAD") == (LOCAL,)
    assert ridge.spaces_for("SPM") == (LOCAL, StringAttr("SPM2"))
    assert ridge.memory_for_space("SPM2").kind == "SPM"
    assert toy.same_memory(GLOBAL, "MAIN") and not toy.same_memory(GLOBAL, "PAD")
    assert toy.global_memory.id == "main"


def test_sizes(toy, spyre, ridge):
    assert toy.memory("PAD").size == 8 * 1024
    assert spyre.memory("LX").size == 2 * 1024 * 1024
    assert spyre.memory("LPDDR").size == 112 * 2**30
    assert ridge.memory("NVM").size is None


def test_tree(toy, ridge, columns):
    assert [m.depth for m in (toy.memory(k) for k in toy.memory_kinds)] == [0, 1, 2]
    assert toy.memory("VREG", core=4).parent.id == "pad4"
    assert [m.id for m in toy.memory("MAIN").children] == [f"pad{i}" for i in range(8)]
    assert [m.depth for m in ridge.memories] == [0, 0, 1, 2, 2, 1]
    assert [columns.scope(k) for k in ("DRAM", "SRAM", "SPM", "VRF")] == [
        "device", "group", "core", "unit",
    ]  # fmt: skip
    # The register block shares nothing itself, so what the core shares counts.
    assert columns.memory("VRF").parent.kind == "SRAM"


def test_scopes(toy, pebble):
    assert toy.is_global(GLOBAL) and not toy.is_global("PAD") and not toy.is_global("nope")
    assert toy.is_scratchpad("PAD") and toy.is_scratchpad(LOCAL) and not toy.is_scratchpad("VREG")
    assert toy.is_below_scratchpad("VREG") and not toy.is_below_scratchpad("PAD")
    assert pebble.scope("HBM") == "device" and pebble.scope("PAD") == "core"


def test_memory_paths(toy, ridge):
    def kinds(path):
        return [m.kind for m in path]

    assert kinds(toy.memory_path("VREG", "MAIN")) == ["VREG", "PAD", "MAIN"]
    assert kinds(toy.memory_path("MAIN", "PAD")) == ["MAIN", "PAD"]
    assert kinds(toy.memory_path("PAD", "PAD")) == ["PAD"]
    assert kinds(ridge.memory_path("REG", "SPM")) == ["REG", "SPM"]
    assert ridge.memory_path("SPM", "NVM") == ()
    assert toy.nearest_common_memory(["VREG", "PAD"]).kind == "PAD"
    assert toy.nearest_common_memory(["MAIN", "PAD"]).kind == "MAIN"
    assert ridge.nearest_common_memory(["SPM", "NVM"]) is None


def test_local_memory(toy, spyre, pebble, ridge):
    assert toy.local_memory("VPU").kind == "VREG" and spyre.local_memory("VCE").kind == "VRF"
    assert toy.local_memory("DMAI").kind == "PAD"
    assert toy.local_memory("FEED") is None
    assert {pebble.local_memory(u).kind for u in pebble.unit_kinds} == {"PAD"}
    assert [ridge.local_memory(u).kind for u in ("IN", "LD", "ALU")] == ["SPM", "REG", "REG"]


def test_neighbours(toy):
    assert toy.readers("PAD") == ("DMAO", "XCH", "FEED")
    assert toy.writers("PAD") == ("DMAI", "XCH", "DRAIN")
    assert toy.readers(GLOBAL) == ("DMAI",) and toy.writers(GLOBAL) == ("DMAO",)


# Rewrites, templates, storage

INTEGERS = "kt:patterns/integers"


def test_patterns(spyre, toy):
    assert spyre.patterns("pre_scheduling")[0].benefit.value == 2
    own, integers = toy.patterns("pre_scheduling"), load_device(INTEGERS).patterns()
    assert [p for p in own if p in integers] == integers, "imported patterns take the groups of the block"
    assert [p.benefit.value for p in integers] == [0] * 5
    assert spyre.patterns() == [] and spyre.patterns("pre_mapping") == []


def test_pattern_groups_keep_textual_order():
    block = """
    pdl.pattern : benefit(N) {
      %op = operation "arith.addf"
      rewrite %op {
        erase %op
      }
    }"""
    text = 'ktdf_arch.device @d {\n  %m = memory {kind = "M"}\n'
    for i, groups in enumerate(('["a", "b"]', "", '["b"]')):
        text += f"  patterns {groups} {{{block.replace('N', str(i))}\n  }}\n"
    device = load_device(parse_text(text + "}"))

    def numbers(*groups):
        return [p.benefit.value for p in device.patterns(*groups)]

    assert numbers() == [1]
    assert numbers("a") == [0, 1]
    assert numbers("b") == [0, 1, 2]


def test_templates_stand_beside_the_device():
    module = parse_text(
        """
ktdf_arch.device @d {
  %m = memory {kind = "M"}
}
func.func private @TWICE(%x: f16) -> f16 attributes {kt.template, kt.ulp = 1} {
  %y = arith.addf %x, %x : f16
  return %y : f16
}
func.func private @other()
"""
    )
    assert list(load_device(module).templates) == ["TWICE"]


def test_storage(spyre, toy):
    assert spyre.storage == {} and toy.storage == {}
    native = spyre.with_native_types()
    assert [(str(k), str(v)) for k, v in native.storage.items()] == [("f16", "!spyreop.df16")]
    assert spyre.storage == {}
    assert toy.with_native_types() is toy
