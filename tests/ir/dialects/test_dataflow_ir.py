"""Rules of dataflow, uniform, symbol, agen and vectorchain; what upstream lets through is lenient."""

from __future__ import annotations

from pathlib import Path

import pytest

from kt.ir import types as t
from kt.ir.diagnostics import KtError
from kt.ir.dialects.agen import CompositeLoadAndStoreOp, SetTransferMaskStateOp
from kt.ir.dialects.dataflow import GetUnitOp, ProgramUnitOp, lanes_of, unit_of
from kt.ir.dialects.symbol import CreateSymbolOp
from kt.ir.dialects.uniform import DefImmutableMappingOp, UniformizeRegionsOp
from kt.ir.verifier import verify
from kt.parse import parse_path, parse_text

CORPUS = Path(__file__).parents[2] / "corpus" / "dfir"
HEAD = """
  %u = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-a", type = "a"} : index
  %w = dataflow.get_unit {core = 1 : i32, name = "C1-a", type = "a"} : index
  %mem = dataflow.get_unit {name = "mem", type = "mem"} : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
ID = "affine_map<(d0) -> (d0)>"
ID2 = "affine_map<(d0, d1) -> (d0, d1)>"
FOUR = "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>"
ROW = "affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>"


def module(body: str, arguments: str = "%m: memref<8x4xf16>, %x: vector<4xf16>, %i: index"):
    return parse_text(f"func.func @f({arguments}) {{{HEAD}{body}\n  return\n}}\n")


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.mlir")), ids=lambda p: p.stem)
def test_examples(path):
    verify(parse_path(path))


def load(attributes: str = f"load_order = {ID2}, load_set = {ROW}", vector: str = "vector<4xf16>"):
    return f"%v = agen.vector_load %m[%i, 0] {{{attributes}}} : memref<8x4xf16>, {vector}"


def copy(**changes: str) -> str:
    entries = {
        "load_order": ID2, "load_set": ROW, "load_time_addr_map": "affine_map<(d0) -> (d0, 0)>",
        "store_order": ID2, "store_set": ROW, "store_time_addr_map": "affine_map<(d0) -> (d0, 0)>",
        "time_order": ID, "time_set": "affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>",
    } | changes  # fmt: skip
    text = ", ".join(f"{k} = {v}" for k, v in entries.items())
    return (
        "agen.composite_load_and_store src:%m[%i, 0] dst:%m[0, 0] time_symbols(), "
        f"load_iv(%z:vector<4xf16>) {{{text}}} {{\nagen.yield\n}} : memref<8x4xf16>, memref<8x4xf16>"
    )


def fold(map: str, out: str = "vector<4xf16>") -> str:
    return f"%r = vectorchain.multiply %x, %x {{reduction_map = {map}}} : vector<4xf16>, vector<4xf16>, {out}"


@pytest.mark.parametrize(
    "body",
    [
        load(),
        load(f'load_order = {ID2}, load_set = {ROW}, dbgName = "q"'),
        copy(),
        fold("affine_map<(d0) -> (d0 floordiv 2)>", "vector<2xf16>"),
        "%r = vectorchain.cast %x : vector<4xf16>, vector<4xf32>",
        "%k = vectorchain.create_affine_mask {mask_set = affine_set<(d0) : (d0 >= 0)>} : vector<4xi1>",
        "%k = vectorchain.constant_bitstream {value = [1, 65535]} : vector<2xi16>",
        "%k = vectorchain.constant_bitstream {is_symbol = true, value = [-70000]} : vector<1xi16>",
        "%k = vectorchain.shuffle input(%x), variable(%i), pad(%c0, %c1) {indices = [-1, -3, 3], "
        "repetition = 2 : i32} : vector<4xf16>, index, index, index, vector<6xf16>",
        "%s = symbol.create_symbol {SymbolId = -1 : i64} : index",
        "%m0 = uniform.def_immutable_mapping([%u -> %c0], [%w -> %c1]):index",
        "dataflow.program_unit %u, %w : {\n}",
        "agen.composite_memory_interleave {} {\n}",
    ],
)
def test_accepted(body):
    verify(module(body))


STRICT = [
    (load(vector="vector<5xf16>"), "load set has 4 points, but the vector has 5 lanes"),
    (load(vector="vector<4xf32>"), "moves elements of type f32, but the memory view has f16"),
    (load(f"load_order = {ID}, load_set = {FOUR}"), "load set and array dimensions should match"),
    (
        load().replace("%m[%i, 0]", "%m[%i]"),
        "has 1 subscripts for 'memref<8x4xf16>' of rank 2",
    ),
    (copy(time_order=ID2), "time set and order dimensions should match"),
    (copy(load_time_addr_map=ID), "time address map has 1 results for rank 2"),
    (copy(store_time_addr_map=ID2), "time set and address map dimensions should match"),
    (copy(store_set="affine_set<(d0, d1) : (d0 == 0, d1 == 0)>"), "store set has 1 points"),
    (fold(ID2), "requires a lane map of one dimension"),
    (fold(ID, "vector<2xf16>"), "leaves the 2 lanes of the result"),
    (
        "%r = vectorchain.neg %x : vector<4xf16>, vector<5xf16>",
        "requires operands and result with equally many lanes",
    ),
    (
        "%r = vectorchain.pack %x, %x {indices = [0], repetition = 3 : index} : vector<4xf16>, "
        "vector<4xf16>, vector<4xf16>",
        "picks 3 lanes for the 4 lanes",
    ),
    (
        "%r = vectorchain.scan_with_gap %x {reduction_op = #vectorchain<binary_operator add>, gap = 0 "
        ": index, eval_order = #vectorchain<eval_order left_to_right>} : vector<4xf16>, vector<4xf16>",
        "requires a gap of at least 1",
    ),
    (
        "%k = vectorchain.create_affine_mask {mask_set = affine_set<(d0)[s0] : (s0 - d0 >= 0)>} : "
        "vector<4xi1>",
        "requires a set of one dimension and 0 symbols",
    ),
    (
        "%q = uniform.query_map(map:%c0, key:%u) : index",
        "expects a result of uniform.def_immutable",
    ),
    (
        "%v = dataflow.get_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>} : "
        "index, index, memref<2x2xf16>",
        "expects a layout map of 2 dimensions, no symbols and one result",
    ),
    (
        "%g = dataflow.create_multicast_group(%u -> (%w)) {count = 0 : i32, group_id = 1 : i32, "
        "num_consumers = 2 : i32} : index",
        "says num_consumers = 2, but lists 1",
    ),
    ("dataflow.program_unit %u, %u : {\n}", "lists a unit twice"),
    (
        "dataflow.program_unit %u : {\ndataflow.program_unit %w : {\n}\n}",
        "can't stand inside another program unit",
    ),
    (
        "%k = agen.set_transfer_mask_state mask_value(%i) {num_slices = 2 : i32, slice_mask_map = "
        '"(0)(B)", maskA = "(unmasked = 1 : i32, masked = 1 : i32)"} : index, vector<4xf16>',
        "'(B)' names a pattern that isn't given",
    ),
    (
        "%k = agen.set_transfer_mask_state mask_value(%i) {num_slices = 2 : i32, slice_mask_map = "
        '"(0)(A)", maskA = "(unmasked = 2 : i32, masked = 1 : i32)"} : index, vector<4xf16>',
        "pattern of 2 + 1 lanes doesn't divide a slice of 2 lanes",
    ),
]


@pytest.mark.parametrize(("body", "message"), STRICT)
def test_contradictions_that_upstream_lets_through(body, message):
    with pytest.raises(KtError) as error:
        verify(module(body))
    assert message in error.value.message
    verify(module(body), lenient=True)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            copy(load_order=ID),
            "load set and order dimensions should match, but are 2 and 1",
        ),
        (copy().replace("agen.yield\n", ""), "expects a region that ends with agen.yield"),
        (
            "%s = symbol.create_symbol : index",
            "requires attribute 'SymbolId'",
        ),
        ("%s = symbol.create_symbol {SymbolId = 1 : i64} : index", "must be negative, but is 1"),
        (
            "symbol.create_id %i {symbol_id = -1 : i64} : index",
            "'symbol_id' failed to satisfy constraint: 64-bit signed integer attribute",
        ),
        (
            "%m0 = symbol.symbol_immutable_mapping ([%i -> %i]) : index",
            "All keys expected to be constant operations",
        ),
        (
            "%m0 = symbol.symbol_immutable_mapping ([%c0 -> %c0]) : index",
            "All map values are expected to be scalar values.",
        ),
        (
            "%m0 = uniform.def_immutable_mapping([%u -> %c0], [%c1 -> %c1]):index",
            "All Keys are not of same type",
        ),
        (
            "%m0 = uniform.def_immutable_mapping([%u -> %u], [%w -> %c1]):index",
            "All map values should be of same type, but are results of dataflow.get_unit and",
        ),
        (
            "%s = symbol.create_symbol {SymbolId = -1 : i64} : index\n"
            "%m0 = uniform.def_immutable_mapping([%u -> %s], [%w -> %c1]):index",
            "All map values are expected to be scalar values.",
        ),
        ("%m0 = uniform.def_immutable_mapping([%u -> %i]):index", "the result of an operation"),
        ("%m0 = uniform.def_immutable_mapping([%u -> %c0], [%u -> %c1]):index", "same key twice"),
        (
            '%m0 = "uniform.def_immutable_mapping"() <{operandSegmentSizes = array<i32: 0, 0>}> : () '
            "-> index",
            "expects at least one entry",
        ),
        (
            '%m0 = "uniform.def_immutable_mapping"(%u, %c0, %c1) <{operandSegmentSizes = '
            "array<i32: 1, 2>}> : (index, index, index) -> index",
            "has 1 keys, but 2 values",
        ),
        (
            "uniform.equalize_pattern {\n(%k -> %u) {\n}\n(%k -> %u) {\n}\n}",
            "duplicated unit SSAs found!",
        ),
        (
            "uniform.equalize_pattern {\n(%k -> %u) {\n}\n(%k -> %w) {\n%q = arith.constant 1 : i8\n}\n}",
            "regions have different operation size.",
        ),
        (
            "uniform.equalize_pattern {\n(%k -> %u) {\n%q = arith.addi %i, %i : index\n}\n"
            "(%k -> %w) {\n%q = arith.muli %i, %i : index\n}\n}",
            "Operation sequences different.",
        ),
        ("uniform.equalize_pattern {\n(%k -> %c0) {\n}\n}", "expects units from dataflow.get_unit"),
        (
            "%q = uniform.uniformize_regions -> index {\n(%k -> %u) {\nuniform.yield\n}\n}",
            "every region must yield the results of the op",
        ),
        (
            "%k = vectorchain.constant_bitstream {value = [1]} : vector<2xi16>",
            "result does not match value array",
        ),
        (
            "%k = vectorchain.constant_bitstream {value = [65536]} : vector<1xi16>",
            "doesn't fit the 16",
        ),
        (
            "%k = vectorchain.constant_bitstream {value = [0]} : vector<1xindex>",
            "integer or floating",
        ),
        ("%r = vectorchain.cast %x : vector<4xf16>, vector<2xf32>", "result size does not match"),
        (
            "%r = vectorchain.shuffle input(%x) {indices = [4], repetition = 1 : i32} : vector<4xf16>, "
            "vector<1xf16>",
            "must be an integer in [0, 3]",
        ),
        (
            "%r = vectorchain.shuffle input(%x), pad(%i) {indices = [-2], repetition = 1 : i32} : "
            "vector<4xf16>, index, vector<1xf16>",
            "must be an integer in [-1, 3]",
        ),
        (
            "%r = vectorchain.shuffle input(%x), pad(%i), pad(%i) {indices = [0], repetition = 1 : "
            "i32} : vector<4xf16>, index, vector<1xf16>",
            "unexpected 'pad'",
        ),
        (
            "%v = dataflow.get_paged_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> "
            "(d0)>} {segments = page1: (idx_set = affine_set<(d0) : (d0 == 0)>, start_addr = %c0)} : "
            "index, index, memref<2xf16>",
            "expected 'page0', got 'page1'",
        ),
        (
            "%v = dataflow.get_paged_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> "
            "(d0)>} {segments = page0: (idx_set = affine_set<(d0) : (d0 == 0)>, start_addr = %i)} : "
            "index, index, memref<2xf16>",
            "start address of page 0 must be an arith.constant",
        ),
        (
            "%v = dataflow.get_paged_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> "
            "(d0)>} {segments = page0: (idx_set = affine_set<(d0) : (d0 mod 2 == 0, d0 >= 0, -d0 + 9 "
            ">= 0)>, start_addr = %c0)} : index, index, memref<2xf16>",
            "must be a box",
        ),
        (
            "%v = dataflow.get_logical_memory_view %mem, %c0 {layout_map = affine_map<(d0) -> (d0)>, "
            'addr_unit = "bytes"} : index, index, memref<2xf16>',
            'must be "elements" or "words"',
        ),
        (
            '%q = dataflow.get_unit {core = -1 : i32, name = "x", type = "x"} : index',
            "attribute 'core' must be a non-negative integer",
        ),
        ("dataflow.program_unit iter_arg : %s -> %u : {\n}", "expected '('"),
        ("func.func private @g(!dataflow.custom<mxfp5>)", "expected 'mxfp4', 'mxfp8' or 'mxint4'"),
        (
            "%x2 = agen.symbolic_vector_load %m[indices:(%i), strides:(%i)] {load_order = "
            f"{ID}, load_set = {FOUR}}} : memref<8x4xf16>, vector<4xf16>",
            "expects a view of rank 1",
        ),
    ],
)
def test_refused(body, message):
    with pytest.raises(KtError) as error:
        verify(module(body))
    assert message in error.value.message


# What passes and simulators read


def test_units():
    found = module("dataflow.program_unit iter_arg : %me -> (%u, %w) : {\n}")
    program = next(found.walk_type(ProgramUnitOp))
    first, second = (unit_of(v) for v in program.units)
    assert (first.core, first.corelet, first.unit_name.value) == (0, 0, "C0-a")
    assert (second.core, second.corelet) == (1, -1)
    assert [u.core for u in found.walk_type(GetUnitOp)] == [0, 1, None]
    assert program.self_handle is program.body.arguments[0]
    assert unit_of(program.self_handle) is None
    assert program.body.last_op.name == "dataflow.return"


def test_maps_and_symbols():
    found = module(
        "%s = symbol.create_symbol {SymbolId = -5 : i64} : index\n"
        "%m0 = uniform.def_immutable_mapping([%u -> %c0], [%w -> %c1]):index"
    )
    assert next(found.walk_type(CreateSymbolOp)).symbol_id == -5
    table = next(found.walk_type(DefImmutableMappingOp))
    assert [(k.defining_op.core, v.defining_op.value.value) for k, v in table.entries] == [
        (0, 0),
        (1, 1),
    ]


def test_clauses():
    found = parse_path(CORPUS / "clauses.mlir")
    op = next(found.walk_type(UniformizeRegionsOp))
    assert [len(units) for units in op.unit_lists] == [1, 1]


def test_stored_value():
    op = next(module(copy()).walk_type(CompositeLoadAndStoreOp))
    assert op.stored is None
    text = copy().replace("agen.yield", "agen.yield %z : vector<4xf16>")
    op = next(module(text).walk_type(CompositeLoadAndStoreOp))
    assert op.stored is op.body.arguments[0]


def test_mask_patterns():
    op = next(parse_path(CORPUS / "mask.mlir").walk_type(SetTransferMaskStateOp))
    assert op.patterns == [(6, 2), (1, 3)]
    assert op.slice_terms() == ["0", "A", "A|B", "1"]


def test_lanes():
    found = parse_text(
        "func.func private @f(!dataflow.custom_vector<24xf16>, vector<2x3xi8>, vector<f32>)"
    )
    types = found.body.first_op.attr("function_type").inputs
    assert [lanes_of(x) for x in types] == [24, 6, 1]
    assert lanes_of(t.f32) is None
