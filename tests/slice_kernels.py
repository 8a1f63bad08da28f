"""The kernels of the corpus that go through all layers, on the devices that have enough cores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scripts import script

FOLDER = Path(__file__).parent / "corpus" / "kernels"
NAMES = (
    "add_single",
    "add_grid32",
    "silu_gate",
    "affine_broadcast",
    "bias_gelu",
    "dynamic_rows",
    "relayout_copy",
)
RUNS = [
    (name, device)
    for name in NAMES
    for device in ("toy", "spyre")
    if (name, device) != ("add_grid32", "toy")
]
"""add_grid32 has 32 tiles, toy has 8 cores."""


def corpus():
    """The module with inputs and NumPy references of the kernels."""
    return script(FOLDER / "kernels.py")


def inputs(name, seed=0):
    """Fresh arguments of a kernel by name."""
    found = corpus().make_inputs(corpus().KERNELS[name], seed)
    return {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in found.items()}


def assert_like_reference(name, arguments, found):
    """The buffers that a kernel writes are what NumPy computes."""
    kernel = corpus().KERNELS[name]
    for buffer, want in kernel.reference(arguments).items():
        got = found[buffer]
        assert got.dtype == want.dtype and got.shape == want.shape
        if want.dtype.kind == "i":
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_allclose(
                got.astype(np.float64), want.astype(np.float64), kernel.rtol, kernel.atol
            )
