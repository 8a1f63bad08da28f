"""check-plan: wishes that no pass obeyed, and schedules that contradict their plan."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

import kt
from kt.ir.attributes import ArrayAttr, StringAttr
from kt.passes.analysis.nests import programs
from kt.passes.compiler import Compilation, Options
from kt.passes.pipelines import build_nest
from kt.passes.schedule.plan import USED, plan_of, used_entries

NAME = "local_schedule_0"
FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"
NEST = build_nest()[: build_nest().index("check-plan")]


def before_the_check(plan, without="", device="toy"):
    """A planned kernel with its nest built, maybe without one of the passes."""
    module = kt.parse_file(FOLDER / "affine_broadcast.mlir")
    compilation = Compilation.start(module, device, options=Options(plan={NAME: plan}))
    compilation.lower("plan")
    compilation.lower(passes=[item for item in NEST if item != without])
    return compilation, next(programs(compilation.module))


WISHES = {
    "order": ([1, 0], "tile-scf-for-loops"),
    "sunk": (1, "tile-scf-for-loops"),
    "reuse": ({"2": 0}, "broadcast-promotion"),
    "depth": ({"0": 1}, "double-buffering"),
    "coalesce": (False, "coalesce-transfers"),
}


@pytest.mark.parametrize("entry", WISHES)
def test_every_wish_needs_its_pass(entry):
    value, name = WISHES[entry]
    plan = {"tile": {"0": 1, "1": 1}, entry: value}
    compilation, program = before_the_check(plan)
    assert used_entries(program) == [entry]
    compilation.lower(passes=["check-plan"])
    assert program.attr(USED) is None
    compilation, _ = before_the_check(plan, without=name)
    with pytest.raises(kt.KtError, match=f"no pass used '{entry}'") as refused:
        compilation.lower(passes=["check-plan"])
    assert refused.value.hint and name in refused.value.hint


def contradiction(device="toy", **changes):
    """What the check says when the plan is another one than that which was obeyed."""
    compilation, program = before_the_check({"tile": {"0": 4, "1": 1}}, device=device)
    plan = plan_of(program)
    assert plan is not None
    evolve(plan, **changes).attach(program)
    program.attributes[USED] = ArrayAttr(tuple(map(StringAttr, WISHES)))
    with pytest.raises(kt.KtError, match="contradicts its plan") as refused:
        compilation.lower(passes=["check-plan"])
    return refused.value.message


def test_contradictions():
    assert "dimensions 0, 1 in this order" in contradiction(order=(1, 0))
    assert "2 copies instead of 1" in contradiction(depth=1)
    assert "nothing is spread" in contradiction(instances={0: 2})
    assert "over 2 instances instead of one" in contradiction("spyre", instances={})


def test_sizes_that_nobody_filled_in():
    module = kt.parse_file(FOLDER / "affine_broadcast.mlir")
    compilation = Compilation.start(module, "toy")
    compilation.lower("plan")
    with pytest.raises(kt.KtError, match="tile size of dimension 0 isn't filled in"):
        compilation.lower(passes=["tile-scf-for-loops", "check-plan"])


def test_points_that_are_not_sunk_have_the_order_of_the_kernel():
    """One tile of all 13 vectors: what counts vectors around the pipeline are points."""
    compilation, program = before_the_check({"tile": {"0": 1, "1": 13}, "order": [1, 0], "sunk": 0})
    compilation.lower(passes=["check-plan"])
    assert program.attr(USED) is None
