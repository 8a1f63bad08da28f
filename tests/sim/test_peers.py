"""Views of other tiles' scratchpads: batched, one tile after the other, and out of order."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_lines import numbers, run, tile, view

from kt.ir.diagnostics import RunError

TILES = 4


def kernel(source: str, barrier: str = "kt.barrier", peers: str = "[3, 0, 1, 2]") -> str:
    """Each tile puts its row of x to ``source`` and takes that of a peer."""
    return f"""func.func @f(%x: index, %y: index) attributes {{grid = [{TILES}]}} {{
      %c0 = arith.constant 0 : index
      %t = ktdp.get_compute_tile_id : index
      %v = {view("%x", [TILES, 8])}
      %w = {view("%y", [TILES, 8])}
      %own = {source}
      %a = {tile("%v", "%t, %c0", [1, 8], [TILES, 8])}
      %r = ktdp.load %a : <1x8xindex> -> tensor<1x8xf32>
      %b = {tile("%own", "%c0, %c0", [1, 8], [1, 8])}
      ktdp.store %r, %b : tensor<1x8xf32>, <1x8xindex>
      {barrier}
      %far = kt.peer_view %own peers {peers} : memref<1x8xf32>
      %c = {tile("%far", "%c0, %c0", [1, 8], [1, 8])}
      %s = ktdp.load %c : <1x8xindex> -> tensor<1x8xf32>
      %d = {tile("%w", "%t, %c0", [1, 8], [TILES, 8])}
      ktdp.store %s, %d : tensor<1x8xf32>, <1x8xindex>
      return
    }}"""


OWN = view("%c0", [1, 8], space="ct_local")
BUFFER = "kt.buffer() : memref<1x8xf32>"


@pytest.mark.parametrize("source", [OWN, BUFFER], ids=["view", "buffer"])
@pytest.mark.parametrize("batch", [None, 1, 3])
@pytest.mark.parametrize("peers", [(3, 0, 1, 2), (2, 2, 2, 2), (0, 1, 2, 3)])
def test_a_tile_reads_what_its_peer_has_written(source, batch, peers) -> None:
    x = numbers(TILES, 8)
    text = kernel(source, peers=str(list(peers)))
    y = run(text, {"x": x, "y": np.zeros((TILES, 8), np.float32)}, batch=batch)["y"]
    assert np.array_equal(y, x[list(peers)])


@pytest.mark.parametrize("source", [OWN, BUFFER], ids=["view", "buffer"])
def test_without_a_barrier_it_is_a_race(source) -> None:
    x = numbers(TILES, 8)
    with pytest.raises(RunError, match="in no order with it"):
        run(kernel(source, ""), {"x": x, "y": np.zeros((TILES, 8), np.float32)})


def test_buffers_of_a_loop_are_new_in_each_iteration() -> None:
    x = numbers(TILES, 8)
    body = kernel(BUFFER).split("\n")
    first, last = body.index(f"      %own = {BUFFER}"), len(body) - 2
    loop = ["scf.for %i = %c0 to %c2 step %c1 {", *body[first:last], "kt.barrier", "}"]
    more = ["%c1 = arith.constant 1 : index", "%c2 = arith.constant 2 : index"]
    text = "\n".join([*body[:first], *more, *loop, *body[last:]])
    y = run(text, {"x": x, "y": np.zeros((TILES, 8), np.float32)}, batch=2)["y"]
    assert np.array_equal(y, x[[3, 0, 1, 2]])


def test_bytes_of_a_peer_that_were_never_written_are_found() -> None:
    text = kernel(BUFFER).replace("ktdp.store %r, %b : tensor<1x8xf32>, <1x8xindex>", "")
    with pytest.raises(RunError, match="never written"):
        run(text, {"x": numbers(TILES, 8), "y": np.zeros((TILES, 8), np.float32)})
