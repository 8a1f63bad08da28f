"""The oracle names the pass that is wrong: faults seeded at every level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from kt.arch import load_device
from kt.ir.diagnostics import InternalError, KtError
from kt.parse import parse_path, parse_text
from kt.passes.base import Pass
from kt.passes.checking import check_kernel
from kt.passes.pipelines import pipeline

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"


@frozen
class Fault(Pass):
    """Changes a module in a way in which no pass should."""

    name = "fault"
    change: Callable

    def run(self, module, ctx):
        self.change(module)


def checked(behind, change, kernel="silu_gate", device="toy"):
    """The report of a pipeline with a fault behind the first pass of this name."""
    passes = pipeline()
    names = [str(p).partition("{")[0] for p in passes]
    passes.insert(names.index(behind) + 1, Fault(change))
    module = parse_path(KERNELS / f"{kernel}.mlir")
    return check_kernel(module, load_device(device), passes=passes)


def ops(module, name):
    found = [op for op in module.walk() if op.name == name]
    assert found, f"no {name} in the module"
    return found


def swapped_operands(name):
    def change(module):
        op = ops(module, name)[0]
        op.operands = list(reversed(op.operands))

    return change


def shorter_loop(module):
    loop = ops(module, "scf.for")[0]
    loop.operands = [loop.operands[0], loop.operands[0], *loop.operands[2:]]


def lost_transfer(module):
    ops(module, "ktdf.data_transfer")[-1].erase()


def aliased_buffers(module):
    """The first two buffers of a scratchpad at one address."""
    casts = [
        op
        for op in ops(module, "builtin.unrealized_conversion_cast")
        if "memref" in str(op.results[0].type)
    ]
    for cast in casts[1:]:
        cast.operands = list(casts[0].operands)


def lost_signal(module):
    ops(module, "dataflow.sync_send")[0].erase()


def operands_of_a_unit_swapped(module):
    op = next(op for op in ops(module, "vectorchain.binary") if op.binary_op.value == "sub")
    op.operands = list(reversed(op.operands))


FAULTS = {
    "operands swapped in KTIR": ("normalize-ktir", swapped_operands("arith.subf")),
    "loop without iterations": ("construct-three-stage-pipeline", shorter_loop),
    "transfer lost": ("path-expansion", lost_transfer),
    "operands swapped in the nest": ("double-buffering", swapped_operands("arith.subf")),
    "buffers aliased": ("address-assignment", aliased_buffers),
    "signal lost": ("ktdflowering-to-dfir", lost_signal),
    "operands swapped in a unit": ("wrap-program-dfir", operands_of_a_unit_swapped),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_guilty_pass_is_named(fault):
    report = checked(*FAULTS[fault])
    assert not report.ok
    assert report.failed.name.startswith("fault") and report.failed is report.entries[-1]
    assert report.failed.message
    assert all(entry.ok for entry in report.entries[:-1])


def test_invalid_ir_is_laid_on_the_pass_that_made_it():
    def change(module):
        subtraction = ops(module, "arith.subf")[0]
        constant = ops(module, "arith.constant")[0]
        subtraction.operands = [constant.results[0], subtraction.operands[1]]

    report = checked("normalize-ktir", change)
    assert report.failed.name == "fault" and "made invalid IR" in report.failed.message


def test_a_pass_that_breaks_is_a_bug_and_not_an_answer():
    def change(module):
        raise ZeroDivisionError("oops")

    with pytest.raises(InternalError, match="oops"):
        checked("normalize-ktir", change)


def test_a_kernel_without_a_meaning_is_refused():
    text = (KERNELS / "add_single.mlir").read_text()
    moved = text.replace("%c0 = arith.constant 0", "%c0 = arith.constant 1")
    assert moved != text
    with pytest.raises(KtError) as refusal:
        check_kernel(parse_text(moved, "moved.mlir"), "toy")
    assert refusal.value.location.position().file == "moved.mlir"
    assert check_kernel(parse_text(text), "toy").ok
