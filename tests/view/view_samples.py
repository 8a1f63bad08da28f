"""Small modules and pipelines for the viewer's tests."""

from __future__ import annotations

from kt.ir.core import Operation
from kt.parse import parse_text
from kt.passes.manager import PassManager
from kt.view.pipeline import PipelineDiff, Selection
from kt.view.record import Recorder

LOOP = """\
func.func @f(%n: index, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %six = arith.muli %two, %three : index
  %unused = arith.addi %n, %n : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.muli %six, %c1 : index
    %at = arith.addi %k, %i : index
    %v = memref.load %m[%at] : memref<16xf32>
    memref.store %v, %m[%i] : memref<16xf32>
  }
  return
}
func.func @g(%a: i32) -> i32 {
  return %a : i32
}
"""


def recorded(text: str, pipeline: str, raw: bool = False) -> Recorder:
    """Stages of a pipeline over a text."""
    module = parse_text(text, "sample.mlir")
    recorder = Recorder(raw)
    PassManager(pipeline, instruments=[recorder]).run(module)
    return recorder


def pipeline_diff(text: str, pipeline: str, **selection: object) -> PipelineDiff:
    return PipelineDiff("sample", recorded(text, pipeline).stages, Selection(**selection))  # type: ignore[arg-type]


def parsed(text: str) -> Operation:
    return parse_text(text, "sample.mlir")
