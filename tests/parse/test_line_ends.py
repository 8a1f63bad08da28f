"""Lines end at a line feed, a carriage return, or both, in comments too."""

from __future__ import annotations

import pytest

from kt.parse import parse_text, print_op

TEXT = """// a comment
func.func @f(%x: i32) -> i32 { // another
  %y = arith.addi %x, %x : i32
  return %y : i32
}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments_end_with_the_line(end):
    assert print_op(parse_text(TEXT.replace("\n", end))) == print_op(parse_text(TEXT))
    assert "arith.addi" in print_op(parse_text(TEXT.replace("\n", end)))
