"""canonicalize: text before and after; what comes out doesn't change in a second run."""

from __future__ import annotations

import pytest

from kt.parse import parse_text
from kt.passes.manager import PassManager


def function(body, arguments="%x: index, %y: index, %cond: i1"):
    return f"func.func @f({arguments}) {{\n{body}\nreturn\n}}"


CASES = {
    "constants are gathered": (
        """
        %c5 = arith.constant 5 : index
        %c7 = arith.constant 7 : index
        %0 = arith.addi %c5, %x : index
        %1 = arith.addi %0, %c7 : index
        %2 = arith.subi %1, %c5 : index
        %3 = arith.subi %c5, %x : index
        %4 = arith.subi %c7, %3 : index
        "t.use"(%2, %4) : (index, index) -> ()
        """,
        """
        %c2 = arith.constant 2 : index
        %c7 = arith.constant 7 : index
        %0 = arith.addi %x, %c7 : index
        %1 = arith.addi %x, %c2 : index
        "t.use"(%0, %1) : (index, index) -> ()
        """,
    ),
    "factors are gathered": (
        """
        %c256 = arith.constant 256 : index
        %c128 = arith.constant 128 : index
        %0 = arith.muli %x, %c256 : index
        %1 = arith.muli %0, %c128 : index
        "t.use"(%1) : (index) -> ()
        """,
        """
        %c = arith.constant 32768 : index
        %0 = arith.muli %x, %c : index
        "t.use"(%0) : (index) -> ()
        """,
    ),
    "a loop without trips gives its inits": (
        """
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %0 = scf.for %i = %c4 to %c4 step %c1 iter_args(%a = %x) -> (index) {
          %1 = arith.addi %a, %i : index
          scf.yield %1 : index
        }
        "t.use"(%0) : (index) -> ()
        """,
        '"t.use"(%x) : (index) -> ()',
    ),
    "a loop of one trip is its body": (
        """
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c6 = arith.constant 6 : index
        %0:2 = scf.for %i = %c1 to %c4 step %c6 iter_args(%a = %x, %b = %y) -> (index, index) {
          %1 = arith.addi %a, %i : index
          "t.body"(%i) : (index) -> ()
          scf.yield %b, %1 : index, index
        } {loop_type = "gone"}
        "t.use"(%0#0, %0#1) : (index, index) -> ()
        """,
        """
        %c1 = arith.constant 1 : index
        %1 = arith.addi %x, %c1 : index
        "t.body"(%c1) : (index) -> ()
        "t.use"(%y, %1) : (index, index) -> ()
        """,
    ),
    "carried values that stay the same": (
        """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %0:3 = scf.for %i = %c0 to %y step %c1 iter_args(%a = %x, %b = %x, %d = %c0)
            -> (index, index, index) {
          %1 = arith.addi %a, %b : index
          %2 = arith.addi %b, %i : index
          scf.yield %1, %b, %2 : index, index, index
        } {kept = 1 : i64}
        "t.use"(%0#0, %0#1) : (index, index) -> ()
        """,
        """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %0 = scf.for %i = %c0 to %y step %c1 iter_args(%a = %x) -> (index) {
          %1 = arith.addi %a, %x : index
          scf.yield %1 : index
        } {kept = 1 : i64}
        "t.use"(%0, %x) : (index, index) -> ()
        """,
    ),
    "a loop that does nothing goes": (
        """
        %c1 = arith.constant 1 : index
        scf.for %i = %x to %y step %c1 {
          %1 = arith.addi %i, %i : index
        }
        """,
        "",
    ),
    "a known condition": (
        """
        %true = arith.constant true
        %0 = scf.if %true -> (index) {
          "t.yes"() : () -> ()
          scf.yield %x : index
        } else {
          "t.no"() : () -> ()
          scf.yield %y : index
        }
        %false = arith.constant false
        scf.if %false {
          "t.never"() : () -> ()
        }
        "t.use"(%0) : (index) -> ()
        """,
        """
        "t.yes"() : () -> ()
        "t.use"(%x) : (index) -> ()
        """,
    ),
    "the condition inside the branches": (
        """
        scf.if %cond {
          "t.yes"(%cond) : (i1) -> ()
        } else {
          "t.no"(%cond) : (i1) -> ()
        }
        """,
        """
        %false = arith.constant false
        %true = arith.constant true
        scf.if %cond {
          "t.yes"(%true) : (i1) -> ()
        } else {
          "t.no"(%false) : (i1) -> ()
        }
        """,
    ),
    "a choice between outer values is a select": (
        """
        %0:2 = scf.if %cond -> (index, index) {
          %1 = "t.make"() : () -> index
          scf.yield %x, %1 : index, index
        } else {
          %1 = "t.make"() : () -> index
          scf.yield %y, %1 : index, index
        }
        "t.use"(%0#0, %0#1) : (index, index) -> ()
        """,
        """
        %s = arith.select %cond, %x, %y : index
        %0 = scf.if %cond -> (index) {
          %1 = "t.make"() : () -> index
          scf.yield %1 : index
        } else {
          %1 = "t.make"() : () -> index
          scf.yield %1 : index
        }
        "t.use"(%s, %0) : (index, index) -> ()
        """,
    ),
    "an else that does nothing": (
        """
        scf.if %cond {
          "t.yes"() : () -> ()
        } else {
          %1 = arith.addi %x, %y : index
        }
        """,
        """
        scf.if %cond {
          "t.yes"() : () -> ()
        }
        """,
    ),
    "comparisons are inverted": (
        """
        %true = arith.constant true
        %0 = arith.cmpi slt, %x, %y : index
        %1 = arith.xori %0, %true : i1
        %2 = arith.xori %true, %cond : i1
        %3 = arith.select %2, %x, %y : index
        "t.use"(%1, %3) : (i1, index) -> ()
        """,
        """
        %1 = arith.cmpi sge, %x, %y : index
        %3 = arith.select %cond, %y, %x : index
        "t.use"(%1, %3) : (i1, index) -> ()
        """,
    ),
    "allocations get static extents": (
        """
        %c4 = arith.constant 4 : index
        %0 = memref.alloc(%c4, %x) : memref<?x?xf16>
        "t.use"(%0) : (memref<?x?xf16>) -> ()
        """,
        """
        %0 = memref.alloc(%x) : memref<4x?xf16>
        %1 = memref.cast %0 : memref<4x?xf16> to memref<?x?xf16>
        "t.use"(%1) : (memref<?x?xf16>) -> ()
        """,
    ),
    "unread memory goes": (
        """
        %0 = memref.alloc() : memref<index>
        memref.store %x, %0[] : memref<index>
        memref.dealloc %0 : memref<index>
        """,
        "",
    ),
    "casts of memory": (
        """
        %0 = memref.alloc() : memref<4xindex>
        %1 = memref.cast %0 : memref<4xindex> to memref<?xindex>
        %2 = memref.cast %1 : memref<?xindex> to memref<4xindex>
        %3 = memref.load %1[%x] : memref<?xindex>
        "t.use"(%2, %3) : (memref<4xindex>, index) -> ()
        """,
        """
        %0 = memref.alloc() : memref<4xindex>
        %3 = memref.load %0[%x] : memref<4xindex>
        "t.use"(%0, %3) : (memref<4xindex>, index) -> ()
        """,
    ),
    "slices get static parts": (
        """
        %c0 = arith.constant 0 : index
        %c8 = arith.constant 8 : index
        %0 = memref.alloc() : memref<64xf16>
        %1 = memref.reinterpret_cast %0 to offset: [%c0], sizes: [%x, 4], strides: [%c8, 1]
          : memref<64xf16> to memref<?x4xf16, strided<[?, 1], offset: ?>>
        "t.use"(%1) : (memref<?x4xf16, strided<[?, 1], offset: ?>>) -> ()
        """,
        """
        %0 = memref.alloc() : memref<64xf16>
        %1 = memref.reinterpret_cast %0 to offset: [0], sizes: [%x, 4], strides: [8, 1]
          : memref<64xf16> to memref<?x4xf16, strided<[8, 1]>>
        %2 = memref.cast %1 : memref<?x4xf16, strided<[8, 1]>>
          to memref<?x4xf16, strided<[?, 1], offset: ?>>
        "t.use"(%2) : (memref<?x4xf16, strided<[?, 1], offset: ?>>) -> ()
        """,
    ),
    "extents of tensors": (
        """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %0 = tensor.empty(%x, %c3) : tensor<?x?xf16>
        %1 = tensor.dim %0, %c0 : tensor<?x?xf16>
        %2 = tensor.dim %0, %c1 : tensor<?x?xf16>
        "t.use"(%1, %2) : (index, index) -> ()
        """,
        """
        %c3 = arith.constant 3 : index
        "t.use"(%x, %c3) : (index, index) -> ()
        """,
    ),
    "affine maps swallow what makes their operands": (
        """
        %c2 = arith.constant 2 : index
        %0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%x)
        %1 = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%0, %c2)
        %2 = affine.min affine_map<(d0) -> (8, d0, 12)>(%c2)
        %3 = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%y)[%c2]
        "t.use"(%1, %2, %3) : (index, index, index) -> ()
        """,
        """
        %c2 = arith.constant 2 : index
        %1 = affine.apply affine_map<()[s0] -> (s0 * 4 + 2)>()[%x]
        %3 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%y]
        "t.use"(%1, %c2, %3) : (index, index, index) -> ()
        """,
    ),
    "a known case": (
        """
        %c2 = arith.constant 2 : index
        %0 = scf.index_switch %c2 -> index
        case 2 {
          scf.yield %x : index
        }
        default {
          scf.yield %y : index
        }
        %1 = scf.execute_region -> index {
          %2 = arith.addi %0, %y : index
          scf.yield %2 : index
        }
        "t.use"(%1) : (index) -> ()
        """,
        """
        %2 = arith.addi %x, %y : index
        "t.use"(%2) : (index) -> ()
        """,
    ),
    "whole slices": (
        """
        %t = "t.make"() : () -> tensor<4x8xf16>
        %0 = tensor.extract_slice %t[0, 0] [4, 8] [1, 1] : tensor<4x8xf16> to tensor<4x8xf16>
        %1 = tensor.insert_slice %0 into %t[0, 0] [4, 8] [1, 1] : tensor<4x8xf16> into tensor<4x8xf16>
        %2 = tensor.cast %1 : tensor<4x8xf16> to tensor<?x8xf16>
        %3 = tensor.cast %2 : tensor<?x8xf16> to tensor<4x8xf16>
        "t.use"(%3) : (tensor<4x8xf16>) -> ()
        """,
        """
        %t = "t.make"() : () -> tensor<4x8xf16>
        "t.use"(%t) : (tensor<4x8xf16>) -> ()
        """,
    ),
    "constant parts of subviews": (
        """
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %m = "t.make"() : () -> memref<4x8xf16>
        %0 = memref.subview %m[%c2, %x] [%c2, 4] [1, 1]
          : memref<4x8xf16> to memref<?x4xf16, strided<[8, 1], offset: ?>>
        "t.use"(%0) : (memref<?x4xf16, strided<[8, 1], offset: ?>>) -> ()
        """,
        """
        %m = "t.make"() : () -> memref<4x8xf16>
        %0 = memref.subview %m[2, %x] [2, 4] [1, 1]
          : memref<4x8xf16> to memref<2x4xf16, strided<[8, 1], offset: ?>>
        %1 = memref.cast %0 : memref<2x4xf16, strided<[8, 1], offset: ?>>
          to memref<?x4xf16, strided<[8, 1], offset: ?>>
        "t.use"(%1) : (memref<?x4xf16, strided<[8, 1], offset: ?>>) -> ()
        """,
    ),
    "digits of an index": (
        """
        %c23 = arith.constant 23 : index
        %0:3 = affine.delinearize_index %c23 into (2, 3, 5) : index, index, index
        %1 = affine.linearize_index [%0#0, %0#1, %0#2] by (2, 3, 5) : index
        "t.use"(%0#1, %1) : (index, index) -> ()
        """,
        """
        %c23 = arith.constant 23 : index
        %c1 = arith.constant 1 : index
        "t.use"(%c1, %c23) : (index, index) -> ()
        """,
    ),
    "elements of constants": (
        """
        %c1 = arith.constant 1 : index
        %t = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
        %s = arith.constant dense<2.5> : tensor<3xf32>
        %0 = tensor.extract %t[%c1] : tensor<3xi32>
        %1 = tensor.extract %s[%x] : tensor<3xf32>
        "t.use"(%0, %1) : (i32, f32) -> ()
        """,
        """
        %1 = arith.constant 2.5 : f32
        %0 = arith.constant 2 : i32
        "t.use"(%0, %1) : (i32, f32) -> ()
        """,
    ),
    "casts of casts": (
        """
        %0 = arith.index_cast %x : index to i32
        %1 = arith.extsi %0 : i32 to i64
        %2 = arith.index_cast %1 : i64 to index
        %3 = arith.index_cast %y : index to i64
        %4 = arith.index_cast %3 : i64 to index
        "t.use"(%2, %4) : (index, index) -> ()
        """,
        """
        %0 = arith.index_cast %x : index to i32
        %2 = arith.index_cast %0 : i32 to index
        "t.use"(%2, %y) : (index, index) -> ()
        """,
    ),
    "generics that only copy": (
        """
        %t:2 = "t.make"() : () -> (tensor<4x8xf16>, tensor<4x8xf16>)
        %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                                              affine_map<(d0, d1) -> (d0, d1)>],
                             iterator_types = ["parallel", "parallel"]}
            ins(%t#0 : tensor<4x8xf16>) outs(%t#1 : tensor<4x8xf16>) {
        ^bb0(%a: f16, %b: f16):
          linalg.yield %a : f16
        } -> tensor<4x8xf16>
        "t.use"(%0) : (tensor<4x8xf16>) -> ()
        """,
        """
        %t:2 = "t.make"() : () -> (tensor<4x8xf16>, tensor<4x8xf16>)
        "t.use"(%t#0) : (tensor<4x8xf16>) -> ()
        """,
    ),
    "FIFOs that nobody uses": (
        """
        %0 = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"A" -> "B", 8xf16>
        """,
        "",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_canonical_forms(case, after, form):
    before, canonical = CASES[case]
    assert after("canonicalize", function(before)) == form(function(canonical))


def test_generic_operands(after, form):
    def generic(inputs, types, maps, arguments, body):
        return f"""
        func.func @f(%a: tensor<4x8xf16>, %b: tensor<8xf16>, %o: tensor<4x8xf16>) -> tensor<4x8xf16> {{
          %0 = linalg.generic {{indexing_maps = [{maps}, affine_map<(d0, d1) -> (d0, d1)>],
                               iterator_types = ["parallel", "parallel"]}}
              ins({inputs} : {types}) outs(%o : tensor<4x8xf16>) {{
          ^bb0({arguments}, %out: f16):
            {body}
          }} -> tensor<4x8xf16>
          return %0 : tensor<4x8xf16>
        }}"""

    full, row = "affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d1)>"
    before = generic(
        "%a, %b, %a", "tensor<4x8xf16>, tensor<8xf16>, tensor<4x8xf16>",
        f"{full}, {row}, {full}", "%x: f16, %y: f16, %z: f16",
        "%s = arith.mulf %x, %z : f16\n linalg.yield %s : f16",
    )  # fmt: skip
    canonical = generic(
        "%a", "tensor<4x8xf16>", full, "%x: f16",
        "%s = arith.mulf %x, %x : f16\n linalg.yield %s : f16",
    )  # fmt: skip
    assert after("canonicalize", before) == form(canonical)


def test_rules_are_reported():
    before, _ = CASES["factors are gathered"]
    ctx = PassManager("canonicalize").run(parse_text(function(before)))
    assert ctx.statistics["canonicalize", "gather-factors"] == 1
