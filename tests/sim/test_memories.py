"""Banks, regions, views: windows share bytes, and undefined accesses are refused."""

from __future__ import annotations

import numpy as np
import pytest

from kt.ir.diagnostics import RunError
from kt.ir.numbers import DType, dtype
from kt.sim.access import read_box, read_points, write_box, write_points
from kt.sim.interp import Frame
from kt.sim.machine import Machine
from kt.sim.memory import Bank, Region, Sharing
from kt.sim.order import Order
from kt.sim.values import View

F16, F32, DF16 = dtype("f16"), dtype("f32"), dtype("df16")
ONE = np.zeros(1, np.int64)


def frame(tiles: int = 1, order: Order | None = None) -> Frame:
    return Frame(np.arange(tiles), order)


def test_a_region_is_a_strided_window_of_bytes() -> None:
    bank = Bank("M", 4096)
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    Region(bank, 16, (3, 4), (16, 4), F32).write(matrix, ONE, None)
    assert bank.data[16:64].tobytes() == matrix.tobytes()
    turned = Region(bank, 16, (4, 3), (4, 16), F32).read(ONE, None)
    assert (turned == matrix.T).all()
    backwards = Region(bank, 16 + 12, (4,), (-4,), F32).read(ONE, None)
    assert backwards.tolist() == [3, 2, 1, 0]


def test_values_are_rounded_to_the_storage_type() -> None:
    bank = Bank("M", 64)
    region = Region(bank, 0, (2,), (2,), DF16)
    region.write(np.array([1.0, 0.59033203125], np.float32), ONE, None)
    assert bank.data[:4].view("<u2").tolist() == [0x3E00, 0x3C5D]
    assert region.read(ONE, None).tolist() == [1.0, 0.5908203125]


def test_a_batch_reads_the_place_of_each_tile() -> None:
    bank = Bank("M", 4096)
    whole = np.arange(40, dtype=np.float16)
    Region(bank, 0, (40,), (2,), F16).write(whole, ONE, None)
    tiles = np.arange(4)
    even = Region(bank, tiles * 20, (3,), (2,), F16).read(tiles, None)
    assert (even == np.stack([whole[10 * t : 10 * t + 3] for t in range(4)])).all()
    starts = np.array([6, 0, 2, 60])
    odd = Region(bank, starts, (3,), (2,), F16).read(tiles, None)
    assert (odd == np.stack([whole[s // 2 : s // 2 + 3] for s in starts])).all()


def test_reading_what_was_never_written_is_refused() -> None:
    bank = Bank("M", 64)
    Region(bank, 0, (3,), (2,), F16).write(np.zeros(3, np.float16), ONE, None)
    with pytest.raises(
        RunError, match=r"memory M at byte 6, which was never written \(element \[3\]"
    ):
        Region(bank, 0, (4,), (2,), F16).read(ONE, None)
    bank.begin_launch(False, Sharing())
    assert Region(bank, 0, (4,), (2,), F16).read(ONE, None).tolist() == [0, 0, 0, 0]


def test_unordered_writes_of_two_tiles_are_refused() -> None:
    bank, order = Bank("M", 64), Order.of(3)
    region = Region(bank, 0, (4,), (2,), F16)
    region.write(np.zeros(4, np.float16), np.array([0]), order)
    region.write(np.ones(4, np.float16), np.array([0]), order)
    with pytest.raises(RunError, match="which tile 0 wrote in no order with it"):
        Region(bank, 6, (1,), (2,), F16).write(np.zeros(1, np.float16), np.array([2]), order)
    with pytest.raises(RunError, match="reads memory M near byte 0"):
        region.read(np.array([1]), order)


def test_a_delivery_orders_writes() -> None:
    bank, order = Bank("M", 64), Order.of(2)
    region = Region(bank, 0, (4,), (2,), F16)
    region.write(np.ones(4, np.float16), np.array([0]), order)
    order.receive(1, order.publish(0))
    assert region.read(np.array([1]), order).tolist() == [1, 1, 1, 1]
    behind = Region(bank, 8, (4,), (2,), F16)
    behind.write(np.ones(4, np.float16), np.array([0]), order)  # after it has published
    with pytest.raises(RunError, match="tile 0 wrote"):
        behind.read(np.array([1]), order)


@pytest.mark.parametrize("element", [F16, F32])
def test_a_write_must_come_after_the_reads_of_others(element: DType) -> None:
    bank, order = Bank("M", 64), Order.of(4)
    bank.hold("x", 0, 32)
    whole = Region(bank, 0, (8,), (4,), F32, bank.extents[0])
    size = element.itemsize
    second = Region(bank, 8, (2,), (size,), element, bank.extents[0])
    whole.write(np.ones(8, np.float32), np.array([0]), order)
    for tile in (1, 2, 3):
        order.receive(tile, order.publish(0))
    second.read(np.array([1, 2]), order)  # both read the same elements
    fourth = Region(bank, 16, (2,), (size,), element, bank.extents[0])
    fourth.read(np.array([3]), order)
    fourth.write(np.zeros(2, np.float32), np.array([3]), order)  # it read them itself
    order.receive(0, order.publish(1))
    with pytest.raises(RunError, match="near byte 8, which tile 2 read in no order with it"):
        second.write(np.zeros(2, np.float32), np.array([0]), order)
    order.receive(0, order.publish(2))
    second.write(np.zeros(2, np.float32), np.array([0]), order)
    assert bank.data[:16].view(np.float32)[:2].tolist() == [1, 1]


def test_reads_are_known_when_a_memory_grows() -> None:
    tiles = np.arange(2)
    bank, order = Bank("M", 1 << 20, 2, tiles), Order.of(2)
    first = Region(bank, bank.pitch + 4, (2,), (4,), F32)  # in the row of tile 1
    first.write(np.ones(2, np.float32), tiles[1:], order)
    order.receive(0, order.publish(1))
    first.read(tiles, order)
    bank.reach(1 << 19)
    again = Region(bank, bank.pitch + 4, (2,), (4,), F32)
    with pytest.raises(RunError, match="which tile 0 read in no order with it"):
        again.write(np.ones(2, np.float32), tiles[1:], order)


def test_tiles_of_one_batch_must_not_overlap() -> None:
    bank, tiles = Bank("M", 64), np.arange(2)
    overlapping = Region(bank, tiles * 2, (2,), (2,), F16)
    with pytest.raises(RunError, match="tile 1 wrote in no order"):
        overlapping.write(np.zeros((2, 2), np.float16), tiles, Order.of(2))


@pytest.mark.parametrize("step", [-24, -12, -6, -2, 0, 2, 4, 6, 10, 12, 14, 24])
@pytest.mark.parametrize("strides", [(2,), (4,), (-2,), (8, 2), (2, 12), (-6, 4)])
def test_tiles_of_one_batch_meet_where_their_bytes_do(step: int, strides: tuple[int, ...]) -> None:
    shape, tiles = (2,) if len(strides) == 1 else (2, 3), np.arange(3)
    starts = 96 + step * tiles
    offsets = np.zeros(1, int)
    for extent, stride in zip(shape, strides):
        offsets = (offsets[:, None] + np.arange(extent) * stride).reshape(-1)
    used = [frozenset((start + offsets).tolist()) for start in starts]
    apart = all(a.isdisjoint(b) for i, a in enumerate(used) for b in used[:i])
    for number in range(2):  # into fresh memory, and where the same tiles have written before
        bank, order, values = Bank("M", 256), Order.of(3), np.ones((3, *shape), np.float16)
        region = Region(bank, starts, shape, strides, F16)
        if number and apart:
            region.write(values, tiles, order)
        if apart:
            region.write(values, tiles, order)
            assert set(np.flatnonzero(bank.data.view(np.float16)) * 2) == frozenset.union(*used)
        else:
            with pytest.raises(RunError, match="wrote in no order with it"):
                region.write(values, tiles, order)


def test_allocation_is_aligned_and_bounded() -> None:
    bank = Bank("M", 1024)
    assert [bank.allocate(10), bank.allocate(300), bank.allocate(1)] == [0, 256, 768]
    with pytest.raises(
        RunError, match="300 bytes don't fit memory M: 769 of 1024 bytes are in use"
    ):
        bank.allocate(300)


@pytest.mark.parametrize(
    ("origin", "extents"), [((0, 3), (2, 3)), ((-1, 0), (1, 1)), ((2, 0), (3, 1))]
)
def test_a_box_outside_the_view_is_refused(
    origin: tuple[int, ...], extents: tuple[int, ...]
) -> None:
    view = View(Bank("M", 4096), 0, 0, (4, 5), (5, 1), F16)
    with pytest.raises(RunError, match="of the view 4x5xf16 in M"):
        write_box(view, origin, extents, (0, 1), np.zeros(extents, np.float16), frame())


def test_a_view_beyond_the_memory_is_refused() -> None:
    view = View(Bank("M", 100), 0, 64, (4, 5), (5, 1), F16)
    with pytest.raises(RunError, match=r"bytes 64\.\.103 of memory M, which has 100 bytes"):
        write_box(view, (0, 0), (4, 5), (0, 1), np.zeros((4, 5), np.float16), frame())


def test_axes_of_a_box_are_permuted() -> None:
    view = View(Bank("M", 4096), 0, 0, (2, 3, 4), (12, 4, 1), F32)
    block = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    write_box(view, (0, 0, 0), (2, 3, 4), (0, 1, 2), block, frame())
    turned = read_box(view, (0, 0, 0), (2, 3, 4), (1, 2, 0), frame())
    assert (turned == block.transpose(1, 2, 0)).all()


def test_points_gather_and_scatter() -> None:
    view = View(Bank("M", 4096), 0, 6, (5, 4), (4, 1), F32)  # not aligned to the element size
    matrix = np.arange(20, dtype=np.float32).reshape(5, 4)
    write_box(view, (0, 0), (5, 4), (0, 1), matrix, frame())
    rows = np.array([3, 0, 3])[:, None]
    found = read_points(view, [rows, np.arange(4)[None]], (3, 4), frame())
    assert (found == matrix[[3, 0, 3]]).all()
    write_points(
        view, [rows, np.array([[1]])], (3, 1), np.array([[9], [8], [7]], np.float32), frame()
    )
    assert read_box(view, (0, 1), (5, 1), (0, 1), frame())[:, 0].tolist() == [8, 5, 9, 7, 17]
    with pytest.raises(RunError, match="coordinate -1 along dimension 0"):
        read_points(view, [np.array([-1]), np.array([0])], (1,), frame())


def test_every_tile_has_its_own_scratchpad_and_contents_last() -> None:
    machine = Machine()
    machine.begin_launch(2, True)
    bank = machine.bank(None)
    tiles = np.arange(2)
    own = View(bank, bank.row_number(tiles), 8, (2,), (1,), F16)
    write_box(own, (0,), (2,), (0,), np.array([[1, 2], [3, 4]], np.float16), frame(2))
    machine.begin_launch(4, True)
    bank = machine.bank(None)
    second = View(bank, bank.row_number(np.array([1])), 8, (2,), (1,), F16)
    assert read_box(second, (0,), (2,), (0,), frame()).tolist() == [3, 4]
