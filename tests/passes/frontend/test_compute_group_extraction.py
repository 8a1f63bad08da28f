"""Programs, their parameters and their order."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText, shaped

from kt.ir.diagnostics import PassError
from kt.ir.dialects import func, ktdp
from kt.parse import parse_text
from kt.passes.manager import PassManager

PASSES = ["normalize-ktir", "compute-group-extraction"]
TYPE = "tensor<4x8xf16>"


def calls(module):
    return [op.callee.leaf for op in module.walk_type(func.CallOp)]


def extracted(text):
    module = parse_text(text)
    PassManager(PASSES).run(module)
    return module


def test_stores_over_other_points_are_programs_of_their_own(run_levels):
    k = KernelText()
    a = k.load(k.buffer("x", (4, 8), "f16"))
    b = k.op("arith.mulf", a, a, type=TYPE)
    k.store(b, k.buffer("p", (4, 8), "f16", fill=False))
    c = k.linalg("broadcast", [(a, TYPE)], "tensor<2x4x8xf16>", " dimensions = [0]")
    k.store(c, k.buffer("q", (2, 4, 8), "f16", fill=False))
    module, ctx, found = run_levels(k.text, None, PASSES, k.data)
    assert calls(module) == ["local_schedule_0", "local_schedule_1"]
    assert np.array_equal(found["p"], k.data["x"] * k.data["x"])
    loads = [len(list(f.walk_type(ktdp.LoadOp))) for f in module.walk_type(func.FuncOp)]
    assert loads == [0, 0, 0, 1, 1], "each program loads what it needs"
    assert ctx.statistics["compute-group-extraction", "programs"] == 2
    assert ctx.statistics["compute-group-extraction", "repeated-loads"] == 1
    assert any("loaded by 2 programs" in d.message for d in ctx.remarks)


def test_program_runs_before_its_operand_is_overwritten(run_levels):
    """x is updated in place first, but the other program still needs the old x."""
    k = KernelText()
    view = k.buffer("x", (4, 8), "f16")
    a = k.load(view)
    double = k.op("arith.addf", a, a, type=TYPE)
    k.store(double, view)
    k.store(k.op("arith.negf", a, type=TYPE), k.buffer("y", (4, 8), "f16", fill=False))
    module, _, found = run_levels(k.text, None, PASSES, k.data)
    assert calls(module) == ["local_schedule_1", "local_schedule_0"]
    assert np.array_equal(found["y"], -k.data["x"])


def test_reload_behind_a_store_sees_it(run_levels):
    k = KernelText()
    view = k.buffer("x", (4, 8), "f16")
    a = k.load(view)
    k.store(k.op("arith.addf", a, a, type=TYPE), view)
    again = k.load(view)
    k.store(k.op("arith.negf", again, type=TYPE), k.buffer("y", (4, 8), "f16", fill=False))
    module, _, found = run_levels(k.text, None, PASSES, k.data)
    assert calls(module) == ["local_schedule_0", "local_schedule_1"]
    assert np.array_equal(found["y"], -(k.data["x"] * 2))


def test_swap_has_no_order():
    k = KernelText()
    x, y = k.buffer("x", (4, 8), "f16"), k.buffer("y", (4, 8), "f16")
    a, b = k.load(x), k.load(y)
    k.store(b, x)
    k.store(a, y)
    with pytest.raises(PassError, match="overwritten") as refused:
        extracted(k.text)
    assert refused.value.hint and len(refused.value.notes) == 2


def test_parts_of_a_buffer_that_do_not_meet_are_independent(run_levels):
    """Both halves swap places: columns 0..3 and 4..7 of the same buffer."""
    k = KernelText()
    x = k.buffer("x", (4, 8), "f16")
    low = k.load(x, (4, 4), ("%c0", "%c0"))
    high = k.load(x, (4, 4), ("%c0", "%c4"))
    k.lines[:0] = ["%c0 = arith.constant 0 : index", "%c4 = arith.constant 4 : index"]
    half = "tensor<4x4xf16>"
    k.store(k.op("arith.negf", low, type=half), x, (4, 4), ("%c0", "%c0"))
    k.store(k.op("arith.negf", high, type=half), x, (4, 4), ("%c0", "%c4"))
    _, _, found = run_levels(k.text, None, PASSES, k.data)
    assert np.array_equal(found["x"], -k.data["x"])


def test_inner_blocks_are_numbered_first_and_values_of_control_flow_are_parameters(run_levels):
    k = KernelText(grid=(2,))
    x, y = k.buffer("x", (6, 8), "f16"), k.buffer("y", (6, 8), "f16", fill=False)
    k.lines += [
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        "%c3 = arith.constant 3 : index", "%c2 = arith.constant 2 : index",
        "%t = ktdp.get_compute_tile_id : index",
        "%first = arith.cmpi eq, %t, %c0 : index",
        "%base = scf.if %first -> (index) { scf.yield %c0 : index } else { scf.yield %c3 : index }",
        "scf.for %i = %c0 to %c3 step %c2 {", "%r = arith.addi %base, %i : index",
    ]  # fmt: skip
    row = "tensor<1x8xf16>"
    k.store(k.op("math.absf", k.load(x, (1, 8), ("%r", 0)), type=row), y, (1, 8), ("%r", 0))
    k.line("}")
    k.line("%m = arith.addi %base, %c1 : index")
    k.store(k.load(x, (1, 8), ("%m", 0)), y, (1, 8), ("%m", 0))
    module, _, found = run_levels(k.text, None, PASSES, k.data)
    assert calls(module) == ["local_schedule_0", "local_schedule_1"]
    assert len(next(module.walk_type(func.CallOp)).ancestors().__next__().regions) == 1
    inner, outer = [
        f
        for f in module.walk_type(func.FuncOp)
        if f.symbol.startswith("local") and not f.is_declaration
    ]
    assert [len(inner.arguments), len(outer.arguments)] == [4, 3]
    marks = [len(inner.argument_attrs(i)) for i in range(4)]
    assert sum(marks) == 1, "the base depends on the tile id, the induction variable doesn't"
    wanted = k.data["x"].reshape(6, 8).copy()
    wanted[[0, 2, 3, 5]] = np.abs(wanted[[0, 2, 3, 5]])
    assert np.array_equal(found["y"].reshape(6, 8), wanted)


def test_tensor_carried_by_a_loop_is_refused():
    k = KernelText()
    x, y = k.buffer("x", (4, 8), "f16"), k.buffer("y", (4, 8), "f16", fill=False)
    k.lines += [
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        "%c3 = arith.constant 3 : index",
    ]  # fmt: skip
    start = k.load(x)
    k.line(f"%sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = {start}) -> ({TYPE}) {{")
    more = k.op("arith.addf", "%s", "%s", type=TYPE)
    k.line(f"scf.yield {more} : {TYPE}")
    k.line("}")
    k.store("%sum", y)
    with pytest.raises(PassError, match="can't be computed again") as refused:
        extracted(k.text)
    assert "memory" in refused.value.hint


def test_module_without_stores_stays_as_it_is():
    text = "func.func @f(%a: index) {\n  return\n}\n"
    module = parse_text(text)
    PassManager(PASSES).run(module)
    assert [op.name for op in module.body.ops] == ["func.func"]
    assert shaped("tensor", (1,), "f16") == "tensor<1xf16>"


def test_pointer_chosen_at_run_time_may_be_the_one_loaded_from():
    k = KernelText()
    x = k.buffer("x", (4, 8), "f16")
    k.scalar("flag", "i1", 1)
    k.arguments.append("%y: index")
    k.line("%p = scf.if %flag -> (index) { scf.yield %x : index } else { scf.yield %y : index }")
    made = k.lines[0].replace("%x_v =", "%p_v =").replace("view %x,", "view %p,")
    k.line(made)
    k.views["%p_v"] = k.views[x]
    k.lines[:0] = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    value = k.load(x, (3, 8), ("%c1", "%c0"))
    k.store(k.op("arith.negf", value, type="tensor<3x8xf16>"), "%p_v", (3, 8), ("%c0", "%c0"))
    with pytest.raises(PassError, match="may overwrite elements that are still to be loaded"):
        extracted(k.text)
