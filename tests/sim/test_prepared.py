"""What is kept of a kernel between two runs: nothing that the run before left, or an edit changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_lines import C, load, numbers, store, view

from kt.ir import types as t
from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.prepared import _KEPT, KEPT
from kt.sim.simulate import simulate

TEXT = f"""func.func @f(%x: index, %y: index) attributes {{grid = [4]}} {{
  {C}
  %t = ktdp.get_compute_tile_id : index
  %k = arith.constant dense<2.0> : tensor<1x8xf32>
  %v = {view("%x", [4, 8])}
  %w = {view("%y", [4, 8])}
  {load("%a", "%v", "%t, %c0", [1, 8], [4, 8])}
  %s = arith.mulf %a, %k : tensor<1x8xf32>
  %d = arith.subf %s, %a : tensor<1x8xf32>
  {store("%s", "%w", "%t, %c0", [1, 8], [4, 8])}
  return
}}"""


def run(module: Any, x: Any, **options: Any) -> np.ndarray:
    return simulate(module, {"x": x, "y": np.zeros((4, 8), np.float32)}, **options)["y"]


def op_named(module: Operation, name: str) -> Any:
    return next(op for op in module.walk() if op.name == name)


def test_runs_repeat_with_other_inputs_and_options() -> None:
    module, x = parse_text(TEXT), numbers(4, 8)
    for number in range(3):
        for options in ({}, {"batch": 1}, {"checks": False}, {"batch": 3}):
            assert (run(module, x + number, **options) == 2 * (x + number)).all()


def test_an_edit_between_runs_counts() -> None:
    module, x = parse_text(TEXT), numbers(4, 8)
    assert (run(module, x) == 2 * x).all()
    product, difference = op_named(module, "arith.mulf"), op_named(module, "arith.subf")
    op_named(module, "ktdp.store").set_operand(0, difference.result)
    assert (run(module, x) == x).all()
    product.set_operand(1, product.operands[0])
    assert (run(module, x) == x * x - x).all()
    difference.operands = (difference.operands[1], difference.operands[0])
    assert (run(module, x) == x - x * x).all()
    function = op_named(module, "func.func")
    grid = function.attributes["grid"]
    function.attributes["grid"] = type(grid)((IntegerAttr(2, t.i64),))
    assert (run(module, x)[2:] == 0).all()
    function.attributes["grid"] = grid
    assert (run(module, x) == x - x * x).all()


def test_a_moved_or_erased_operation_counts() -> None:
    module, x = parse_text(TEXT), numbers(4, 8)
    run(module, x)
    store_, tile_id = op_named(module, "ktdp.store"), op_named(module, "ktdp.get_compute_tile_id")
    tile_id.move_after(store_)
    with pytest.raises(RunError, match="used before it has been computed"):
        run(module, x)
    tile_id.move_before(op_named(module, "arith.constant"))
    assert (run(module, x) == 2 * x).all()
    store_.erase()
    assert (run(module, x) == 0).all()


def test_a_failed_run_leaves_nothing() -> None:
    module, x = parse_text(TEXT), numbers(4, 8)
    with pytest.raises(RunError, match="the buffer 'x' has the bytes"):
        run(module, x[:3])
    assert (run(module, x) == 2 * x).all()


def test_a_constant_is_not_a_variable() -> None:
    text = "func.func @f() -> f32 { %c = arith.constant 1.5 : f32\n return %c : f32 }"
    module = parse_text(text)
    assert simulate(module)["result0"] == 1.5
    op_named(module, "arith.constant").properties["value"] = FloatAttr.of(2.5, t.f32)
    assert simulate(module)["result0"] == 2.5


def test_few_kernels_are_kept() -> None:
    for number in range(2 * KEPT):
        text = f"func.func @f() -> i32 {{ %c = arith.constant {number} : i32\n return %c : i32 }}"
        assert simulate(parse_text(text))["result0"] == number
    assert len(_KEPT) <= KEPT
