"""Broken device files: each says what is wrong with it, and at which line, and nothing else.

The files of the folder ``broken`` end in comments ``// expect LINE: message``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kt.arch import load_device
from kt.ir.diagnostics import KtError

FILES = sorted((Path(__file__).parent / "broken").glob("*.mlir"))
EXPECT = re.compile(r"^// expect (\d+): (.*)$", re.MULTILINE)


def findings(path: Path) -> list[tuple[int, str]]:
    """Lines and messages of all errors, be they found when loading or by the check."""
    try:
        found = load_device(path).schedulable()
    except KtError as error:
        found = error.diagnostics
    places = [d.location.position() for d in found]
    assert all(place is not None and Path(place.file) == path for place in places)
    return sorted((place.line, d.message) for place, d in zip(places, found, strict=True))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_broken_file(path: Path) -> None:
    expected = sorted((int(line), message) for line, message in EXPECT.findall(path.read_text()))
    assert expected, "the file states what is wrong with it"
    assert findings(path) == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_command_names_the_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from kt.cli import main

    assert main(["device", str(path), "--check"]) == 1
    shown = capsys.readouterr().err
    for line, message in EXPECT.findall(path.read_text()):
        assert f"{path.name}:{line}:" in shown and message in shown


def test_many_kinds_of_mistakes_are_covered() -> None:
    assert len(FILES) >= 25
