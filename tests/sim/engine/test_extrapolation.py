"""Skipped trips change no number: cycles, accounts and traffic are those of the full run."""

from __future__ import annotations

import random

import pytest
from assemble import Asm, Assembly, device
from test_clock import chain, rendezvous
from test_worked_example import example

from kt.binary.isa import PREDICATES, Op, pack
from kt.sim import Runtime
from kt.sim.runtime import Report


def both(made: Assembly) -> tuple[Report, Report]:
    """The report of the full run, and of the one that skips."""
    program, found = made.program(), []
    for extrapolate in (False, True):
        kernel = Runtime(made.device, data=False, extrapolate=extrapolate).load(program)
        kernel([])
        found.append(kernel.last)
    return found[0], found[1]


def differing(full: Report, fast: Report) -> list[str]:
    """What isn't the same in both, and the units whose accounts don't add up."""
    parts = ("cycles", "units", "bytes", "links")
    found = [part for part in parts if getattr(full, part) != getattr(fast, part)]
    found += [unit for unit, times in fast.units.items() if times.cycles != fast.cycles]
    return found + ["skipped"] * (full.skipped != 0)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("times", [(16, 20, 8), (5, 40, 5), (30, 10, 20)])
def test_chains(times, depth):
    full, fast = both(chain(times, depth, 1000))
    assert differing(full, fast) == []
    assert fast.skipped > fast.cycles / 2


def test_long_chains_take_no_longer():
    trips = 10**7
    made = rendezvous((16, 20, 8), trips)
    kernel = Runtime(made.device, data=False).load(made.program())
    kernel([])
    assert kernel.last.cycles == 44 + 20 * (trips - 1)
    assert kernel.last.skipped > 0.99 * kernel.last.cycles


@pytest.mark.parametrize(
    ("vectors", "coalesced", "depth"), [(4, False, 1), (4, False, 2), (32, True, 2)]
)
def test_tiles(vectors, coalesced, depth):
    assert differing(*both(example(vectors, coalesced, depth))) == []


def conditional_copy(asm: Asm, counter: int, limit: int, sizes: tuple[int, int], base: int) -> None:
    """Copy one number of bytes while the counter is below a limit, another one afterwards."""
    asm.sregs += 1
    flag = asm.sregs - 1
    asm.op(Op.SCMP, d=flag, a=counter, b=asm.scalar(limit), imm=PREDICATES.index("slt"))
    asm.op(Op.IF, a=flag, imm=2)
    asm.copy(sizes[0], "C0-PAD", "C0-PAD", at=base, to=base + 512)
    asm.op(Op.ELSE, imm=2)
    asm.copy(sizes[1], "C0-PAD", "C0-PAD", at=base, to=base + 512)
    asm.op(Op.ENDIF)


def scrambled(seed: int) -> Assembly:
    """Three units with nested loops, conditions on the counters, changing addresses, FIFOs and tokens."""
    chance = random.Random(seed)
    made = Assembly(device("chain"))
    trips, inner, size = (
        chance.randrange(300, 1500),
        chance.randrange(1, 9),
        chance.choice([1, 4, 8]),
    )
    in_step = chance.random() < 0.5  # whether R tells Q to go on

    def sizes() -> tuple[int, int]:
        return chance.randrange(1, 30), chance.randrange(1, 60)

    p = made.on("C0-P", "C0-Q")
    i = p.loop(trips)
    conditional_copy(p, i, chance.randrange(trips), sizes(), 0)
    j = p.loop(inner)
    p.load(0, "C0-PAD", size, terms=[(j, 8), (i, 4)]).send(0, "C0-Q").end()
    p.end()
    q = made.on("C0-Q", "C0-P", "C0-R")
    i = q.loop(trips)
    if chance.random() < 0.5:
        conditional_copy(q, i, chance.randrange(trips), sizes(), 1024)
    q.loop(inner)
    q.receive(0, "C0-P", size)
    if chance.random() < 0.5:
        q.copy(chance.randrange(1, 20), "C0-PAD", "C0-PAD", 2048, 3072)
    q.end()
    q.give("C0-R")
    if in_step:
        q.take("C0-R")
    q.end()
    r = made.on("C0-R", "C0-Q")
    i = r.loop(trips)
    r.take("C0-Q")
    conditional_copy(r, i, trips - 1, sizes(), 4096)
    if in_step:
        r.give("C0-Q")
    r.end()
    return made


@pytest.mark.parametrize("seed", range(40))
def test_programs_with_conditions(seed):
    full, fast = both(scrambled(seed))
    assert differing(full, fast) == []


def test_much_of_these_programs_is_skipped():
    reports = [both(scrambled(seed))[1] for seed in range(10)]
    assert sum(r.skipped for r in reports) > sum(r.cycles for r in reports) / 4


def test_trips_that_depend_on_the_counter_are_run():
    """A triangular loop has no two equal trips."""
    made = Assembly(device("chain"))
    asm = made.on("C0-P")
    i = asm.loop(60)
    asm.sregs += 1
    inner = asm.sregs - 1
    start, step = asm.scalar(0), asm.scalar(1)
    asm.op(Op.LOOP, d=inner, a=start, b=i, imm=pack(step, 2))
    asm.copy(3, "C0-PAD", "C0-PAD", 0, 64)
    asm.op(Op.ENDL, imm=2)
    asm.end()
    full, fast = both(made)
    assert differing(full, fast) == []
    assert fast.cycles == 3 * 60 * 59 // 2
