"""Streams as Python code.

The instructions of a stream become one generator function, so that scalar arithmetic, loops and
conditions cost what they cost in Python. It yields where a process may have to wait: ``yield pc`` when
a queue doesn't let it go on, and ``yield ~pc`` to be resumed in the order of cycles before it uses
something that several units share.

Names in the code: ``P`` the process, ``t`` its clock, ``si``/``so``/``sy`` cycles that it stalled, ``done``
when its stores are complete; ``sN`` and ``vN`` registers, ``rN`` the cycle at which a loaded vector is
there; ``aN``, ``wN``, ``cN``, ``lN``, ``zN`` accessor N, its way, its count of bytes and cycles, its latency, and
whether others share the way; ``qN`` the queue of the instruction at N.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

from attrs import define, field, frozen

from kt.binary.isa import Instruction, Op
from kt.binary.model import Access, Image, Opaque, Stream, VectorOp
from kt.ir.diagnostics import RunError
from kt.ir.numbers import dtype
from kt.sim.engine.costs import vector_bytes
from kt.sim.engine.registers import VectorType, vector_types
from kt.sim.engine.scalars import BINARY, HELPERS, scalar_text

MAX_LOOPS = 18
"""Loops inside each other that generated code can have: a limit of Python's."""


@frozen
class Mode:
    """What a run does besides keeping time: move data, note events, look for hazards."""

    data: bool = True
    trace: bool = False
    hazards: bool = False
    extrapolate: bool = False
    """Skip trips of loops that are known to repeat; only for runs that do nothing else."""


@frozen(eq=False)
class StreamCode:
    """A stream as a generator function. ``pcs``: the instruction behind each line of its text."""

    function: Callable[[Any], Any]
    pcs: tuple[int, ...]
    text: str
    arrivals: tuple[str, ...]
    """Variables that hold cycles at which vectors arrive."""


def needs_data(image: Image) -> bool:
    """Whether what a program does depends on values that it loads."""
    return any(x.op in (Op.LDS, Op.VGET) for stream in image.streams for x in stream.code)


@functools.lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    """Streams of the same text (of many programs, or on other runtimes) are compiled once."""
    return compile(text, "<stream>", "exec")


@define(eq=False)
class Writer:
    """The code of one stream being written."""

    image: Image
    stream: Stream
    mode: Mode
    issue: int
    sync: int
    cost: Callable[[VectorOp], int]
    types: dict[int, VectorType] = field(init=False)
    late: set[int] = field(init=False)
    """Registers that may hold a vector that is still on its way from a memory."""
    peers: dict[int, int] = field(init=False)
    """Registers that hold one and the same unit throughout, with the table it comes from."""
    lines: list[str] = field(factory=list)
    pcs: list[int] = field(factory=list)
    depth: int = 1
    loops: int = 0
    pc: int = -1

    def __attrs_post_init__(self) -> None:
        self.types = vector_types(self.stream, self.image.constants)
        self.late = self._late_registers()
        self.peers = self._fixed_peers()

    def compile(self) -> StreamCode:
        """The function of the stream."""
        self._prologue()
        for pc, x in enumerate(self.stream.code):
            self.pc = pc
            scalar = scalar_text(x)
            if scalar is not None:
                self.emit(scalar)
            else:
                getattr(self, f"_{x.op.name.lower()}")(x)
        self.emit("P.finish(t, si, so, sy, done)", "return", "yield 0")
        text = "def process(P):\n" + "\n".join(self.lines) + "\n"
        namespace: dict[str, Any] = dict(HELPERS)
        # The text holds nothing but our own names, and numbers of the artifact.
        exec(_compiled(text), namespace)
        arrivals = tuple(f"r{r}" for r in sorted(self.late))
        return StreamCode(namespace["process"], (-1, *self.pcs), text, arrivals)

    # -- helpers ---------------------------------------------------------------------------------

    def emit(self, *lines: str, deeper: int = 0) -> None:
        for line in lines:
            self.lines.append("    " * (self.depth + deeper) + line)
            self.pcs.append(self.pc)

    def data(self, *lines: str) -> None:
        """Code that moves values."""
        if self.mode.data:
            self.emit(*lines)

    def hazard(self, *lines: str) -> None:
        """Code of the race detector."""
        if self.mode.hazards:
            self.emit(*lines)

    def wait(self, kind: str, until: str, deeper: int = 0) -> None:
        """Advance the clock; ``kind`` says what the unit waits for."""
        account = {"stall_in": "si", "stall_out": "so", "sync": "sy"}[kind]
        note = f"NOTE({self.pc}, {kind!r}, t, {until}); " if self.mode.trace else ""
        text = f"if {until} > t: {note}{account} += {until} - t; t = {until}"
        self.emit(text, deeper=deeper)

    def busy(self, cycles: str) -> None:
        if self.mode.trace:
            self.emit(f"NOTE({self.pc}, 'busy', t, t + {cycles})")
        self.emit(f"t += {cycles}")

    def signal(self) -> None:
        """The cost of a signal."""
        if not self.sync:
            return
        if self.mode.trace:
            self.emit(f"NOTE({self.pc}, 'sync', t, t + {self.sync})")
        self.emit(f"t += {self.sync}; sy += {self.sync}")

    def _late_registers(self) -> set[int]:
        late = {x.d for x in self.stream.code if x.op is Op.LDV}
        size = -1
        while size != len(late):
            size = len(late)
            late |= {x.d for x in self.stream.code if self._sources(x) & late}
        return late

    def _sources(self, x: Instruction) -> set[int]:
        """Registers that an instruction passes on without waiting for them."""
        if x.op is Op.VMOV:
            return {x.a}
        if x.op is Op.VSHUF:
            constant: Any = self.image.constants[x.imm]
            return {register for register, _ in constant.inputs}
        return set()

    def arrives(self, register: int, *sources: int) -> None:
        """When the vector in a register is there: at once, or when its sources are."""
        if register in self.late:
            waits = [f"r{s}" for s in sources if s in self.late]
            self.emit(f"r{register} = {waits[0] if len(waits) == 1 else _latest(waits)}")

    def _prologue(self) -> None:
        self.emit("t = si = so = sy = done = 0", "T = P.tables; C = P.constants; A = P.accessors")
        if self.mode.trace:
            self.emit("NOTE = P.note")
        if self.mode.hazards:
            self.emit("H = P.run.hazards")
        for number in range(len(self.stream.accesses)):
            self.emit(
                f"a{number} = A[{number}]; w{number} = a{number}.way; c{number} = a{number}.take"
            )
            self.emit(f"l{number} = w{number}.latency; z{number} = bool(w{number}.shared)")
        for pc, x in enumerate(self.stream.code):
            if x.op in _QUEUES and x.b in self.peers:
                self.emit(f"q{pc} = P.{_QUEUES[x.op]}(T[{self.peers[x.b]}])")

    def _fixed_peers(self) -> dict[int, int]:
        writers: dict[int, list[Instruction]] = {}
        for x in self.stream.code:
            if x.op in _WRITES_SCALAR or x.op in BINARY:
                writers.setdefault(x.d, []).append(x)
        return {
            register: ops[0].imm
            for register, ops in writers.items()
            if len(ops) == 1 and ops[0].op is Op.UTAB and self.stream.tables[ops[0].imm].is_units
        }

    def _queue(self, x: Instruction) -> None:
        if x.b in self.peers:
            self.emit(f"q = q{self.pc}")
        else:
            self.emit(f"q = P.{_QUEUES[x.op]}(s{x.b})")

    # -- scalars and control ---------------------------------------------------------------------

    def _halt(self, x: Instruction) -> None:
        pass

    _nop = _halt

    def _loop(self, x: Instruction) -> None:
        self.loops += 1
        if self.loops > MAX_LOOPS:
            raise RunError(f"{self.stream.kind} has more than {MAX_LOOPS} loops inside each other")
        trips = f"{self.pc}, s{x.a}, s{x.b}, s{x.step}"
        how = f"P.watched({trips})" if self.mode.extrapolate else f"P.trips({trips})"
        self.emit(f"for s{x.d} in {how}:")
        self.depth += 1
        self.emit("pass")

    def _endl(self, x: Instruction) -> None:
        self.loops -= 1
        self.depth -= 1

    def _if(self, x: Instruction) -> None:
        self.emit(f"if s{x.a}:")
        self.depth += 1
        self.emit("pass")

    def _else(self, x: Instruction) -> None:
        self.depth -= 1
        self.emit("else:")
        self.depth += 1
        self.emit("pass")

    def _endif(self, x: Instruction) -> None:
        self.depth -= 1

    # -- memory ----------------------------------------------------------------------------------

    def _place(self, number: int, suffix: str = "") -> None:
        """Element and byte address of an access, checked against view and memory."""
        access: Access = self.stream.accesses[number]
        a, e, b = f"a{number}", f"e{suffix}", f"b{suffix}"
        terms = [str(access.const), *(f"{c} * s{r}" for r, c in access.terms)]
        self.emit(f"{e} = {' + '.join(terms)}")
        parts = [str(access.start_bytes), f"{e} * {dtype(access.dtype).itemsize}"]
        if access.start is not None:
            parts.append(f"s{access.start} * {access.start_scale}")
        self.emit(f"{b} = {' + '.join(parts)}")
        if any(d.is_register for d in access.time_dims):
            dims = (f"s{d.count}" if d.is_register else str(d.count) for d in access.time_dims)
            self.emit(f"{a}.resize(({', '.join(dims)},))")
        self.emit(
            f"if not ({a}.first <= {e} <= {a}.last and {a}.byte_first <= {b} <= {a}.byte_last): "
            f"{a}.refuse({e}, {b})"
        )

    def _vector_access(self, number: int, kind: str) -> None:
        """Costs of a vector load or store up to the moment at which it starts."""
        self._place(number)
        self.emit(f"m, k = c{number}(b)")
        if self.issue:
            self.emit(f"if k < {self.issue}: k = {self.issue}")
        self.emit(f"if z{number}:")
        self.emit(f"P.t = t; yield {~self.pc}", f"x = w{number}.start(t)", deeper=1)
        self.wait(kind, "x", deeper=1)
        self.emit(f"w{number}.hold(t, m, k)", deeper=1)

    def _ldv(self, x: Instruction) -> None:
        self._vector_access(x.imm, "stall_in")
        self.data(f"v{x.d} = a{x.imm}.read(b)")
        self.hazard(f"H.load(P, a{x.imm}, b, {self.pc})")
        self.busy("k")
        self.emit(f"r{x.d} = t + l{x.imm}")

    def _stv(self, x: Instruction) -> None:
        self._vector_access(x.imm, "stall_out")
        self.data(f"a{x.imm}.write(b, v{x.a})")
        self.hazard(f"H.store(P, a{x.imm}, b, {self.pc})")
        begin = f"max(t, r{x.a})" if x.a in self.late else "t"
        self.emit(f"x = {begin} + k + l{x.imm}", "if x > done: done = x")
        self.busy("k")

    def _lds(self, x: Instruction) -> None:
        self._vector_access(x.imm, "stall_in")
        self.emit(f"s{x.d} = W(int(a{x.imm}.read(b)[0]))")
        self.hazard(f"H.load(P, a{x.imm}, b, {self.pc})")
        self.busy("k")
        self.emit(f"x = t + l{x.imm}")
        self.wait("stall_in", "x")

    def _xfer(self, x: Instruction) -> None:
        load, store = x.load, x.store
        self._place(load, "0")
        self._place(store, "1")
        self.emit(f"m, k = c{load}(b0); n, j = c{store}(b1)", "if j > k: k = j")
        if self.issue:
            self.busy(str(self.issue))
        self.emit(f"if z{load} or z{store}:")
        self.emit(f"P.t = t; yield {~self.pc}", deeper=1)
        for number, kind in ((load, "stall_in"), (store, "stall_out")):
            self.emit(f"if z{number}:", f"    x = w{number}.start(t)", deeper=1)
            self.wait(kind, "x", deeper=2)
        self.emit(f"if z{load}: w{load}.hold(t, m, k)", deeper=1)
        self.emit(f"if z{store}: w{store}.hold(t, n, k)", deeper=1)
        self.data(f"a{store}.write_raw(b1, a{load}.read_raw(b0))")
        self.hazard(f"H.transfer(P, a{load}, b0, a{store}, b1, {self.pc})")
        self.busy("k")
        self.emit(f"x = t + l{load} + l{store}", "if x > done: done = x")

    # -- queues ----------------------------------------------------------------------------------

    def _send(self, x: Instruction) -> None:
        type = self.types.get(x.a)
        if type is None:
            raise RunError(f"{self.stream.kind} sends v{x.a}, which it never sets")
        size = vector_bytes(*type)
        self._queue(x)
        self.emit(f"while q.slots < 1 or q.room < {size}:")
        self.emit("if q.freed:", deeper=1)
        self.emit("x, m = q.freed.popleft(); q.slots += 1; q.room += m", deeper=2)
        self.wait("stall_out", "x", deeper=2)
        self.emit("else:", f"    P.full(q, {size}); yield {self.pc}", deeper=1)
        self.emit(f"q.slots -= 1; q.room -= {size}")
        begin = f"max(t, r{x.a})" if x.a in self.late else "t"
        self.emit(f"k = q.way.cycles({size}); u = x = {begin}")
        self.emit(
            "if q.far:", f"    P.t = t; yield {~self.pc}", f"    x = P.enter(q, x, {size}, k)"
        )
        self.emit("else:", "    if q.free > x: x = q.free", "    q.free = x + k", "u = t + x - u")
        self.wait("stall_out", "u")
        vector = f"v{x.a}" if self.mode.data else "None"
        self.emit(f"q.items.append(({vector}, x + q.way.latency, {type!r}))")
        self.hazard("q.clocks.append(H.release(P))")
        self.emit("if q.reader is not None: P.wake_reader(q)")

    def _recv(self, x: Instruction) -> None:
        type = (x.dtype, x.lanes)
        self._queue(x)
        self.emit("while not q.items:", f"    q.reader = P; yield {self.pc}")
        vector = f"v{x.d}" if self.mode.data else "_"
        self.emit(f"{vector}, x, k = q.items.popleft()")
        self.wait("stall_in", "x")
        self.emit(f"if k != {type!r}: P.mismatch(k, {type!r})")
        self.hazard("H.acquire(P, q.clocks.popleft())")
        self.emit("if q.bounded:", f"    q.freed.append((t, {vector_bytes(*type)}))")
        self.emit("    if q.writer is not None: P.wake_writer(q)")
        self.arrives(x.d)

    def _syncs(self, x: Instruction) -> None:
        self._queue(x)
        if x.wait:
            self.wait("sync", "done")
            self.hazard("H.settle(P)")
        self.signal()
        self.emit("q.given.append(t)")
        self.hazard("q.clocks.append(H.release(P))")
        self.emit("if q.reader is not None: P.wake_reader(q)")

    def _syncr(self, x: Instruction) -> None:
        self._queue(x)
        self.emit(
            "while not q.given:", f"    q.reader = P; yield {self.pc}", "x = q.given.popleft()"
        )
        self.wait("sync", "x")
        self.hazard("H.acquire(P, q.clocks.popleft())")
        self.signal()

    # -- vectors ---------------------------------------------------------------------------------

    def _vop(self, x: Instruction) -> None:
        constant = self.image.constants[x.imm]
        assert isinstance(constant, VectorOp)
        for part in constant.operands:
            if not part.is_scalar and part.register in self.late:
                self.wait("stall_in", f"r{part.register}")
        results = ", ".join(f"v{o.register}" for o in constant.results)
        operands = ", ".join(
            f"{'s' if o.is_scalar else 'v'}{o.register}" for o in constant.operands
        )
        self.data(f"{results} = C[{x.imm}]({operands})")
        cost = self.cost(constant)
        if cost:
            self.busy(str(cost))
        for part in constant.results:
            self.arrives(part.register)

    def _vsplat(self, x: Instruction) -> None:
        self.data(f"v{x.d} = P.splat(s{x.a}, {x.dtype!r}, {x.lanes})")
        self.arrives(x.d)

    def _vget(self, x: Instruction) -> None:
        if x.a in self.late:
            self.wait("stall_in", f"r{x.a}")
        self.emit(f"s{x.d} = P.first_lane(v{x.a}, {x.dtype!r})")

    def _vmov(self, x: Instruction) -> None:
        self.data(f"v{x.d} = v{x.a}")
        self.arrives(x.d, x.a)

    def _vconst(self, x: Instruction) -> None:
        self.data(f"v{x.d} = C[{x.imm}]")
        self.arrives(x.d)

    def _vshuf(self, x: Instruction) -> None:
        constant: Any = self.image.constants[x.imm]
        inputs = [register for register, _ in constant.inputs]
        self.data(f"v{x.d} = C[{x.imm}]({', '.join(f'v{r}' for r in inputs)})")
        self.arrives(x.d, *inputs)

    def _opaque(self, x: Instruction) -> None:
        constant = self.image.constants[x.imm]
        assert isinstance(constant, Opaque)
        self.emit(f"P.unknown({constant.name!r})")


_QUEUES = {Op.SEND: "fifo_to", Op.RECV: "fifo_from", Op.SYNCS: "tokens_to", Op.SYNCR: "tokens_from"}
_WRITES_SCALAR = {Op.SCONST, Op.SMOV, Op.SCMP, Op.SSEL, Op.SEXT, Op.ZEXT, Op.LOOP, Op.UTAB, Op.LDS,
                  Op.VGET}  # fmt: skip


def _latest(names: list[str]) -> str:
    return f"max({', '.join(names)})" if names else "0"
