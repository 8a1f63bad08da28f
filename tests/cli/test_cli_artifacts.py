"""`kt compile`, `kt dump`, `kt launch`: artifacts travel between processes."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from attrs import evolve

from kt.api import compile as kt_compile
from kt.arch import load_device
from kt.binary import Program
from kt.parse import parse_path


def compiled(kt, path, *options, out="k.ktb"):
    result = kt("compile", path, "--device", "toy", "-o", out, *options)
    assert result.code == 0, result.err
    return result


def test_a_launch_in_a_new_process_gives_the_same_numbers(kt, kt_process, kernels, tmp_path):
    random = np.random.default_rng(5)
    for name in ("x", "y", "out"):
        array = random.standard_normal((42, 128)).astype(np.float16)
        np.save(tmp_path / f"{name}.npy", array)
    inputs = [f"--input={n}={n}.npy" for n in ("x", "y", "out")]
    compiled(kt, kernels / "silu_gate.mlir")
    launched = kt_process("launch", "k.ktb", *inputs, "--output", "out=a.npy", "--json")
    run = kt(
        "run", kernels / "silu_gate.mlir", "--device", "toy", *inputs, "--output", "out=b.npy", "--json"
    )
    assert launched.code == 0, launched.err
    for key in ("kernel", "device", "cycles", "bytes", "programs"):
        assert launched.json[key] == run.json[key]
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_artifacts_come_from_standard_input(kt, kt_process, kernels, tmp_path):
    compiled(kt, kernels / "silu_gate.mlir")
    for command in ("launch", "dump"):
        line = [sys.executable, "-m", "kt", command, "--json"]
        given = (tmp_path / "k.ktb").read_bytes()
        piped = subprocess.run([*line, "-"], input=given, capture_output=True, cwd=tmp_path)
        named = subprocess.run([*line, "k.ktb"], capture_output=True, cwd=tmp_path)
        assert piped.returncode == 0 and piped.stdout == named.stdout != b"", piped.stderr
    assert kt("launch", "-", stdin="func.func").code == 1


def test_generated_inputs_are_those_of_a_run(kt, kernels, tmp_path):
    compiled(kt, kernels / "silu_gate.mlir")
    kt("launch", "k.ktb", "--seed", 3, "--output", "out=a.npy")
    kt("run", kernels / "silu_gate.mlir", "--device", "toy", "--seed", 3, "--output", "out=b.npy")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


@pytest.mark.parametrize("name", ["silu_gate", "affine_broadcast", "relayout_copy", "dynamic_rows"])
def test_bytes_don_t_depend_on_hashing(kt_process, kernels, tmp_path, name):
    made = []
    for seed in ("0", "1", "77"):
        result = kt_process(
            "compile", kernels / f"{name}.mlir", "--device", "toy", "-o", f"{seed}.ktb",
            PYTHONHASHSEED=seed,
        )  # fmt: skip
        assert result.code == 0, result.err
        made.append((tmp_path / f"{seed}.ktb").read_bytes())
    assert made[0] == made[1] == made[2]


def test_what_compile_says(kt, kernels, tmp_path):
    text = compiled(kt, kernels / "add_single.mlir").out
    assert text.startswith("k.ktb: @add_single for toy, 1 program, ")
    data = compiled(kt, kernels / "add_single.mlir", "--json").json
    assert data["ok"] and data["size"] == (tmp_path / "k.ktb").stat().st_size
    kt("compile", kernels / "add_single.mlir", "--device", "toy")
    assert (tmp_path / "add_single.ktb").exists()


def test_no_debug_leaves_out_places_only(kt, kernels, tmp_path):
    compiled(kt, kernels / "add_single.mlir")
    compiled(kt, kernels / "add_single.mlir", "--no-debug", out="small.ktb")
    assert (tmp_path / "small.ktb").stat().st_size < (tmp_path / "k.ktb").stat().st_size
    assert "add_single.mlir:" in kt("dump", "k.ktb").out
    assert "add_single.mlir:" not in kt("dump", "small.ktb").out
    assert kt("launch", "small.ktb").out == kt("launch", "k.ktb").out


@pytest.mark.parametrize(
    ("level", "has", "lacks"),
    [
        ("ktir", "linalg.generic", "linalg.add"),
        ("schedule", "ktdf.pipeline", "linalg.add"),
        ("dataflow", "dataflow.program_unit", "ktdf.pipeline"),
    ],
)
def test_levels_are_text_that_reads_back(kt, kernels, level, has, lacks):
    emitted = kt("compile", kernels / "add_single.mlir", "--device", "toy", "--emit", level)
    assert emitted.code == 0 and has in emitted.out and lacks not in emitted.out
    assert kt("opt", "-", stdin=emitted.out).out == emitted.out


def test_dump_shows_arguments_plan_and_code(kt, kernels, tmp_path):
    compiled(kt, kernels / "dynamic_rows.mlir")
    text = kt("dump", "k.ktb").out
    for words in ("kernel dynamic_rows", "x  address f16", "n  scalar i32", ".program", ".stream"):
        assert words in text
    data = kt("dump", "k.ktb", "--json").json
    assert data["metadata"]["kernel"] == "dynamic_rows"
    kt("dump", "k.ktb", "-o", "k.txt")
    assert (tmp_path / "k.txt").read_text() == text


@pytest.mark.parametrize("command", ["launch", "dump"])
@pytest.mark.parametrize("size", [0, 3, 200, -1])
def test_damaged_artifacts_are_refused(kt, kernels, tmp_path, command, size):
    compiled(kt, kernels / "add_single.mlir")
    data = (tmp_path / "k.ktb").read_bytes()
    (tmp_path / "bad.ktb").write_bytes(data[:size])
    result = kt(command, "bad.ktb", "--json")
    assert result.code == 1 and result.json["ok"] is False
    assert result.json["error"]["code"].startswith("E")


def test_launch_refusals(kt, kernels):
    compiled(kt, kernels / "dynamic_rows.mlir")
    for arguments, words in (
        (["k.ktb"], "must be given"),
        (["k.ktb", "--arg", "n=4"], "--input x=FILE.npy"),
        (["k.ktb", "--device", "spyre"], "was compiled for device 'toy'"),
        (["k.ktb", "--output", "y=y.npy"], "no buffer 'y'"),
        (["none.ktb"], "can't read"),
    ):
        result = kt("launch", *arguments)
        assert result.code == 1 and words in result.err, result.err


@pytest.mark.parametrize("name", ["add_single", "cast_accumulate"])
def test_spyrecode_directories_are_written_and_launched(kt, kernels, tmp_path, name):
    """The job plan of that format; what comes back is the same program."""
    compiled(kt, kernels / f"{name}.mlir")
    assert kt("dump", "k.ktb", "--spyrecode", "out").out.strip().endswith("spyreCodeDir")
    plan = json.loads((tmp_path / "out" / "spyreCodeDir" / "spyrecode.json").read_text())
    assert [c["command"] for c in plan["JobPreparationPlan"]] == ["Allocate", "InitTransfer"]
    commands = [c["command"] for c in plan["JobExecPlan"]]
    assert commands[:2] == ["ComputeOnHost", "DataTransfer"]
    launched = kt("launch", "k.ktb", "--json").json
    assert commands[2:] == ["ComputeOnDevice"] * launched["programs"]
    assert kt("launch", "out", "--json").json == launched
    assert kt("dump", "out").out == kt("dump", "k.ktb").out


def test_spyrecode_refusals(kt, kernels):
    compiled(kt, kernels / "dynamic_rows.mlir")
    found = kt("dump", "k.ktb", "--spyrecode", "out")
    assert found.code == 1 and "depends on the arguments" in found.err
    found = kt("launch", ".")
    assert found.code == 1 and "can't read" in found.err


def test_an_artifact_of_another_version_of_the_device(kt, kernels, tmp_path):
    """The device's text is part of what an artifact is made for."""
    device = load_device("toy")
    program = Program.from_bytes(kt_compile(parse_path(kernels / "add_single.mlir"), device).to_bytes())
    old = {**program.metadata, "device": {"name": "toy", "digest": "0" * 64}}
    evolve(program, metadata=old).save(tmp_path / "old.ktb")
    found = kt("launch", "old.ktb")
    assert found.code == 1 and "another version of device 'toy'" in found.err
    assert kt("launch", "old.ktb", "--allow-mismatch", "--json").code == 0


def test_shapes_of_a_file_are_not_believed(kt, kernels, tmp_path):
    """No array is made that the device couldn't hold."""
    compiled(kt, kernels / "add_single.mlir")
    program = Program.load(tmp_path / "k.ktb")
    first, *others = program.arguments
    evolve(program, arguments=(evolve(first, shape=(1 << 40, 192)), *others)).save(tmp_path / "k.ktb")
    found = kt("launch", "k.ktb")
    assert found.code == 1 and "argument 'x' has 422212465065984 bytes" in found.err


@pytest.mark.parametrize("command", ["compile", "run", "check", "trace"])
def test_remarks_say_what_was_chosen_and_for_which_line(kt, kernels, command):
    file = kernels / "softmax_rows.mlir"
    silent = kt(command, file, "--device", "toy")
    told = kt(command, file, "--device", "toy", "--remarks")
    assert (silent.code, silent.err, told.code) == (0, "", 0)
    assert "remark: plan of local_schedule_0: {" in told.err
    places = [line for line in told.err.splitlines() if ": remark: " in line]
    assert all(line.startswith(f"{file}:") for line in places)


def test_remarks_of_single_passes(kt, kernels):
    result = kt("opt", kernels / "silu_gate.mlir", "--device", "toy", "--insert-buffers",
                "--compute-group-extraction", "--remarks")  # fmt: skip
    assert "became @local_schedule_0" in result.err
    assert "remark" not in result.out
