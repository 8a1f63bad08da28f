"""The instruction set: op codes, what the fields of an instruction name, and the 16-byte word.

A process has int64 scalar registers ``s0…``, and vector registers ``v0…`` of any dtype and lane
count. Control flow is structured; the only thing that a launch changes is the data of tables.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from attrs import frozen

from kt.binary.formats import FORMATS, NUMBERS

WORD = struct.Struct("<BBHHHq")
NO_INDEX = 0xFFFFFFFF


class Op(IntEnum):
    """Op codes."""

    HALT = 0x00
    NOP = 0x01
    SCONST = 0x02
    SMOV = 0x03
    SADD = 0x04
    SSUB = 0x05
    SMUL = 0x06
    SDIVS = 0x07
    SREMS = 0x08
    SDIVU = 0x09
    SREMU = 0x0A
    SMINS = 0x0B
    SCEILDIVS = 0x0C
    SAND = 0x0D
    SOR = 0x0E
    SXOR = 0x0F
    SCMP = 0x10
    SSEL = 0x11
    SEXT = 0x12
    ZEXT = 0x13
    SMAXS = 0x14
    SMINU = 0x15
    SMAXU = 0x16
    SFLOORDIVS = 0x17
    SCEILDIVU = 0x18
    SSHL = 0x19
    SSHRS = 0x1A
    SSHRU = 0x1B
    LOOP = 0x20
    ENDL = 0x21
    IF = 0x22
    ELSE = 0x23
    ENDIF = 0x24
    UTAB = 0x30
    LDV = 0x40
    STV = 0x41
    XFER = 0x42
    LDS = 0x43
    SEND = 0x50
    RECV = 0x51
    SYNCS = 0x52
    SYNCR = 0x53
    VOP = 0x60
    VSPLAT = 0x61
    VGET = 0x62
    VMOV = 0x63
    VCONST = 0x66
    VSHUF = 0x67
    OPAQUE = 0x7F


ARITHMETIC = frozenset(op for op in Op if Op.SADD <= op <= Op.SXOR or Op.SMAXS <= op <= Op.SSHRU)
"""Ops of two scalars; flag bit 0 makes the second one the immediate."""

IMMEDIATE = 1
"""Flag of arithmetic ops: ``imm`` stands for ``s[b]``."""
WAIT = 1
"""Flag of SYNCS: wait for the unit's own asynchronous transfers first."""

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
DIRECTIONS = ("", "PseudoRandom", "CounterClockwise", "Clockwise", "BothWays")
MAX_DEPTH = 64
"""Deepest nesting of loops and conditionals."""
MAX_REGISTERS = 65535
MAX_LANES = 1 << 20


def pack(low: int, high: int) -> int:
    """Two u32 in one immediate."""
    word = low | high << 32
    return word - (1 << 64) if word >> 63 else word


@frozen
class Instruction:
    """One instruction word; which fields count depends on ``op``, the others are zero."""

    op: Op
    d: int = 0
    a: int = 0
    b: int = 0
    imm: int = 0
    flags: int = 0

    @property
    def low(self) -> int:
        """Low half of the immediate."""
        return self.imm & 0xFFFFFFFF

    @property
    def high(self) -> int:
        """High half of the immediate."""
        return self.imm >> 32 & 0xFFFFFFFF

    # The halves by what they mean.
    step = low
    length = high
    load = low
    store = high
    lanes = high

    @property
    def dtype(self) -> str:
        """Name of the format in the low half."""
        return FORMATS[self.low]

    @property
    def immediate(self) -> bool:
        return bool(self.flags & IMMEDIATE)

    @property
    def wait(self) -> bool:
        return bool(self.flags & WAIT)

    def to_bytes(self) -> bytes:
        return WORD.pack(self.op, self.flags, self.d, self.a, self.b, self.imm)


def formatted(dtype: str, lanes: int) -> int:
    """Immediate of an instruction that names a format and a number of lanes."""
    return pack(NUMBERS[dtype], lanes)


@frozen
class Shape:
    """What the fields of an op name: s/v = read register, S/V = written one, letters of ``imm``.

    ``imm``: ``n`` number, ``-`` unused, ``t`` table, ``x`` access, ``xx`` two accesses, ``k`` constant,
    ``f`` format and lanes, ``p`` predicate, ``s`` scalar register, ``w`` width, ``r`` direction,
    ``j`` distance, ``l`` loop (step register and length).
    """

    d: str = ""
    a: str = ""
    b: str = ""
    imm: str = "-"
    flags: int = 0
    direction: bool = False
    """Field ``a`` is a direction code."""


SHAPES: dict[Op, Shape] = {
    Op.HALT: Shape(),
    Op.NOP: Shape(),
    Op.SCONST: Shape("S", imm="n"),
    Op.SMOV: Shape("S", "s"),
    Op.SCMP: Shape("S", "s", "s", "p"),
    Op.SSEL: Shape("S", "s", "s", "s"),
    Op.SEXT: Shape("S", "s", imm="w"),
    Op.ZEXT: Shape("S", "s", imm="w"),
    Op.LOOP: Shape("S", "s", "s", "l"),
    Op.ENDL: Shape(imm="j"),
    Op.IF: Shape(a="s", imm="j"),
    Op.ELSE: Shape(imm="j"),
    Op.ENDIF: Shape(),
    Op.UTAB: Shape("S", imm="t"),
    Op.LDV: Shape("V", imm="x"),
    Op.STV: Shape(a="v", imm="x"),
    Op.XFER: Shape(imm="xx", direction=True),
    Op.LDS: Shape("S", imm="x"),
    Op.SEND: Shape(a="v", b="s", imm="r"),
    Op.RECV: Shape("V", b="s", imm="f"),
    Op.SYNCS: Shape(b="s", flags=WAIT),
    Op.SYNCR: Shape(b="s"),
    Op.VOP: Shape(imm="k"),
    Op.VSPLAT: Shape("V", "s", imm="f"),
    Op.VGET: Shape("S", "v", imm="f"),
    Op.VMOV: Shape("V", "v"),
    Op.VCONST: Shape("V", imm="k"),
    Op.VSHUF: Shape("V", imm="k"),
    Op.OPAQUE: Shape(imm="k"),
    **{op: Shape("S", "s", "s", "n", IMMEDIATE) for op in sorted(ARITHMETIC)},
}
