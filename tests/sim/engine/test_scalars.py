"""Scalar instructions: int64 that wraps, unsigned reading, faults."""

from __future__ import annotations

import numpy as np
import pytest
from assemble import Asm, Assembly, device

from kt.binary.isa import PREDICATES, Op, formatted, pack
from kt.ir.diagnostics import RunError
from kt.sim import Runtime

LOW, HIGH = -(1 << 63), (1 << 63) - 1
VALUES = [0, 1, -1, 2, -3, 7, 64, 63, LOW, LOW + 1, HIGH, HIGH - 1, 1 << 32, -(1 << 32) - 5]


def wrapped(value: int) -> int:
    return (value - LOW) % (1 << 64) + LOW


def truncated(a: int, b: int) -> int:
    return -(-a // b) if (a < 0) != (b < 0) else a // b


def bits(a: int) -> int:
    return a % (1 << 64)


MEANING = {
    Op.SADD: lambda a, b: a + b,
    Op.SSUB: lambda a, b: a - b,
    Op.SMUL: lambda a, b: a * b,
    Op.SDIVS: truncated,
    Op.SREMS: lambda a, b: a - truncated(a, b) * b,
    Op.SDIVU: lambda a, b: bits(a) // bits(b),
    Op.SREMU: lambda a, b: bits(a) % bits(b),
    Op.SMINS: min,
    Op.SMAXS: max,
    Op.SMINU: lambda a, b: a if bits(a) <= bits(b) else b,
    Op.SMAXU: lambda a, b: a if bits(a) >= bits(b) else b,
    Op.SCEILDIVS: lambda a, b: a // b + (a % b != 0),
    Op.SFLOORDIVS: lambda a, b: a // b,
    Op.SCEILDIVU: lambda a, b: bits(a) // bits(b) + (bits(a) % bits(b) != 0),
    Op.SAND: lambda a, b: a & b,
    Op.SOR: lambda a, b: a | b,
    Op.SXOR: lambda a, b: a ^ b,
    Op.SSHL: lambda a, b: a << b,
    Op.SSHRS: lambda a, b: a >> b,
    Op.SSHRU: lambda a, b: bits(a) >> b,
}
DIVISIONS = {Op.SDIVS, Op.SREMS, Op.SDIVU, Op.SREMU, Op.SCEILDIVS, Op.SFLOORDIVS, Op.SCEILDIVU}
SHIFTS = {Op.SSHL, Op.SSHRS, Op.SSHRU}


def keep(asm: Asm, registers: list[int]) -> None:
    """Store scalar registers at the start of the scratchpad."""
    for at, register in enumerate(registers):
        asm.op(Op.VSPLAT, d=0, a=register, imm=formatted("i64", 1))
        asm.types[0] = ("i64", 1)
        asm.store(0, "C0-PAD", 1, "i64", at=at)


def run(asm: Asm, count: int) -> list[int]:
    runtime = Runtime(asm.program.device)
    runtime.load(asm.program.program())([])
    return runtime.memory("PAD").get(0, 8 * count).view(np.int64).tolist()


def unit() -> Asm:
    return Assembly(device("chain")).on("C0-P")


def new(asm: Asm) -> int:
    asm.sregs += 1
    return asm.sregs - 1


@pytest.mark.parametrize("op", list(MEANING), ids=lambda op: op.name)
def test_arithmetic(op):
    pairs = [(a, b) for a in VALUES for b in VALUES]
    if op in DIVISIONS:
        pairs = [(a, b) for a, b in pairs if b]
    if op in SHIFTS:
        pairs = [(a, b) for a, b in pairs if 0 <= b < 64]
    asm = unit()
    registers = []
    for number, (a, b) in enumerate(pairs):
        registers.append(new(asm))
        left = asm.scalar(a)
        if number % 2:
            asm.op(op, d=registers[-1], a=left, imm=b, flags=1)
        else:
            asm.op(op, d=registers[-1], a=left, b=asm.scalar(b))
    keep(asm, registers)
    assert run(asm, len(pairs)) == [wrapped(MEANING[op](a, b)) for a, b in pairs]


def test_compare_select_and_extension():
    wanted, registers, asm = [], [], unit()
    for number, name in enumerate(PREDICATES):
        for a, b in ((3, 3), (-1, 1), (1, -1), (LOW, HIGH)):
            x, y = (bits(a), bits(b)) if name.startswith("u") else (a, b)
            holds = {
                "eq": x == y,
                "ne": x != y,
                "lt": x < y,
                "le": x <= y,
                "gt": x > y,
                "ge": x >= y,
            }
            wanted.append(int(holds[name if name in holds else name[1:]]))
            registers.append(new(asm))
            asm.op(Op.SCMP, d=registers[-1], a=asm.scalar(a), b=asm.scalar(b), imm=number)
    for value in (0, 5):
        wanted.append(11 if value else 22)
        registers.append(new(asm))
        asm.op(Op.SSEL, d=registers[-1], a=asm.scalar(11), b=asm.scalar(22), imm=asm.scalar(value))
    for op, width, value, result in (
        (Op.SEXT, 8, 0x1FF, -1),
        (Op.SEXT, 1, 1, -1),
        (Op.SEXT, 64, LOW, LOW),
        (Op.ZEXT, 8, -1, 255),
        (Op.ZEXT, 64, -1, -1),
        (Op.SMOV, 0, 17, 17),
    ):
        wanted.append(result)
        registers.append(new(asm))
        asm.op(op, d=registers[-1], a=asm.scalar(value), imm=width)
    keep(asm, registers)
    assert run(asm, len(registers)) == wanted


def test_loops_and_conditions():
    """Σ over i in 2, 5, 8 of (i if i is odd, else -1)."""
    asm = unit()
    total, start, stop, step = asm.scalar(0), asm.scalar(2), asm.scalar(11), asm.scalar(3)
    minus = asm.scalar(-1)
    i, odd = new(asm), new(asm)
    body = [
        (Op.SAND, {"d": odd, "a": i, "imm": 1, "flags": 1}),
        (Op.IF, {"a": odd, "imm": 2}),
        (Op.SADD, {"d": total, "a": total, "b": i}),
        (Op.ELSE, {"imm": 2}),
        (Op.SADD, {"d": total, "a": total, "b": minus}),
        (Op.ENDIF, {}),
    ]
    asm.op(Op.LOOP, d=i, a=start, b=stop, imm=pack(step, len(body) + 1))
    for op, fields in body:
        asm.op(op, **fields)
    asm.op(Op.ENDL, imm=len(body) + 1)
    keep(asm, [total])
    assert run(asm, 1) == [-1 + 5 - 1]


@pytest.mark.parametrize(
    ("op", "b", "message"),
    [
        (Op.SDIVS, 0, "divides by zero"),
        (Op.SREMU, 0, "divides by zero"),
        (Op.SSHL, 64, "shifts 64 bits by 64"),
        (Op.SSHRU, -1, "shifts 64 bits by -1"),
    ],
)
def test_undefined_arithmetic_is_an_error(op, b, message):
    asm = unit()
    asm.op(op, d=new(asm), a=asm.scalar(8), b=asm.scalar(b))
    with pytest.raises(RunError, match=f"'{op.name.lower()}' op on unit C0-P: {message}"):
        run(asm, 0)


def test_loops_need_a_positive_step_and_have_an_end():
    asm = unit()
    first = asm.scalar(0)
    asm.op(Op.LOOP, d=new(asm), a=first, b=first, imm=pack(first, 1)).op(Op.ENDL, imm=1)
    with pytest.raises(RunError, match="a loop has step 0"):
        run(asm, 0)
    asm = unit()
    asm.loop(HIGH)
    asm.end()
    with pytest.raises(RunError, match=f"'loop' op on unit C0-P: a loop has {HIGH} trips, but"):
        run(asm, 0)


def test_a_register_that_is_never_set_is_an_error():
    asm = unit()
    asm.op(Op.SADD, d=new(asm), a=new(asm), imm=1, flags=1)
    with pytest.raises(
        RunError, match="'sadd' op on unit C0-P: uses a register that was never set"
    ):
        run(asm, 0)


def test_scalar_loads_feed_addresses():
    """Gather: rows of 4 bytes in the order that a table of numbers gives."""
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    i = asm.loop(3)
    row, offset = new(asm), new(asm)
    asm.op(Op.LDS, d=row, imm=asm.access("C0-PAD", 1, "i16", terms=[(i, 1)]))
    asm.op(Op.SMUL, d=offset, a=row, imm=4, flags=1)
    asm.load(0, "C0-PAD", 4, at=64, terms=[(offset, 1)])
    four = new(asm)
    asm.op(Op.SMUL, d=four, a=i, imm=4, flags=1)
    asm.store(0, "C0-PAD", 4, at=256, terms=[(four, 1)])
    asm.end()
    runtime = Runtime(made.device)
    memory = runtime.memory("PAD")
    rows = np.arange(40, dtype=np.int8).reshape(10, 4)
    memory.put(0, np.array([7, 0, 3], np.int16))
    memory.put(64, rows)
    kernel = runtime.load(made.program())
    kernel([])
    assert (memory.get(256, 12).view(np.int8).reshape(3, 4) == rows[[7, 0, 3]]).all()
    # The clock alone can't know which rows: data stays on.
    assert kernel.images[0].mode.data


def test_vget_gives_bits_and_signed_integers():
    asm = unit()
    registers = []
    for value, dtype, wanted in ((0x3C00, "f16", 0x3C00), (0xFF, "i8", -1), (1, "i1", 1)):
        asm.splat(0 if dtype == "f16" else 1 if dtype == "i8" else 2, value, 4, dtype)
        registers.append((new(asm), wanted))
        asm.op(Op.VGET, d=registers[-1][0], a=list(asm.types)[-1], imm=formatted(dtype, 1))
    # Vectors of one lane of i64 need a register of their own.
    asm.types[9] = ("i64", 1)
    for at, (register, _) in enumerate(registers):
        asm.op(Op.VSPLAT, d=9, a=register, imm=formatted("i64", 1))
        asm.store(9, "C0-PAD", 1, "i64", at=at)
    assert run(asm, 3) == [wanted for _, wanted in registers]
