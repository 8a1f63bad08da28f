"""Every command and every block of the documentation runs, in the order of its page."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kt.cli import main

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "docs" / "viewer.md", ROOT / "docs" / "extending.md"]
FENCE = re.compile(r"^```(\w*)(?: file=(\S+))?\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#]+)\)")


def run(line: str) -> None:
    """One command line (or several, by ``;``); fails with what it printed."""
    for command in line.split(";"):
        words = shlex.split(command, comments=True)
        assert words[0] == "kt", f"no command of kt: {command}"
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words[1:])
        assert code == 0, f"{command}\n{out.getvalue()}{err.getvalue()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_everything_on_the_page_runs(page, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    count = 0
    for language, file, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if file:
            (tmp_path / file).write_text(body, encoding="utf-8")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(body, f"{page.name}", "exec"), {"__name__": "docs"})
            count += 1
        elif not language:
            for line in body.splitlines():
                if line.startswith("$ "):
                    run(line[2:])
                    count += 1
    assert count > 3


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").glob("*.svg")), ids=lambda p: p.name)
def test_pictures_stand_alone(picture):
    text = picture.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text.count("http") == 1
    assert str(Path(os.sep) / "work") not in text
