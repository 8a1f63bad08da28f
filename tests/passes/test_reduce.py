"""Reductions keep what the test asks for, and little else."""

from __future__ import annotations

import pytest

from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_text
from kt.passes.reduce import reduce_module

TEXT = """\
func.func @f(%n: index, %m: memref<16xf32>) attributes {a.b = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %six = arith.muli %c1, %n : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.muli %six, %c1 : index
    %v = memref.load %m[%n] : memref<16xf32>
    %w = arith.divf %v, %v : f32
    memref.store %w, %m[%n] : memref<16xf32>
  }
  return
}
func.func @g(%a: i32) -> i32 {
  return %a : i32
}
"""


def names(module):
    return [op.name for op in module.walk()]


def test_only_what_the_test_asks_for_stays():
    small, progress = reduce_module(parse_text(TEXT), lambda m: "arith.divf" in names(m))
    verify(small)
    found = names(small)
    assert "arith.divf" in found
    assert not {"memref.store", "arith.muli", "scf.for"} & set(found)
    assert progress.after < progress.before
    assert progress.tests > 0


def test_attributes_go():
    small, _ = reduce_module(parse_text(TEXT), lambda m: "func.func" in names(m))
    assert all(not op.attributes for op in small.walk())


def test_a_test_that_does_not_hold_is_refused():
    with pytest.raises(KtError, match="doesn't hold"):
        reduce_module(parse_text(TEXT), lambda m: False)


def test_the_number_of_tests_is_bounded():
    _, progress = reduce_module(parse_text(TEXT), lambda m: True, limit=5)
    assert progress.tests <= 5
