"""The compiled kernel: load, save, look at, and run the host's part of a launch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from attrs import frozen

from kt.binary import disassemble as dis
from kt.binary.container import Container, read_container, write_container
from kt.binary.errors import bad
from kt.binary.files import write_atomically
from kt.binary.model import Contents
from kt.binary.plans import MAX_TRIPS, Call, Host
from kt.binary.records import contents_of, sections_of
from kt.binary.validate import validate
from kt.ir.diagnostics import ArtifactError, FileLoc, RunError


@frozen(slots=False)
class Program(Contents):
    """A compiled kernel, as the tables of its artifact say it. Immutable; equal by contents.

    >>> program = Program.load("k.ktb")                          # doctest: +SKIP
    >>> for call in program.launches([0x1000, 0x2000]): ...      # doctest: +SKIP
    """

    @classmethod
    def of(cls, contents: Contents) -> Self:
        """The program with these contents."""
        names = [f.name for f in Contents.__attrs_attrs__]  # type: ignore[attr-defined]
        return cls(**{name: getattr(contents, name) for name in names})

    # -- file ------------------------------------------------------------------------------------

    @property
    def is_static(self) -> bool:
        """Whether a launch has nothing to evaluate: no symbols at all."""
        return not any(self.sites)

    def to_bytes(self, debug: bool = True) -> bytes:
        """The bytes of a ``.ktb`` file, the same for equal programs."""
        sections = sections_of(self)
        kept = [s for s in sections if debug or s.name != "DBUG"]
        return write_container(kept, self.is_static)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read and check a file's bytes. ArtifactError names the broken rule by its code."""
        container = read_container(bytes(data))
        try:
            program = cls.of(contents_of(container))
            validate(program, container.static)
        except ArtifactError:
            raise
        except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
            # A rule that is checked by no name: still a refusal, never a traceback.
            raise bad("E18", f"the tables contradict each other ({error})") from error
        _check_canonical(program, container)
        return program

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; a reader never sees half of it. ArtifactError if it can't be written."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file. ArtifactError if it can't be read or is damaged."""
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ArtifactError(f"can't read '{os.fspath(path)}': {reason}") from error
        return cls.from_bytes(data)

    @property
    def build_id(self) -> str:
        """32 hex digits that name the contents (debug information left out)."""
        from kt.binary.container import build_id

        return build_id(sections_of(self)).hex()

    # -- launching -------------------------------------------------------------------------------

    @property
    def host(self) -> Host:
        """The compiled execution plan, made on first use."""
        found = self.__dict__.get("_host")
        if found is None:
            found = self.__dict__["_host"] = Host.of(self)
        return found

    def launches(self, values: Sequence[int], limit: int = MAX_TRIPS) -> Iterator[Call]:
        """The launches of one kernel call, in order, with the values of all symbols.

        ``values``: one integer per argument (see :meth:`Argument.value`). RunError if an argument
        is out of range, an expression has no value, an address is misaligned, or host loops make more
        than ``limit`` trips.
        """
        if len(values) != len(self.arguments):
            raise RunError(f"expected {len(self.arguments)} arguments, got {len(values)}")
        for argument, value in zip(self.arguments, values, strict=True):
            argument.check(value)
        return self.host.run(values, limit)

    # -- looking ---------------------------------------------------------------------------------

    def location(self, image: int, stream: int, pc: int) -> FileLoc | None:
        """Where an instruction comes from in the kernel's source."""
        return self.debug.find(image, stream, pc)[0] if self.debug else None

    def op_name(self, image: int, stream: int, pc: int) -> str:
        """The operation that an instruction comes from; "" if unknown."""
        return self.debug.find(image, stream, pc)[1] if self.debug else ""

    def disassemble(self) -> str:
        """The whole artifact as text."""
        return dis.text_of(self)

    def to_json(self) -> dict[str, Any]:
        """The whole artifact as plain values."""
        return dis.json_of(self)


def _check_canonical(program: Program, container: Container) -> None:
    """Every byte must be what the writer makes of the tables: no second meaning, no slack."""
    for section in sections_of(program):
        found = container.sections.get(section.name)
        if section.name == "DBUG":
            continue
        if found is None or found.payload != section.payload or found.count != section.count:
            code = "E12" if section.name == "META" else "E18" if section.name == "IMAG" else "E07"
            raise bad(
                code, "not in canonical form: a reserved field, gap or order is off", section.name
            )
