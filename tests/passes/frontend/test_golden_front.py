"""Recorded stages of the public scheduler: same loops, stages, units, transfers, slots and buffers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kt.ir.dialects import func, ktdf, memref, scf
from kt.ir.dialects.ktdf_types import FifoSlotType
from kt.ir.folding import constant_int
from kt.ir.types import MemRefType
from kt.parse import parse_path
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import ktir_to_schedule

GOLDEN = Path(__file__).parents[2] / "corpus" / "golden_front"
KERNELS = [
    "add2d", "chain4", "gate", "loop", "rowvec_scale", "sub3d", "symbolic", "tensor_chain",
    "two_groups",
]  # fmt: skip
STEPS = ("compute-group-extraction", "construct-three-stage-pipeline", "path-expansion")


def programs(module):
    return [f for f in module.walk_type(func.FuncOp)
            if not f.is_declaration and f.symbol.startswith("local_schedule")]  # fmt: skip


def side(value, sizes):
    type = value.type
    if isinstance(type, FifoSlotType):
        return str(type)
    assert isinstance(type, MemRefType)
    return type.shape, str(type.element_type), str(type.memory_space), sizes


def shape_of(function):
    """What counts: not names, constants, casts, or the order of pure ops."""
    loops = [
        (constant_int(loop.lower_bound), constant_int(loop.upper_bound), constant_int(loop.step),
         str(loop.attr("loop_type")))
        for loop in function.walk_type(scf.ForOp)
    ]  # fmt: skip
    stages = []
    for stage in function.walk_type(ktdf.StageOp):
        moved = [
            (side(x.source, x.source_side.sizes), side(x.destination, x.dest_side.sizes))
            for x in stage.walk_type(ktdf.DataTransferOp)
        ]
        work = [op.name for op in stage.walk() if op.dialect in ("arith", "spyreop", "math")]
        stages.append((stage.unit_names, len(stage.depends_in), moved, work))
    made = Counter(str(v.type) for op in function.walk()
                   if isinstance(op, (ktdf.FifoAllocateOp, memref.AllocOp)) for v in op.results)  # fmt: skip
    return loops, stages, made


def calls(module):
    return [
        (op.callee.leaf, len(op.arguments), [a.name for a in op.ancestors()])
        for op in module.walk_type(func.CallOp)
    ]


@pytest.mark.parametrize("kernel", KERNELS)
def test_recorded_stages(kernel):
    module = parse_path(GOLDEN / f"{kernel}.mlir")
    ctx = PassContext()
    for name in ktir_to_schedule():
        PassManager([name]).run(module, ctx)
        if name not in STEPS:
            continue
        expected = parse_path(GOLDEN / f"{kernel}.{name}.mlir")
        ours, theirs = programs(module), programs(expected)
        assert [f.symbol for f in ours] == [f.symbol for f in theirs]
        assert [f.function_type for f in ours] == [f.function_type for f in theirs]
        assert calls(module) == calls(expected)
        if name != "compute-group-extraction":
            assert [shape_of(f) for f in ours] == [shape_of(f) for f in theirs]
