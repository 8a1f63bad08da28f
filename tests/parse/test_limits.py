"""What is too large is refused with a message that names the limit. kt.parse lists them."""

from __future__ import annotations

import pytest

import kt.parse as parsing
from kt.ir.diagnostics import KtError
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text, print_op


def constant(text: str) -> str:
    return f'"t.a"() {{x = {text}}} : () -> ()'


DEEP = 20_000
TOO_LARGE = {
    "digits": (constant("1" * 5000 + " : i64"), "a number of 5000 digits; 4000 are read"),
    "digits of a float": (constant("1." + "1" * 5000), "a number of 5002 digits; 4000 are read"),
    "digits in a list": (constant(f"dense<[{'1' * 5000}]> : tensor<1xi8>"), "a number of 5000 digits; 4000 are read"),
    "integer type": (constant("0 : i16777216"), "integer bitwidth is limited to 16777215 bits"),
    "width of a thousand digits": (constant(f"0 : i{'9' * 1000}"), "integer bitwidth is limited to 16777215 bits"),
    "signless constant": (constant("256 : i8"), "integer constant out of range for attribute"),
    "signed constant": (constant("128 : si8"), "integer constant out of range for attribute"),
    "index": (constant("18446744073709551616 : index"), "integer constant out of range for attribute"),
    "extent": (constant("tensor<9223372036854775808xf32>"), "invalid dimension: it doesn't fit 64 bits"),
    "results": ('%a:1000000 = "t.a"() : () -> ()', "an operation has no more than 999999 results"),
    "nested types": (constant("tuple<" * DEEP + "i1" + ">" * DEEP), "nested too deeply"),
    "nested lists": (constant("[" * DEEP + "]" * DEEP), "nested too deeply"),
    "nested expression": (
        constant("affine_map<(d0) -> (" + "(" * DEEP + "d0" + ")" * DEEP + " * 2)>"), "nested too deeply",
    ),
}  # fmt: skip
MAY_PASS = {"nested lists", "nested expression"}
"""Brackets cost the parser no recursion; what they mean may be shallow, and reading it is no fault."""


@pytest.mark.parametrize("name", TOO_LARGE)
def test_too_large(name):
    text, message = TOO_LARGE[name]
    try:
        module = parse_text(text)
        print_op(module)
    except KtError as error:
        assert message in error.message
        return
    assert name in MAY_PASS


@pytest.mark.parametrize(
    "text",
    [
        constant("9" * 19 + " : i64").replace("9" * 19, "1" * 4000).replace(" : i64", " : i16777215"),
        constant("255 : i8"),
        constant("-128 : i8"),
        constant("18446744073709551615 : index"),
        constant("tensor<9223372036854775807xf32>"),
        constant("0 : i16777215"),
    ],
)
def test_the_largest(text):
    module = parse_text(text)
    assert print_op(parse_text(print_op(module))) == print_op(module)


def test_a_text_that_is_too_long(monkeypatch, tmp_path):
    monkeypatch.setattr(parsing, "MAX_CHARACTERS", 100)
    with pytest.raises(KtError, match="the text has 101 characters; at most 100 are read") as caught:
        parse_text(" " * 101)
    assert "resource file" in (caught.value.hint or "")
    parse_text(" " * 100)
    file = tmp_path / "long.mlir"
    file.write_bytes(b" " * 401)
    with pytest.raises(KtError, match="the text has 401 bytes; at most 100 are read"):
        parse_path(file)


def test_deep_regions_are_read_and_verified():
    depth = 3000
    text = '"t.a"() ({\n' * depth + '"t.b"() : () -> ()\n' + "}) : () -> ()\n" * depth
    module = parse_text(text)
    verify(module)
    assert sum(1 for _ in module.walk()) == depth + 2
    try:
        print_op(module)
    except KtError as error:
        assert error.message == "the operation is nested too deeply to be printed"


def test_errors_are_counted_out():
    with pytest.raises(KtError) as caught:
        parse_text("arith.addi %a %b\n" * 200)
    assert len(caught.value.diagnostics) == 20


@pytest.mark.parametrize(
    "op",
    [
        "%v = ktdp.construct_memory_view %i, sizes: [99999999999999999999], strides: [1] : memref<4xf16>",
        "%v = memref.subview %m[99999999999999999999] [1] [1] : memref<4xf16> to memref<1xf16>",
        "%v = tensor.extract_slice %t[0] [1] [-99999999999999999999] : tensor<4xf16> to tensor<1xf16>",
    ],
)
def test_static_entries_fit_64_bits(op):
    text = f"func.func @f(%i: index, %m: memref<4xf16>, %t: tensor<4xf16>) {{\n  {op}\n  return\n}}\n"
    with pytest.raises(KtError, match="must fit its 32 or 64 bits") as refusal:
        parse_text(text, "t.mlir")
    assert refusal.value.location.line == 2
