"""Slices and reshapes of computed tensors: reads that are no plain subscripts of the loops."""

from __future__ import annotations

import numpy as np
import pytest

import kt

BODIES = {
    # name: (shape of the input, body from %l to %r, shape of the output, reference)
    "beginning of a row": (
        (64,),
        "%m = arith.addf %l, %l : tensor<64xf16>\n"
        "%r = tensor.extract_slice %m[0] [32] [1] : tensor<64xf16> to tensor<32xf16>",
        (32,),
        lambda x: (x + x)[:32],
    ),
    "beginning of rows and of columns": (
        (6, 64),
        "%m = arith.addf %l, %l : tensor<6x64xf16>\n"
        "%r = tensor.extract_slice %m[0, 0] [4, 16] [1, 1] : tensor<6x64xf16> to tensor<4x16xf16>",
        (4, 16),
        lambda x: (x + x)[:4, :16],
    ),
    "every second element": (
        (64,),
        "%m = arith.addf %l, %l : tensor<64xf16>\n"
        "%r = tensor.extract_slice %m[0] [32] [2] : tensor<64xf16> to tensor<32xf16>",
        (32,),
        lambda x: (x + x)[::2],
    ),
    "rows laid end to end": (
        (4, 16),
        "%m = arith.addf %l, %l : tensor<4x16xf16>\n"
        "%r = tensor.collapse_shape %m [[0, 1]] : tensor<4x16xf16> into tensor<64xf16>",
        (64,),
        lambda x: (x + x).reshape(64),
    ),
    "a broadcast laid end to end": (
        (4,),
        "%e = tensor.empty() : tensor<4x16xf16>\n"
        "%b = linalg.broadcast ins(%l : tensor<4xf16>) outs(%e : tensor<4x16xf16>) dimensions = [1]\n"
        "%r = tensor.collapse_shape %b [[0, 1]] : tensor<4x16xf16> into tensor<64xf16>",
        (64,),
        lambda x: np.repeat(x, 16),
    ),
    "three dimensions laid end to end": (
        (2, 4, 16),
        "%m = arith.mulf %l, %l : tensor<2x4x16xf16>\n"
        "%r = tensor.collapse_shape %m [[0, 1, 2]] : tensor<2x4x16xf16> into tensor<128xf16>",
        (128,),
        lambda x: (x * x).reshape(128),
    ),
}


def tile(name: str, shape: tuple[int, ...]) -> tuple[str, str]:
    """Ops that make view and tile of an argument, and the tile's type."""
    sizes = "x".join(map(str, shape))
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    ends = ", ".join(f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(shape))
    strides = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    box = f"affine_set<({dims}) : ({ends})>"
    type = f"!ktdp.access_tile<{sizes}xindex>"
    text = f"""
  %{name}v = ktdp.construct_memory_view %{name}, sizes: {list(shape)}, strides: {strides}
    {{ coordinate_set = {box}, memory_space = #ktdp.memory_space<global> }} : memref<{sizes}xf16>
  %{name}t = ktdp.construct_access_tile %{name}v[{", ".join(["%c0"] * len(shape))}]
    {{ access_tile_set = {box}, access_tile_order = affine_map<({dims}) -> ({dims})> }} : memref<{sizes}xf16> -> {type}"""
    return text, type


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("case", BODIES)
def test_reads_what_numpy_reads(case, device):
    source, body, target, reference = BODIES[case]
    (before, loaded), (behind, stored) = tile("x", source), tile("o", target)
    tensors = ["tensor<" + "x".join(map(str, s)) + "xf16>" for s in (source, target)]
    text = f"""func.func @k(%x: index, %o: index) attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index{before}{behind}
  %l = ktdp.load %xt : {loaded} -> {tensors[0]}
  {body}
  ktdp.store %r, %ot : {tensors[1]}, {stored}
  return
}}"""
    x = np.random.default_rng(1).integers(-9, 9, source).astype(np.float16)
    arguments = {"x": x, "o": np.zeros(target, np.float16)}
    program = kt.compile(kt.parse(text), kt.device(device))
    found = kt.Runtime(kt.device(device)).load(program)(arguments)["o"]
    assert np.array_equal(found, reference(x))
    assert np.array_equal(kt.simulate(kt.parse(text), arguments)["o"], reference(x))
