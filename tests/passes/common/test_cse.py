"""cse: what is merged and what must not be."""

from __future__ import annotations

import pytest

CASES = {
    "equal ops, also in inner regions": (
        """
        %0 = arith.addi %x, %y : index
        %1 = arith.addi %y, %x : index
        scf.if %c {
          %2 = arith.addi %x, %y : index
          "t.use"(%2) : (index) -> ()
        }
        "t.use"(%0, %1) : (index, index) -> ()
        """,
        """
        %0 = arith.addi %x, %y : index
        scf.if %c {
          "t.use"(%0) : (index) -> ()
        }
        "t.use"(%0, %0) : (index, index) -> ()
        """,
    ),
    "siblings don't see each other": (
        """
        scf.if %c {
          %2 = arith.muli %x, %y : index
          "t.use"(%2) : (index) -> ()
        } else {
          %2 = arith.muli %x, %y : index
          "t.use"(%2) : (index) -> ()
        }
        """,
        None,
    ),
    "other attributes, other op": (
        """
        %0 = arith.addi %x, %y : index
        %1 = arith.addi %x, %y overflow<nsw> : index
        %2 = arith.subi %x, %y : index
        %3 = arith.subi %y, %x : index
        "t.use"(%0, %1, %2, %3) : (index, index, index, index) -> ()
        """,
        None,
    ),
    "reads up to the next write": (
        """
        %m = "t.make"() : () -> memref<4xindex>
        %0 = memref.load %m[%x] : memref<4xindex>
        %1 = memref.load %m[%x] : memref<4xindex>
        memref.store %1, %m[%y] : memref<4xindex>
        %2 = memref.load %m[%x] : memref<4xindex>
        "t.use"(%0, %1, %2) : (index, index, index) -> ()
        """,
        """
        %m = "t.make"() : () -> memref<4xindex>
        %0 = memref.load %m[%x] : memref<4xindex>
        memref.store %0, %m[%y] : memref<4xindex>
        %2 = memref.load %m[%x] : memref<4xindex>
        "t.use"(%0, %0, %2) : (index, index, index) -> ()
        """,
    ),
    "ops with regions": (
        """
        %0 = scf.if %c -> (index) {
          %1 = arith.addi %x, %y : index
          scf.yield %1 : index
        } else {
          scf.yield %x : index
        }
        %2 = scf.if %c -> (index) {
          %1 = arith.addi %x, %y : index
          scf.yield %1 : index
        } else {
          scf.yield %x : index
        }
        "t.use"(%0, %2) : (index, index) -> ()
        """,
        """
        %0 = scf.if %c -> (index) {
          %1 = arith.addi %x, %y : index
          scf.yield %1 : index
        } else {
          scf.yield %x : index
        }
        "t.use"(%0, %0) : (index, index) -> ()
        """,
    ),
    "unknown ops and fresh identities": (
        """
        %0 = "t.make"() : () -> index
        %1 = "t.make"() : () -> index
        %2 = ktdf.tiling.reserve_size {divisibility = 1 : index, min_value = 1 : index} : index
        %3 = ktdf.tiling.reserve_size {divisibility = 1 : index, min_value = 1 : index} : index
        "t.use"(%0, %1, %2, %3) : (index, index, index, index) -> ()
        """,
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_merging(case, after, form):
    before, merged = CASES[case]
    head, tail = "func.func @f(%x: index, %y: index, %c: i1) {\n", "\nreturn\n}"
    assert after("cse", head + before + tail) == form(
        head + (before if merged is None else merged) + tail
    )


def test_functions_are_apart(after, form):
    one = "func.func @{}(%x: index) -> index {{ %0 = arith.addi %x, %x : index return %0 : index }}"
    text = one.format("f") + one.format("g")
    assert after("cse", text) == form(text)


def test_dominating_blocks(after, form):
    text = """
    func.func @f(%c: i1, %x: index) -> index {{
      %0 = arith.addi %x, %x : index
      cf.cond_br %c, ^a, ^b
    ^a:
      {left}
      cf.br ^end({left_value} : index)
    ^b:
      %2 = arith.muli %x, %x : index
      cf.br ^end(%2 : index)
    ^end(%r: index):
      %3 = arith.muli %x, %x : index
      %4 = arith.addi %r, %3 : index
      %5 = arith.addi %4, %0 : index
      return %5 : index
    }}"""
    assert after(
        "cse", text.format(left="%1 = arith.addi %x, %x : index", left_value="%1")
    ) == form(text.format(left="", left_value="%0"))
