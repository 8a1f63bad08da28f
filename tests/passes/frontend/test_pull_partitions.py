"""Loads from other tiles' scratchpads over links: how windows are cut, and what stays in device memory."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from far_devices import device_called
from test_mirror_partitions import global_part, kernel, local_view, synchronised, whole

import kt
from kt.ir.dialects import func, ktdp
from kt.ir.dialects import kt as kt_dialect
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import pipeline

TILES, ROWS, WIDTH = 3, 4, 20


def spread(columns=WIDTH, base=0):
    """A kernel whose tiles keep their rows; the view of all of them."""
    k = kernel(TILES, ROWS, columns)
    synchronised(k, TILES)
    parts = [
        local_view(k, f"p{n}", (ROWS, columns), (ROWS * n, 0), owner=n, base=base * n) for n in range(TILES)
    ]
    return k, whole(k, parts, (TILES * ROWS, columns))


def store_window(k, view, shape, at):
    out = k.buffer("out", (TILES, *shape), "f16", fill=False)
    loaded = k.load(view, shape, at)
    wide = f"tensor<1x{'x'.join(map(str, shape))}xf16>"
    narrow = f"tensor<{'x'.join(map(str, shape))}xf16>"
    k.line(
        f"%wide = tensor.expand_shape {loaded} [[0, 1], [2]] output_shape "
        f"[1, {', '.join(map(str, shape))}] : {narrow} into {wide}"
    )
    k.store("%wide", out, (1, *shape), ("%t", *[0] * len(shape)))


def pulled(k, device="toy"):
    """The peers of each run, in order; the pass's remarks."""
    module = kt.parse(k.text)
    ctx = PassContext(device=device_called(device))
    PassManager("normalize-ktir,pull-partitions").run(module, ctx)
    peers = [op.peers.values for op in module.walk_type(kt_dialect.PeerViewOp)]
    return peers, [r.message for r in ctx.remarks]


def scaled(k, factor, plus=0):
    """``factor * tile + plus``."""
    k.line(f"%factor = arith.constant {factor} : index")
    k.line("%scaled = arith.muli %t, %factor : index")
    k.line(f"%plus = arith.constant {plus} : index")
    k.line("%w = arith.addi %scaled, %plus : index")
    return "%w"


# first row of tile t's window: factor * t + plus; and whose rows each run takes, worked out by hand
CUTS = [
    (4, 0, 4, [(0, 1, 2)]),
    (-4, 8, 4, [(2, 1, 0)]),
    (3, 0, 4, [(0, 0, 1), (0, 1, 1), (0, 1, 2)]),
    (0, 2, 4, [(0, 0, 0), (1, 1, 1)]),
    (3, 1, 5, None),
]


@pytest.mark.parametrize(("factor", "plus", "rows", "wanted"), CUTS)
def test_each_run_lies_in_one_partition_on_every_tile(factor, plus, rows, wanted):
    """A run ends where, on some tile, a partition does: no sooner, no later."""
    k, view = spread()
    store_window(k, view, (rows, WIDTH), (scaled(k, factor, plus), 0))
    peers, _ = pulled(k)
    starts = [factor * t + plus for t in range(TILES)]
    owners = [[(s + i) // ROWS for s in starts] for i in range(rows)]
    ends = [i for i in range(1, rows) if any((s + i) % ROWS == 0 for s in starts)]
    assert peers == [tuple(owners[i]) for i in [0, *ends]]
    assert wanted is None or peers == wanted


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
def test_a_transposed_window_of_some_columns(device):
    k, view = spread()
    out = k.buffer("out", (TILES, 7, 5), "f16", fill=False)
    loaded = k.load(view, (5, 7), (scaled(k, 3), 6), order=(1, 0))
    k.line(
        f"%wide = tensor.expand_shape {loaded} [[0, 1], [2]] output_shape [1, 7, 5] : "
        "tensor<7x5xf16> into tensor<1x7x5xf16>"
    )
    k.store("%wide", out, (1, 7, 5), ("%t", 0, 0))
    x = 2 * k.data["x"].reshape(TILES * ROWS, WIDTH)
    found = run(k, device)["out"].reshape(TILES, 7, 5)
    for t in range(TILES):
        assert np.array_equal(found[t], x[3 * t : 3 * t + 5, 6:13].T)


def test_only_tiles_that_come_to_a_load_need_a_window():
    """Tile 2's window would end behind the last row, but it doesn't load."""
    k, view = spread()
    k.line("%two = arith.constant 2 : index")
    k.line("%first_ones = arith.cmpi ult, %t, %two : index")
    out = k.buffer("out", (TILES, 4, WIDTH), "f16", fill=False)
    k.line("scf.if %first_ones {")
    loaded = k.load(view, (4, WIDTH), (scaled(k, 5, 2), 0))
    k.line(
        f"%wide = tensor.expand_shape {loaded} [[0, 1], [2]] output_shape [1, 4, {WIDTH}] : "
        f"tensor<4x{WIDTH}xf16> into tensor<1x4x{WIDTH}xf16>"
    )
    k.store("%wide", out, (1, 4, WIDTH), ("%t", 0, 0))
    k.line("}")
    x = 2 * k.data["x"].reshape(TILES * ROWS, WIDTH)
    peers, _ = pulled(k)
    assert peers == [(0, 1, 0), (0, 2, 0), (1, 2, 1)]  # tile 2 does as tile 0
    found = run(k, "toy")["out"].reshape(TILES, 4, WIDTH)
    assert np.array_equal(found[:2], [x[2:6], x[7:11]])


def test_all_runs_of_a_window_are_one_program():
    k, view = spread()
    store_window(k, view, (4, WIDTH), (scaled(k, 3), 0))
    names = pipeline()
    last = names.index("compute-group-extraction")
    module = kt.parse(k.text)
    PassManager(names[: last + 1]).run(module, PassContext(device=kt.device("toy")))
    counts = []
    for function in module.walk_type(func.FuncOp):
        views = [op.source.defining_op for op in function.walk_type(kt_dialect.PeerViewOp)]
        counts.append(sum(isinstance(v, ktdp.ConstructMemoryViewOp) for v in views))
    assert [n for n in counts if n] == [3]


def loop_window():
    k, view = spread()
    k.line("%i0 = arith.constant 0 : index")
    k.line("%i1 = arith.constant 1 : index")
    k.line("scf.for %i = %i0 to %rows step %i1 {")
    out = k.buffer("out", (TILES * ROWS, WIDTH), "f16", fill=False)
    k.store(k.load(view, (1, WIDTH), ("%i", 0)), out, (1, WIDTH), ("%t", 0))
    k.line("}")
    return k


def late_window():
    k, view = spread()
    k.scalar("n", "index", 2)
    store_window(k, view, (1, WIDTH), ("%n", 0))
    return k


def other_addresses():
    k, view = spread(base=512)
    store_window(k, view, (4, WIDTH), ("%first", 0))
    return k


def part_in_device_memory():
    k = kernel(TILES, ROWS, WIDTH)
    synchronised(k, TILES)
    k.buffer("g", (ROWS, WIDTH), "f16")
    parts = [global_part(k, "top", "g", (ROWS, WIDTH), (0, 0), [WIDTH, 1])]
    parts.append(local_view(k, "p0", (ROWS, WIDTH), (ROWS, 0), owner=0))
    store_window(k, whole(k, parts, (2 * ROWS, WIDTH)), (1, WIDTH), ("%t", 0))
    return k


def quarters():
    k = kernel(4, ROWS, WIDTH)
    synchronised(k, 4)
    parts = [
        local_view(k, f"p{n}", (ROWS, WIDTH), (ROWS * (n // 2), WIDTH * (n % 2)), owner=n) for n in range(4)
    ]
    view = whole(k, parts, (2 * ROWS, 2 * WIDTH))
    out = k.buffer("out", (4 * ROWS, WIDTH), "f16", fill=False)
    k.store(k.load(view, (ROWS, WIDTH), (0, 0)), out, (ROWS, WIDTH), ("%first", 0))
    return k


def aligned():
    k, view = spread()
    store_window(k, view, (ROWS, WIDTH), (scaled(k, -4, 8), 0))
    return k


def large():
    k, view = spread(columns=400)
    store_window(k, view, (3, 400), (scaled(k, 3), 0))
    return k


@pytest.mark.parametrize(
    ("make", "device", "why"),
    [
        (loop_window, "toy", "isn't a function of the tile's number alone"),
        (late_window, "toy", "isn't a function of the tile's number alone"),
        (other_addresses, "toy", "don't lie at the same place"),
        (part_in_device_memory, "toy", "isn't in the scratchpad of one tile"),
        (quarters, "toy", "side by side in several dimensions"),
        (aligned, "apart", "no links lead from the PAD of one core"),
        (aligned, "slow", "the links take"),
        (large, "toy", "doesn't fit the scratchpad"),
    ],
)
def test_what_stays_in_device_memory_says_why(make, device, why):
    peers, remarks = pulled(make(), device)
    assert not peers
    assert [r for r in remarks if "not over links" in r and why in r]


def test_no_barrier_is_added():
    """Nobody stores anything for others: what orders the tiles is in the kernel."""
    module = kt.parse(aligned().text)
    PassManager("normalize-ktir,pull-partitions").run(module, PassContext(device=kt.device("toy")))
    assert "kt.barrier" not in kt.print_module(module)
