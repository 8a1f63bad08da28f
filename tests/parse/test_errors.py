"""What the parser says about wrong text, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir.diagnostics import KtError, ParseError
from kt.parse import parse_path, parse_text, print_op

CORPUS = Path(__file__).parents[1] / "corpus" / "text"


def refused(text: str, **options) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_text(text, "t.mlir", **options)
    return caught.value


def body(*lines: str, arguments: str = "%a: i32, %n: index") -> str:
    return "\n".join([f"func.func @f({arguments}) {{", *(f"  {x}" for x in lines), "  return", "}"])


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        # A missing token is reported behind the last good one.
        (body("%0 = arith.addi %a %a : i32"), "2:21", "expected ',', got '%a' in 'arith.addi'"),
        (body("scf.for %i = %n %n step %n {", "}"), "2:18", "expected 'to', got '%n' in 'scf.for'"),
        (body("%0 = arith.addi %a, %a"), "2:25",
         "expected ':', 'overflow' or '{', got 'return' in 'arith.addi'"),
        (body("%0 = arith.adddi %a, %a : i32"), "2:8", "custom op 'arith.adddi' is unknown"),
        (body("%0 = arith.addi %a, %zz : i32"), "2:23", "use of undeclared SSA value name '%zz'"),
        (body("%0 = arith.addi %a, %a : i64"), "2:19",
         "use of value '%a' expects different type than prior uses: 'i64' vs 'i32'"),
        (body("%a = arith.addi %n, %n : index"), "2:3", "redefinition of SSA value '%a'"),
        (body("%0:2 = arith.addi %a, %a : i32"), "2:10",
         "operation defines 1 results but was provided 2 to bind"),
        (body("cf.br ^nowhere"), "2:9", "reference to an undefined block '^nowhere'"),
        (body("%0 = arith.constant 5 : f32"), "2:8",
         "unexpected decimal integer literal for a floating point attribute"),
        (body(arguments="%a: tensor<4xx8xf32>"), "1:27", "expected a type or a dimension, got 'x8xf32'"),
        (body(arguments="%a: tensor<4x8xf33>"), "1:29", "expected a type or a dimension, got 'f33'"),
        (body(arguments="%a: !ktdp.acces_tile<4xindex>"), "1:18", "unknown type '!ktdp.acces_tile'"),
        (body('"t.a"() {x = #nope} : () -> ()'), "2:16", "undefined symbol alias id 'nope'"),
        (body('"t.a"() {x = affine_map<(i) -> (i + j)>} : () -> ()'), "2:39",
         "use of undeclared identifier 'j'"),
        (body('"t.a"() {x = affine_map<(i, j) -> (i * j)>} : () -> ()'), "2:16",
         "non-affine expression: at least one of the multiply operands has to be either a constant or symbolic"),
        (body('"t.a"() {x = "abc} : () -> ()'), "2:16", "expected '\"' at the end of the string"),
        (body('"t.a"() {x = 300 : i8} : () -> ()'), "2:16", "integer constant out of range for attribute"),
        (body('"t.a"() {w = 7 : i8, x = -9 : i4} : () -> ()'), "2:28", "integer constant out of range for attribute"),
        (body('"t.a"() {x = [1, 0x1FF : i8]} : () -> ()'), "2:20", "integer constant out of range for attribute"),
        (body('"t.a"() {x = dense<[[1, 300]]> : tensor<1x2xi8>} : () -> ()'), "2:27",
         "integer constant out of range for attribute"),
        ("// 99\n#a = {w = 4 : i8,\n  x = 99 : i4\n}", "3:7", "integer constant out of range for attribute"),
        ("// c\n#a = {w = 4 : i8,\n  x = 9 : f32\n}", "3:3",
         "unexpected decimal integer literal for a floating point attribute"),
        (body('"t.a"(%a) : () -> ()'), "2:3", "expected 1 operand types but had 0"),
        (body('"t.a"() {x, x} : () -> ()'), "2:3", "duplicate key 'x' in dictionary attribute"),
        ("#a = 1 : i8\n#a = 2 : i8", "2:1", "redefinition of attribute alias id 'a'"),
        ("module {\n}\n}", "3:1", "expected an operation, got '}'"),
        ("\tfoo.bar", "1:2", "custom op 'foo.bar' is unknown"),
    ],
)  # fmt: skip
def test_message_and_place(text, place, message):
    error = refused(text)
    where = error.location.position()
    assert (f"{where.line}:{where.column}", error.message) == (place, message)


def test_missing_brace_points_to_the_open_one():
    error = refused("func.func @f() {\n  return\n")
    assert error.message.startswith("expected '}'")
    assert "the end of the input" in error.message
    (note,) = error.notes
    assert (note.message, note.location.line, note.location.column) == ("'{' opened here", 1, 16)


def test_redefinition_names_the_first_one():
    error = refused(body("%x = arith.addi %a, %a : i32", "%x = arith.addi %a, %a : i32"))
    assert error.location.position().line == 3
    assert error.notes[0].location.position().line == 2


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("%0 = arith.adddi %a, %a : i32", "did you mean 'arith.addi'?"),
        ("retrun", "did you mean 'return'?"),
        ("%0 = arith.addi %a, %nn : i32", "did you mean '%n'?"),
        ("foo.bar", 'an operation without a custom form is written as "foo.bar"(…)'),
    ],
)
def test_hints(line, hint):
    assert refused(body(line)).hint == hint


def test_render_shows_line_and_caret():
    text = refused(body("%0 = arith.addi %a, %zz : i32")).render()
    assert text.splitlines()[:3] == [
        "t.mlir:2:23: error: use of undeclared SSA value name '%zz'",
        "  %0 = arith.addi %a, %zz : i32",
        "                      ^^^",
    ]


def test_several_errors_in_one_run():
    with pytest.raises(ParseError) as caught:
        parse_path(CORPUS / "many_errors.mlir")
    lines = [d.location.position().line for d in caught.value.diagnostics]
    # Every wrong line once, none of the right ones (the loop's body and what follows are skipped over).
    assert lines == [3, 5, 6, 7, 10, 11, 13, 17]


def test_several_binding_errors():
    error = refused(body("%0 = arith.addi %x, %y : i32", "cf.br ^q"))
    assert [d.message for d in error.diagnostics] == [
        "use of undeclared SSA value name '%x'",
        "use of undeclared SSA value name '%y'",
        "reference to an undefined block '^q'",
    ]


def test_isolation():
    error = refused("%x = arith.constant 1 : i32\n" + body('"t.a"(%x) : (i32) -> ()'))
    assert error.message == "use of undeclared SSA value name '%x'"


def test_names_end_with_their_region():
    error = refused(body('"t.a"() ({', '%v = "t.b"() : () -> i32', "}) : () -> ()", '"t.c"(%v) : (i32) -> ()'))
    assert error.message == "use of undeclared SSA value name '%v'"
    assert error.location.position().line == 5


def test_unregistered_ops_can_be_refused():
    error = refused('"arith.adddi"() : () -> ()', allow_unregistered=False)
    assert error.hint == "did you mean 'arith.addi'?"
    assert parse_text('"arith.adi"() : () -> ()').body.first_op.name == "arith.adi"


def test_unreadable_files(tmp_path):
    with pytest.raises(ParseError, match="cannot read"):
        parse_path(tmp_path / "none.mlir")
    broken = tmp_path / "broken.mlir"
    broken.write_bytes(b"module {\n  \xff\n}")
    with pytest.raises(ParseError, match="not UTF-8") as caught:
        parse_path(broken)
    assert (caught.value.location.line, caught.value.location.column) == (2, 3)


def test_byte_order_mark_is_skipped(tmp_path):
    file = tmp_path / "bom.mlir"
    file.write_bytes(b"\xef\xbb\xbfmodule {}")
    assert parse_path(file).name == "builtin.module"


def test_deep_nesting_is_no_crash():
    depth = 3000
    text = '"t.a"() ({' * depth + "}) : () -> ()" * depth
    module = parse_text(text)
    op = module.body.first_op
    for _ in range(depth - 1):
        op = op.regions[0].block.first_op
    assert op.regions[0].is_empty
    try:
        assert print_op(module).count('"t.a"') == depth
    except KtError as error:  # where the interpreter allows no deeper recursion
        assert "nested too deeply" in error.message


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("[", "]"), ("{a = ", "}"), ("tensor<4x", ">"), ("!a.b<", ">"), ("affine_map<() -> (" + "(" * 99, ")")],
)
def test_deep_attributes_are_no_crash(opening, closing):
    text = f'"t.a"() {{x = {opening * 20000}1{closing * 20000}}} : () -> ()'
    try:
        module = parse_text(text)
    except ParseError:
        return
    if opening == "!a.b<":  # the text of an unknown type is kept as it is
        assert opening * 20000 in print_op(module)
        return
    with pytest.raises(KtError, match="nested too deeply"):
        print_op(module)
