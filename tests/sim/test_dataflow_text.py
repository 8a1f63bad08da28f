"""DataflowIR as the upstream tools print it: it runs, and what is wrong with its order is found."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from kt.arch import load_device
from kt.binary import EncodeError, encode
from kt.ir.diagnostics import RunError
from kt.parse import parse_text
from kt.sim import Runtime, run_dataflow
from kt.sim.dataflow import program_of

TEXT = Path(__file__).parents[1] / "text"
TWICE = (TEXT / "twice.dfir.mlir").read_text()
X = np.arange(256, dtype=np.float16).reshape(8, 32)


def twice(text: str = TWICE, **options):
    """Run the two-core example on ``X``; the y that it writes."""
    device = load_device(TEXT / "mini_device.mlir")
    module = parse_text(text, "twice.mlir")
    found, report = run_dataflow(
        module, {"x": X, "y": np.zeros_like(X)}, device, "scheduler", **options
    )
    assert report.cycles > 0
    return found["y"]


def ordered() -> str:
    """The example with the signals that it lacks: each side says when a copy may be overwritten."""
    send = "dataflow.sync_send %{} {{wait_immediately_for_async_transfers = true}} : index\n"
    take = "dataflow.sync_recv %{} : index\n"
    text = TWICE
    # The feeder has read the copy, the store unit has moved the result: a second rendezvous.
    for after, peer in (
        ("dataflow.sync_recv %peer : index\n", "peer"),
        ("dataflow.send %q, %v : vector<32xf16>\n", "l"),
        (
            "dataflow.sync_recv %p : index\n          }\n        }\n        // scratchpad -> global",
            "p",
        ),
        ("} : memref<32xf16>, memref<4x32xf16>\n", "p"),
    ):
        assert text.count(after) == 1
        head, _, tail = after.partition("\n")
        text = text.replace(after, head + "\n" + send.format(peer) + take.format(peer) + tail)
    return text


def test_text_with_all_signals_runs_without_hazards():
    np.testing.assert_array_equal(twice(ordered(), hazards=True), X + X)


def test_writing_over_what_is_still_read_is_found():
    """As it stands in the reference of the dialect: one buffer, one rendezvous per trip."""
    with pytest.raises(
        RunError, match=r"overwrites byte \d+ of SPAD of core 0, which .* may still read"
    ):
        twice(hazards=True)


@pytest.mark.parametrize("loader", [True, False])
def test_stale_copies_are_found(loader):
    """Both sides of a rendezvous are gone: what is read may be from the trip before."""
    pattern = r"\n *dataflow.sync_send %peer[^\n]*\n *dataflow.sync_recv %peer[^\n]*"
    other = r"\n *dataflow.sync_send %l [^\n]*\n *dataflow.sync_recv %l [^\n]*"
    if not loader:
        pattern = other = r"\n *dataflow.sync_send %p [^\n]*\n *dataflow.sync_recv %p [^\n]*"
    silent = re.sub(other, "", re.sub(pattern, "", TWICE))
    assert silent != TWICE
    with pytest.raises(RunError) as caught:
        twice(silent, hazards=True, checks=False)
    assert re.search(r"(reads|overwrites) byte \d+ of SPAD", caught.value.message)
    assert caught.value.location.position() and caught.value.notes


def test_signals_that_don_t_match_are_found():
    """A token too many is left over; one too few stops both."""
    send = "dataflow.sync_send %peer {wait_immediately_for_async_transfers = true} : index"
    late = """}
          %last = uniform.def_immutable_mapping([%ld0 -> %sl0], [%ld1 -> %sl1]):index
          %feeder = uniform.query_map(map:%last, key:%me) : index
          dataflow.sync_send %feeder {wait_immediately_for_async_transfers = true} : index
        }
        // scratchpad -> fifo"""
    more = re.sub(r"\}\s*\}\s*// scratchpad -> fifo", late, ordered())
    with pytest.raises(
        RunError, match=r"unmatched signals .* C0-slu never takes 1 token of C0-glu"
    ):
        twice(more, hazards=True)
    with pytest.raises(RunError, match=r"deadlock in program 'twice_0'.* waits for a token of"):
        twice(ordered().replace(send, "", 1))


@pytest.mark.parametrize("direction", ["PseudoRandom", "CounterClockwise", "Clockwise", "BothWays"])
def test_directions_are_kept_and_run(direction):
    """A routing direction says which way round a ring: the values are the same."""
    routed = ordered().replace(
        "dataflow.send %t, %w", f"dataflow.send %t, %w {{dir = #dataflow<direction {direction}>}}"
    )
    routed = routed.replace("{load_order", f"{{dir = #agen<direction {direction}>, load_order")
    device = load_device(TEXT / "mini_device.mlir")
    text = encode(parse_text(routed, "twice.mlir"), device).disassemble()
    assert len(re.findall(rf"(send|xfer) .*{direction}", text)) == 3
    np.testing.assert_array_equal(twice(routed, hazards=True), X + X)


# -- look-ups ------------------------------------------------------------------------------------

LOOKUP = """
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0 * 8 + d1)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 7 >= 0)>
func.func @look_up() attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %o = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
  %pad = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
  %main = dataflow.get_unit {name = "main", type = "main"} : index
  dataflow.program_unit iter_arg : %me -> (%o) : {
    %m = dataflow.get_logical_memory_view %pad, %c0 {layout_map = #row} : index, index, memref<16x8xf16>
    %ix = dataflow.get_logical_memory_view %pad, %c256 {layout_map = #id} : index, index, memref<4xindex>
    %out = dataflow.get_logical_memory_view %main, %c512 {layout_map = #row} : index, index, memref<16x8xf16>
    scf.for %i = %c0 to %c4 step %c1 {
      %x = agen.indirect_vector_load indirect:%ix[%i] direct:%m[0, 0] {load_order = #id2, load_set = #line}
        : memref<4xindex>, memref<16x8xf16>, vector<8xf16>
      agen.indirect_vector_store %x indirect:%ix[%i] direct:%out[1, 0] {store_order = #id2, store_set = #line}
        : vector<8xf16>, memref<4xindex>, memref<16x8xf16>
    }
  }
  return
}
"""


def look_up(rows: list[int], text: str = LOOKUP) -> np.ndarray:
    """Rows of a 16x8 table, gathered and scattered one row further down by the same indices."""
    device = load_device("toy")
    runtime = Runtime(device, hazards=True)
    pad = runtime.memory("PAD")
    pad.put(0, np.arange(128, dtype=np.float16))
    runtime.memory().put(1024, np.zeros(128, np.float16))
    pad.put(2048, np.array(rows, np.int64))
    runtime.load(program_of(parse_text(text, "look_up.mlir"), device, "scheduler"))([])
    return runtime.memory().get(1024, 256).view(np.float16).reshape(16, 8)


def test_look_ups_of_the_upstream_text():
    """The value that is read is added to the first subscript, as a row of the table."""
    rows = [7, 2, 14, 0]
    wanted = np.zeros((16, 8), np.float16)
    wanted[np.array(rows) + 1] = np.arange(128, dtype=np.float16).reshape(16, 8)[rows]
    np.testing.assert_array_equal(look_up(rows), wanted)


@pytest.mark.parametrize(
    ("row", "element"), [(15, 135), (16, 135), (-1, -8), (1 << 60, (1 << 63) + 7)]
)
def test_indices_outside_of_the_table_are_found(row, element):
    op = "agen.indirect_vector_store" if row == 15 else "agen.indirect_vector_load"
    with pytest.raises(
        RunError, match=rf"'{op}' op on unit C0-\w+: accesses element {element}"
    ) as found:
        look_up([3, row, 0, 0])
    assert found.value.location.position()


def test_composite_look_ups_are_refused_by_name():
    """The dialect doesn't say which coordinate they feed."""
    composite = """agen.composite_indirect_load indirect:%ix[0] direct:%m[0, 0] time_symbols(), load_iv(%z:vector<8xf16>)
      {load_order = #id2, load_set = #line, time_addr_map = affine_map<(d0) -> (d0)>, time_order = #id,
       time_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>} { agen.yield } : memref<4xindex>, memref<16x8xf16>
    scf.for %i"""
    with pytest.raises(EncodeError, match=r"'agen.composite_indirect_load' op") as refused:
        look_up([0, 1, 2, 3], LOOKUP.replace("scf.for %i", composite, 1))
    assert refused.value.location.position() and refused.value.hint
