"""The examples do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

import kt

EXAMPLES = Path(__file__).parent.parent / "examples"
SCALARS = {"scale_rows": {"n": 18, "alpha": 0.5}}


def half(x):
    return np.asarray(x, np.float64).astype(np.float16).astype(np.float64)


def silu_mul(v):
    x, y = (v[n].astype(np.float64) for n in "xy")
    return half(half(x * half(1 / (1 + np.exp(-x)))) * y)


MEANING = {
    "add": ("z", lambda v: half(v["x"].astype(float) + v["y"])),
    "add_32_tiles": ("z", lambda v: half(v["x"].astype(float) + v["y"])),
    "silu_mul": ("out", silu_mul),
    "bias_add": ("out", lambda v: half(v["x"].astype(float) + v["bias"])),
    "scale_rows": ("out", lambda v: half(v["x"] * 0.5)),
}
RUNS = [(n, d) for n in MEANING for d in ("toy", "spyre") if (n, d) != ("add_32_tiles", "toy")]


def test_no_example_is_left_out():
    assert {path.stem for path in EXAMPLES.glob("*.mlir")} == set(MEANING)


@pytest.mark.parametrize(("name", "device"), RUNS)
def test_example(name, device):
    module = kt.parse_file(EXAMPLES / f"{name}.mlir")
    given = kt.simulate(module, SCALARS.get(name, ()), seed=1)
    buffer, meaning = MEANING[name]
    want = meaning(given)
    np.testing.assert_allclose(given[buffer].astype(float), want, rtol=2e-3, atol=1e-7)
    assert kt.check(module, device, SCALARS.get(name, ()), seed=1).ok


def test_too_many_tiles_are_refused_with_both_numbers_and_both_places():
    with pytest.raises(kt.KtError, match=r"32.*8 cores") as refusal:
        kt.compile(kt.parse_file(EXAMPLES / "add_32_tiles.mlir"), "toy")
    assert refusal.value.location.position().line == 10
    assert any("device" in note.message for note in refusal.value.notes)


def test_quickstart_script(capsys):
    runpy.run_path(str(EXAMPLES / "quickstart.py"))
    assert "runs agree" in capsys.readouterr().out
