"""A fault in any pass is found, and laid on that pass.

Every fault is an edit of the text of the IR that one pass leaves behind.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from kt.arch import Device, load_device
from kt.parse import parse_path, parse_text, print_op
from kt.passes.base import Pass
from kt.passes.checking import CheckReport, check_kernel
from kt.passes.pipeline_text import parse_pipeline
from kt.passes.pipelines import pipeline

KERNELS = Path(__file__).parent / "faults"
TILED = {"local_schedule_0": {"tile": {"0": 2, "1": 1}, "depth": 2}}
PLANS: dict[str, Any] = {"scale": TILED}
"""Schedules with tile loops and two buffers, where a kernel is too small to get them."""


@frozen
class Fault:
    """``found`` becomes ``put`` behind the ``turn``-th run of a pass; ``skip`` places before it stay."""

    what: str
    behind: str
    kernel: str
    found: str
    put: str
    skip: int = 0
    turn: int = 0

    def edited(self, text: str) -> str:
        places = list(re.finditer(self.found, text))
        assert len(places) > self.skip, f"nothing like '{self.found}' behind {self.behind}"
        place = places[self.skip]
        return text[: place.start()] + place.expand(self.put) + text[place.end() :]


@frozen
class Faulty(Pass):
    """Another pass, and then the fault."""

    right: Any
    fault: Fault | None

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.right.name

    def run(self, module: Any, ctx: Any) -> None:
        self.right.run(module, ctx)
        before = print_op(module)
        after = self.fault.edited(before) if self.fault else before
        assert self.fault is None or after != before
        replace_body(module, parse_text(after, "fault"))

    def __str__(self) -> str:
        return str(self.right)


def replace_body(module: Any, other: Any) -> None:
    for op in reversed(list(module.body.ops)):
        op.erase()
    for op in list(other.body.ops):
        op.detach()
        module.body.append(op)


SUB = r"arith\.subf (%\w+), (%\w+) :"
SWAPPED = r"arith.subf \2, \1 :"
SCALE = r"constant (dense<)?2\.5\d*e\+00"
OTHER_SCALE = r"constant \g<1>2.0e+00"
SEND = r"dataflow\.sync_send %\d+ \{[^}]*\} : index\n"
RECEIVE = r"dataflow\.sync_recv %\d+ : index\n"
DEVICE_PATTERNS = "ktdfarch-apply-patterns"
FAULTS = [
    # -- KTIR ------------------------------------------------------------------------------------
    Fault("rows of another length", "ensure-device-declaration", "scale", r"strides: \[13, 1\]", "strides: [12, 1]"),
    Fault("tiles begin at other rows", "ktir-legality-check", "scale", r"constant 3 : index", "constant 2 : index"),
    Fault("another constant", DEVICE_PATTERNS, "scale", SCALE, r"constant dense<2.0e+00"),
    Fault("operands swapped", "normalize-ktir", "scale", SUB, SWAPPED),
    Fault("identity of the other combiner", "normalize-ktir", "rows", r"0xFC00", "0x7C00"),
    Fault("sum begins at one", "normalize-ktir", "rows", r"constant 0\.0\d*e\+00 : f32", "constant 1.0 : f32"),
    Fault("another combiner", "normalize-ktir", "rows", r"arith\.maximumf", "arith.minimumf"),
    Fault("rows of another tile", "pull-partitions", "far", r"peers \[0, 1\]", "peers [1, 0]"),
    Fault("run begins a row further", "pull-partitions", "far", r"constant -3 : index", "constant -2 : index"),
    Fault("run at another row of its buffer", "pull-partitions", "far", r"constant 2 : index", "constant 1 : index"),
    Fault("partial result of another tile", "exchange-over-links", "far", r"peers \[1, 1\] : memref<1x8", "peers [0, 0] : memref<1x8"),
    Fault("no barrier", "exchange-over-links", "far", r" *kt\.barrier\n", ""),
    Fault("operands swapped", "mirror-partitions", "scale", SUB, SWAPPED),
    Fault("another operation", "exchange-through-memory", "scale", r"arith\.mulf", "arith.addf"),
    Fault("another combiner", "insert-buffers", "rows", r"arith\.addf", "arith.maximumf"),
    Fault("buffer read from its second element", "insert-buffers", "rows", r"constant 0 : index(?=\n.*\n.*ktdp\.load)", "constant 1 : index"),
    Fault("operands swapped", "reduction-dim-chunking", "rows", SUB, SWAPPED, skip=1),
    Fault("epilogue behind every chunk", "fuse-epilogues", "product", r"(%\w+) = (arith\.addf .*\n *)linalg\.yield \1 : f32", r"%sum = \2%every = arith.maximumf %sum, %cst : f32\nlinalg.yield %every : f32"),
    Fault("another activation", "fuse-epilogues", "product", r"arith\.maximumf", "arith.minimumf"),
    Fault("arguments swapped", "compute-group-extraction", "scale", r"call @local_schedule_0\(%arg0, %arg1, %arg2\)", "call @local_schedule_0(%arg0, %arg2, %arg1)"),
    Fault("programs out of order", "compute-group-extraction", "rows", r"( *call @local_schedule_0.*\n)( *call @local_schedule_1.*\n)", r"\2\1"),
    Fault("program not called", "compute-group-extraction", "rows", r" *call @local_schedule_2.*\n", ""),
    Fault("another combiner", "place-buffers", "rows", r"arith\.maximumf", "arith.addf"),
    # -- pipelines -------------------------------------------------------------------------------
    Fault("tail forgotten", "construct-three-stage-pipeline", "scale", r"constant 13 : index(?=\n.*\n.*constant 8)", "constant 8 : index"),
    Fault("tail too short", "construct-three-stage-pipeline", "scale", r"\(8, -d0 \+ 13\)", "(8, -d0 + 12)"),
    Fault("mask without a lane", "construct-three-stage-pipeline", "rows", r"\[true, false", "[false, false"),
    Fault("epilogue left out", "construct-three-stage-pipeline", "product", r"maximumf %\w+, (%\w+)", r"maximumf \1, \1"),
    Fault("tiles overlap", "construct-three-stage-pipeline", "scale", r"constant 13 : index(?=\n.*arith\.muli)", "constant 12 : index"),
    Fault("loop ends early", DEVICE_PATTERNS, "scale", r"constant 3 : index", "constant 2 : index", turn=1),
    Fault("from another tile", "construct-three-stage-pipeline", "far", r"peers \[0, 1\]", "peers [1, 1]"),
    Fault("transfer lost", "path-expansion", "scale", r" *ktdf\.data_transfer from %reinterpret_cast_1.*\n", ""),
    Fault("slots swapped", "path-expansion", "scale", r"(read_from_fifo )(%\d+#\d+)((?:.*\n){1,1}.*read_from_fifo )(%\d+#\d+)", r"\1\4\3\2"),
    Fault("staged one element further", "path-expansion", "scale", r"to (%\d+#\d+)\[0\] size \[%(\d+)\]", r"to \1[1] size [%\2]"),
    Fault("element not repeated", "scalar-broadcast-legalization", "rows", r'"splat"', '"pad"'),
    Fault("step of the vector lost", "normalize-scf-for-loops", "scale", r"%arg4 \* 8", "%arg4 * 7"),
    Fault("tail grows", "normalize-scf-for-loops", "scale", r"d0 \* -8 \+ 13", "d0 * -7 + 13"),
    Fault("product folded wrongly", "canonicalize", "scale", r"constant 39 : index", "constant 36 : index"),
    # -- loops -----------------------------------------------------------------------------------
    Fault("vector loop ends early", "plan-schedule", "scale", r"constant 2 : index", "constant 1 : index"),
    Fault("tile and point swapped", "tile-scf-for-loops", "scale", r"linearize_index \[(%\w+) : (%\w+)\], \[(%\w+) : (%\w+)\]", r"linearize_index [\1 : \4], [\3 : \4]"),
    Fault("remainder of another loop", "tile-scf-for-loops", "scale", r"total_size = %c3", "total_size = %c2"),
    Fault("view at another row", "canonicalize", "scale", r"offset: \[%\w+\]", "offset: [%c0]", turn=1),
    Fault("hoisted out of the wrong loop", "loop-invariant-code-motion", "scale", r"total_size = %c2", "total_size = %c1"),
    Fault("coarse transfer at another row", "stage-coarsening", "scale", r"(data_transfer from %reinterpret_cast\[%\w+), ", r"\1 + 1, "),
    Fault("buffer read in another order", "stage-coarsening", "scale", r"(data_transfer from %\d+#0)\[(%\w+), (%\w+)", r"\1[\3, \2"),
    Fault("tiles too small", "tile-size-selection", "scale", r"(reinterpret_cast\[%\w+), (%\w+) \* 8", r"\1, \2 * 4"),
    Fault("remainder left out", "tile-size-selection", "scale", r"ceildivui", "divui"),
    Fault("operands swapped", "canonicalize", "scale", SUB, SWAPPED, turn=2),
    Fault("promoted transfer at another place", "broadcast-promotion", "scale", r"(from %reinterpret_cast_1\[%\w+) \* 8", r"\1 * 4"),
    Fault("phases of two loops mixed", "double-buffering", "scale", r"(to %\w+)\[%arg5, %arg6, 0, 0\]", r"\1[%c0, %arg6, 0, 0]"),
    Fault("two phases in one buffer", "double-buffering", "scale", r"(select_memref %\w+\[)%\w+, (%\w+)\]", r"\1\2, \2]"),
    Fault("buffers of one phase", "double-buffering", "scale", r"num_phases = 2", "num_phases = 3"),
    Fault("index folded with another factor", "subsume-linearize-index", "scale", r"%arg3 \* 2", "%arg3"),
    Fault("bulk transfer without its last column", "coalesce-transfers", "rows", r"size \[3, 13\] to (.*) size \[3, 1, 13\]", r"size [3, 12] to \1 size [3, 1, 12]"),
    Fault("bulk transfer begins at another row", "coalesce-transfers", "scale", r"%arg3 \* 2", "%arg3 * 1"),
    Fault("loops of a bulk transfer left out", "coalesce-transfers", "rows", r"size \[3, 13\] to (.*) size \[3, 1, 13\]", r"size [1, 13] to \1 size [1, 1, 13]"),
    Fault("iterations in another order at one end", "unroll-and-jam", "outer", r"(from %alloc)\[(%\w+)(, .*\n.*from %alloc)\[(%\w+)", r"\1[\4\3[\2"),
    Fault("one iteration stored over another", "unroll-and-jam", "outer", r"(from %\w+#2 .* to %\w+)\[(%\w+)(, .*\n.* to %\w+)\[%\w+", r"\1[\2\3[\2"),
    Fault("accumulators of two iterations swapped", "unroll-and-jam", "outer", r"(write_to_fifo )(%\w+)(, %\w+#2.*\n.*write_to_fifo )(%\w+)", r"\1\4\3\2"),
    Fault("factor of another iteration", "unroll-and-jam", "outer", r"(ins\()%\w+(, %\w+ .*\n(?:.*\n){6,8}?.*ins\()(%\w+)", r"\1\3\2\3"),
    Fault("operands swapped", DEVICE_PATTERNS, "scale", SUB, SWAPPED, turn=2),
    # -- addresses, engines, DataflowIR ----------------------------------------------------------
    Fault("buffers overlap", "address-assignment", "scale", r"constant 96 : index", "constant 64 : index"),
    Fault("two phases overlap", "address-assignment", "scale", r"constant 80 : index", "constant 72 : index"),
    Fault("address beyond the memory", "address-assignment", "scale", r"constant 128 : index", "constant 8176 : index"),
    Fault("tile number taken twice", "normalize-grid-to-1d", "scale", r"muli (%\w+), (%c39)", r"muli \2, \2"),
    Fault("vector loop runs once", "ktdf-to-ktdflowering", "rows", r"to %c3(_\d+)? step", r"to %c1\1 step"),
    Fault("operands swapped", "ktdf-to-ktdflowering", "scale", SUB, SWAPPED),
    Fault("signal not sent", "ktdflowering-to-dfir", "scale", SEND, ""),
    Fault("signal not awaited", "ktdflowering-to-dfir", "scale", RECEIVE, ""),
    Fault("signal sent twice", "ktdflowering-to-dfir", "scale", f"({SEND})", r"\1\1"),
    Fault("buffer reused without a signal", "ktdflowering-to-dfir", "scale", r"(arith\.muli %arg\d, %c2.*\n.*\n *%\w+ = arith\.remui %\w+), %c2", r"\1, %c1"),
    Fault("both buffers at one address", "ktdflowering-to-dfir", "scale", r"remui (%\w+), %c2", r"remui \1, %c1"),
    Fault("operands of a unit swapped", "ktdflowering-to-dfir", "scale", r"binary (%\w+), (%\w+) (.*sub)", r"binary \2, \1 \3"),
    Fault("another operator", "ktdflowering-to-dfir", "rows", r"binary_operator add", "binary_operator mul"),
    Fault("lanes joined twice", "ktdflowering-to-dfir", "rows", r"2 : i32, 3 : i32", "0 : i32, 1 : i32"),
    Fault("memory of another core", "ktdflowering-to-dfir", "far", r"memory_view %3, %c0 ", "memory_view %2, %c0 "),
    Fault("base of another argument", "ktdflowering-to-dfir", "scale", r"SymbolId = -5", "SymbolId = -4"),
    Fault("different values taken for equal", "cse", "outer", r"(math\.fma )(%\w+)(.*\n.*\n.*math\.fma )%\w+", r"\1\2\3\2"),
    Fault("rows of another core", DEVICE_PATTERNS, "scale", r"-> %c39\]", "-> %c0]", turn=3),
    Fault("accumulator begins at one", "wrap-program-dfir", "rows", r"constant dense<0\.0\d*e\+00> : vector<4xf32>", "constant dense<1.0> : vector<4xf32>"),
    Fault("stream ends early", "wrap-program-dfir", "scale", r"(sync_recv %\w+ : index\n(?:.*\n){0,3}?.*scf\.for %\w+ = %c0 to) %\w+", r"\1 %c0"),
    Fault("value received after another", "wrap-program-dfir", "scale", r"(%\w+)( = dataflow\.receive .*\n *)(%\w+)( = dataflow\.receive)", r"\3\2\1\4"),
]  # fmt: skip


@cache
def toy() -> Device:
    return load_device("toy")


def passes_of(kernel: str) -> list[Any]:
    passes: list[Any] = []
    for item in pipeline(plan=PLANS.get(kernel)):
        passes += [item] if isinstance(item, Pass) else parse_pipeline(item)
    return passes


def check(kernel: str, passes: list[Any]) -> CheckReport:
    return check_kernel(parse_path(KERNELS / f"{kernel}.mlir"), toy(), passes=passes)


def run(fault: Fault) -> tuple[CheckReport, int]:
    """The report, and the number of the faulty pass."""
    passes = passes_of(fault.kernel)
    place = [i for i, p in enumerate(passes) if p.name == fault.behind][fault.turn]
    passes[place] = Faulty(passes[place], fault)
    return check(fault.kernel, passes), place


@pytest.mark.parametrize("kernel", ["scale", "rows", "far", "product"])
def test_text_between_all_passes_changes_nothing(kernel: str) -> None:
    """Printing and reading the IR is no fault: what is found below are the edits."""
    report = check(kernel, [Faulty(p, None) for p in passes_of(kernel)])
    assert report.ok, report.failed


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.behind}: {f.what}")
def test_the_guilty_pass_is_named(fault: Fault) -> None:
    report, place = run(fault)
    assert report.failed is not None, "not found"
    assert len(report.entries) == place + 1 and report.failed is report.entries[-1]
    assert report.failed.name.partition("{")[0] == fault.behind
    assert report.failed.message
