"""Every kernel of the corpus, against its NumPy reference, batched and tile by tile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts import script

from kt.parse import parse_path
from kt.sim.simulate import simulate

FOLDER = Path(__file__).parent.parent / "corpus" / "kernels"
CORPUS = script(FOLDER / "kernels.py")


def run(name: str, batch: int | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    kernel = CORPUS.KERNELS[name]
    inputs = CORPUS.make_inputs(kernel, seed=3)
    module = parse_path(FOLDER / kernel.file)
    return inputs, simulate(module, inputs, kernel.func, batch=batch)


@pytest.mark.parametrize("name", sorted(CORPUS.KERNELS))
def test_kernel_equals_its_reference(name: str) -> None:
    kernel = CORPUS.KERNELS[name]
    inputs, got = run(name)
    for key, want in kernel.reference(inputs).items():
        assert got[key].dtype == want.dtype
        error = np.abs(got[key].astype(np.float64) - want.astype(np.float64))
        bound = kernel.atol + kernel.rtol * np.abs(want.astype(np.float64))
        assert (error <= bound).all(), f"{key}: off by {error.max()}"


@pytest.mark.parametrize("name", sorted(CORPUS.KERNELS))
def test_batches_change_no_bit(name: str) -> None:
    _, together = run(name)
    _, single = run(name, batch=1)
    for key, value in together.items():
        assert value.tobytes() == single[key].tobytes()
