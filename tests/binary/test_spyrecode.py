"""SpyreCode directories: the job plan as that format has it, and reading it back."""

from __future__ import annotations

import json

import pytest
from attrs import evolve
from binary_sample import sample

from kt.binary import Program
from kt.binary.expressions import Node, evaluate
from kt.binary.model import For, If, Launch
from kt.binary.spyrecode import BASE, export_directory, import_directory
from kt.ir.diagnostics import ArtifactError, KtError


def straight() -> Program:
    """The sample without its host loop: two launches in a row, the first one's counter being 0."""
    made = sample()
    nodes = tuple(evolve(n, op="const", lhs=0) if n.op == "iv" else n for n in made.expressions)
    sites = made.sites * 2
    return evolve(made, expressions=nodes, sites=sites, plan=(Launch(0, 0), Launch(0, 1)))


def test_round_trip(tmp_path):
    program = straight()
    folder = export_directory(program, tmp_path)
    assert sorted(p.name for p in folder.iterdir()) == [
        "init_binary.bin", "kt_tables.ktb", "spyrecode.json",
    ]  # fmt: skip
    assert import_directory(tmp_path) == import_directory(folder) == program
    first = (folder / "spyrecode.json").read_bytes()
    export_directory(program, tmp_path)
    assert (folder / "spyrecode.json").read_bytes() == first


def test_the_plan(tmp_path):
    program = straight()
    folder = export_directory(program, tmp_path)
    plan = json.loads((folder / "spyrecode.json").read_text())
    image = (folder / "init_binary.bin").stat().st_size
    assert image == program.prepare[0].size
    # Eight symbols of eight bytes come first, in a block of 128 bytes.
    assert [c["command"] for c in plan["JobPreparationPlan"]] == ["Allocate", "InitTransfer"]
    allocate, init = (c["properties"] for c in plan["JobPreparationPlan"])
    assert allocate == {"size": str(128 + image)}
    assert init == {
        "init_bin_file": "init_binary.bin",
        "dev_ptr": str(BASE + 128),
        "size": str(image),
    }
    assert [c["command"] for c in plan["JobExecPlan"]] == [
        "ComputeOnHost", "DataTransfer", "ComputeOnDevice", "ComputeOnDevice",
    ]  # fmt: skip
    host, transfer, one, two = (c["properties"] for c in plan["JobExecPlan"])
    assert (host["ohandle"], host["size"], host["ihandle"], host["ishape"]) == (
        "C0",
        "64",
        "",
        ["2"],
    )
    assert transfer == {"dirn": "false", "host_handle": "C0", "dev_ptr": str(BASE), "size": "64"}
    assert one == two == {"job_bin_ptr": str(BASE + 128), "name": "twice"}
    assert all(isinstance(n, str) for row in host["hcm"]["kt"]["expressions"] for n in row)


def test_a_static_program_is_launched_only(tmp_path):
    made = straight()
    (image,) = made.images
    streams = tuple(
        evolve(
            s, tables=tuple(evolve(t, values=tuple(max(v, 0) for v in t.values)) for t in s.tables)
        )
        for s in image.streams
    )
    image = evolve(image, symbols=(), relocations=(), streams=streams)
    static = evolve(made, images=(image,), sites=((), ()))
    folder = export_directory(static, tmp_path)
    plan = json.loads((folder / "spyrecode.json").read_text())
    assert [c["command"] for c in plan["JobExecPlan"]] == ["ComputeOnDevice"] * 2
    assert import_directory(tmp_path) == static


def test_host_loops_over_arguments_have_no_form(tmp_path):
    assert isinstance(sample().plan[0], For)
    with pytest.raises(KtError, match="depends on the arguments"):
        export_directory(sample(), tmp_path)


def looped(count: int) -> Program:
    """The sample with a loop of known length around a condition on its counter."""
    made = sample()
    last = len(made.expressions)
    nodes = (
        *made.expressions,
        Node("const", imm=count),
        Node("const", imm=1),
        Node("ne", 4, last + 1),
    )
    return evolve(made, expressions=nodes, plan=(For(last, (If(last + 2, (Launch(0, 0),)),)),))


def test_loops_of_known_length_are_written_out(tmp_path):
    """Three trips, of which the second launches nothing; symbols are those of the other two."""
    program = looped(3)
    folder = export_directory(program, tmp_path)
    host, _, *launches = json.loads((folder / "spyrecode.json").read_text())["JobExecPlan"]
    assert [c["command"] for c in launches] == ["ComputeOnDevice"] * 2
    symbols = host["properties"]["hcm"]["kt"]["symbols"]
    assert [s["counters"] for s in symbols] == [["0"]] * 4 + [["2"]] * 4
    assert import_directory(tmp_path) == program
    calls = [call.symbols for call in program.launches([4096, 20])]
    nodes = program.expressions
    found = [
        evaluate(
            nodes, int(s["expression"]), [4096, 20], [int(i) for i in s["counters"]], int(s["grid"])
        )
        // int(s["divisor"])
        for s in symbols
    ]
    assert found == [n for call in calls for n in call]
    with pytest.raises(KtError, match="5000 trips is too long"):
        export_directory(looped(5000), tmp_path)


@pytest.mark.parametrize("name", ["init_binary.bin", "kt_tables.ktb", "spyrecode.json"])
def test_damage_is_found(tmp_path, name):
    file = export_directory(straight(), tmp_path) / name
    good = file.read_bytes()
    for at in (0, len(good) // 2, len(good) - 3):
        file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(ArtifactError):
            import_directory(tmp_path)
    file.write_bytes(good[:-1])
    if name != "spyrecode.json":  # there, it is a line break
        with pytest.raises(ArtifactError):
            import_directory(tmp_path)
    file.unlink()
    with pytest.raises(ArtifactError, match="can't read"):
        import_directory(tmp_path)
