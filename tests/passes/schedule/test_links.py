"""Transfers from the scratchpads of other tiles, over the links between cores."""

from __future__ import annotations

import re

import numpy as np
import pytest
from far_devices import device_called
from kernel_text import KernelText

import kt
from kt.arch import load_device
from kt.ir.diagnostics import KtError
from kt.passes.manager import PassContext, PassManager
from kt.passes.pipelines import pipeline

TILES, ROWS, WIDTH = 6, 4, 64
UNITS = {"toy": "XCH", "spyre": "RINGU", "mesh": "HUB"}
PADS = {"toy": "PAD", "spyre": "LX", "mesh": "TPAD"}


def hops(device: str, a: int, b: int) -> int:
    """Links between two cores: along a ring of 8 or 32, or over a mesh with eight columns."""
    if device == "mesh":
        return abs(a // 8 - b // 8) + abs(a % 8 - b % 8)
    around = {"toy": 8, "spyre": 32}[device]
    return min((a - b) % around, (b - a) % around)


def kernel(peers: list[int], buffered: bool) -> KernelText:
    """Every tile keeps its rows of x, and stores the sum of them and those of a peer."""
    k = KernelText(grid=(TILES,))
    k.line("%t = ktdp.get_compute_tile_id : index")
    k.line(f"%n = arith.constant {ROWS} : index")
    k.line("%first = arith.muli %t, %n : index")
    x = k.buffer("x", (TILES * ROWS, WIDTH), "f16")
    y = k.buffer("y", (TILES * ROWS, WIDTH), "f16", fill=False)
    type = f"memref<{ROWS}x{WIDTH}xf16>"
    if buffered:
        k.line(f"%own = kt.buffer() : {type}")
        k.views["%own"] = (ROWS, WIDTH), "f16"
        own = "%own"
    else:
        own = k.buffer("own", (ROWS, WIDTH), "f16", space="ct_local", base=0)
    mine = k.load(x, (ROWS, WIDTH), ("%first", 0))
    k.store(mine, own)
    k.line("kt.barrier")
    k.line(f"%far = kt.peer_view {own} peers {peers} : {type}")
    k.views["%far"] = (ROWS, WIDTH), "f16"
    near = k.load(own)
    total = k.op("arith.addf", k.load("%far"), near, type=f"tensor<{ROWS}x{WIDTH}xf16>")
    k.store(total, y, (ROWS, WIDTH), ("%first", 0))
    return k


@pytest.mark.parametrize("buffered", [False, True], ids=["view", "buffer"])
@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
@pytest.mark.parametrize("peers", [[5, 0, 1, 2, 3, 4], [2, 2, 2, 2, 2, 2]])
def test_a_computation_reads_over_links(device, buffered, peers):
    k = kernel(peers, buffered)
    arguments = {n: v.copy() for n, v in k.data.items()}
    assert kt.check(kt.parse(k.text), kt.device(device), arguments).failed is None
    runtime = kt.Runtime(kt.device(device))
    program = runtime.load(kt.compile(kt.parse(k.text), kt.device(device)))
    y = program({n: v.copy() for n, v in k.data.items()})["y"].reshape(TILES, ROWS, WIDTH)
    x = k.data["x"].reshape(TILES, ROWS, WIDTH)
    assert np.array_equal(y, x + x[peers])
    size = ROWS * WIDTH * 2
    links, unit, pad = program.last.links, UNITS[device], PADS[device]
    assert links[pad, unit] == links[unit, pad] == TILES * size
    assert links[unit, unit] == size * sum(hops(device, t, p) for t, p in enumerate(peers))
    shared = program.last.bytes[str(kt.device(device).global_memory.kind)]
    assert (shared.read, shared.written) == (TILES * size, TILES * size)


def test_stages_name_the_unit_next_to_the_own_memory():
    module = kt.parse(kernel([1, 2, 3, 4, 5, 0], False).text)
    PassManager(pipeline("plan")).run(module, PassContext(device=load_device("toy")))
    text = kt.print_module(module)
    first, second, *_ = re.findall(r"data_transfer from .*?applicable_units = \[\"(\w+)\"\]",
                                   text[text.index("kt.peer_view") :], re.S)  # fmt: skip
    assert (first, second) == ("XCH", "FEED")


@pytest.mark.parametrize(
    ("buffered", "words"),
    [
        (False, "no links lead from the 'PAD' of one core"),
        (True, "a buffer that other tiles read has no place"),
    ],
)
def test_a_device_without_links_says_so(buffered, words):
    with pytest.raises(KtError, match=words) as caught:
        kt.compile(kt.parse(kernel([1, 2, 3, 4, 5, 0], buffered).text), device_called("apart"))
    assert caught.value.location.position()
