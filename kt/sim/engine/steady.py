"""Which trips of a loop cost the same: a proof by looking at the instructions, and by enumeration.

What a trip costs depends on registers that decide the flow of control, name peers, give extents of
transfers, or place accesses within granules. If these are functions of the loop's counter alone (or do
not depend on it), the trips for which they have the same values cost the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import frozen

from kt.binary.isa import SHAPES, Instruction, Op
from kt.binary.model import Stream
from kt.ir.numbers import dtype
from kt.sim.engine.scalars import HELPERS, scalar_reads, scalar_text

COUNTER, INNER, OTHER = 1, 2, 4
"""What a value depends on: the loop's counter, counters of loops inside, anything else that changes."""


@frozen(eq=False)
class LoopFacts:
    """What is known about the trips of one loop.

    ``registers`` are those that the function ``signature`` reads, the counter first.
    """

    registers: tuple[int, ...]
    signature: Callable[..., tuple[int, ...]]

    def same_to(self, local: dict[str, Any], values: range, first: int) -> int:
        """The last trip up to which all cost what trip ``first`` does. ``local``: the registers."""
        fixed = [local.get(f"s{r}", 0) for r in self.registers[1:]]
        try:
            wanted = self.signature(values[first], *fixed)
            at = first
            while at + 1 < len(values) and self.signature(values[at + 1], *fixed) == wanted:
                at += 1
            return at
        except Exception:  # an op has no value there: whether it is reached is not known
            return first


def loop_facts(stream: Stream, granules: Sequence[int], pc: int) -> LoopFacts | None:
    """Facts about the loop at ``pc``; None if its trips may differ in ways that are not understood.

    ``granules``: bytes of a granule, per access.
    """
    loop = stream.code[pc]
    body = range(pc + 1, pc + loop.length)
    writers: dict[int, list[int]] = {}
    for at in body:
        if SHAPES[stream.code[at].op].d == "S":
            writers.setdefault(stream.code[at].d, []).append(at)
    slices: dict[int, None] = {}
    wanted: dict[int, None] = {}
    for at, register in _timing_registers(stream, granules, body):
        depends = _depends(stream, loop.d, writers, register, at, slices)
        if depends & OTHER or depends == COUNTER | INNER:
            return None
        if depends == COUNTER:
            wanted.setdefault(register)
    lines, known = [], {loop.d}
    inputs = [loop.d]
    for at in sorted(slices):
        x = stream.code[at]
        if _only_counter(stream, loop.d, writers, at):
            for register in scalar_reads(x):
                if register not in known and register not in inputs:
                    inputs.append(register)
            known.add(x.d)
            lines.append(f"    {scalar_text(x)}")
    names = ", ".join(f"s{r}" for r in inputs)
    results = "".join(f"s{r}, " for r in wanted)
    text = "\n".join([f"def signature({names}):", *lines, f"    return ({results})"])
    scope: dict[str, Any] = dict(HELPERS)
    exec(text, scope)
    return LoopFacts(tuple(inputs), scope["signature"])


def _timing_registers(
    stream: Stream, granules: Sequence[int], body: range
) -> Iterator[tuple[int, int]]:
    """Registers on which the cost of a trip depends, each with the instruction that reads it."""
    for at in body:
        x = stream.code[at]
        match x.op:
            case Op.IF:
                yield at, x.a
            case Op.LOOP:
                yield at, x.a
                yield at, x.b
                yield at, x.step
            case Op.SEND | Op.RECV | Op.SYNCS | Op.SYNCR:
                yield at, x.b
            case Op.LDV | Op.STV | Op.LDS:
                yield from ((at, r) for r in _placing(stream, granules, x.imm))
            case Op.XFER:
                for number in (x.load, x.store):
                    yield from ((at, r) for r in _placing(stream, granules, number))


def _placing(stream: Stream, granules: Sequence[int], number: int) -> Iterator[int]:
    """Registers that change an access's extent, or its place within a granule."""
    access, granule = stream.accesses[number], granules[number]
    item = dtype(access.dtype).itemsize
    yield from (r for r, coef in access.terms if coef * item % granule)
    if access.start is not None and access.start_scale % granule:
        yield access.start
    yield from (d.count for d in access.time_dims if d.is_register)


def _depends(
    stream: Stream,
    counter: int,
    writers: dict[int, list[int]],
    register: int,
    reader: int,
    slices: dict[int, None],
) -> int:
    """What a register depends on where it is read. Adds the instructions that compute it."""
    if register == counter:
        return COUNTER
    found = writers.get(register)
    if found is None:
        return 0
    if len(found) > 1 or found[0] > reader:  # chosen by a condition, or carried from trip to trip
        return OTHER
    x: Instruction = stream.code[found[0]]
    if x.op is Op.LOOP:
        return INNER
    if scalar_text(x) is None:  # loaded
        return OTHER
    depends = 0
    for read in scalar_reads(x):
        depends |= _depends(stream, counter, writers, read, found[0], slices)
    slices.setdefault(found[0])
    return depends


def _only_counter(stream: Stream, counter: int, writers: dict[int, list[int]], at: int) -> bool:
    """Whether an instruction of the slice computes a function of the counter and of fixed values."""
    x = stream.code[at]
    return all(
        not _depends(stream, counter, writers, r, at, {}) & (INNER | OTHER) for r in scalar_reads(x)
    )
