"""Tokens give back the line, with the classes that MLIR's syntax says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kt.view.tokens import changed_words, tokens


def classes(line: str) -> dict[str, str]:
    return {text: kind for kind, text in tokens(line)}


def test_classes_of_an_operation():
    found = classes('%r:2 = ktdf.private {a.b = 3 : i64, s = "x y"} : memref<1x8xf16, #map1> -> @f')
    assert found["%r:2"] == "value"
    assert found["ktdf.private"] == "op"
    assert found["a.b"] == "attribute"
    assert found["i64"] == found["memref"] == found["f16"] == "type"
    assert found["3"] == found["8"] == "number"
    assert found['"x y"'] == "string"
    assert found["#map1"] == "alias"
    assert found["@f"] == "symbol"


@pytest.mark.parametrize("line", ["return", "  module {", "%0 = call @f() : () -> i1"])
def test_short_op_names(line):
    assert "op" in [kind for kind, _ in tokens(line)]


@given(st.text(alphabet=st.characters(exclude_characters="\n\r\x85\u2028\u2029\x0b\x0c\x1c\x1d\x1e")))
def test_texts_join_to_the_line(line):
    assert "".join(text for _, text in tokens(line)) == line


def test_changed_words_are_the_ones_that_differ():
    old, new = "%a = arith.addi %x, %y : i32", "%a = arith.addi %x, %z : i32"
    gone, came = changed_words(old, new) or (set(), set())
    assert [tokens(old)[i][1] for i in gone] == ["%y"]
    assert [tokens(new)[i][1] for i in came] == ["%z"]


def test_lines_with_little_in_common_have_no_changed_words():
    assert changed_words("return", "%a = memref.load %m[%i] : memref<16xf32>") is None
