"""Bytes of live vectors, counted by hand."""

from __future__ import annotations

import kt
from kt.ir.dialects import func
from kt.passes.analysis.registers import lane_bytes, peak_of_block, vector_bytes


def peak(body: str, arguments: str, size=vector_bytes):
    module = kt.parse(f"func.func @f({arguments}) {{\n{body}\nreturn\n}}")
    (function,) = module.walk_type(func.FuncOp)
    return peak_of_block(function.entry, size)


VECTORS = "%a: vector<4xf32>, %b: vector<4xf32>"


def test_operands_live_until_the_result_is_there():
    assert peak("%c = arith.addf %a, %b : vector<4xf32>", VECTORS).bytes == 3 * 16


def test_what_nobody_uses_takes_nothing():
    assert peak("%c = arith.negf %a : vector<4xf32>", VECTORS).bytes == 2 * 16


def test_a_chain_reuses_room():
    chain = "%0 = arith.negf %a : vector<4xf32>\n" + "\n".join(
        f"%{i} = arith.negf %{i - 1} : vector<4xf32>" for i in range(1, 9)
    )
    assert peak(chain, "%a: vector<4xf32>").bytes == 2 * 16


def test_widths_count():
    found = peak("%c = arith.extf %a : vector<4xf16> to vector<4xf32>", "%a: vector<4xf16>")
    assert found.bytes == 4 * 2 + 4 * 4


def test_constants_and_scalars_take_no_room():
    body = """%k = arith.constant dense<1.0> : vector<4xf32>
    %s = arith.addf %x, %x : f32
    %c = arith.addf %a, %k : vector<4xf32>"""
    assert peak(body, "%a: vector<4xf32>, %x: f32").bytes == 2 * 16


def test_an_accumulator_is_one_vector():
    body = """%0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %s = scf.for %i = %0 to %n step %1 iter_args(%acc = %a) -> (vector<4xf32>) {
      %t = arith.addf %acc, %b : vector<4xf32>
      scf.yield %t : vector<4xf32>
    }"""
    # inside: the accumulator, b (needed again), the sum
    assert peak(body, VECTORS + ", %n: index").bytes == 3 * 16


def test_scalars_of_a_body_stand_for_vectors():
    body = "%c = arith.mulf %a, %b : f16\n%d = arith.extf %c : f16 to f32"
    # lanes of f32: 4 · (2 + 2 + 2), then 4 · (2 + 4)
    assert peak(body, "%a: f16, %b: f16", lane_bytes(4)).bytes == 24


def test_the_op_at_the_peak_is_named():
    body = "%c = arith.negf %a : vector<4xf32>\n%d = arith.addf %b, %c : vector<4xf32>"
    found = peak(body + "\n%e = arith.addf %d, %c : vector<4xf32>", VECTORS)
    assert (found.bytes, found.op.name) == (3 * 16, "arith.negf")
