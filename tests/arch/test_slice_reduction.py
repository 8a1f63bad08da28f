"""``spyreop.slice_reduction``: slices as wide as each device says, before and after lowering."""

from __future__ import annotations

import numpy as np
import pytest

import kt
from kt.arch import shipped_devices
from kt.ir.diagnostics import KtError

ROWS, LANES = 3, 64
KINDS = {
    "add": np.sum,
    "mul": np.prod,
    "max": np.max,
    "min": np.min,
    "abs_max": lambda v, axis: np.max(np.abs(v), axis),
    "sub": lambda v, axis: 2 * np.take(v, 0, axis) - np.sum(v, axis),
}


def kernel(kind: str, scope: str, element: str = "f16", lanes: int = LANES) -> str:
    tile = f"!ktdp.access_tile<{ROWS}x{lanes}xindex>"
    tensor, memory = f"tensor<{ROWS}x{lanes}x{element}>", f"memref<{ROWS}x{lanes}x{element}>"
    views = "\n".join(
        f"""  %{n}v = ktdp.construct_memory_view %{n}, sizes: [{ROWS}, {lanes}], strides: [{lanes}, 1]
    {{ coordinate_set = #box, memory_space = #ktdp.memory_space<global> }} : {memory}
  %{n}t = ktdp.construct_access_tile %{n}v[%c0, %c0] {{ access_tile_set = #box, access_tile_order = #id }} : {memory} -> {tile}"""
        for n in "xo"
    )
    return f"""#id = affine_map<(i, j) -> (i, j)>
#box = affine_set<(i, j) : (i >= 0, -i + {ROWS - 1} >= 0, j >= 0, -j + {lanes - 1} >= 0)>
func.func @k(%x: index, %o: index) attributes {{grid = [1]}} {{
  %c0 = arith.constant 0 : index
{views}
  %l = ktdp.load %xt : {tile} -> {tensor}
  %r = spyreop.slice_reduction %l {{reduction_kind = #spyreop.reduction_kind<{kind}>, reduction_scope = #spyreop.reduction_scope<{scope}>}} : {tensor} -> {tensor}
  ktdp.store %r, %ot : {tensor}, {tile}
  return
}}"""


def run(text: str, device: kt.Device, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The output by the kernel's own meaning, and that of the artifact."""
    arguments = {"x": x, "o": np.zeros_like(x)}
    meant = kt.simulate(kt.parse(text), arguments, device=device)["o"]
    program = kt.compile(kt.parse(text), device)
    return meant, kt.Runtime(device).load(program)(arguments)["o"]


CASES = [("toy", kind) for kind in KINDS]
CASES += [(name, kind) for name in shipped_devices() if name != "toy" for kind in ("abs_max", "sub")]


@pytest.mark.parametrize("scope", ["in_slice", "across_slice"])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_same_before_and_after_lowering(name, kind, scope):
    device = kt.device(name)
    width = device.compute_units[0].op.attr("kt.slice_lanes").value
    low, high = (-3, 4) if kind != "mul" else (1, 3)
    x = np.random.default_rng(1).integers(low, high, (ROWS, LANES)).astype(np.float16)
    if kind == "mul":
        x = np.where(np.arange(LANES) % 7 == 0, x, np.float16(1))  # products stay exact
    meant, found = run(kernel(kind, scope), device, x)
    slices = x.astype(np.float64).reshape(ROWS, -1, width)
    axis = -1 if scope == "in_slice" else -2
    exact = np.expand_dims(KINDS[kind](slices, axis=axis), axis)
    exact = np.broadcast_to(exact, slices.shape).reshape(ROWS, LANES)
    assert np.array_equal(meant, exact)
    assert np.array_equal(found, exact)


def test_integers():
    x = np.random.default_rng(1).integers(-99, 99, (ROWS, LANES)).astype(np.int32)
    meant, found = run(kernel("abs_max", "in_slice", "i32"), kt.device("toy"), x)
    exact = np.repeat(np.abs(x).reshape(ROWS, -1, 4).max(-1), 4, axis=-1)
    assert np.array_equal(meant, exact)
    assert np.array_equal(found, exact)


def test_without_a_device_the_width_is_unknown():
    x = np.ones((ROWS, LANES), np.float16)
    with pytest.raises(KtError, match="width of its slices") as caught:
        kt.simulate(kt.parse(kernel("add", "in_slice")), {"x": x, "o": x})
    assert caught.value.location.line == 12  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("scope", "lanes", "message"),
    [
        ("in_slice", 62, "whole slices of 4"),
        ("across_slice_fma16", LANES, "no public meaning"),
    ],
)
def test_what_has_no_schedule(scope, lanes, message):
    with pytest.raises(KtError, match=message) as caught:
        kt.compile(kt.parse(kernel("add", scope, lanes=lanes)), kt.device("toy"))
    assert caught.value.location.line == 12  # type: ignore[union-attr]
