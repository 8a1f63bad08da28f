"""Damaging artifacts, and judging what becomes of them: memories are watched, time is bounded."""

from __future__ import annotations

import signal
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from kt.arch import Device, load_device
from kt.binary import Program
from kt.binary.container import Container, Section, read_container, write_container
from kt.binary.records import PROGRAM
from kt.ir.diagnostics import ArtifactError, KtError
from kt.sim import Runtime
from kt.sim.engine.stores import Store

TRIPS = 2000
"""Bound of loops in a damaged program."""
SECONDS = 20
"""After these, loading and running a small program counts as a hang."""


class Watched(np.ndarray):
    """Bytes of a memory that refuse what Python takes for granted: negative and cut-off places."""

    def _inside(self, place: Any) -> None:
        size = len(self)
        if isinstance(place, slice):
            first, end = place.start or 0, size if place.stop is None else place.stop
            assert 0 <= first <= end <= size or first == end, f"bytes {first}:{end} of {size}"
        elif place.dtype != np.bool_ and place.size:
            assert place.min() >= 0 and place.max() < size, f"byte {place.max()} of {size}"

    def __getitem__(self, place):
        self._inside(place)
        return np.asarray(self)[place]

    def __setitem__(self, place, value):
        self._inside(place)
        np.asarray(self)[place] = value


@contextmanager
def watched_memories() -> Iterator[None]:
    """All memories that come into being here are watched."""
    reach = Store.reach

    def watched(self: Store, end: int) -> None:
        reach(self, end)
        if not isinstance(self.data, Watched):
            self.data = self.data.view(Watched)

    Store.reach = watched
    try:
        yield
    finally:
        Store.reach = reach


class Hang(BaseException):
    """Something took too long; no handler of the library may catch this."""


@contextmanager
def bounded_time(seconds: float = SECONDS) -> Iterator[None]:
    """Raises Hang when the time is up (where signals exist and reach this thread)."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(*_: Any) -> None:
        raise Hang(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# -- damage --------------------------------------------------------------------------------------


def repaired(data: bytes, section: str, at: int, value: int) -> bytes:
    """One byte of a section replaced, and all checksums computed again."""
    container = read_container(data)
    payload = bytearray(container.sections[section].payload)
    payload[at] = value
    changed = evolve(container.sections[section], payload=bytes(payload))
    return _with_section(container, changed, at if section == "PROG" else None)


def shortened(data: bytes, section: str, size: int) -> bytes:
    """A section cut to its first bytes; checksums and, of whole records, their number are right."""
    container = read_container(data)
    whole = container.sections[section]
    count, payload = whole.count, whole.payload[:size]
    if section == "STRS":
        count = payload.count(0)
    elif section != "IMAG" and count:
        count = size // (len(whole.payload) // count)
    return _with_section(container, evolve(whole, payload=payload, count=count), None)


def _with_section(container: Container, section: Section, kept: int | None) -> bytes:
    """The file with another section, and right checksums; of programs not where byte ``kept`` is."""
    sections = {**container.sections, section.name: section}
    images = sections["IMAG"].payload
    rows = bytearray(sections["PROG"].payload)
    for offset in range(0, len(rows) - PROGRAM.size + 1, PROGRAM.size):
        row = list(PROGRAM.unpack_from(rows, offset))
        if kept is None or not offset <= kept < offset + PROGRAM.size:
            row[-1] = zlib.crc32(images[row[2] : row[2] + row[3]])
            PROGRAM.pack_into(rows, offset, *row)
    sections["PROG"] = evolve(sections["PROG"], payload=bytes(rows))
    return write_container(list(sections.values()), container.static)


def places(data: bytes) -> list[tuple[str, int]]:
    """Every byte of every section."""
    sections = read_container(data).sections.values()
    return [(s.name, at) for s in sections for at in range(len(s.payload))]


# -- judgement -----------------------------------------------------------------------------------


@frozen(slots=False)
class Run:
    """What a program leaves behind."""

    results: tuple[tuple[str, bytes], ...]
    memory: bytes
    cycles: int
    program: Program = field(eq=False)

    @cached_property
    def tables(self) -> bytes:
        """The program's file without debug information."""
        return self.program.to_bytes(debug=False)


@cache
def toy() -> Device:
    return load_device("toy")


def launch(program: Program) -> Run:
    """Run a program on fresh memories, whatever its arguments are; only KtErrors are fine."""
    here = Runtime(toy(), max_trips=TRIPS)
    pad = here.memory("PAD")
    pad.put(0, np.arange(4096, dtype=np.float16) / 64)
    arguments = [
        np.ones(12 * 192, np.float16) if a.kind == "address" and a.dtype in ("f16", "") else 3
        for a in program.arguments
    ]
    kernel = here.load(program)
    found = kernel(arguments)
    results = tuple((name, np.asarray(array).tobytes()) for name, array in found.items())
    return Run(results, pad.get(0, pad.size).tobytes(), kernel.last.cycles, program)


def outcome(data: bytes, original: Run) -> str:
    """What becomes of a file: ``E..`` refused with this code, ``fault`` its run is refused with an error,
    ``same`` it does what the original does, ``other`` it is another program, and written in full.

    Anything else (a traceback, an access outside of a memory, no end) fails the test. Only the tables
    of a program decide what it does: one that differs from the original in its debug information, at
    most, is asked for all its places in the source instead of running once more.
    """
    with watched_memories(), bounded_time():
        try:
            program = Program.from_bytes(data)
        except ArtifactError as error:
            assert error.code.startswith("E") and error.message
            return error.code
        # What was read is all there is: no byte has a second meaning.
        same = evolve(program, debug=original.program.debug) == original.program
        kept = original.tables if same else program.to_bytes(debug=False)
        assert kept == stripped(data)
        if same and program.debug in (None, original.program.debug):
            return "same"
        try:
            program.disassemble()
            if same:
                ask_for_places(program)
                return "same"
            run = launch(program)
        except KtError as error:
            assert error.code != "internal" and error.message
            return "fault"
        return "same" if run == original else "other"


def ask_for_places(program: Program) -> None:
    """Where every instruction comes from, as reports ask."""
    for number, image in enumerate(program.images):
        for index, stream in enumerate(image.streams):
            for pc in range(len(stream.code)):
                program.location(number, index, pc)
                program.op_name(number, index, pc)


def stripped(data: bytes) -> bytes:
    """The file without its debug information."""
    container = read_container(data)
    kept = [s for s in container.sections.values() if s.name != "DBUG"]
    return write_container(kept, container.static)
