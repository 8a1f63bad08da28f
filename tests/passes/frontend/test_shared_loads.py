"""Programs with several stores: every tile is loaded once."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import counted
from kernel_text import KernelText

import kt
from kt.ir.dialects import func, ktdf
from kt.parse import parse_text
from kt.passes.manager import PassManager

PASSES = ["normalize-ktir", "compute-group-extraction"]
TYPE = "tensor<5x13xf16>"


def programs(k):
    module = parse_text(k.text)
    PassManager(PASSES).run(module)
    return [op.callee.leaf for op in module.walk_type(func.CallOp)]


def sum_and_product(k, shape=(5, 13)):
    x, y = k.load(k.buffer("x", shape, "f16")), k.load(k.buffer("y", shape, "f16"))
    return k.op("arith.addf", x, y, type=TYPE), k.op("arith.mulf", x, y, type=TYPE)


@pytest.mark.parametrize("device", ["toy", "spyre"])
def test_two_results_over_the_same_points(device):
    k = KernelText()
    a, b = sum_and_product(k)
    k.store(a, k.buffer("a", (5, 13), "f16", fill=False))
    k.store(b, k.buffer("b", (5, 13), "f16", fill=False))
    assert len(programs(k)) == 1
    found, traffic = counted(k, device)
    x, y = k.data["x"], k.data["y"]
    assert np.array_equal(found["a"], x + y) and np.array_equal(found["b"], x * y)
    assert traffic == (2 * 5 * 13 * 2, 2 * 5 * 13 * 2)


@pytest.mark.parametrize("device", ["toy", "spyre"])
def test_results_of_several_widths_and_the_operand_itself(device):
    """A copy of the operand, its f32 form, and a result that is stored twice."""
    k = KernelText()
    x = k.load(k.buffer("x", (5, 13), "f16"))
    wide = k.op("arith.extf", x, type=TYPE, to="tensor<5x13xf32>")
    twice = k.op("arith.addf", x, x, type=TYPE)
    k.store(x, k.buffer("same", (5, 13), "f16", fill=False))
    k.store(wide, k.buffer("wide", (5, 13), "f32", fill=False))
    k.store(twice, k.buffer("p", (5, 13), "f16", fill=False))
    k.store(twice, k.buffer("q", (5, 13), "f16", fill=False))
    assert len(programs(k)) == 1
    found, traffic = counted(k, device)
    x = k.data["x"]
    assert np.array_equal(found["same"], x)
    assert np.array_equal(found["wide"], x.astype(np.float32))
    assert np.array_equal(found["p"], x + x) and np.array_equal(found["q"], x + x)
    assert traffic == (5 * 13 * 2, 5 * 13 * (3 * 2 + 4))


@pytest.mark.parametrize("device", ["toy", "spyre"])
def test_copies_of_one_tile_to_several_layouts(device):
    k = KernelText()
    x = k.load(k.buffer("x", (5, 13), "f16"))
    turned = k.linalg("transpose", [(x, TYPE)], "tensor<13x5xf16>", " permutation = [1, 0]")
    k.store(turned, k.buffer("t", (13, 5), "f16", fill=False))
    k.store(x, k.buffer("a", (5, 13), "f16", fill=False))
    k.store(turned, k.buffer("u", (13, 5), "f16", strides=[8, 1], fill=False))
    assert len(programs(k)) == 1
    found, traffic = counted(k, device)
    x = k.data["x"].reshape(5, 13)
    assert np.array_equal(found["t"].reshape(13, 5), x.T)
    assert np.array_equal(found["a"].reshape(5, 13), x)
    rows = np.pad(found["u"], (0, 3)).reshape(13, 8)
    assert np.array_equal(rows[:, :5], x.T) and not rows[:, 5:].any()
    assert traffic == (5 * 13 * 2, 3 * 5 * 13 * 2)


def test_elements_stay_in_their_slot_for_the_next_store():
    k = KernelText()
    x = k.load(k.buffer("x", (5, 13), "f16"))
    k.store(x, k.buffer("a", (5, 13), "f16", fill=False))
    k.store(x, k.buffer("b", (5, 13), "f16", fill=False))
    module = parse_text(k.text)
    ctx = kt.passes.manager.PassContext(device=kt.device("toy"))
    PassManager([*PASSES, "construct-three-stage-pipeline"]).run(module, ctx)
    moves = list(module.walk_type(ktdf.DataTransferOp))
    assert [op.transfer_mode for op in moves] == [None, "keep", None]


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("place", ["first", "second", "both"])
def test_a_store_that_changes_an_operand_stays_apart(place, device):
    """The results go back to the buffers that were loaded."""
    k = KernelText()
    a, b = sum_and_product(k)
    spare = None if place == "both" else k.buffer("z", (5, 13), "f16", fill=False)
    if place == "both":
        k.store(a, "%x_v")
        k.store(k.op("arith.mulf", k.load("%y_v"), k.load("%x_v"), type=TYPE), "%y_v")
    else:
        k.store(a, "%x_v" if place == "first" else spare)
        k.store(b, "%x_v" if place == "second" else spare)
    assert len(programs(k)) == 2
    found, _ = counted(k, device)
    x, y = k.data["x"], k.data["y"]
    wanted = {
        "first": {"x": x + y, "z": x * y},
        "second": {"x": x * y, "z": x + y},
        "both": {"x": x + y, "y": y * (x + y)},
    }[place]
    for name, values in wanted.items():
        assert np.array_equal(found[name], values)


@pytest.mark.parametrize("second", ["same buffer", "between"])
def test_stores_whose_order_matters_stay_apart(second):
    k = KernelText()
    a, b = sum_and_product(k)
    target = k.buffer("a", (5, 13), "f16", fill=False)
    k.store(a, target)
    if second == "between":
        again = k.op("arith.negf", k.load(target), type=TYPE)
        other = k.buffer("b", (5, 13), "f16", fill=False)
        k.store(again, other)
        k.store(b, other)
        assert len(programs(k)) == 3
    else:
        k.store(b, target)
        assert len(programs(k)) == 2
    counted(k, "toy")


def test_programs_without_a_common_load_stay_apart():
    k = KernelText()
    for name in "xy":
        loaded = k.load(k.buffer(name, (5, 13), "f16"))
        k.store(k.op("arith.negf", loaded, type=TYPE), k.buffer(f"{name}n", (5, 13), "f16"))
    assert len(programs(k)) == 2
