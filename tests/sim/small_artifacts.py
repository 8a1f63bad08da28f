"""Artifacts that are small enough to damage every byte of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from attrs import evolve
from damage import Run, launch

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program, encode
from kt.parse import parse_text

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"
SMALLER = {
    "add_single": (("12", "2"), ("11", "1"), ("192", "16"), ("191", "15")),
    "dynamic_rows": (("grid = [5]", "grid = [2]"), ("constant 5 :", "constant 2 :"), ("64", "16"), ("63", "15")),
}  # fmt: skip
"""Kernels of the corpus, and what makes their artifacts small enough to try every byte."""
NAMES = (*SMALLER, "gather", "template")

GATHER = """
#id = affine_map<(d0) -> (d0)>
#lanes = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
func.func @gather(%p: index, %n: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  symbol.create_id %n {symbol_id = -2 : si64} : index
  %f = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-feed", type = "feed"} : index
  %v = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-vpu", type = "vpu"} : index
  %d = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-drain", type = "drain"} : index
  %pad = dataflow.get_unit {core = 0 : i32, name = "C0-pad", type = "pad"} : index
  dataflow.program_unit iter_arg : %me -> (%f) : {
    %s = symbol.create_symbol {SymbolId = -2 : i64} : index
    %a = dataflow.get_logical_memory_view %pad, %c64 {addr_unit = "words", layout_map = #id} : index, index, memref<64xf16>
    scf.for %i = %c0 to %s step %c1 {
      %at = arith.muli %i, %c8 : index
      %x = agen.vector_load %a[%at] {load_order = #id, load_set = #lanes} : memref<64xf16>, vector<8xf16>
      %y = vectorchain.shuffle input(%x) {indices = [7 : i32, 0 : i32], repetition = 4 : i32} : vector<8xf16>, vector<8xf16>
      dataflow.send %v, %y : vector<8xf16>
    }
    dataflow.sync_send %d {wait_immediately_for_async_transfers = true} : index
  }
  dataflow.program_unit iter_arg : %me -> (%v) : {
    %s = symbol.create_symbol {SymbolId = -2 : i64} : index
    scf.for %i = %c0 to %s step %c1 {
      %x = dataflow.receive %f : vector<8xf16>
      %y = vectorchain.binary %x, %x {binary_op = #vectorchain<binary_operator add>, op_specific_map = #id}
        : vector<8xf16>, vector<8xf16>, vector<8xf16>
      %z = math.exp %y : vector<8xf16>
      dataflow.send %d, %z : vector<8xf16>
    }
  }
  dataflow.program_unit iter_arg : %me -> (%d) : {
    %s = symbol.create_symbol {SymbolId = -2 : i64} : index
    %a = dataflow.get_logical_memory_view %pad, %c64 {addr_unit = "words", layout_map = #id} : index, index, memref<64xf16>
    dataflow.sync_recv %f : index
    scf.for %i = %c0 to %s step %c1 {
      %at = arith.muli %i, %c8 : index
      %x = dataflow.receive %v : vector<8xf16>
      agen.vector_store %x, %a[%at] {store_order = #id, store_set = #lanes} : memref<64xf16>, vector<8xf16>
    }
  }
  return
}
"""


def template(body: str) -> str:
    return f"func.func private @t(%x: f16) -> f16 attributes {{kt.template}} {{\n{body}\n}}\n"


def with_template(text: str) -> Program:
    """The gather program, with exp replaced by a template @t of this text."""
    program = Program.from_bytes(artifact("gather"))
    (image,) = program.images
    constants = tuple(
        evolve(c, name="@t", attributes="") if getattr(c, "name", "") == "math.exp" else c
        for c in image.constants
    )
    return evolve(program, images=(evolve(image, constants=constants),), templates=text)


@cache
def artifact(name: str) -> bytes:
    device = load_device("toy")
    if name == "gather":
        return encode(parse_text(GATHER, "gather.mlir"), device).to_bytes()
    if name == "template":
        body = "%c = arith.constant 0.5 : f16\n%y = arith.mulf %x, %c : f16\nreturn %y : f16"
        return with_template(template(body)).to_bytes()
    text = (KERNELS / f"{name}.mlir").read_text()
    for old, new in SMALLER[name]:
        text = text.replace(old, new)
    return compile_kernel(parse_text(text, name), device).to_bytes()


@cache
def original(name: str) -> Run:
    return launch(Program.from_bytes(artifact(name)))
