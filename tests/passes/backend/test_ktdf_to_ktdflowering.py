"""Units of the work that a pipeline becomes."""

from __future__ import annotations

from pathlib import Path

import kt
from kt.ir.dialects.ktdf import ParallelOp
from kt.ir.dialects.ktdf_lowering import ExecuteOnOp
from kt.passes.compiler import Compilation
from kt.passes.pipelines import pipeline

ADD = Path(__file__).parents[2] / "text" / "stages" / "add" / "00_input.mlir"


def test_outer_work_belongs_to_all_units_of_the_inner():
    """Also to both instances among which a loop in between is distributed."""
    compilation = Compilation.start(kt.parse_file(ADD), "spyre")
    compilation.lower(passes=[*pipeline("schedule"), "ktdf-to-ktdflowering"])
    works = [op for op in compilation.module.walk() if isinstance(op, ExecuteOnOp)]
    assert any(op.parent_of_type(ParallelOp) for op in works)
    for op in works:
        outer = op.parent_of_type(ExecuteOnOp)
        assert outer is None or set(op.units) <= set(outer.units)
