"""Programs written by hand for the engine: streams of instructions on the units of a test device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from attrs import define, field

from kt.arch import Device, load_device
from kt.binary import Program
from kt.binary.image import write_image
from kt.binary.isa import Instruction, Op, formatted, pack
from kt.binary.model import (
    Access,
    Constant,
    Contents,
    Image,
    Launch,
    MemoryInfo,
    Operand,
    Stream,
    Table,
    TimeDim,
    Unit,
    VectorOp,
)
from kt.binary.plans import prepare_plan

DEVICES = Path(__file__).parent / "devices"


def device(name: str) -> Device:
    return load_device(DEVICES / f"{name}.mlir")


@define
class Asm:
    """The stream of one unit (``C0-P`` is unit P of core 0, ``C0-P.1`` its second instance)."""

    program: Assembly
    unit: str
    code: list[Instruction] = field(factory=list)
    tables: list[Table] = field(factory=list)
    accesses: list[Access] = field(factory=list)
    types: dict[int, tuple[str, int]] = field(factory=dict)
    sregs: int = 0
    _loops: list[int] = field(factory=list)
    _peers: dict[str, int] = field(factory=dict)

    def op(self, op: Op, **fields: Any) -> Self:
        self.code.append(Instruction(op, **fields))
        return self

    def scalar(self, value: int) -> int:
        """A register that holds a number."""
        self.sregs += 1
        self.op(Op.SCONST, d=self.sregs - 1, imm=value)
        return self.sregs - 1

    def peer(self, unit: str) -> int:
        """A register that holds another unit; set at the start of the stream."""
        if unit not in self._peers:
            assert not self._loops, "name peers before the first loop"
            self.tables.append(Table((self.program.unit(unit),), True))
            self._peers[unit] = self.sregs
            self.op(Op.UTAB, d=self.sregs, imm=len(self.tables) - 1)
            self.sregs += 1
        return self._peers[unit]

    def loop(self, count: int) -> int:
        """Open a loop; returns the register of its counter."""
        start, stop, step = self.scalar(0), self.scalar(count), self.scalar(1)
        self.sregs += 1
        self._loops.append(len(self.code))
        self.op(Op.LOOP, d=self.sregs - 1, a=start, b=stop, imm=step)
        return self.sregs - 1

    def end(self) -> Self:
        """Close the innermost loop."""
        at = self._loops.pop()
        opened, length = self.code[at], len(self.code) - at
        self.code[at] = Instruction(Op.LOOP, opened.d, opened.a, opened.b, pack(opened.imm, length))
        return self.op(Op.ENDL, imm=length)

    def access(
        self,
        memory: str,
        lanes: int,
        dtype: str = "i8",
        at: int = 0,
        terms: Sequence[tuple[int, int]] = (),
        stride: int = 1,
        times: Sequence[tuple[Any, ...]] = (),
        limit: int = 1 << 20,
    ) -> int:
        """A new access to a view that begins at byte 0 of a memory; ``at`` counts elements."""
        self.tables.append(Table((self.program.unit(memory),), True))
        self.accesses.append(
            Access(len(self.tables) - 1, dtype, lanes, None, 0, 0, at, tuple(terms),
                   ((lanes, stride),), tuple(TimeDim(*t) for t in times), 0, limit - 1)
        )  # fmt: skip
        return len(self.accesses) - 1

    def load(self, register: int, memory: str, lanes: int, dtype: str = "i8", **how: Any) -> Self:
        self.types[register] = (dtype, lanes)
        return self.op(Op.LDV, d=register, imm=self.access(memory, lanes, dtype, **how))

    def store(self, register: int, memory: str, lanes: int, dtype: str = "i8", **how: Any) -> Self:
        return self.op(Op.STV, a=register, imm=self.access(memory, lanes, dtype, **how))

    def copy(self, size: int, source: str, target: str, at: int = 0, to: int = 0) -> Self:
        """Transfer ``size`` bytes."""
        load, store = self.access(source, size, at=at), self.access(target, size, at=to)
        return self.op(Op.XFER, imm=pack(load, store))

    def send(self, register: int, unit: str) -> Self:
        return self.op(Op.SEND, a=register, b=self.peer(unit))

    def receive(self, register: int, unit: str, lanes: int, dtype: str = "i8") -> Self:
        self.types[register] = (dtype, lanes)
        return self.op(Op.RECV, d=register, b=self.peer(unit), imm=formatted(dtype, lanes))

    def give(self, unit: str, wait: bool = True) -> Self:
        return self.op(Op.SYNCS, b=self.peer(unit), flags=int(wait))

    def take(self, unit: str) -> Self:
        return self.op(Op.SYNCR, b=self.peer(unit))

    def splat(self, register: int, value: int, lanes: int, dtype: str = "i8") -> Self:
        self.types[register] = (dtype, lanes)
        return self.op(Op.VSPLAT, d=register, a=self.scalar(value), imm=formatted(dtype, lanes))

    def vector(self, name: str, result: int, *operands: int, attrs: str = "", **type: Any) -> Self:
        """A vector op on registers of one type (or a result of another one)."""
        out = (type.get("dtype"), type.get("lanes")) if type else self.types[operands[0]]
        self.types[result] = out
        constant = VectorOp(
            name,
            attrs,
            (Operand(False, result, *out),),
            tuple(Operand(False, o, *self.types[o]) for o in operands),
        )
        return self.op(Op.VOP, imm=self.program.constant(constant))

    def stream(self) -> Stream:
        assert not self._loops
        unit = self.program.units[self.program.unit(self.unit)]
        registers = [*self.types, *(x.d for x in self.code)]
        return Stream(
            unit.kind, (self.program.unit(self.unit),), self.sregs + 1, max(registers, default=0) + 1,
            tuple(self.tables), tuple(self.accesses), (*self.code, Instruction(Op.HALT)),
        )  # fmt: skip


@define
class Assembly:
    """A program of one image without arguments."""

    device: Device
    cores: int = 1
    units: list[Unit] = field(factory=list)
    memories: list[MemoryInfo] = field(factory=list)
    streams: list[Asm] = field(factory=list)
    constants: list[Constant] = field(factory=list)

    def on(self, unit: str, *peers: str) -> Asm:
        """A new stream; streams are in program-unit order."""
        made = Asm(self, unit)
        for peer in peers:
            made.peer(peer)
        self.streams.append(made)
        return made

    def unit(self, name: str) -> int:
        """The number of a unit or memory; a memory without ``C0-`` is the one of the device."""
        for number, unit in enumerate(self.units):
            if unit.name == name:
                return number
        core, _, kind = name.rpartition("-")
        kind, _, instance = kind.partition(".")
        where = int(core[1:]) if core else None
        memory = None
        if kind in self.device.memory_kinds:
            found = self.device.memory(kind, where or 0)
            memory = len(self.memories)
            self.memories.append(
                MemoryInfo(name, kind, self.device.scope(kind), found.size or 0, where)
            )
        corelet = int(instance) if instance else None
        self.units.append(Unit(name, kind, where, corelet, memory))
        return len(self.units) - 1

    def constant(self, constant: Constant) -> int:
        self.constants.append(constant)
        return len(self.constants) - 1

    def program(self) -> Program:
        """The artifact, read back from its bytes."""
        streams = tuple(asm.stream() for asm in self.streams)
        image = Image("p", (), streams, tuple(self.constants), ())
        size = len(write_image(image, lambda text: 1))
        metadata = {
            "abi": 1,
            "kernel": "k",
            "producer": "kt",
            "grid": [self.cores],
            "device": {"name": self.device.name, "digest": ""},
        }
        contents = Contents(
            metadata, (), tuple(self.units), tuple(self.memories), (), (image,), ((),),
            (Launch(0, 0),), prepare_plan([size]),
        )  # fmt: skip
        made = Program.of(contents)
        return Program.from_bytes(made.to_bytes())
