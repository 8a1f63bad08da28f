"""Types, attributes, locations and structure as text. Expected texts are those of mlir-opt 22."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir import types as t
from kt.ir.attributes import DenseElementsAttr, FloatAttr, StringAttr
from kt.ir.diagnostics import FileLoc, FusedLoc, NameLoc
from kt.parse import parse_path, parse_text, print_op, split_input

CORPUS = Path(__file__).parents[1] / "corpus" / "text"


def attribute(text: str):
    """The attribute that ``text`` means, in an op's dictionary."""
    op = parse_text(f'"test.op"() {{x = {text}}} : () -> ()').body.first_op
    return op.attributes["x"]


def test_everything_prints_as_mlir_opt_does():
    module = parse_path(CORPUS / "everything.in")
    assert print_op(module).strip() == (CORPUS / "everything.mlir").read_text().strip()
    generic = (CORPUS / "everything.generic").read_text().strip()
    assert print_op(module, generic=True).strip() == generic


@pytest.mark.parametrize("name", ["everything.mlir", "everything.generic"])
def test_printed_text_reads_back(name):
    module = parse_path(CORPUS / name)
    assert print_op(module).strip() == (CORPUS / "everything.mlir").read_text().strip()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("5", "5 : i64"),
        ("0xFF : i8", "-1 : i8"),
        ("255 : ui8", "255 : ui8"),
        ("-0x1 : i8", None),
        ("1.0", "1.000000e+00 : f64"),
        ("0x7F800000 : f32", "0x7F800000 : f32"),
        ("0.1 : f16", "9.997550e-02 : f16"),
        ("true", "true"),
        ("1 : i1", "true"),
        ("unit", "unit"),
        ('"a\\22\\0Ab"', '"a\\22\\0Ab"'),
        ("@a::@\"b c\"", "@a::@\"b c\""),
        ("[1, [], {a}]", "[1, [], {a}]"),
        ("{b = 1 : i8, a}", "{a, b = 1 : i8}"),
        ("{\"x y\" = 1 : i8}", "{\"x y\" = 1 : i8}"),
        ("array<i32: 1, -2>", "array<i32: 1, -2>"),
        ("array<i64>", "array<i64>"),
        ("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", "dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"),
        ("dense<[7, 7]> : tensor<2xi32>", "dense<7> : tensor<2xi32>"),
        ("dense<[-0.0, 0.0]> : tensor<2xf32>",
         "dense<[-0.000000e+00, 0.000000e+00]> : tensor<2xf32>"),
        ('dense<"0x003C00C0"> : tensor<2xf16>',
         "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf16>"),
        ("dense<> : tensor<0xf16>", "dense<> : tensor<0xf16>"),
        ("dense<[1.5, 0x7C00]> : tensor<2xf16>", "dense<[1.500000e+00, 0x7C00]> : tensor<2xf16>"),
        ("strided<[?, 1], offset: 4>", "strided<[?, 1], offset: 4>"),
        ("#unknown.thing<[1, \"a>b\"], {x -> y}>", "#unknown.thing<[1, \"a>b\"], {x -> y}>"),
        ("!unknown.type<a<b<c<d<e<f>>>>>>", "!unknown.type<a<b<c<d<e<f>>>>>>"),
        ("tensor<4x?x8xf16>", "tensor<4x?x8xf16>"),
        ("tensor<0x4xf16>", "tensor<0x4xf16>"),
        ("tensor< 4 x 8 x f16 >", "tensor<4x8xf16>"),
        ("tensor<*xi8>", "tensor<*xi8>"),
        ("vector<2x[4]xf32>", "vector<2x[4]xf32>"),
        ("memref<4x?xf32, strided<[?, 1], offset: ?>, \"s\">",
         "memref<4x?xf32, strided<[?, 1], offset: ?>, \"s\">"),
        ("memref<4xf32, affine_map<(i) -> (i)>, 0>", "memref<4xf32>"),
        ("(i32, () -> ()) -> ((i8) -> i8)", "(i32, () -> ()) -> ((i8) -> i8)"),
        ("tuple<i32, complex<f32>>", "tuple<i32, complex<f32>>"),
        ("si17", "si17"),
        ("f8E4M3FN", "f8E4M3FN"),
        ("loc(\"f\":3:4)", None),
        ("!ktdp.access_tile<4x?xindex>", "!ktdp.access_tile<4x?xindex>"),
        ("#vectorchain<binary_operator max>", "#vectorchain<binary_operator max>"),
        ("#ktdf_arch.map<#ktdp.memory_space<global>= \"A\", f16=64>",
         "#ktdf_arch.map<#ktdp.memory_space<global> = \"A\", f16 = 64 : i64>"),
    ],
)  # fmt: skip
def test_attribute_text(text, printed):
    if printed is None:
        if text.startswith("loc"):
            assert attribute(text).location == FileLoc.at("f", 3, 4)
            return
        with pytest.raises(Exception, match="expected"):
            attribute(text)
        return
    assert str(attribute(text)) == printed
    assert attribute(printed) is attribute(text)


@pytest.mark.parametrize(
    "text",
    [
        "affine_map<(d0, d1)[s0] -> (d0 * 3 + s0 floordiv 2, -(d1 - 3), d0 mod 4)>",
        "affine_map<() -> ()>",
        "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d0 mod 2 == 0)>",
    ],
)
def test_affine_text_is_hoisted(text):
    module = parse_text(f'"test.op"() {{x = {text}, y = {text}}} : () -> ()')
    name = "#map" if text.startswith("affine_map") else "#set"
    printed = print_op(module)
    assert printed.startswith(f"{name} = {text}\n")
    assert f"{{x = {name}, y = {name}}}" in printed


def test_float_literals_round_once():
    # 1 + 2^-11 + 2^-40 is above the tie of f16, but its nearest double to 25 digits is too.
    value = attribute("1.00048828125000090949470177292823791503906250 : f16")
    assert isinstance(value, FloatAttr)
    assert value.value == 1.0009765625
    assert attribute("1.0e5 : f16").value == float("inf")


def test_dense_bytes():
    held = attribute("dense<[[1.0, -2.0]]> : tensor<1x2xbf16>")
    assert isinstance(held, DenseElementsAttr)
    assert held.data == bytes.fromhex("803F00C0")
    assert attribute("dense<[true, false]> : tensor<2xi1>").data == b"\x01\x00"
    assert attribute('dense<"0x05"> : tensor<8xi1>').data == bytes([1, 0, 1, 0, 0, 0, 0, 0])


def test_comments_strings_and_keywords():
    module = parse_text(
        '"test.op"() {to = 1 : i8, loc = "// no comment", /* x */ }'.replace("/* x */", "step = [] // {\n")
        + " : () -> () // trailing\n// last"
    )
    entries = module.body.first_op.attributes
    assert list(entries) == ["to", "loc", "step"]
    assert entries["loc"] == StringAttr("// no comment")


def test_implicit_module_and_nested():
    assert parse_text("").body.is_empty
    assert len(parse_text("module {}\nmodule {}").body) == 2
    assert parse_text("module @a { module @b {} }").sym_name.value == "a"


def test_forward_references_and_blocks():
    module = parse_text("""
      func.func @f(%c: i1) -> i32 {
        cf.cond_br %c, ^late(%0 : i32), ^mid
      ^late(%x: i32):
        return %x : i32
      ^mid:
        %0 = arith.constant 5 : i32
        cf.br ^late(%0 : i32)
      }""")
    function = module.body.first_op
    entry, late, mid = function.body_region.blocks
    assert entry.last_op.operands[1] is mid.first_op.results[0]
    assert entry.last_op.successors == (late, mid)


def test_result_packs():
    module = parse_text("""
      %a:2, %b = "t.three"() : () -> (i8, i16, i32)
      "t.use"(%a#0, %a, %a#1, %b#0) : (i8, i8, i16, i32) -> ()""")
    first, second = module.body.ops
    assert [v.index for v in second.operands] == [0, 0, 1, 2]
    assert '%0:3 = "t.three"()' in print_op(module)
    assert '"t.use"(%0#0, %0#0, %0#1, %0#2)' in print_op(module)
    assert [r.name_hint for r in first.results] == ["a", None, "b"]


def test_locations():
    text = """
      #l = loc("f.py":3:4)
      "t.a"() : () -> () loc(#l)
      "t.b"() : () -> () loc("n"(#l))
      "t.c"() : () -> () loc(fused[#l, "k"])
      "t.d"() : () -> () loc(#late)
      #late = loc(callsite(#l at "g.py":1:2))
      "t.e"() : () -> ()"""
    module = parse_text(text, "here.mlir")
    a, b, c, d, e = module.body.ops
    assert a.location == FileLoc.at("f.py", 3, 4)
    assert b.location == NameLoc("n", a.location)
    assert c.location == FusedLoc((a.location, NameLoc("k")))
    assert str(d.location) == "callsite(f.py:3:4 at g.py:1:2)"
    assert str(e.location) == "here.mlir:8:7"
    printed = print_op(module, locations=True)
    assert printed.count("loc(#loc") == 5 + 1
    assert print_op(parse_text(printed), locations=True) == printed
    assert "loc(" not in print_op(module)


def test_split_input_is_exact():
    parts = split_input("a\n// -----\nb\n// ------\n  // -----\nc")
    assert [p for p, _ in parts] == ["a\n", "b\n// ------\n  // -----\nc"]
    assert [line for _, line in parts] == [0, 2]


def test_resources_survive():
    text = '"t.a"() {x = dense_resource<blob> : tensor<2xf32>} : () -> ()\n' \
           '{-# dialect_resources: { builtin: { blob: "0x0400" } } #-}'  # fmt: skip
    module = parse_text(text)
    assert "dense_resource<blob> : tensor<2xf32>" in print_op(module)
    assert '{-# dialect_resources: { builtin: { blob: "0x0400" } } #-}' in print_op(module)
    assert print_op(parse_text(print_op(module))) == print_op(module)


def test_unregistered_text_is_kept():
    text = '%0:2 = "new.op"() <{p = 1 : i64}> ({\n}) {a = !new.t<x>, d} : () -> (!new.t, i32)'
    op = parse_text(text).body.first_op
    assert op.name == "new.op"
    assert op.results[0].type is t.OpaqueType("new.t")
    assert str(op).strip() == text
