"""HTML, SVG, dumps: complete in themselves, and readable again."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from view_samples import LOOP, pipeline_diff, recorded

from kt.ir.diagnostics import KtError
from kt.view.dumps import read_stages, write_stages
from kt.view.page import fragment, page
from kt.view.pipeline import PipelineDiff
from kt.view.svg import svg_of


class Balanced(HTMLParser):
    """Complains about tags that don't match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open.append(tag)
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if found.get("href", "").startswith("#"):
            self.targets.append(found["href"][1:])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_whole_and_needs_nothing_else():
    text = page(pipeline_diff(LOOP, "canonicalize,cse,loop-invariant-code-motion", why=True))
    parser = Balanced()
    parser.feed(text)
    assert not parser.open
    assert set(parser.targets) <= set(parser.ids)
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    assert "http" not in text


def test_page_escapes_what_the_kernel_says():
    diff = pipeline_diff('func.func @f() {\n  "t.x"() {s = "<script>"} : () -> ()\n  return\n}\n', "canonicalize", everything=True)
    assert "<script>&" not in page(diff)
    assert "&lt;script&gt;" in fragment(diff)


def test_notebooks_show_a_difference():
    assert "kt-diff" in pipeline_diff(LOOP, "canonicalize")._repr_html_()


@pytest.mark.parametrize("dark", [True, False])
def test_svg_is_xml_without_references(dark):
    text = svg_of(pipeline_diff(LOOP, "canonicalize"), 90, "a <title>", dark)
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert text.count("http") == 1  # the namespace
    from kt.view.screen import render

    joined = "".join(root.itertext())
    assert "arith.constant" in joined
    lines = [line for line in render(pipeline_diff(LOOP, "canonicalize"), 90) if line.plain.strip()]
    assert text.count("<text ") == len(lines) + 1  # and the title


def test_dumps_read_back_as_the_same_difference(tmp_path):
    stages = recorded(LOOP, "canonicalize,cse,loop-invariant-code-motion").stages
    files = write_stages(stages, tmp_path / "d")
    assert files[0].name == "000_input.mlir"
    assert files[1].name == "001_canonicalize.mlir"
    assert len(files) == sum(1 for s in stages if s.changed)
    again = PipelineDiff("d", read_stages(tmp_path / "d"))
    first = PipelineDiff("d", stages)
    counts = [(p.stage.name, p.found.removed, p.found.added) for p in again.passes]
    assert counts == [(p.stage.name, p.found.removed, p.found.added) for p in first.passes if p.changed]


def test_a_directory_without_dumps_is_refused(tmp_path):
    with pytest.raises(KtError, match="holds no dumps"):
        read_stages(tmp_path)
