"""x y + z becomes one instruction where the product is exact, and only there."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

import kt
from kt.arch import shipped_devices
from kt.binary.disassemble import text_of
from kt.ir.dialects import func
from kt.ir.numbers import dtype, from_bits, round_to
from kt.passes.manager import PassContext, PassManager

MATMUL = Path(__file__).parents[1] / "corpus" / "kernels" / "matmul_bias_relu.mlir"
SMALL = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E3M4")


def names(text: str) -> list[str]:
    """The operations of a function behind the device's last patterns for schedules."""
    module = kt.parse(text)
    PassManager("ktdfarch-apply-patterns{groups=post_scheduling}").run(
        module, PassContext(device=kt.device("toy"))
    )
    (function,) = module.walk_type(func.FuncOp)
    return [op.name for op in function.entry.ops]


def product_and_sum(a: str, b: str, r: str, order: str = "%z, %p") -> str:
    return f"""func.func @f(%x: {a}, %y: {b}, %z: {r}) -> {r} {{
      %a = arith.extf %x : {a} to {r}
      %b = arith.extf %y : {b} to {r}
      %p = arith.mulf %a, %b : {r}
      %s = arith.addf {order} : {r}
      return %s : {r}
    }}"""


@pytest.mark.parametrize("order", ["%z, %p", "%p, %z"])
@pytest.mark.parametrize(
    ("a", "b", "r"),
    [("f16", "f16", "f32"), ("f16", "f8E5M2", "f32"), ("f32", "f32", "f64"), ("bf16", "bf16", "f64")],
)
def test_exact_products_are_fused(a, b, r, order):
    assert names(product_and_sum(a, b, r, order)) == ["arith.extf"] * 2 + ["math.fma", "func.return"]


@pytest.mark.parametrize("a", ["bf16", "tf32"])  # f32's exponents: their product overflows in f32
def test_products_that_may_overflow_are_left(a):
    assert names(product_and_sum(a, a, "f32")).count("arith.mulf") == 1


def test_products_that_are_rounded_are_left():
    text = """func.func @f(%x: f32, %y: f32, %z: f32) -> f32 {
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %p, %z : f32
      return %s : f32
    }"""
    assert names(text) == ["arith.mulf", "arith.addf", "func.return"]


def test_products_with_another_use_are_left():
    text = product_and_sum("f16", "f16", "f32").replace("-> f32", "-> (f32, f32)")
    text = text.replace("return %s : f32", "return %s, %p : f32, f32")
    assert "math.fma" not in names(text)


def finite_values(name: str) -> np.ndarray:
    """Every finite value of an 8-bit float."""
    values = np.asarray(from_bits(np.arange(256), dtype(name)), np.float64)
    return values[np.isfinite(values)]


@pytest.mark.parametrize(("a", "b"), list(combinations_with_replacement(SMALL, 2)))
@pytest.mark.parametrize("r", ["f16", "f32"])
def test_fused_exactly_where_no_product_is_rounded(a, b, r):
    products = np.multiply.outer(finite_values(a), finite_values(b))
    exact = bool(np.all(np.asarray(round_to(products, dtype(r)), np.float64) == products))
    assert ("math.fma" in names(product_and_sum(a, b, r))) == exact


@pytest.mark.parametrize("device", shipped_devices())
def test_matmul_multiplies_and_adds_at_once(device):
    text = text_of(kt.compile(kt.parse_file(MATMUL), kt.device(device)))
    assert "= math.fma(" in text
    assert '{"binary_op":"mul"}' not in text
