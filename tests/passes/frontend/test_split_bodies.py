"""Computations with more live vectors than the engine has registers."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest
from kernel_text import KernelText

import kt
from kt.arch import load_device
from kt.ir.diagnostics import KtError
from kt.ir.dialects import dataflow
from kt.passes.compiler import Compilation

COUNT, TYPE = 24, "tensor<3x21xf16>"
VECTOR, ROOM = 16, 256
"""Bytes of a vector of toy (8 lanes of f16), and of its registers."""


def everything_twice():
    """``p = (x0 + x1 + …)``, then ``p = p + x0 * x1``, ``p = p + x2 * x3``, …: all x are live at the sum."""
    k = KernelText()
    views = [k.buffer(f"x{i}", (3, 21), "f16") for i in range(COUNT)]
    out = k.buffer("out", (3, 21), "f16", fill=False)
    xs = [k.load(v) for v in views]
    total = xs[0]
    for x in xs[1:]:
        total = k.op("arith.addf", total, x, type=TYPE)
    for a, b in zip(xs[::2], xs[1::2], strict=True):
        total = k.op("arith.addf", total, k.op("arith.mulf", a, b, type=TYPE), type=TYPE)
    k.store(total, out)
    data = [k.data[f"x{i}"].reshape(3, 21) for i in range(COUNT)]
    wanted = data[0]
    for x in data[1:]:
        wanted = wanted + x
    for a, b in zip(data[::2], data[1::2], strict=True):
        wanted = wanted + a * b
    return k, wanted


def compiled(text, device):
    compilation = Compilation.start(kt.parse(text), load_device(device))
    return compilation, compilation.lower()


def received(module):
    """Vectors that each program of the compute unit receives in one iteration."""
    counts = []
    for unit in module.walk_type(dataflow.ProgramUnitOp):
        kinds = {str(v.defining_op.unit_type.value) for v in unit.units}
        if kinds == {"vpu"}:
            counts.append(sum(op.name == "dataflow.receive" for op in unit.walk()))
    return counts


@pytest.mark.parametrize("mode", ["capacity", "upstream"])
def test_cut_until_it_fits(mode):
    k, wanted = everything_twice()
    data = {name: np.array(value) for name, value in k.data.items()}
    assert kt.check(kt.parse(k.text), "toy", arguments=k.data, mode=mode).ok
    kernel = kt.Runtime(load_device("toy")).load(kt.compile(kt.parse(k.text), "toy", mode=mode))
    assert np.array_equal(kernel(data)["out"].reshape(3, 21), wanted)


def test_no_program_receives_more_than_there_is_room_for():
    compilation, module = compiled(everything_twice()[0].text, "toy")
    counts = received(module)
    assert len(counts) > 1
    assert max(counts) * VECTOR < ROOM
    remarks = [d.message for d in compilation.context.remarks]
    # all vectors, the old and the new sum
    assert any(
        f"needs {(COUNT + 2) * VECTOR} bytes of VREG, which has {ROOM}" in m for m in remarks
    )


@pytest.mark.parametrize("device", ["spyre", "mesh"])  # 8 KiB and 4 KiB
def test_one_program_where_there_is_room(device):
    _, module = compiled(everything_twice()[0].text, device)
    assert len([op for op in module.walk() if op.name == "func.call"]) == 2  # its program, its body


def test_a_long_chain_needs_little_room():
    k = KernelText()
    view, out = k.buffer("x", (3, 21), "f16"), k.buffer("out", (3, 21), "f16", fill=False)
    x = value = k.load(view)
    for _ in range(60):
        value = k.op("arith.addf", value, x, type=TYPE)
    k.store(value, out)
    assert received(compiled(k.text, "toy")[1]) == [1]


def test_an_operation_that_is_too_large_is_refused(tmp_path):
    toy = resources.files("kt.arch").joinpath("devices/toy.mlir").read_text(encoding="utf-8")
    text = toy.replace("size = 256 //", f"size = {2 * VECTOR} //")
    device = tmp_path / "small.mlir"
    device.write_text(text)
    k = KernelText()
    a, b = k.buffer("a", (3, 21), "f16"), k.buffer("b", (3, 21), "f16")
    out = k.buffer("out", (3, 21), "f16", fill=False)
    k.store(k.op("arith.addf", k.load(a), k.load(b), type=TYPE), out)
    with pytest.raises(KtError) as refused:
        compiled(k.text, str(device))
    shown = refused.value.render()
    assert f"need {3 * VECTOR} bytes of VREG, which has {2 * VECTOR}" in shown
    assert "arith.addf" in shown and "small.mlir:" in shown
