"""The slice's kernels through every layer: text to decoded binary on the simulated device."""

from __future__ import annotations

import numpy as np
import pytest
from slice_kernels import FOLDER, RUNS, inputs, unlike_reference

import kt

TILE_BYTES = {  # loads and stores of all tiles, from the kernels' access tiles
    "add_single": (2 * 12 * 192 * 2, 12 * 192 * 2),
    "add_grid32": (2 * 160 * 256 * 2, 160 * 256 * 2),
    "silu_gate": (2 * 42 * 128 * 2, 42 * 128 * 2),
    "affine_broadcast": ((35 * 100 + 5 * 100 + 35) * 2, 35 * 100 * 2),
    "bias_gelu": ((20 * 320 + 4 * 320) * 2, 20 * 320 * 2),
    "relayout_copy": (36 * 64 * 2, 2 * 36 * 64 * 2),
}


def expected_bytes(name, arguments):
    if name == "dynamic_rows":
        return (arguments["n"] * 64 * 2,) * 2
    return TILE_BYTES[name]


def run(name, device, arguments, **options):
    """The artifact's buffers and the report of the run."""
    program = kt.compile(kt.parse_file(FOLDER / f"{name}.mlir"), device, **options)
    kernel = kt.Runtime(device).load(kt.Program.from_bytes(program.to_bytes()))
    return kernel(arguments), kernel.last


@pytest.mark.parametrize(("name", "device"), RUNS)
def test_kernel_runs_from_its_decoded_artifact(name, device):
    device, arguments = kt.device(device), inputs(name, seed=4)
    found, report = run(name, device, inputs(name, seed=4))
    assert unlike_reference(name, arguments, found) == []
    meaning = kt.simulate(kt.parse_file(FOLDER / f"{name}.mlir"), inputs(name, seed=4))
    for buffer, want in meaning.items():
        np.testing.assert_array_equal(found[buffer], want)
    assert report.cycles > 0
    traffic = report.bytes[str(device.global_memory.kind)]
    assert (traffic.read, traffic.written) == expected_bytes(name, arguments)
    assert traffic.moved_read >= traffic.read and traffic.moved_written >= traffic.written


@pytest.mark.parametrize(("name", "device"), RUNS)
def test_every_pass_keeps_the_meaning(name, device):
    report = kt.check(kt.parse_file(FOLDER / f"{name}.mlir"), device, inputs(name, seed=9))
    assert report.failed is None
    names = [entry.name for entry in report.entries]
    assert names[-2:] == ["encode", "artifact"] and "wrap-program-dfir" in names


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("name", ["silu_gate", "affine_broadcast", "dynamic_rows"])
def test_other_schedules_compute_the_same(name, device):
    arguments = inputs(name, seed=2)
    plans = ({"tile": {}, "depth": 1}, {"tile": {}, "coalesce": False})
    for options in ({"mode": "upstream"}, *({"plan": {"local_schedule_0": p}} for p in plans)):
        found, _ = run(name, kt.device(device), inputs(name, seed=2), **options)
        assert unlike_reference(name, arguments, found) == []


def test_a_program_is_launched_again_with_other_sizes():
    """Rows that no tile, one tile or all tiles have; the artifact is the same."""
    device = kt.device("toy")
    program = kt.compile(kt.parse_file(FOLDER / "dynamic_rows.mlir"), device)
    kernel = kt.Runtime(device).load(program)
    for rows in (1, 4, 5, 13):
        x = np.random.default_rng(rows).standard_normal((rows, 64)).astype(np.float16)
        found = kernel({"x": x, "out": np.zeros_like(x), "n": rows})
        np.testing.assert_array_equal(found["out"], x * x - x)
        np.testing.assert_array_equal(found["x"], x)
        assert kernel.last.programs == -(-rows // 5)
    assert kernel.runtime.prepared == 1


def test_special_values_go_through_pointwise_kernels_unchanged():
    """NaN, infinities, signed zeros, subnormals and overflow, as NumPy's f16 has them."""
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 6e-8, -6e-8], np.float16)
    x = np.resize(special, (12, 192))
    y = np.resize(np.repeat(special, 8), (12, 192))
    found, _ = run("add_single", kt.device("toy"), {"x": x, "y": y, "z": np.zeros_like(x)})
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found["z"], x + y)
        assert (np.signbit(found["z"]) == np.signbit(x + y))[~np.isnan(x + y)].all()
