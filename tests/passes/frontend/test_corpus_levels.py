"""Kernels of the corpus keep their meaning; those without a schedule are refused with the way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scripts import script

from kt.arch import load_device
from kt.ir.diagnostics import PassError
from kt.parse import parse_path
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import ktir_to_schedule
from kt.sim.simulate import simulate

FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"
SCHEDULED = [
    "add_single", "affine_broadcast", "bias_gelu", "dynamic_rows", "relayout_copy", "rope_half",
    "silu_gate",
]  # fmt: skip
CORPUS = script(FOLDER / "kernels.py")


@pytest.mark.parametrize("name", sorted(CORPUS.KERNELS))
def test_normal_form_computes_the_same(name):
    """Bit for bit, but for sums whose order may change."""
    kernel = CORPUS.KERNELS[name]
    inputs = CORPUS.make_inputs(kernel, seed=1)
    module = parse_path(FOLDER / kernel.file)
    copies = [{k: np.copy(v) if isinstance(v, np.ndarray) else v for k, v in inputs.items()}
              for _ in range(2)]  # fmt: skip
    expected = simulate(module, copies[0], kernel.func)
    PassManager("normalize-ktir").run(module)
    found = simulate(module, copies[1], kernel.func)
    for buffer, wanted in expected.items():
        assert np.array_equal(found[buffer], wanted), buffer


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("name", SCHEDULED)
def test_every_level_computes_the_same(name, device, levels):
    kernel = CORPUS.KERNELS[name]
    inputs, passes = CORPUS.make_inputs(kernel), ktir_to_schedule()
    *_, differing = levels(FOLDER / kernel.file, device, passes, inputs, func=kernel.func)
    assert differing == []


@pytest.mark.parametrize("name", sorted(set(CORPUS.KERNELS) - set(SCHEDULED) - {"add_grid32"}))
def test_others_meet_the_reference_or_are_refused(name):
    """Their sums may be taken in another order; a refusal says where and what to do."""
    kernel = CORPUS.KERNELS[name]
    device = load_device("spyre")
    module = parse_path(FOLDER / kernel.file)
    try:
        PassManager(ktir_to_schedule()).run(module, PassContext(device=device))
    except PassError as error:
        assert error.hint and error.location.position() is not None
        return
    inputs = CORPUS.make_inputs(kernel)
    wanted = kernel.reference({k: np.copy(v) for k, v in inputs.items()})
    found = simulate(module, inputs, kernel.func, device=device)
    for buffer, expected in wanted.items():
        got, expected = found[buffer].astype(np.float64), expected.astype(np.float64)
        limit = kernel.atol + kernel.rtol * np.abs(expected)
        assert (np.abs(got.reshape(expected.shape) - expected) <= limit).all(), buffer


def test_grid_larger_than_the_device():
    module = parse_path(FOLDER / "add_grid32.mlir")
    toy = load_device("toy")
    with pytest.raises(PassError) as refused:
        PassManager(ktir_to_schedule()).run(module, PassContext(device=toy))
    text = refused.value.render()
    assert "needs 32 compute tiles" in text and "has 8 cores" in text
    assert "add_grid32.mlir:9:1" in text and "kt:toy:" in text and "help:" in text
