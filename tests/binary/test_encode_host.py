"""The orchestrator: plans, symbols per launch site, guards per core."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from encode_helpers import FUNCTIONS, TEXTS, encoded, mini, result
from mini_machine import Machine

from kt.binary import EncodeError, Op, Program, encode
from kt.binary.model import For, If, Launch
from kt.ir.diagnostics import RunError
from kt.parse import parse_path, parse_text

# Each core adds 1 to the four numbers of its row: element 4 * row + lane of an array of 64-bit
# integers at byte address %base.
PROGRAM = """
module @bump {
  func.func private @bump_body()
  func.func @bump(%base: index, %row: index {kt.per_tile}) {
    %c32 = arith.constant 32 : index
    %w = arith.divsi %base, %c32 : index
    symbol.create_id %w {symbol_id = -3 : si64} : index
    symbol.create_id %row {symbol_id = -4 : si64, kt.core = 0 : i64} : index
    symbol.create_id %row {symbol_id = -5 : si64, kt.core = 1 : i64} : index
    call @bump_body() : () -> ()
    return
  }
  module {
    func.func @bump_body() attributes {grid = [2]} {
      %c0 = arith.constant 0 : index
      %u0 = dataflow.get_unit {core = 0 : i32, name = "C0-glu", type = "glu"} : index
      %u1 = dataflow.get_unit {core = 1 : i32, name = "C1-glu", type = "glu"} : index
      %gm = dataflow.get_unit {name = "gmem", type = "gmem"} : index
      dataflow.program_unit iter_arg : %me -> (%u0, %u1) : {
        %s = symbol.create_symbol {SymbolId = -3 : i64} : index
        %r0 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %r1 = symbol.create_symbol {SymbolId = -5 : i64} : index
        %m = uniform.def_immutable_mapping([%u0 -> %r0], [%u1 -> %r1]):index
        %row = uniform.query_map(map:%m, key:%me) : index
        %v = dataflow.get_logical_memory_view %gm, %s {addr_unit = "words", layout_map = affine_map<(d0, d1) -> (d0 * 4 + d1)>} : index, index, memref<16x4xi64>
        %x = agen.vector_load %v[%row, %c0] {load_order = affine_map<(d0, d1) -> (d0, d1)>, load_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>} : memref<16x4xi64>, vector<4xi64>
        %one = arith.constant dense<1> : vector<4xi64>
        %y = arith.addi %x, %one : vector<4xi64>
        agen.vector_store %y, %v[%row, %c0] {store_order = affine_map<(d0, d1) -> (d0, d1)>, store_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 3 >= 0)>} : memref<16x4xi64>, vector<4xi64>
      }
      return
    }
  }
}
"""


def kernel(body: str, params: str = "%x: index, %n: index") -> str:
    return f"""
module {{
  module {{
    func.func @k({params}) attributes {{grid = [2]}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      symbol.create_id %x {{symbol_id = -1 : si64}} : index
      %t = ktdp.get_compute_tile_id : index
      {body}
      return
    }}
    func.func private @bump(index, index)
  }}
  {PROGRAM}
}}
"""


def bumped(text: str, n: int) -> list[int]:
    """How often each of the 16 rows was bumped."""
    machine = Machine(encoded(text), FUNCTIONS)
    machine.run([96, n])
    array = result(machine, 96, 64, "<i8").reshape(16, 4)
    assert (array == array[:, :1]).all()
    return array[:, 0].tolist()


PER_TILE_LOOP = """
      scf.for %row = %t to %n step %c2 {
        func.call @bump(%x, %row) : (index, index) -> ()
      }
"""


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8, 15, 16])
def test_a_loop_over_the_tiles_rows(n: int) -> None:
    """Core t works on rows t, t + 2, …: with an odd n, core 0 has one trip more than core 1."""
    assert bumped(kernel(PER_TILE_LOOP), n) == [1] * n + [0] * (16 - n)


def test_the_shape_of_a_guarded_plan() -> None:
    program = encoded(kernel(PER_TILE_LOOP))
    (loop,) = program.plan
    assert isinstance(loop, For) and loop.body == (Launch(0, 0),)
    kinds = [s.kind for s in program.sites[0]]
    assert kinds == ["address", "value", "value", "predicate", "predicate"]
    calls = list(program.launches([96, 5]))
    assert [c.symbols for c in calls] == [(3, 0, 1, 1, 1), (3, 2, 3, 1, 1), (3, 4, 5, 1, 0)]
    (stream,) = program.images[0].streams
    assert [i.op for i in stream.code if i.op in (Op.IF, Op.ENDIF)] == [Op.IF, Op.ENDIF]


def test_loops_that_all_cores_share_need_no_guard() -> None:
    body = """
      scf.for %i = %c0 to %n step %c1 {
        %two = arith.muli %i, %c2 : index
        %row = arith.addi %two, %t : index
        func.call @bump(%x, %row) : (index, index) -> ()
      }
    """
    program = encoded(kernel(body))
    assert [s.kind for s in program.sites[0]] == ["address", "value", "value"]
    assert bumped(kernel(body), 3) == [1] * 6 + [0] * 10


def test_several_sites_of_one_program() -> None:
    body = """
      func.call @bump(%x, %t) : (index, index) -> ()
      %c4 = arith.constant 4 : index
      %far = arith.addi %t, %c4 : index
      func.call @bump(%x, %far) : (index, index) -> ()
      func.call @bump(%x, %t) : (index, index) -> ()
    """
    program = encoded(kernel(body))
    assert program.plan == (Launch(0, 0), Launch(0, 1), Launch(0, 2)) and len(program.images) == 1
    assert bumped(kernel(body), 0) == [2, 2, 0, 0, 1, 1] + [0] * 10


def test_conditions_of_the_host() -> None:
    body = """
      %big = arith.cmpi sgt, %n, %c2 : index
      %row = scf.if %big -> (index) {
        %c8 = arith.constant 8 : index
        %r = arith.addi %t, %c8 : index
        scf.yield %r : index
      } else {
        scf.yield %t : index
      }
      func.call @bump(%x, %row) : (index, index) -> ()
      scf.if %big {
        func.call @bump(%x, %t) : (index, index) -> ()
      }
    """
    program = encoded(kernel(body))
    assert isinstance(program.plan[1], If) and program.plan[0] == Launch(0, 0)
    assert bumped(kernel(body), 2) == [1, 1] + [0] * 14
    assert bumped(kernel(body), 3) == [1, 1] + [0] * 6 + [1, 1] + [0] * 6


def test_conditions_on_the_tile_guard_cores() -> None:
    body = """
      %first = arith.cmpi eq, %t, %c0 : index
      scf.if %first {
        func.call @bump(%x, %t) : (index, index) -> ()
      } else {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.addi %t, %i : index
          func.call @bump(%x, %row) : (index, index) -> ()
        }
      }
    """
    assert bumped(kernel(body), 3) == [1, 1, 1, 1] + [0] * 12


def test_nested_loops_and_inlined_functions() -> None:
    body = """
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %i to %n step %c1 {
          func.call @row_of(%x, %i, %j, %t) : (index, index, index, index) -> ()
        }
      }
    """
    helper = """
    func.func private @row_of(%y: index, %i: index, %j: index, %t: index) {
      %c4 = arith.constant 4 : index
      %a = arith.muli %i, %c4 : index
      %b = arith.addi %a, %j : index
      %c = arith.addi %b, %t : index
      func.call @bump(%y, %c) : (index, index) -> ()
      return
    }
    func.func private @bump(index, index)
    """
    text = kernel(body).replace("func.func private @bump(index, index)", helper, 1)
    expected = [0] * 16
    for i in range(2):
        for j in range(i, 2):
            for t in range(2):
                expected[4 * i + j + t] += 1
    assert bumped(text, 2) == expected


def test_only_what_depends_on_counters_is_evaluated_again() -> None:
    site = encoded(kernel(PER_TILE_LOOP)).host.sites[0]
    assert site.fixed == (0,) and site.varying == (1, 2, 3, 4)


def test_launch_errors() -> None:
    program = encoded(kernel(PER_TILE_LOOP))
    with pytest.raises(RunError, match="'x' is 97, not a multiple of 32"):
        list(program.launches([97, 1]))
    huge = kernel("%h = arith.muli %n, %n : index\nfunc.call @bump(%h, %t) : (index, index) -> ()")
    with pytest.raises(RunError, match="does not fit 64 bits"):
        list(encoded(huge).launches([0, 1 << 40]))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (index) {\n scf.yield %a : index\n}\n"
         "func.call @bump(%x, %t) : (index, index) -> ()", "carries values"),
        ("%m = memref.alloc() : memref<4xf16>\nfunc.call @bump(%x, %t) : (index, index) -> ()",
         "can't stand in the orchestrator"),
        ("%i = arith.index_cast %n : index to i64\n%f = arith.sitofp %i : i64 to f32\n"
         "%j = arith.fptosi %f : f32 to i64\n%g = arith.index_cast %j : i64 to index\n"
         "func.call @bump(%x, %g) : (index, index) -> ()", "can't be evaluated by the host"),
        ("", "launches no program"),
    ],
)  # fmt: skip
def test_refusals(body: str, message: str) -> None:
    with pytest.raises(EncodeError, match=message) as caught:
        encode(parse_text(kernel(body), "k.mlir"), mini())
    assert caught.value.code == "encode" and caught.value.hint


def test_a_symbol_of_the_tile_must_name_its_core() -> None:
    text = kernel(PER_TILE_LOOP).replace(", kt.core = 0 : i64", "")
    with pytest.raises(EncodeError, match="names no core") as caught:
        encoded(text)
    assert "kt.core" in (caught.value.hint or "")


def test_several_kernels_need_a_name() -> None:
    text = kernel(PER_TILE_LOOP).replace("func.func private @bump(index, index)",
        "func.func private @bump(index, index)\nfunc.func @other(%x: index) attributes {grid = [2]} {\nfunc.call @bump(%x, %x) : (index, index) -> ()\nreturn\n}", 1)  # fmt: skip
    with pytest.raises(EncodeError, match="several kernels: @k, @other"):
        encoded(text)
    program = encoded(text, func="other")
    assert program.metadata["kernel"] == "other" and program.plan == (Launch(0, 0),)


def test_the_example_of_the_dialect_reference() -> None:
    program = encode(parse_path(TEXTS / "twice.dfir.mlir"), mini())
    text = program.disassemble()
    for line in (
        ".arg   0 x  address f16 r 4x32 align 32",
        ".arg   1 y  address f16 w 4x32 align 32",
        ".sym   site 0  -4  address = (x + 256) / 32  align 32",
        ".stream SLU  units [C0-slu C1-slu]  sregs 6  vregs 1",
        "acc0  mem t1  f16 x32: (32,1)  start 0B  bound [0,31]",
        "acc1  mem t3  f16 x32: (32,1)  start s5*32B  element 32*s3  bound [0,127]",
    ):
        assert line in text.splitlines(), line
    slu = next(s for s in program.images[0].streams if s.kind == "SLU")
    body = [i.op for i in slu.code if i.op not in (Op.SCONST, Op.UTAB)]
    assert body == [Op.LOOP, Op.SYNCS, Op.SYNCR, Op.LDV, Op.SEND, Op.ENDL, Op.HALT]


def synchronised() -> Program:
    """The example with the reverse rendezvous that single buffers need."""
    text = (TEXTS / "twice.dfir.mlir").read_text()
    for first, peer, after in (
        ("dataflow.send %q, %v : vector<32xf16>", "%l", "send"),
        ("} : memref<32xf16>, memref<4x32xf16>", "%p", "send"),
    ):
        text = text.replace(first, f"{first}\n dataflow.sync_{after} {peer} : index", 1)
    marker = "dataflow.sync_recv %peer : index"
    text = text.replace(marker, f"{marker}\n dataflow.sync_recv %peer : index", 1)
    at = text.index("agen.vector_store")
    marker = "dataflow.sync_recv %p : index"
    return encode(
        parse_text(text[:at] + text[at:].replace(marker, f"{marker}\n {marker}", 1)), mini()
    )


def test_the_example_runs() -> None:
    machine = Machine(synchronised(), FUNCTIONS)
    data = np.arange(256, dtype=np.float16)
    machine.memories["gmem"][4096:4608] = data.view(np.uint8)
    machine.run([4096, 8192])
    assert np.array_equal(result(machine, 8192, 256, "<f2"), 2 * data)
    machine.run([4096, 12288])
    assert np.array_equal(result(machine, 12288, 256, "<f2"), 2 * data)


def test_encoding_is_deterministic() -> None:
    script = (
        "from kt.parse import parse_path; from kt.binary import encode; import hashlib, sys;"
        "print(hashlib.sha256(encode(parse_path(sys.argv[1])).to_bytes()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script, str(TEXTS / "twice.dfir.mlir")],
            env={"PYTHONHASHSEED": seed, "PATH": ""}, capture_output=True, text=True, check=True,
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in ("0", "12", "345")
    }  # fmt: skip
    assert len(found) == 1
