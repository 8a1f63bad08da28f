"""Colours of the viewer: styles of token classes and of marked lines, for dark and light terminals."""

from __future__ import annotations

import os
from collections.abc import Mapping

from attrs import evolve, frozen

from kt.view.difference import Mark


@frozen
class Theme:
    """Styles by token class, and by what happened to a line: of its sign, its background, its words."""

    tokens: Mapping[str, str]
    signs: Mapping[Mark, str]
    lines: Mapping[Mark, str]
    words: Mapping[Mark, str]
    dim: str = "bright_black"
    title: str = "bold"
    cursor: str = "reverse"
    error: str = "bold red"


DARK = Theme(
    tokens={
        "comment": "#7f8c98 italic", "string": "#a5d6a7", "value": "#79c0ff", "symbol": "#ffd580",
        "label": "#ffd580", "alias": "#c8a6ff", "op": "#ff9e80 bold", "keyword": "#c792ea",
        "type": "#80cbc4", "number": "#f5c2e7", "attribute": "#9fb4c7", "word": "#d8dee9",
        "punctuation": "#8892a0", "space": "",
    },
    signs={
        Mark.OLD: "bold #ff6b6b", Mark.NEW: "bold #69db7c", Mark.LEFT: "bold #b197fc",
        Mark.CAME: "bold #b197fc", Mark.SAME: "", Mark.EDIT: "",
    },
    lines={
        Mark.OLD: "on #2f1a1e", Mark.NEW: "on #16291c", Mark.LEFT: "on #211d33", Mark.CAME: "on #211d33",
        Mark.SAME: "", Mark.EDIT: "",
    },
    words={
        Mark.OLD: "bold underline on #6b1f2a", Mark.NEW: "bold underline on #1f5c34",
        Mark.LEFT: "bold underline", Mark.CAME: "bold underline", Mark.SAME: "", Mark.EDIT: "",
    },
    dim="#6b7684", cursor="on #2d3f59",
)  # fmt: skip

LIGHT = Theme(
    tokens={
        "comment": "#6a737d italic", "string": "#22733b", "value": "#0550ae", "symbol": "#953800",
        "label": "#953800", "alias": "#6639ba", "op": "#b3261e bold", "keyword": "#8250df",
        "type": "#0b6b67", "number": "#a0188f", "attribute": "#57606a", "word": "#24292f",
        "punctuation": "#57606a", "space": "",
    },
    signs={
        Mark.OLD: "bold #cf222e", Mark.NEW: "bold #1a7f37", Mark.LEFT: "bold #6639ba",
        Mark.CAME: "bold #6639ba", Mark.SAME: "", Mark.EDIT: "",
    },
    lines={
        Mark.OLD: "on #ffebe9", Mark.NEW: "on #e6ffec", Mark.LEFT: "on #f3eefc", Mark.CAME: "on #f3eefc",
        Mark.SAME: "", Mark.EDIT: "",
    },
    words={
        Mark.OLD: "bold underline on #ffc1bc", Mark.NEW: "bold underline on #abf2bc",
        Mark.LEFT: "bold underline", Mark.CAME: "bold underline", Mark.SAME: "", Mark.EDIT: "",
    },
    dim="#8c959f", cursor="on #d8e6f8",
)  # fmt: skip

PLAIN = Theme(
    tokens=dict.fromkeys(DARK.tokens, ""), signs=dict.fromkeys(Mark, ""), lines=dict.fromkeys(Mark, ""),
    words=dict.fromkeys(Mark, ""), dim="", title="", cursor="", error="",
)  # fmt: skip
"""For text without colours, which needs no styles worked out."""

THEMES = {"dark": DARK, "light": LIGHT}


def default_theme() -> Theme:
    """The theme that ``KT_THEME`` names, else one for the terminal's background as far as it says it."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    fitting = LIGHT if background in ("7", "15") else DARK
    found = THEMES.get(os.environ.get("KT_THEME", ""), fitting)
    return evolve(found, cursor="reverse") if os.environ.get("NO_COLOR") else found
