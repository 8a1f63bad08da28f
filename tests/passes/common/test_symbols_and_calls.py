"""symbol-dce and inline."""

from __future__ import annotations

from kt.ir.diagnostics import CallSiteLoc
from kt.parse import parse_text
from kt.passes.manager import PassManager


def test_private_symbols_without_references_go(after, form):
    assert after(
        "symbol-dce",
        """
        func.func @main() { call @used() : () -> () return }
        func.func private @used()
        func.func private @chain() { call @last() : () -> () return }
        func.func private @last() { return }
        func.func @public() { return }
        """,
    ) == form("""
        func.func @main() { call @used() : () -> () return }
        func.func private @used()
        func.func @public() { return }
        """)


TEXT = """
func.func private @twice(%x: f16) -> f16 {{
  %0 = arith.addf %x, %x : f16
  return %0 : f16
}}
func.func private @four(%x: f16) -> f16 {{
  {four}
}}
func.func @main(%a: f16) -> f16 {{
  {main}
}}
"""


def test_calls_of_calls(after, form):
    four = "%0 = call @twice(%x) : (f16) -> f16 %1 = call @twice(%0) : (f16) -> f16 return %1 : f16"
    main = "%0 = call @four(%a) : (f16) -> f16 return %0 : f16"
    flat = "%0 = arith.addf {0}, {0} : f16 %1 = arith.addf %0, %0 : f16 return %1 : f16"
    assert after("inline", TEXT.format(four=four, main=main)) == form(
        TEXT.format(four=flat.format("%x"), main=flat.format("%a"))
    )


def test_recursion_and_declarations_stay(after, form):
    text = """
    func.func private @a(%x: i32) { call @b(%x) : (i32) -> () return }
    func.func private @b(%x: i32) { call @b(%x) : (i32) -> () call @c(%x) : (i32) -> () return }
    func.func private @c(%x: i32)
    """
    assert after("inline", text) == form(text)


def test_inlined_ops_know_their_call():
    main = "%0 = call @twice(%a) : (f16) -> f16 return %0 : f16"
    module = parse_text(TEXT.format(four="return %x : f16", main=main), "k.mlir")
    PassManager("inline").run(module)
    add = list(module.walk())[-2]
    assert isinstance(add.location, CallSiteLoc)
    assert str(add.location.callee).startswith("k.mlir:3:") and str(add.location.caller).startswith(
        "k.mlir:10:"
    )
