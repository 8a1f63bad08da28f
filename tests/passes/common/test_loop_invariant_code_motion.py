"""loop-invariant-code-motion: as far out as possible, and never what could trap or has effects."""

from __future__ import annotations


def loops(before, outer, inner):
    return f"""
    func.func @f(%x: index, %y: index, %m: memref<4xindex>) {{
      %c1 = arith.constant 1 : index
      {before}
      scf.for %i = %x to %y step %c1 {{
        {outer}
        scf.for %j = %x to %y step %c1 {{
          {inner}
        }}
      }}
      return
    }}"""


def test_each_op_goes_as_far_as_it_can(after, form):
    a = "%a = arith.muli %x, %y : index"
    b = "%b = arith.addi %i, %a : index"
    c = "%c = arith.addi %j, %b : index"
    use = '"t.use"(%c) : (index) -> ()'
    pipeline = "loop-invariant-code-motion"
    assert after(pipeline, loops("", "", f"{a}\n{b}\n{c}\n{use}")) == form(
        loops(a, b, f"{c}\n{use}")
    )


def test_divisions_move_if_the_divisor_is_known(after, form):
    unsafe = '%q = arith.divsi %x, %y : index\n"t.use"(%q) : (index) -> ()'
    assert after("loop-invariant-code-motion", loops("", "", unsafe)) == form(loops("", "", unsafe))
    safe = "%two = arith.constant 2 : index\n%q = arith.ceildivui %x, %two : index"
    use = '"t.use"(%q) : (index) -> ()'
    assert after("loop-invariant-code-motion", loops("", "", f"{safe}\n{use}")) == form(
        loops(safe, "", use)
    )


def test_memory_stays(after, form):
    body = '%v = memref.load %m[%x] : memref<4xindex>\n"t.use"(%v) : (index) -> ()'
    assert after("loop-invariant-code-motion", loops("", "", body)) == form(loops("", "", body))


def test_ops_with_regions(after, form):
    whole = """%s = scf.execute_region -> index {
        %d = arith.addi %x, %y : index
        scf.yield %d : index
    }"""
    use = '"t.use"(%s) : (index) -> ()'
    assert after("loop-invariant-code-motion", loops("", "", f"{whole}\n{use}")) == form(
        loops(whole, "", use)
    )
    inside = whole.replace("%x, %y", "%x, %j")
    text = loops("", "", f"{inside}\n{use}")
    assert after("loop-invariant-code-motion", text) == form(text)
