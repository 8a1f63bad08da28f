"""Exchanges between tiles: consume, reduce, groups of all kinds, down to the artifact."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from kernel_text import KernelText, shaped

import kt
from kt.ir.diagnostics import PassError

DEVICES = ["toy", "spyre", "mesh", "apart"]
TILES, WIDTH = 6, 40
ROW = shaped("tensor", (1, WIDTH), "f16")
PAIRS = "affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 2 + 1 >= 0)>"
THREE = "affine_set<(g) : (g >= 0, -g + 2 >= 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
ONE = "affine_set<(g) : (g == 0)>"
ALL = f"affine_set<(t)[g] : (t - g * {TILES} >= 0, -t + g * {TILES} + {TILES - 1} >= 0)>"


def rows(tiles=TILES, element="f16"):
    """A kernel whose tiles load a row of x each; and the row."""
    k = KernelText(grid=(tiles,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    x = k.buffer("x", (tiles, WIDTH), element)
    return k, k.load(x, (1, WIDTH), ("%t", 0))


def future(types, groups):
    return f"!ktdp.tile_future<({', '.join(types)}), groups = {groups}>"


def produce(k, values, types, groups, producers, lines=()):
    body = "\n".join(lines)
    k.line(
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {producers} -> "
        f"{future(types, groups)} {{\n^bb0(%g: index):\n{body}\n"
        f"ktdp.yield_partial {', '.join(values)} : {', '.join(types)} }}"
    )


def reduce(k, types, groups, consumers, identities, lines, results, needs=None):
    """Results %r#i; the combiner gets %a0, %a1, … and %b0, …"""
    named = f"producer_dependency_per_consumer = {needs}, " if needs else ""
    sides = [f"%{s}{i}: {type}" for s in "ab" for i, type in enumerate(types)]
    body = "\n".join(lines)
    k.line(
        f"%r:{len(types)} = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {consumers}, {named}"
        f"identity({', '.join(identities)} : {', '.join(types)}) : {future(types, groups)} -> "
        f"{', '.join(types)} {{\n^bb0({', '.join(sides)}):\n{body}\n"
        f"ktdp.yield_reduced {', '.join(results)} : {', '.join(types)} }}"
    )


def constant(k, name, text, type=ROW):
    k.line(f"%{name} = arith.constant dense<{text}> : {type}")
    return f"%{name}"


def output(k, value, name="y", element="f16", tiles=TILES):
    k.store(value, k.buffer(name, (tiles, WIDTH), element, fill=False), (1, WIDTH), ("%t", 0))


def add(k, groups, producers, consumers, needs=None):
    zero = constant(k, "zero", "0.0")
    line = f"%s = arith.addf %a0, %b0 : {ROW}"
    reduce(k, [ROW], groups, consumers, [zero], [line], ["%s"], needs)


@pytest.mark.parametrize("device", DEVICES)
def test_partners_swap(device):
    k, x = rows()
    produce(k, [x], [ROW], THREE, PAIRS)
    partner = "affine_set<(p)[c, g] : (p + c - g * 4 - 1 == 0)>"
    k.line(
        f"%got = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = {PAIRS}, "
        f"producer_dependency_per_consumer = {partner} : {future([ROW], THREE)} -> {ROW}"
    )
    output(k, k.op("arith.addf", "%got", "%got", type=ROW))
    found = run(k, device)["y"].reshape(TILES, WIDTH)
    assert np.array_equal(found, 2 * k.data["x"].reshape(TILES, WIDTH)[[1, 0, 3, 2, 5, 4]])


@pytest.mark.parametrize("device", DEVICES)
def test_one_tile_computes_for_its_group(device):
    """The region loads and computes on the producer alone, and knows its group."""
    k, x = rows()
    w = k.buffer("w", (2, WIDTH), "f16")
    head = "affine_set<(t)[g] : (t - g * 3 == 0)>"
    triple = "affine_set<(t)[g] : (t - g * 3 >= 0, -t + g * 3 + 2 >= 0)>"
    inside = KernelText()
    inside.views, inside.count = k.views, 100
    loaded = inside.load(w, (1, WIDTH), ("%g", 0))
    value = inside.op("arith.mulf", loaded, loaded, type=ROW)
    produce(k, [value], [ROW], TWO, head, inside.lines)
    k.line(
        f"%got = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = {triple} : "
        f"{future([ROW], TWO)} -> {ROW}"
    )
    output(k, k.op("arith.addf", "%got", x, type=ROW))
    found = run(k, device)["y"].reshape(TILES, WIDTH)
    w = k.data["w"].reshape(2, WIDTH)
    assert np.array_equal(found, (w * w)[[0, 0, 0, 1, 1, 1]] + k.data["x"].reshape(TILES, WIDTH))


@pytest.mark.parametrize("device", DEVICES)
def test_groups_of_different_sizes(device):
    """Two producers in group 0, four in group 1; all tiles of a group get the sum."""
    k, x = rows()
    groups = "affine_set<(t)[g] : (t - g * 2 >= 0, -t + g * 4 + 1 >= 0)>"
    produce(k, [x], [ROW], TWO, groups)
    add(k, TWO, groups, groups)
    output(k, "%r#0")
    found = run(k, device)["y"].reshape(TILES, WIDTH)
    x = k.data["x"].reshape(TILES, WIDTH).astype(np.float64)
    wanted = np.stack([x[:2].sum(0)] * 2 + [x[2:].sum(0)] * 4)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_consumers_choose_among_producers(device):
    """Each tile sums what the tiles of its own parity have."""
    k, x = rows()
    produce(k, [x], [ROW], ONE, ALL)
    add(k, ONE, ALL, ALL, "affine_set<(p)[c] : (p >= 0, -p + 5 >= 0, (p + c) mod 2 == 0)>")
    output(k, "%r#0")
    found = run(k, device)["y"].reshape(TILES, WIDTH)
    x = k.data["x"].reshape(TILES, WIDTH).astype(np.float64)
    wanted = np.stack([x[n % 2 :: 2].sum(0) for n in range(TILES)])
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_results_that_are_combined_with_each_other(device):
    """Softmax's merge: greatest value and sum of exponentials, each tile having one of both."""
    type = shaped("tensor", (1, WIDTH), "f32")
    k, m = rows(element="f32")
    s = k.load(k.buffer("e", (TILES, WIDTH), "f32"), (1, WIDTH), ("%t", 0))
    k.data["e"][:] = np.abs(k.data["e"]) + 1
    produce(k, [m, s], [type, type], ONE, ALL)
    low, zero = constant(k, "low", "-100.0", type), constant(k, "zero", "0.0", type)
    lines = [
        f"%m = arith.maximumf %a0, %b0 : {type}",
        f"%da = arith.subf %a0, %m : {type}", f"%ea = math.exp %da : {type}",
        f"%db = arith.subf %b0, %m : {type}", f"%eb = math.exp %db : {type}",
        f"%sa = arith.mulf %a1, %ea : {type}", f"%sb = arith.mulf %b1, %eb : {type}",
        f"%s = arith.addf %sa, %sb : {type}",
    ]  # fmt: skip
    reduce(k, [type, type], ONE, ALL, [low, zero], lines, ["%m", "%s"])
    output(k, "%r#0", "high", "f32")
    output(k, "%r#1", "sum", "f32")
    found = run(k, device)
    m, s = (k.data[n].reshape(TILES, WIDTH).astype(np.float64) for n in "xe")
    high = m.max(0)
    assert np.array_equal(found["high"].reshape(TILES, WIDTH), np.stack([high] * TILES).astype(np.float32))
    wanted = (s * np.exp(m - high)).sum(0)
    np.testing.assert_allclose(found["sum"].reshape(TILES, WIDTH), np.stack([wanted] * TILES), rtol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_tiles_meet_in_every_iteration(device):
    k = KernelText(grid=(3,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    x, y = k.buffer("x", (3, 4, WIDTH), "f16"), k.buffer("y", (3, 4, WIDTH), "f16", fill=False)
    type = shaped("tensor", (1, 1, WIDTH), "f16")
    k.line("%i0 = arith.constant 0 : index")
    k.line("%i1 = arith.constant 1 : index")
    k.line("%i4 = arith.constant 4 : index")
    zero = constant(k, "zero", "0.0", type)
    k.line("scf.for %i = %i0 to %i4 step %i1 {")
    every = "affine_set<(t)[g] : (t - g * 3 >= 0, -t + g * 3 + 2 >= 0)>"
    produce(k, [k.load(x, (1, 1, WIDTH), ("%t", "%i", 0))], [type], ONE, every)
    reduce(k, [type], ONE, every, [zero], [f"%s = arith.addf %a0, %b0 : {type}"], ["%s"])
    k.store("%r#0", y, (1, 1, WIDTH), ("%t", "%i", 0))
    k.line("}")
    found = run(k, device)["y"].reshape(3, 4, WIDTH)
    wanted = k.data["x"].reshape(3, 4, WIDTH).astype(np.float64).sum(0)
    np.testing.assert_allclose(found, np.stack([wanted] * 3), rtol=1e-3, atol=1e-3)


def test_waiting_for_a_tile_that_produces_nothing_is_refused():
    k, x = rows()
    produce(k, [x], [ROW], ONE, "affine_set<(t)[g] : (t - g == 0)>")
    add(k, ONE, None, "affine_set<(t)[g] : (t - g >= 0, -t + g + 1 >= 0)>", "affine_set<(p)[c] : (p - c == 0)>")
    output(k, "%r#0")
    with pytest.raises(PassError, match="produces nothing"):
        kt.compile(kt.parse(k.text), "toy")
