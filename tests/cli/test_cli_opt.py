"""`kt opt`: round trips, passes as flags and as text, printing, mlir-opt's spellings."""

from __future__ import annotations

from pathlib import Path

import pytest

KERNELS = sorted((Path(__file__).parent.parent / "corpus" / "kernels").glob("*.mlir"))
TEXT = """func.func @f(%a: i32) -> i32 {
  %c = arith.constant 2 : i32
  %d = arith.constant 3 : i32
  %s = arith.addi %c, %d : i32
  %r = arith.muli %a, %s : i32
  return %r : i32
}
"""


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_text_is_a_fixed_point(kt, path):
    once = kt("opt", path)
    assert once.code == 0 and once.err == ""
    assert kt("opt", "-", stdin=once.out).out == once.out
    generic = kt("opt", path, "--mlir-print-op-generic").out
    assert kt("opt", "--generic", stdin=generic).out == generic
    assert kt("opt", "-", stdin=generic).out == once.out


def test_passes_run_in_the_order_of_their_flags(kt):
    folded = kt("opt", "--canonicalize", stdin=TEXT)
    assert "arith.constant 5" in folded.out and "addi" not in folded.out
    dumped = kt("opt", "--cse", "--canonicalize", "--dce", "--print-ir-after-all", stdin=TEXT)
    names = [line.split()[5] for line in dumped.err.splitlines() if "IR Dump" in line]
    assert names == ["cse", "canonicalize", "dce"]
    assert dumped.out == folded.out


@pytest.mark.parametrize(
    "flags",
    [
        ["-canonicalize"],
        ["--canonicalize=max-iterations=3"],
        ["--pass-pipeline=builtin.module(canonicalize)"],
        ["--pass-pipeline", "builtin.module(canonicalize)"],
        ["-pass-pipeline", "canonicalize"],
        ["--pass-pipeline=builtin.module(func.func(canonicalize{max-iterations=3}))"],
        ["--verify-each", "--canonicalize"],
        ["--verify-each=false", "--canonicalize"],
    ],
)
def test_ways_to_name_passes(kt, flags):
    assert kt("opt", *flags, stdin=TEXT).out == kt("opt", "--canonicalize", stdin=TEXT).out


def test_device_passes_ask_the_device(kt, kernels):
    result = kt(
        "opt", kernels / "add_single.mlir", "--device", "toy",
        "--ensure-device-declaration", "--ktir-legality-check", "--normalize-ktir",
        "--compute-group-extraction",
    )  # fmt: skip
    assert result.code == 0
    assert 'ktdf_arch.device @toy import("kt:toy")' in result.out
    assert kt("opt", "-", stdin=result.out).out == result.out
    missing = kt("opt", kernels / "add_single.mlir", "--ensure-device-declaration")
    assert missing.code == 1 and "help:" in missing.err


def test_printing_before_after_and_on_change(kt):
    before = kt("opt", "--mlir-print-ir-before=cse", "--cse", "--dce", stdin=TEXT).err
    assert before.count("IR Dump") == 1 and "IR Dump Before cse" in before
    after = kt("opt", "--print-ir-after=dce", "--cse", "--dce", stdin=TEXT).err
    assert after.count("IR Dump") == 1 and "IR Dump After dce" in after
    changed = kt(
        "opt", "--print-ir-after-change", "--canonicalize", "--canonicalize", stdin=TEXT
    ).err
    assert changed.count("IR Dump") == 2 and changed.count("(no change)") == 1


def test_output_file_timing_and_locations(kt, tmp_path):
    result = kt("opt", "-", "-o", "out.mlir", "--canonicalize", "--timing", stdin=TEXT)
    assert result.code == 0 and result.out == "" and "canonicalize" in result.err
    assert "constant 5" in (tmp_path / "out.mlir").read_text()
    assert 'loc("<stdin>":4:8)' in kt("opt", "--locations", stdin=TEXT).out


def test_parts_of_a_split_file_are_apart(kt):
    bad = TEXT.replace("muli %a", "muli %z")
    result = kt("opt", "-", "--split-input-file", stdin=f"{TEXT}// -----\n{bad}// -----\n{TEXT}")
    assert result.code == 1
    assert "<stdin>:13:19: error:" in result.err  # the line in the whole file
    assert result.out.count("func.func @f") == 2 and "// -----" in result.out
    good = kt("opt", "-", "--split-input-file", stdin=f"{TEXT}// -----\n{TEXT}")
    assert good.code == 0 and good.out.count("func.func @f") == 2
    assert kt("opt", "-", "--split-input-file", stdin=good.out).out == good.out


def test_unregistered_operations(kt):
    text = '"my.op"() {a = 1 : i32} : () -> ()\n'
    assert '"my.op"() {a = 1 : i32}' in kt("opt", "--allow-unregistered-dialect", stdin=text).out
    strict = kt("opt", "--allow-unregistered-dialect=false", stdin=text)
    assert strict.code == 1 and "my.op" in strict.err


def test_list_of_passes(kt):
    listed = kt("opt", "--list-passes").out.splitlines()
    names = [line.split()[0] for line in listed]
    assert names == sorted(names) and {"canonicalize", "plan-schedule", "path-expansion"} <= set(names)
    assert all(len(line.split()) > 3 for line in listed)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no-such.mlir"], 1, "cannot read"),
        (["-", "--nothing"], 2, "--nothing"),
        (["-", "--pass-pipeline", "builtin.module("], 1, "at character 16: expected ')'"),
        (["-", "--pass-pipeline=cse,"], 1, "at character 5: expected the name of a pass"),
        (["-", "--pass-pipeline", "builtin.module( ,cse)"], 1, "at character 17: expected the name of a pass"),
        (["-", "--pass-pipeline"], 2, "expected one argument"),
        (["-", "--pass-pipeline=builtin.module(canonicalise)"], 1, "did you mean 'canonicalize'"),
        (["-", "--canonicalize=depth=1"], 1, "has no option 'depth'"),
        (["-", "--print-ir-after=nobody"], 1, "no pass is called 'nobody'"),
        (["-", "--verify-each=maybe"], 2, "true or false"),
        (["-", "-o", "no/folder/x.mlir"], 1, "can't write"),
    ],
)
def test_refusals(kt, arguments, code, words):
    result = kt("opt", *arguments, stdin=TEXT)
    assert result.code == code and words in result.err and result.out == ""


EXPECTED = """func.func @f(%a: i32) {
  // expected-error@+1 {{use of undeclared SSA value name '%b'}}
  %0 = arith.addi %a, %b : i32
  return
}

// -----

func.func @g(%a: i32) -> i32 { // expected-note {{defined here}}
  // expected-error-re @below {{expects different type than prior uses: '{{i6.}}'}}
  %0 = arith.addi %a, %a : i64
  return %a : i32
}
"""


def test_expected_messages_are_met(kt):
    result = kt("opt", "--split-input-file", "--verify-diagnostics", stdin=EXPECTED)
    assert (result.code, result.out, result.err) == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name '%b'", "name '%c'", "<stdin>:3: error: expected error \"use of undeclared SSA value name '%c'\" was not produced"),
        ("@+1 ", " ", "<stdin>:3: error: unexpected error: use of undeclared SSA value name '%b'"),
        ("expected-note {{defined here}}", "", None),
    ],
)  # fmt: skip
def test_expected_messages_that_do_not_come(kt, old, new, problem):
    result = kt("opt", "--split-input-file", "--verify-diagnostics", stdin=EXPECTED.replace(old, new))
    assert result.code == (1 if problem else 0)
    assert problem is None or problem in result.err


def test_conventions_are_written_on_the_module(kt):
    result = kt("opt", "--conventions=scheduler", stdin=TEXT)
    assert 'module attributes {kt.conventions = "scheduler"}' in result.out
    assert kt("opt", "--conventions=other", stdin=TEXT).code == 2


CRASHING = '''
from attrs import frozen
from kt.passes.base import Pass
from kt.plugins import register_pass

@register_pass
@frozen
class Crash(Pass):
    """Breaks."""
    name = "test-crash"
    def run(self, module, ctx):
        raise KeyError("oops")
'''


def test_a_crash_leaves_a_reproducer_that_runs(kt, tmp_path):
    (tmp_path / "crash.py").write_text(CRASHING)
    first = kt("opt", "-", "--load", "crash.py", "--canonicalize", "--test-crash", "--crash-reproducer=r.mlir", stdin=TEXT)
    assert first.code == 70 and "crash.py:12" in first.err and "r.mlir" in first.err
    head, *rest = (tmp_path / "r.mlir").read_text().splitlines()
    assert head == "// kt opt --pass-pipeline='builtin.module(canonicalize,test-crash)'"
    assert any("KeyError" in line for line in rest)
    again = kt("opt", "--load", "crash.py", "--run-reproducer", "r.mlir", "--crash-reproducer=s.mlir")
    assert again.code == 70 and "'test-crash' failed: KeyError" in again.err
    assert (tmp_path / "s.mlir").read_text().splitlines()[0] == head


def test_a_reproducer_must_be_one(kt, tmp_path):
    (tmp_path / "plain.mlir").write_text(TEXT)
    done = kt("opt", "--run-reproducer", "plain.mlir")
    assert done.code == 1 and "no reproducer among the files" in done.err


def test_debug_only_tells_about_the_chosen_passes(kt):
    done = kt("opt", "--cse", "--canonicalize", "--debug-only=canon*", stdin=TEXT)
    lines = done.err.splitlines()
    assert lines[0] == "[canonicalize] 7 → 5 operations"
    assert all(line.startswith("[canonicalize] ") for line in lines)
    assert kt("opt", "--cse", "--canonicalize", "--debug-only=cse,canonicalize", stdin=TEXT).err.startswith("[cse] ")


def test_timing_is_printed_for_a_failed_pipeline_too(kt):
    done = kt("opt", "--canonicalize", "--ensure-device-declaration", "--timing", stdin=TEXT)
    assert done.code == 1 and "1×  canonicalize" in done.err


def test_help_has_topics_and_examples(kt):
    text = kt("help", "opt").out
    assert text.startswith("usage: kt opt [options] [FILE]\n")
    for topic in ("passes:", "printing:", "reading:", "looking inside:", "tests:", "kt opt kernel.mlir --canonicalize"):
        assert topic in text


@pytest.mark.parametrize(
    ("wrong", "right"), [("--canonicalise", "--canonicalize"), ("--splitinput-file", "--split-input-file")]
)
def test_a_misspelt_flag_is_suggested(kt, wrong, right):
    done = kt("opt", wrong)
    assert done.code == 2 and f"did you mean '{right}'?" in done.err
