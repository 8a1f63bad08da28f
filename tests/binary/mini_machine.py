"""The meaning of the instruction set in its plainest form, for tests of the encoder.

Processes are generators that yield while they can't go on. Memories are byte arrays by unit name; a
register file is private to the unit that uses it. No clock.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kt.binary import Op, Program
from kt.binary.formats import item_size
from kt.binary.model import Access, Image, Lanes, Shuffle, VectorOp
from kt.ir.numbers import decode, dtype, encode, from_bits, to_bits

VectorFunction = Callable[..., np.ndarray]
INT64 = 1 << 64


def wrapped(value: int) -> int:
    return (value + (1 << 63)) % INT64 - (1 << 63)


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC: dict[Op, Callable[[int, int], int]] = {
    Op.SADD: lambda a, b: a + b,
    Op.SSUB: lambda a, b: a - b,
    Op.SMUL: lambda a, b: a * b,
    Op.SDIVS: truncated,
    Op.SREMS: lambda a, b: a - truncated(a, b) * b,
    Op.SDIVU: lambda a, b: (a % INT64) // (b % INT64),
    Op.SREMU: lambda a, b: (a % INT64) % (b % INT64),
    Op.SMINS: min,
    Op.SMAXS: max,
    Op.SMINU: lambda a, b: min(a % INT64, b % INT64),
    Op.SMAXU: lambda a, b: max(a % INT64, b % INT64),
    Op.SCEILDIVS: lambda a, b: -(-a // b),
    Op.SCEILDIVU: lambda a, b: -(-(a % INT64) // (b % INT64)),
    Op.SFLOORDIVS: lambda a, b: a // b,
    Op.SAND: lambda a, b: a & b,
    Op.SOR: lambda a, b: a | b,
    Op.SXOR: lambda a, b: a ^ b,
    Op.SSHL: lambda a, b: a << b,
    Op.SSHRS: lambda a, b: a >> b,
    Op.SSHRU: lambda a, b: (a % INT64) >> b,
}
COMPARE: list[Callable[[int, int], bool]] = [
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    lambda a, b: a % INT64 < b % INT64,
    lambda a, b: a % INT64 <= b % INT64,
    lambda a, b: a % INT64 > b % INT64,
    lambda a, b: a % INT64 >= b % INT64,
]


class Machine:
    """Runs a program. ``functions``: by op name, ``f(*operands, attrs)`` on compute arrays."""

    def __init__(
        self, program: Program, functions: dict[str, VectorFunction], size: int = 1 << 16
    ) -> None:
        self.program = program
        self.functions = functions
        self.memories = {m.name: np.zeros(size, np.uint8) for m in program.memories}
        self.registers: dict[tuple[int, int], np.ndarray] = defaultdict(
            lambda: np.zeros(size, np.uint8)
        )
        self.fifos: dict[tuple[int, int], deque] = defaultdict(deque)
        self.tokens: dict[tuple[int, int], int] = defaultdict(int)

    def run(self, values: list[int]) -> None:
        for call in self.program.launches(values):
            image = self.program.images[call.image]
            tables = image.bind(call.symbols)
            processes = [
                Process(self, image, s, ordinal, tables[s]).run()
                for s, stream in enumerate(image.streams)
                for ordinal in range(len(stream.units))
            ]
            while processes:
                alive = [p for p in processes if next(p, None) is not None]
                # A state in which nobody moved is a deadlock; every yield True says "I moved".
                assert len(alive) < len(processes) or self.moved(), "deadlock"
                processes = alive

    progress = 0
    seen = -1

    def moved(self) -> bool:
        before, self.seen = self.seen, self.progress
        return before != self.progress


class Process:
    def __init__(
        self, machine: Machine, image: Image, stream: int, ordinal: int, tables: Any
    ) -> None:
        self.machine, self.image, self.stream = machine, image, image.streams[stream]
        self.unit = self.stream.units[ordinal]
        self.ordinal, self.tables = ordinal, tables
        self.s = [0] * self.stream.num_sregs
        self.v: list[Any] = [None] * self.stream.num_vregs

    def run(self) -> Iterator[bool]:
        yield from self.block(0, len(self.stream.code) - 1)

    def block(self, at: int, end: int) -> Iterator[bool]:
        code, s = self.stream.code, self.s
        while at < end:
            i = code[at]
            self.machine.progress += 1
            if i.op is Op.LOOP:
                for count in range(s[i.a], s[i.b], s[i.step]):
                    s[i.d] = count
                    yield from self.block(at + 1, at + i.length)
                at += i.length
            elif i.op is Op.IF:
                middle = at + i.imm
                last = middle + code[middle].imm if code[middle].op is Op.ELSE else middle
                if s[i.a]:
                    yield from self.block(at + 1, middle)
                else:
                    yield from self.block(min(middle + 1, last), last)
                at = last
            elif i.op in (Op.RECV, Op.SYNCR):
                key = (s[i.b], self.unit)
                while not (
                    self.machine.fifos[key] if i.op is Op.RECV else self.machine.tokens[key]
                ):
                    self.machine.progress -= 1
                    yield True
                    self.machine.progress += 1
                if i.op is Op.RECV:
                    lanes = self.machine.fifos[key].popleft()
                    assert (lanes.dtype, len(lanes)) == (dtype(i.dtype).compute, i.lanes)
                    self.v[i.d] = lanes
                else:
                    self.machine.tokens[key] -= 1
            else:
                self.step(i)
            at += 1

    def step(self, i: Any) -> None:
        s, v, machine = self.s, self.v, self.machine
        if i.op in ARITHMETIC:
            s[i.d] = wrapped(ARITHMETIC[i.op](s[i.a], i.imm if i.immediate else s[i.b]))
            return
        match i.op:
            case Op.SCONST:
                s[i.d] = i.imm
            case Op.SMOV:
                s[i.d] = s[i.a]
            case Op.VMOV:
                v[i.d] = v[i.a]
            case Op.SEXT | Op.ZEXT:
                low = s[i.a] % (1 << i.imm)
                s[i.d] = low - (1 << i.imm) if i.op is Op.SEXT and low >> (i.imm - 1) else low
            case Op.SCMP:
                s[i.d] = int(COMPARE[i.imm](s[i.a], s[i.b]))
            case Op.SSEL:
                s[i.d] = s[i.a] if s[i.imm] else s[i.b]
            case Op.UTAB:
                s[i.d] = self.tables[i.imm][self.ordinal]
            case Op.LDV:
                v[i.d] = self.load(self.stream.accesses[i.imm])[0]
            case Op.LDS:
                s[i.d] = int(self.load(self.stream.accesses[i.imm])[0][0])
            case Op.STV:
                self.store(self.stream.accesses[i.imm], [v[i.a]])
            case Op.XFER:
                self.store(self.stream.accesses[i.store], self.load(self.stream.accesses[i.load]))
            case Op.SEND:
                machine.fifos[self.unit, s[i.b]].append(v[i.a])
            case Op.SYNCS:
                machine.tokens[self.unit, s[i.b]] += 1
            case Op.VOP:
                self.vector_op(self.image.constants[i.imm])
            case Op.VSPLAT:
                form = dtype(i.dtype)
                bits = np.full(i.lanes, s[i.a] % (1 << form.bits), np.uint64)
                v[i.d] = from_bits(bits.astype(f"u{form.itemsize}"), form)
            case Op.VGET:
                form = dtype(i.dtype)
                lane = np.asarray(v[i.a])[0]
                s[i.d] = int(lane) if form.is_integer else int(to_bits(np.asarray(lane), form))
            case Op.VCONST:
                constant = self.image.constants[i.imm]
                assert isinstance(constant, Lanes)
                v[i.d] = self.decoded(constant.array().tobytes(), constant.dtype)
            case Op.VSHUF:
                self.shuffle(i.d, self.image.constants[i.imm])
            case _:
                raise AssertionError(i)

    @staticmethod
    def decoded(data: bytes, name: str) -> np.ndarray:
        form = dtype(name)
        return np.asarray(decode(np.frombuffer(data, form.storage), form))

    @staticmethod
    def encoded(values: np.ndarray, name: str) -> np.ndarray:
        form = dtype(name)
        stored = np.ascontiguousarray(encode(values, form))
        return stored.view(np.uint8).reshape(len(values), form.itemsize)

    def vector_op(self, op: Any) -> None:
        assert isinstance(op, VectorOp)
        operands = []
        for part in op.operands:
            if part.is_scalar:
                form = dtype(part.dtype)
                raw = np.asarray([self.s[part.register] % (1 << form.bits)], np.uint64)
                operands.append(from_bits(raw.astype(f"u{form.itemsize}"), form))
            else:
                operands.append(self.v[part.register])
        results = self.machine.functions[op.name](*operands, op.attrs)
        for part, value in zip(op.results, results if isinstance(results, tuple) else (results,)):
            value = np.broadcast_to(value, (part.lanes,)).astype(dtype(part.dtype).compute)
            self.v[part.register] = value

    def shuffle(self, target: int, constant: Any) -> None:
        assert isinstance(constant, Shuffle)
        row = np.concatenate([self.v[r] for r, _ in constant.inputs])
        picked = [row[k] if k >= 0 else row.dtype.type(0) for k in constant.indices]
        self.v[target] = np.tile(np.asarray(picked, row.dtype), constant.repetition)

    def places(self, access: Access) -> Iterator[tuple[np.ndarray, list[int]]]:
        """The memory and the byte addresses of the lanes, per time step."""
        s = self.s
        unit = self.machine.program.units[self.tables[access.table][self.ordinal]]
        info = self.machine.program.memories[unit.memory]
        private = info.scope == "unit"
        memory = (
            self.machine.registers[self.unit, unit.memory]
            if private
            else self.machine.memories[info.name]
        )
        base = access.start_bytes + (
            s[access.start] * access.start_scale if access.start is not None else 0
        )
        element = access.const + sum(c * s[r] for r, c in access.terms)
        lanes = offsets(access.lane_dims)
        times = offsets(
            [(s[d.count] if d.is_register else d.count, d.stride) for d in access.time_dims]
        )
        for step in times:
            at = [element + step + lane for lane in lanes]
            assert all(access.minimum <= e <= access.maximum for e in at), (at, access)
            yield memory, [base + e * item_size(access.dtype) for e in at]

    def load(self, access: Access) -> list[np.ndarray]:
        size = item_size(access.dtype)
        found = []
        for memory, at in self.places(access):
            raw = np.concatenate([memory[a : a + size] for a in at])
            found.append(self.decoded(raw.tobytes(), access.dtype))
        return found

    def store(self, access: Access, vectors: list[np.ndarray]) -> None:
        size = item_size(access.dtype)
        for (memory, at), vector in zip(self.places(access), vectors, strict=True):
            for a, raw in zip(at, self.encoded(vector, access.dtype), strict=True):
                memory[a : a + size] = raw


def offsets(dims: Any) -> list[int]:
    """All sums of digit times stride, the last dim fastest."""
    found = [0]
    for count, stride in dims:
        found = [base + k * stride for base in found for k in range(count)]
    return found
