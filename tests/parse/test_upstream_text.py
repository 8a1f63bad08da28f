"""Text of the upstream dialects: the corpus holds what upstream's tools print, in both forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.attributes import UnitAttr
from kt.ir.diagnostics import ParseError
from kt.ir.dialects import linalg, scf
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text
from kt.parse.printer import print_op

CORPUS = Path(__file__).parent.parent / "corpus" / "upstream"
CUSTOM = sorted(p for p in CORPUS.glob("*.mlir") if not p.name.endswith(".generic.mlir"))
GENERIC = sorted(CORPUS.glob("*.generic.mlir"))


def custom_of(path: Path) -> Path:
    return path.with_name(path.name.replace(".generic", ""))


@pytest.mark.parametrize("path", CUSTOM, ids=lambda p: p.stem)
def test_custom_form_is_stable(path):
    module = parse_path(path)
    verify(module)
    assert print_op(module) == path.read_text()


@pytest.mark.parametrize("path", GENERIC, ids=lambda p: p.name)
def test_generic_form_of_custom_text(path):
    assert print_op(parse_path(custom_of(path)), generic=True) == path.read_text()


@pytest.mark.parametrize("path", GENERIC, ids=lambda p: p.name)
def test_custom_form_of_generic_text(path):
    module = parse_path(path)
    verify(module)
    assert print_op(module) == custom_of(path).read_text()


def body_of(text: str, arguments: str = "%i: index, %a: i32, %f: f32, %c: i1, %t: tensor<4xf32>"):
    """The printed lines of a function's body."""
    printed = print_op(parse_text(f"func.func @f({arguments}) {{\n{text}\nreturn\n}}"))
    return [line.strip() for line in printed.splitlines()[2:-3]]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("scf.for %x = %i to %i step %i : index { scf.yield }",
         ["scf.for %arg5 = %arg0 to %arg0 step %arg0 {", "}"]),
        ("%r = scf.for %x = %i to %i step %i iter_args(%y = %f) -> f32 { scf.yield %y : f32 }",
         ["%0 = scf.for %arg5 = %arg0 to %arg0 step %arg0 iter_args(%arg6 = %arg2) -> (f32) {",
          "scf.yield %arg6 : f32", "}"]),
        ("%r = arith.addf %f, %f fastmath<ninf, nnan> : f32",
         ["%0 = arith.addf %arg2, %arg2 fastmath<nnan,ninf> : f32"]),
        ("%r = arith.addi %a, %a {overflowFlags = #arith.overflow<nuw>} : i32",
         ["%0 = arith.addi %arg1, %arg1 overflow<nuw> : i32"]),
        ("%r = arith.addi %a, %a {overflowFlags = #arith.overflow<none>} : i32",
         ["%0 = arith.addi %arg1, %arg1 : i32"]),
        ("%r = linalg.copy ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {x.y} -> tensor<4xf32>",
         ["%0 = linalg.copy {x.y} ins(%arg4 : tensor<4xf32>) outs(%arg4 : tensor<4xf32>) -> "
          "tensor<4xf32>"]),
        ("affine.for %x = 0 to affine_map<()[s0] -> (s0)>()[%i] step 1 { }",
         ["affine.for %arg5 = 0 to %arg0 {", "}"]),
    ],
)  # fmt: skip
def test_other_spellings(written, printed):
    assert body_of(written) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%r = scf.for %x = %i to %i step %i iter_args(%y = %f) -> (f32, f32) { }",
         "mismatch in number of loop-carried values and defined values: 1 and 2"),
        ("scf.parallel (%x, %y) = (%i) to (%i) step (%i) { }",
         "expected 2 lower bounds, upper bounds and steps"),
        ("scf.while (%x = %f) : () -> () { scf.condition(%c) } do { scf.yield }",
         "expected as many input types as operands (expected 1 got 0)"),
        ("%r = affine.apply affine_map<(d0) -> (d0)>(%i, %i)",
         "dim operand count (2) and affine map dim count (1) must match"),
        ("%r = affine.apply affine_map<(d0) -> (d0)>(%i)[%i]",
         "symbol operand count (1) and affine map symbol count (0) must match"),
        ("affine.if affine_map<(d0) -> (d0)>(%i) { }",
         "expected an integer set, got 'affine_map<(d0) -> (d0)>'"),
        ("%r = linalg.reduce { arith.nope } ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) "
         "dimensions = [0]", "unknown payload operation 'arith.nope'"),
        ("%r = linalg.reduce ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) dimensions = [0]",
         "expected either a payload operation in braces or a region"),
        ("%r = linalg.exp ins(%i8 : tensor<4xi8>) outs(%i8 : tensor<4xi8>) -> tensor<4xi8>",
         "'linalg.exp' op exp has no meaning for 'i8'"),
        ("linalg.yield %f, %f : f32", "expected 2 types for 2 operands, got 1"),
    ],
)  # fmt: skip
def test_refused(text, message):
    function = f"func.func @f(%i: index, %f: f32, %c: i1, %t: tensor<4xf32>, %i8: tensor<4xi8>) {{\n{text}\nreturn\n}}"
    with pytest.raises(ParseError) as caught:
        parse_text(function)
    assert caught.value.message.endswith(message)
    place = caught.value.location.position()
    assert place is not None and place.line == 2


def test_named_op_with_a_body_of_its_own_keeps_it():
    text = """
func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
  %r = "linalg.add"(%t, %t, %t) <{operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.mulf %a, %b : f32
    linalg.yield %d : f32
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    again = parse_text(print_op(parse_text(text)))
    (made,) = again.walk_type(linalg.AddOp)
    assert [op.name for op in made.body.ops] == ["arith.mulf", "linalg.yield"]


def test_derived_maps_of_upstream_are_not_written():
    text = """
func.func @f(%t: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.exp {linalg.memoized_indexing_maps = [affine_map<(d0) -> (d0)>]} ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    assert "memoized" not in print_op(parse_text(text))


def test_unsigned_loops():
    module = parse_text(
        "func.func @f(%i: index) { scf.for unsigned %x = %i to %i step %i { }\nreturn }"
    )
    (loop,) = module.walk_type(scf.ForOp)
    assert isinstance(loop.unsigned_cmp, UnitAttr)
