"""Reductions and contractions: any shape, any axes, any combiner, down to the decoded artifact."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText, shaped

import kt

IDENTITY = {"arith.addf": "0.0", "arith.maximumf": "0xFF800000", "arith.minimumf": "0x7F800000"}
FOLD = {"arith.addf": np.add, "arith.maximumf": np.maximum, "arith.minimumf": np.minimum}


def reduction(shape, axes, element="f32", combiner="arith.addf", start=None, grid=(1,), seed=0):
    """A kernel that reduces one tensor over some axes, from the combiner's identity or ``start``."""
    kernel = KernelText(grid, seed)
    kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    x, y = kernel.buffer("x", shape, element), kernel.buffer("y", kept, "f32", fill=False)
    value = kernel.load(x)
    wide = shaped("tensor", shape, "f32")
    if element != "f32":
        value = kernel.op("arith.extf", value, type=shaped("tensor", shape, element), to=wide)
    out = shaped("tensor", kept, "f32")
    begin, made = kernel.new(), kernel.new()
    kernel.line(f"{begin} = arith.constant dense<{start or IDENTITY[combiner]}> : {out}")
    kernel.line(
        f"{made} = linalg.reduce {{ {combiner} }} ins({value} : {wide}) outs({begin} : {out}) "
        f"dimensions = {list(axes)}"
    )
    kernel.store(made, y)
    data = kernel.data["x"].reshape(shape).astype(np.float64)
    wanted = FOLD[combiner].reduce(data, axis=tuple(axes))
    if start is not None:
        wanted = FOLD[combiner](wanted, float(start))
    return kernel, wanted


def run(kernel, device):
    program = kt.compile(kt.parse(kernel.text), device)
    loaded = kt.Runtime(kt.device(device)).load(kt.Program.from_bytes(program.to_bytes()))
    return loaded(kernel.data)["y"]


SHAPES = [
    ((5, 7), (1,)),  # lanes hold partial results, one short vector
    ((5, 37), (1,)),  # full vectors and a tail
    ((5, 64), (1,)),
    ((37, 5), (0,)),  # lanes hold results
    ((13, 70), (0,)),
    ((3, 4, 33), (0, 2)),  # two reduced loops around the kept one
    ((3, 11, 5), (1,)),
    ((2, 3, 40), (1, 2)),
    ((1, 9), (1,)),
    ((9, 1), (0,)),
    ((1, 1), (0,)),
    ((19,), (0,)),  # everything is reduced
    ((4, 6), (0, 1)),
]


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_sums(shape, axes, device):
    kernel, wanted = reduction(shape, axes, seed=sum(shape))
    found = run(kernel, device).reshape(wanted.shape)
    terms = np.abs(kernel.data["x"].astype(np.float64)).reshape(shape).sum(axis=axes)
    count = np.prod([shape[d] for d in axes])
    assert (np.abs(found - wanted) <= 2 * count * 2.0**-24 * terms + 2.0**-24 * np.abs(wanted)).all()


@pytest.mark.parametrize("combiner", ["arith.maximumf", "arith.minimumf"])
@pytest.mark.parametrize(("shape", "axes"), [((5, 37), (1,)), ((13, 6), (0,)), ((21,), (0,))])
def test_extremes_are_exact(shape, axes, combiner):
    """All elements are negative (positive): a pad of zero would win."""
    kernel, _ = reduction(shape, axes, "f16", combiner)
    sign = -1 if combiner == "arith.maximumf" else 1
    kernel.data["x"] = (sign * (np.abs(kernel.data["x"]) + 1)).astype(np.float16)
    wanted = FOLD[combiner].reduce(kernel.data["x"].reshape(shape), axis=axes)
    assert np.array_equal(run(kernel, "toy").reshape(wanted.shape), wanted.astype(np.float32))


@pytest.mark.parametrize(("shape", "axes"), [((4, 19), (1,)), ((19, 4), (0,))])
def test_the_start_counts_once(shape, axes):
    kernel, wanted = reduction(shape, axes, combiner="arith.addf", start="5.0")
    kernel.data["x"] = np.arange(np.prod(shape)).astype(np.float32)
    wanted = kernel.data["x"].reshape(shape).sum(axis=axes) + 5
    assert np.array_equal(run(kernel, "toy").reshape(wanted.shape), wanted)


def test_a_combiner_of_several_ops_has_no_identity():
    """``select(a > b, a, b)``: lanes hold results, since partial ones would need a start."""
    kernel = KernelText()
    x, y = kernel.buffer("x", (6, 21), "f32"), kernel.buffer("y", (6,), "f32", fill=False)
    value = kernel.load(x)
    kernel.line("%b = arith.constant dense<-100.0> : tensor<6xf32>")
    kernel.line(
        f"%r = linalg.reduce ins({value} : tensor<6x21xf32>) outs(%b : tensor<6xf32>) "
        "dimensions = [1] (%in: f32, %acc: f32) { %c = arith.cmpf ogt, %in, %acc : f32 "
        "%s = arith.select %c, %in, %acc : f32 linalg.yield %s : f32 }"
    )
    kernel.store("%r", y)
    wanted = kernel.data["x"].reshape(6, 21).max(axis=1)
    assert np.array_equal(run(kernel, "spyre"), wanted)


def contraction(m, n, k, transposed, element="f16", grid=(1,)):
    kernel = KernelText(grid, seed=m * n + k)
    kernel.random = np.random.default_rng(m)
    a = kernel.buffer("a", (m, k), element)
    b = kernel.buffer("b", (n, k) if transposed else (k, n), element)
    y = kernel.buffer("y", (m, n), "f32", fill=False)
    left, right = kernel.load(a), kernel.load(b)
    name, shape = ("matmul_transpose_b", (n, k)) if transposed else ("matmul", (k, n))
    out = shaped("tensor", (m, n), "f32")
    kernel.line(f"%z = arith.constant dense<0.0> : {out}")
    if transposed:
        kernel.line(f"%e = tensor.empty() : {shaped('tensor', (k, n), element)}")
        kernel.line(
            f"%t = linalg.transpose ins({right} : {shaped('tensor', shape, element)}) "
            f"outs(%e : {shaped('tensor', (k, n), element)}) permutation = [1, 0]"
        )
        right, name, shape = "%t", "matmul", (k, n)
    kernel.line(
        f"%p = linalg.{name} ins({left}, {right} : {shaped('tensor', (m, k), element)}, "
        f"{shaped('tensor', shape, element)}) outs(%z : {out}) -> {out}"
    )
    kernel.store("%p", y)
    left, right = (kernel.data[v].astype(np.float64) for v in "ab")
    right = right.reshape(n, k).T if transposed else right.reshape(k, n)
    return kernel, left.reshape(m, k) @ right, np.abs(left.reshape(m, k)) @ np.abs(right)


@pytest.mark.parametrize("device", ["toy", "spyre"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(3, 5, 7), (1, 40, 9), (4, 1, 33), (2, 8, 1)])
def test_matrix_products(m, n, k, transposed, device):
    kernel, wanted, terms = contraction(m, n, k, transposed)
    found = run(kernel, device).reshape(m, n)
    assert (np.abs(found - wanted) <= 2 * k * 2.0**-24 * terms + 2.0**-23 * np.abs(wanted)).all()


def random_kernel(seed):
    """A chain of elementwise ops and one or two reductions over random axes."""
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.choice([1, 2, 3, 5, 8, 13, 17, 33], random.integers(1, 4)))
    kernel = KernelText(seed=seed)
    x = kernel.buffer("x", shape, str(random.choice(["f16", "f32"])))
    element = kernel.views[x][1]
    value = kernel.load(x)
    type = shaped("tensor", shape, "f32")
    if element == "f16":
        value = kernel.op("arith.extf", value, type=shaped("tensor", shape, "f16"), to=type)
    first = value
    if random.integers(2):
        value = kernel.op("arith.mulf", value, value, type=type)
    axes = sorted(random.choice(len(shape), random.integers(1, len(shape) + 1), replace=False))
    axes = [int(d) for d in axes]
    kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    small = shaped("tensor", kept, "f32")
    combiner = str(random.choice(sorted(IDENTITY)))
    kernel.line(f"%b = arith.constant dense<{IDENTITY[combiner]}> : {small}")
    kernel.line(
        f"%r = linalg.reduce {{ {combiner} }} ins({value} : {type}) outs(%b : {small}) "
        f"dimensions = {axes}"
    )
    if random.integers(2):  # back over the tensor
        kernel.line(f"%e = tensor.empty() : {type}")
        kernel.line(
            f"%w = linalg.broadcast ins(%r : {small}) outs(%e : {type}) dimensions = {axes}"
        )
        result, kept = kernel.op("arith.subf", first, "%w", type=type), shape
    else:
        result = kernel.op("arith.mulf", "%r", "%r", type=small)
    kernel.store(result, kernel.buffer("y", kept, "f32", fill=False))
    return kernel


def failure(seed, device):
    """The pass that changed what a random kernel computes, and the kernel."""
    kernel = random_kernel(seed)
    report = kt.check(kt.parse(kernel.text), device, kernel.data)
    return report.failed and f"{kernel.text}\n{report.failed}"


@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed):
    assert failure(seed, "toy" if seed % 2 else "spyre") is None


@pytest.mark.sweep
@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("seed", range(1000))
def test_more_random_chains(seed, device):
    assert failure(seed, device) is None




@pytest.mark.parametrize(
    ("shape", "axes"), [((3, 5003), (1,)), ((4100, 9), (0,)), ((2, 70, 90), (1, 2))]
)
def test_reductions_longer_than_the_scratchpad(shape, axes):
    """8 KiB of scratchpad: the operands pass through it in parts."""
    kernel, wanted = reduction(shape, axes, seed=3)
    program = kt.compile(kt.parse(kernel.text), "toy")
    loaded = kt.Runtime(kt.device("toy")).load(program)
    found = loaded(kernel.data)["y"].reshape(wanted.shape)
    assert loaded.last.programs > 2
    terms = np.abs(kernel.data["x"].astype(np.float64)).reshape(shape).sum(axis=axes)
    count = np.prod([shape[d] for d in axes])
    assert (np.abs(found - wanted) <= 2 * count * 2.0**-24 * terms + 2.0**-24 * np.abs(wanted)).all()


def test_a_long_product_is_taken_in_parts():
    kernel, wanted, terms = contraction(2, 9, 1500, False)
    found = run(kernel, "toy").reshape(2, 9)
    assert (np.abs(found - wanted) <= 2 * 1500 * 2.0**-24 * terms).all()
