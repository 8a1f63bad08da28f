"""A value is called the same in all texts of a run."""

from __future__ import annotations

import re

import pytest
from view_samples import LOOP, recorded

from kt.parse import parse_text


def test_names_of_the_source_are_used():
    text = recorded(LOOP, "cse").stages[0].listing.text()
    assert "%unused = arith.addi %n, %n : index" in text
    assert "%six = arith.muli %two, %three : index" in text
    assert "memref.load %m[%at]" in text


def test_untouched_values_keep_their_names():
    stages = recorded(LOOP, "canonicalize,cse,dce").stages
    last = stages[-1].listing.text()
    assert "%v = memref.load %m[%at]" in last
    assert "memref.store %v, %m[%i]" in last


def test_numbers_are_kept_when_others_vanish():
    text = """\
func.func @f(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  %1 = arith.muli %n, %n : i32
  return %1 : i32
}
"""
    first, last = (s.listing.text() for s in recorded(text, "dce").stages)
    name = re.search(r"(%\d+) = arith.muli", first)[1]
    assert f"{name} = arith.muli" in last
    assert f"return {name}" in last


def test_a_constant_is_called_by_its_value():
    last = recorded(LOOP, "canonicalize").stages[-1].listing.text()
    assert "%c6 = arith.constant 6 : index" in last
    assert "%c0 = arith.constant 0 : index" in last


def test_raw_names_are_the_printer_s():
    recorder = recorded(LOOP, "cse", raw=True)
    for stage in recorder.stages:
        assert "%arg0" in stage.listing.text()


@pytest.mark.parametrize("pipeline", ["canonicalize", "cse,canonicalize,dce"])
def test_every_listing_is_ir(pipeline):
    for stage in recorded(LOOP, pipeline).stages:
        text = stage.listing.text()
        assert len(list(parse_text(text).walk())) == len(stage.tree.nodes)


def test_names_are_unique_in_a_function():
    twice = """\
func.func @f(%n: index, %s: index) {
  scf.for %i = %s to %n step %s {
    %a = arith.addi %i, %n : index
    %b = arith.muli %a, %n : index
    "t.use"(%b) : (index) -> ()
  }
  scf.for %i = %s to %n step %s {
    %a = arith.addi %i, %n : index
    "t.use"(%a) : (index) -> ()
  }
  return
}
"""
    text = recorded(twice, "dce").stages[0].listing.text()
    defined = re.findall(r"(%\w+) = arith|scf.for (%\w+)", text)
    names = [a or b for a, b in defined]
    assert len(names) == len(set(names)) == 5
