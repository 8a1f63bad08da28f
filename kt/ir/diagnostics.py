"""Locations, diagnostics and the exceptions that carry them.

Every error that a user can cause is a :class:`KtError`: a message, a :class:`Location`, notes that
point to other places, and a hint that names the way out. :meth:`KtError.render` prints them in the
``file:line:col: error: …`` form with the source line and a caret.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from attrs import define, field, frozen


@define(eq=False)
class Source:
    """A text that IR was read from: its name, its characters, and line lookup by offset."""

    name: str
    text: str
    _starts: list[int] | None = None

    def line_starts(self) -> list[int]:
        """Offsets at which the lines begin; computed on first use."""
        if self._starts is None:
            starts, at = [0], self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        return self._starts

    def line_col(self, offset: int) -> tuple[int, int]:
        """1-based line and column of a character offset."""
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Text of a 1-based line without its end; empty when there is no such line."""
        starts = self.line_starts()
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")


class Location:
    """Where an operation comes from. Subclasses: unknown, file position, name, call site, fused."""

    __slots__ = ()

    def position(self) -> FileLoc | None:
        """The nearest file position, or None."""
        return None


@frozen
class UnknownLoc(Location):
    """``loc(unknown)``."""

    def __str__(self) -> str:
        return "unknown"


class FileLoc(Location):
    """``loc("file":line:col)``.

    Either given as numbers (:meth:`at`), or as an offset into a :class:`Source`, from which line and
    column are computed only when somebody asks.
    """

    __slots__ = ("_line_col", "_name", "length", "offset", "source")

    def __init__(self, source: Source, offset: int, length: int = 1) -> None:
        self.source: Source | None = source
        self.offset = offset
        self.length = length
        self._name = ""
        self._line_col: tuple[int, int] | None = None

    @classmethod
    def at(cls, file: str, line: int, column: int) -> FileLoc:
        """A position known only as numbers (from ``loc(…)`` text or an artifact)."""
        loc = cls.__new__(cls)
        loc.source, loc.offset, loc.length = None, 0, 1
        loc._name, loc._line_col = file, (line, column)
        return loc

    @property
    def file(self) -> str:
        return self.source.name if self.source is not None else self._name

    @property
    def line(self) -> int:
        return self._position()[0]

    @property
    def column(self) -> int:
        return self._position()[1]

    def _position(self) -> tuple[int, int]:
        if self._line_col is None:
            assert self.source is not None
            self._line_col = self.source.line_col(self.offset)
        return self._line_col

    def position(self) -> FileLoc:
        return self

    def source_line(self) -> str:
        """The text of the line, when the source is at hand."""
        return self.source.line_text(self.line) if self.source is not None else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileLoc) and (self.file, self._position()) == (
            other.file,
            other._position(),
        )

    def __hash__(self) -> int:
        return hash((self.file, self._position()))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    __repr__ = __str__


@frozen
class NameLoc(Location):
    """``loc("name"(child))``."""

    name: str
    child: Location = field(factory=UnknownLoc)

    def position(self) -> FileLoc | None:
        return self.child.position()

    def __str__(self) -> str:
        return f'"{self.name}"({self.child})'


@frozen
class CallSiteLoc(Location):
    """``loc(callsite(callee at caller))``."""

    callee: Location
    caller: Location

    def position(self) -> FileLoc | None:
        return self.callee.position() or self.caller.position()

    def __str__(self) -> str:
        return f"callsite({self.callee} at {self.caller})"


@frozen
class FusedLoc(Location):
    """``loc(fused[a, b])``: one operation that several others became."""

    locations: tuple[Location, ...]
    metadata: object = None

    def position(self) -> FileLoc | None:
        return next((p for loc in self.locations if (p := loc.position())), None)

    def __str__(self) -> str:
        return f"fused[{', '.join(map(str, self.locations))}]"


UNKNOWN = UnknownLoc()


MOST_FUSED = 32
"""Locations that a fused one keeps; a chain of a thousand ops needs no thousand places."""


def fuse(locations: Sequence[Location]) -> Location:
    """One location for several, in order, without repetition and without unknowns."""
    flat: dict[Location, None] = {}
    for loc in locations:
        for part in loc.locations if isinstance(loc, FusedLoc) else (loc,):
            if len(flat) == MOST_FUSED:
                break
            if not isinstance(part, UnknownLoc):
                flat[part] = None
    if not flat:
        return UNKNOWN
    return next(iter(flat)) if len(flat) == 1 else FusedLoc(tuple(flat))


@frozen
class Note:
    """A second place that explains an error."""

    message: str
    location: Location = UNKNOWN


@define
class Diagnostic:
    """One message with its place: ``severity`` is ``error``, ``warning`` or ``remark``."""

    message: str
    location: Location = UNKNOWN
    severity: str = "error"
    notes: tuple[Note, ...] = ()
    hint: str | None = None

    def render(self) -> str:
        """``file:line:col: error: …`` with source line and caret, then notes and the hint."""
        parts = [_render_at(self.location, self.severity, self.message)]
        parts += [_render_at(note.location, "note", note.message) for note in self.notes]
        if self.hint:
            parts.append(f"help: {self.hint}")
        return "\n".join(parts)


def _render_at(location: Location, severity: str, message: str) -> str:
    place = location.position()
    if place is None:
        return f"{severity}: {message}"
    text = f"{place.file}:{place.line}:{place.column}: {severity}: {message}"
    line = place.source_line()
    if not line.strip():
        return text
    return "\n".join((text, *excerpt(line, place.column, place.length)))


def excerpt(line: str, column: int, length: int, room: int = 200) -> tuple[str, str]:
    """A line and the carets below it, cut to ``room`` characters around the place that they mark."""
    at = column - 1
    length = max(1, min(length, len(line) - at))
    if len(line) > room:
        first = max(0, min(at - room // 3, len(line) - room))
        end = first + room
        line = ("…" if first else line[0]) + line[first + 1 : end - 1] + ("…" if end < len(line) else line[-1])
        at -= first
        length = min(length, room - at)
    before = "".join("\t" if c == "\t" else " " for c in line[:at])
    return line, before + "^" * length


class KtError(Exception):
    """A refusal of any kt function: what is wrong, where, and the way out.

    ``code`` is a short stable word for scripts (``parse``, ``verify``, ``device``, …).
    ``diagnostics`` holds every error of the run; the first one is this exception's own.
    """

    code = "error"

    def __init__(
        self,
        message: str,
        location: Location = UNKNOWN,
        *,
        notes: Sequence[Note] = (),
        hint: str | None = None,
        code: str | None = None,
        more: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.notes = tuple(notes)
        self.hint = hint
        if code is not None:
            self.code = code
        self.diagnostics = [Diagnostic(message, location, "error", self.notes, hint), *more]

    def render(self) -> str:
        """All diagnostics as text for a terminal."""
        return "\n".join(d.render() for d in self.diagnostics)

    def __str__(self) -> str:
        place = self.location.position()
        return f"{place}: {self.message}" if place else self.message

    def to_json(self) -> dict[str, object]:
        """``message``, ``code``, ``hint``, ``notes`` and the place (None where unknown)."""
        return {
            "message": self.message,
            "code": self.code,
            **_place_json(self.location),
            "hint": self.hint,
            "notes": [{"message": n.message, **_place_json(n.location)} for n in self.notes],
        }


def _place_json(location: Location) -> dict[str, object]:
    place = location.position()
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
    }


class ParseError(KtError):
    """Text that isn't IR."""

    code = "parse"


class VerifyError(KtError):
    """IR that breaks a rule of its level."""

    code = "verify"


class PassError(KtError):
    """A kernel that a pass can't compile for this device."""

    code = "pass"


class DeviceError(KtError):
    """A device description that can't be used."""

    code = "device"


class RunError(KtError):
    """A program that does something undefined when it runs."""

    code = "run"


class ArtifactError(KtError):
    """Bytes that aren't an artifact."""

    code = "artifact"


class InternalError(KtError):
    """A bug of kt itself, never an answer to bad input. ``details`` help to reproduce it."""

    code = "internal"

    def __init__(self, message: str, location: Location = UNKNOWN, details: object = None) -> None:
        super().__init__(message, location)
        self.details = details

    @property
    def reproducer(self) -> str:
        """Text from which the failure can be repeated; empty when there is none."""
        return str(self.details) if self.details is not None else ""
