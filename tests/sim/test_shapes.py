"""What may be given for an argument: arrays that lie as the kernel sees them, and integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernel_lines import load, numbers, run, store, view

import kt
from kt.sim.shapes import Layout


@kt.kernel(grid=4, x="f16[n, 64]", out="f16[n, 64]", n="index", scale="f16[64]")
def scaled(tile: Any, x: Any, out: Any, n: Any, scale: Any) -> None:
    for row in tile.range(tile * 2, n, 8):
        out[row:2, :] = x[row:2, :] * scale[:]


X = (np.arange(18 * 64) % 97).reshape(18, 64).astype(np.float16)
SCALE = (np.arange(64) % 5).astype(np.float16)
"""All products are whole numbers below 2048: exact."""


def executed(**given: Any) -> Any:
    return kt.simulate(scaled.module, given)["out"]


def launched(**given: Any) -> Any:
    runtime = kt.Runtime(kt.device("toy"))
    return runtime.load(kt.compile(scaled.module, runtime.device))(given)["out"]


Call = Callable[..., Any]
both = pytest.mark.parametrize("call", [executed, launched])


@both
@pytest.mark.parametrize(
    "given",
    [
        X,
        X.reshape(-1),
        X[None],
        X.reshape(3, 6, 64),
        X.reshape(18, 4, 16),
        np.asfortranarray(X),
        np.vstack([X, X]),
        np.hstack([X, X])[:, :64],
    ],
    ids=["exact", "flat", "one-more", "split-rows", "split-columns", "fortran", "larger", "slice"],
)
def test_arrays_that_lie_as_the_view(call: Call, given: np.ndarray) -> None:
    found = call(x=given, out=np.zeros_like(X), n=18, scale=SCALE)
    assert np.array_equal(found, X * SCALE)


@both
@pytest.mark.parametrize(
    ("given", "hint"),
    [(X.T, "x.T"), (np.zeros((20, 80), np.float16), "reshape"), (X.reshape(36, 32), "reshape")],
    ids=["transposed", "wider", "narrower"],
)
def test_arrays_that_would_be_misread(call: Call, given: np.ndarray, hint: str) -> None:
    text = rf"argument 'x' has shape \[{given.shape[0]}, {given.shape[1]}\], .* \[(18|\?), 64\]"
    with pytest.raises(kt.KtError, match=text) as error:
        call(x=given, out=np.zeros_like(X), n=18, scale=SCALE)
    assert hint in (error.value.hint or "")


def test_a_resident_tensor_of_another_shape() -> None:
    runtime = kt.Runtime(kt.device("toy"))
    kernel = runtime.load(kt.compile(scaled.module, runtime.device))
    tensor = runtime.tensor(X.T)
    with pytest.raises(kt.KtError, match=r"'x' has shape \[64, 18\]"):
        kernel(x=tensor, out=np.zeros_like(X), n=18, scale=SCALE)


def test_a_square_transpose_is_read_as_numpy_reads_it() -> None:
    square = np.arange(64.0 * 64).reshape(64, 64).astype(np.float16)
    out, ones = np.zeros_like(square), np.ones(64, np.float16)
    assert np.array_equal(launched(x=square.T, out=out, n=64, scale=ones), square.T)


def copy(strides: list[int]) -> str:
    """A kernel that copies 4×6 elements, which lie in ``x`` with these strides."""
    return f"""func.func @f(%x: index, %y: index) {{
      %c0 = arith.constant 0 : index
      %v = {view("%x", [4, 6], strides=strides)}
      %w = {view("%y", [4, 6])}
      {load("%t", "%v", "%c0, %c0", [4, 6], [4, 6])}
      {store("%t", "%w", "%c0, %c0", [4, 6], [4, 6])}
      return
    }}"""


def test_views_with_strides_of_their_own() -> None:
    x, y = numbers(6, 4), np.zeros((4, 6), np.float32)
    assert np.array_equal(run(copy([1, 4]), {"x": x, "y": y})["y"], x.T)
    with pytest.raises(kt.KtError, match=r"shape \[4, 6\], but the kernel's view of it \[4, 6\]"):
        run(copy([1, 4]), {"x": x.T, "y": y})
    padded = numbers(8, 10)
    assert np.array_equal(run(copy([10, 1]), {"x": padded, "y": y})["y"], padded[:4, :6])
    assert np.array_equal(run(copy([20, 1]), {"x": padded, "y": y})["y"], padded[::2, :6])


def test_layouts() -> None:
    rows = Layout.dense((-1, 64))
    assert rows.strides == (64, 1)
    taken = [(7, 64), (2, 7, 64), (7, 64, 1), (448,), (7, 2, 32)]
    assert [shape for shape in taken if not rows.takes(Layout.dense(shape))] == []
    refused = [(64, 7), (7, 65), (20, 80), (14, 32), (2, 7, 65)]
    assert [shape for shape in refused if rows.takes(Layout.dense(shape))] == []


@both
@pytest.mark.parametrize("n", [18, np.int64(18), np.uint8(18), np.array(18)])
def test_integers(call: Call, n: Any) -> None:
    found = call(x=X, out=np.zeros_like(X), n=n, scale=SCALE)
    assert np.array_equal(found, X * SCALE)


@both
@pytest.mark.parametrize("n", [18.0, np.float32(18), np.array(18.0), np.True_, "18", None])
def test_numbers_that_are_no_integers(call: Call, n: Any) -> None:
    with pytest.raises(kt.KtError, match=r"argument 'n' is an integer \(index\), got"):
        call(x=X, out=np.zeros_like(X), n=n, scale=SCALE)
