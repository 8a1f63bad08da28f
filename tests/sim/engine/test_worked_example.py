"""search_space §4.6: c = a + b of 64×512 f16 on one core with two slices, for several tiles."""

from __future__ import annotations

import numpy as np
import pytest
from assemble import Assembly, device

from kt.sim import Runtime

VECTOR = 128
TOTAL = 64 * 8
SLICES = ("0", "1")


def example(vectors: int, coalesced: bool, depth: int) -> Assembly:
    """Tiles of ``vectors`` vectors; a and b as one transfer each, or one per vector."""
    made = Assembly(device("worked"))
    tiles = TOTAL // vectors
    pieces, size = (1, vectors * VECTOR) if coalesced else (vectors, VECTOR)

    loaders = [f"C0-LU.{s}" for s in SLICES]
    stores = [f"C0-SU.{s}" for s in SLICES]
    gl = made.on("C0-GL", *loaders)
    gl.loop(tiles)
    for unit in reversed(loaders):  # the slice that was served last frees its copy last
        gl.take(unit)
    for _ in range(2 * pieces):
        gl.copy(size, "DDR", "C0-L1")
    for unit in loaders:
        gl.give(unit)
    gl.end()
    for s in SLICES:
        lu = made.on(f"C0-LU.{s}", "C0-GL", f"C0-SF.{s}")
        for _ in range(depth):
            lu.give("C0-GL")
        lu.loop(tiles)
        lu.take("C0-GL")
        lu.loop(vectors // 2)
        for _ in range(2):
            lu.load(0, "C0-L1", 64, "f16").send(0, f"C0-SF.{s}")
        lu.end()
        lu.give("C0-GL").end()
        sf = made.on(f"C0-SF.{s}", f"C0-LU.{s}", f"C0-SU.{s}")
        sf.loop(TOTAL // 2)
        sf.receive(0, f"C0-LU.{s}", 64, "f16").receive(1, f"C0-LU.{s}", 64, "f16")
        sf.vector("arith.addf", 2, 0, 1).send(2, f"C0-SU.{s}").end()
        su = made.on(f"C0-SU.{s}", f"C0-SF.{s}", "C0-GS")
        su.loop(tiles)
        su.take("C0-GS")
        su.loop(vectors // 2)
        su.receive(0, f"C0-SF.{s}", 64, "f16").store(0, "C0-L1", 64, "f16").end()
        su.give("C0-GS").end()
    gs = made.on("C0-GS", *stores)
    for unit in stores:
        for _ in range(depth):
            gs.give(unit)
    gs.loop(tiles)
    for unit in reversed(stores):
        gs.take(unit)
    for _ in range(pieces):
        gs.copy(size, "C0-L1", "DDR")
    for unit in stores:
        gs.give(unit)
    gs.end()
    return made


@pytest.mark.parametrize(
    ("vectors", "coalesced", "depth", "cycles"),
    [
        (4, False, 1, 15934),
        (4, False, 2, 12886),
        (64, False, 2, 11146),
        (32, True, 2, 3610),
        (64, True, 2, 3418),
        (128, True, 2, 3370),
        (512, True, 1, 3670),
    ],
)
def test_cycles_are_within_two_percent(vectors, coalesced, depth, cycles):
    runtime = Runtime(device("worked"), data=False)
    kernel = runtime.load(example(vectors, coalesced, depth).program())
    kernel([])
    assert kernel.last.cycles == pytest.approx(cycles, rel=0.02)


def test_the_example_adds_nothing_up_wrong():
    """With data: every unit's accounts add up, and the memory moved what the tensors hold."""
    runtime = Runtime(device("worked"))
    kernel = runtime.load(example(32, True, 2).program())
    runtime.memory().put(0, np.zeros(65536, np.uint8))
    kernel([])
    assert all(times.cycles == kernel.last.cycles for times in kernel.last.units.values())
    assert kernel.last.bytes["DDR"].read == 2 * TOTAL * VECTOR
    assert kernel.last.bytes["DDR"].written == TOTAL * VECTOR
