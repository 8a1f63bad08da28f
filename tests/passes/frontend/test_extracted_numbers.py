"""Single numbers of loaded or computed tensors: as operands, and as subscripts."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from kernel_text import KernelText, shaped

import kt
from kt.ir.diagnostics import PassError

DEVICES = ["toy", "spyre", "mesh"]
SLOTS = np.array([7, 2, 5, 0], np.int32)
WIDTH = 40


def kernel(tiles):
    k = KernelText(grid=(tiles,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line("%z0 = arith.constant 0 : index")
    return k


def slot(k):
    """%slot, the tile's number in the list m."""
    m = k.buffer("m", (4,), "i32", fill=False)
    k.data["m"] = SLOTS.copy()
    k.line(f"%e = tensor.extract {k.load(m, (1,), ('%t',))}[%z0] : tensor<1xi32>")
    k.line("%slot = arith.index_cast %e : i32 to index")


@pytest.mark.parametrize("device", DEVICES)
def test_a_reduced_number_is_an_operand(device):
    """Through scalar arithmetic into a splat, and captured by a body."""
    type = shaped("tensor", (1, WIDTH), "f32")
    k = kernel(2)
    a = k.load(k.buffer("x", (2, WIDTH), "f32"), (1, WIDTH), ("%t", 0))
    k.line("%zero = arith.constant dense<0.0> : tensor<1xf32>")
    k.line(
        f"%sum = linalg.reduce {{ arith.addf }} ins({a} : {type}) outs(%zero : tensor<1xf32>) "
        "dimensions = [1]"
    )
    k.line("%s = tensor.extract %sum[%z0] : tensor<1xf32>")
    k.line(f"%n = arith.constant {WIDTH}.0 : f32\n  %mean = arith.divf %s, %n : f32")
    k.line(f"%b = tensor.splat %mean : {type}\n  %empty = tensor.empty() : {type}")
    same = "affine_map<(i, j) -> (i, j)>"
    k.line(
        f"%d = linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = "
        f'["parallel", "parallel"]}} ins({a}, %b : {type}, {type}) outs(%empty : {type}) {{\n'
        "^bb0(%v: f32, %m: f32, %old: f32):\n %c = arith.subf %v, %m : f32\n"
        f" %r = arith.mulf %c, %s : f32\n linalg.yield %r : f32 }} -> {type}"
    )
    k.store("%d", k.buffer("y", (2, WIDTH), "f32", fill=False), (1, WIDTH), ("%t", 0))
    found = run(k, device)["y"].reshape(2, WIDTH)
    x = k.data["x"].reshape(2, WIDTH).astype(np.float64)
    s = x.sum(1, keepdims=True)
    np.testing.assert_allclose(found, (x - s / WIDTH) * s, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_rows_are_stored_at_loaded_numbers(device):
    k = kernel(4)
    cache = k.buffer("c", (9, WIDTH), "f16")
    row = k.load(k.buffer("x", (4, WIDTH), "f16"), (1, WIDTH), ("%t", 0))
    slot(k)
    k.store(row, cache, (1, WIDTH), ("%slot", 0))
    wanted = k.data["c"].reshape(9, WIDTH).copy()
    wanted[SLOTS] = k.data["x"].reshape(4, WIDTH)
    assert np.array_equal(run(k, device)["c"].reshape(9, WIDTH), wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_rows_are_loaded_at_loaded_numbers(device):
    k = kernel(4)
    cache = k.buffer("c", (9, WIDTH), "f16")
    slot(k)
    row = k.load(cache, (1, WIDTH), ("%slot", 0))
    twice = k.op("arith.addf", row, row, type=shaped("tensor", (1, WIDTH), "f16"))
    k.store(twice, k.buffer("y", (4, WIDTH), "f16", fill=False), (1, WIDTH), ("%t", 0))
    found = run(k, device)["y"].reshape(4, WIDTH)
    assert np.array_equal(found, 2 * k.data["c"].reshape(9, WIDTH)[SLOTS])


def test_a_bound_of_a_loop_that_is_loaded_is_refused():
    k = kernel(4)
    slot(k)
    x, y = k.buffer("x", (9, WIDTH), "f16"), k.buffer("y", (9, WIDTH), "f16", fill=False)
    k.line("%one = arith.constant 1 : index\n  scf.for %i = %z0 to %slot step %one {")
    k.store(k.load(x, (1, WIDTH), ("%i", 0)), y, (1, WIDTH), ("%i", 0))
    k.line("}")
    with pytest.raises(PassError, match="effect on control flow"):
        kt.compile(kt.parse(k.text), "toy")
