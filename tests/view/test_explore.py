"""The explorer: keys change its state; what it draws fits the screen."""

from __future__ import annotations

import pytest
from view_samples import LOOP, pipeline_diff

from kt.view.explore import HELP, Explorer
from kt.view.history import BinaryLine, History
from kt.view.keyboard import key_names

PASSES = "loop-invariant-code-motion,cse,canonicalize"


@pytest.fixture
def explorer() -> Explorer:
    diff = pipeline_diff(LOOP, PASSES)
    # Two instructions that come from the load (line 11) and from the store (line 12).
    binary = [
        BinaryLine(".program p"),
        BinaryLine("   0  ldv", ("sample.mlir", 11, 10)),
        BinaryLine("   1  stv", ("sample.mlir", 12, 5)),
    ]
    return Explorer(diff, History(diff.stages, binary), 90, 20)


def press(explorer: Explorer, *keys: str) -> str:
    for key in keys:
        explorer.press(key)
    return screen(explorer)


def screen(explorer: Explorer) -> str:
    return "\n".join(line.plain for line in explorer.draw())


def test_begins_at_the_first_change(explorer):
    assert "1 loop-invariant-code-motion" in screen(explorer)


def test_arrows_go_through_passes_that_changed_something(explorer):
    changed = [s.number for s in explorer.diff.stages if s.changed]
    for number in changed[2:]:
        press(explorer, "right")
        assert explorer.view.stage == number
    assert "no further pass" in press(explorer, "right")
    press(explorer, *["left"] * 9)
    assert explorer.view.stage == 0


@pytest.mark.parametrize("size", [(20, 4), (60, 10), (200, 50)])
@pytest.mark.parametrize("keys", ["", "tab", "s", "b", "p", "?", "s j j", "tab G enter", "/", "x"])
def test_screens_fit(explorer, size, keys):
    explorer.width, explorer.height = size
    press(explorer, *keys.split())
    lines = explorer.draw()
    assert len(lines) == size[1]
    assert max(line.cell_len for line in lines) <= size[0]


def test_search_goes_round_passes(explorer):
    press(explorer, "tab", "/", *"memref.store", "enter")
    assert "memref.store" in explorer.page()[explorer.view.cursor].text.plain
    before = (explorer.view.stage, explorer.view.cursor)
    press(explorer, "n")
    assert (explorer.view.stage, explorer.view.cursor) > before
    press(explorer, "N")
    assert (explorer.view.stage, explorer.view.cursor) == before


def test_search_without_a_match_stays(explorer):
    view = explorer.view
    assert "'zzz' was not found" in press(explorer, "/", *"zzz", "enter")
    assert explorer.view is view


def test_jump_to_an_operation(explorer):
    press(explorer, "tab", ":", *"memref.load", "enter")
    assert "memref.load" in explorer.page()[explorer.view.cursor].spot.text


def test_history_leads_from_the_kernel_to_instructions(explorer):
    press(explorer, "s", ":", *"memref.load", "enter")
    text = press(explorer, "enter")
    assert "sample.mlir" in text
    assert "0 input" in text
    assert "ldv" in text
    assert "stv" not in text


def test_history_leads_from_an_instruction_to_the_kernel(explorer):
    press(explorer, "b", "j", "j", "enter")
    assert "memref.store %v, %m[%i]" in screen(explorer)
    press(explorer, "g", "j", "enter")
    assert explorer.view.kind == "source"
    assert explorer.page()[explorer.view.cursor].spot.line == 11


def test_back_returns(explorer):
    press(explorer, "s", "backspace")
    assert explorer.view.kind == "diff"


def test_next_change(explorer):
    press(explorer, "tab", "g", "c")
    assert explorer.page()[explorer.view.cursor].changed


def test_an_unknown_key_says_so(explorer):
    assert "? shows the keys" in press(explorer, "Z")


def test_help_and_leaving(explorer):
    explorer.height = 30
    assert HELP.split("\n")[0].split()[0] in press(explorer, "?")
    press(explorer, "q")
    assert explorer.done


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ("\x1b[A\x1b[Bq", ["up", "down", "q"]),
        ("\r\t\x7f", ["enter", "tab", "backspace"]),
        ("\x1b[5~\x1bOC", ["pageup", "right"]),
        ("\x1b", ["escape"]),
        ("ab", ["a", "b"]),
    ],
)
def test_keys_of_a_terminal(data, names):
    assert list(key_names(data)) == names


def test_screen_is_as_recorded(explorer, golden):
    golden("view_diff.txt", screen(explorer) + "\n")
    press(explorer, "s", ":", *"memref.load", "enter", "enter")
    golden("view_history.txt", screen(explorer) + "\n")
