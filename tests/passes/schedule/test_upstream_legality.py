"""Where the C++ scheduler's own lowering of a plan would be wrong: reasons from plan, program and device."""

from __future__ import annotations

from pathlib import Path

import pytest

import kt
from kt.passes.analysis.nests import programs
from kt.passes.compiler import Compilation, Options
from kt.passes.schedule.plan import Plan, plan_of
from kt.passes.schedule.upstream_legality import upstream_violations

FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"
SPACES = (
    ('"LX"', "#ktdp.memory_space<ct_local>"),
    ('"LPDDR"', "#ktdp.memory_space<global>"),
)
"""Kinds of memories as memory spaces."""


def variant(tmp_path, *changes):
    """The spyre device with some of its text replaced."""
    text = (Path(kt.__file__).parent / "arch" / "devices" / "spyre.mlir").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "device.mlir").write_text(text)
    return kt.device(tmp_path / "device.mlir")


def reasons(kernel, device, plan=None, on=None):
    """Rules that upstream's lowering of the first program would break (on another device), with the sentences."""
    module = kt.parse_file(FOLDER / f"{kernel}.mlir")
    compilation = Compilation.start(module, device, options=Options(mode="upstream"))
    program = next(programs(compilation.lower("plan")))
    found = upstream_violations(program, plan or plan_of(program), on or compilation.device)
    return {why.rule: why.message for why in found}


def test_a_scratchpad_whose_kind_is_a_string_has_one_copy_and_a_race():
    """add_single has 12 rows of 3 vectors: 6 × 3 tiles of 2 × 1, each filled into the same buffer."""
    found = reasons("add_single", "spyre")
    assert list(found) == ["race"]
    assert "18 times" in found["race"] and "the kind of LX is a string" in found["race"]


def test_two_copies_where_kinds_are_memory_spaces(tmp_path):
    device = variant(tmp_path, *SPACES)
    assert reasons("add_single", device) == {}
    single = reasons("add_single", device, Plan({0: 2, 1: 1}, 1))
    assert list(single) == ["race"] and "the plan says so" in single["race"]


def test_one_tile_is_no_race():
    assert reasons("add_single", "spyre", Plan({0: 12, 1: 3}, 1)) == {}


def test_instances_that_do_not_divide_the_tile():
    found = reasons("add_single", "spyre", Plan({0: 3, 1: 3}, 1))
    assert "2 instances" in found["instances"] and "tile of 3 iterations" in found["instances"]
    rest = reasons("add_single", "spyre", Plan({0: 8, 1: 3}, 1))
    assert "instances" not in rest  # 8 and 4
    lone = reasons("row_sum", "spyre")  # 11 rows, and a lone loop is not tiled
    assert list(lone) == ["instances"] and "tile of 11 iterations" in lone["instances"]


def test_buffers_beyond_the_scratchpad(tmp_path):
    """Three tiles of 12 × 192 f16 are 13,824 bytes."""
    device = variant(tmp_path, ("size = 2097152", "size = 8192"))
    found = reasons("add_single", device, Plan({0: 12, 1: 3}, 1))
    assert list(found) == ["capacity"]
    assert "13824 bytes of LX" in found["capacity"] and "8192" in found["capacity"]


def test_slots_beyond_the_queue(tmp_path):
    """A vector of 64 f16 is 128 bytes."""
    device = variant(tmp_path, ("queue = {depth = 16, ordered}", "queue = {depth = 16, size = 64, ordered}"))
    found = reasons("add_single", "spyre", Plan({0: 12, 1: 3}, 1), device)
    assert list(found) == ["fifo"]
    assert "128 bytes" in found["fifo"] and "holds 64" in found["fifo"]
    with pytest.raises(kt.KtError, match=r"128 bytes.*holds 64"):
        kt.compile(kt.parse_file(FOLDER / "add_single.mlir"), device)


def test_a_hoisted_load_has_one_copy(tmp_path):
    """What affine_broadcast adds per row doesn't vary with the columns, but with the seven rows."""
    device = variant(tmp_path, *SPACES)
    found = reasons("affine_broadcast", device, Plan({0: 2, 1: 1}, 2))
    assert "hoisted" in found["race"] and " 4 times" in found["race"]
    assert "race" not in reasons("affine_broadcast", device, Plan({0: 7, 1: 1}, 2))


def test_the_remark_says_so():
    module = kt.parse_file(FOLDER / "add_single.mlir")
    for mode in ("upstream", "capacity"):
        compilation = Compilation.start(module, "spyre", options=Options(mode=mode))
        compilation.lower("plan")
        said = [r for r in compilation.context.remarks if r.message.startswith("not legal upstream: ")]
        assert len(said) == (mode == "upstream")
        assert all("18 times" in r.message and r.location.position().line > 1 for r in said)


def test_a_lone_loop_stays_whole_while_it_fits(tmp_path):
    """11 rows of 224 f16 (seven vectors of 32) and 11 f32 results, in steps of 128 bytes: 4,992 + 128."""
    small = variant(tmp_path, ("size = 2097152", "size = 5000"))
    for device, tile in ((kt.device("spyre"), 11), (small, 1)):
        module = kt.parse_file(FOLDER / "row_sum.mlir")
        compilation = Compilation.start(module, device, options=Options(mode="upstream"))
        plan = plan_of(next(programs(compilation.lower("plan"))))
        assert plan is not None and plan.tile == {0: tile}
    assert "a lone loop is not tiled" in reasons("row_sum", small)["capacity"]
