"""A new intrinsic from outside: op class, meaning, device pattern and template; no file of kt is touched."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from lane_kernels import COUNT, kernel_text, run_kernel, run_lowered
from test_intrinsics import BARE

import kt
from kt.ir import registry
from kt.ir.diagnostics import KtError

PLUGIN = '''
"""The dialect `chem`: one intrinsic."""
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.spyreop import FLOAT
from kt.ir.opdef import operand, result
from kt.ir.traits import Elementwise, Pure, SameOperandsAndResultType
from kt.sim.semantics.registry import semantics, wide
from kt.ir.numbers.rounding import rounded


class HillOp(Operation):
    """x^2 / (1 + x^2)."""

    name = "chem.hill"
    traits = (Pure(), Elementwise(), SameOperandsAndResultType())
    assembly_format = "$input attr-dict `:` type($result)"
    input: Value = operand(FLOAT)
    result: OpResult = result(FLOAT)


@semantics("chem.hill")
def hill(x, *, dtype, in_dtypes, attrs):
    square = wide(x) ** 2
    return rounded(square / (1.0 + square), dtype)
'''

PATTERN = """
  patterns ["pre_scheduling"] {
    pdl.pattern : benefit(1) {
      %t = type : f16
      %x = operand : %t
      %op = operation "chem.hill"(%x : !pdl.value) -> (%t : !pdl.type)
      rewrite %op {
        %name = attribute = "HILL"
        %y = apply_native_rewrite "kt.template"(%op, %name : !pdl.operation, !pdl.attribute) : !pdl.range<value>
        replace %op with (%y : !pdl.range<value>)
      }
    }
  }
"""

TEMPLATE = """
func.func private @HILL_f16(%x: f16) -> f16 attributes {kt.template, kt.ulp = 1} {
  %one = arith.constant 1.0 : f32
  %w = arith.extf %x : f16 to f32
  %s = arith.mulf %w, %w : f32
  %d = arith.addf %one, %s : f32
  %q = arith.divf %s, %d : f32
  %y = arith.truncf %q : f32 to f16
  return %y : f16
}
"""


@pytest.fixture(scope="module")
def dialect(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "kt_chem_plugin.py").write_text(PLUGIN)
    sys.path.insert(0, str(folder))
    registry.register_dialect("chem", "kt_chem_plugin")


def text() -> str:
    return kernel_text("%y0 = chem.hill %x0 : f16", ["f16"], ["f16"])


def test_a_plugin_op_is_lowered_and_runs(dialect: None, tmp_path: Path) -> None:
    path = tmp_path / "lab.mlir"
    path.write_text(BARE.replace("PATTERNS", PATTERN) + TEMPLATE)
    values = np.random.default_rng(5).normal(0, 2, COUNT).astype(np.float16)
    (found,), program = run_lowered(text(), kt.device(path), [values], ["f16"], ["f16"])
    (meant,) = run_kernel(text(), [values], ["f16"], ["f16"])
    square = values.astype(np.float64) ** 2
    exact = square / (1 + square)
    assert "@HILL_f16" in program.templates
    assert np.abs(found.astype(np.float64) - exact).max() <= 2**-11
    assert np.abs(found.astype(np.float64) - meant.astype(np.float64)).max() <= 2**-11


def test_every_level_of_it_means_the_same(dialect: None, tmp_path: Path) -> None:
    path = tmp_path / "lab.mlir"
    path.write_text(BARE.replace("PATTERNS", PATTERN) + TEMPLATE)
    report = kt.check(kt.parse(text()), kt.device(path))
    assert report.ok, report.failed


def test_without_a_pattern_the_error_names_it(dialect: None, tmp_path: Path) -> None:
    path = tmp_path / "lab.mlir"
    path.write_text(BARE.replace("PATTERNS", ""))
    with pytest.raises(KtError, match=r"'chem\.hill'"):
        kt.compile(kt.parse(text()), kt.device(path))
