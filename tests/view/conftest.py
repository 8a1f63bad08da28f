"""Golden texts: with KT_UPDATE_GOLDEN=1 in the environment they are written, else compared."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

BAR = re.compile(r"━{5,}")
GOLDEN = Path(__file__).parent / "golden"
LINE = re.compile(r"\.py:\d+")
TIME = re.compile(r" *\d+\.\d+ (?:ms|s)\b")


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a text with ``golden/NAME``; times and lines of our sources are left out, bars are short."""

    def check(name: str, text: str) -> None:
        text = LINE.sub(".py:#", text)
        text = TIME.sub(" #", text)
        text = BAR.sub("━" * 9, text)
        path = GOLDEN / name
        if os.environ.get("KT_UPDATE_GOLDEN"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden text {name}: run with KT_UPDATE_GOLDEN=1"
        assert text == path.read_text(encoding="utf-8")

    return check
