"""Artifacts that are in order but ask for much, or for nonsense: refused, never a hang or a large host."""

from __future__ import annotations

import random
import struct
import tracemalloc

import pytest
from attrs import evolve
from damage import launch, outcome, places, repaired
from small_artifacts import artifact, original, template, with_template

from kt.binary import Program
from kt.binary.container import read_container, write_container
from kt.binary.expressions import Node
from kt.binary.image import write_image
from kt.binary.isa import Instruction, Op, formatted
from kt.binary.plans import prepare_plan
from kt.ir.diagnostics import ArtifactError, KtError, RunError

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
