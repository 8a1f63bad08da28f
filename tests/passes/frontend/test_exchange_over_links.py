"""Exchanges over the links between cores: what moves where, and when device memory serves instead."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from far_devices import device_called
from kernel_text import KernelText, shaped
from test_exchange import (
    ALL,
    ONE,
    ROW,
    TILES,
    WIDTH,
    add,
    constant,
    future,
    output,
    produce,
    reduce,
    rows,
)

import kt
from kt.ir.dialects import kt as kt_dialect
from kt.passes.manager import PassContext, PassManager

ROOT = f"affine_set<(t)[g] : (t - g * {TILES} == 0)>"
WHOLE = 64
"""Elements of a row that fill whole granules of all devices."""
UNITS = {"toy": ("PAD", "XCH"), "spyre": ("LX", "RINGU"), "mesh": ("TPAD", "HUB")}


def hops(device: str, a: int, b: int) -> int:
    """Links between two of the first eight cores: along a ring of 8 or 32, or in one row of a mesh."""
    around = {"toy": 8, "spyre": 32, "mesh": 1000}[device]
    return min((a - b) % around, (b - a) % around)


def exchange(tiles=TILES, width=WIDTH, groups=ONE, producers=None, consumers=None, store=True):
    """Tiles sum what others have."""
    row = shaped("tensor", (1, width), "f16")
    every = f"affine_set<(t)[g] : (t - g * {tiles} >= 0, -t + g * {tiles} + {tiles - 1} >= 0)>"
    k = KernelText(grid=(tiles,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    x = k.load(k.buffer("x", (tiles, width), "f16"), (1, width), ("%t", 0))
    produce(k, [x], [row], groups, producers or every)
    zero = constant(k, "zero", "0.0", row)
    lines = [f"%s = arith.addf %a0, %b0 : {row}"]
    reduce(k, [row], groups, consumers or every, [zero], lines, ["%s"])
    if store:
        k.store("%r#0", k.buffer("y", (tiles, width), "f16", fill=False), (1, width), ("%t", 0))
    return k


def passed(k, device="toy"):
    """Peers of the loads, in order; the remarks of the pass."""
    module = kt.parse(k.text)
    ctx = PassContext(device=device_called(device))
    PassManager("normalize-ktir,exchange-over-links").run(module, ctx)
    peers = [op.peers.values for op in module.walk_type(kt_dialect.PeerViewOp)]
    return peers, [r.message for r in ctx.remarks if "exchanged" in r.message]


def report(k, device):
    loaded = kt.device(device)
    kernel = kt.Runtime(loaded).load(kt.compile(kt.parse(k.text), loaded))
    kernel({n: v.copy() for n, v in k.data.items()})
    return kernel.last, loaded


@pytest.mark.parametrize("device", UNITS)
def test_partial_results_never_see_device_memory(device):
    """All six tiles sum their rows: each fetches six rows, one of them its own."""
    found, loaded = report(exchange(width=WHOLE), device)
    size, (pad, unit) = WHOLE * 2, UNITS[device]
    shared = found.bytes[str(loaded.global_memory.kind)]
    assert (shared.read, shared.written) == (TILES * size, TILES * size)
    assert found.links[pad, unit] == found.links[unit, pad] == TILES * TILES * size
    pairs = sum(hops(device, a, b) for a in range(TILES) for b in range(TILES))
    assert found.links[unit, unit] == pairs * size


@pytest.mark.parametrize("device", UNITS)
def test_tiles_that_consume_nothing_use_no_link(device):
    k = exchange(width=WHOLE, consumers=ROOT, store=False)
    k.line("%zeroth = arith.constant 0 : index")
    k.line("%is_root = arith.cmpi eq, %t, %zeroth : index")
    y = k.buffer("y", (TILES, WHOLE), "f16", fill=False)
    k.line("scf.if %is_root {")
    k.store("%r#0", y, (1, WHOLE), ("%t", 0))
    k.line("}")
    assert passed(k, device)[0] == [(n, 1, 2, 3, 4, 5) for n in range(TILES)]
    found, _ = report(k, device)
    unit = UNITS[device][1]
    assert found.links[unit, unit] == WHOLE * 2 * sum(hops(device, 0, n) for n in range(TILES))


@pytest.mark.parametrize("device", [*UNITS, "apart"])
def test_both_ways_round_alike(device):
    """A sum of halves is kept in f32, in the order of the producers, and rounded once."""
    k, x = rows()
    k.data["x"][:] *= 100
    produce(k, [x], [ROW], ONE, ALL)
    add(k, ONE, ALL, ALL)
    output(k, "%r#0")
    total = np.zeros(WIDTH, np.float32)
    for row in k.data["x"].reshape(TILES, WIDTH):
        total += row.astype(np.float32)
    assert np.array_equal(run(k, device)["y"].reshape(TILES, WIDTH), [total.astype(np.float16)] * TILES)


@pytest.mark.parametrize("device", UNITS)
def test_a_result_that_many_elements_need_is_fetched_once(device):
    """The sum of all tiles' rows is added to each of four rows: six fetches, not twenty-four."""
    k = exchange(width=WHOLE, store=False)
    row, wide, cube = f"tensor<{WHOLE}xf16>", f"tensor<4x{WHOLE}xf16>", f"tensor<1x4x{WHOLE}xf16>"
    k.line(f"%flat = tensor.collapse_shape %r#0 [[0, 1]] : tensor<1x{WHOLE}xf16> into {row}")
    k.line(f"%e = tensor.empty() : {wide}")
    k.line(f"%spread = linalg.broadcast ins(%flat : {row}) outs(%e : {wide}) dimensions = [0]")
    z = k.buffer("z", (TILES, 4, WHOLE), "f16")
    out = k.buffer("out", (TILES, 4, WHOLE), "f16", fill=False)
    k.line(f"%cube = tensor.expand_shape %spread [[0, 1], [2]] output_shape [1, 4, {WHOLE}] : {wide} into {cube}")
    loaded = k.load(z, (1, 4, WHOLE), ("%t", 0, 0))
    k.store(k.op("arith.addf", "%cube", loaded, type=cube), out, (1, 4, WHOLE), ("%t", 0, 0))
    run(k, device)
    assert report(k, device)[0].links[UNITS[device]] == TILES * TILES * WHOLE * 2


UNEVEN = "affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 4 + 1 >= 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"


@pytest.mark.parametrize(
    ("k", "device", "why"),
    [
        (exchange(groups=TWO, producers=UNEVEN, consumers=UNEVEN), "toy", "different numbers"),
        (exchange(9), "spyre", "combines 9 partial results, more than 8"),
        (exchange(width=3000), "toy", "6000 bytes don't fit PAD"),
        (exchange(), "apart", "no links lead from the PAD"),
        (exchange(), "slow", "the links take"),
    ],
    ids=["ragged", "many", "large", "apart", "slow"],
)
def test_what_goes_through_device_memory_says_why(k, device, why):
    peers, remarks = passed(k, device)
    assert not peers
    assert [r for r in remarks if "not over links" in r and why in r]


@pytest.mark.parametrize("device", UNITS)
def test_eight_partial_results_are_combined_at_once(device):
    k = exchange(8)
    assert len(passed(k, device)[0]) == 8
    x = k.data["x"].reshape(8, WIDTH).astype(np.float32)
    total = np.zeros(WIDTH, np.float32)
    for row in x:
        total += row
    assert np.array_equal(run(k, device)["y"].reshape(8, WIDTH), [total.astype(np.float16)] * 8)


def test_a_value_of_one_tile_is_fetched_by_all():
    k, x = rows()
    produce(k, [x], [ROW], ONE, ROOT)
    k.line(f"%got = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = {ALL} : {future([ROW], ONE)} -> {ROW}")
    output(k, "%got")
    assert passed(k)[0] == [(0,) * TILES]
    found = run(k, "toy")["y"].reshape(TILES, WIDTH)
    assert np.array_equal(found, [k.data["x"][:WIDTH]] * TILES)
