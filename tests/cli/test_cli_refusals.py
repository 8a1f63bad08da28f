"""Bad input: an error with its place and the way out, exit code 1, nothing written."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files

import pytest

TOY = (files("kt.arch") / "devices" / "toy.mlir").read_text()
COMMANDS = ("run", "compile", "check")


@pytest.fixture
def refused(kt, kernels, tmp_path):
    """Runs the commands on a changed kernel or device; gives the JSON error."""

    def run(change=("", ""), device="toy", name="add_single"):
        text = (kernels / f"{name}.mlir").read_text()
        assert change[0] in text
        (tmp_path / "k.mlir").write_text(text.replace(*change))
        before = sorted(tmp_path.iterdir())
        errors = []
        for command in COMMANDS:
            extra = {"run": ["--output", "z=z.npy"], "compile": ["-o", "k.ktb"]}.get(command, [])
            result = kt(command, "k.mlir", "--device", device, *extra, "--json")
            assert result.code == 1 and result.json["ok"] is False
            shown = kt(command, "k.mlir", "--device", device, *extra)
            assert shown.code == 1 and shown.out == "" and "error: " in shown.err
            errors.append(result.json["error"])
        assert sorted(tmp_path.iterdir()) == before
        return errors

    return run


def at(errors, message):
    """Where the errors with this message are, each place once; "elsewhere" stands for other messages."""
    places = {
        f"{e['file']}:{e['line']}" if message in e["message"] and e["column"] >= 1 else "elsewhere"
        for e in errors
    }
    return sorted(places)


def test_missing_file(kt, tmp_path):
    for command in COMMANDS:
        error = kt(command, "none.mlir", "--device", "toy", "--json").json["error"]
        assert "none.mlir" in error["message"] and error["file"] == "none.mlir" and error["hint"]
    assert list(tmp_path.iterdir()) == []


def test_syntax_error(refused):
    assert at(refused(("%s_e = tensor", "%s_e tensor")), "expected") == ["k.mlir:29"]


def test_unknown_op(refused):
    errors = refused(("linalg.add ", "linalg.addd "))
    assert at(errors, "'linalg.addd' is unknown") == ["k.mlir:30"]
    assert all("linalg.add" in error["hint"] for error in errors)


def test_unknown_op_in_generic_form(refused):
    line = "%s = linalg.add ins(%a, %b : tensor<12x192xf16>, tensor<12x192xf16>) outs(%s_e : tensor<12x192xf16>) -> tensor<12x192xf16>"
    new = '%s = "my.op"(%a, %b) : (tensor<12x192xf16>, tensor<12x192xf16>) -> tensor<12x192xf16>'
    errors = refused((line, new))
    assert at(errors, "my.op") == ["k.mlir:30"]
    assert all(error["hint"] for error in errors)


def test_type_mismatch(refused):
    errors = refused(("outs(%s_e : tensor<12x192xf16>)", "outs(%s_e : tensor<12x192xf32>)"))
    assert at(errors, "different type than prior uses") == ["k.mlir:30"]


def test_device_without_a_route(refused, tmp_path):
    lines = [x for x in TOY.splitlines() if "%pad to %feed" not in x]
    (tmp_path / "cut.mlir").write_text("\n".join(lines))
    for error in refused(device="cut.mlir"):
        assert error["file"] == "cut.mlir" and error["line"] > 0 and error["hint"]


def test_buffer_that_doesn_t_fit(refused, tmp_path):
    (tmp_path / "small.mlir").write_text(TOY.replace("size = 8192", "size = 64"))
    for error in refused(device="small.mlir"):
        assert "need 96 bytes of PAD, which has 64" in error["message"]
        assert error["file"] == "k.mlir" and error["hint"]
        assert error["notes"][0]["file"] == "small.mlir"


def test_more_tiles_than_cores(refused):
    for error in refused(name="add_grid32"):
        assert "32" in error["message"] and "8 cores" in error["message"]
        assert error["file"] == "k.mlir" and error["line"] == 9
        assert error["notes"][0]["file"] == "kt:toy" and error["notes"][0]["line"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--device", "none"], "shipped devices"),
        ([], "none was given"),
        (["--device", "toy", "--arg", "n"], "expected NAME=NUMBER"),
        (["--device", "toy", "--arg", "w=1"], "no argument 'w'"),
        (["--device", "toy", "--arg", "x=a"], "is no number"),
        (["--device", "toy", "--input", "x=none.npy"], "cannot read 'none.npy'"),
        (["--device", "toy", "--input", "x=text.npy"], "no array"),
        (["--device", "toy", "--input", "x=f32.npy"], "float32"),
        (["--device", "toy", "--output", "w=w.npy"], "no buffer 'w'"),
        (["--device", "toy", "--func", "g"], "no function @g"),
        (["--device", "toy", "--plan", "text.npy"], "not JSON"),
        (["--device", "toy", "--output", "z=no/folder/z.npy"], "can't write"),
    ],
)
def test_bad_arguments(kt, kernels, tmp_path, arguments, words):
    import numpy as np

    (tmp_path / "text.npy").write_text("hello")
    np.save(tmp_path / "f32.npy", np.zeros((12, 192), np.float32))
    result = kt("run", kernels / "add_single.mlir", *arguments)
    assert result.code == 1 and words in result.err, result.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f32.npy", "text.npy"]


def test_a_scalar_that_decides_a_size_must_be_given(kt, kernels):
    result = kt("run", kernels / "dynamic_rows.mlir", "--device", "toy", "--json")
    assert result.code == 1 and "'n'" in result.json["error"]["message"]
    assert "--arg n=" in result.json["error"]["hint"]


@pytest.mark.parametrize("arguments", [["nothing"], ["run"], ["run", "a", "--nothing"], []])
def test_wrong_usage_is_exit_code_2(kt, arguments):
    assert kt(*arguments).code == 2


def test_version_needs_no_heavy_import():
    code = (
        "import sys; from kt.cli import main; main(['--version']); "
        "print([m for m in ('numpy', 'lark', 'rich', 'networkx', 'attrs') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("kt ") and second == "[]"


def test_our_own_bugs_are_exit_code_70_with_a_reproducer(kt, kernels, monkeypatch, tmp_path):
    from pathlib import Path

    from kt.passes.schedule.double_buffering import DoubleBuffering

    def broken(self, module, ctx):
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr(DoubleBuffering, "run", broken)
    result = kt("run", kernels / "add_single.mlir", "--device", "toy")
    assert result.code == 70 and "bug of kt" in result.err
    report = Path(result.err.split()[-1])
    text = report.read_text()
    report.unlink()
    assert "double-buffering" in text and "func.func @add_single" in text and "ZeroDivision" in text


def test_json_error_is_one_object(kt):
    assert set(json.loads(kt("run", "none.mlir", "--json").out)) == {"ok", "error"}


def test_a_kernel_that_is_wrong_itself_is_blamed_before_its_schedule(kt, kernels):
    path = kernels.parent.parent.parent / "examples" / "scale_rows.mlir"
    result = kt("run", path, "--device", "toy", "--arg", "n=5", "--arg", "alpha=1")
    assert result.code == 1 and "'ktdp.load' op on tile 2: reads coordinates [4, 0] to [5, 63]" in result.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "SCALE", "--device", "toy", "--arg", "n=18.5"], "argument 'n' is an integer (index), got 18.5"),
        (["run", ".", "--device", "toy"], "help: give a file in it"),
        (["run", "SCALE", "--device", "./none.mlir"], "`kt device` lists the devices"),
        (["run", "SCALE", "--device", "toy", "--input", "x=bad.npy"], "write it with numpy.save"),
        (["launch", "SCALE"], "compile it first"),
        (["compile", "ADD", "--device", "toy", "--plan", "plan.json"], "its dimensions are: 0, 1"),
    ],
)
def test_mistakes_of_new_users(kt, kernels, tmp_path, arguments, text):
    examples = kernels.parent.parent.parent / "examples"
    (tmp_path / "bad.npy").write_text("hello")
    (tmp_path / "plan.json").write_text('{"local_schedule_0": {"tile": {"7": 4}}}')
    names = {"SCALE": examples / "scale_rows.mlir", "ADD": examples / "add.mlir"}
    result = kt(*(names.get(a, a) for a in arguments))
    assert result.code == 1 and text in result.err


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["compile", "ADD", "--device", "toy", "-o", ""], "-o"),
        (["compile", "ADD", "--device", "toy", "--plan="], "--plan"),
        (["run", "ADD", "--device", ""], "--device"),
        (["diff", "ADD", "--device", "toy", "--html", ""], "--html"),
        (["diff", "ADD", "", "--device", "toy"], "FILE"),
        (["dump", ""], "FILE.ktb"),
    ],
)
def test_names_of_files_are_not_empty(kt, kernels, tmp_path, arguments, option):
    result = kt(*(kernels / "add_single.mlir" if a == "ADD" else a for a in arguments))
    assert result.code == 2 and f"argument {option}: expected a name, not ''" in result.err
    assert list(tmp_path.iterdir()) == []
