"""Reads of other tiles' scratchpads: distributed views and views with a tile of their own."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import run
from far_devices import device_called
from kernel_text import KernelText, shaped

import kt
from kt.ir.diagnostics import PassError

DEVICES = ["toy", "spyre", "mesh", "apart"]


def local_view(k, name, shape, origin=None, owner=None, base=0):
    """A view of a scratchpad: the tile's own one, or that of tile ``owner``."""
    view, element = f"%{name}", "f16"
    origin = origin or [0] * len(shape)
    space = "ct_local" if owner is None else f"ct_local, ct_id = {owner}"
    dims = [f"d{i}" for i in range(len(shape))]
    bounds = [f"{d} - {o} >= 0, -{d} + {o + n - 1} >= 0" for d, o, n in zip(dims, origin, shape)]
    strides = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    k.line(f"{view}_b = arith.constant {base} : index")
    k.line(
        f"{view} = ktdp.construct_memory_view {view}_b, sizes: {list(shape)}, strides: {strides} "
        f"{{coordinate_set = affine_set<({', '.join(dims)}) : ({', '.join(bounds)})>, "
        f"memory_space = #ktdp.memory_space<{space}>}} : {shaped('memref', shape, element)}"
    )
    k.views[view] = shape, element
    return view


def global_part(k, name, of, shape, origin, strides, displacement=0):
    """A view of a part of argument ``of`` that begins ``displacement`` elements behind its begin."""
    dims = [f"d{i}" for i in range(len(shape))]
    bounds = [f"{d} - {o} >= 0, -{d} + {o + n - 1} >= 0" for d, o, n in zip(dims, origin, shape)]
    k.line(f"%{name}_d = arith.constant {displacement} : index")
    k.line(f"%{name}_b = arith.addi %{of}, %{name}_d : index")
    k.line(
        f"%{name} = ktdp.construct_memory_view %{name}_b, sizes: {list(shape)}, strides: {strides} "
        f"{{coordinate_set = affine_set<({', '.join(dims)}) : ({', '.join(bounds)})>, "
        f"memory_space = #ktdp.memory_space<global>}} : {shaped('memref', shape, 'f16')}"
    )
    k.views[f"%{name}"] = shape, "f16"
    return f"%{name}"


def whole(k, parts, shape):
    types = ", ".join(shaped("memref", k.views[p][0], "f16") for p in parts)
    k.line(
        f"%whole = ktdp.construct_distributed_memory_view ({', '.join(parts)} : {types}) : "
        f"{shaped('memref', shape, 'f16')}"
    )
    k.views["%whole"] = shape, "f16"
    return "%whole"


def synchronised(k, tiles):
    """An exchange that orders what stands before it on all tiles."""
    type = "tensor<1xf16>"
    k.line(f"%zero = arith.constant dense<0.0> : {type}")
    k.line(f"%one = arith.constant dense<1.0> : {type}")
    group = f"affine_set<(t)[g] : (t - g * {tiles} >= 0, -t + g * {tiles} + {tiles - 1} >= 0)>"
    future = f"!ktdp.tile_future<({type}), groups = affine_set<(g) : (g == 0)>>"
    k.line(
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {group} -> {future} {{\n"
        f"^bb0(%gid: index):\n ktdp.yield_partial %one : {type} }}\n"
        f"%sum = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {group}, "
        f"identity(%zero : {type}) : {future} -> {type} {{\n"
        f"^bb0(%l: {type}, %r: {type}):\n %s = arith.addf %l, %r : {type}\n"
        f" ktdp.yield_reduced %s : {type} }}"
    )
    k.store("%sum", k.buffer("count", (tiles,), "f16", fill=False), (1,), ("%t",))


def kernel(tiles, rows, columns):
    """Every tile keeps twice its rows; returns the kernel with its tile number %t."""
    k = KernelText(grid=(tiles,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line(f"%rows = arith.constant {rows} : index")
    k.line("%first = arith.muli %t, %rows : index")
    x = k.buffer("x", (tiles * rows, columns), "f16")
    own = local_view(k, "own", (rows, columns))
    loaded = k.load(x, (rows, columns), ("%first", 0))
    type = shaped("tensor", (rows, columns), "f16")
    k.store(k.op("arith.addf", loaded, loaded, type=type), own)
    return k


@pytest.mark.parametrize("device", DEVICES)
def test_windows_cross_the_borders_of_partitions(device):
    k = kernel(3, 4, 20)
    synchronised(k, 3)
    parts = [local_view(k, f"p{n}", (4, 20), (4 * n, 0), owner=n) for n in range(3)]
    view = whole(k, parts, (12, 20))
    k.line("%c3 = arith.constant 3 : index")
    k.line("%w = arith.muli %t, %c3 : index")
    out = k.buffer("out", (15, 20), "f16", fill=False)
    k.line("%c5 = arith.constant 5 : index")
    k.line("%o = arith.muli %t, %c5 : index")
    k.store(k.load(view, (5, 20), ("%w", 0)), out, (5, 20), ("%o", 0))
    found = run(k, device)["out"].reshape(3, 5, 20)
    rows = 2 * k.data["x"].reshape(12, 20)
    for tile in range(3):
        assert np.array_equal(found[tile], rows[3 * tile : 3 * tile + 5])


@pytest.mark.parametrize("device", DEVICES)
def test_one_tile_is_read_by_all_and_partitions_may_be_in_any_order(device):
    k = kernel(3, 2, 8)
    synchronised(k, 3)
    parts = [local_view(k, f"p{n}", (2, 8), (2 * (2 - n), 0), owner=n) for n in range(3)]
    view = whole(k, parts, (6, 8))
    only = local_view(k, "middle", (2, 8), owner=1)
    a, b = k.load(view, (2, 8), ("%first", 0)), k.load(only)
    out = k.buffer("out", (6, 8), "f16", fill=False)
    k.store(k.op("arith.subf", a, b, type="tensor<2x8xf16>"), out, (2, 8), ("%first", 0))
    found = run(k, device)["out"].reshape(3, 2, 8)
    rows = 2 * k.data["x"].reshape(3, 2, 8)
    for tile in range(3):
        assert np.array_equal(found[tile], rows[2 - tile] - rows[1])


@pytest.mark.parametrize("device", DEVICES)
def test_parts_of_one_array_are_read_in_place(device):
    """Left and right half of a matrix: no copy, one program."""
    k = KernelText(grid=(3,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    x, y = k.buffer("x", (3, 40), "f16"), k.buffer("y", (3, 20), "f16", fill=False)
    k.views.pop(x)
    halves = [global_part(k, f"h{n}", "x", (3, 20), (0, 20 * n), [40, 1], 20 * n) for n in range(2)]
    k.line("%c7 = arith.constant 7 : index")
    loaded = k.load(whole(k, halves[::-1], (3, 40)), (1, 20), ("%t", "%c7"))
    k.store(k.op("arith.addf", loaded, loaded, type="tensor<1x20xf16>"), y, (1, 20), ("%t", 0))
    assert np.array_equal(run(k, device)["y"].reshape(3, 20), 2 * k.data["x"].reshape(3, 40)[:, 7:27])
    assert len(kt.compile(kt.parse(k.text), device_called(device)).metadata["programs"]) == 1


@pytest.mark.parametrize("device", DEVICES)
def test_parts_in_device_memory_and_in_scratchpads(device):
    k = kernel(3, 4, 20)
    synchronised(k, 3)
    k.buffer("g", (20, 4), "f16")
    parts = [
        global_part(k, "top", "g", (4, 20), (0, 0), [1, 4]),
        local_view(k, "p2", (4, 20), (4, 0), owner=2),
        local_view(k, "p0", (4, 20), (8, 0), owner=0),
    ]
    view = whole(k, parts, (12, 20))
    k.line("%c3 = arith.constant 3 : index")
    k.line("%w = arith.muli %t, %c3 : index")
    out = k.buffer("out", (3, 5, 20), "f16", fill=False)
    loaded = k.load(view, (5, 20), ("%w", 0))
    wide = "tensor<1x5x20xf16>"
    k.line(f"%e = tensor.expand_shape {loaded} [[0, 1], [2]] output_shape [1, 5, 20] : tensor<5x20xf16> into {wide}")
    k.store("%e", out, (1, 5, 20), ("%t", 0, 0))
    found = run(k, device)["out"].reshape(3, 5, 20)
    x = 2 * k.data["x"].reshape(3, 4, 20)
    rows = np.concatenate([k.data["g"].reshape(20, 4).T, x[2], x[0]])
    for tile in range(3):
        assert np.array_equal(found[tile], rows[3 * tile : 3 * tile + 5])


@pytest.mark.parametrize("device", DEVICES)
def test_neighbours_are_read_in_a_loop_and_by_some_tiles(device):
    """Each tile adds the rows of all tiles one by one; tile 1 alone reads a row of tile 2 as well."""
    k = kernel(3, 4, 20)
    synchronised(k, 3)
    parts = [local_view(k, f"p{n}", (4, 20), (4 * n, 0), owner=n) for n in range(3)]
    view, last = whole(k, parts, (12, 20)), local_view(k, "last", (4, 20), owner=2)
    out, extra = k.buffer("out", (3, 12, 20), "f16", fill=False), k.buffer("extra", (1, 20), "f16")
    k.line("%i0 = arith.constant 0 : index")
    k.line("%i1 = arith.constant 1 : index")
    k.line("%i12 = arith.constant 12 : index")
    k.line("scf.for %i = %i0 to %i12 step %i1 {")
    row = k.load(view, (1, 20), ("%i", 0))
    wide = "tensor<1x1x20xf16>"
    k.line(f"%e = tensor.expand_shape {row} [[0, 1], [2]] output_shape [1, 1, 20] : tensor<1x20xf16> into {wide}")
    k.store(k.op("arith.addf", "%e", "%e", type=wide), out, (1, 1, 20), ("%t", "%i", 0))
    k.line("}")
    k.line("%middle = arith.cmpi eq, %t, %i1 : index")
    k.line("scf.if %middle {")
    k.store(k.load(last, (1, 20), ("%i1", 0)), extra, (1, 20))
    k.line("}")
    found = run(k, device)
    rows = 2 * k.data["x"].reshape(12, 20)
    assert np.array_equal(found["out"].reshape(3, 12, 20), np.stack([2 * rows] * 3))
    assert np.array_equal(found["extra"], rows[9])


def test_a_store_to_other_tiles_is_refused():
    k = KernelText(grid=(2,))
    x = k.load(k.buffer("x", (2, 8), "f16"))
    k.store(x, local_view(k, "p", (2, 8), owner=1))
    with pytest.raises(PassError, match="stores to the memory of others") as refused:
        kt.compile(kt.parse(k.text), kt.device("toy"))
    assert refused.value.hint and refused.value.location.line > 0
