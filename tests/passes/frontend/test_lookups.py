"""Gather and scatter: coordinates that are looked up in memory, down to the artifact."""

from __future__ import annotations

import numpy as np
import pytest
from checked_runs import counted
from kernel_text import KernelText, box, identity, shaped

import kt
from kt.ir.diagnostics import PassError

ROWS = np.array([7, 0, 3, 3, 8, 1], dtype=np.int32)
DISTINCT = np.array([4, 8, 0, 5, 2, 7], dtype=np.int32)


def indices(k, values, name="i"):
    view = k.buffer(name, values.shape, "i32", fill=False)
    k.data[name] = values.ravel().copy()
    return view


def tile(k, view, subscripts, shape, index="%i_v", variables="%r, %c"):
    """An indirect access tile over a box of variables; ``view`` is subscripted as written."""
    made = k.new()
    base, element = k.views[view]
    whole, kind = k.views[index]
    k.line(
        f"{made} = ktdp.construct_indirect_access_tile intermediate_variables({variables}) "
        f"{view}[{subscripts}] {{variables_space_set = {box(shape)}, variables_space_order = "
        f"{identity(len(shape))}}} : {shaped('memref', base, element)}, "
        f"{shaped('memref', whole, kind)} -> {shaped('!ktdp.access_tile', shape, 'index')}"
    )
    return made


def gather(k, view, subscripts, shape, **options):
    at, made = tile(k, view, subscripts, shape, **options), k.new()
    element = k.views[view][1]
    k.line(
        f"{made} = ktdp.load {at} : {shaped('!ktdp.access_tile', shape, 'index')} -> "
        f"{shaped('tensor', shape, element)}"
    )
    return made


def scatter(k, value, view, subscripts, shape, **options):
    at = tile(k, view, subscripts, shape, **options)
    element = k.views[view][1]
    k.line(
        f"ktdp.store {value}, {at} : {shaped('tensor', shape, element)}, "
        f"{shaped('!ktdp.access_tile', shape, 'index')}"
    )


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
def test_rows_are_gathered(device):
    """Also without computation, and in rows whose last vector is short."""
    k = KernelText()
    indices(k, ROWS)
    x, y = k.buffer("x", (9, 13), "f16"), k.buffer("y", (6, 13), "f16", fill=False)
    k.store(gather(k, x, "ind(%i_v[%r]), (%c)", (6, 13)), y)
    found, traffic = counted(k, device)
    wanted = k.data["x"].reshape(9, 13)[ROWS]
    assert np.array_equal(found["y"].reshape(6, 13), wanted)
    assert traffic[1] == 6 * 13 * 2
    assert 6 * (13 * 2 + 4) <= traffic[0] <= 6 * (13 * 2 + 2 * 4), "a row needs its number"


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
def test_gathered_rows_are_operands(device):
    """Captured offsets in direct and looked-up subscripts; the same table, two gathers."""
    k = KernelText(grid=(2,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line("%c3 = arith.constant 3 : index")
    k.line("%o = arith.muli %t, %c3 : index")
    indices(k, ROWS)
    x, y = k.buffer("x", (9, 20), "f16"), k.buffer("y", (6, 16), "f16", fill=False)
    low = gather(k, x, "ind(%i_v[%o + %r]), (%c)", (3, 16))
    high = gather(k, x, "ind(%i_v[%o + %r]), (%c + %c3)", (3, 16))
    type = "tensor<3x16xf16>"
    k.store(k.op("arith.subf", low, high, type=type), y, (3, 16), ("%o", 0))
    found, _ = counted(k, device)
    rows = k.data["x"].reshape(9, 20)[ROWS]
    assert np.array_equal(found["y"].reshape(6, 16), rows[:, :16] - rows[:, 3:19])


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
def test_columns_are_looked_up(device):
    """The looked-up coordinate is the inner one: lanes run along the rows."""
    k = KernelText()
    indices(k, DISTINCT)
    x, y = k.buffer("x", (12, 9), "f32"), k.buffer("y", (12, 6), "f32", fill=False)
    k.store(gather(k, x, "(%r), ind(%i_v[%c])", (12, 6)), y)
    found, _ = counted(k, device)
    assert np.array_equal(found["y"].reshape(12, 6), k.data["x"].reshape(12, 9)[:, DISTINCT])


@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("computed", [True, False])
def test_rows_are_scattered(device, computed):
    """Rows that no number names keep their contents."""
    k = KernelText(grid=(2,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line("%c3 = arith.constant 3 : index")
    k.line("%o = arith.muli %t, %c3 : index")
    indices(k, DISTINCT)
    x, y = k.buffer("x", (6, 13), "f16"), k.buffer("y", (9, 13), "f16")
    loaded = k.load(x, (3, 13), ("%o", 0))
    if computed:
        loaded = k.op("arith.addf", loaded, loaded, type="tensor<3x13xf16>")
    scatter(k, loaded, y, "ind(%i_v[%o + %r]), (%c)", (3, 13))
    found, traffic = counted(k, device)
    wanted = k.data["y"].reshape(9, 13).copy()
    wanted[DISTINCT] = k.data["x"].reshape(6, 13) * (2 if computed else 1)
    assert np.array_equal(found["y"].reshape(9, 13), wanted)
    assert traffic == (6 * 13 * 2 + 6 * 4, 6 * 13 * 2)


def refusal(k):
    with pytest.raises(PassError) as refused:
        kt.compile(kt.parse(k.text), kt.device("toy"))
    assert refused.value.hint and refused.value.location.line > 0
    return refused.value.message


def test_single_elements_have_no_vectors():
    k = KernelText()
    indices(k, ROWS.reshape(2, 3))
    x, y = k.buffer("x", (9,), "f16"), k.buffer("y", (2, 3), "f16", fill=False)
    k.store(gather(k, x, "ind(%i_v[%r, %c])", (2, 3)), y)
    assert "coordinates of its own" in refusal(k)


def test_the_table_may_not_change_before_it_is_used():
    k = KernelText()
    indices(k, ROWS)
    x, y = k.buffer("x", (9, 8), "f16"), k.buffer("y", (6, 8), "f16", fill=False)
    rows = gather(k, x, "ind(%i_v[%r]), (%c)", (6, 8))
    k.store(k.load(k.buffer("other", (6,), "i32", fill=False)), "%i_v")
    k.store(rows, y)
    assert "overwritten" in refusal(k)


def test_a_table_that_was_written_before_is_used():
    k = KernelText()
    indices(k, ROWS)
    indices(k, DISTINCT, "j")
    x, y = k.buffer("x", (9, 8), "f16"), k.buffer("y", (6, 8), "f16", fill=False)
    k.store(k.load("%j_v"), "%i_v")
    k.store(gather(k, x, "ind(%i_v[%r]), (%c)", (6, 8)), y)
    found, _ = counted(k, "toy")
    assert np.array_equal(found["y"].reshape(6, 8), k.data["x"].reshape(9, 8)[DISTINCT])
