"""Iterations computed together: what they share, how many there are, what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import kt
from kt.ir.dialects import dataflow, scf
from kt.passes.analysis.registers import peak_of_block, vector_bytes
from kt.passes.compiler import Compilation, Options
from kt.passes.schedule.changing import even_trips
from kt.passes.schedule.plan import plan_of

CORPUS = Path(__file__).parents[2] / "corpus" / "kernels"
PRODUCT = Path(__file__).parents[1] / "faults" / "outer.mlir"
"""4x6 times 6x16 on two tiles, each 2 x 16: two rows, four vectors of four f32 lanes on toy."""
NAME, TERMS = "local_schedule_0", 6
WHOLE = {"tile": {"0": 2, "1": 4}}


def lowered(path, device, plan=None, **options):
    given = {NAME: {**WHOLE, **plan}} if plan is not None else None
    compilation = Compilation.start(
        kt.parse_file(path), device, options=Options(plan=given, **options)
    )
    return compilation.lower(), compilation.device


def programs_of(module, kind):
    """The program units of a kind (as DataflowIR calls it), in order."""
    return [
        unit for unit in module.walk_type(dataflow.ProgramUnitOp)
        if unit.units[0].defining_op.unit_type.value == kind
    ]  # fmt: skip


def count(unit, name):
    return sum(op.name == name for op in unit.walk())


@pytest.mark.parametrize(
    ("jam", "rows", "columns"),
    [({}, 1, 1), ({"0": 2}, 2, 1), ({"1": 4}, 1, 4), ({"0": 2, "1": 2}, 2, 2)],
)
def test_what_is_shared_is_sent_and_converted_once(jam, rows, columns):
    module, _ = lowered(PRODUCT, "toy", {"jam": jam})
    feed, vpu = programs_of(module, "feed")[0], programs_of(module, "vpu")[0]
    assert count(feed, "dataflow.send") == rows + columns  # inside the loop over the terms
    assert count(vpu, "dataflow.receive") == rows + columns
    assert count(vpu, "arith.extf") == rows + columns
    assert count(vpu, "math.fma") == rows * columns
    assert count(vpu, "dataflow.send") == rows * columns


@pytest.mark.parametrize("jam", [{"0": 2}, {"1": 2}, {"1": 4}, {"0": 2, "1": 4}])
def test_meaning_stays(jam):
    plan = {**WHOLE, "jam": jam}
    assert kt.check(kt.parse_file(PRODUCT), "toy", plan={NAME: plan}).failed is None


@pytest.mark.parametrize("device", ["mesh", "spyre"])  # a row is one vector
def test_meaning_stays_on_other_devices(device):
    plan = {"tile": {"0": 2}, "jam": {"0": 2}, "instances": {}}
    assert kt.check(kt.parse_file(PRODUCT), device, plan={NAME: plan}).failed is None


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize(
    "kernel", ["matmul_bias_relu", "batched_matmul", "sdpa_head", "matmul_splitk", "swiglu_ffn"]
)
def test_choice_fits_the_registers(kernel, device):
    module, device = lowered(CORPUS / f"{kernel}.mlir", device)
    size = device.local_memory(device.compute_kind).size
    units = programs_of(module, device.tag(device.compute_kind))
    assert units
    assert max(peak_of_block(u.regions[0].block, vector_bytes).bytes for u in units) <= size


def test_choice_shares_and_is_written_into_the_plan():
    module, _ = lowered(CORPUS / "matmul_grid2d.mlir", "mesh")
    taken = [p.jam for f in module.walk() if f.name == "func.func" and (p := plan_of(f)) and p.jam]
    assert any(math.prod(jam.values()) >= 4 for jam in taken)


def test_upstream_computes_one_by_one():
    module, _ = lowered(CORPUS / "matmul_grid2d.mlir", "mesh", mode="upstream")
    plans = [p for f in module.walk() if f.name == "func.func" and (p := plan_of(f))]
    assert plans and all(p.jam == {} for p in plans)


def test_nothing_is_gained_without_loops_inside():
    module, _ = lowered(CORPUS / "silu_gate.mlir", "toy")
    plans = [p for f in module.walk() if f.name == "func.func" and (p := plan_of(f))]
    assert plans and all(not p.jam for p in plans)


@pytest.mark.parametrize(
    ("jam", "why"),
    [
        ({"1": 3}, "computes 3 iterations of dimension 1 together, but there are 4 in a tile"),
        ({"5": 2}, "number of iterations together for dimension 5 of 'local_schedule_0'"),
        (
            {"2": 2},
            "number of iterations together for dimension 2",
        ),  # the terms are no loop of the nest
        ({"0": 1}, "jam is the number of iterations computed together"),
    ],
)
def test_refusals(jam, why):
    with pytest.raises(kt.KtError) as refused:
        lowered(PRODUCT, "toy", {"jam": jam})
    assert why in refused.value.render()


def test_more_than_the_registers_hold_is_refused(tmp_path):
    device = tmp_path / "small.mlir"
    source = Path(kt.__file__).parent / "arch" / "devices" / "toy.mlir"
    device.write_text(source.read_text(encoding="utf-8").replace("size = 256 //", "size = 128 //"))
    with pytest.raises(kt.KtError) as refused:
        lowered(PRODUCT, str(device), {"jam": {"0": 2, "1": 4}})
    # eight accumulators alone take 8 * 16 bytes
    assert "bytes of VREG, which has 128" in refused.value.render()
    module, _ = lowered(PRODUCT, str(device))
    unit = programs_of(module, "vpu")[0]
    assert peak_of_block(unit.regions[0].block, vector_bytes).bytes <= 128


@pytest.mark.parametrize(
    ("bounds", "trips"),
    [("%c0 to %c8 step %c1", 8), ("%c2 to %c8 step %c1", None), ("%c0 to %c8 step %c2", None),
     ("%c0 to %n step %c1", None), ("%c0 to %even step %c1", 2), ("%c0 to %rest step %c1", None),
     ("%c0 to %nested step %c1", None)],
)  # fmt: skip
def test_only_loops_from_zero_by_one_with_even_tiles(bounds, trips):
    """Number i of a jammed loop stands for i * factor, i * factor + 1, …"""
    module = kt.parse(f"""func.func @f(%n: index, %t: index) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %even = ktdf.tiling.derive_size [%t : %c2], total_size = %c8 : index
      %rest = ktdf.tiling.derive_size [%t : %c3], total_size = %c8 : index
      %nested = ktdf.tiling.derive_size [%t : %c8], [%n : %c3], total_size = %c8 : index
      scf.for %i = {bounds} {{ }}
      return
    }}""")
    (loop,) = module.walk_type(scf.ForOp)
    assert even_trips(loop) == trips
