"""Independent iterations run as one batch; dependent ones as the loop says, with the same faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kt.ir.core import Operation
from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim import lanes
from kt.sim.simulate import simulate

VECTORS = """func.func @f(%x: memref<6x8xf16, "MAIN">, %y: memref<6x8xf16, "MAIN">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  scf.for %i = FIRST to LAST step %c1 {
    scf.for %j = %c0 to %c8 step %c4 {
      ktdf.pipeline {
        %p:2 = ktdf.private -> (!ktdf.fifo.slot<"A" -> "B", 4xf16>, memref<1x4xf16, "MAIN">) {
          %s = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"A" -> "B", 4xf16>
          %m = memref.alloc() : memref<1x4xf16, "MAIN">
          ktdf.private_yield %s, %m : !ktdf.fifo.slot<"A" -> "B", 4xf16>, memref<1x4xf16, "MAIN">
        }
        ktdf.stage depends_in(none) depends_out(none) {
          ktdf.data_transfer from SOURCE size [1, 4] to %p#0 size [4]
            : memref<6x8xf16, "MAIN">, !ktdf.fifo.slot<"A" -> "B", 4xf16>
        }
        ktdf.stage depends_in(none) depends_out(none) {
          %v = ktdf.read_from_fifo %p#0 : <"A" -> "B", 4xf16> -> tensor<1x4xf16>
          %w = arith.addf %v, %v : tensor<1x4xf16>
          ktdf.write_to_fifo %w, %p#0 : tensor<1x4xf16>, <"A" -> "B", 4xf16>
        }
        ktdf.stage depends_in(none) depends_out(none) {
          ktdf.data_transfer from %p#0 size [4] to %p#1[0, 0] size [1, 4]
            : !ktdf.fifo.slot<"A" -> "B", 4xf16>, memref<1x4xf16, "MAIN">
          ktdf.data_transfer from %p#1[0, 0] size [1, 4] to TARGET size [1, 4]
            : memref<1x4xf16, "MAIN">, memref<6x8xf16, "MAIN">
        }
      }
    }
  }
  return
}"""


def kernel(source: str, target: str, first: str = "%c0", last: str = "%c6") -> Operation:
    text = VECTORS.replace("SOURCE", source).replace("TARGET", target)
    return parse_text(text.replace("FIRST", first).replace("LAST", last))


def numbers() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((6, 8)).astype(np.float16)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each attempt to run iterations together succeeded."""
    found: list[bool] = []
    together = lanes._together

    def noted(*given: Any) -> bool:
        found.append(together(*given))
        return found[-1]

    monkeypatch.setattr(lanes, "_together", noted)
    return found


def test_independent_vectors_run_together(batches: list[bool]) -> None:
    x = numbers()
    got = simulate(kernel("%x[%i, %j]", "%y[%i, %j]"), [x, np.zeros_like(x)])["y"]
    assert (got == x + x).all()
    assert batches == [True, True]  # columns inside of rows


def test_every_lane_may_change_its_own_place(batches: list[bool]) -> None:
    x = numbers()
    got = simulate(kernel("%x[%i, %j]", "%x[%i, %j]"), [x, np.zeros_like(x)])["x"]
    assert (got == 2 * x).all()
    assert batches == [True, True]


@pytest.mark.parametrize("lanes_", [2, 5])
def test_more_iterations_than_a_batch_takes(
    lanes_: int, batches: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "MAX_LANES", lanes_)
    x = numbers()
    got = simulate(kernel("%x[%i, %j]", "%y[%i, %j]"), [x, np.zeros_like(x)])["y"]
    assert (got == x + x).all()
    assert batches and all(batches)


def test_iterations_that_use_what_others_wrote_keep_their_order(batches: list[bool]) -> None:
    x = numbers()
    module = kernel("%x[%i, %j]", "%x[%i + 1, %j]", last="%c4")
    got = simulate(module, [x, np.zeros_like(x)])["x"]
    want = x.copy()
    for i in range(4):
        want[i + 1] = want[i] + want[i]
    assert (got == want).all()
    assert False in batches and True in batches  # rows in order, the columns of each together


def test_reading_ahead_of_a_write_keeps_its_order(batches: list[bool]) -> None:
    x = numbers()
    got = simulate(kernel("%x[%i + 1, %j]", "%x[%i, %j]", last="%c4"), [x, np.zeros_like(x)])["x"]
    want = x.copy()
    for i in range(4):
        want[i] = want[i + 1] + want[i + 1]
    assert (got == want).all()
    assert False in batches


def test_the_last_iteration_wins(batches: list[bool]) -> None:
    x = numbers()
    got = simulate(kernel("%x[%i, %j]", "%y[0, %j]"), [x, np.zeros_like(x)])["y"]
    assert (got[0] == x[5] + x[5]).all() and not got[1:].any()
    assert False in batches


def test_one_place_for_all(batches: list[bool]) -> None:
    x = numbers()
    got = simulate(kernel("%x[%i, %j]", "%y[2, 3]"), [x, np.zeros_like(x)])["y"]
    assert (got[2, 3:7] == 2 * x[5, 4:]).all() and np.count_nonzero(got) <= 4
    assert batches and not any(batches)


def test_boxes_that_overlap_in_part_keep_their_order(batches: list[bool]) -> None:
    x = numbers()
    module = kernel("%x[%i, %j]", "%y[%i, %j floordiv 2]")
    got = simulate(module, [x, np.zeros_like(x)])["y"]
    want = np.zeros_like(x)
    for i in range(6):
        for j in (0, 4):
            want[i, j // 2 : j // 2 + 4] = 2 * x[i, j : j + 4]
    assert (got == want).all()
    assert False in batches


def test_a_fault_is_the_one_of_the_first_iteration_that_has_it() -> None:
    x = numbers()
    with pytest.raises(RunError, match=r"writes coordinates \[6, 0\] to \[6, 3\]"):
        simulate(kernel("%x[%i, %j]", "%y[%i + 1, %j]"), [x, np.zeros_like(x)])


def test_a_failed_attempt_leaves_no_trace() -> None:
    """Bytes that only the attempt wrote are as they were, valid ones included."""
    x = numbers()
    module = kernel("%x[%i, %j]", "%y[%i * 2, %j]")
    with pytest.raises(RunError, match="writes coordinates"):
        simulate(module, [x, np.zeros_like(x)])
    once = simulate(kernel("%x[%i, %j]", "%y[%i * 2, %j]", last="%c1"), [x, np.zeros_like(x)])["y"]
    assert (once[0] == 2 * x[0]).all() and not once[1:].any()


FED = """func.func @f(%x: memref<6x4xf16, "MAIN">, %y: memref<24xf16, "MAIN">) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %s = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"A" -> "B", 4xf16>
  scf.for %i = %c0 to %c6 step %c1 {
    ktdf.data_transfer from %x[%i, 0] size [1, 4] to %s size [4]
      : memref<6x4xf16, "MAIN">, !ktdf.fifo.slot<"A" -> "B", 4xf16>
    ktdf.data_transfer from %x[-%i + 5, 2] size [1, 2] to %s size [4] {transfer_mode = "pad"}
      : memref<6x4xf16, "MAIN">, !ktdf.fifo.slot<"A" -> "B", 4xf16>
  }
  scf.for %i = %c0 to %c6 step %c1 {
    ktdf.data_transfer from %s size [4] to %y[%i * 4] size [4]
      : !ktdf.fifo.slot<"A" -> "B", 4xf16>, memref<24xf16, "MAIN">
  }
  return
}"""


def test_a_slot_holds_what_iterations_put_in_their_order(batches: list[bool]) -> None:
    x = numbers()[:, :4].copy()
    got = simulate(parse_text(FED), [x, np.zeros(24, np.float16)])["y"]
    zero = np.zeros(2, np.float16)
    queue = np.concatenate([p for i in range(6) for p in (x[i], x[5 - i, 2:], zero)])
    assert (got == queue[:24]).all()
    assert batches == [True]  # taking from a slot has an order
