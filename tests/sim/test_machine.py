"""What lasts and what is checked: scratchpads across kernels, order of tiles, foreign conventions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_lines import box, load, numbers, run, shaped, store, view

from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim.machine import Machine
from kt.sim.simulate import simulate

C = "\n".join(f"%c{i} = arith.constant {i} : index" for i in (0, 1, 2, 3, 4))

PRODUCER = f"""func.func @produce(%x: index) attributes {{grid = [3]}} {{
  {C}
  %t = ktdp.get_compute_tile_id : index
  %v = {view("%x", [3, 8])}
  %own = {view("%c4", [8], space="ct_local")}
  {load("%d", "%v", "%t, %c0", [1, 8], [3, 8])}
  %r = tensor.collapse_shape %d [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  {store("%r", "%own", "%c0", [8], [8])}
  return
}}"""
CONSUMER = f"""func.func @consume(%y: index) attributes {{grid = [3]}} {{
  {C}
  %t = ktdp.get_compute_tile_id : index
  %w = {view("%y", [3, 8])}
  %own = {view("%c4", [8], space="ct_local")}
  {load("%d", "%own", "%c0", [8], [8])}
  %s = arith.addf %d, %d : tensor<8xf32>
  {store("%s", "%own", "%c0", [8], [8], name="%back")}
  %r = tensor.expand_shape %s [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  {store("%r", "%w", "%t, %c0", [1, 8], [3, 8])}
  return
}}"""


@pytest.mark.parametrize("batch", [None, 1])
def test_a_consumer_finds_what_a_producer_left(batch: int | None) -> None:
    x, machine = numbers(3, 8), Machine()
    run(PRODUCER, [x], machine=machine, batch=batch)
    found = run(CONSUMER, [np.zeros_like(x)], machine=machine, batch=batch)
    assert (found["y"] == 2 * x).all()
    for tile in range(3):
        left = machine.read("ct_local", 16, (8,), np.float32, tile=tile)
        assert (left == 2 * x[tile]).all()
    with pytest.raises(RunError, match="byte 16, which was never written"):
        run(CONSUMER, [np.zeros_like(x)])  # another machine


def test_contents_can_be_set_per_tile() -> None:
    machine = Machine()
    for tile in range(3):
        machine.write("ct_local", 16, np.full(8, tile + 1, np.float32), tile=tile)
    found = run(CONSUMER, [np.zeros((3, 8), np.float32)], machine=machine)
    assert found["y"].tolist() == [[2 * t + 2] * 8 for t in range(3)]
    machine.write("global", 64, numbers(4))
    assert machine.read("global", 64, (2, 2), np.float32).tolist() == [[0, 1], [2, 3]]


def test_contents_are_refused_where_there_is_no_memory() -> None:
    machine = Machine()
    with pytest.raises(RunError, match="memory ct_local belongs to tiles: name one"):
        machine.write("ct_local", 0, numbers(2))
    with pytest.raises(RunError, match="memory ct_local, which has 2097152 bytes"):
        machine.write("ct_local", (2 << 20) - 4, numbers(2), tile=0)
    with pytest.raises(RunError, match="of tile 1 was never written at byte 4"):
        machine.write("ct_local", 0, numbers(1), tile=1)
        machine.read("ct_local", 0, (2,), np.float32, tile=1)
    with pytest.raises(RunError, match="there is no tile -1"):
        machine.read("ct_local", 0, (1,), np.float32, tile=-1)


def test_buffers_last_for_one_run() -> None:
    machine, x = Machine(), numbers(3, 8)
    run(PRODUCER, [x], machine=machine)
    address = machine.bank("global").top
    with pytest.raises(RunError, match="was never written"):
        machine.read("global", address, (4,), np.float32)


def test_a_run_without_checks_leaves_a_machine_that_can_be_checked() -> None:
    machine, x = Machine(), numbers(3, 8)
    run(PRODUCER, [x], machine=machine, checks=False)
    assert (run(CONSUMER, [np.zeros_like(x)], machine=machine)["y"] == 2 * x).all()


# -- order of tiles ------------------------------------------------------------------------------


def _rotate(body: str) -> str:
    """Each of four tiles owns a row of x and looks at the next tile's."""
    return f"""
    #all = affine_set<(t)[g] : (t - g >= 0, -t + g + 3 >= 0)>
    #one = affine_set<(g) : (g == 0)>
    func.func @f(%x: index, %y: index) attributes {{grid = [4]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [4, 8])}
      %w = {view("%y", [4, 8])}
      %n = arith.addi %t, %c1 : index
      %next = arith.remui %n, %c4 : index
      %zero = arith.constant dense<0.0> : tensor<1x8xf32>
      {body}
      {store("%d", "%w", "%t, %c0", [1, 8], [4, 8], name="%out")}
      return
    }}"""


READ_NEXT = load("%d", "%v", "%next, %c0", [1, 8], [4, 8])
CLEAR_OWN = store("%zero", "%v", "%t, %c0", [1, 8], [4, 8])
BARRIER = """%f = ktdp.inter_tile_produce producer_tiles_per_group = #all
    -> <(tensor<1x8xf32>), groups = #one> {
  ^bb0(%g: index):
    ktdp.yield_partial %zero : tensor<1x8xf32>
  }
  %all = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #all, identity(%zero : tensor<1x8xf32>)
      : <(tensor<1x8xf32>), groups = #one> -> tensor<1x8xf32> {
  ^bb0(%l: tensor<1x8xf32>, %m: tensor<1x8xf32>):
    %s = arith.addf %l, %m : tensor<1x8xf32>
    ktdp.yield_reduced %s : tensor<1x8xf32>
  }
"""


@pytest.mark.parametrize("batch", [None, 1, 3])
def test_a_write_after_another_tiles_read_needs_an_order(batch: int | None) -> None:
    x = numbers(4, 8)
    with pytest.raises(RunError, match=r"'ktdp.store' op on tile .: writes memory global .* read in no order"):  # fmt: skip
        run(_rotate(READ_NEXT + CLEAR_OWN), [x, np.zeros_like(x)], batch=batch)
    found = run(_rotate(READ_NEXT + BARRIER + CLEAR_OWN), [x, np.zeros_like(x)], batch=batch)
    assert (found["y"] == np.roll(x, -1, axis=0)).all()
    assert (found["x"] == 0).all()


@pytest.mark.parametrize("batch", [None, 1])
def test_a_read_after_another_tiles_write_needs_an_order(batch: int | None) -> None:
    x = numbers(4, 8)
    with pytest.raises(RunError, match="in no order with it"):
        run(_rotate(CLEAR_OWN + READ_NEXT), [x, np.zeros_like(x)], batch=batch)
    found = run(_rotate(CLEAR_OWN + BARRIER + READ_NEXT), [x, np.zeros_like(x)], batch=batch)
    assert (found["y"] == 0).all()


def test_tiles_of_a_group_exchange_equally_often() -> None:
    guarded = f"""%few = arith.cmpi slt, %t, %c3 : index
      scf.if %few {{
        %f = ktdp.inter_tile_produce producer_tiles_per_group = #all
            -> <(tensor<1x8xf32>), groups = #one> {{
        ^bb0(%g: index):
          ktdp.yield_partial %zero : tensor<1x8xf32>
        }}
        %q = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #all,
            producer_dependency_per_consumer = affine_set<(p)[c] : (p == 0)>
            : <(tensor<1x8xf32>), groups = #one> -> tensor<1x8xf32>
      }}
      {READ_NEXT}"""
    x = numbers(4, 8)
    with pytest.raises(RunError, match="tiles of group 0 reach it differently often: tile 0 1 times, tile 3 0 times"):  # fmt: skip
        run(_rotate(guarded), [x, np.zeros_like(x)])
    run(_rotate(guarded), [x, np.zeros_like(x)], checks=False)


def test_a_deadlock_names_who_waits_for_whom() -> None:
    late = f"""%few = arith.cmpi slt, %t, %c3 : index
      scf.if %few {{ {BARRIER} }}
      {READ_NEXT}"""
    x = numbers(4, 8)
    with pytest.raises(RunError, match=r"deadlock: tile 0, 1, 2 waits at 'ktdp.inter_tile_reduce' for the values of tile 3") as info:  # fmt: skip
        run(_rotate(late), [x, np.zeros_like(x)])
    assert info.value.location.position() is not None


# -- buffers and foreign conventions -------------------------------------------------------------


def _window(at: str, count: int) -> str:
    """Copies ``count`` elements from index ``at`` of a 4 x 4 view of x to y."""
    return f"""func.func @f(%x: index, %y: index) attributes {{grid = [2]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [4, 4])}
      %w = {view("%y", [2, count])}
      {load("%d", "%v", at, [1, count], [4, 4])}
      {store("%d", "%w", "%t, %c0", [1, count], [2, count])}
      return
    }}"""


def test_out_of_range_under_the_peers_conventions() -> None:
    x, y = numbers(4, 4) + 1, np.zeros((2, 4), np.float32)
    text = _window("%c3, %t", 4)  # the columns of tile 1 run out of the row, and of the buffer
    with pytest.raises(RunError, match="on tile 1: reads coordinates"):
        run(text, [x, y])
    found = run(text, [x, y], "ktir-cpu")["y"]
    assert found.tolist() == [[13, 14, 15, 16], [14, 15, 16, 0]]
    found = run(_window("%t, %c2", 4), [x, y], "ktir-cpu")["y"]
    assert found.tolist() == [[3, 4, 5, 6], [7, 8, 9, 10]]  # aliases the next row
    swapped = text.replace("%t, %c0]", "%t, %c2]")
    dropped = run(swapped.replace("%c3, %t]", "%t, %c0]"), [x, y], "ktir-cpu")["y"]
    assert dropped.tolist() == [[0, 0, 1, 2], [3, 4, 5, 6]]  # 7 and 8 lie beyond y


def test_a_view_that_is_larger_than_its_array() -> None:
    x, y = numbers(3, 4), np.zeros((2, 4), np.float32)
    with pytest.raises(
        RunError,
        match=r"on tile 1: bytes 48..63 of memory global, but the buffer 'x' has the bytes 0..47",
    ):
        run(_window("%n, %c0", 4).replace("%v =", "%n = arith.addi %t, %c2 : index\n%v ="), [x, y])


def test_a_tile_order_under_the_peers_conventions() -> None:
    x = numbers(2, 3, 4)
    cycle = "affine_map<(d0, d1, d2) -> (d1, d2, d0)>"

    def text(extents: tuple[int, ...], shape: tuple[int, ...]) -> str:
        space = shaped("!ktdp.access_tile", shape, "index")
        type = shaped("tensor", shape, "f32")
        return f"""func.func @f(%x: index) -> {type} {{
          {C}
          %v = {view("%x", [2, 3, 4])}
          %a = ktdp.construct_access_tile %v[%c0, %c0, %c0] {{access_tile_set = {box(*extents)},
            access_tile_order = {cycle}}} : memref<2x3x4xf32> -> {space}
          %d = ktdp.load %a : {space} -> {type}
          return %d : {type}
        }}"""

    ours = run(text((2, 3, 4), (3, 4, 2)), [x])["result0"]
    assert (ours == x.transpose(1, 2, 0)).all()
    theirs = run(text((4, 2, 3), (4, 2, 3)), [x], "ktir-cpu")["result0"]
    assert (theirs == x.transpose(2, 0, 1)).all()


# -- progress ------------------------------------------------------------------------------------


def test_progress_is_told_in_order() -> None:
    text = f"""func.func @f() attributes {{grid = [5]}} {{
      {C}
      %t = ktdp.get_compute_tile_id : index
      scf.for %i = %c0 to %c4 step %c1 {{ %a = arith.addi %i, %t : index }}
      scf.for %i = %c0 to %c2 step %c1 {{ %a = arith.addi %i, %t : index }}
      return
    }}"""
    parts: list[float] = []
    machine = Machine()
    machine.progress = parts.append
    module: Any = parse_text(text)
    simulate(module, machine=machine, batch=3)
    once = [0.125, 0.25, 0.375, 0.5, 0.75, 1.0]
    assert parts == [(number + part) / 2 for number in range(2) for part in once]
