"""Tiles that several programs read come from device memory once, where that pays."""

from __future__ import annotations

import numpy as np
from attrs import evolve

import kt
from kt.ir.dialects import kt as kt_dialect
from kt.passes.base import PassContext
from kt.passes.manager import PassManager
from kt.passes.pipelines import normalise

ROWS, COLS, GRID = 16, 256, 8

SOFTMAX = f"""
#all = affine_set<(i, j) : (i >= 0, -i + {GRID * ROWS - 1} >= 0, j >= 0, -j + {COLS - 1} >= 0)>
#one = affine_set<(i, j) : (i >= 0, -i + {ROWS - 1} >= 0, j >= 0, -j + {COLS - 1} >= 0)>
#same = affine_map<(i, j) -> (i, j)>
func.func @f(%x: index, %y: index) attributes {{grid = [{GRID}]}} {{
  %c0 = arith.constant 0 : index
  %rows = arith.constant {ROWS} : index
  %id = ktdp.get_compute_tile_id : index
  %row = arith.muli %id, %rows : index
  %xv = ktdp.construct_memory_view %x, sizes: [{GRID * ROWS}, {COLS}], strides: [{COLS}, 1] {{
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{GRID * ROWS}x{COLS}xf16>
  %yv = ktdp.construct_memory_view %y, sizes: [{GRID * ROWS}, {COLS}], strides: [{COLS}, 1] {{
    coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<{GRID * ROWS}x{COLS}xf16>
  %xt = ktdp.construct_access_tile %xv[%row, %c0] {{access_tile_set = #one, access_tile_order = #same}}
    : memref<{GRID * ROWS}x{COLS}xf16> -> !ktdp.access_tile<{ROWS}x{COLS}xindex>
  %yt = ktdp.construct_access_tile %yv[%row, %c0] {{access_tile_set = #one, access_tile_order = #same}}
    : memref<{GRID * ROWS}x{COLS}xf16> -> !ktdp.access_tile<{ROWS}x{COLS}xindex>
  %a = ktdp.load %xt : !ktdp.access_tile<{ROWS}x{COLS}xindex> -> tensor<{ROWS}x{COLS}xf16>
  %low = arith.constant dense<0xFC00> : tensor<{ROWS}xf16>
  %m = linalg.reduce {{ arith.maximumf }} ins(%a : tensor<{ROWS}x{COLS}xf16>) outs(%low : tensor<{ROWS}xf16>) dimensions = [1]
  %e = tensor.empty() : tensor<{ROWS}x{COLS}xf16>
  %b = linalg.broadcast ins(%m : tensor<{ROWS}xf16>) outs(%e : tensor<{ROWS}x{COLS}xf16>) dimensions = [1]
  %d = arith.subf %a, %b : tensor<{ROWS}x{COLS}xf16>
  ktdp.store %d, %yt : tensor<{ROWS}x{COLS}xf16>, !ktdp.access_tile<{ROWS}x{COLS}xindex>
  return
}}
"""


def inputs():
    x = np.random.default_rng(1).standard_normal((GRID * ROWS, COLS)).astype(np.float16)
    return {"x": x, "y": np.zeros_like(x)}


def kept(text, device):
    module, context = kt.parse(text), PassContext(device=device)
    PassManager(normalise()).run(module, context)
    before = sum(isinstance(op, kt_dialect.BufferOp) for op in module.walk())
    PassManager(["keep-tiles"]).run(module, context)
    return sum(isinstance(op, kt_dialect.BufferOp) for op in module.walk()) - before


def test_it_means_the_same():
    assert kt.check(kt.parse(SOFTMAX), "spyre", inputs()).failed is None


def test_device_memory_is_read_once():
    device = kt.device("spyre")
    module, size = kt.parse(SOFTMAX), GRID * ROWS * COLS * 2
    read = {}
    for mode in ("capacity", "upstream"):
        kernel = kt.Runtime(device).load(kt.compile(module, device, mode=mode))
        given = inputs()
        x = given["x"]
        expected = x - x.max(axis=1, keepdims=True)
        np.testing.assert_array_equal(kernel(given)["y"], expected)
        read[mode] = kernel.last.bytes[device.global_memory.kind].read
    assert read == {"capacity": size, "upstream": 2 * size}


def test_one_use_keeps_nothing():
    single = SOFTMAX.replace("arith.subf %a, %b", "arith.addf %b, %b")
    assert kept(SOFTMAX, kt.device("spyre")) == 1
    assert kept(single, kt.device("spyre")) == 0


def test_a_tile_that_does_not_fit_is_read_again():
    big = SOFTMAX
    for old, new in ((f"x{COLS}x", "x65536x"), (f"-j + {COLS - 1}", "-j + 65535"),
                     (f", {COLS}], strides: [{COLS}, 1]", ", 65536], strides: [65536, 1]")):  # fmt: skip
        assert old in big
        big = big.replace(old, new)
    assert kept(big, kt.device("spyre")) == 0


def test_nothing_is_kept_where_memory_is_not_waited_for():
    from kt.passes.frontend.keep_tiles import _Costs

    device = kt.device("spyre")
    exp = SOFTMAX.replace("%d = arith.subf", "%d0 = arith.subf").replace(
        "  ktdp.store", f"  %d = math.exp %d0 : tensor<{ROWS}x{COLS}xf16>\n  ktdp.store"
    )
    module, context = kt.parse(exp), PassContext(device=device)
    PassManager(normalise()).run(module, context)
    load = next(op for op in module.walk() if op.name == "ktdp.load")
    alone = _Costs(device, 1)  # one tile has all the bandwidth
    assert evolve(alone, tiles=32).gain(load) > 0 > alone.gain(load)
