"""`kt run` and `kt check`: what they print, read and write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def test_run_prints_one_json_object(kt, kernels):
    result = kt("run", kernels / "silu_gate.mlir", "--device", "toy", "--json")
    assert result.code == 0 and result.err == ""
    data = result.json
    assert {k: data[k] for k in ("ok", "kernel", "device", "programs", "max_error")} == {
        "ok": True, "kernel": "silu_gate", "device": "toy", "programs": 1, "max_error": 0.0,
    }  # fmt: skip
    assert data["cycles"] > 0
    assert data["bytes"]["MAIN"] == {
        "read": 21504, "written": 10752, "moved_read": 21504, "moved_written": 10752,
    }  # fmt: skip


def test_run_shows_tables_to_people(kt, kernels):
    result = kt("run", kernels / "add_single.mlir", "--device", "spyre")
    assert result.code == 0
    for words in ("@add_single on spyre", "cycles", "LPDDR", "at work", "limited by", "equal bit by bit", "12x192"):
        assert words in result.out


def test_inputs_arguments_and_outputs(kt, kernels, tmp_path):
    x = np.random.default_rng(1).standard_normal((13, 64)).astype(np.float16)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "out.npy", np.zeros_like(x))
    for level in (("--device", "toy"), ("--level", "ktir")):
        result = kt(
            "run", kernels / "dynamic_rows.mlir", *level, "--input", "x=x.npy",
            "--input", "out=out.npy", "--arg", "n=13", "--output", "out=got.npy", "--json",
        )  # fmt: skip
        assert result.code == 0 and result.json["ok"]
        np.testing.assert_array_equal(np.load(tmp_path / "got.npy"), x * x - x)
        (tmp_path / "got.npy").unlink()
    assert not np.load(tmp_path / "out.npy").any()


def test_the_seed_decides_inputs(kt, kernels, tmp_path):
    def out(seed, name):
        kt(
            "run", kernels / "add_single.mlir", "--device", "toy", "--seed", seed,
            "--output", f"z={name}.npy",
        )  # fmt: skip
        return np.load(tmp_path / f"{name}.npy")

    assert np.array_equal(out(1, "a"), out(1, "b")) and not np.array_equal(out(1, "a"), out(2, "c"))


def test_standard_input_and_generated_levels_run(kt, kernels):
    schedule = kt("compile", kernels / "silu_gate.mlir", "--device", "toy", "--emit", "schedule")
    assert schedule.code == 0
    result = kt("run", "-", "--level", "ktir", "--func", "silu_gate", "--json", stdin=schedule.out)
    assert result.code == 0 and result.json["ok"]


def test_a_plan_is_read_back(kt, kernels, tmp_path):
    emitted = kt("compile", kernels / "add_single.mlir", "--device", "toy", "--emit", "plan")
    plan = emitted.json
    plan["local_schedule_0"] = {"tile": {"0": 1, "1": 1}, "depth": 1}
    (tmp_path / "plan.json").write_text(__import__("json").dumps(plan))
    run = ("run", kernels / "add_single.mlir", "--device", "toy", "--json")
    slow = kt(*run, "--plan", "plan.json").json
    assert slow["ok"] and slow["cycles"] > kt(*run).json["cycles"]


@pytest.mark.parametrize("device", ["toy", "spyre"])
def test_check_names_every_pass(kt, kernels, device):
    result = kt("check", kernels / "silu_gate.mlir", "--device", device, "--json")
    assert result.code == 0
    data = result.json
    assert data["ok"] and data["max_error"] == 0 and data["cycles"] > 0
    assert all(entry["ok"] for entry in data["passes"])
    shown = kt("check", kernels / "silu_gate.mlir", "--device", device)
    assert shown.code == 0 and "means the same after every pass" in shown.out
    assert shown.out.count("\n") == len(data["passes"]) + 1


def test_a_difference_is_exit_code_1_and_writes_nothing(kt, kernels, tmp_path, monkeypatch):
    from kt.sim.engine import vectors

    original = vectors.vector_function

    def wrong(constant, templates):
        function = original(constant, templates)
        return lambda *operands: -function(*operands)

    monkeypatch.setattr(vectors, "vector_function", wrong)
    command = (kernels / "add_single.mlir", "--device", "toy")
    run = kt("run", *command, "--output", "z=z.npy", "--json")
    assert run.code == 1 and run.json["ok"] is False and "buffer 'z'" in run.json["error"]["message"]
    assert not (tmp_path / "z.npy").exists()
    assert "differs from the KTIR executor" in kt("run", *command).out
    check = kt("check", *command, "--json")
    assert check.code == 1
    assert [e["name"] for e in check.json["passes"] if not e["ok"]] == ["ktdflowering-to-dfir"]
    assert "'ktdflowering-to-dfir' changed the meaning" in kt("check", *command).out


TEXT = Path(__file__).parents[1] / "text"


def test_text_of_the_upstream_tools(kt, tmp_path):
    """It runs from the command line; what races is an error unless --lenient says otherwise."""
    x = np.arange(256, dtype=np.float16).reshape(8, 32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", np.zeros_like(x))
    words = [
        "run", TEXT / "twice.dfir.mlir", "--level", "dataflow", "--device", TEXT / "mini_device.mlir",
        "--conventions", "scheduler", "--input", "x=x.npy", "--input", "y=y.npy", "--output", "y=out.npy",
    ]  # fmt: skip
    found = kt(*words)
    assert found.code == 1 and "overwrites byte 0 of SPAD of core 0" in found.err
    assert not (tmp_path / "out.npy").exists()
    found = kt(*words, "--lenient", "--json")
    assert found.code == 0 and found.json["cycles"] > 0 and found.json["bytes"]["GMEM"]["read"] == 512
    assert np.load(tmp_path / "out.npy").shape == x.shape
    assert "GMEM → GLU" in kt(*words, "--lenient").out
    found = kt("run", TEXT / "twice.dfir.mlir", "--level", "dataflow", "--conventions", "scheduler")
    assert found.code == 1 and "--device" in found.err
