"""Artifacts as SpyreCode directories, for looking at them and for testing loaders of that format.

::

    DIR/spyreCodeDir/spyrecode.json     job preparation plan and job execution plan, numbers as strings
    DIR/spyreCodeDir/init_binary.bin    the program images in a row
    DIR/spyreCodeDir/kt_tables.ktb      the artifact with the images cut out, which only kt reads

The images hold kt's own instructions: they don't run on that hardware. Evaluating symbols is one host
computation and one transfer at the start; the commands that put symbols into a program and start it
are one ``ComputeOnDevice``. The format knows no loops: host loops of known length are unrolled (a symbol
then says for which counters it is evaluated), and others have no such form.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kt.binary.container import ENTRY, HEADER, padded
from kt.binary.errors import bad
from kt.binary.expressions import evaluate
from kt.binary.files import write_atomically
from kt.binary.model import For, If, Launch, Step, Symbol
from kt.binary.program import Program
from kt.ir.diagnostics import ArtifactError, KtError

FOLDER, PLAN, IMAGES, TABLES = "spyreCodeDir", "spyrecode.json", "init_binary.bin", "kt_tables.ktb"
BASE = 0x1C_0000_0000
"""Where the segment of programs begins."""
ALIGNMENT = 128
HOST_BUFFER = "C0"
MAX_FILE = 1 << 30
MAX_LAUNCHES = 1 << 12
"""Trips of one host loop that are written out."""

Json = dict[str, Any]


def export_directory(program: Program, directory: str | os.PathLike[str]) -> Path:
    """Write a program as a SpyreCode directory; returns the folder with the files.

    Raises KtError if host loops or conditions depend on the arguments.
    """
    plan = plan_of(program)
    data = program.to_bytes()
    start, size = _images_of(data)
    folder = Path(directory) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / IMAGES, data[start : start + size])
    write_atomically(folder / TABLES, data[:start] + bytes(size) + data[start + size :])
    text = json.dumps(plan, indent=1, sort_keys=True, ensure_ascii=True) + "\n"
    write_atomically(folder / PLAN, text.encode())
    return folder


def import_directory(directory: str | os.PathLike[str]) -> Program:
    """Read a directory that :func:`export_directory` wrote.

    Raises ArtifactError if a file is missing or damaged, or if the plan isn't that of the tables.
    """
    folder = Path(directory)
    if (folder / FOLDER).is_dir():
        folder = folder / FOLDER
    images, tables = _read(folder / IMAGES), _read(folder / TABLES)
    start, size = _images_of(tables)
    if len(images) != size:
        raise bad("E17", f"'{IMAGES}' has {len(images)} bytes, the tables want {size}")
    program = Program.from_bytes(tables[:start] + images + tables[start + size :])
    try:
        plan = json.loads(_read(folder / PLAN))
    except (ValueError, RecursionError) as error:
        raise bad("E24", f"'{PLAN}' is no JSON: {error}") from error
    if plan != plan_of(program):
        raise bad("E24", f"'{PLAN}' is not the plan of this program")
    return program


def plan_of(program: Program) -> Json:
    """The job plan. Raises KtError if host loops or conditions depend on the arguments."""
    launches = list(_unrolled(program, program.plan, ()))
    symbols = [(s, ivs) for step, ivs in launches for s in program.sites[step.site]]
    block = padded(8 * len(symbols), ALIGNMENT)
    images = [c for c in program.prepare if c.op == "init"]
    whole = sum(c.size for c in images)
    prepare = [
        _command("Allocate", size=str(block + whole)),
        _command("InitTransfer", init_bin_file=IMAGES, dev_ptr=str(BASE + block), size=str(whole)),
    ]
    execute = []
    if symbols:
        size = str(8 * len(symbols))
        execute += [
            _command(
                "ComputeOnHost", ohandle=HOST_BUFFER, size=size, ihandle="",
                ishape=[str(len(program.arguments))], hcm={"kt": _formulas(program, symbols)},
            ),
            _command("DataTransfer", dirn="false", host_handle=HOST_BUFFER, dev_ptr=str(BASE), size=size),
        ]  # fmt: skip
    for step, _ in launches:
        name = program.images[step.image].name.encode()[:127].decode(errors="ignore")
        at = BASE + block + images[step.image].offset
        execute.append(_command("ComputeOnDevice", job_bin_ptr=str(at), name=name))
    return {"JobPreparationPlan": prepare, "JobExecPlan": execute}


def _unrolled(
    program: Program, steps: Sequence[Step], ivs: tuple[int, ...]
) -> Iterator[tuple[Launch, tuple[int, ...]]]:
    """All launches in order, each with the counters of the loops around it."""
    for step in steps:
        match step:
            case Launch():
                yield step, ivs
            case For():
                count = _known(program, step.count, ivs)
                if count > MAX_LAUNCHES:
                    raise _refusal(f"a host loop of {count} trips is too long for one")
                for i in range(count):
                    yield from _unrolled(program, step.body, (*ivs, i))
            case If():
                chosen = step.then if _known(program, step.condition, ivs) else step.otherwise
                yield from _unrolled(program, chosen, ivs)


def _known(program: Program, root: int, ivs: tuple[int, ...]) -> int:
    """The value of a node that needs no arguments."""
    stack, seen = [root], {root}
    while stack:
        node = program.expressions[stack.pop()]
        if node.op == "arg":
            raise _refusal("a host loop or condition depends on the arguments")
        more = [i for i in node.operands if i not in seen]
        seen.update(more)
        stack += more
    return evaluate(program.expressions, root, (), ivs)


def _refusal(what: str) -> KtError:
    return KtError(
        f"a SpyreCode plan is a straight line of launches, and {what}",
        hint="sink the loop into the program, or save a .ktb file",
        code="export",
    )


def _command(command: str, **properties: Any) -> Json:
    return {"command": command, "properties": properties}


def _formulas(program: Program, symbols: list[tuple[Symbol, tuple[int, ...]]]) -> Json:
    """What the host computes: nodes ``[op, lhs, rhs, imm]``, and the symbols in order.

    ``counters`` of a symbol are those of the host loops around its launch, outermost first.
    """
    return {
        "arguments": [{"name": a.name, "kind": a.kind} for a in program.arguments],
        "expressions": [[n.op, str(n.lhs), str(n.rhs), str(n.imm)] for n in program.expressions],
        "symbols": [
            {
                "id": str(s.id),
                "expression": str(s.expression),
                "divisor": str(s.divisor),
                "align": str(s.align),
                "grid": "" if s.core is None else str(s.core),
                "counters": [str(i) for i in ivs],
            }
            for s, ivs in symbols
        ],
    }


def _images_of(data: bytes) -> tuple[int, int]:
    """Where the images stand in an artifact, by its section table."""
    try:
        count, table = HEADER.unpack_from(data)[5:7]
        for number in range(min(count, 64)):
            name, _, offset, size, *_ = ENTRY.unpack_from(data, table + number * ENTRY.size)
            if name == b"IMAG" and offset + size <= len(data):
                return offset, size
    except struct.error:
        pass
    raise bad("E04", f"'{TABLES}' has no table of sections")


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE:
            raise ArtifactError(f"'{path.name}' is larger than {MAX_FILE} bytes")
        return path.read_bytes()
    except OSError as error:
        raise ArtifactError(f"can't read '{path}': {error.strerror or error}") from error
