"""Styled lines become the codes that the terminal wants."""

from __future__ import annotations

import pytest
from rich.text import Span, Text

from kt.view.paging import as_ansi, as_plain

LINE = Text("abcd ", style="bold", spans=[Span(1, 3, "italic"), Span(2, 9, "not bold")])


def test_later_styles_lie_over_earlier_ones():
    parts = ("\x1b[1ma\x1b[0m", "\x1b[1;3mb\x1b[0m", "\x1b[3mc\x1b[0m", "d ")
    assert as_ansi([LINE, Text("plain")], 80) == "".join(parts) + "\nplain\n"


def test_plain_text_has_no_codes_and_no_blanks_at_the_end():
    assert as_plain([LINE, Text("plain")]) == "abcd\nplain\n"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_screen_is_the_same_text_with_and_without_colours(theme):
    from kt.view import diff
    from kt.view.screen import render
    from kt.view.themes import PLAIN, THEMES

    text = "func.func @f(%x: i32) -> i32 {{\n  %0 = arith.{} %x, %x : i32\n  return %0 : i32\n}}\n"
    found = diff(text.format("addi"), text.format("muli"))
    found.theme = THEMES[theme]
    coloured = as_plain(list(render(found, 80)))
    found.theme = PLAIN
    lines = list(render(found, 80))
    assert as_plain(lines) == coloured
    assert not any("#" in str(span.style) for line in lines for span in line.spans)
