"""What follows a reduction is computed on its accumulators, where that is right and pays."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText, shaped

import kt
from kt.ir.dialects import kt as kt_dialect
from kt.ir.dialects import linalg, scf
from kt.ir.verifier import verify
from kt.passes.analysis.structured import is_pointwise
from kt.passes.base import PassContext
from kt.passes.manager import PassManager
from kt.passes.pipelines import normalise

DEVICES = ["toy", "spyre", "mesh"]


class Product(KernelText):
    """``x @ w`` of small whole numbers, in f32; what follows is up to the test."""

    def __init__(self, m=3, depth=12, n=20, element="f16", bias=False):
        super().__init__(seed=m + depth + n)
        self.shape, self.element = (m, n), element
        x = self.numbers("x", (m, depth), element)
        w = self.numbers("w", (depth, n), element)
        self.x, self.w = self.data["x"].reshape(m, depth), self.data["w"].reshape(depth, n)
        ins = [(self.load(x), shaped("tensor", (m, depth), element)),
               (self.load(w), shaped("tensor", (depth, n), element))]  # fmt: skip
        self.views["x"] = x
        wide = self.f32(self.shape)
        start = self.bias(n) if bias else self.op("arith.constant dense<0.0>", type=wide)
        made = self.new()
        self.line(f"{made} = linalg.matmul ins({', '.join(v for v, _ in ins)} : "
                  f"{', '.join(x for _, x in ins)}) outs({start} : {wide}) -> {wide}")  # fmt: skip
        self.product = made
        self.exact = self.x.astype(np.float32) @ self.w.astype(np.float32)
        self.exact += self.data["bias"].astype(np.float32) if bias else 0

    def bias(self, n):
        value = self.load(self.numbers("bias", (n,), "f16"))
        value = self.op("arith.extf", value, type=shaped("tensor", (n,), "f16"), to=self.f32((n,)))
        return self.linalg("broadcast", [(value, self.f32((n,)))], self.f32(self.shape), " dimensions = [0]")

    @staticmethod
    def f32(shape):
        return shaped("tensor", shape, "f32")

    def numbers(self, name, shape, element):
        view = self.buffer(name, shape, element)
        self.data[name] = self.random.integers(-4, 5, int(np.prod(shape))).astype(self.data[name].dtype)
        return view

    def relu(self, value, shape=None):
        type = self.f32(shape or self.shape)
        zero = self.op("arith.constant dense<0.0>", type=type)
        return self.op("arith.maximumf", value, zero, type=type)

    def half(self, value):
        return self.op("arith.truncf", value, type=self.f32(self.shape), to=shaped("tensor", self.shape, "f16"))

    def out(self, value, element="f16", name="y", **tile):
        self.store(value, self.buffer(name, self.shape, element, fill=False), **tile)


class Sums(KernelText):
    """Row or column sums of f32."""

    def __init__(self, shape, axis):
        super().__init__(seed=sum(shape))
        self.numbers, self.kept = shape, (shape[1 - axis],)
        value = self.load(self.buffer("x", shape, "f32"))
        self.data["x"] = np.round(self.data["x"])
        self.wide, out = shaped("tensor", shape, "f32"), shaped("tensor", self.kept, "f32")
        zero, self.sums = self.op("arith.constant dense<0.0>", type=out), self.new()
        self.line(f"{self.sums} = linalg.reduce {{ arith.addf }} ins({value} : {self.wide}) "
                  f"outs({zero} : {out}) dimensions = [{axis}]")  # fmt: skip
        self.exact = self.data["x"].reshape(shape).sum(axis=axis)

    def mean(self, n):
        type = shaped("tensor", self.kept, "f32")
        count = self.op(f"arith.constant dense<{n}.0>", type=type)
        made = self.op("arith.divf", self.sums, count, type=type)
        self.store(made, self.buffer("y", self.kept, "f32", fill=False))


def fused(kernel, device, options="chunk=0"):
    """The module behind the pass, and its remarks."""
    context = PassContext(device=kt.device(device))
    module = kt.parse(kernel.text)
    PassManager([*normalise(), f"reduction-dim-chunking{{{options}}}"]).run(module, context)
    remarks = len(context.remarks)
    PassManager(["fuse-epilogues"]).run(module, context)
    verify(module)
    return module, [r.message for r in context.remarks[remarks:]]


def buffers(module):
    return sum(isinstance(op, kt_dialect.BufferOp) for op in module.walk())


def epilogues(module):
    """Elementwise ops that take the result of a reduction as it is."""
    return [
        op
        for op in module.walk_type(linalg.GenericOp)
        if is_pointwise(op)
        and any(isinstance(v.defining_op, linalg.GenericOp) and not is_pointwise(v.defining_op) for v in op.inputs)
    ]


def run(kernel, device, programs):
    """What the compiled kernel leaves behind; it must have so many programs."""
    made = kt.Runtime(kt.device(device)).load(kt.compile(kt.parse(kernel.text), device))
    found = made({n: a.copy() for n, a in kernel.data.items()})
    assert made.last.programs == programs
    return found


def same(kernel, device, mode="capacity"):
    report = kt.check(kt.parse(kernel.text), device, kernel.data, mode=mode)
    assert report.failed is None, report.failed


# -- fused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
def test_activation_and_rounding(device):
    k = Product()
    k.out(k.half(k.relu(k.product)))
    module, remarks = fused(k, device)
    assert buffers(module) == 0 and len(epilogues(module)) == 1
    assert remarks == ["computed on the accumulators of the reduction before it"]
    wanted = np.maximum(k.exact, 0).astype(np.float16)
    assert np.array_equal(run(k, device, 1)["y"].reshape(k.shape), wanted)
    same(k, device, "upstream")


@pytest.mark.parametrize("device", DEVICES)
def test_a_sum_is_rounded_before_it_is_scaled(device):
    """f16 sums: accumulated in f32, rounded to f16, then multiplied in f16."""
    k = KernelText()
    shape, half = (20, 9), shaped("tensor", (9,), "f16")
    value = k.load(k.buffer("x", shape, "f16"))
    k.data["x"] = k.random.integers(-40, 41, 180).astype(np.float16)
    zero, total = k.op("arith.constant dense<0.0>", type=half), k.new()
    k.line(f"{total} = linalg.reduce {{ arith.addf }} ins({value} : {shaped('tensor', shape, 'f16')}) "
           f"outs({zero} : {half}) dimensions = [0]")  # fmt: skip
    scale = k.op("arith.constant dense<0.1>", type=half)
    k.store(k.op("arith.mulf", total, scale, type=half), k.buffer("y", (9,), "f16", fill=False))
    exact = k.data["x"].reshape(shape).astype(np.float32).sum(axis=0).astype(np.float16)
    assert np.array_equal(run(k, device, 1)["y"].reshape(9), exact * np.float16(0.1))
    same(k, device)


def biased(k):
    """``relu(x @ w + bias) * factor + residual``"""
    m, n = k.shape
    bias = k.load(k.numbers("bias", (n,), "f32"))
    rows = k.load(k.numbers("rows", (m,), "f32"))
    rest = k.load(k.numbers("rest", (m, n), "f16"))
    wide = k.f32((m, n))
    for value, shape, axis in ((bias, (n,), 0), (rows, (m,), 1)):
        spread = k.linalg("broadcast", [(value, k.f32(shape))], wide, f" dimensions = [{axis}]")
        k.product = k.op("arith.mulf", k.product, spread, type=wide)
    factor = k.op("tensor.splat", k.scalar("s", "f32", np.float32(2.0)), type=wide)
    result = k.op("arith.mulf", k.relu(k.product), factor, type=wide)
    rest = k.op("arith.extf", rest, type=shaped("tensor", (m, n), "f16"), to=wide)
    k.out(k.half(k.op("arith.addf", result, rest, type=wide)))
    data = {name: k.data[name].astype(np.float32) for name in ("bias", "rows", "rest")}
    scaled = k.exact * data["bias"] * data["rows"][:, None]
    return (np.maximum(scaled, 0) * 2 + data["rest"].reshape(m, n)).astype(np.float16)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(3, 7, 33), (4, 1, 1)])
def test_bias_rows_residual(device, shape):
    k = Product(*shape)
    wanted = biased(k)
    module, _ = fused(k, device)
    assert buffers(module) == 0 and len(epilogues(module)[0].inputs) == 4
    assert np.array_equal(run(k, device, 1)["y"].reshape(k.shape), wanted)
    same(k, device)


@pytest.mark.parametrize("device", ["toy", "mesh"])
def test_two_products_meet(device):
    """The second one takes the first from a buffer."""
    k = Product()
    w = k.load(k.numbers("v", (12, 20), "f16"))
    x = k.load(k.views["x"])
    wide, zero, other = k.f32(k.shape), k.op("arith.constant dense<0.0>", type=k.f32(k.shape)), k.new()
    k.line(f"{other} = linalg.matmul ins({x}, {w} : tensor<3x12xf16>, tensor<12x20xf16>) "
           f"outs({zero} : {wide}) -> {wide}")  # fmt: skip
    k.out(k.op("arith.mulf", k.relu(k.product), other, type=wide), "f32")
    module, remarks = fused(k, device)
    assert buffers(module) == 1 and len(remarks) == 1
    second = k.x.astype(np.float32) @ k.data["v"].reshape(12, 20).astype(np.float32)
    wanted = np.maximum(k.exact, 0) * second
    assert np.array_equal(run(k, device, 2)["y"].reshape(k.shape), wanted)
    same(k, device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("chunk", [4, 5])
def test_only_the_last_chunk_ends_that_way(device, chunk):
    k = Product()
    k.out(k.half(k.relu(k.product)))
    module, _ = fused(k, device, f"chunk={chunk}")
    assert buffers(module) == 1
    (last,) = epilogues(module)
    assert last.parent_of_type(scf.ForOp) is None
    assert last.inputs[0].defining_op.inputs[0].type.shape == (3, 12 % chunk or chunk)
    loops = list(module.walk_type(scf.ForOp))
    assert len(loops) == 1 and any(isinstance(op, linalg.GenericOp) for op in loops[0].walk())


def test_a_long_product_on_a_small_device():
    """8 KiB of scratchpad: chunks, and relu behind the last of them alone."""
    k = Product(2, 150, 9)
    k.out(k.half(k.relu(k.product)))
    assert len(epilogues(fused(k, "toy")[0])) == 1
    loaded = kt.Runtime(kt.device("toy")).load(kt.compile(kt.parse(k.text), "toy"))
    wanted = np.maximum(k.exact, 0).astype(np.float16)
    assert np.array_equal(loaded(k.data)["y"].reshape(k.shape), wanted)
    same(k, "toy")


@pytest.mark.parametrize("device", DEVICES)
def test_a_bias_is_the_start(device):
    """``x @ w + bias``: the bias is spread over the rows and widened in registers."""
    k = Product(4, 9, 20, bias=True)
    k.out(k.half(k.relu(k.product)))
    module, remarks = fused(k, device)
    assert buffers(module) == 0 and len(remarks) == 2
    wanted = np.maximum(k.exact, 0).astype(np.float16)
    assert np.array_equal(run(k, device, 1)["y"].reshape(k.shape), wanted)
    same(k, device)


def accumulated(k, start):
    """A third product that starts from a tensor, stored over ``x``."""
    wide, made = k.f32(k.shape), k.new()
    x, w = k.load(k.numbers("a", (8, 8), "f32")), k.load(k.numbers("b", (8, 8), "f32"))
    k.line(f"{made} = linalg.matmul ins({x}, {w} : {wide}, {wide}) outs({start} : {wide}) -> {wide}")
    return made, k.data["a"].reshape(8, 8) @ k.data["b"].reshape(8, 8)


@pytest.mark.parametrize("device", DEVICES)
def test_a_scaled_start_in_place(device):
    """``x := 2 x + a @ b``: every vector of x is read before it is written."""
    k = KernelText()
    k.shape, k.f32, k.numbers = (8, 8), Product.f32, lambda *a: Product.numbers(k, *a)
    view = k.numbers("x", (8, 8), "f32")
    x = k.load(view)
    made, product = accumulated(k, k.op("arith.addf", x, x, type=k.f32((8, 8))))
    k.store(made, view)
    assert buffers(fused(k, device)[0]) == 0
    wanted = 2 * k.data["x"].reshape(8, 8) + product
    assert np.array_equal(run(k, device, 1)["x"].reshape(8, 8), wanted)
    same(k, device)


def test_a_start_that_is_stored_too():
    k = KernelText()
    k.shape, k.f32, k.numbers = (8, 8), Product.f32, lambda *a: Product.numbers(k, *a)
    x = k.load(k.numbers("x", (8, 8), "f32"))
    twice = k.op("arith.addf", x, x, type=k.f32((8, 8)))
    made, _ = accumulated(k, twice)
    k.store(twice, k.buffer("z", (8, 8), "f32", fill=False))
    k.store(made, k.buffer("y", (8, 8), "f32", fill=False))
    module, _ = fused(k, "toy")
    assert buffers(module) == 1
    same(k, "toy")


# -- not fused ---------------------------------------------------------------------------------------


def kept_apart(k, device):
    """How many epilogues the pass makes of a kernel, whose meaning stays, and what it says about others."""
    module, remarks = fused(k, device)
    same(k, device)
    return len(epilogues(module)), remarks


def test_a_result_with_a_second_user():
    k = Product()
    k.out(k.product, "f32", "z")
    k.out(k.half(k.relu(k.product)))
    made, remarks = kept_apart(k, "toy")
    assert made == 0
    assert ["used elsewhere, too" in r for r in remarks] == [True]


def test_an_elementwise_result_that_another_reduction_needs():
    """It is computed where it is needed, over other points."""
    k = Product()
    half = shaped("tensor", k.shape, "f16")
    rounded, total = k.half(k.relu(k.product)), k.new()
    low = k.op("arith.constant dense<0xFC00>", type=shaped("tensor", (3,), "f16"))
    k.line(f"{total} = linalg.reduce {{ arith.maximumf }} ins({rounded} : {half}) "
           f"outs({low} : tensor<3xf16>) dimensions = [1]")  # fmt: skip
    k.store(total, k.buffer("z", (3,), "f16", fill=False))
    k.out(rounded)
    made, remarks = kept_apart(k, "toy")
    assert made == 0
    assert ["used elsewhere, too" in r for r in remarks] == [True]


def test_two_results():
    k = Product()
    value = k.relu(k.product)
    k.out(k.half(value))
    k.out(value, "f32", "z")
    module, _ = fused(k, "toy")
    assert not epilogues(module)
    found = run(k, "toy", 2)
    assert np.array_equal(found["z"].reshape(k.shape), np.maximum(k.exact, 0))
    assert np.array_equal(found["y"].reshape(k.shape), np.maximum(k.exact, 0).astype(np.float16))


def test_too_many_registers():
    """256 bytes hold 16 vectors of f32: of a sum with 20 operands only a part is an epilogue."""
    k = Product(2, 4, 8)
    value, wanted = k.product, k.exact
    for i in range(20):
        more = k.load(k.numbers(f"x{i}", k.shape, "f32"))
        value = k.op("arith.addf", value, more, type=k.f32(k.shape))
        wanted = wanted + k.data[f"x{i}"].reshape(k.shape)
    k.out(value, "f32")
    found = {device: fused(k, device)[0] for device in ("toy", "spyre")}
    assert [buffers(module) for module in found.values()] == [1, 0]
    assert all(len(epilogues(module)) == 1 for module in found.values())
    assert np.array_equal(run(k, "toy", 2)["y"].reshape(k.shape), wanted)


def test_types_that_would_shorten_the_vectors():
    """A maximum of f16 takes 64 at a time, f32 behind it 32."""
    k = KernelText()
    value, half = k.load(k.buffer("x", (30, 70), "f16")), shaped("tensor", (70,), "f16")
    low, most = k.op("arith.constant dense<0xFC00>", type=half), k.new()
    k.line(f"{most} = linalg.reduce {{ arith.maximumf }} ins({value} : {shaped('tensor', (30, 70), 'f16')}) "
           f"outs({low} : {half}) dimensions = [0]")  # fmt: skip
    wide = k.op("arith.extf", most, type=half, to=shaped("tensor", (70,), "f32"))
    twice = k.op("arith.addf", wide, wide, type=shaped("tensor", (70,), "f32"))
    k.store(twice, k.buffer("y", (70,), "f32", fill=False))
    made, remarks = kept_apart(k, "spyre")
    assert made == 0
    assert ["leave vectors 32 lanes, and the reduction has 64" in r for r in remarks] == [True]


def test_a_store_over_the_operands():
    k = Product(8, 8, 8, "f32")
    k.store(k.relu(k.product), k.views["x"])
    made, remarks = kept_apart(k, "toy")
    assert made == 0
    assert ["its store may overwrite an operand" in r for r in remarks] == [True]
    assert np.array_equal(run(k, "toy", 2)["x"].reshape(8, 8), np.maximum(k.exact, 0))


def test_a_store_in_between():
    """What the reduction read is overwritten before the elementwise op is stored."""
    k = Product(8, 8, 8, "f32")
    value = k.op("arith.negf", k.load(k.buffer("r", (8, 8), "f32")), type=k.f32((8, 8)))
    result = k.relu(k.product)
    k.store(value, k.views["x"])
    k.out(result, "f32")
    module, remarks = fused(k, "toy")
    assert not epilogues(module) and "a store in between may overwrite an operand" in remarks[0]
    found = kt.Runtime(kt.device("toy")).load(kt.compile(kt.parse(k.text), "toy"))(k.data)
    assert np.array_equal(found["y"].reshape(8, 8), np.maximum(k.exact, 0))


@pytest.mark.parametrize(("rows", "expected"), [(2, 1), (300, 0)])
def test_one_element_at_a_time(rows, expected):
    """Rows are summed along the lanes: then many divisions of single elements aren't worth it."""
    k = Sums((rows, 40), 1)
    k.mean(40)
    module, remarks = fused(k, "spyre")
    assert len(epilogues(module)) == expected
    assert expected or "for one element at a time" in remarks[0]
    assert np.array_equal(run(k, "spyre", 2 - expected)["y"], k.exact / np.float32(40))
    same(k, "spyre")


@pytest.mark.parametrize("device", DEVICES)
def test_means_of_columns(device):
    k = Sums((20, 300), 0)
    k.mean(20)
    assert np.array_equal(run(k, device, 1)["y"], k.exact / np.float32(20))
    same(k, device)


def test_everything_is_reduced():
    """One element, which has no loops of its own."""
    k = KernelText()
    value = k.load(k.buffer("x", (100,), "f32"))
    k.data["x"] = np.round(k.data["x"])
    zero, total = k.op("arith.constant dense<0.0>", type="tensor<f32>"), k.new()
    k.line(f"{total} = linalg.reduce {{ arith.addf }} ins({value} : tensor<100xf32>) "
           f"outs({zero} : tensor<f32>) dimensions = [0]")  # fmt: skip
    half = k.op("arith.constant dense<0.5>", type="tensor<f32>")
    k.store(k.op("arith.mulf", total, half, type="tensor<f32>"), k.buffer("y", (), "f32", fill=False))
    assert run(k, "spyre", 1)["y"].reshape(()) == k.data["x"].sum() / 2
    same(k, "spyre")


@pytest.mark.parametrize("device", DEVICES)
def test_axes_of_extent_one(device):
    """A product becomes one slice of a larger buffer, rounded."""
    k = Product()
    m, n = k.shape
    wide, half = shaped("tensor", (1, m, 1, n), "f32"), shaped("tensor", (1, m, 1, n), "f16")
    value = k.new()
    k.line(f"{value} = tensor.expand_shape {k.product} [[0, 1], [2, 3]] output_shape [1, {m}, 1, {n}] : "
           f"{k.f32(k.shape)} into {wide}")  # fmt: skip
    value = k.op("arith.truncf", value, type=wide, to=half)
    k.store(value, k.buffer("y", (2, m, 1, n), "f16", fill=False), (1, m, 1, n), [1, 0, 0, 0])
    found = run(k, device, 1)["y"].reshape(2, m, n)
    assert np.array_equal(found, [np.zeros_like(k.exact), k.exact.astype(np.float16)])
    same(k, device)


def test_a_single_sum_is_stored_as_a_matrix():
    k = KernelText()
    value = k.load(k.buffer("x", (30,), "f32"))
    k.data["x"] = np.round(k.data["x"])
    zero, total = k.op("arith.constant dense<0.0>", type="tensor<f32>"), k.new()
    k.line(f"{total} = linalg.reduce {{ arith.addf }} ins({value} : tensor<30xf32>) "
           f"outs({zero} : tensor<f32>) dimensions = [0]")  # fmt: skip
    wide = k.linalg("broadcast", [(total, "tensor<f32>")], "tensor<1x1xf32>", " dimensions = [0, 1]")
    twice = k.op("arith.addf", wide, wide, type="tensor<1x1xf32>")
    k.store(twice, k.buffer("y", (1, 1), "f32", fill=False))
    assert run(k, "toy", 1)["y"] == k.data["x"].sum() * 2
    same(k, "toy")
