"""Kernels that are legal and odd: refused with their place, or compiled, whatever their sizes."""

from __future__ import annotations

import numpy as np
import pytest

import kt

T = "tensor<4x8xf16>"


def kernel(lines, start=0, rows=4, stride=8, grid=1):
    """A kernel of ``%a`` and ``%b``, 4x8 f16, that stores ``%r`` to ``%o``; ``%a`` begins at a row."""
    text = f"""#all = affine_set<(i, j) : (i >= 0, -i + {rows - 1} >= 0, j >= 0, -j + 7 >= 0)>
#id = affine_map<(i, j) -> (i, j)>
func.func @f(%a: index, %b: index, %o: index) attributes {{grid = [{grid}]}} {{
  %c0 = arith.constant 0 : index
  %ar = arith.constant {start} : index
"""
    for n, row, step in (("a", "%ar", stride), ("b", "%c0", 8), ("o", "%c0", 8)):
        text += f"""  %{n}v = ktdp.construct_memory_view %{n}, sizes: [4, 8], strides: [{step}, 1]
    {{coordinate_set = #all, memory_space = #ktdp.memory_space<global>}} : memref<4x8xf16>
  %{n}t = ktdp.construct_access_tile %{n}v[{row}, %c0] {{access_tile_set = #all, access_tile_order = #id}}
    : memref<4x8xf16> -> !ktdp.access_tile<4x8xindex>
"""
    text += "".join(f"  %{n}l = ktdp.load %{n}t : !ktdp.access_tile<4x8xindex> -> {T}\n" for n in "ab")
    text += f"{lines}\n  ktdp.store %r, %ot : {T}, !ktdp.access_tile<4x8xindex>\n  return\n}}\n"
    return text.replace("4x8x", f"{rows}x8x").replace("[4, 8]", f"[{rows}, 8]")


ADD = f"  %r = arith.addf %al, %bl : {T}"


def test_tiles_without_elements_are_refused():
    with pytest.raises(kt.KtError, match=r":8:9: the access tile !ktdp.access_tile<0x8xindex> has no elements"):
        kt.compile(kt.parse(kernel(ADD, rows=0)), "toy")


def test_a_tile_that_begins_beyond_all_addresses():
    with pytest.raises(kt.KtError, match="the access tile begins at element 73786976294838206456"):
        kt.compile(kt.parse(kernel(ADD, start=2**63 - 1)), "toy")


def test_a_reduction_that_keeps_its_dimension_is_refused():
    lines = f"""  %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["reduction", "parallel"]}}
      ins(%al : {T}) outs(%bl : {T}) {{
  ^bb0(%x: f16, %y: f16):
    %s = arith.addf %x, %y : f16
    linalg.yield %s : f16
  }} -> {T}"""
    with pytest.raises(kt.KtError, match="d0 is a reduction, but each of its steps has its own element"):
        kt.compile(kt.parse(kernel(lines)), "toy")
    module = kt.parse(kernel(lines.replace("reduction", "parallel")))
    assert kt.check(module, "toy").ok


def test_a_chain_longer_than_the_stack():
    count = 1200
    lines = "".join(
        f"  %{'r' if i == count else f's{i}'} = arith.maximumf %{f's{i - 1}' if i > 1 else 'al'}, %bl : {T}\n"
        for i in range(1, count + 1)
    )
    a, b = (np.random.default_rng(s).standard_normal((4, 8)).astype(np.float16) for s in (1, 2))
    program = kt.compile(kt.parse(kernel(lines)), "toy", verify_each=False)
    found = kt.Runtime(kt.device("toy")).load(program)({"a": a, "b": b, "o": np.zeros_like(a)})
    np.testing.assert_array_equal(found["o"], np.maximum(a, b))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (kernel(ADD, grid=99999999999), "the grid has 99999999999 tiles, more than 1048576 aren't executed"),
        (kernel(ADD, stride=2**62), r"a buffer of shape \[13835058055282163720\] is too large"),
        (
            kernel("  %k = arith.constant dense<0.0> : tensor<99999999999999x99999999xf16>\n" + ADD),
            "a constant of type .* is too large to be executed",
        ),
    ],
)
def test_sizes_that_no_memory_has(text, message):
    with pytest.raises(kt.KtError, match=message):
        kt.simulate(kt.parse(text), {})
