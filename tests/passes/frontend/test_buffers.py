"""Intermediate and carried tensors go through buffers; buffers get a memory and an address."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText

import kt
from kt.arch import load_device
from kt.ir.diagnostics import PassError
from kt.ir.dialects import func, ktdp, memref
from kt.ir.dialects import kt as kt_dialect
from kt.parse import parse_text
from kt.passes.manager import PassContext, PassManager
from kt.sim.simulate import simulate

TYPE = "tensor<4x6xf32>"


def loop(body, yields, arguments=("a", "b"), trips=3):
    """A kernel whose loop carries tensors ``%a_``, ``%b_`` … and stores them behind it."""
    kernel = KernelText(seed=1)
    values = [kernel.load(kernel.buffer(f"{n}_in", (4, 6), "f32")) for n in arguments]
    kernel.line("%lo = arith.constant 0 : index")
    kernel.line(f"%hi = arith.constant {trips} : index")
    kernel.line("%by = arith.constant 1 : index")
    given = ", ".join(f"%{n}_ = {v}" for n, v in zip(arguments, values))
    types = ", ".join([TYPE] * len(arguments))
    kernel.line(
        f"%r:{len(arguments)} = scf.for %i = %lo to %hi step %by iter_args({given}) -> ({types}) {{"
    )
    for text in body:
        kernel.line(f"  {text}")
    kernel.line(f"  scf.yield {', '.join(yields)} : {types}")
    kernel.line("}")
    for i, n in enumerate(arguments):
        kernel.store(f"%r#{i}", kernel.buffer(n, (4, 6), "f32", fill=False))
    return kernel


def run(kernel, device="toy"):
    program = kt.compile(parse_text(kernel.text), device)
    data = {k: np.copy(v) for k, v in kernel.data.items()}
    return kt.Runtime(kt.device(device)).load(program)(data)


def compiled(kernel, passes, device="toy"):
    module = parse_text(kernel.text)
    ctx = PassContext(device=load_device(device))
    PassManager(passes).run(module, ctx)
    return module, ctx


def fresh(module):
    return [op for op in module.walk() if isinstance(op, kt_dialect.BufferOp)]


def test_values_that_change_places():
    """Each iteration needs both old values after it knows the new ones."""
    kernel = loop([], ["%b_", "%a_"])
    a, b = kernel.data["a_in"], kernel.data["b_in"]
    found = run(kernel)
    assert np.array_equal(found["a"], b) and np.array_equal(found["b"], a)
    module, _ = compiled(kernel, "normalize-ktir,insert-buffers")
    assert len(fresh(module)) == 4  # two carried, two aside


def test_an_update_in_place_needs_one_buffer():
    kernel = loop([f"%s = arith.addf %a_, %a_ : {TYPE}"], ["%s"], ("a",))
    module, _ = compiled(kernel, "normalize-ktir,insert-buffers")
    assert len(fresh(module)) == 1
    assert np.array_equal(run(kernel)["a"], kernel.data["a_in"] * 8)


def test_one_new_value_needs_the_old_one_of_another():
    """Fibonacci: a, b = b, a + b."""
    kernel = loop([f"%s = arith.addf %a_, %b_ : {TYPE}"], ["%b_", "%s"], trips=5)
    a, b = kernel.data["a_in"], kernel.data["b_in"]
    for _ in range(5):
        a, b = b, a + b
    found = run(kernel)
    assert np.array_equal(found["a"], a) and np.array_equal(found["b"], b)


@pytest.mark.parametrize("trips", [0, 1])
def test_loops_of_no_or_one_iteration(trips):
    kernel = loop([f"%s = arith.mulf %a_, %b_ : {TYPE}"], ["%s", "%b_"], trips=trips)
    a, b = kernel.data["a_in"], kernel.data["b_in"]
    assert np.array_equal(run(kernel)["a"], a * b if trips else a)


def test_branches_that_yield_tensors():
    kernel = KernelText(grid=(4,), seed=2)
    x = kernel.buffer("x", (4, 9), "f32")
    y = kernel.buffer("y", (4, 9), "f32", fill=False)
    kernel.line("%id = ktdp.get_compute_tile_id : index")
    kernel.line("%two = arith.constant 2 : index")
    value = kernel.load(x, (1, 9), ["%id", 0])
    kernel.line("%low = arith.cmpi ult, %id, %two : index")
    kernel.line("%r = scf.if %low -> (tensor<1x9xf32>) {")
    kernel.line(f"  %d = arith.addf {value}, {value} : tensor<1x9xf32>")
    kernel.line("  scf.yield %d : tensor<1x9xf32>")
    kernel.line(f"}} else {{ scf.yield {value} : tensor<1x9xf32> }}")
    kernel.store("%r", y, (1, 9), ["%id", 0])
    wanted = kernel.data["x"].reshape(4, 9) * np.array([[2], [2], [1], [1]], np.float32)
    assert np.array_equal(run(kernel)["y"].reshape(4, 9), wanted)


def test_costly_operands_of_a_product_are_computed_once():
    """``exp(a)`` would be taken for every column of the result."""
    kernel = KernelText()
    a = kernel.load(kernel.buffer("a", (3, 5), "f32"))
    b = kernel.load(kernel.buffer("b", (5, 7), "f32"))
    powers = kernel.op("math.exp", a, type="tensor<3x5xf32>")
    kernel.line("%z = arith.constant dense<0.0> : tensor<3x7xf32>")
    kernel.line(
        f"%p = linalg.matmul ins({powers}, {b} : tensor<3x5xf32>, tensor<5x7xf32>) "
        "outs(%z : tensor<3x7xf32>) -> tensor<3x7xf32>"
    )
    kernel.store("%p", kernel.buffer("y", (3, 7), "f32", fill=False))
    module, _ = compiled(kernel, "normalize-ktir,insert-buffers")
    assert [op.type.shape for op in fresh(module)] == [(3, 5)]
    stores = [op for op in module.walk() if isinstance(op, ktdp.StoreOp)]
    assert len(stores) == 2


def test_elementwise_kernels_get_no_buffers():
    kernel = KernelText()
    value = kernel.load(kernel.buffer("x", (4, 6), "f32"))
    total = kernel.op("arith.addf", value, value, type=TYPE)
    kernel.store(total, kernel.buffer("y", (4, 6), "f32", fill=False))
    before, _ = compiled(kernel, "normalize-ktir")
    after, _ = compiled(kernel, "normalize-ktir,insert-buffers")
    assert str(before) == str(after)


# -- places ------------------------------------------------------------------------------------------


def chain(count, shape, device="toy"):
    """``count`` sums, each of the one before spread out again, so that each needs a buffer."""
    kernel = KernelText(seed=3)
    rows, columns = shape
    type, small = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    value = kernel.load(kernel.buffer("x", shape, "f32"))
    for i in range(count):
        kernel.line(f"%z{i} = arith.constant dense<0.0> : {small}")
        kernel.line(
            f"%s{i} = linalg.reduce {{ arith.addf }} ins({value} : {type}) outs(%z{i} : {small}) "
            "dimensions = [1]"
        )
        kernel.line(f"%e{i} = tensor.empty() : {type}")
        kernel.line(
            f"%w{i} = linalg.broadcast ins(%s{i} : {small}) outs(%e{i} : {type}) dimensions = [1]"
        )
        value = kernel.op("arith.maximumf", value, f"%w{i}", type=type)
    kernel.store(value, kernel.buffer("y", shape, "f32", fill=False))
    return kernel


PLACED = "normalize-ktir,insert-buffers,compute-group-extraction,place-buffers"


def addresses(module):
    return [
        (op.results[0].type.memory_space.value, op.attr("kt.address").value)
        for op in module.walk()
        if isinstance(op, memref.AllocOp) and op.attr("kt.address") is not None
    ]


def test_buffers_lie_side_by_side_in_the_scratchpad():
    module, _ = compiled(chain(3, (8, 4)), PLACED)
    found = addresses(module)
    assert {kind for kind, _ in found} == {"PAD"}
    assert sorted(a for _, a in found) == [0, 32, 64]  # 8 x f32 each
    programs = [f for f in module.walk_type(func.FuncOp) if f.attr("kt.reserved") is not None]
    assert len(programs) == 4
    assert all(f.attr("kt.reserved").get("PAD").value == 96 for f in programs)


def test_buffers_that_are_never_needed_together_share_a_place():
    """A first loop with its sum, then another one of its own."""
    kernel = KernelText(seed=4)
    x = kernel.buffer("x", (4, 6), "f32")
    for n in "pq":
        value = kernel.load(x)
        kernel.line(f"%z{n} = arith.constant dense<0.0> : tensor<4xf32>")
        kernel.line(
            f"%s{n} = linalg.reduce {{ arith.addf }} ins({value} : {TYPE}) "
            f"outs(%z{n} : tensor<4xf32>) dimensions = [1]"
        )
        kernel.line(f"%d{n} = arith.addf %s{n}, %s{n} : tensor<4xf32>")
        kernel.store(f"%d{n}", kernel.buffer(n, (4,), "f32", fill=False))
    module, _ = compiled(kernel, PLACED)
    assert addresses(module) == [("PAD", 0), ("PAD", 0)]
    found = run(kernel)
    sums = kernel.data["x"].reshape(4, 6).sum(axis=1, dtype=np.float64) * 2
    assert np.allclose(found["p"], sums, atol=1e-5) and np.allclose(found["q"], sums, atol=1e-5)


def test_what_the_scratchpad_cant_hold_goes_to_device_memory():
    kernel = chain(2, (1100, 2))  # 4,400 bytes each; half of 8 KiB is 4,096
    module, ctx = compiled(kernel, PLACED)
    found = addresses(module)
    assert {kind for kind, _ in found} == {"MAIN"}
    starts = sorted(a for _, a in found)
    assert starts[1] - starts[0] >= 4400 and starts[1] + 4400 <= 262144
    assert any("half of the 8192 bytes of PAD" in r.message for r in ctx.remarks)
    meaning = simulate(parse_text(kernel.text), {k: np.copy(v) for k, v in kernel.data.items()})
    assert np.allclose(run(kernel)["y"], meaning["y"], rtol=1e-6)


def test_tiles_have_buffers_of_their_own_in_device_memory():
    kernel = KernelText(grid=(2, 3), seed=5)
    x = kernel.buffer("x", (6, 1200), "f32")
    y = kernel.buffer("y", (6, 1200), "f32", fill=False)
    kernel.line("%i, %j = ktdp.get_compute_tile_id : index, index")
    kernel.line("%three = arith.constant 3 : index")
    kernel.line("%ii = arith.muli %i, %three : index")
    kernel.line("%row = arith.addi %ii, %j : index")
    kernel.line("%lo = arith.constant 0 : index")
    kernel.line("%by = arith.constant 1 : index")
    value = kernel.load(x, (1, 1200), ["%row", 0])
    kernel.line(
        f"%r = scf.for %k = %lo to %three step %by iter_args(%a = {value}) -> (tensor<1x1200xf32>) {{"
    )
    kernel.line("  %s = arith.addf %a, %a : tensor<1x1200xf32>")
    kernel.line("  scf.yield %s : tensor<1x1200xf32>\n}")
    kernel.store("%r", y, (1, 1200), ["%row", 0])
    module, _ = compiled(kernel, PLACED)
    assert [kind for kind, _ in addresses(module)] == ["MAIN"]
    assert np.array_equal(run(kernel)["y"], kernel.data["x"] * 8)


def test_a_device_memory_that_is_too_small():
    kernel = chain(1, (70000, 1))
    with pytest.raises(PassError) as refused:
        compiled(kernel, PLACED)
    text = refused.value.render()
    assert "need 280000 bytes of MAIN" in text
    assert "262144 bytes" in text and "kt:toy" in text
