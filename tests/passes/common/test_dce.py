"""dce: what nobody needs goes, what has effects stays."""

from __future__ import annotations


def test_dead_ops_in_all_regions(after, form):
    assert after(
        "dce",
        """
        func.func @f(%x: index, %c: i1) -> index {
          %0 = arith.addi %x, %x : index
          %1 = arith.muli %0, %0 : index
          %m = "t.make"() : () -> memref<4xindex>
          %2 = memref.load %m[%x] : memref<4xindex>
          %3 = memref.alloc() : memref<4xindex>
          scf.if %c {
            %4 = arith.addi %x, %x : index
            "t.effect"() : () -> ()
          }
          scf.if %c {
            %5 = arith.addi %x, %x : index
          }
          return %x : index
        }""",
    ) == form("""
        func.func @f(%x: index, %c: i1) -> index {
          %m = "t.make"() : () -> memref<4xindex>
          scf.if %c {
            "t.effect"() : () -> ()
          }
          return %x : index
        }""")


def test_loops_of_blocks(after, form):
    """A counter that only counts itself is dead, with the argument that carries it."""
    text = """
    func.func @f(%n: index, %c: i1) -> index {{
      cf.br ^head({start})
    ^head({arguments}):
      {count}
      cf.cond_br %c, ^head({again}), ^end
    ^end:
      return %k : index
    }}"""
    before = text.format(
        start="%n, %n : index, index", arguments="%i: index, %k: index",
        count="%0 = arith.addi %i, %n : index", again="%0, %n : index, index",
    )  # fmt: skip
    alive = text.format(start="%n : index", arguments="%k: index", count="", again="%n : index")
    assert after("dce", before) == form(alive)


def test_unreachable_blocks(after, form):
    assert after("dce", "func.func @f() { return ^a: cf.br ^b ^b: cf.br ^a }") == form(
        "func.func @f() { return }"
    )
