"""`kt diff` and `kt view` as commands."""

from __future__ import annotations

import json
import re

import pytest

A = "func.func @f(%n: i32) -> i32 {\n  %0 = arith.addi %n, %n : i32\n  return %0 : i32\n}\n"
B = "func.func @f(%m: i32) -> i32 {\n  %9 = arith.muli %m, %m : i32\n  return %9 : i32\n}\n"


@pytest.fixture
def add(kernels):
    return kernels / "add_single.mlir"


def test_every_pass_that_changed_something(kt, add):
    done = kt("diff", add, "--device", "toy")
    assert done.code == 0
    titles = re.findall(r"^━━ (\d+) (\S+)", done.out, re.M)
    assert "compute-group-extraction" in [name for _, name in titles]
    assert "ktir-legality-check" not in [name for _, name in titles]
    assert "\x1b" not in done.out


def test_unchanged_values_keep_source_names_to_the_schedule(kt, add):
    done = kt("diff", add, "--device", "toy", "--pass", "address-assignment", "--all", "--json")
    (entry,) = [p for p in done.json["passes"] if p["pass"] == "address-assignment"]
    texts = [row["text"] for hunk in entry["hunks"] for row in hunk["rows"]]
    assert any("%xv = ktdp.construct_memory_view %x" in text for text in texts)


def test_one_pass_with_reasons(kt, add):
    done = kt("diff", add, "--device", "toy", "--pass", "normalize-ktir", "--why", "--width", "80")
    assert "━━ 4 normalize-ktir" in done.out or "normalize-ktir ━" in done.out
    assert "⟵" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_statistics(kt, add):
    done = kt("diff", add, "--device", "toy", "--stat")
    assert "ktdp.load" in done.out
    assert re.search(r"total +16 → \d+", done.out)


def test_two_files(kt, tmp_path):
    (tmp_path / "a.mlir").write_text(A)
    (tmp_path / "b.mlir").write_text(B)
    done = kt("diff", "a.mlir", "b.mlir")
    assert "a.mlir → b.mlir" in done.out
    assert "+1 arith.muli" in done.out
    assert "no difference" in kt("diff", "a.mlir", "a.mlir").out


def test_standard_input(kt, tmp_path):
    (tmp_path / "a.mlir").write_text(A)
    assert "+1 arith.muli" in kt("diff", "a.mlir", "-", stdin=B).out


def test_dumps_and_back(kt, add):
    done = kt("diff", add, "--device", "toy", "--dump-dir", "d")
    assert done.code == 0 and done.out == ""
    again = kt("diff", "d", "--stat")
    assert again.code == 0
    assert "wrap-program-dfir" in again.out


def test_pictures_and_pages(kt, add, tmp_path):
    assert kt("diff", add, "--device", "toy", "--html", "d.html", "--svg", "d.svg").code == 0
    assert (tmp_path / "d.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "d.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("d.html", "<!doctype html>"), ("d.svg", "<svg"), ("d.json", "{"), ("d.txt", "@"), ("d", "@")],
)
def test_the_name_of_a_file_says_its_form(kt, add, tmp_path, name, begins):
    assert kt("diff", add, "--device", "toy", "-o", name).code == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text().startswith(begins)


def test_json(kt, add):
    data = kt("diff", add, "--device", "toy", "--json").json
    assert data["ok"]
    changed = [p for p in data["passes"] if p["changed"]]
    assert all("hunks" in p for p in changed)


def test_own_pipeline(kt, add):
    data = kt("diff", add, "--device", "toy", "--pass-pipeline", "canonicalize,cse", "--json").json
    assert [p["pass"] for p in data["passes"]] == ["canonicalize", "cse"]


def test_output_does_not_depend_on_hashing(kt_process, add):
    texts = set()
    for seed in ("1", "2"):
        out = kt_process("diff", add, "--device", "toy", PYTHONHASHSEED=seed).out
        texts.add(re.sub(r" *\d+\.\d+ m?s|━+", "", out))
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--pass", "canonicalise"], "did you mean 'canonicalize'?"),
        (["--from", "nothing"], "has no pass 'nothing'"),
        (["--context", "x"], "expected a number"),
        (["--theme", "blue"], "invalid choice"),
        (["-o", "x.foo"], "known: .html, .svg, .json; .txt"),
        (["--pass-pipeline", "canonicalize(cse"], "at character 17: expected ')'"),
    ],
)
def test_refusals(kt, add, tmp_path, options, text):
    done = kt("diff", add, "--device", "toy", *options)
    assert done.code in (1, 2) and list(tmp_path.iterdir()) == []
    assert text in done.err


def test_without_a_device(kt, add):
    done = kt("diff", add)
    assert done.code == 1
    assert "declares no device" in done.err


def test_a_refused_kernel_shows_how_far_it_came(kt, kernels):
    done = kt("diff", kernels / "add_grid32.mlir", "--device", "toy", "--stat")
    assert done.code == 1
    assert "32" in done.err
    assert "failed" in done.out


def test_view_needs_a_terminal(kt, add):
    done = kt("view", add, "--device", "toy")
    assert done.code == 1
    assert "--keys" in done.err


def test_view_plays_keys(kt, add):
    done = kt("view", add, "--device", "toy", "--keys", "s :ktdp.load enter G", "--size", "100x20")
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) == 20
    assert "history of" in lines[0]
    assert any("add_single.mlir" in line for line in lines)


def test_view_leads_from_an_instruction_to_the_kernel(kt, add):
    done = kt("view", add, "--device", "toy", "--keys", "b /vectorchain.binary enter g", "--size", "120x20")
    assert "linalg.add" in done.out


def test_json_is_stable(kt, add):
    first, second = (kt("diff", add, "--device", "toy", "--json").json for _ in range(2))
    for data in (first, second):
        for entry in data["passes"]:
            entry.pop("seconds")
    assert json.dumps(first) == json.dumps(second)


def test_two_runs_are_compared_pass_by_pass(kt, add):
    kt("diff", add, "--device", "toy", "--dump-dir", "one")
    kt("diff", add, "--device", "toy", "--mode", "upstream", "--dump-dir", "two")
    data = kt("diff", "one", "two", "--json").json
    changed = [p["pass"] for p in data["passes"] if p["changed"]]
    assert changed[0] == "plan-schedule" and "normalize-ktir" not in changed
    assert not [p for p in kt("diff", "one", "one", "--json").json["passes"] if p["changed"]]


@pytest.mark.parametrize(("name", "begin"), [("d.html", "<!doctype html>"), ("d.svg", "<svg"), ("d.json", '{"ok": true'), ("d.txt", "@add")])
def test_the_suffix_of_a_file_says_what_is_written(kt, add, tmp_path, name, begin):
    assert kt("diff", add, "--device", "toy", "--only", "normalize-ktir", "-o", name).out == ""
    assert (tmp_path / name).read_text().startswith(begin)


def test_statistics_have_dialects_and_what_passes_counted(kt, add):
    text = kt("diff", add, "--device", "toy", "--stat", "--pass", "normalize-ktir").out
    assert re.search(r"^dialects\n(  .*\n)*  linalg +2 → 2 *$", text, re.M)
    assert re.search(r"^ +1  pointwise  \(\d+ normalize-ktir\)$", text, re.M)
