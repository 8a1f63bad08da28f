"""What makes a device unusable is said with the line of the file."""

from __future__ import annotations

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import DeviceError
from kt.parse import parse_text

GOOD = """
#q = {ktdf_arch.features = {ktdf_arch.feature.queue = {ordered}}}
ktdf_arch.device @d attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "M">} {
  %m = memory @m {kind = "M", size = 1024}
  group @c0 {kind = "c0", kt.role = "core", kt.core = 0} share(%m) {
    %l = exec_unit @l0 {kind = "L", ktdf_arch.features = {ktdf_arch.feature.load}}
    %s = exec_unit @s0 {kind = "S", ktdf_arch.features = {ktdf_arch.feature.store}}
    %u = exec_unit @u0 {kind = "U", ktdf_arch.features = {ktdf_arch.feature.compute,
      ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 4>}}}
    datapath %m to %l : memory, exec_unit
    datapath #q %l to %u : exec_unit, exec_unit
    datapath #q %u to %s : exec_unit, exec_unit
    datapath %s to %m : exec_unit, memory
  }
  group @c1 {kind = "c1", kt.role = "core", kt.core = 1} share(%m) {
    %l = exec_unit @l1 {kind = "L", ktdf_arch.features = {ktdf_arch.feature.load}}
    %s = exec_unit @s1 {kind = "S", ktdf_arch.features = {ktdf_arch.feature.store}}
    %u = exec_unit @u1 {kind = "U", ktdf_arch.features = {ktdf_arch.feature.compute,
      ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 4>}}}
    datapath %m to %l : memory, exec_unit
    datapath #q %l to %u : exec_unit, exec_unit
    datapath #q %u to %s : exec_unit, exec_unit
    datapath %s to %m : exec_unit, memory
  }
}
"""


def device(*changes):
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load_device(parse_text(text, "d.mlir"))


def test_good():
    assert device().schedulable() == []
    device().check_schedulable()


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("ktdf_arch.feature.compute,", "", "the device has no compute unit", 3),
        (
            "simd = {lanes = #ktdf_arch.map<f16 = 4>}",
            "simd = {splat}",
            "lanes for no element type",
            8,
        ),
        (", size = 1024", "", "memory 'm' has no size", 4),
        (
            'attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "M">}',
            "",
            "no memory stands for the kernels' global space",
            3,
        ),
        ('<global> = "M"', '<global> = "N"', "mapped to 'N', which is no memory", 3),
        (
            "    datapath #q %u to %s : exec_unit, exec_unit\n",
            "",
            "no datapath leads out of execution unit 'u0'",
            8,
        ),
        ("#q %l to %u", "%l to %u", "into compute unit 'u0' is no ordered queue", 11),
        ("= {ordered}", "= {depth = 4}", "is no ordered queue", 11),
        ('@l1 {kind = "L"', '@l1 {kind = "L2"', "core 1 lacks 'L', unlike core 0", 15),
        ('@u1 {kind = "U"', '@u1 {kind = "V"', "a second kind of compute unit: 'V' beside 'U'", 18),
        ('kind = "S"', 'kind = "l"', "kinds 'L' and 'l' differ only in case", 7),
        ('kind = "S"', "kind = 7", "needs a string as its kind", 7),
        (
            'kind = "M", size = 1024',
            'kind = "M", size = 1024, kt.bandwidth = 0',
            "'kt.bandwidth' must be an integer of at least 1",
            4,
        ),
        (
            'kind = "L", ktdf',
            'kind = "L", kt.partial = "x", ktdf',
            "'kt.partial' must be an integer",
            6,
        ),
        (
            'kind = "U", ktdf',
            'kind = "U", kt.cost = 4, ktdf',
            "'kt.cost' must be a #ktdf_arch.map",
            8,
        ),
    ],
)
def test_findings(old, new, message, line):
    found = device((old, new)).schedulable()
    hits = [d for d in found if message in d.message]
    assert hits, [d.message for d in found]
    assert hits[0].location.position().line == line
    assert hits[0].location.position().file == "d.mlir"


def test_unmoved_data():
    text = """
ktdf_arch.device @d attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "M">} {
  %m = memory @m {kind = "M", size = 1024}
  %u = exec_unit @u {kind = "U", ktdf_arch.features = {ktdf_arch.feature.compute,
    ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 4>}}}
  datapath %m to %u : memory, exec_unit
  datapath %u to %m : exec_unit, memory
}
"""
    messages = [d.message for d in load_device(parse_text(text)).schedulable()]
    assert "nothing moves data from 'm' to 'u'" in messages
    assert "nothing moves data from 'u' to 'm'" in messages


def test_no_route_is_a_finding():
    found = device(("    datapath %s to %m : exec_unit, memory\n", "")).schedulable()
    assert any("data can't get into 'M': it has no incoming datapath" in d.message for d in found)


def test_check_raises_with_all_findings():
    broken = device((", size = 1024", ""), ("= {ordered}", "= {depth = 4}"))
    with pytest.raises(DeviceError) as error:
        broken.check_schedulable()
    assert len(error.value.diagnostics) == len(broken.schedulable()) >= 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("kt.core = 1", "kt.core = 0")], "core number 0 is given twice"),
        ([("kt.core = 1", "kt.core = 2")], "cores must be numbered 0 to 1"),
        ([("kt.core = 1", "kt.core = -1")], "'kt.core' must be an integer of at least 0"),
    ],
)
def test_core_numbers(changes, message):
    with pytest.raises(DeviceError, match=message):
        device(*changes)


def test_cores_cannot_be_nested():
    text = """
ktdf_arch.device @d {
  %m = memory {kind = "M"}
  group @outer {kt.role = "core"} share(%m) {
    group @inner {kt.role = "core"} share(%m) {
    }
  }
}
"""
    with pytest.raises(DeviceError, match="core 'inner' lies inside core 'outer'"):
        load_device(parse_text(text))


def test_several_compute_kinds_have_no_single_one():
    two = device(('@u1 {kind = "U"', '@u1 {kind = "V"'))
    assert two.compute_kinds == ("U", "V")
    with pytest.raises(DeviceError, match="several kinds of compute units: 'U', 'V'"):
        _ = two.compute_kind
