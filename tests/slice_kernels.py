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


def unlike_reference(name, arguments, found):
    """The buffers that a kernel writes and that aren't what NumPy computes, each with the worst place."""
    return unlike(name, found, corpus().KERNELS[name].reference(arguments))


def unlike(name, found, wanted, exact=False):
    """The buffers that aren't as wanted, within what the kernel's sums allow; integers are exact."""
    kernel, wrong = corpus().KERNELS[name], []
    for buffer, want in wanted.items():
        got = found[buffer]
        if got.dtype != want.dtype or got.shape != want.shape:
            wrong.append(f"{buffer}: {got.dtype} {got.shape} instead of {want.dtype} {want.shape}")
            continue
        equal = got == want
        if want.dtype.kind != "i":
            limits = (0, 0) if exact else (kernel.rtol, kernel.atol)
            equal = np.isclose(got.astype(np.float64), want.astype(np.float64), *limits, equal_nan=True)
        if not equal.all():
            at = tuple(np.argwhere(~equal)[0].tolist())
            wrong.append(f"{buffer}{list(at)} is {got[at]} instead of {want[at]}")
    return wrong
