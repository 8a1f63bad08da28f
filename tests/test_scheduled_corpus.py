"""Kernels of the corpus with reductions, contractions, branches and carried tensors, to the artifact."""

from __future__ import annotations

import pytest
from slice_kernels import FOLDER, inputs, unlike_reference

import kt
from kt.passes.compiler import Compilation
from kt.passes.schedule.complete_plan import complete_plans

KERNELS = [
    "row_sum", "col_max", "mean_var", "softmax_rows", "residual_rmsnorm", "layernorm_fwd",
    "cast_accumulate", "branch_int", "matmul_grid2d", "matmul_bias_relu", "batched_matmul",
    "sdpa_head", "flash_attention", "swiglu_ffn", "rope_half", "local_chain",
]  # fmt: skip
QUICK = [
    "row_sum", "col_max", "mean_var", "softmax_rows", "cast_accumulate", "branch_int", "rope_half",
    "local_chain",
]  # fmt: skip
"""Kernels whose IR is executed after every pass."""
LARGE = ["matmul_grid2d", "flash_attention", "batched_matmul", "sdpa_head", "swiglu_ffn"]
"""Products that take long on few lanes."""
TOO_MANY_TILES = ["residual_rmsnorm"]
"""Ten tiles, and toy has eight cores."""
BETWEEN_TILES = ["distributed_rows", "ring_allreduce", "matmul_splitk", "paged_kv_gather", "scatter_rows"]
"""Kernels whose tiles exchange data, and those that look up where it is."""
RUNS = [(name, "spyre") for name in (*KERNELS, *BETWEEN_TILES)] + [
    (name, "toy") for name in KERNELS if name not in (*LARGE, *TOO_MANY_TILES)
] + [(name, "mesh") for name in (*QUICK, *BETWEEN_TILES)]


def wrong(name, device, seed):
    """The buffers that the artifact leaves other than NumPy does."""
    program = kt.compile(kt.parse_file(FOLDER / f"{name}.mlir"), device)
    kernel = kt.Runtime(kt.device(device)).load(kt.Program.from_bytes(program.to_bytes()))
    return unlike_reference(name, inputs(name, seed=seed), kernel(inputs(name, seed=seed)))


@pytest.mark.parametrize(("name", "device"), RUNS)
def test_artifact_meets_the_reference(name, device):
    assert wrong(name, device, 5) == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", LARGE)
def test_large_products_on_the_small_device(name):
    assert wrong(name, "toy", 5) == []


@pytest.mark.parametrize("name", QUICK)
def test_every_pass_keeps_the_meaning(name):
    report = kt.check(kt.parse_file(FOLDER / f"{name}.mlir"), "spyre", inputs(name, seed=6))
    assert report.failed is None


@pytest.mark.parametrize("name", ["softmax_rows", "layernorm_fwd", "local_chain"])
@pytest.mark.parametrize("options", [{"mode": "upstream"}, {"depth": 1}], ids=["upstream", "single"])
def test_other_schedules_compute_the_same(name, options):
    module = kt.parse_file(FOLDER / f"{name}.mlir")
    given = dict(options)
    if given.pop("depth", None):
        compilation = Compilation.start(module, "toy")
        chosen = complete_plans(compilation.lower("plan"), compilation.device)
        given["plan"] = {
            name: {"tile": {d: 1 if d == "0" else n for d, n in plan["tile"].items()}, "depth": 1}
            for name, plan in chosen.items()
        }
    kernel = kt.Runtime(kt.device("toy")).load(kt.compile(module, "toy", **given))
    assert unlike_reference(name, inputs(name, seed=7), kernel(inputs(name, seed=7))) == []


def test_too_many_tiles_are_refused_with_both_numbers():
    with pytest.raises(kt.KtError) as refused:
        kt.compile(kt.parse_file(FOLDER / "residual_rmsnorm.mlir"), "toy")
    assert "10 compute tiles" in str(refused.value) and "8 cores" in str(refused.value)
