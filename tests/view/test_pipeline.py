"""Choosing passes, functions, operations; context; the whole screen."""

from __future__ import annotations

import json

import pytest
from view_samples import LOOP, pipeline_diff, recorded

from kt.ir.diagnostics import KtError
from kt.view.difference import Mark
from kt.view.pipeline import PipelineDiff, Selection, find_stages

PASSES = "canonicalize,cse,canonicalize,loop-invariant-code-motion"


def shown(**selection) -> list[int]:
    return [p.stage.number for p in pipeline_diff(LOOP, PASSES, **selection).shown]


def test_only_changes_are_shown():
    diff = pipeline_diff(LOOP, PASSES)
    assert [p.stage.number for p in diff.shown] == [p.stage.number for p in diff.passes if p.changed]


def test_all_shows_every_pass():
    assert shown(everything=True) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("cse", [2]), ("canonicalize", [1, 3]), ("canonicalize#2", [3]), ("loop*", [4]), ("4", [4])],
)
def test_passes_are_named(name, numbers):
    stages = recorded(LOOP, PASSES).stages
    assert [s.number for s in find_stages(stages, name)] == numbers


def test_an_unknown_pass_is_refused_with_a_suggestion():
    with pytest.raises(KtError, match="no pass 'canonicalise'") as caught:
        pipeline_diff(LOOP, PASSES, passes=("canonicalise",))
    assert "canonicalize" in (caught.value.hint or "")


def test_from_and_to():
    assert shown(first="cse", last="3", everything=True) == [2, 3]


def test_against_the_input_adds_changes_up():
    diff = pipeline_diff(LOOP, "canonicalize,loop-invariant-code-motion", against="input")
    last = diff.passes[-1]
    assert last.before is diff.stages[0]
    assert last.found.removed["arith.muli"] == 2


def test_a_function_without_changes_has_no_hunks():
    (p,) = pipeline_diff(LOOP, "canonicalize", func="g").passes
    assert p.changed
    assert not p.folded.hunks
    assert p.folded.hidden > 0


def test_only_some_operations():
    (p,) = pipeline_diff(LOOP, "canonicalize", ops="memref.*").passes
    assert p.folded.hidden > 0


@pytest.mark.parametrize("context", [0, 1, 3])
def test_context(context):
    (p,) = pipeline_diff(LOOP, "canonicalize", context=context).passes
    for hunk in p.folded.hunks:
        lead = next(k for k, row in enumerate(hunk.rows) if row.mark is not Mark.SAME)
        assert lead <= context
    rows = sum(len(h.rows) + h.lines for h in p.folded.hunks) + p.folded.lines
    assert rows == len(p.found.rows)


def test_json_says_the_same():
    diff = pipeline_diff(LOOP, "canonicalize", why=True)
    data = json.loads(json.dumps(diff.to_json()))
    (one,) = data["passes"]
    assert one["pass"] == "canonicalize"
    assert one["ops"]["after"] - one["ops"]["before"] == sum(one["added"].values()) - sum(one["removed"].values())
    assert any(row["mark"] == "-" for hunk in one["hunks"] for row in hunk["rows"])
    assert all(hunk["why"] for hunk in one["hunks"])


def test_why_names_rule_and_source():
    (p,) = pipeline_diff(LOOP, "canonicalize", why=True).passes
    found = [reason for hunk in p.folded.hunks for reason in p.reasons(hunk)]
    assert any(r.startswith("fold arith.muli") and "kt/ir/folds/arith" in r for r in found)


def test_a_failing_pass_is_shown():
    from view_samples import parsed

    from kt.ir.diagnostics import PassError
    from kt.passes.manager import Pass, PassManager
    from kt.view.record import Recorder

    class Fails(Pass):
        name = "fails"

        def run(self, module, ctx):
            raise PassError("too wide", module.location)

    recorder = Recorder()
    with pytest.raises(PassError):
        PassManager([Fails()], instruments=[recorder]).run(parsed(LOOP))
    diff = PipelineDiff("t", recorder.stages, Selection())
    assert "error: too wide" in str(diff)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_screen(width):
    from kt.view.screen import render

    for why in (False, True):
        diff = pipeline_diff(LOOP, PASSES, why=why)
        assert max(line.cell_len for line in render(diff, width)) <= width


@pytest.mark.parametrize(("width", "columns"), [(60, 1), (80, 1), (120, 1), (120, 2), (200, 2)])
def test_screen(golden, width, columns):
    from kt.view.paging import as_plain
    from kt.view.screen import render

    diff = pipeline_diff(LOOP, "loop-invariant-code-motion,cse,canonicalize", why=True)
    diff.columns = columns
    golden(f"diff_{width}_{columns}.txt", as_plain(list(render(diff, width))))


def test_colours_can_be_left_out(monkeypatch):
    from kt.view.paging import as_ansi
    from kt.view.screen import render

    lines = list(render(pipeline_diff(LOOP, "canonicalize"), 80))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[38" not in as_ansi(lines, 80)
    assert "\x1b[1" in as_ansi(lines, 80)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert "\x1b[38;2" in as_ansi(lines, 80) or "38;2" in as_ansi(lines, 80)
