"""Every command and every block of the documentation runs, in the order of its page.

What the fences say:

- ``LANGUAGE FILE``, ``LANGUAGE FILE append`` and ``LANGUAGE FILE insert`` (before the end of the device)
  write a file;
- ``console`` and no language: lines that begin with ``$ `` are commands of kt; the lines below one stand
  in what it prints, in this order; ``…`` stands for anything;
- ``python``: runs, in one namespace for the page; a ``text`` block right behind it is what it prints.

A page is one test, as its parts depend on each other. Other languages (``bash``, ``json``…) are only read.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from attrs import frozen

from kt.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]
GENERATED = {"ops.md", "corpus.md"}
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


@frozen
class Block:
    """A fenced block. ``follows``: nothing but blank lines is between it and the block before."""

    info: tuple[str, ...]
    body: str
    follows: bool


def blocks(text: str) -> Iterator[Block]:
    end = 0
    for match in FENCE.finditer(text):
        yield Block(tuple(match[1].split()), match[2], not text[end : match.start()].strip())
        end = match.end()


def write(words: tuple[str, ...], body: str) -> None:
    """``FILE``, ``FILE append`` or ``FILE insert`` (before the end of the device)."""
    path = Path(words[0])
    if words[1:] == ("append",):
        body = path.read_text(encoding="utf-8") + "\n" + body
    elif words[1:] == ("insert",):
        text = path.read_text(encoding="utf-8")
        end = text.index("\n}\n", text.index("ktdf_arch.device"))
        body = f"{text[:end]}\n{body.rstrip()}{text[end:]}"
    path.write_text(body, encoding="utf-8")


def run(line: str) -> tuple[int, str]:
    """Exit code and output of one command line (or of several, by ``;``)."""
    out, code = io.StringIO(), 0
    for command in line.split(" ; "):
        words = shlex.split(command, comments=True)
        assert words[0] == "kt", f"no command of kt: {command}"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                code = main(words[1:])
            except SystemExit as stop:
                code = int(stop.code or 0)
    return code, out.getvalue()


def words_of(line: str) -> str:
    return " ".join(line.split())


def check_shown(shown: list[str], printed: str, where: str) -> None:
    """Every shown line stands in the output, in order."""
    left = iter([words_of(line) for line in printed.splitlines()])
    for line in map(words_of, shown):
        pattern = re.compile(".*".join(re.escape(part.strip()) for part in line.split("…")))
        if line.strip("… ") and not any(pattern.search(other) for other in left):
            pytest.fail(f"{where}: no line {line!r} (any more) in\n{printed}", pytrace=False)


def run_console(body: str, page: str) -> int:
    """The commands of a block; gives their number."""
    lines = body.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    for i, end in zip(starts, [*starts[1:], len(lines)]):
        command, shown = lines[i][2:], lines[i + 1 : end]
        code, printed = run(command)
        refused = any(re.search(r"\berror: |^kt( \w+)?: |^differs", line) for line in shown)
        assert (code != 0) == refused, f"{page}: {command}: exit code {code}\n{printed}"
        check_shown(shown, printed, f"{page}: {command}")
    return len(starts)


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in GENERATED], ids=lambda p: p.name)
def test_everything_on_the_page_runs(page, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    count, printed = 0, ""
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks(page.read_text(encoding="utf-8")):
        language, *rest = block.info or ("",)
        if rest:
            write(tuple(rest), block.body)
        elif language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block.body, page.name, "exec"), names)
            printed, count = out.getvalue(), count + 1
        elif language == "text" and block.follows and printed:
            check_shown(block.body.splitlines(), printed, page.name)
        elif language in ("", "console"):
            count += run_console(block.body, page.name)
    assert count > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_index():
    index = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = {(ROOT / target).resolve() for target in LINK.findall(index) if not target.startswith("http")}
    assert [p.name for p in PAGES if p.name != "README.md" and p.resolve() not in linked] == []


@pytest.mark.parametrize("picture", sorted((ROOT / "docs").glob("*.svg")), ids=lambda p: p.name)
def test_pictures_stand_alone(picture):
    text = picture.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text.count("http") == 1
    assert str(Path(os.sep) / "work") not in text
