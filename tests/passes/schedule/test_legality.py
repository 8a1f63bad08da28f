"""The legality predicate, as a search uses it: it lists everything, and what it lets through compiles and is right."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from slice_kernels import inputs, unlike_reference

import kt
from kt.passes.analysis.buffers import staging_buffers
from kt.passes.analysis.nests import nests, programs
from kt.passes.compiler import Compilation
from kt.passes.schedule.capacity import trips_of
from kt.passes.schedule.complete_plan import complete
from kt.passes.schedule.legality import violations
from kt.passes.schedule.plan import Plan, plan_of

FOLDER = Path(__file__).parents[2] / "corpus" / "kernels"


def planned(name, device):
    compilation = Compilation.start(kt.parse_file(FOLDER / f"{name}.mlir"), device)
    return list(programs(compilation.lower("plan"))), compilation.device


def some_plan(program, device, choose):
    """Any plan of a program, legal or not."""
    (nest,) = nests(program)
    sizes = [choose.choice([1, 2, 3, choose.randint(1, n), n]) for n in trips_of(nest)]
    dims = [d for d in nest.dims if d is not None]
    operands = sorted({b.operand for b in staging_buffers(nest, device) if b.operand is not None})
    usual = complete(program, Plan(dict(zip(dims, sizes, strict=True))), device)
    return evolve(
        usual,
        depths={o: choose.choice([1, 2]) for o in operands if choose.random() < 0.3},
        coalesce=choose.random() < 0.7,
        order=tuple(choose.sample(dims, len(dims))),
        sunk=choose.randint(0, len(dims)),
        reuse={o: choose.randint(0, n) for o, n in usual.reuse.items() if choose.random() < 0.5},
        instances=choose.choice([None, {}, *({d: n} for d in dims for n in (2, 3))]),
    )


def attempt(name, device, seed):
    """A random plan: whether it is legal, and what is wrong.

    A legal one has to compile and its artifact to compute the same; another one has to be refused with
    what the predicate says.
    """
    (program,), on = planned(name, device)
    plan = some_plan(program, on, random.Random(seed))
    found = [v.message for v in violations(program, plan, on)]
    try:
        module = kt.parse_file(FOLDER / f"{name}.mlir")
        artifact = kt.compile(module, device, plan={program.symbol: plan.to_json()})
    except kt.KtError as error:
        said = [d.message for d in error.diagnostics]
        return False, "" if said == found else f"{plan}: {said}"
    if found:
        return False, f"{plan} compiles, but {found}"
    kernel = kt.Runtime(on, hazards=True).load(kt.Program.from_bytes(artifact.to_bytes()))
    given = inputs(name, seed=seed)
    wrong = unlike_reference(name, given, kernel({k: np.copy(v) for k, v in given.items()}))
    return True, f"{plan}: {wrong}" if wrong else ""


def attempts(name, device, seeds):
    """How many plans were legal, and all that went wrong."""
    found = [attempt(name, device, seed) for seed in seeds]
    return sum(legal for legal, _ in found), [wrong for _, wrong in found if wrong]


KERNELS = ("add_single", "affine_broadcast", "row_sum")


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("name", KERNELS)
def test_legal_plans_compile_and_others_are_refused(name, device):
    legal, wrong = attempts(name, device, range(12))
    assert wrong == [] and legal > 0


@pytest.mark.sweep
@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("name", KERNELS)
def test_many_plans(name, device):
    legal, wrong = attempts(name, device, range(100, 400))
    assert wrong == [] and legal > 30


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("name", ["softmax_rows", "matmul_bias_relu", "layernorm_fwd", "rope_half"])
def test_what_plan_schedule_chooses_is_legal(name, device):
    found, on = planned(name, device)
    for program in found:
        plan = plan_of(program)
        assert plan is not None and violations(program, plan, on) == []
        assert violations(program, complete(program, plan, on), on) == []


def test_everything_wrong_is_listed():
    (program,), device = planned("add_single", "spyre")
    plan = Plan({0: 4, 7: 1}, order=(0,), sunk=9, reuse={2: 1}, depths={5: 1}, instances={0: 4})
    rules = [v.rule for v in violations(program, plan, device)]
    assert rules == ["dimension", "order", "sunk", "operand", "operand", "instances"]


def test_a_plan_that_does_not_fit_says_all_numbers():
    """Two copies of three buffers for 11 rows of 192 f16."""
    (program,), device = planned("add_single", "toy")
    plan = Plan({0: 11, 1: 24})
    (why,) = violations(program, plan, device)
    assert why.rule == "capacity" and why.memory == "PAD"
    assert f"need {3 * 2 * 11 * 192 * 2} bytes of PAD" in why.message
    assert f"has {device.memory('PAD').size} bytes" in why.notes[0].message
    assert why.location.position().line > 1 and why.notes[0].location.position().file == "kt:toy"
