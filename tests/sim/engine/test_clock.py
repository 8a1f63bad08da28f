"""The event clock against closed formulas and against recurrences written down independently."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from assemble import Asm, Assembly, device

from kt.sim import Runtime


def run(assembly: Assembly, fill: str = "PAD", **options):
    """Cycles and accounts of one launch; the memory ``fill`` holds zeros."""
    runtime = Runtime(assembly.device, **options)
    kernel = runtime.load(assembly.program())
    if fill:
        runtime.memory(fill).put(0, np.zeros(32768, np.uint8))
    kernel([])
    return kernel.last


def chain(times: tuple[int, int, int], depth: int, trips: int) -> Assembly:
    """Three units; a buffer of ``depth`` copies between neighbours, handed over by tokens."""
    made = Assembly(device("chain"))
    units = ["C0-P", "C0-Q", "C0-R"]
    streams: list[Asm] = []
    for number, unit in enumerate(units):
        before, after = units[number - 1 : number], units[number + 1 : number + 2]
        asm = made.on(unit, *before, *after)
        for peer in before:  # all copies are free at first
            for _ in range(depth):
                asm.give(peer)
        streams.append(asm)
        asm.loop(trips)
        for peer in before:
            asm.take(peer)
        for peer in after:
            asm.take(peer)
        asm.copy(times[number], "C0-PAD", "C0-PAD", at=1024 * number, to=1024 * number + 512)
        for peer in after + before:
            asm.give(peer)
        asm.end()
        for peer in after:  # take back the tokens of copies that stay free
            for _ in range(depth):
                asm.take(peer)
    return made


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("times", [(16, 20, 8), (24, 24, 24), (5, 40, 5), (30, 10, 20)])
def test_a_chain_takes_fill_and_an_interval_per_trip(times, depth):
    """search_space §4.2: T(n) = Σt + (n-1)·II, II = max(t_s, (t_p + t_q) / d) over neighbours."""
    trips = 100
    pairs = [(times[0] + times[1]) / depth, (times[1] + times[2]) / depth]
    interval = max(*times, *pairs)
    assert interval == int(interval)
    found = run(chain(times, depth, trips), hazards=True)
    assert found.cycles == sum(times) + (trips - 1) * interval


def test_the_numbers_of_the_specification():
    assert run(chain((16, 20, 8), 1, 100)).cycles == 3608
    assert run(chain((16, 20, 8), 2, 100)).cycles == 2024


def rendezvous(times: tuple[int, int, int], trips: int) -> Assembly:
    """Three units that meet their neighbours once per trip, as the upstream pipeline does."""
    made = Assembly(device("chain"))
    units = ["C0-P", "C0-Q", "C0-R"]
    for number, unit in enumerate(units):
        before, after = units[number - 1 : number], units[number + 1 : number + 2]
        asm = made.on(unit, *before, *after)
        asm.loop(trips)
        for peer in before:
            asm.give(peer).take(peer)
        asm.copy(times[number], "C0-PAD", "C0-PAD", at=1024 * number, to=1024 * number + 512)
        for peer in after:
            asm.give(peer).take(peer)
        asm.end()
    return made


@pytest.mark.parametrize("times", [(16, 20, 8), (24, 24, 24), (5, 40, 5), (30, 10, 20)])
def test_one_rendezvous_per_trip_is_a_buffer_of_two(times):
    trips = 100
    assert run(rendezvous(times, trips)).cycles == sum(times) + (trips - 1) * max(times)


def test_accounts_add_up():
    found = run(chain((16, 20, 8), 1, 100))
    for times in found.units.values():
        assert times.cycles == found.cycles
    assert [found.units[u].busy for u in ("C0-P", "C0-Q", "C0-R")] == [1600, 2000, 800]
    assert all(t.stall_in == t.stall_out == 0 for t in found.units.values())


def test_fifo_of_depth_one():
    """P loads (8 cycles) and sends; Q receives and stores (20 cycles): max-plus by hand."""
    made = Assembly(device("chain"))
    trips = 10
    p = made.on("C0-P", "C0-Q")
    p.loop(trips)
    p.load(0, "C0-PAD", 8).send(0, "C0-Q").end()
    q = made.on("C0-Q", "C0-P")
    q.loop(trips)
    q.receive(0, "C0-P", 8).store(0, "C0-PAD", 20 - 12, at=1024).copy(
        12, "C0-PAD", "C0-PAD", 0, 2048
    )
    q.end()
    found = run(made)
    sent = received = done = ready = 0
    stall = 0
    for trip in range(trips):
        ready = sent + 8
        sent = max(ready, received) if trip else ready  # room once the last one is taken
        stall += sent - ready
        received = max(sent, done)
        done = received + 20
    assert found.cycles == done
    assert found.units["C0-P"].stall_out == stall
    assert found.units["C0-P"].busy == 8 * trips


def test_fifo_counts_bytes_and_latency():
    """32 bytes fit between Q and R: two vectors of 16, which take 4 cycles on the link and 3 to arrive."""
    made = Assembly(device("chain"))
    q = made.on("C0-Q", "C0-R")
    q.splat(0, 7, 16)
    for _ in range(4):
        q.send(0, "C0-R")
    r = made.on("C0-R", "C0-Q")
    for number in range(4):
        r.receive(0, "C0-Q", 16).copy(10, "C0-PAD", "C0-PAD", 0, 1024 + 16 * number)
    found = run(made)
    # Entries at 0 and 4; the third when the first is received (3), once the link is free (8); the
    # fourth when the second is received. Receipts: 3, then each 10 cycles later.
    assert found.cycles == 3 + 4 * 10
    assert found.units["C0-R"].stall_in == 3
    assert found.units["C0-Q"].stall_out == 13
    assert found.units["C0-Q"].idle == 43 - 13


def test_a_vector_larger_than_the_fifo_is_an_error():
    made = Assembly(device("chain"))
    made.on("C0-Q", "C0-R").splat(0, 7, 48).send(0, "C0-R")
    made.on("C0-R", "C0-Q").receive(0, "C0-Q", 48)
    with pytest.raises(Exception, match="C0-Q: sends 48 bytes through a FIFO that holds 32"):
        run(made)


def test_a_wait_is_for_ones_own_transfers_only():
    """Without ``wait`` a token overtakes the transfer before it."""
    made = Assembly(device("latency"))
    p = made.on("C0-P", "C0-Q")
    p.copy(8, "MEM", "C0-PAD").give("C0-Q", wait=False).give("C0-Q", wait=True)
    q = made.on("C0-Q", "C0-P")
    q.take("C0-P").take("C0-P")
    found = run(made, fill="MEM")
    # issue 2, 8 bytes at 4 per cycle, then 1 per signal; complete after 30 + 5 cycles of latency.
    assert found.units["C0-P"].busy == 2 + 2
    assert found.units["C0-P"].sync == 1 + (39 - 5) + 1
    assert found.cycles == 40 + 1


def test_loads_are_pipelined_behind_their_latency():
    made = Assembly(device("latency"))
    p = made.on("C0-P", "C0-V")
    for number in range(3):
        p.load(0, "C0-PAD", 8, at=8 * number).send(0, "C0-V")
    v = made.on("C0-V", "C0-P")
    for _ in range(3):
        v.receive(0, "C0-P", 8).vector("arith.addi", 1, 0, 0)
    found = run(made)
    # Loads start at 0, 2, 4 (8 bytes at 4 per cycle) and arrive 5 later, with one more on the link at
    # 8, 10 and 12; each op takes a cycle.
    assert found.units["C0-V"].stall_in == 8 + 1 + 1
    assert found.cycles == 12 + 1


def test_a_shared_memory_serves_first_come_first():
    """Two units ask for 40 bytes each at the same time; the memory moves 4 bytes per cycle."""
    made = Assembly(device("latency"))
    made.on("C0-P").copy(40, "MEM", "C0-PAD")
    made.on("C0-Q").copy(40, "MEM", "C0-PAD", at=64, to=512)
    found = run(made, fill="MEM")
    assert found.units["C0-P"].stall_in == 0
    assert found.units["C0-Q"].stall_in == 10
    assert found.units["C0-Q"].cycles == found.cycles == 2 + 10 + 10 + 35


def test_ports_bound_the_accesses_under_way():
    """Two ports, three units that load 8 bytes in 2 cycles: the third one waits."""
    made = Assembly(device("latency"))
    for unit in ("C0-P", "C0-Q", "C0-R"):
        made.on(unit).load(0, "C0-TWO", 8)
    found = run(made, fill="TWO")
    assert [found.units[u].stall_in for u in ("C0-P", "C0-Q", "C0-R")] == [0, 0, 2]


def test_ring_links_are_shared_by_flows():
    """Units 0 and 1 send 8 bytes to 2; both use the link from 1 to 2 (1 byte per cycle)."""
    made = Assembly(device("ring"), cores=4)
    for core in (0, 1):
        made.on(f"C{core}-X", "C2-X").splat(0, 1, 8).send(0, "C2-X")
    x = made.on("C2-X", "C0-X", "C1-X")
    x.receive(0, "C0-X", 8).receive(1, "C1-X", 8)
    found = run(made, fill="")
    # Latency 6 per link. The flow from 0 holds link 1-2 during cycles 6 to 13, that of 1 asks for it
    # at cycle 0, but after the other one (same cycle, later in program-unit order).
    assert found.units["C1-X"].stall_out == 14
    assert found.cycles == 14 + 6


def test_events_add_up_to_the_accounts():
    made = chain((16, 20, 8), 1, 10)
    found = run(made, trace=True)
    assert found.cycles == run(made).cycles
    for name, times in found.units.items():
        mine = [e for e in found.events if e.unit == name]
        assert all(a.end <= b.start for a, b in pairwise(mine))
        for kind in ("busy", "stall_in", "stall_out", "sync"):
            assert sum(e.cycles for e in mine if e.kind == kind) == getattr(times, kind)
    assert {e.name for e in found.events if e.kind == "busy"} == {"xfer"}


def test_cycles_without_data_are_the_same():
    made = chain((5, 40, 5), 3, 20)
    assert run(made, data=False, fill="").cycles == run(made).cycles
