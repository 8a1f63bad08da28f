"""Damaged artifacts: refused with a code, or harmless to run. Never a traceback, a hang, a wild access.

Every byte is covered by a checksum, so that a change alone is always refused. The harder half puts the
checksums right again: then the file is another program, and the rules of loader and engine must hold by
themselves. All of it, with counts of what happened:

    pytest -m sweep tests/sim/test_corruption.py -rP
"""

from __future__ import annotations

import random
import struct
import tracemalloc
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from damage import Run, launch, outcome, places, repaired, shortened, watched_memories

from kt.api import compile as compile_kernel
from kt.arch import load_device
from kt.binary import Program, encode
from kt.binary.container import read_container, write_container
from kt.binary.expressions import Node
from kt.binary.image import write_image
from kt.binary.isa import Instruction, Op, formatted
from kt.binary.plans import prepare_plan
from kt.ir.diagnostics import ArtifactError, KtError, RunError
from kt.parse import parse_text
from kt.sim.engine.stores import Store

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


@pytest.mark.parametrize("name", NAMES)
def test_the_artifacts_run(name):
    assert outcome(artifact(name), original(name)) == "same"


# -- damage that checksums find ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_changed_bytes_are_refused(name):
    data, chance = artifact(name), random.Random(1)
    for at in chance.sample(range(len(data)), 150):
        changed = bytearray(data)
        changed[at] ^= chance.randrange(1, 256)
        assert outcome(bytes(changed), original(name)).startswith("E")
    for size in [*range(0, 100, 7), *chance.sample(range(len(data)), 60)]:
        assert outcome(data[:size], original(name)).startswith("E")


def refusal(data: bytes) -> str:
    """The code with which a file is refused."""
    try:
        Program.from_bytes(data)
    except ArtifactError as error:
        return error.code
    raise AssertionError("damage was not seen")


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_change_of_a_byte_and_every_truncation(name):
    """All 255 other values of every byte, and all shorter files."""
    data, found = artifact(name), Counter()
    for at in range(len(data)):
        changed = bytearray(data)
        for value in range(256):
            if value != data[at]:
                changed[at] = value
                found[refusal(bytes(changed))] += 1
        found[refusal(data[:at])] += 1
    assert sum(found.values()) == 256 * len(data)
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")


# -- damage behind right checksums ---------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_changes_with_right_checksums_do_no_harm(name):
    data, chance = artifact(name), random.Random(7)
    found: Counter[str] = Counter()
    for section, at in chance.sample(places(data), 120):
        old = read_container(data).sections[section].payload[at]
        values = [old ^ 1 << chance.randrange(8), 0, 255, chance.randrange(256)]
        new = chance.choice([v for v in values if v != old])
        found[outcome(repaired(data, section, at, new), original(name))] += 1
    # A change that is neither refused nor faulty nor another program concerns names and positions.
    assert sum(n for code, n in found.items() if code.startswith("E")) > 30


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_byte_behind_right_checksums(name):
    """Each bit of every byte flipped, and 0 and 255 in its place."""
    data, found = artifact(name), Counter()
    sections = read_container(data).sections
    for section, at in places(data):
        old = sections[section].payload[at]
        for new in sorted({*(old ^ 1 << bit for bit in range(8)), 0, 255} - {old}):
            found[outcome(repaired(data, section, at, new), original(name))] += 1
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_every_shorter_section_behind_right_checksums(name):
    data, found = artifact(name), Counter()
    for section, size in places(data):
        code = outcome(shortened(data, section, size), original(name))
        found[code] += 1
        # Without debug information, or with half of it, a program is the same; a template may be cut.
        harmless = {"DBUG": "same", "TMPL": "fault"}.get(section)
        assert code == harmless or code.startswith("E"), (section, size, code)
    print(f"{name}: {len(data)} bytes, {dict(sorted(found.items()))}")


def test_debug_information_changes_nothing_but_reports():
    name = "add_single"
    data, chance = artifact(name), random.Random(3)
    size = len(read_container(data).sections["DBUG"].payload)
    for at in chance.sample(range(size), 40):
        damaged = repaired(data, "DBUG", at, chance.randrange(256))
        assert outcome(damaged, original(name)) == "same"
        assert Program.from_bytes(damaged).build_id == Program.from_bytes(data).build_id


def test_names_in_the_metadata_are_needed():
    data = artifact("gather")
    at = read_container(data).sections["META"].payload.index(b'"name":"toy"') + 1
    assert outcome(repaired(data, "META", at, ord("m")), original("gather")) == "E12"


# -- files that claim much ------------------------------------------------------------------------


def peak(data: bytes) -> int:
    """Bytes that reading a file takes at most."""
    tracemalloc.start()
    try:
        Program.from_bytes(data)
    except ArtifactError:
        pass
    finally:
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return found


def test_no_number_in_a_file_makes_a_load_large():
    """Numbers of records, lanes, offsets, sizes, all of them replaced by the largest ones."""
    data, chance = artifact("gather"), random.Random(5)
    bound = 2 * peak(data) + (1 << 16)
    words = [(s, at) for s, at in places(data) if at % 4 == 0 and s not in ("META", "STRS", "DBUG")]
    for section, at in chance.sample(words, 150):
        damaged = data
        for k, value in enumerate(
            struct.pack("<I", chance.choice((0xFFFFFFFF, 0x7FFFFFFF, 1 << 20)))
        ):
            if at + k < len(read_container(data).sections[section].payload):
                damaged = repaired(damaged, section, at + k, value)
        assert peak(damaged) < bound, (section, at)


def with_metadata(old: bytes, new: bytes) -> bytes:
    container = read_container(artifact("gather"))
    assert old in container.sections["META"].payload
    sections = [
        evolve(s, payload=s.payload.replace(old, new)) if s.name == "META" else s
        for s in container.sections.values()
    ]
    return write_container(sections, container.static)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b'"grid":[1]', b'"grid":[4611686018427387904,4611686018427387904]', "E25"),
        (b'"grid":[1]', b'"grid":[0]', "E12"),
        (b'"shapes":[[]', b'"shapes":[[' + b",".join([b"2"] * 70000) + b"]", "E12"),
        (b'"shapes":[[]', b'"shapes":[[-7]', "E12"),
        (b'"grid":[1]', b'"grid":' + b"[" * 5000 + b"1" + b"]" * 5000, "E12"),
        (b'"abi":1', b'"abi":' + b"1" * 5000, "E12"),
    ],
)
def test_strange_metadata_is_refused(old, new, code):
    assert outcome(with_metadata(old, new), original("gather")) == code


# -- programs that claim much ---------------------------------------------------------------------


def changed_stream(number: int, **fields) -> Program:
    """The gather program with another stream."""
    program = Program.from_bytes(artifact("gather"))
    (image,) = program.images
    streams = list(image.streams)
    streams[number] = evolve(streams[number], **fields)
    image = evolve(image, streams=tuple(streams))
    sizes = [len(write_image(image, lambda text: 0))]
    return evolve(program, images=(image,), prepare=prepare_plan(sizes))


def of_first_access(**fields) -> Program:
    (access, *others) = Program.from_bytes(artifact("gather")).images[0].streams[0].accesses
    return changed_stream(0, accesses=(evolve(access, **fields), *others))


def test_expressions_can_t_grow_without_end():
    """x squared forty times has 2 to the 40 bits; the second one doubles its bits a thousand times."""
    program = Program.from_bytes(artifact("gather"))
    for op, times in (("mul", 40), ("add", 1000)):
        nodes = [*program.expressions, Node("arg", 1)]
        for _ in range(times):
            last = len(nodes) - 1
            nodes.append(Node(op, last, last))
        site = tuple(evolve(s, expression=len(nodes) - 1) for s in program.sites[0])
        made = evolve(program, expressions=tuple(nodes), sites=(site,))
        assert outcome(made.to_bytes(), original("gather")) == "fault"
        with pytest.raises(RunError, match="does not fit 64 bits"):
            list(made.launches([0, 3]))


def test_accesses_with_many_terms_are_refused():
    for made in (
        of_first_access(terms=((4, 1),) * 60000),
        of_first_access(lane_dims=((8, 1), *[(1, 0)] * 60000)),
    ):
        assert outcome(made.to_bytes(), original("gather")) == "E25"


def test_a_register_file_that_no_host_has_room_for():
    made = of_first_access(start_bytes=1 << 46)
    memories = tuple(evolve(m, scope="unit", size=1 << 47) for m in made.memories)
    made = evolve(made, memories=memories)
    assert outcome(made.to_bytes(), original("gather")) == "fault"
    with pytest.raises(RunError, match="this host has no room"):
        launch(made)


def test_addresses_are_integers():
    stream = Program.from_bytes(artifact("gather")).images[0].streams[0]
    for form, lanes, code in (("f16", 1, "E19"), ("i16", 8, "E19"), ("i16", 1, "same")):
        dims = ((lanes, 1),) if lanes > 1 else ()
        access = evolve(stream.accesses[0], dtype=form, lanes=lanes, lane_dims=dims, terms=())
        code_of = [*stream.code[:-1], Instruction(Op.LDS, 4, imm=1), stream.code[-1]]
        made = changed_stream(0, accesses=(*stream.accesses, access), code=tuple(code_of))
        assert outcome(made.to_bytes(), original("gather")) == code


@pytest.mark.parametrize("op", [Op.SEND, Op.SYNCS, Op.SYNCR])
@pytest.mark.parametrize("number", [-1, 4, 1 << 40])
def test_peers_are_units(op, number):
    """A register may hold any number; only those of units name one."""
    stream = Program.from_bytes(artifact("gather")).images[0].streams[0]
    code = [Instruction(Op.SCONST, 4, imm=number), Instruction(op, b=4), *stream.code]
    if op is Op.SEND:
        code.insert(0, Instruction(Op.VSPLAT, 0, 4, imm=formatted("f16", 8)))
        code.insert(0, Instruction(Op.SCONST, 4, imm=1))
    with pytest.raises(RunError, match=f"on unit C0-feed: names unit {number}, the program has 4"):
        launch(changed_stream(0, code=tuple(code)))


def test_scalars_of_vectors_have_the_vectors_type():
    stream = Program.from_bytes(artifact("gather")).images[0].streams[1]
    code = [*stream.code[:-1], Instruction(Op.VGET, 0, 0, imm=formatted("i32", 1)), stream.code[-1]]
    with pytest.raises(RunError, match="takes v0 for i32, but it holds 8 lanes of f16"):
        launch(changed_stream(1, code=tuple(code)))


# -- templates -----------------------------------------------------------------------------------


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
    with pytest.raises(KtError, match="can't use the constant"):
        dense = "%y = arith.constant dense<1.0> : vector<4xf16>"
        launch(with_template(template(f"{dense}\nreturn %x : f16")))
    with pytest.raises(KtError, match="values of type tuple"):
        launch(
            with_template(template('%y = "arith.addf"(%x) : (f16) -> tuple<f16>\nreturn %x : f16'))
        )


def test_deep_templates_are_refused_or_run():
    """Nothing recurses without a limit."""
    for deep in (
        "affine_map<(d0) -> (" + "(" * 9000 + "d0" + ")" * 9000 + ")>",
        "[" * 9000 + "]" * 9000,
    ):
        text = template("return %x : f16").replace("kt.template", f"kt.template, a = {deep}")
        assert outcome(with_template(text).to_bytes(), original("template")) in ("fault", "other")


def test_the_watch_sees_wild_accesses():
    """What NumPy takes for the end of an array, or cuts off, is an error here."""
    with watched_memories():
        store = Store("M", "M", 64)
        store.put(0, np.zeros(16, np.uint8))
        for place in (
            slice(-2, 2),
            slice(len(store.data) - 1, len(store.data) + 1),
            np.array([3, -1]),
        ):
            with pytest.raises(AssertionError):
                store.data[place]
            with pytest.raises(AssertionError):
                store.data[place] = 1
