"""Kernels that random generation found to go wrong once, each with the values that are right."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText, box, shaped

import kt

DEVICES = ["toy", "spyre", "mesh"]


def outcome(k: KernelText, device: str) -> dict[str, np.ndarray]:
    """Buffers that the decoded artifact leaves; the kernel's own meaning must agree."""
    module = kt.parse(k.text)
    here = kt.device(device)
    program = kt.Program.from_bytes(kt.compile(module, here).to_bytes())

    def data():
        return {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in k.data.items()}

    found = kt.Runtime(here).load(program)(data())
    for name, array in kt.simulate(module, data()).items():
        np.testing.assert_array_equal(found[name], array)
    return found


def reduced(k, op, value, shape, start, kept, element="f16"):
    """linalg.reduce over all dimensions but the ``kept``."""
    made = k.new()
    dropped = [d for d in range(len(shape)) if d not in kept]
    whole, part = shaped("tensor", shape, element), shaped("tensor", [shape[d] for d in kept], element)
    k.line(
        f"{made} = linalg.reduce {{ arith.{op} }} ins({value} : {whole}) outs({start} : {part}) "
        f"dimensions = {dropped}"
    )
    return made


@pytest.mark.parametrize("device", DEVICES)
def test_a_scalar_is_splat_to_no_dimensions(device):
    k = KernelText()
    x = k.load(k.buffer("x", (16,), "i16"))
    total = reduced(k, "addi", x, (16,), k.empty("tensor<i16>"), [], "i16")
    three = k.op("tensor.splat", k.scalar("s", "i16", 3), type="tensor<i16>")
    value = k.op("arith.addi", total, three, type="tensor<i16>")
    wide = k.linalg("broadcast", [(value, "tensor<i16>")], "tensor<1xi16>", " dimensions = [0]")
    k.store(wide, k.buffer("y", (1,), "i16", fill=False))
    assert outcome(k, device)["y"] == k.data["x"].sum() + 3


@pytest.mark.parametrize("device", DEVICES)
def test_a_reduction_of_a_reduction(device):
    """Both start elsewhere than at their identity, along different dimensions of a strided view."""
    k = KernelText()
    x = k.load(k.buffer("x", (129, 3), "f16", [1, 129]))
    k.data["x"] = (np.arange(387) % 37 - 18).astype(np.float16)
    start = k.op("arith.constant dense<2.5>", type="tensor<129xf16>")
    sums = reduced(k, "addf", x, (129, 3), start, [0])
    best = reduced(k, "maximumf", sums, (129,), k.empty("tensor<f16>"), [])
    value = k.op("math.absf", best, type="tensor<f16>")
    wide = k.linalg("broadcast", [(value, "tensor<f16>")], "tensor<1xf16>", " dimensions = [0]")
    k.store(wide, k.buffer("y", (1,), "f16", fill=False))
    assert outcome(k, device)["y"] == abs((2.5 + k.data["x"].reshape(3, 129).sum(0)).max())


@pytest.mark.parametrize("device", DEVICES)
def test_one_element_feeds_two_results(device):
    """Two stores of one program whose vectors come from a single element."""
    k = KernelText()
    s = k.load(k.buffer("s", (1,), "f16"))
    for i, op in enumerate(["negf", "mulf"]):
        value = k.op(f"arith.{op}", *[s] * (i + 1), type="tensor<1xf16>")
        wide = k.empty("tensor<5x13xf16>")
        made = k.new()
        maps = "affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>"
        k.line(
            f"{made} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f'["parallel", "parallel"]}} ins({value} : tensor<1xf16>) outs({wide} : tensor<5x13xf16>) '
            "{\n^bb0(%a: f16, %b: f16):\n  linalg.yield %a : f16\n} -> tensor<5x13xf16>"
        )
        k.store(made, k.buffer(f"y{i}", (5, 13), "f16", fill=False))
    found = outcome(k, device)
    assert (found["y0"] == -k.data["s"]).all() and (found["y1"] == k.data["s"] ** 2).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(1,), (1, 1), (5,)])
def test_a_total_that_gets_an_axis_again(device, shape):
    """Of one element, too: lanes lie along no axis that only the result has."""
    k = KernelText()
    x = k.load(k.buffer("x", shape, "i8"))
    total = reduced(k, "addi", x, shape, k.empty("tensor<i8>"), [], "i8")
    wide = k.linalg("broadcast", [(total, "tensor<i8>")], "tensor<1xi8>", " dimensions = [0]")
    k.store(wide, k.buffer("y", (1,), "i8", fill=False))
    assert outcome(k, device)["y"] == k.data["x"].sum(dtype=np.int8)


@pytest.mark.parametrize("device", DEVICES)
def test_a_square_that_is_staged_the_other_way_round(device):
    """Columns of a view whose rows are neighbours in memory: as many rows as columns."""
    k = KernelText()
    x = k.buffer("x", (1, 67, 3, 1), "f32", [201, 1, 67, 201])
    k.data["x"] = (np.arange(201) % 23 - 11).astype(np.float32)
    value = k.load(x)
    sums = reduced(k, "addf", value, (1, 67, 3, 1), k.empty("tensor<1x3x1xf32>"), [0, 2, 3], "f32")
    k.store(sums, k.buffer("y", (1, 3, 1), "f32", fill=False))
    assert (outcome(k, device)["y"] == k.data["x"].reshape(3, 67).sum(1)).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", ["maxnumf", "minnumf"])
def test_extremes_of_nothing_but_nan(device, op):
    """What ignores NaN starts at NaN: any other start would win over a row without numbers."""
    k = KernelText()
    x = k.load(k.buffer("x", (4, 19), "f16"))
    k.data["x"] = np.where(np.arange(76) < 38, np.nan, (np.arange(76) % 7) - 3).astype(np.float16)
    k.data["x"][::19] = np.nan
    best = reduced(k, op, x, (4, 19), k.empty("tensor<4xf16>"), [0])
    k.store(best, k.buffer("y", (4,), "f16", fill=False))
    wanted = [np.nan, np.nan] + ([3, 3] if op == "maxnumf" else [-3, -3])
    np.testing.assert_array_equal(outcome(k, device)["y"], np.array(wanted, np.float16))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(5, 5), (1, 13)])
def test_a_transposition_in_place(device, shape):
    """Also of a row, where the order stays: what is stored goes through a buffer."""
    k = KernelText()
    view = k.buffer("x", shape, "f16")
    x = k.load(view)
    turned = shaped("tensor", shape[::-1], "f16")
    value = k.linalg("transpose", [(x, shaped("tensor", shape, "f16"))], turned, " permutation = [1, 0]")
    value = k.op("arith.addf", value, value, type=turned)
    other = "%other"
    k.line(
        f"{other} = ktdp.construct_memory_view %x, sizes: {list(shape[::-1])}, strides: "
        f"[{shape[0]}, 1] {{coordinate_set = {box(shape[::-1])}, memory_space = "
        f"#ktdp.memory_space<global>}} : {shaped('memref', shape[::-1], 'f16')}"
    )
    k.views[other] = shape[::-1], "f16"
    k.store(value, other)
    wanted = 2 * k.data["x"].reshape(shape).T
    np.testing.assert_array_equal(outcome(k, device)["x"].reshape(shape[::-1]), wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_a_shift_in_place(device):
    k = KernelText()
    view = k.buffer("x", (3, 40), "f16")
    x = k.load(view, (3, 37), (0, 0))
    value = k.op("arith.negf", x, type="tensor<3x37xf16>")
    k.store(value, view, (3, 37), (0, 1))
    wanted = k.data["x"].reshape(3, 40).copy()
    wanted[:, 1:38] = -wanted[:, :37].copy()
    np.testing.assert_array_equal(outcome(k, device)["x"].reshape(3, 40), wanted)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("turned_first", [True, False])
def test_a_tile_is_copied_in_two_orders(device, turned_first):
    """Copies of one tile whose shapes differ, as one program."""
    k = KernelText()
    x = k.load(k.buffer("x", (5, 13), "i16"))
    turned, empty = "%turned", k.empty("tensor<13x5xi16>")
    maps = "affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>"
    k.line(
        f"{turned} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
        f'["parallel", "parallel"]}} ins({x} : tensor<5x13xi16>) outs({empty} : tensor<13x5xi16>) '
        "{\n^bb0(%a: i16, %b: i16):\n  linalg.yield %a : i16\n} -> tensor<13x5xi16>"
    )
    stores = [(turned, k.buffer("y", (13, 5), "i16", fill=False)), (x, k.buffer("z", (5, 13), "i16", fill=False))]
    for value, view in stores if turned_first else stores[::-1]:
        k.store(value, view)
    found = outcome(k, device)
    np.testing.assert_array_equal(found["y"].reshape(13, 5), k.data["x"].reshape(5, 13).T)
    np.testing.assert_array_equal(found["z"], k.data["x"])
