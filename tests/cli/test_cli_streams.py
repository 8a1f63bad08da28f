"""Standard streams that are full, closed, or without the characters; JSON that is too long or deep."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

ADD = "add_single"
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


def shell(command, **environment):
    """``KT …`` by the shell, with its redirections."""
    text = command.replace("KT", f"{shlex.quote(sys.executable)} -m kt")
    return subprocess.run(["bash", "-c", text], capture_output=True, env={**os.environ, **environment}, timeout=60)


@FULL
@pytest.mark.parametrize("command", ["opt {}", "run {} --device toy", "run {} --device toy --json", "--help", "--version"])
def test_a_full_disk_is_no_bug_of_kt(kernels, command):
    done = shell(f"KT {command.format(kernels / f'{ADD}.mlir')} > /dev/full")
    assert done.returncode == 1
    assert done.stderr == b"error: can't write standard output: No space left on device\n"


def test_closed_streams_are_empty(kernels):
    kernel = kernels / f"{ADD}.mlir"
    for command in (f"opt {kernel} >&-", f"run {kernel} --device toy >&-", "opt - <&-", f"opt {kernel} 2>&-"):
        done = shell(f"KT {command}")
        assert (done.returncode, done.stderr) == (0, b""), command
    assert shell("KT opt nothing.mlir 2>&-").returncode == 1


def test_characters_that_the_terminal_lacks_become_question_marks(kernels):
    done = shell(f"KT run {kernels / f'{ADD}.mlir'} --device toy", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.isascii() and b"@add" in done.stdout and b"?" in done.stdout


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "not JSON: "),
        ('{"a": ' + "9" * 5000 + "}", "not JSON: "),
        ("3", "holds no JSON object"),
    ],
)
def test_plans_that_python_cannot_read(kt, kernels, tmp_path, plan, message):
    (tmp_path / "plan.json").write_text(plan)
    result = kt("compile", kernels / f"{ADD}.mlir", "--device", "toy", "--plan", "plan.json", "--json")
    assert result.code == 1 and message in result.json["error"]["message"]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (1, "a plan is an object"),
        ({"tile": 1}, "tiles are numbers"),
        ({"tile": {"0": 1.5}}, "tiles are numbers"),
        ({"tile": {"0": True}}, "tiles are numbers"),
        ({"tile": {"0": float("inf")}}, "tiles are numbers"),
        ({"tile": {"0": 2**63}}, "tiles are numbers"),
        ({"tile": {"x": 1}}, "tiles are numbers"),
        ({"tile": {"-1": 1}}, "tiles are numbers"),
        ({"depth": "2"}, "the depth is 1 or 2"),
        ({"depth": True}, "the depth is 1 or 2"),
        ({"coalesce": 1}, "coalesce is true or false"),
        ({"depht": 1}, "a plan has no 'depht'"),
    ],
)
def test_plans_that_are_none(kt, kernels, tmp_path, plan, message):
    (tmp_path / "plan.json").write_text(json.dumps({"local_schedule_0": plan}))
    result = kt("compile", kernels / f"{ADD}.mlir", "--device", "toy", "--plan", "plan.json", "--json")
    assert result.code == 1 and f"not a plan: {message}" in result.json["error"]["message"]


def test_a_seed_is_no_negative_number(kt, kernels):
    result = kt("run", kernels / f"{ADD}.mlir", "--device", "toy", "--seed", "-1")
    assert result.code == 2 and "a seed is 0 or more, not -1" in result.err
