"""Where a program accumulates, and in which type: what a plan states but can't choose.

The unit that computes keeps running results in its own memory from iteration to iteration; it reads operands
from FIFOs and can't go on with what lies elsewhere. Their type is the kernel's: KTIR says what is
accumulated in and rounded at the end, and no pass below it widens or narrows anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.diagnostics import Note
from kt.ir.dialects import linalg, scf
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.nests import Nest, is_parallel
from kt.passes.analysis.target import compute_kind
from kt.passes.schedule.plan import Plan
from kt.passes.schedule.violation import Violation

if TYPE_CHECKING:
    from kt.arch import Device


def accumulating(nest: Nest) -> tuple[Operation, str] | None:
    """The op that accumulates in a nest's pipeline and the element type, if there is one."""
    ops = list(nest.pipeline.walk())
    for op in ops:
        if isinstance(op, scf.ForOp) and op.init_args and not is_parallel(op):
            return op, str(t.element_type_of(op.init_args[0].type))
    for op in ops:
        if isinstance(op, linalg.GenericOp) and any(kind != PARALLEL for kind in op.iterator_types()):
            return op, str(t.element_type_of(op.results[0].type))
    return None


def accumulator_of(around: Sequence[Nest], device: Device) -> dict[str, str]:
    """``memory`` and ``type`` of a program's accumulators; empty if it has none."""
    found = next((a for nest in around if (a := accumulating(nest)) is not None), None)
    if found is None:
        return {}
    memory = device.local_memory(compute_kind(device))
    place = {} if memory is None else {"memory": str(memory.kind)}
    return {**place, "type": found[1]}


def accumulator_violations(
    name: str, plan: Plan, around: Sequence[Nest], device: Device
) -> Iterator[Violation]:
    """Accumulators that a plan wants elsewhere or in another type."""
    if not plan.accumulator:
        return
    known = accumulator_of(around, device)
    op = next((a[0] for nest in around if (a := accumulating(nest)) is not None), None)
    unit = device.unit(compute_kind(device))
    if op is None:
        yield Violation(
            "accumulator",
            f"the plan states an accumulator for '{name}', which accumulates nothing",
            around[0].pipeline.location,
            hint='leave out "accumulator"',
        )
        return
    wanted = plan.accumulator.get("memory", known.get("memory"))
    if wanted != known.get("memory"):
        there = known.get("memory")
        own = f"its own memory, {there}" if there else "registers that the device file doesn't describe"
        yield Violation(
            "accumulator",
            f"the plan keeps the accumulator of '{name}' in {wanted}, but {unit.kind} accumulates in {own}",
            op.location,
            notes=(Note(f"{unit.kind} is here", unit.location),),
            hint=f'"memory": "{there}", or leave it out' if there else 'leave out "memory"',
        )
    if plan.accumulator.get("type", known["type"]) != known["type"]:
        yield Violation(
            "accumulator",
            f"the plan accumulates '{name}' in {plan.accumulator['type']}, but the kernel does in "
            f"{known['type']}, and a schedule rounds nothing otherwise",
            op.location,
            hint=f'"type": "{known["type"]}", or another type in the kernel',
        )
