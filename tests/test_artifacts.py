"""What holds for the artifact of every kernel: symbols, plans, and launches in a process of their own."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import numpy as np
import pytest
from slice_kernels import FOLDER, corpus, inputs, unlike, unlike_reference

import kt
from kt.binary import Program
from kt.binary.container import read_container
from kt.binary.model import Image, Launch
from kt.ir.core import BlockArgument
from kt.ir.dialects.dataflow import ProgramUnitOp
from kt.ir.dialects.func import FuncOp
from kt.passes.compiler import Compilation

REFUSED = {("add_grid32", "toy"), ("residual_rmsnorm", "toy"), ("scatter_rows", "mesh")}
"""More tiles than the device has cores, or a look-up that no unit can make."""
CASES = [
    (name, device)
    for name in sorted(corpus().KERNELS)
    for device in ("toy", "spyre", "mesh")
    if (name, device) not in REFUSED
]
ON_ALL = ("dynamic_rows", "matmul_grid2d", "paged_kv_gather")
"""Kernels that CI compiles for all devices; the others for one of them in turn."""


def marked(name: str, device: str) -> object:
    turn = ("toy", "spyre", "toy", "mesh")[sorted(corpus().KERNELS).index(name) % 4]
    marks = () if name in ON_ALL or device == turn else (pytest.mark.sweep,)
    return pytest.param(name, device, marks=marks)


def addresses(program: Program, scalars: dict, base: int) -> list[int]:
    """Launch values: buffers far from each other from ``base`` on, scalars as given."""
    values = []
    for argument in program.arguments:
        if argument.kind == "address":
            values.append(base)
            base += 1 << 20
        else:
            values.append(argument.value(scalars[argument.name]))
    return values


# -- over the corpus -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "device"), [marked(*case) for case in CASES])
def test_symbols_of_the_corpus(name, device):
    compilation = Compilation.start(kt.parse_file(FOLDER / f"{name}.mlir"), device)
    no_argument_below_a_program(compilation.lower("dataflow"))
    program = compilation.encode()
    data = program.to_bytes()
    assert Program.from_bytes(data) == program
    scalars = {n: v for n, v in inputs(name).items() if not isinstance(v, np.ndarray)}
    launches = [
        list(program.launches(addresses(program, scalars, base), 5000))
        for base in (1 << 16, 1 << 18)
    ]
    assert len(launches[0]) == len(launches[1]) > 0
    for number, image in enumerate(program.images):
        mine = [[c.symbols for c in calls if c.image == number] for calls in launches]
        if mine[0]:
            one_symbol_per_value(program, number, [s for calls in mine for s in calls])
            only_slots_change(data, number, image, mine[0][0], mine[1][0])


def no_argument_below_a_program(module):
    """Program units read constants and symbols, never what a function was called with."""
    units = list(module.walk_type(ProgramUnitOp))
    assert units
    for unit in units:
        for op in unit.walk():
            for value in op.operands:
                owner = value.block.parent_op if isinstance(value, BlockArgument) else None
                assert not isinstance(owner, FuncOp), f"{op.name} at {op.location} uses an argument"


def one_symbol_per_value(program: Program, number: int, rows: list[tuple[int, ...]]):
    """Units that need the same start share a symbol; units that need others have others."""
    image = program.images[number]
    site = next(program.sites[i] for i in launched(program.plan, number))
    values = {slot: tuple(row[slot] for row in rows) for slot in range(len(image.symbols))}
    tables: dict[tuple[int, int], set[int]] = {}
    for place in image.relocations:
        if site[place.symbol].kind != "predicate":
            tables.setdefault((place.stream, place.table), set()).add(place.symbol)
    for slots in tables.values():
        assert len({values[slot] for slot in slots}) == len(slots)
    # Equal symbols exist once in the whole program as well.
    kinds = [(site[slot].kind, values[slot]) for slot in values if site[slot].kind == "address"]
    assert len(set(kinds)) == len(kinds)


def launched(plan, number):
    """The sites at which an image is launched."""
    for step in plan:
        if isinstance(step, Launch):
            if step.image == number:
                yield step.site
        else:
            for part in (getattr(step, n, ()) for n in ("body", "then", "otherwise")):
                yield from launched(part, number)


def only_slots_change(data: bytes, number: int, image: Image, first, second):
    """The image of two launches, as a loader that knows nothing but RELO makes it."""
    sections = read_container(data).sections
    row = list(struct.iter_unpack("<IIQQIIIII4x", sections["PROG"].payload))[number]
    at_rest = sections["IMAG"].payload[row[2] : row[2] + row[3]]
    slots = [
        (offset, symbol)
        for _, _, owner, symbol, _, offset, _ in struct.iter_unpack(
            "<HHIIIQq", sections["RELO"].payload
        )
        if owner == number
    ]
    data_at = struct.unpack_from("<I", at_rest, 44)[0]
    made = []
    for symbols in (first, second):
        patched = bytearray(at_rest)
        for offset, symbol in slots:
            struct.pack_into("<q", patched, offset, symbols[symbol])
        made.append(bytes(patched))
        numbers = [n for stream in image.bind(symbols) for table in stream for n in table]
        assert patched[data_at : data_at + 8 * len(numbers)] == struct.pack(
            f"<{len(numbers)}q", *numbers
        )
    inside = {offset + k for offset, _ in slots for k in range(8)}
    changed = {at for at, (a, b) in enumerate(zip(*made, strict=True)) if a != b}
    assert changed <= inside
    assert changed or tuple(first) == tuple(second)


# -- in processes of their own --------------------------------------------------------------------

SCRIPT = """
import json, sys
from kt.cli import main
if sys.argv[1] == "launch":
    sys.modules["kt.passes"] = None  # whoever launches needs no compiler
for line in json.load(open(sys.argv[2])):
    code = main([sys.argv[1], *line])
    assert code == 0, (line, code)
assert sys.argv[1] == "compile" or not [m for m in sys.modules if m.startswith("kt.passes.")]
"""


def in_a_process(folder, command: str, lines: list[list[str]]) -> list[str]:
    """Run ``kt COMMAND`` for each line of arguments, all in one new process; the lines it prints."""
    (folder / "lines.json").write_text(json.dumps(lines))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, command, "lines.json"],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def separate(folder, cases):
    """Compile in one process, launch in another: the report, the device and the buffers of each case.

    Buffers are given as what is wrong with them, compared with NumPy and with the executor.
    """
    compiling, launching = [], []
    for name, device in cases:
        file = f"{name}.{device}.ktb"
        compiling.append([str(FOLDER / f"{name}.mlir"), "--device", device, "-o", file])
        options = ["--json"]
        for key, value in inputs(name, seed=8).items():
            if isinstance(value, np.ndarray):
                np.save(folder / f"{name}.{key}.npy", value)
                options += ["--input", f"{key}={name}.{key}.npy"]
                options += ["--output", f"{key}={name}.{device}.{key}.npy"]
            else:
                options += ["--arg", f"{key}={value}"]
        launching.append([file, *options])
    in_a_process(folder, "compile", compiling)
    reports = [json.loads(line) for line in in_a_process(folder, "launch", launching)]
    results = []
    for (name, device), report in zip(cases, reports, strict=True):
        arguments = inputs(name, seed=8)
        found = {
            key: np.load(folder / f"{name}.{device}.{key}.npy")
            for key, value in arguments.items()
            if isinstance(value, np.ndarray)
        }
        meaning = kt.simulate(kt.parse_file(FOLDER / f"{name}.mlir"), inputs(name, seed=8))
        wrong = unlike_reference(name, arguments, found) + unlike(name, found, meaning, name in EXACT)
        results.append((name, report["device"], report["cycles"] > 0, wrong))
    return results


def test_report_of_a_launch_needs_no_compiler(tmp_path):
    source = str(FOLDER / "add_single.mlir")
    in_a_process(tmp_path, "compile", [[source, "--device", "toy", "-o", "k.ktb"]])
    lines = in_a_process(tmp_path, "launch", [["k.ktb"]])
    assert lines[0].startswith("@") and "cycles" in lines[0]


EXACT = {
    "add_single", "add_grid32", "silu_gate", "affine_broadcast", "dynamic_rows", "relayout_copy",
    "paged_kv_gather", "scatter_rows", "col_max", "local_chain",
}  # fmt: skip
"""Kernels without a sum that a schedule may reorder: every bit is the executor's."""


def test_compiled_and_launched_in_separate_processes(tmp_path):
    cases = [
        ("silu_gate", "toy"), ("paged_kv_gather", "mesh"), ("dynamic_rows", "spyre"),
        ("distributed_rows", "toy"), ("branch_int", "mesh"), ("mean_var", "spyre"),
    ]  # fmt: skip
    assert separate(tmp_path, cases) == [(*case, True, []) for case in cases]


@pytest.mark.sweep
@pytest.mark.parametrize("device", ["toy", "spyre", "mesh"])
def test_the_whole_corpus_in_separate_processes(tmp_path, device):
    cases = [case for case in CASES if case[1] == device]
    assert separate(tmp_path, cases) == [(*case, True, []) for case in cases]


# -- programs in which everything is known -------------------------------------------------------


def test_a_static_kernel_needs_launch_only():
    """Constant addresses: nothing to evaluate, nothing to send, at the first launch already."""
    text = (FOLDER / "add_single.mlir").read_text()
    text = text.replace("(%x: index, %y: index, %z: index)", "()")
    for name, element in (("x", 1024), ("y", 4096), ("z", 8192)):
        text = text.replace(
            f"%{name}v = ktdp", f"%{name} = arith.constant {element} : index\n  %{name}v = ktdp"
        )
    program = Program.from_bytes(kt.compile(kt.parse(text), "toy").to_bytes())
    assert program.is_static and all(isinstance(step, Launch) for step in program.plan)
    assert not program.arguments and not program.expressions and not any(program.sites)
    runtime = kt.Runtime(kt.device("toy"))
    kernel = runtime.load(program)
    x, y = (inputs("add_single", seed)["x"] for seed in (1, 2))
    for first, second in ((x, y), (y, y)):
        runtime.memory().put(2 * 1024, first)
        runtime.memory().put(2 * 4096, second)
        kernel([])
        found = runtime.memory().get(2 * 8192, x.nbytes).view(np.float16).reshape(x.shape)
        np.testing.assert_array_equal(found, first + second)
    assert runtime.counters.symbols_sent == 0 and runtime.prepared == 1
