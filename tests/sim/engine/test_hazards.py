"""The race detector and the reports of programs that go wrong."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assemble import Assembly, device
from attrs import evolve

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program
from kt.binary.isa import Instruction, Op, pack
from kt.ir.diagnostics import RunError
from kt.parse import parse_path
from kt.sim import Runtime
from kt.sim.simulate import simulate
from kt.sim.streams import Results

KERNELS = Path(__file__).parents[2] / "corpus" / "kernels"


def run(made: Assembly, fill: str | None = "PAD", **options):
    here = Runtime(made.device, **options)
    kernel = here.load(made.program())
    if fill:
        here.memory(fill).put(0, (np.arange(4096) % 251).astype(np.uint8))
    kernel([])
    return here


# -- races ---------------------------------------------------------------------------------------


def hand_over(given: bool, taken: bool, back: bool = True, wait: bool = True) -> Assembly:
    """P writes bytes 64 to 71, Q reads them and gives them back, P writes them again."""
    made = Assembly(device("chain"))
    p = made.on("C0-P", "C0-Q")
    p.copy(8, "C0-PAD", "C0-PAD", 0, 64)
    if given:
        p.give("C0-Q", wait=wait)
    if back:
        p.take("C0-Q")
    p.copy(8, "C0-PAD", "C0-PAD", 8, 64)
    q = made.on("C0-Q", "C0-P")
    if taken:
        q.take("C0-P")
    q.load(0, "C0-PAD", 8, at=64)
    if back:
        q.give("C0-P")
    return made


def test_an_ordered_hand_over_is_clean():
    here = run(hand_over(True, True), hazards=True)
    assert here.memory("PAD").get(64, 8).tolist() == [*range(8, 16)]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"given": False, "taken": False}, r"on unit C0-Q: reads byte 64 of PAD of core 0, which 'xfer' op on unit C0-P writes"),
        ({"given": True, "taken": True, "back": False}, r"overwrites byte 64 of PAD of core 0, which 'ldv' op on unit C0-Q may still read|reads byte 64"),
        ({"given": True, "taken": True, "wait": False}, r"reads byte 64 of PAD of core 0, which 'xfer' op on unit C0-P writes"),
        ({"given": True, "taken": False}, r"reads byte 64 of PAD"),
    ],
)  # fmt: skip
def test_races_name_both_operations(case, message):
    with pytest.raises(RunError, match=message) as caught:
        run(hand_over(**case), hazards=True)
    assert "C0-P" in caught.value.message and "C0-Q" in caught.value.message
    assert caught.value.notes


def test_two_writers_race():
    made = Assembly(device("chain"))
    made.on("C0-P").copy(8, "C0-PAD", "C0-PAD", 0, 64)
    made.on("C0-Q").copy(8, "C0-PAD", "C0-PAD", 8, 68)
    with pytest.raises(
        RunError, match=r"overwrites byte 68 of PAD of core 0, which .* writes as well"
    ):
        run(made, hazards=True)


def test_a_vector_orders_what_came_before_it():
    made = Assembly(device("chain"))
    p = made.on("C0-P", "C0-Q")
    p.splat(0, 3, 8).store(0, "C0-PAD", 8, at=64).send(0, "C0-Q")
    q = made.on("C0-Q", "C0-P")
    q.receive(0, "C0-P", 8).load(1, "C0-PAD", 8, at=64)
    here = run(made, hazards=True)
    assert here.memory("PAD").get(64, 9).tolist() == [3] * 8 + [72]


def test_strided_accesses_are_told_apart():
    """Even and odd bytes of one range don't conflict."""
    made = Assembly(device("chain"))
    for start, unit in enumerate(("C0-P", "C0-Q")):
        asm = made.on(unit)
        asm.splat(0, 1, 8).store(0, "C0-PAD", 8, at=64 + start, stride=2)
    here = run(made, hazards=True)
    assert here.memory("PAD").get(64, 16).tolist() == [1] * 16


def test_signals_that_nobody_awaits_are_found():
    made = Assembly(device("chain"))
    made.on("C0-P", "C0-Q").give("C0-Q").give("C0-Q").splat(0, 1, 8).send(0, "C0-Q")
    made.on("C0-Q", "C0-P").take("C0-P")
    with pytest.raises(RunError, match="unmatched signals in program 'p'") as caught:
        run(made, hazards=True)
    assert (
        "C0-Q never takes 1 vector of C0-P; C0-Q never takes 1 token of C0-P"
        in caught.value.message
    )


# -- compiled kernels ----------------------------------------------------------------------------


@cache
def compiled(name: str, depth: int) -> bytes:
    module, toy = parse_path(KERNELS / f"{name}.mlir"), load_device("toy")
    programs = compile_kernel(module, toy).images
    plan = {image.name: {"depth": depth} for image in programs}
    return compile_kernel(module, toy, plan=plan).to_bytes()


def arguments_of(program: Program) -> dict[str, Any]:
    """Nine rows; a buffer of which nothing is known is large enough for them."""
    shapes = {a.name: (9 * 64,) if a.shape == (-1,) else a.shape for a in program.arguments}
    return {
        a.name: np.full([9 if n < 0 else n for n in shapes[a.name]], 3, np.float16)
        if a.kind == "address"
        else (9 if a.dtype in ("index", "i32") else 2)
        for a in program.arguments
    }


def launch(program: Program, **options) -> Results:
    return Runtime(load_device("toy"), **options).load(program)(arguments_of(program))


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("name", ["affine_broadcast", "dynamic_rows", "relayout_copy"])
def test_compiled_kernels_have_no_races(name, depth):
    program = Program.from_bytes(compiled(name, depth))
    wanted = simulate(parse_path(KERNELS / f"{name}.mlir"), arguments_of(program))
    found = launch(program, hazards=True)
    assert list(found) == list(wanted)
    assert all(np.array_equal(found[buffer], wanted[buffer]) for buffer in wanted)


def without(program: Program, drop: dict[str, Op]) -> Program:
    """The program with all instructions of an op removed from the streams of a kind."""
    images = []
    for image in program.images:
        streams = []
        for stream in image.streams:
            op = drop.get(stream.kind)
            code = [Instruction(Op.NOP) if x.op is op else x for x in stream.code]
            streams.append(evolve(stream, code=tuple(code)))
        images.append(evolve(image, streams=tuple(streams)))
    return evolve(program, images=tuple(images))


def test_a_dropped_signal_in_a_compiled_kernel_is_found():
    program = Program.from_bytes(compiled("dynamic_rows", 2))
    # Both sides of the rendezvous between loader and feeder are gone: the feeder reads old data.
    silent = without(
        without(program, {"DMAI": Op.SYNCS, "FEED": Op.SYNCR}), {"FEED": Op.SYNCS, "DMAI": Op.SYNCR}
    )
    with pytest.raises(RunError) as caught:
        launch(silent, hazards=True, checks=False)
    assert "DMAI" in caught.value.message.upper() and "FEED" in caught.value.message.upper()
    assert caught.value.location.position() is not None
    # Only the waiting side is gone: the same, and tokens are left over.
    with pytest.raises(RunError, match=r"byte|never takes"):
        launch(without(program, {"FEED": Op.SYNCR}), hazards=True, checks=False)
    # Only the giving side is gone: a deadlock, that says who waits for whom.
    with pytest.raises(RunError, match="waits for a token of") as caught:
        launch(without(program, {"DMAI": Op.SYNCS}))
    assert "deadlock" in caught.value.message


# -- deadlocks and faults ------------------------------------------------------------------------


def test_a_deadlock_names_the_ring():
    made = Assembly(device("chain"))
    made.on("C0-P", "C0-Q").receive(0, "C0-Q", 8)
    made.on("C0-Q", "C0-R").take("C0-R")
    r = made.on("C0-R", "C0-P", "C0-V")
    r.take("C0-P")
    made.on("C0-V", "C0-R").receive(0, "C0-R", 8)  # waits for the ring, but is not part of it
    with pytest.raises(RunError) as caught:
        run(made)
    assert caught.value.message == (
        "deadlock in program 'p': 4 of 4 units can't go on; C0-P waits for a vector from C0-Q; "
        "C0-Q waits for a token of C0-R; C0-R waits for a token of C0-P"
    )
    assert len(caught.value.notes) == 4
    assert "C0-V waits for a vector from C0-R" in caught.value.notes[3].message


def test_a_full_fifo_can_deadlock():
    made = Assembly(device("chain"))
    made.on("C0-P", "C0-Q").splat(0, 1, 8).send(0, "C0-Q").send(0, "C0-Q").take("C0-Q")
    made.on("C0-Q", "C0-P").take("C0-P").receive(0, "C0-P", 8)
    with pytest.raises(
        RunError, match="C0-P waits for room in the FIFO to C0-Q; C0-Q waits for a token"
    ):
        run(made)


def test_waiting_for_a_unit_that_has_ended():
    made = Assembly(device("chain"))
    made.on("C0-P", "C0-Q").take("C0-Q")
    made.on("C0-Q").scalar(1)
    with pytest.raises(RunError, match="C0-P waits for a token of C0-Q, which has ended"):
        run(made)


def test_uninitialised_bytes_are_found():
    made = Assembly(device("chain"))
    made.on("C0-P").load(0, "C0-PAD", 8, at=16)
    with pytest.raises(
        RunError, match="'ldv' op on unit C0-P: reads byte 16 of PAD of core 0, which was never"
    ):
        run(made, fill=None)
    run(made, fill=None, checks=False)


def test_accesses_outside_of_view_or_memory_are_found():
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    i = asm.loop(4)
    asm.load(0, "C0-PAD", 8, terms=[(i, 8)], limit=24).end()
    with pytest.raises(RunError, match="C0-P: accesses element 31 of a view of elements 0 to 23"):
        run(made)
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    i = asm.loop(2)
    asm.load(0, "C0-PAD", 8, terms=[(i, 65532)]).end()
    with pytest.raises(
        RunError, match=r"accesses bytes 65532 to 65539 of PAD of core 0, which has 65536"
    ):
        run(made)


def test_a_vector_of_another_type_is_an_error():
    made = Assembly(device("chain"))
    made.on("C0-P", "C0-Q").splat(0, 1, 8).send(0, "C0-Q")
    made.on("C0-Q", "C0-P").receive(0, "C0-P", 4, "f16")
    with pytest.raises(
        RunError, match="receives a vector of 8 lanes of i8 where 4 of f16 are expected"
    ):
        run(made)


def test_registers_have_one_type():
    made = Assembly(device("chain"))
    made.on("C0-P").splat(0, 1, 8).splat(0, 1, 4)
    with pytest.raises(
        RunError, match="v0 of P holds 8 lanes of i8 in one place and 4 lanes of i8"
    ):
        run(made)


# -- transfers -----------------------------------------------------------------------------------


def test_time_dimensions_may_come_from_registers():
    """Rows of 4 bytes, as many as a register says, from a table with rows of 16."""
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    count = asm.loop(4)
    load = asm.access("C0-PAD", 4, times=[(count, 16, True)])
    store = asm.access("C0-PAD", 4, at=1024, terms=[(count, 64)], times=[(count, 4, True)])
    asm.op(Op.XFER, imm=pack(load, store)).end()
    here = Runtime(made.device)
    kernel = here.load(made.program())
    table = np.arange(64, dtype=np.uint8).reshape(4, 16)
    here.memory("PAD").put(0, table)
    kernel([])
    for rows in range(1, 4):
        found = here.memory("PAD").get(1024 + 64 * rows, 4 * rows).reshape(rows, 4)
        assert np.array_equal(found, table[:rows, :4])
    # No row: no byte, no cycle. Then 4, 8 and 12 bytes, at a byte per cycle.
    assert kernel.last.cycles == 4 + 8 + 12
    assert kernel.last.bytes["PAD"].read == 24


def test_negative_strides_and_wrong_ends():
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    asm.load(0, "C0-PAD", 8, at=7, stride=-1).store(0, "C0-PAD", 8, at=64)
    here = Runtime(made.device)
    kernel = here.load(made.program())
    here.memory("PAD").put(0, np.arange(8, dtype=np.uint8))
    kernel([])
    assert here.memory("PAD").get(64, 8).tolist() == list(range(7, -1, -1))


def test_granules_are_counted_whole():
    """The toy device's loader moves words of 16 bytes: 6 bytes across a border are two of them."""
    made = Assembly(load_device("toy"))
    made.on("C0-DMAI").copy(6, "MAIN", "C0-PAD", at=12, to=0)
    here = Runtime(made.device)
    kernel = here.load(made.program())
    here.memory().put(0, np.zeros(64, np.uint8))
    kernel([])
    assert (kernel.last.bytes["MAIN"].read, kernel.last.bytes["MAIN"].moved_read) == (6, 32)
    assert kernel.last.bytes["PAD"].moved_written == 16
    # issue 4, 32 bytes at 16 per cycle; complete after 20 + 2 cycles of latency.
    assert kernel.last.units["C0-DMAI"].busy == 4 + 2
    assert kernel.last.cycles == 6 + 22
