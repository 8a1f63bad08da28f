"""Kernels written in Python mean what NumPy says."""

from __future__ import annotations

import numpy as np
import pytest

import kt
from kt.ir.diagnostics import KtError
from kt.kernels import kernel


def run(made, **arrays):
    return kt.simulate(made.module, arrays)


def normal(*shape, dtype=np.float16):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def test_addition_on_tiles():
    @kernel(grid=4, x="f16[32, 64]", y="f16[32, 64]", out="f16[32, 64]")
    def add(tile, x, y, out):
        rows = tile * 8
        out[rows:8, 0:64] = x[rows:8, 0:64] + y[rows:8, 0:64]

    x, y = normal(32, 64), normal(32, 64)
    assert np.array_equal(run(add, x=x, y=y, out=np.zeros_like(x))["out"], x + y)


def test_softmax():
    @kernel(grid=2, x="f16[8, 32]", out="f16[8, 32]")
    def softmax(tile, x, out):
        rows = tile * 4
        out[rows:4, :] = kt.ops.softmax(x[rows:4, :])

    x = normal(8, 32)
    wide = x.astype(np.float64)
    wanted = np.exp(wide - wide.max(1, keepdims=True))
    wanted /= wanted.sum(1, keepdims=True)
    found = run(softmax, x=x, out=np.zeros_like(x))["out"]
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-4)


def test_matrix_product_with_bias_and_relu():
    @kernel(x="f16[8, 16]", w="f16[16, 32]", bias="f32[32]", out="f32[8, 32]")
    def linear(tile, x, w, bias, out):
        out[:, :] = kt.ops.relu(x[:, :] @ w[:, :] + bias[:])

    x, w, bias = normal(8, 16), normal(16, 32), normal(32, dtype=np.float32)
    wanted = np.maximum(x.astype(np.float32) @ w.astype(np.float32) + bias, 0)
    found = run(linear, x=x, w=w, bias=bias, out=np.zeros((8, 32), np.float32))["out"]
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


def test_loops_and_dynamic_rows():
    @kernel(grid=3, x="f16[n, 64]", out="f16[n, 64]", n="index")
    def double(tile, x, out, n):
        for row in tile.range(tile, n, 3):
            out[row:1, 0:64] = x[row:1, 0:64] * 2

    x = normal(10, 64)
    assert np.array_equal(run(double, x=x, out=np.zeros_like(x), n=10)["out"], x * np.float16(2))


@pytest.mark.parametrize(("op", "numpy"), [("sum", np.sum), ("max", np.max), ("min", np.min), ("mean", np.mean)])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions(op, numpy, axis):
    size = (16, 8)[axis]

    @kernel(x="f32[8, 16]", out=f"f32[{size}]")
    def reduce(tile, x, out):
        out[:] = getattr(x[:, :], op)(axis)

    x = normal(8, 16, dtype=np.float32)
    found = run(reduce, x=x, out=np.zeros(size, np.float32))["out"]
    np.testing.assert_allclose(found, numpy(x, axis=axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("exp", np.exp), ("tanh", np.tanh), ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
        ("silu", lambda x: x / (1 + np.exp(-x))), ("relu", lambda x: np.maximum(x, 0)),
        ("rms_norm", lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)),
    ],
)  # fmt: skip
def test_functions(name, wanted):
    @kernel(x="f32[4, 8]", out="f32[4, 8]")
    def apply(tile, x, out):
        out[:, :] = getattr(kt.ops, name)(x[:, :])

    x = normal(4, 8, dtype=np.float32)
    found = run(apply, x=x, out=np.zeros_like(x))["out"]
    np.testing.assert_allclose(found, wanted(x.astype(np.float64)), rtol=1e-5, atol=1e-6)


def test_it_compiles_for_a_device():
    @kernel(grid=8, x="f16[96, 64]", y="f16[96, 64]", out="f16[96, 64]")
    def mul(tile, x, y, out):
        out[tile * 12 : 12, :] = x[tile * 12 : 12, :] * y[tile * 12 : 12, :]

    device = kt.device("toy")
    loaded = kt.Runtime(device).load(kt.compile(mul.module, device))
    x, y = normal(96, 64), normal(96, 64)
    found = loaded({"x": x, "y": y, "out": np.zeros_like(x)})
    assert np.array_equal(found["out"], x * y)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda tile, x, out: out[0:8], "has 2 dimensions"),
        (lambda tile, x, out: x[0:tile, :], "must be a number"),
        (lambda tile, x, out: x[0:2, :] + x[0:3, :], "don't fit"),
        (lambda tile, x, out: x[:, :] @ x[:, :], "has no meaning"),
        (lambda tile, x, out: x[:, :] + x[:, :].astype("f32"), "don't mix"),
        (lambda tile, x, out: tile + 0.5, "is no index"),
    ],
)
def test_refusals(body, message):
    with pytest.raises(KtError, match=message):
        kernel(x="f16[8, 16]", out="f16[8, 16]")(body)


def test_a_strange_parameter_is_refused():
    with pytest.raises(KtError, match="neither"):
        kernel(x="f16")(lambda tile, x: None)


SQUARE = {"x": "f16[16, 64]", "z": "f16[16, 64]"}


def built(body: str, grid=1, **parameters: str):
    """A kernel with a body of one line or more."""
    names: dict = {"kt": kt, "np": np}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    exec(f"def made(tile, {', '.join(parameters)}):\n{lines}", names)
    return kernel(grid=grid, **parameters)(names["made"])


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("if tile == 0:\n    z[:, :] = x[:, :]", "can't decide by %tile", "tile.range"),
        ("if tile < 1:\n    z[:, :] = x[:, :]", "can't decide by %tile", "tile.range"),
        ("if x[:, :]:\n    z[:, :] = x[:, :]", "can't decide by %x_", "kt.ops.maximum"),
        ("z[:, :] = np.exp(x[:, :])", "np.exp can't be used", "kt.ops.exp"),
        ("z[tile / 2:4, :] = x[0:4, :]", "would be no integer", "//"),
        ("for i in range(tile):\n    z[i:1, :] = x[i:1, :]", "%tile is no number yet", "tile.range"),
        ("z[0:tile, :] = x[0:4, :]", "must be a number, not %tile", "only the start"),
        ("z[0:17, :] = x[0:17, :]", "coordinates 0 to 16 leave a dimension of 'x', which has 16", "start:size"),
        ("z[-4:4, :] = x[0:4, :]", "coordinates -4 to -1", "start:size"),
        ("z[:, :] = x + 1.0", "'x' lies in memory", "x[:, :]"),
        ("z = x[:, :]", "stores nothing", "out[:, :]"),
    ],
)
def test_what_a_function_can_not_say_is_refused_with_the_way_out(body, message, hint):
    with pytest.raises(KtError) as caught:
        built(body, **SQUARE)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": 0}, "the grid 0 is no number of tiles"),
        ({"grid": "4"}, "the grid '4'"),
        ({"x": "float16[16, 64]"}, "'float16' is no element type"),
        ({"x": "f16[m, 64]"}, "the size 'm' is neither a number nor an index parameter"),
    ],
)
def test_strange_descriptions_are_refused(options, message):
    with pytest.raises(KtError, match=message.replace("[", "\\[")):
        built("z[:, :] = x[:, :]", **{**SQUARE, **options})


def test_parameters_and_descriptions_must_agree():
    with pytest.raises(KtError, match="takes x, z behind the tile, but the decorator describes x") as caught:
        kernel(x="f16[4]")(lambda tile, x, z: None)
    assert "describe each parameter once" in (caught.value.hint or "")


def test_numbers_of_numpy_combine_with_tiles():
    made = built("z[:, :] = np.float16(2) * x[:, :] - np.float64(1)", **SQUARE)
    x = np.random.default_rng(3).standard_normal((16, 64)).astype(np.float16)
    found = kt.simulate(made, {"x": x})["z"]
    np.testing.assert_array_equal(found, x * np.float16(2) - np.float16(1))


def test_the_functions_of_kt_take_kernels():
    made = built("z[:, :] = x[:, :]", **SQUARE)
    assert kt.compile(made, "toy").metadata["kernel"] == "made"
    assert kt.check(made, "toy").ok
    assert "no difference" in str(kt.diff(made, made))
    with pytest.raises(KtError, match="a str is no module"):
        kt.compile(made.text, "toy")  # type: ignore[arg-type]


ROWS = {"n": "index", "x": "f16[n, 64]", "z": "f16[n, 64]"}


def twice():
    """A kernel whose description is in another order than its function."""

    def twice(tile, x, z, n):
        for row in tile.range(n):
            z[row:1, :] = x[row:1, :] * 2

    return kernel(**ROWS)(twice)


@pytest.mark.parametrize("place", ["meaning", "device"])
def test_a_kernel_is_called_in_the_order_of_its_function_or_by_name(place):
    made = twice()
    call = made if place == "meaning" else kt.Runtime("toy").load(kt.compile(made, "toy"))
    x = normal(3, 64)
    z = np.zeros_like(x)
    calls = [call(x, z, 3), call(x, z, n=3), call(x=x, z=z, n=3), call({"x": x, "z": z}, n=3), call([x, z, 3])]
    for found in calls:
        assert np.array_equal(found["z"], x * 2)


@pytest.mark.parametrize("place", ["meaning", "device"])
@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((1, 2), {}, "expected 3 arguments, got 2"),
        ((1, 2, 3, 4), {}, "expected 3 arguments, got 4"),
        ((), {"x": 1, "z": 1}, "needs argument 'n'"),
        ((1, 2), {"x": 1}, "'x' is given twice"),
        (({"x": 1},), {"x": 1}, "'x' is given twice"),
        ((1, 2), {"m": 1}, "has no argument 'm'"),
    ],
)
def test_calls_that_do_not_fit_are_refused(place, arguments, named, message):
    made = twice()
    call = made if place == "meaning" else kt.Runtime("toy").load(kt.compile(made, "toy"))
    with pytest.raises(KtError, match=message) as caught:
        call(*arguments, **named)
    assert "arguments are: x, z, n" in (caught.value.hint or "")


@pytest.mark.parametrize("given", [(4, "f16[4]"), (lambda tile, x: None,)])
def test_descriptions_without_names_are_refused(given):
    with pytest.raises(KtError) as caught:
        kernel(*given)(lambda tile, x: None)
    assert "x=\"f16[96, 64]\"" in (caught.value.hint or "")


def test_arrays_of_numpy_are_no_part_of_a_kernel():
    with pytest.raises(KtError, match="np\\.multiply can't be used in a kernel"):
        built("z[:, :] = np.ones((16, 64)) * x[:, :]", **SQUARE)
