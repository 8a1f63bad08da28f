"""Loop indices as data: masks, ramps, offsets of the tile, down to the artifact."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from kernel_text import KernelText, shaped

DEVICES = ["toy", "spyre", "mesh"]
ROWS, WIDTH = 5, 37
TYPE = shaped("tensor", (ROWS, WIDTH), "f32")
SAME = "affine_map<(i, j) -> (i, j)>"


def masked(k, value):
    """Elements up to the diagonal of the whole matrix, plus their column; -1 behind it."""
    k.line(f"%empty = tensor.empty() : {TYPE}")
    k.line(
        f"%m = linalg.generic {{indexing_maps = [{SAME}, {SAME}], iterator_types = "
        f'["parallel", "parallel"]}} ins({value} : {TYPE}) outs(%empty : {TYPE}) {{\n'
        "^bb0(%v: f32, %old: f32):\n %i = linalg.index 0 : index\n %j = linalg.index 1 : index\n"
        " %gi = arith.addi %i, %row : index\n %keep = arith.cmpi sle, %j, %gi : index\n"
        " %n = arith.index_cast %j : index to i32\n %f = arith.sitofp %n : i32 to f32\n"
        " %neg = arith.constant -1.0 : f32\n %s = arith.addf %v, %f : f32\n"
        f" %r = arith.select %keep, %s, %neg : f32\n linalg.yield %r : f32 }} -> {TYPE}"
    )
    return "%m"


def kernel():
    k = KernelText(grid=(2,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line(f"%rows = arith.constant {ROWS} : index")
    k.line("%row = arith.muli %t, %rows : index")
    x = k.buffer("x", (2 * ROWS, WIDTH), "f32")
    return k, masked(k, k.load(x, (ROWS, WIDTH), ("%row", 0)))


def expected(k):
    i, j = np.indices((2 * ROWS, WIDTH))
    x = k.data["x"].reshape(2 * ROWS, WIDTH)
    return np.where(j <= i, x + j.astype(np.float32), np.float32(-1))


@pytest.mark.parametrize("device", DEVICES)
def test_a_mask_over_the_diagonal(device):
    k, made = kernel()
    k.store(made, k.buffer("y", (2 * ROWS, WIDTH), "f32", fill=False), (ROWS, WIDTH), ("%row", 0))
    assert np.array_equal(run(k, device)["y"].reshape(2 * ROWS, WIDTH), expected(k))


@pytest.mark.parametrize("device", DEVICES)
def test_a_masked_matrix_is_reduced(device):
    k, made = kernel()
    k.line("%zero = arith.constant dense<0.0> : tensor<5xf32>")
    k.line(
        f"%sum = linalg.reduce {{ arith.addf }} ins({made} : {TYPE}) outs(%zero : tensor<5xf32>) "
        "dimensions = [1]"
    )
    k.store("%sum", k.buffer("y", (2 * ROWS,), "f32", fill=False), (ROWS,), ("%row",))
    np.testing.assert_allclose(run(k, device)["y"], expected(k).sum(1), rtol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_a_ramp_without_inputs(device):
    k = KernelText()
    type = shaped("tensor", (3, 20), "i32")
    k.line(f"%empty = tensor.empty() : {type}")
    k.line(
        f'%m = linalg.generic {{indexing_maps = [{SAME}], iterator_types = ["parallel", "parallel"]}} '
        f"outs(%empty : {type}) {{\n^bb0(%old: i32):\n %i = linalg.index 0 : index\n"
        " %j = linalg.index 1 : index\n %w = arith.constant 20 : index\n"
        " %row = arith.muli %i, %w : index\n %at = arith.addi %row, %j : index\n"
        f" %n = arith.index_cast %at : index to i32\n linalg.yield %n : i32 }} -> {type}"
    )
    k.store("%m", k.buffer("y", (3, 20), "i32", fill=False))
    assert np.array_equal(run(k, device)["y"], np.arange(60, dtype=np.int32))
