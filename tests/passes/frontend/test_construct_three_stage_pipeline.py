"""Vectors, tails, copies, fusion, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import KernelText, shaped

from kt.arch import load_device
from kt.ir.diagnostics import PassError
from kt.ir.dialects import affine, ktdf, linalg, scf
from kt.ir.folding import constant_int
from kt.parse import parse_text
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import ktir_to_schedule

PASSES = ktir_to_schedule()


def scheduled(text, device="toy"):
    module = parse_text(text)
    PassManager(PASSES).run(module, PassContext(device=load_device(device)))
    return module


def unary(shape, element, op="arith.negf", grid=(1,)):
    k = KernelText(grid)
    type = shaped("tensor", shape, element)
    value = k.op(op, k.load(k.buffer("x", shape, element)), type=type)
    k.store(value, k.buffer("y", shape, element, fill=False))
    return k


def steps(module):
    return [constant_int(loop.step) for loop in module.walk_type(scf.ForOp)]


@pytest.mark.parametrize(
    ("shape", "element", "lanes"),
    [((3, 16), "f16", 8), ((3, 16), "f32", 4), ((2, 5, 7), "f16", 8), ((1,), "f32", 4)],
)
def test_vectors_are_full_whatever_the_extent(shape, element, lanes, run_levels):
    """Eight f16 or four f32 lanes; never fewer because of the extent."""
    k = unary(shape, element)
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    assert steps(module) == [1] * (len(shape) - 1) + [lanes]
    assert {op.fifo_slot.type.count for op in module.walk_type(ktdf.ReadFromFifoOp)} == {lanes}
    assert np.array_equal(found["y"], -k.data["x"])
    assert bool(list(module.walk_type(affine.MinOp))) == (
        shape[-1] > lanes and shape[-1] % lanes > 0
    )


def test_widest_element_type_gives_the_lanes(run_levels):
    k = KernelText()
    h = k.load(k.buffer("h", (2, 12), "f16"))
    f = k.load(k.buffer("f", (2, 12), "f32"))
    wide = k.op("arith.extf", h, type="tensor<2x12xf16>", to="tensor<2x12xf32>")
    total = k.op("arith.addf", wide, f, type="tensor<2x12xf32>")
    back = k.op("arith.truncf", total, type="tensor<2x12xf32>", to="tensor<2x12xf16>")
    k.store(back, k.buffer("y", (2, 12), "f16", fill=False))
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    assert steps(module) == [1, 4]
    wanted = (k.data["h"].astype(np.float32) + k.data["f"]).astype(np.float16)
    assert np.array_equal(found["y"], wanted)


def test_vectors_run_along_contiguous_elements_of_the_output(run_levels):
    """A column-major output: the first dimension has stride 1."""
    k = KernelText()
    type = "tensor<20x3xf16>"
    x = k.load(k.buffer("x", (20, 3), "f16"))
    k.store(k.op("arith.negf", x, type=type), k.buffer("y", (20, 3), "f16", (1, 20), fill=False))
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    loops = list(module.walk_type(scf.ForOp))
    assert [constant_int(loop.upper_bound) for loop in loops] == [3, 20]
    assert steps(module) == [1, 8]
    assert np.array_equal(found["y"].reshape(3, 20).T, -k.data["x"].reshape(20, 3))


def test_value_used_twice_is_loaded_and_computed_once(run_levels):
    k = KernelText()
    type = "tensor<2x8xf16>"
    x = k.load(k.buffer("x", (2, 8), "f16"))
    again = k.op("math.absf", x, type=type)
    k.store(
        k.op("arith.mulf", again, k.op("arith.addf", again, x, type=type), type=type),
        k.buffer("y", (2, 8), "f16", fill=False),
    )
    module, _, _ = run_levels(k.text, "toy", PASSES, k.data)
    (body,) = module.walk_type(linalg.GenericOp)
    assert [op.name for op in body.body.ops] == [
        "math.absf", "arith.addf", "arith.mulf", "linalg.yield",
    ]  # fmt: skip
    assert len(body.inputs) == 1


def test_tile_loaded_twice_travels_once(run_levels):
    k = KernelText()
    type = "tensor<2x8xf16>"
    view = k.buffer("x", (2, 8), "f16")
    total = k.op("arith.addf", k.load(view), k.load(view), type=type)
    k.store(total, k.buffer("y", (2, 8), "f16", fill=False))
    module, ctx, found = run_levels(k.text, "toy", PASSES, k.data)
    assert len(list(module.walk_type(ktdf.ReadFromFifoOp))) == 1
    assert ctx.statistics["construct-three-stage-pipeline", "merged-loads"] == 1
    assert np.array_equal(found["y"], k.data["x"] + k.data["x"])


def test_constants_need_no_load(run_levels):
    k = KernelText()
    type = "tensor<3x10xf16>"
    k.store(k.op("arith.constant dense<1.5>", type=type), k.buffer("y", (3, 10), "f16", fill=False))
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    assert (found["y"] == 1.5).all()
    assert [s.unit_names for s in module.walk_type(ktdf.StageOp)] == [
        ("VPU",),
        ("DRAIN",),
        ("DMAO",),
    ]


def test_copies_need_no_compute_unit(run_levels):
    k = KernelText()
    k.store(k.load(k.buffer("x", (5, 11), "i8")), k.buffer("y", (5, 11), "i8", fill=False))
    module, _, _ = run_levels(k.text, "toy", PASSES, k.data)
    assert [s.unit_names for s in module.walk_type(ktdf.StageOp)] == [("DMAI",), ("DMAO",)]
    assert steps(module) == [1, 16], "16 bytes at a time"


def test_scratchpad_in_between(run_levels):
    """Global → scratchpad by the fill engine alone, compute in the scratchpad, and back."""
    k = KernelText(grid=(2,))
    shape, type = (3, 20), "tensor<3x20xf16>"
    x, y = k.buffer("x", shape, "f16"), k.buffer("y", shape, "f16", fill=False)
    k.lines = [
        line.replace("#ktdp.memory_space<global>", "#ktdp.memory_space<global>") for line in k.lines
    ]
    p = k.buffer("p", shape, "f16", space="ct_local", base=0)
    q = k.buffer("q", shape, "f16", space="ct_local", base=64)
    k.grid = (1,)
    k.store(k.load(x), p)
    k.store(k.op("arith.negf", k.load(p), type=type), q)
    k.store(k.op("arith.addf", k.load(q), k.load(x), type=type), p)
    k.store(k.load(p), q)
    k.store(k.load(q), y)
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    units = [[s.unit_names[0] for s in p.stages] for p in module.walk_type(ktdf.PipelineOp)]
    assert units == [
        ["DMAI"],
        ["FEED", "VPU", "DRAIN"],
        ["DMAI", "FEED", "VPU", "DRAIN"],
        ["FEED", "VPU", "DRAIN"],
        ["DMAO"],
    ]
    assert np.array_equal(found["y"], k.data["x"] - k.data["x"])


def test_in_place(run_levels):
    k = KernelText()
    type = "tensor<4x9xf16>"
    view = k.buffer("x", (4, 9), "f16")
    k.store(k.op("arith.negf", k.load(view), type=type), view)
    _, _, found = run_levels(k.text, "toy", PASSES, k.data)
    assert np.array_equal(found["x"], -k.data["x"])


@pytest.mark.parametrize("part", ["shifted", "transposed"])
def test_in_place_but_elsewhere_goes_through_a_buffer(part, run_levels):
    k = KernelText()
    view = k.buffer("x", (4, 4), "f16")
    k.lines[:0] = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
    if part == "shifted":
        value = k.load(view, (3, 4), ("%c0", "%c0"))
        k.store(k.op("arith.negf", value, type="tensor<3x4xf16>"), view, (3, 4), ("%c1", "%c0"))
        wanted = np.concatenate([k.data["x"][:4], -k.data["x"][:12]])
    else:
        type = "tensor<4x4xf16>"
        value = k.linalg("transpose", [(k.load(view), type)], type, " permutation = [1, 0]")
        k.store(value, view)
        wanted = k.data["x"].reshape(4, 4).T.reshape(-1)
    module, _, found = run_levels(k.text, "toy", PASSES, k.data)
    assert np.array_equal(found["x"].reshape(-1), wanted)
    assert sum(op.name == "memref.alloc" and op.attr("kt.address") is not None for op in module.walk()) == 1


def test_type_without_lanes_names_type_and_device():
    with pytest.raises(PassError, match="device @toy computes no vectors of 'f64'") as refused:
        scheduled(unary((4, 8), "f64").text)
    assert "VPU" in refused.value.render()


def test_subscripts_that_are_sums_of_loops_are_strides(run_levels):
    """Every second column, and a row of a flat buffer per row: no gather, only other strides."""
    k = KernelText()
    wide, flat = k.load(k.buffer("x", (4, 12), "f16")), k.load(k.buffer("f", (24,), "f16"))
    type = "tensor<4x6xf16>"
    half, rows = k.new(), k.new()
    k.line(f"{half} = tensor.extract_slice {wide}[0, 1] [4, 6] [1, 2] : tensor<4x12xf16> to {type}")
    k.line(f"{rows} = tensor.expand_shape {flat} [[0, 1]] output_shape [4, 6] : tensor<24xf16> into "
           f"{type}")  # fmt: skip
    total = k.op("arith.addf", half, rows, type=type)
    k.store(total, k.buffer("y", (4, 6), "f16", fill=False))
    _, _, found = run_levels(k.text, "toy", PASSES, k.data)
    x = k.data["x"].reshape(4, 12)[:, 1::2]
    assert np.array_equal(found["y"].reshape(4, 6), x + k.data["f"].reshape(4, 6))


def test_op_with_two_results_is_one_program(run_levels):
    k = KernelText()
    type = "tensor<5x9xf16>"
    x, empty = k.load(k.buffer("x", (5, 9), "f16")), k.empty(type)
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    k.line(
        f"%r:2 = linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = "
        f'["parallel", "parallel"]}} ins({x} : {type}) outs({empty}, {empty} : {type}, {type}) {{\n'
        "^bb0(%i: f16, %o: f16, %p: f16):\n %c = arith.addf %i, %i : f16\n"
        f" %d = math.absf %c : f16\n linalg.yield %c, %d : f16, f16 }} -> ({type}, {type})"
    )
    k.store("%r#0", k.buffer("y", (5, 9), "f16", fill=False))
    k.store("%r#1", k.buffer("z", (5, 9), "f16", fill=False))
    _, ctx, found = run_levels(k.text, "toy", PASSES, k.data)
    assert ctx.statistics["compute-group-extraction", "programs"] == 1
    assert np.array_equal(found["z"], np.abs(k.data["x"] * 2))


def test_odd_subscripts_are_refused():
    k = KernelText()
    square = k.load(k.buffer("x", (4, 6), "f16", strides=[8, 1]))  # rows with gaps between them
    made = k.new()
    k.line(
        f"{made} = tensor.collapse_shape {square} [[0, 1]] : tensor<4x6xf16> into tensor<24xf16>"
    )
    k.store(made, k.buffer("y", (24,), "f16", fill=False))
    with pytest.raises(PassError, match="can't load vectors along subscripts"):
        scheduled(k.text)
