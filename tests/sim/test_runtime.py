"""The runtime: prepare once, launch many, tensors that stay, streams, failures that leave no trace."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program, encode
from kt.binary.expressions import Node
from kt.ir.diagnostics import RunError
from kt.parse import parse_path, parse_text
from kt.sim import Runtime

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"
SHAPE = (12, 192)


@cache
def artifact(name: str) -> bytes:
    """The bytes of a compiled kernel of the corpus, for the toy device."""
    return compile_kernel(parse_path(KERNELS / f"{name}.mlir"), load_device("toy")).to_bytes()


def program(name: str) -> Program:
    return Program.from_bytes(artifact(name))


def runtime(**options) -> Runtime:
    return Runtime(load_device("toy"), **options)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-8, 8, shape).astype(np.float16)


def test_prepare_is_done_once():
    here = runtime()
    kernel = here.load(program("add_single"))
    assert here.load(program("add_single")) is kernel
    assert here.prepared == here.counters.prepared == 1
    x, y = numbers(*SHAPE), numbers(*SHAPE, seed=1)
    for _ in range(3):
        assert np.array_equal(kernel([x, y, np.zeros_like(x)])["z"], x + y)
    assert here.counters.launches == kernel.launches == 3
    assert here.counters.programs == 3
    assert here.counters.prepared == 1


def test_unchanged_symbols_are_not_sent_again():
    here = runtime()
    kernel = here.load(program("add_single"))
    x = here.tensor(numbers(*SHAPE))
    y, other = here.tensor(numbers(*SHAPE, seed=1)), here.tensor(numbers(*SHAPE, seed=2))
    z = here.tensor(shape=SHAPE, dtype=np.float16)
    kernel([x, y, z])
    assert kernel.last.symbols_sent == 3
    kernel([x, y, z])
    assert kernel.last.symbols_sent == 0
    kernel([x, other, z])
    assert kernel.last.symbols_sent == 1
    assert np.array_equal(z.numpy(), x.numpy() + other.numpy())


def test_one_artifact_for_other_addresses_and_shapes():
    here = runtime()
    data = artifact("dynamic_rows")
    kernel = here.load(Program.from_bytes(data))
    for rows in (3, 8, 1):
        x = numbers(rows, 64, seed=rows)
        found = kernel({"x": x, "out": np.zeros_like(x), "n": rows})
        assert np.array_equal(found["out"], x * x - x)
    here.tensor(shape=(1000,), dtype=np.int8)  # everything moves
    x = numbers(5, 64)
    assert np.array_equal(kernel({"x": x, "out": np.zeros_like(x), "n": 5})["out"], x * x - x)
    assert here.prepared == 1
    assert kernel.program.to_bytes() == data


def test_launches_differ_in_relocated_slots_only():
    made = program("add_single")
    calls = [next(iter(made.launches([base, base + 8192, base + 16384]))) for base in (0, 4096)]
    image = made.images[0]
    first, second = (image.bind(call.symbols) for call in calls)
    slots = {(r.stream, r.table, r.ordinal) for r in image.relocations}
    changed = {
        (s, t, o)
        for s, tables in enumerate(first)
        for t, table in enumerate(tables)
        for o, value in enumerate(table)
        if value != second[s][t][o]
    }
    assert changed and changed <= slots


def test_tensors_stay_on_the_device():
    here = runtime()
    kernel = here.load(program("add_single"))
    x, y = numbers(*SHAPE), numbers(*SHAPE, seed=1)
    a, b = here.tensor(x), here.tensor(y)
    z = here.tensor(shape=SHAPE, dtype=np.float16)
    found = kernel({"x": a, "y": b, "z": z})
    assert found["z"] is z
    kernel({"x": z, "y": b, "z": a})  # the result feeds the next launch; nothing is copied
    assert np.array_equal(a.numpy(), x + y + y)
    z.free()
    z.free()
    with pytest.raises(RunError, match="the tensor was freed"):
        kernel({"x": z, "y": b, "z": a})
    with pytest.raises(RunError, match="the tensor was freed"):
        z.numpy()


def test_memory_has_an_end_and_is_given_back():
    here = runtime()
    size = here.memory().size
    with pytest.raises(RunError, match=f"a tensor of {size} bytes doesn't fit MAIN"):
        here.tensor(shape=(size,), dtype=np.int8)
    half = here.tensor(shape=(size // 2,), dtype=np.int8)
    with pytest.raises(RunError, match="doesn't fit"):
        here.tensor(shape=(size // 2,), dtype=np.int8)
    half.free()
    again = here.tensor(shape=(size // 2,), dtype=np.int8)
    assert again.address == half.address
    assert again.address % here.device.alignment("MAIN") == 0


def test_a_failing_launch_leaves_the_runtime_usable():
    here = runtime()
    kernel = here.load(program("add_single"))
    x, y = numbers(*SHAPE), numbers(*SHAPE, seed=1)
    blank = here.tensor(shape=SHAPE, dtype=np.float16)
    with pytest.raises(
        RunError, match=r"'agen.composite_load_and_store' op on unit .*never written"
    ):
        kernel({"x": x, "y": blank, "z": np.zeros_like(x)})
    with pytest.raises(RunError, match="float32"):
        kernel({"x": x, "y": y.astype(np.float32), "z": np.zeros_like(x)})
    with pytest.raises(RunError, match="no argument 'w'"):
        kernel({"x": x, "w": y, "z": x})
    with pytest.raises(RunError, match="expected 3 arguments, got 2"):
        kernel([x, y])
    assert here.allocator(here.memory()).used == blank.nbytes
    assert np.array_equal(kernel([x, y, np.zeros_like(x)])["z"], x + y)


def test_misaligned_addresses_are_refused():
    here = runtime()
    kernel = here.load(program("add_single"))
    with pytest.raises(RunError, match="argument 'x' is 4100, not a multiple of 16"):
        kernel({"x": 4100, "y": 8192, "z": 16384})


def test_buffers_that_are_too_small_are_refused_by_name():
    """The kernel would read and write what lies behind them."""
    here = runtime()
    kernel = here.load(program("add_single"))
    x = numbers(*SHAPE)
    for name in ("x", "y", "z"):
        given = {"x": x, "y": x, "z": np.zeros_like(x)} | {name: np.zeros((5, 192), np.float16)}
        with pytest.raises(RunError, match=f"argument '{name}' has 1920 bytes, .* takes 4608"):
            kernel(given)
    short = here.tensor(shape=(11, 192), dtype=np.float16)
    with pytest.raises(RunError, match=r"argument 'z' has 4224 bytes"):
        kernel({"x": x, "y": x, "z": short})
    short.free()
    assert here.allocator(here.memory()).used == 0
    larger = np.zeros((13, 192), np.float16)
    assert np.array_equal(kernel({"x": x, "y": x, "z": larger})["z"][:12], x + x)


def test_sizes_may_depend_on_scalars():
    kernel = runtime().load(program("dynamic_rows"))
    x = numbers(8, 64)
    with pytest.raises(RunError, match=r"argument 'x' has 1024 bytes, .* takes 1152"):
        kernel({"x": x, "out": np.zeros((9, 64), np.float16), "n": 9})
    assert np.array_equal(kernel({"x": x, "out": np.zeros_like(x), "n": 8})["out"], x * x - x)
    empty = numbers(0, 64)
    assert kernel({"x": empty, "out": empty, "n": 0})["out"].shape == (0, 64)


def test_overflow_is_told_in_terms_of_the_arguments():
    made = program("add_single")
    nodes = (*made.expressions, Node("const", imm=1 << 40), Node("arg", 1))
    nodes = (*nodes, Node("mul", len(nodes) - 2, len(nodes) - 1))
    site = (evolve(made.sites[0][0], expression=len(nodes) - 1), *made.sites[0][1:])
    made = evolve(made, expressions=nodes, sites=(site,))
    here = runtime()
    kernel = here.load(made)
    x = numbers(*SHAPE)
    far = here.tensor(shape=(100_000,), dtype=np.int8)
    with pytest.raises(RunError, match=r"the value \d+ of \(1099511627776 \* y\) does not fit 64 bits"):
        kernel({"x": x, "y": 1 << 24, "z": np.zeros_like(x)})
    far.free()
    assert here.allocator(here.memory()).used == 0


def test_several_programs_and_unloading():
    here = runtime()
    add, rows = here.load(program("add_single")), here.load(program("dynamic_rows"))
    x = numbers(*SHAPE)
    assert np.array_equal(add([x, x, np.zeros_like(x)])["z"], x + x)
    r = numbers(4, 64)
    assert np.array_equal(rows({"x": r, "out": np.zeros_like(r), "n": 4})["out"], r * r - r)
    here.unload(add)
    with pytest.raises(RunError, match="the kernel was unloaded"):
        add([x, x, np.zeros_like(x)])
    again = here.load(program("add_single"))
    assert again is not add
    assert here.prepared == 3
    assert np.array_equal(again([x, x, np.zeros_like(x)])["z"], x + x)


def test_a_program_of_another_device_is_refused():
    with pytest.raises(RunError, match="compiled for device 'toy', this runtime has 'spyre'"):
        Runtime(load_device("spyre")).load(program("add_single"))


# -- streams -------------------------------------------------------------------------------------


def test_a_stream_runs_in_order():
    here = runtime()
    kernel = here.load(program("add_single"))
    x = numbers(*SHAPE)
    total = here.tensor(x)
    stream = here.stream()
    events = [stream.launch(kernel, {"x": total, "y": x, "z": total}) for _ in range(3)]
    x[:] = 0  # arguments were read when the launch was put in
    assert not any(e.done for e in events) and kernel.launches == 0
    events[1].wait()
    assert events[0].done and events[1].done and not events[2].done
    assert kernel.launches == 2
    stream.synchronize()
    assert np.array_equal(total.numpy(), 4 * numbers(*SHAPE))
    assert events[0].cycles < events[1].cycles < events[2].cycles == stream.cycles
    assert events[2].report is kernel.last


def test_streams_wait_for_events_of_others():
    here = runtime()
    kernel = here.load(program("add_single"))
    x = numbers(*SHAPE)
    a, b = (here.tensor(shape=SHAPE, dtype=np.float16) for _ in range(2))
    first, second = here.stream(), here.stream()
    made = first.launch(kernel, {"x": x, "y": x, "z": a})
    second.wait_for(made)
    used = second.launch(kernel, {"x": a, "y": x, "z": b})
    used.wait()
    assert made.done
    assert np.array_equal(b.numpy(), 3 * x)
    assert used.cycles == made.cycles + used.report.cycles


def test_a_failed_stream_stays_failed_but_others_go_on():
    here = runtime()
    kernel = here.load(program("add_single"))
    x = numbers(*SHAPE)
    blank = here.tensor(shape=SHAPE, dtype=np.float16)
    stream = here.stream()
    good = stream.launch(kernel, [x, x, np.zeros_like(x)])
    bad = stream.launch(kernel, [blank, x, np.zeros_like(x)])
    behind = stream.launch(kernel, [x, x, blank])
    with pytest.raises(RunError, match="never written"):
        behind.wait()
    with pytest.raises(RunError, match="never written"):
        bad.wait()
    assert np.array_equal(good.wait()["z"], x + x)
    assert kernel.launches == 1
    other = here.stream().launch(kernel, [x, x, np.zeros_like(x)])
    assert np.array_equal(other.wait()["z"], x + x)


# -- memories that programs use themselves --------------------------------------------------------

LOCAL = """
#id = affine_map<(d0) -> (d0)>
#zero = affine_map<(d0) -> (0)>
#lanes = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
func.func @k(%p: index, %out: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %pw = arith.divsi %p, %c16 : index
  symbol.create_id %pw {symbol_id = -3 : si64} : index
  %ow = arith.divsi %out, %c16 : index
  symbol.create_id %ow {symbol_id = -4 : si64} : index
  %u = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmao", type = "dmao"} : index
  %i = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-dmai", type = "dmai"} : index
  %pad = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
  %main = dataflow.get_unit {name = "main", type = "main"} : index
  dataflow.program_unit iter_arg : %me -> (%u) : {
    %s3 = symbol.create_symbol {SymbolId = -3 : i64} : index
    %s4 = symbol.create_symbol {SymbolId = -4 : i64} : index
    %a = dataflow.get_logical_memory_view %pad, %s3 {addr_unit = "words", layout_map = #id} : index, index, memref<8xf16>
    %b = dataflow.get_logical_memory_view %main, %s4 {addr_unit = "words", layout_map = #id} : index, index, memref<8xf16>
    agen.composite_load_and_store src:%a[%c0] dst:%b[%c0] time_symbols(), load_iv(%v : vector<8xf16>)
      {load_order = #id, load_set = #lanes, load_time_addr_map = #zero, store_order = #id, store_set = #lanes,
       store_time_addr_map = #zero, time_order = #id, time_set = #once} { agen.yield } : memref<8xf16>, memref<8xf16>
  }
  dataflow.program_unit iter_arg : %me -> (%i) : {
    %a = dataflow.get_logical_memory_view %main, %c16 {addr_unit = "words", layout_map = #id} : index, index, memref<8xf16>
    %b = dataflow.get_logical_memory_view %pad, %c16 {addr_unit = "words", layout_map = #id} : index, index, memref<8xf16>
    agen.composite_load_and_store src:%a[%c0] dst:%b[%c0] time_symbols(), load_iv(%v : vector<8xf16>)
      {load_order = #id, load_set = #lanes, load_time_addr_map = #zero, store_order = #id, store_set = #lanes,
       store_time_addr_map = #zero, time_order = #id, time_set = #once} { agen.yield } : memref<8xf16>, memref<8xf16>
  }
  return
}
"""


def local_program() -> Program:
    device = load_device("toy")
    return Program.from_bytes(encode(parse_text(LOCAL, "local.mlir"), device).to_bytes())


def test_tensors_live_in_scratchpads_and_fixed_addresses_are_kept_free():
    """The program itself uses bytes 256 to 271 of both memories; its argument p is in a scratchpad."""
    here = runtime()
    kernel = here.load(local_program())
    assert here.fixed(here.memory()) == [(256, 272)]
    assert here.fixed(here.memory("PAD")) == [(256, 272)]
    here.memory().put(256, np.zeros(8, np.float16))
    x = numbers(8)
    resident = here.tensor(x, memory="PAD", core=0)
    found = kernel({"p": resident, "out": np.zeros(8, np.float16)})
    assert np.array_equal(found["out"], x)
    # Tensors fill the room on both sides of what the program uses.
    taken = [here.tensor(shape=(120,), dtype=np.int16, memory="PAD") for _ in range(3)]
    for tensor in taken:
        assert tensor.address + tensor.nbytes <= 256 or tensor.address >= 272
    with pytest.raises(RunError, match="is a tensor in MAIN, the kernel reads it from PAD"):
        kernel({"p": here.tensor(x), "out": np.zeros(8, np.float16)})


def test_a_program_may_not_overwrite_resident_tensors():
    here = runtime()
    here.tensor(shape=(400,), dtype=np.int8, memory="PAD")
    with pytest.raises(RunError, match=r"uses bytes 256 to 271 of PAD, where Tensor"):
        here.load(local_program())


def test_a_kernel_runs_without_the_compiler(tmp_path):
    """The launching process needs nothing of kt.passes."""
    path = tmp_path / "add.ktb"
    path.write_bytes(artifact("add_single"))
    script = f"""
import sys
sys.modules["kt.passes"] = None
import numpy as np
from kt.arch import load_device
from kt.binary import Program
from kt.sim import Runtime
kernel = Runtime(load_device("toy")).load(Program.load({str(path)!r}))
x = np.ones((12, 192), np.float16)
assert (kernel([x, x, 0 * x])["z"] == 2).all()
print("ran", kernel.last.cycles)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ran ")


@pytest.mark.parametrize("given", [None, b"KTB", "kernel.ktb"])
def test_what_is_no_program_is_not_loaded(given):
    with pytest.raises(RunError, match=f"a {type(given).__name__} is no program"):
        Runtime(load_device("toy")).load(given)
