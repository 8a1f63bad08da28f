"""Memories whose kinds are memory spaces stand for these spaces themselves, down to the artifact."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

import kt
from kt.arch.check import find_problems

CORPUS = Path(__file__).parents[1] / "corpus" / "kernels"
MAPPING = """attributes {mem_space_mapping = #ktdf_arch.map<
    #ktdp.memory_space<global> = #ktdp.memory_space<global>,
    #ktdp.memory_space<ct_local> = #ktdp.memory_space<ct_local>>} """


@pytest.fixture(name="device")
def _device(tmp_path):
    """toy, with other kinds and no mapping."""
    text = resources.files("kt.arch").joinpath("devices/toy.mlir").read_text(encoding="utf-8")
    text = text.replace('"MAIN"', "#ktdp.memory_space<global>").replace('"PAD"', "#ktdp.memory_space<ct_local>")
    assert MAPPING in text
    file = tmp_path / "spaces.mlir"
    file.write_text(text.replace(MAPPING, ""))
    return kt.device(str(file))


def test_nothing_is_missing(device):
    assert find_problems(device) == []


@pytest.mark.parametrize("kernel", ["add_single", "row_sum", "matmul_bias_relu", "distributed_rows"])
def test_kernels_run_as_on_toy(device, kernel):
    module = kt.parse_file(CORPUS / f"{kernel}.mlir")
    report = kt.check(module, device)
    assert report.failed is None
    assert report.run.cycles == kt.check(module, "toy").run.cycles
