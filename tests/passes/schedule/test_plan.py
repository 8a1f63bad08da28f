"""Plans from outside: each entry changes the schedule, keeps the meaning, or is refused with a reason."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import kt
from kt.ir.dialects import builtin, ktdf, scf
from kt.ir.folding import constant_int
from kt.ir.types import f16
from kt.passes.analysis.buffers import staging_buffers, transfers
from kt.passes.analysis.nests import loop_dim, nests, programs
from kt.passes.compiler import Compilation, Options
from kt.passes.pipelines import build_nest
from kt.passes.schedule.capacity import copies_of, footprint, loops_around, sizes_of
from kt.passes.schedule.complete_plan import complete_plans, emitted_plans
from kt.passes.schedule.plan import Plan, plan_of

FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"
DEVICES = ("toy", "spyre", "mesh")
NAME = "local_schedule_0"


def kernel(name):
    return kt.parse_file(FOLDER / f"{name}.mlir")


def lowered(name, device, plan=None, level="schedule"):
    """The first program at a level, and the device."""
    options = Options(plan={NAME: plan} if plan is not None else None)
    compilation = Compilation.start(kernel(name), device, options=options)
    module = compilation.lower(level)
    return next(programs(module)), compilation.device


def changed(name, plan):
    """Devices and the first pass that doesn't keep the meaning with this plan; accesses are ordered, too."""
    reports = {device: kt.check(kernel(name), device, plan={NAME: plan}) for device in DEVICES}
    return [(device, report.failed) for device, report in reports.items() if report.failed is not None]


def refusal(name, device, plan):
    with pytest.raises(kt.KtError) as refused:
        lowered(name, device, plan, "plan")
    return refused.value


# -- order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_order_of_tile_loops(order):
    plan = {"tile": {"0": 5, "1": 2}, "order": order}
    for device in DEVICES:
        program, _ = lowered("add_single", device, plan)
        (nest,) = nests(program)
        assert [loop_dim(loop) for loop in nest.loops] == order
        given = plan_of(program)
        assert given is not None and given.order == (() if order == [0, 1] else (1, 0))
    assert changed("add_single", plan) == []


def kept(program):
    """Extents of the operands whose loads are held over the innermost loop."""
    guards = [op for op in program.walk_type(scf.IfOp) if op.attr("kt.held") is not None]
    return [m.source.type.shape for op in guards if op.attr("kt.held").value == 1 for m in transfers(op)]


def test_order_decides_what_can_be_kept():
    """bias[j] of 100 elements doesn't vary with the rows, shift[i] of 7 doesn't vary with the columns."""
    for order, shape in (([0, 1], (7,)), ([1, 0], (100,))):
        program, _ = lowered("affine_broadcast", "toy", {"tile": {"0": 2, "1": 1}, "order": order})
        assert kept(program) == [shape]
    assert changed("affine_broadcast", {"tile": {"0": 2, "1": 1}, "order": [1, 0]}) == []


def test_orders_that_leave_out_or_invent_a_loop():
    assert "leaves out dimension 0" in refusal("add_single", "toy", {"order": [1]}).message
    strange = refusal("add_single", "toy", {"order": [0, 1, 2]})
    assert "place in the order for dimension 2" in strange.message
    assert strange.hint and "its dimensions are: 0, 1" in strange.hint
    for wrong in ([0, 0], "01", [0, -1], [0, 1.0]):
        assert "the order lists dimensions" in refusal("add_single", "toy", {"order": wrong}).message


# -- sunk ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sunk", "around"), [(0, [0, 1, 0, 1]), (1, [0, 1, 0]), (2, [0, 1])])
def test_loops_around_the_pipeline(sunk, around):
    """Tiles of 4 rows and 3 vectors: points that aren't sunk repeat the pipeline."""
    plan = {"tile": {"0": 4, "1": 3}, "sunk": sunk}
    for device in ("toy", "mesh"):
        program, _ = lowered("add_single", device, plan)
        outer = next(op for op in program.walk_type(ktdf.PipelineOp))
        assert [loop_dim(loop) for loop in outer.scope] == around
    assert changed("add_single", plan) == []
    assert changed("add_single", {**plan, "depth": 1}) == []


def test_what_is_not_sunk_takes_no_room():
    """12 rows of 192 f16, three buffers of two copies: 27,648 bytes, or 2,304 row by row."""
    program, device = lowered("add_single", "toy", level="plan")
    (nest,) = nests(program)
    buffers = staging_buffers(nest, device)
    vectors = 192 // device.lanes(str(device.compute_kind), f16)
    for sunk, size in ((2, 27648), (1, 2304), (0, 2304 // vectors)):
        sizes = sizes_of(nest, Plan({0: 12, 1: vectors}, sunk=sunk))
        assert list(footprint(buffers, sizes, [2] * 3, device).values()) == [size]


def test_a_reduction_row_by_row():
    assert changed("row_sum", {"tile": {"0": 1}, "sunk": 0}) == []


def test_more_loops_than_there_are_and_rests():
    assert "sinks 3 loops" in refusal("add_single", "toy", {"sunk": 3}).message
    rest = refusal("add_single", "toy", {"tile": {"0": 5}, "sunk": 1})
    assert "tile of 5 iterations" in rest.message and "12 iterations" in rest.message
    assert "number of point loops" in refusal("add_single", "toy", {"sunk": -1}).message


# -- reuse -----------------------------------------------------------------------------------------


def test_reuse_says_how_long_a_load_is_kept():
    """shift, operand 2, doesn't vary with the columns, in two tiles or more; bias doesn't with the rows."""
    for reuse, shapes in (({}, [(7,)]), ({"2": 1}, [(7,)]), ({"2": 0}, []), ({"1": 0}, [(7,)])):
        plan = {"tile": {"0": 2, "1": 1}, "reuse": reuse}
        assert kept(lowered("affine_broadcast", "toy", plan)[0]) == shapes
        if reuse:
            assert changed("affine_broadcast", plan) == []


def test_reuse_of_what_is_not_loaded():
    stored = refusal("affine_broadcast", "toy", {"reuse": {"3": 1}})
    assert "reuse for operand 3" in stored.message
    assert stored.hint == "operands of which that can be said: 0, 1, 2"
    assert "most loops" in refusal("affine_broadcast", "toy", {"reuse": {"2": -1}}).message


@pytest.mark.parametrize(
    "plan",
    [
        Plan({0: 3, 1: 2}), Plan({0: 7, 1: 1}), Plan({0: 7, 1: 1}, reuse={2: 0}), Plan({0: 7, 1: 13}),
        Plan({0: 1, 1: 3}, 1), Plan({0: 2, 1: 1}, order=(1, 0)), Plan({0: 7, 1: 2}, order=(1, 0), sunk=1),
        Plan({0: 7, 1: 1}, sunk=0, reuse={1: 0}), Plan({0: 1, 1: 1}, sunk=0), Plan({0: 7, 1: 1}, 1, sunk=1),
        Plan({0: 3, 1: 2}, depths={0: 1, 3: 1}), Plan({0: 3, 1: 2}, depths={2: 1}),
    ],
    ids=str,
)  # fmt: skip
def test_bytes_are_known_before_anything_is_built(plan):
    """What the rules count is what address-assignment needs (both round up to the alignment)."""
    program, device = lowered("affine_broadcast", "toy", level="plan")
    (nest,) = nests(program)
    buffers = staging_buffers(nest, device)
    counted = footprint(buffers, sizes_of(nest, plan), [copies_of(b, loops_around(nest, plan), plan) for b in buffers], device)
    options = Options(plan={NAME: plan.to_json()})
    compilation = Compilation.start(kernel("affine_broadcast"), "toy", options=options)
    compilation.lower("schedule")
    for kind, size in counted.items():
        step = device.alignment(kind)
        end = compilation.context.statistics[("address-assignment", f"bytes of {kind}")]
        assert -(-end // step) * step == size


# -- depth -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [{"0": 1}, {"1": 1, "2": 2}, {"2": 1}, {"0": 1, "1": 1, "2": 1}])
def test_copies_of_single_operands(depth):
    """Each buffer of an operand that doesn't say 1 has a second copy."""
    plan = {"tile": {"0": 5, "1": 2}, "depth": depth}
    for device in DEVICES:
        planned, on = lowered("add_single", device, plan, "plan")
        staged = [b.operand for nest in nests(planned) for b in staging_buffers(nest, on)]
        assert {0, 1, 2} <= set(staged)
        program, _ = lowered("add_single", device, plan)
        placed = list(program.walk_type(builtin.UnrealizedConversionCastOp))
        assert len(placed) == sum(depth.get(str(operand), 2) for operand in staged)
    assert changed("add_single", plan) == []


def test_a_table_for_all_operands_is_the_number():
    alike = [{"tile": {"0": 5, "1": 2}, "depth": d} for d in (1, {"0": 1, "1": 1, "2": 1})]
    one, table = (lowered("add_single", "toy", plan)[0] for plan in alike)
    for program in (one, table):
        del program.attributes["kt.plan"]
    assert str(one) == str(table)


def test_depths_that_cannot_be():
    assert "depth for operand 4" in refusal("add_single", "toy", {"depth": {"4": 1}}).message
    for wrong in (0, 3, {"0": 3}, {"0": 0}, [1], {"x": 1}):
        assert "the depth is 1 or 2" in refusal("add_single", "toy", {"depth": wrong}).message


# -- instances -------------------------------------------------------------------------------------


def spread(program):
    return [(op.num_instances.value, op.upper_bounds[0]) for op in program.walk_type(ktdf.ParallelOp)]


@pytest.mark.parametrize(("instances", "rows"), [({"0": 2}, 4), ({"1": 2}, 3), ({}, None)])
def test_the_dimension_that_is_spread(instances, rows):
    """Tiles of 4 rows and 3 vectors."""
    plan = {"tile": {"0": 4, "1": 3}, "instances": instances}
    program, _ = lowered("add_single", "spyre", plan)
    found = [(n, constant_int(bound)) for n, bound in spread(program)]
    assert found == ([(2, rows)] if instances else [])
    report = kt.check(kernel("add_single"), "spyre", plan={NAME: plan})
    assert report.failed is None


def test_what_was_spread_is_written_into_the_plan():
    program, _ = lowered("add_single", "spyre", {"tile": {"0": 3, "1": 2}})
    plan = plan_of(program)
    assert plan is not None and plan.instances == {0: 2}  # the third vector makes a shorter tile
    emitted = emitted_plans(Compilation.start(kernel("add_single"), "spyre"))
    assert emitted[NAME]["instances"] == {"0": 2}


def test_instances_that_are_not_there():
    many = refusal("add_single", "spyre", {"tile": {"0": 4}, "instances": {"0": 3}})
    assert "over 3 instances" in many.message and "a core of @spyre has 2 of LXLD, VCE, LXST" in many.message
    assert many.notes[0].location.position().file == "kt:spyre"
    one = refusal("add_single", "toy", {"tile": {"0": 4}, "instances": {"0": 2}})
    assert "@toy has 1 of" in one.message
    short = refusal("add_single", "spyre", {"tile": {"0": 4, "1": 1}, "instances": {"1": 2}})
    assert "tiles of one iteration" in short.message
    outside = refusal("add_single", "spyre", {"tile": {"0": 4}, "sunk": 1, "instances": {"0": 2}})
    assert "isn't sunk" in outside.message
    both = refusal("add_single", "spyre", {"tile": {"0": 4, "1": 3}, "instances": {"0": 2, "1": 2}})
    assert "2 dimensions" in both.message
    assert "number of instances for dimension 7" in refusal("add_single", "spyre", {"instances": {"7": 2}}).message
    for wrong in ({"0": 1}, 2, None):
        assert "numbers of equal units" in refusal("add_single", "spyre", {"instances": wrong}).message


def test_a_loop_that_turns_out_not_to_be_parallel():
    plan = {"tile": {"0": 4, "1": 3}, "instances": {"0": 2}}
    compilation = Compilation.start(kernel("add_single"), "spyre", options=Options(plan={NAME: plan}))
    compilation.lower("plan")
    before, after = itertools.tee(build_nest())
    last = "parallelize-loops-across-instances"
    module = compilation.lower(passes=list(itertools.takewhile(lambda name: name != last, before)))
    for loop in module.walk_type(scf.ForOp):
        loop.attributes["loop_type"] = ktdf.REDUCTION_LOOP
    with pytest.raises(kt.KtError) as refused:
        compilation.lower(passes=list(itertools.dropwhile(lambda name: name != last, after)))
    assert "dimension 0 over 2 instances, but its iterations depend on each other" in refused.value.message


# -- reductions ------------------------------------------------------------------------------------


def cut(name, device, chunk, number="0"):
    plan = {"reductions": {number: {"chunk": chunk}}}
    compilation = Compilation.start(kernel(name), device, options=Options(plan=plan))
    return [loop for loop in compilation.lower("plan").walk_type(scf.ForOp)
            if constant_int(loop.step) in chunk.values()]  # fmt: skip


def test_reductions_are_cut_as_the_plan_says():
    """200 elements in chunks of 64: a loop over three, and the other 8 behind it."""
    (loop,) = cut("row_sum", "toy", {"1": 64})
    assert constant_int(loop.upper_bound) == 192
    assert cut("row_sum", "toy", {"1": 200}) == []
    for device in DEVICES:
        plan = {"reductions": {"0": {"chunk": {"1": 64}}}}
        assert kt.check(kernel("row_sum"), device, plan=plan).failed is None


def test_an_emitted_plan_says_how_reductions_are_cut():
    plan = {"reductions": {"1": {"chunk": {"1": 100}}}}
    for given, chunk in ((None, 192), (plan, 100)):
        compilation = Compilation.start(kernel("softmax_rows"), "toy", options=Options(plan=given))
        emitted = emitted_plans(compilation)["reductions"]
        assert emitted == {"0": {"chunk": {"1": 192}}, "1": {"chunk": {"1": chunk}}}


def test_reductions_that_cannot_be_cut():
    def message(plan):
        with pytest.raises(kt.KtError) as refused:
            kt.compile(kernel("row_sum"), "toy", plan=plan)
        return refused.value.message

    assert "dimension 0 of reduction 0" in message({"reductions": {"0": {"chunk": {"0": 5}}}})
    assert "reduction 4, but the kernel has 1" in message({"reductions": {"4": {"chunk": {"1": 5}}}})
    for wrong in ([], {"0": 3}, {"0": {"chunk": 5}}, {"0": {"chunk": {"1": 0}}}, {"x": {"chunk": {}}}, {"0": {}}):
        assert "at least 1 element" in message({"reductions": wrong})


# -- accumulator -----------------------------------------------------------------------------------


def test_the_accumulator_is_stated_and_nothing_else_will_do():
    """row_sum adds f32 numbers; a unit that computes has one memory of its own."""
    device = kt.device("toy")
    own = device.local_memory(str(device.compute_kind))
    assert own is not None
    stated = {"memory": str(own.kind), "type": "f32"}
    assert emitted_plans(Compilation.start(kernel("row_sum"), device))[NAME]["accumulator"] == stated
    program, _ = lowered("row_sum", device, {"tile": {"0": 2}, "accumulator": stated}, "plan")
    assert plan_of(program) == Plan({0: 2})
    place = refusal("row_sum", device, {"accumulator": {"memory": "PAD"}})
    assert f"in PAD, but VPU accumulates in its own memory, {own.kind}" in place.message
    kind = refusal("row_sum", device, {"accumulator": {"type": "f16"}})
    assert "in f16, but the kernel does in f32" in kind.message and kind.location.position().line > 1


def test_accumulators_of_what_accumulates_nothing():
    nothing = refusal("add_single", "toy", {"accumulator": {"type": "f16"}})
    assert "accumulates nothing" in nothing.message
    for wrong in ("VREG", {"place": "VREG"}, {"type": 3}):
        assert "the accumulator is" in refusal("row_sum", "toy", {"accumulator": wrong}).message


# -- the whole plan --------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.mlir")), ids=lambda p: p.stem)
def test_an_emitted_plan_gives_the_same_program(path, device):
    """Given back, it changes no byte of what is planned, and none of the schedule."""
    module = kt.parse_file(path)
    first = Compilation.start(module, device)
    try:
        plans = complete_plans(first.lower("plan"), first.device)
    except kt.KtError:
        return  # a kernel that the device can't run
    second = Compilation.start(module, device, options=Options(plan=json.loads(json.dumps(plans))))
    assert str(second.lower("plan")) == str(first.module)
    plans = emitted_plans(Compilation.start(module, device))
    third = Compilation.start(module, device, options=Options(plan=json.loads(json.dumps(plans))))
    first.lower("schedule", passes=build_nest())
    assert str(third.lower("schedule")) == str(first.module)
