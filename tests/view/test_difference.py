"""Rows: what is the same, edited, gone, new, moved."""

from __future__ import annotations

from view_samples import LOOP, parsed, pipeline_diff

import kt.view
from kt.view.difference import Mark


def marks(found) -> dict[str, str]:
    made = {}
    for row in found.rows:
        line = found.new_line(row) or found.old_line(row)
        made.setdefault(line.text, row.mark.value)
    return made


def two(before: str, after: str):
    return kt.view.diff(parsed(before), parsed(after)).passes[0].found


def body(*lines: str) -> str:
    return "\n".join(["func.func @f(%a: i32, %b: i32) -> i32 {", *lines, "}"])


def test_counts_of_a_pass():
    (p,) = pipeline_diff(LOOP, "canonicalize").passes
    assert p.found.removed["arith.muli"] == 2
    assert p.found.removed["arith.addi"] == 1
    old, new = p.found.ops
    assert new - old == p.found.added.total() - p.found.removed.total()


def test_every_line_of_both_sides_is_in_one_row():
    for p in pipeline_diff(LOOP, "canonicalize,cse,loop-invariant-code-motion").passes:
        olds = [r.old for r in p.found.rows if r.old is not None]
        news = [r.new for r in p.found.rows if r.new is not None]
        assert olds == list(range(len(p.before.listing.lines)))
        assert news == list(range(len(p.stage.listing.lines)))


def test_a_pass_without_effect_changes_nothing():
    first, second = pipeline_diff(LOOP, "canonicalize,canonicalize").passes
    assert first.changed
    assert not second.changed


def test_renumbering_is_no_change():
    before = body("%0 = arith.addi %a, %b : i32", "%1 = arith.muli %0, %b : i32", "return %1 : i32")
    after = body("%7 = arith.addi %a, %b : i32", "%x = arith.muli %7, %b : i32", "return %x : i32")
    assert not two(before, after).changed


def test_an_inserted_line_leaves_the_others_alone():
    before = body("%0 = arith.addi %a, %b : i32", "return %0 : i32")
    after = body("%9 = arith.muli %a, %a : i32", "%8 = arith.addi %a, %b : i32", "return %8 : i32")
    found = two(before, after)
    changed = [r.mark for r in found.rows if r.mark is not Mark.SAME]
    assert changed == [Mark.NEW]
    assert found.added == {"arith.muli": 1}


def test_another_attribute_is_an_edit():
    before = body("%0 = arith.addi %a, %b : i32", "return %0 : i32")
    after = body("%0 = arith.addi %a, %b overflow<nsw> : i32", "return %0 : i32")
    found = two(before, after)
    assert found.edited == {"arith.addi": 1}
    assert not found.added and not found.removed


def test_a_hoisted_operation_moved():
    text = """\
func.func @f(%n: index, %s: index) {
  scf.for %i = %s to %n step %s {
    %k = arith.muli %n, %s : index
    "t.use"(%k, %i) : (index, index) -> ()
  }
  return
}
"""
    (p,) = pipeline_diff(text, "loop-invariant-code-motion").passes
    assert p.found.moved == {"arith.muli": 1}
    assert not p.found.added and not p.found.removed
    found = marks(p.found)
    assert found["%k = arith.muli %n, %s : index"] in "<>"
    assert found['"t.use"(%k, %i) : (index, index) -> ()'] == " "


def test_lines_that_only_moved_in_are_the_same():
    before = """\
func.func @f(%a: i32, %c: i1) {
  "t.use"(%a) : (i32) -> ()
  return
}
"""
    after = """\
func.func @f(%a: i32, %c: i1) {
  scf.if %c {
    "t.use"(%a) : (i32) -> ()
  }
  return
}
"""
    found = marks(two(before, after))
    assert found["scf.if %c {"] == "+"
    assert found["return"] == " "


def test_functions_are_matched_by_name():
    f = "func.func @f() {\n  return\n}\n"
    g = "func.func @g(%a: i32) -> i32 {\n  return %a : i32\n}\n"
    found = two(f + g, g + f)
    assert not found.added and not found.removed


def test_an_operation_that_became_a_structured_one_keeps_the_name():
    text = """\
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %double = arith.addf %a, %a : tensor<4xf32>
  %res = arith.mulf %double, %a : tensor<4xf32>
  return %res : tensor<4xf32>
}
"""
    (p,) = pipeline_diff(text, "normalize-ktir").passes
    texts = [line.text for line in p.stage.listing.lines]
    assert any(t.startswith("%double = linalg.generic") for t in texts)
    assert any(t.startswith("%res = linalg.generic") for t in texts)
    assert p.found.removed["arith.mulf"] == 1
