"""ScheduleIR and the bridge level run like the kernel that they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.parse import parse_path, parse_text
from kt.sim.simulate import simulate
from kt.sim.values import dtype_of

CORPUS = Path(__file__).parent.parent / "corpus"
RANDOM = np.random.default_rng(11)


def halves(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float16)


@pytest.mark.parametrize("file", ["gate_three_stages", "gate_five_stages"])
def test_a_pipeline_of_stages(file: str) -> None:
    x, g = halves(6, 24), halves(6, 24)
    out = simulate(parse_path(CORPUS / "ktdf" / f"{file}.mlir"), [x, g, np.zeros_like(x)])["out"]
    assert (out == x * g).all()


def test_double_buffers() -> None:
    x = halves(6, 24)
    module = parse_path(CORPUS / "ktdf" / "gate_double_buffered.mlir")
    assert (simulate(module, [x, np.zeros_like(x)])["out"] == x).all()


def global_views(module: Operation) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Name → byte address and shape of every global view with a constant address."""
    found = {}
    for op in module.walk():
        if op.name == "ktdp.construct_memory_view" and op.memory_space.is_global:
            address = op.offset.defining_op.attr("value").value * dtype_of(op.type).itemsize
            found[f"m{address}"] = (address, tuple(op.static_sizes.values))
    return found


def run_fixed(path: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Run a module whose buffers have constant addresses: contents before and after, by address."""
    module = parse_path(path)
    views = global_views(module)
    names = sorted(views, key=lambda name: views[name][0])
    before = {name: halves(*views[name][1]) for name in names}
    after = simulate(module, before, memory_map={name: views[name][0] for name in names})
    return [before[n] for n in names], [after[n] for n in names]


def test_programs_in_modules_of_their_own() -> None:
    (a, b, _, c, _), (_, _, total, _, out) = run_fixed(CORPUS / "ktdf" / "two_groups_15.mlir")
    assert (total == a + b).all()
    assert (out == total * c).all()


@pytest.mark.parametrize("folder", ["add2d", "rowsum", "chain4", "loop"])
def test_golden_stages(folder: str) -> None:
    for path in sorted((CORPUS / "golden" / folder).glob("*.mlir")):
        before, after = run_fixed(path)
        exact = {
            "add2d": lambda a, b: a + b,
            "loop": lambda a, b: a + b,
            "rowsum": lambda a: a.sum(axis=1),
            "chain4": lambda a, b, c, d: np.exp(a - b) * c + d,
        }[folder](*[v.astype(np.float64) for v in before[:-1]])
        assert np.allclose(after[-1], exact, rtol=4e-3, atol=4e-3), path.name


@pytest.mark.parametrize("file", ["walkthrough_14", "walkthrough_27"])
def test_coarse_stages_and_engines(file: str) -> None:
    (a, b, _), (_, _, out) = run_fixed(CORPUS / "ktdf" / f"{file}.mlir")
    wide = a.astype(np.float64)
    silu = (wide / (1 + np.exp(-wide))).astype(np.float16)
    assert np.allclose(out.astype(np.float64), silu.astype(np.float64) * b, rtol=2e-3, atol=1e-3)


def test_an_accumulator_across_iterations() -> None:
    acc = halves(1, 8)
    module = parse_path(CORPUS / "ktdf" / "lowered_accumulate.mlir")
    assert (simulate(module, {"acc": acc, "feed": 0, "vpu": 1, "drain": 2})["acc"] == acc).all()


TRANSFER = """func.func @f(%x: memref<4x9xf16, "MAIN">, %y: memref<4x9xf16, "MAIN">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c9 step %c8 {
      %n = affine.min affine_map<(d0) -> (8, -d0 + 9)>(%j)
      ktdf.pipeline {
        %p:3 = ktdf.private -> (!ktdf.fifo.slot<"A" -> "B", 8xf16>, !ktdf.fifo.slot<"B" -> "A", 8xf16>, !ktdf.token) {
          %s = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"A" -> "B", 8xf16>
          %u = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"B" -> "A", 8xf16>
          %t = ktdf.create_token : !ktdf.token
          ktdf.private_yield %s, %u, %t : !ktdf.fifo.slot<"A" -> "B", 8xf16>, !ktdf.fifo.slot<"B" -> "A", 8xf16>, !ktdf.token
        }
        ktdf.stage depends_in(%p#2) depends_out(none) {
          %v = ktdf.read_from_fifo %p#0 : <"A" -> "B", 8xf16> -> tensor<8xf16>
          %w = arith.addf %v, %v : tensor<8xf16>
          ktdf.write_to_fifo %w, %p#1 : tensor<8xf16>, <"B" -> "A", 8xf16>
          ktdf.data_transfer from %p#1 size [8] to %y[%i, %j] size [1, %n]
            : !ktdf.fifo.slot<"B" -> "A", 8xf16>, memref<4x9xf16, "MAIN">
        }
        ktdf.stage depends_in(none) depends_out(%p#2) {
          ktdf.data_transfer from %x[%i, %j] size [1, %n] to %p#0 size [8] {transfer_mode = "MODE"}
            : memref<4x9xf16, "MAIN">, !ktdf.fifo.slot<"A" -> "B", 8xf16>
        }
      }
    }
  }
  return
}"""


def test_tails_are_padded_and_token_order_counts() -> None:
    x = halves(4, 9)
    got = simulate(parse_text(TRANSFER.replace("MODE", "pad")), [x, np.zeros_like(x)])
    assert (got["y"] == x + x).all()


def test_only_one_element_can_be_splat() -> None:
    four = TRANSFER.replace("size [1, %n] to %p", "size [1, 4] to %p").replace("MODE", "splat")
    with pytest.raises(RunError, match="a splat repeats one element, but 4 are transferred"):
        simulate(parse_text(four))
    one = TRANSFER.replace("size [1, %n] to %p", "size [1, 1] to %p").replace("MODE", "splat")
    x = halves(4, 9)
    got = simulate(parse_text(one), [x, np.zeros_like(x)])["y"]
    assert (got == 2 * np.concatenate([np.repeat(x[:, :1], 8, 1), x[:, 8:]], axis=1)).all()


def test_reading_an_empty_slot_is_refused() -> None:
    swapped = TRANSFER.replace(
        "depends_in(%p#2) depends_out(none)", "depends_in(none) depends_out(none)"
    )
    with pytest.raises(RunError, match="reads 8 elements from a FIFO slot that holds 0"):
        simulate(parse_text(swapped.replace("MODE", "pad")))


def test_parallel_instances_and_tile_sizes() -> None:
    text = """func.func @f(%y: memref<10xi64, "MAIN">, %s: memref<10xi64, "MAIN">) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c9 = arith.constant 9 : index
      %c10 = arith.constant 10 : index
      ktdf.parallel (%r, %id) = (%c0) to (%c9) step (%c1) distribute(num_instances = 2) {
        %v = arith.index_cast %id : index to i64
        memref.store %v, %y[%r] : memref<10xi64, "MAIN">
        ktdf.parallel_yield
      }
      %c3 = arith.constant 3 : index
      scf.for %t = %c0 to %c3 step %c1 {
        %n = ktdf.tiling.derive_size [%t : %c4], total_size = %c10 : index
        scf.for %i = %c0 to %n step %c1 {
          %k = ktdf.tiling.linearize_index [%t : %c4] [%i : %c1] : index
          %ph = ktdf.buffer_phase(%t) {num_phases = 2 : i64} : index
          %p = arith.index_cast %ph : index to i64
          memref.store %p, %s[%k] : memref<10xi64, "MAIN">
        }
      }
      return
    }"""
    got = simulate(parse_text(text), [np.full(10, 7), np.full(10, 7)])
    assert got["y"].tolist() == [0] * 5 + [1] * 4 + [7]
    assert got["s"].tolist() == [0] * 4 + [1] * 4 + [0] * 2


def test_a_template_means_its_function() -> None:
    text = """
    func.func private @AXPY(%a: f16, %x: f16, %y: f16) -> f16 attributes {kt.template} {
      %p = arith.mulf %a, %x : f16
      %s = arith.addf %p, %y : f16
      return %s : f16
    }
    func.func @f(%a: f16, %x: tensor<3x4xf16>, %y: tensor<3x4xf16>) -> tensor<3x4xf16> {
      %e = tensor.empty() : tensor<3x4xf16>
      %r = ktdf.opaque "AXPY" -> tensor<3x4xf16>
          ins(%a, %x, %y : f16, tensor<3x4xf16>, tensor<3x4xf16>) outs(%e : tensor<3x4xf16>)
      return %r : tensor<3x4xf16>
    }"""
    x, y = halves(3, 4), halves(3, 4)
    got = simulate(parse_text(text), {"a": 1.5, "x": x, "y": y})["result0"]
    assert (got == np.float16(1.5) * x + y).all()
