"""Streams as Python code.

The instructions of a stream become one generator function, so that scalar arithmetic, loops and
conditions cost what they cost in Python. It yields where a process may have to wait: ``yield pc`` when
a queue doesn't let it go on, and ``yield ~pc`` to be resumed in the order of cycles before it uses a
memory that several units share. ``t`` is the local clock of the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define, field

from kt.binary.isa import Op
from kt.binary.model import Access, Image, Stream, VectorOp
from kt.sim.engine.vectors import operand_registers

BINARY = {
    Op.SADD: "W({a} + {b})", Op.SSUB: "W({a} - {b})", Op.SMUL: "W({a} * {b})",
    Op.SDIVS: "W(DIV({a}, {b}))", Op.SREMS: "REM({a}, {b})",
    Op.SDIVU: "W(DIVU({a}, {b}))", Op.SREMU: "W(REMU({a}, {b}))",
    Op.SMINS: "min({a}, {b})", Op.SMAXS: "max({a}, {b})",
    Op.SMINU: "min({a}, {b}, key=U)", Op.SMAXU: "max({a}, {b}, key=U)",
    Op.SCEILDIVS: "W(-DIVF(-({a}), {b}))", Op.SFLOORDIVS: "W(DIVF({a}, {b}))",
    Op.SCEILDIVU: "W(-DIVF(-U({a}), U({b})))",
    Op.SAND: "{a} & {b}", Op.SOR: "{a} | {b}", Op.SXOR: "{a} ^ {b}",
    Op.SSHL: "W({a} << U({b}))", Op.SSHRS: "{a} >> U({b})", Op.SSHRU: "W(U({a}) >> U({b}))",
}  # fmt: skip
COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
BITS, HALF = (1 << 64) - 1, 1 << 63


def wrap(value: int) -> int:
    """The low 64 bits as a signed number."""
    return (value + HALF & BITS) - HALF


def unsigned(value: int) -> int:
    return value & BITS


def quotient(a: int, b: int) -> int:
    """Division that truncates towards zero."""
    found = abs(a) // abs(b)
    return found if (a < 0) == (b < 0) else -found


def remainder(a: int, b: int) -> int:
    return a - quotient(a, b) * b


HELPERS: dict[str, Any] = {
    "W": wrap,
    "U": unsigned,
    "DIV": quotient,
    "REM": remainder,
    "DIVU": lambda a, b: unsigned(a) // unsigned(b),
    "REMU": lambda a, b: unsigned(a) % unsigned(b),
    "DIVF": lambda a, b: a // b,
}


@define(eq=False)
class Code:
    """Source of one stream being written."""

    image: Image
    stream: Stream
    shared: tuple[bool, ...]
    """Per access: whether the memory has limited bandwidth, so that users take turns."""
    costs: Callable[[VectorOp], int]
    lines: list[str] = field(factory=list)
    depth: int = 1

    def emit(self, *lines: str) -> None:
        self.lines.extend("    " * self.depth + line for line in lines)

    def write(self) -> str:
        self.lines.append("def process(P):")
        self.emit("t = 0", "T = P.tables", "A = P.accessors", "C = P.constants", "unit = P.unit")
        for pc, instruction in enumerate(self.stream.code):
            self._instruction(pc, instruction)
        self.emit("P.t = t", "return", "yield 0")
        return "\n".join(self.lines)

    def _instruction(self, pc: int, x: Any) -> None:
        op = x.op
        if op in BINARY:
            b = str(x.imm) if x.immediate else f"s{x.b}"
            self.emit(f"s{x.d} = {BINARY[op].format(a=f's{x.a}', b=f'({b})')}")
        else:
            handler = getattr(self, f"_{op.name.lower()}", None)
            if handler is None:
                self.emit(f"P.unknown({pc})")
            else:
                handler(pc, x)

    # -- scalars and control ---------------------------------------------------------------------

    def _halt(self, pc: int, x: Any) -> None:
        pass

    def _nop(self, pc: int, x: Any) -> None:
        pass

    def _sconst(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = {x.imm}")

    def _smov(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = s{x.a}")

    def _vmov(self, pc: int, x: Any) -> None:
        self.emit(f"v{x.d} = v{x.a}")

    def _sext(self, pc: int, x: Any) -> None:
        half = 1 << x.imm - 1
        self.emit(f"s{x.d} = (s{x.a} + {half} & {2 * half - 1}) - {half}")

    def _zext(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = W(s{x.a} & {(1 << x.imm) - 1})")

    def _scmp(self, pc: int, x: Any) -> None:
        a, b = f"s{x.a}", f"s{x.b}"
        if x.imm >= 6:
            a, b = f"U({a})", f"U({b})"
        self.emit(f"s{x.d} = int({a} {COMPARE[x.imm]} {b})")

    def _ssel(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = s{x.a} if s{x.imm} else s{x.b}")

    def _loop(self, pc: int, x: Any) -> None:
        self.emit(f"for s{x.d} in range(s{x.a}, s{x.b}, P.step(s{x.step}, {pc})):")
        self.depth += 1
        self.emit("pass")

    def _endl(self, pc: int, x: Any) -> None:
        self.depth -= 1

    def _if(self, pc: int, x: Any) -> None:
        self.emit(f"if s{x.a}:")
        self.depth += 1
        self.emit("pass")

    def _else(self, pc: int, x: Any) -> None:
        self.depth -= 1
        self.emit("else:")
        self.depth += 1
        self.emit("pass")

    def _endif(self, pc: int, x: Any) -> None:
        self.depth -= 1

    def _utab(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = T[{x.imm}]")

    # -- memory ----------------------------------------------------------------------------------

    def _place(self, number: int, pc: int, suffix: str = "") -> None:
        """Element and byte address of an access, checked against view and memory."""
        access: Access = self.stream.accesses[number]
        terms = [str(access.const), *(f"{c} * s{r}" for r, c in access.terms)]
        self.emit(f"e{suffix} = {' + '.join(terms)}")
        parts = [str(access.start_bytes), f"e{suffix} * {_item(access)}"]
        if access.start is not None:
            parts.append(f"s{access.start} * {access.start_scale}")
        self.emit(f"b{suffix} = {' + '.join(parts)}", f"P.pc = {pc}")
        if any(d.is_register for d in access.time_dims):
            counts = ", ".join(
                f"s{d.count}" if d.is_register else str(d.count) for d in access.time_dims
            )
            self.emit(f"A[{number}].resize([{counts}])")
        self.emit(f"A[{number}].check(e{suffix}, b{suffix})")

    def _turn(self, pc: int, *numbers: int) -> None:
        if any(self.shared[n] for n in numbers):
            self.emit("P.t = t", f"yield {~pc}")

    def _ldv(self, pc: int, x: Any) -> None:
        self._place(x.imm, pc)
        self._turn(pc, x.imm)
        self.emit(f"v{x.d} = A[{x.imm}].read(b)", f"t = P.vector(t, A[{x.imm}], b)")

    def _stv(self, pc: int, x: Any) -> None:
        self._place(x.imm, pc)
        self._turn(pc, x.imm)
        self.emit(f"A[{x.imm}].write(b, v{x.a})", f"t = P.vector(t, A[{x.imm}], b)")

    def _lds(self, pc: int, x: Any) -> None:
        self._place(x.imm, pc)
        self._turn(pc, x.imm)
        self.emit(f"s{x.d} = int(A[{x.imm}].read(b)[0])", f"t = P.vector(t, A[{x.imm}], b)")

    def _xfer(self, pc: int, x: Any) -> None:
        self._place(x.load, pc, "0")
        self._place(x.store, pc, "1")
        self._turn(pc, x.load, x.store)
        self.emit(f"t = P.transfer(t, A[{x.load}], b0, A[{x.store}], b1)")

    # -- queues ----------------------------------------------------------------------------------

    def _send(self, pc: int, x: Any) -> None:
        self.emit(
            f"q = P.fifo_to(s{x.b}, {pc})",
            "if q.depth is not None:",
            "    while not q.space:",
            f"        q.writer = P; yield {pc}",
            "    free = q.space.popleft()",
            "    if free > t: P.stall_out += free - t; t = free",
            f"t = P.push(q, t, v{x.a})",
        )

    def _recv(self, pc: int, x: Any) -> None:
        self.emit(
            f"q = P.fifo_from(s{x.b}, {pc})",
            "while not q.items:",
            f"    q.reader = P; yield {pc}",
            f"v{x.d}, ready = q.items.popleft()",
            "if ready > t: P.stall_in += ready - t; t = ready",
            f"P.took(q, t, v{x.d}, {x.lanes}, {pc})",
        )

    def _syncs(self, pc: int, x: Any) -> None:
        self.emit(f"t = P.give(s{x.b}, t, {x.wait})")

    def _syncr(self, pc: int, x: Any) -> None:
        self.emit(
            f"q = P.tokens_from(s{x.b})",
            "while not q.given:",
            f"    q.reader = P; yield {pc}",
            "ready = q.given.popleft()",
            "if ready > t: P.stall_sync += ready - t; t = ready",
        )

    # -- vectors ---------------------------------------------------------------------------------

    def _vop(self, pc: int, x: Any) -> None:
        constant = self.image.constants[x.imm]
        assert isinstance(constant, VectorOp)
        results = ", ".join(f"{'s' if o.is_scalar else 'v'}{o.register}" for o in constant.results)
        cost = self.costs(constant)
        self.emit(
            f"P.pc = {pc}",
            f"{results} = C[{x.imm}]({operand_registers(constant.operands)})",
            f"t += {cost}; P.busy += {cost}",
        )

    def _vsplat(self, pc: int, x: Any) -> None:
        self.emit(f"v{x.d} = P.splat(s{x.a}, {x.dtype!r}, {x.lanes})")

    def _vget(self, pc: int, x: Any) -> None:
        self.emit(f"s{x.d} = P.first_lane(v{x.a}, {x.dtype!r})")

    def _vconst(self, pc: int, x: Any) -> None:
        self.emit(f"v{x.d} = C[{x.imm}]")

    def _vshuf(self, pc: int, x: Any) -> None:
        constant: Any = self.image.constants[x.imm]
        inputs = ", ".join(f"v{register}" for register, _ in constant.inputs)
        self.emit(f"v{x.d} = C[{x.imm}]({inputs})")


def _item(access: Access) -> int:
    from kt.ir.numbers import dtype

    return dtype(access.dtype).itemsize


def compile_stream(code: Code, name: str) -> Callable[[Any], Any]:
    """The generator function of a stream."""
    namespace: dict[str, Any] = dict(HELPERS)
    exec(compile(code.write(), name, "exec"), namespace)
    return namespace["process"]
