"""The estimate: granules by brute force, published figures of ktir-cpu, costs of a device."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts import script

from kt.arch import load_device
from kt.parse import parse_text
from kt.sim.estimate import estimate
from kt.sim.meter import granules
from kt.sim.simulate import simulate

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
script(BENCHMARKS / "ktir_text.py")  # the other two import it
KERNELS = {
    **script(BENCHMARKS / "ktir_kernels.py").kernels(),
    **script(BENCHMARKS / "ktir_estimates.py").kernels(),
}
HEAVY = ("layernorm", "rope_fwd_4x2")  # seconds each: `benchmarks/ktir.py` shows them


@st.composite
def boxes(draw: Any) -> tuple[int, list[int], list[int]]:
    rank = draw(st.integers(0, 3))
    shape = [draw(st.integers(1, 5)) for _ in range(rank)]
    strides = [2 * draw(st.integers(-90, 90)) for _ in range(rank)]
    return draw(st.integers(0, 63)) * 2, shape, strides


@settings(max_examples=150, deadline=None)
@given(boxes())
def test_granules_of_a_box(case: tuple[int, list[int], list[int]]) -> None:
    start, shape, strides = case
    touched = set()
    for index in itertools.product(*map(range, shape)):
        first = start + sum(i * s for i, s in zip(index, strides))
        touched |= {first // 128, (first + 1) // 128}
    assert granules(start, tuple(shape), tuple(strides), 2, 128) == len(touched)


@pytest.mark.parametrize("name", [n for n, k in KERNELS.items() if k.cycles and n not in HEAVY])
def test_published_cycles(name: str) -> None:
    kernel = KERNELS[name]
    found = estimate(parse_text(kernel.text), kernel.inputs(), checks=False)
    digits = 2 if kernel.cycles % 1 else 0
    assert round(found.cycles, digits) == kernel.cycles


def test_published_bytes_and_operations() -> None:
    found = {}
    for name in ("ffn_swiglu", "sdpa_pv_ksplit", "matmul"):
        kernel = KERNELS[name]
        found[name] = estimate(parse_text(kernel.text), kernel.inputs(), checks=False)
    assert (found["ffn_swiglu"].bytes, found["ffn_swiglu"].flops) == (49408, 49984)
    assert found["sdpa_pv_ksplit"].exchanged == 126976
    assert found["matmul"].bytes == 72351744
    assert found["matmul"].bottleneck == "memory"
    assert found["matmul"].flops == 2 * 64 * 2048 * 8192 + 16 * 64 * 8192  # and the sums of blocks


def test_a_kernel_on_a_device() -> None:
    kernel = KERNELS["vector_add"]
    device = load_device("spyre")
    found = estimate(parse_text(kernel.text), kernel.inputs(), device=device)
    memory, kind = device.global_memory, device.compute_kinds[0]
    assert memory.bandwidth is not None
    lanes = device.lanes(kind, parse_text("func.func private @f(f16)").body.first_op
                         .attr("function_type").inputs[0])  # fmt: skip
    vectors = -(-128 // lanes)
    instances = len(device.instances(kind, 0))
    compute = vectors * device.cost(kind, "arith.addf") / instances
    assert {tile.compute for tile in found.tiles} == {compute}
    assert found.bytes == 3 * 4096 * 2
    assert found.roofline == pytest.approx(found.bytes / memory.bandwidth)
    assert found.roofline <= found.overlapped <= found.cycles
    assert len(found.tiles) == 32
    data = found.to_json()
    assert data["cycles"] == found.cycles and len(data["tiles"]) == 32


def test_exchanges_cost_links() -> None:
    kernel = KERNELS["sdpa_pv_ksplit"]
    found = estimate(parse_text(kernel.text), kernel.inputs(), device="spyre")
    assert all(tile.exchange > 0 for tile in found.tiles)
    alone = KERNELS["sdpa_2d"]
    assert estimate(parse_text(alone.text), alone.inputs(), device="spyre").exchanged == 0


def test_scratchpads_are_free_and_counts_survive_divergence() -> None:
    text = """func.func @f(%x: index) attributes {grid = [3]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = ktdp.get_compute_tile_id : index
      %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
        coordinate_set = affine_set<(i) : (i >= 0, -i + 63 >= 0)>,
        memory_space = #ktdp.memory_space<global>} : memref<64xf16>
      %u = ktdp.construct_memory_view %c0, sizes: [64], strides: [1] {
        coordinate_set = affine_set<(i) : (i >= 0, -i + 63 >= 0)>,
        memory_space = #ktdp.memory_space<ct_local>} : memref<64xf16>
      %a = ktdp.construct_access_tile %v[%c0] {
        access_tile_set = affine_set<(i) : (i >= 0, -i + 63 >= 0)>,
        access_tile_order = affine_map<(i) -> (i)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
      %b = ktdp.construct_access_tile %u[%c0] {
        access_tile_set = affine_set<(i) : (i >= 0, -i + 63 >= 0)>,
        access_tile_order = affine_map<(i) -> (i)>} : memref<64xf16> -> !ktdp.access_tile<64xindex>
      %end = arith.addi %t, %c1 : index
      scf.for %i = %c0 to %end step %c1 {
        %d = ktdp.load %a : <64xindex> -> tensor<64xf16>
        %e = math.exp %d : tensor<64xf16>
        ktdp.store %e, %b : tensor<64xf16>, <64xindex>
      }
      return
    }"""
    found = estimate(parse_text(text), {"x": np.zeros(64, np.float16)})
    # One stick per iteration, shared by three tiles; one exponential of a vector: four cycles.
    assert [(tile.memory, tile.compute) for tile in found.tiles] == [(3, 4), (6, 8), (9, 12)]
    assert found.bytes == 6 * 128


def _small() -> list[Any]:
    """The timed kernels in shapes that take no time: tiles of different trip counts among them."""
    made = sys.modules["ktir_kernels"]
    return [
        made.layernorm(rows=67, columns=2048), made.softmax(rows=80, columns=96), made.paged_attention(),
        made.matmul(16, 64, 64, (2, 2), 32), made.vector_add(),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(5))
def test_timed_kernels_are_right_in_any_batch(number: int) -> None:
    kernel = _small()[number]
    module, inputs = parse_text(kernel.text), kernel.inputs()
    together = simulate(module, inputs)
    for name, wanted in kernel.reference(inputs).items():
        error = np.abs(together[name].astype(np.float64) - wanted.astype(np.float64))
        assert error.max() <= 0.02 * max(1.0, float(np.abs(wanted).max()))
    for batch in (1, 3):
        single = simulate(module, inputs, batch=batch)
        assert all(single[name].tobytes() == array.tobytes() for name, array in together.items())
