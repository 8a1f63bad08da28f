"""Damaged artifacts: refused with an error, or harmless to run. Never a traceback, a hang, a wild access.

Every byte is covered by a checksum, so that a change alone is always refused. The harder half puts the
checksums right again: then the rules of the loader and of the engine must hold by themselves.
"""

from __future__ import annotations

import random
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program, encode
from kt.binary.container import read_container, write_container
from kt.binary.records import PROGRAM
from kt.ir.diagnostics import ArtifactError, KtError
from kt.parse import parse_path, parse_text
from kt.sim import Runtime

KERNELS = Path(__file__).parents[1] / "corpus" / "kernels"
TRIPS = 2000
"""Bound of loops in a damaged program."""
NAMES = ("add_single", "dynamic_rows", "gather")

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


@cache
def artifact(name: str) -> bytes:
    device = load_device("toy")
    if name == "gather":
        return encode(parse_text(GATHER, "gather.mlir"), device).to_bytes()
    return compile_kernel(parse_path(KERNELS / f"{name}.mlir"), device).to_bytes()


def launch(program: Program) -> None:
    """Run a program on a fresh device, whatever its arguments are; only KtErrors are fine."""
    here = Runtime(load_device("toy"), max_trips=TRIPS)
    here.memory("PAD").put(0, np.zeros(8192, np.uint8))
    arguments = [
        np.zeros(12 * 192, np.float16) if a.kind == "address" and a.dtype in ("f16", "") else 3
        for a in program.arguments
    ]
    here.load(program)(arguments)


def harmless(data: bytes) -> str:
    """Load and run: the code of the refusal, ``fault`` if the program failed, ``ran`` if it did not."""
    try:
        program = Program.from_bytes(data)
    except ArtifactError as error:
        assert error.code
        return error.code
    try:
        program.disassemble()
        launch(program)
    except KtError as error:
        assert error.code != "internal"
        return "fault"
    return "ran"


def repaired(data: bytes, section: str, at: int, value: int) -> bytes:
    """One byte of a section replaced, and all checksums computed again."""
    container = read_container(data)
    sections = dict(container.sections)
    payload = bytearray(sections[section].payload)
    payload[at] = value
    sections[section] = evolve(sections[section], payload=bytes(payload))
    images = sections["IMAG"].payload
    rows = bytearray(sections["PROG"].payload)
    for offset in range(0, len(rows), PROGRAM.size):
        row = list(PROGRAM.unpack_from(rows, offset))
        if section != "PROG" or not offset <= at < offset + PROGRAM.size:
            row[-1] = zlib.crc32(images[row[2] : row[2] + row[3]])
            PROGRAM.pack_into(rows, offset, *row)
    sections["PROG"] = evolve(sections["PROG"], payload=bytes(rows))
    return write_container(list(sections.values()), container.static)


def places(name: str) -> list[tuple[str, int]]:
    sections = read_container(artifact(name)).sections.values()
    return [(s.name, at) for s in sections for at in range(len(s.payload))]


@pytest.mark.parametrize("name", NAMES)
def test_the_artifacts_run(name):
    assert harmless(artifact(name)) == "ran"


@pytest.mark.parametrize("name", NAMES)
def test_changed_bytes_are_refused(name):
    data = artifact(name)
    chance = random.Random(1)
    for at in chance.sample(range(len(data)), 150):
        changed = bytearray(data)
        changed[at] ^= 1 << chance.randrange(8)
        assert harmless(bytes(changed)).startswith("E")
    for size in chance.sample(range(len(data)), 40):
        assert harmless(data[:size]).startswith("E")


def spoiled(name: str, count: int | None, seed: int) -> dict[str, int]:
    """Outcomes of single-byte changes with right checksums, spread over all sections."""
    data, found = artifact(name), {}
    chance = random.Random(seed)
    where = places(name)
    for section, at in where if count is None else chance.sample(where, count):
        old = read_container(data).sections[section].payload[at]
        value = chance.choice([old ^ 1 << chance.randrange(8), 0, 255, chance.randrange(256)])
        outcome = harmless(repaired(data, section, at, value))
        found[outcome] = found.get(outcome, 0) + 1
    return found


@pytest.mark.parametrize("name", NAMES)
def test_changes_with_right_checksums_do_no_harm(name):
    found = spoiled(name, 120, 7)
    assert sum(found.values()) == 120
    assert any(outcome.startswith("E") for outcome in found)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_byte(name):
    data = artifact(name)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        assert harmless(bytes(changed)).startswith("E")
        if at % 8 == 0:
            assert harmless(data[:at]).startswith("E")
    assert sum(spoiled(name, None, 11).values()) == len(places(name))


def test_names_in_the_metadata_are_needed():
    data = artifact("gather")
    at = read_container(data).sections["META"].payload.index(b'"name":"toy"') + 1
    assert harmless(repaired(data, "META", at, ord("m"))) == "E12"


# -- templates -----------------------------------------------------------------------------------


def with_template(text: str) -> Program:
    """The gather program, with exp replaced by a template @t of this text."""
    program = Program.from_bytes(artifact("gather"))
    (image,) = program.images
    constants = tuple(
        evolve(c, name="@t", attributes="") if getattr(c, "name", "") == "math.exp" else c
        for c in image.constants
    )
    return evolve(program, images=(evolve(image, constants=constants),), templates=text)


def template(body: str) -> str:
    return f"func.func private @t(%x: f16) -> f16 attributes {{kt.template}} {{\n{body}\n}}\n"


def test_templates_run_for_a_bounded_number_of_steps():
    launch(with_template(template("%y = arith.addf %x, %x : f16\nreturn %y : f16")))
    loop = """%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 1000000000 : index
      %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f16) { scf.yield %a : f16 }
      return %y : f16"""
    with pytest.raises(KtError, match="template '@t' has control flow"):
        launch(with_template(template(loop)))
    steps = "\n".join(f"%v{i + 1} = arith.negf %v{i} : f16" for i in range(10001))
    long = f"%v0 = arith.negf %x : f16\n{steps}\nreturn %v10001 : f16"
    with pytest.raises(KtError, match="steps; 10000 is the limit"):
        launch(with_template(template(long)))
    with pytest.raises(KtError, match="no template '@t'"):
        launch(with_template(template("return %x : f16").replace("@t(", "@u(")))
    with pytest.raises(KtError):
        launch(with_template(template('%y = "nobody.knows"(%x) : (f16) -> f16\nreturn %y : f16')))
