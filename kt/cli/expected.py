"""``kt opt --verify-diagnostics``: the messages that comments of a file expect, against those that came.

A comment ``// expected-error {{text}}`` expects an error on its own line whose message contains the
text; ``@+1``, ``@-2``, ``@below`` and ``@above`` name another line, ``@unknown`` no line. Likewise
``expected-warning``, ``expected-note`` and ``expected-remark``. ``expected-error-re`` takes
``{{…}}`` parts of the text as regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import define

from kt.ir.diagnostics import Diagnostic, Location

_COMMENT = re.compile(
    r"expected-(?P<severity>error|warning|note|remark)(?P<regex>-re)? *"
    r"(?:@(?P<place>[+-]\d+|above|below|unknown))? *\{\{(?P<text>.*?)\}\}(?=[ \t]*(?:$|expected-))",
    re.MULTILINE,
)


@define
class Expected:
    """One expectation; ``line`` is None for a message without a place."""

    severity: str
    text: str
    line: int | None
    regex: bool
    met: bool = False

    def matches(self, severity: str, message: str, line: int | None) -> bool:
        if self.met or severity != self.severity or line != self.line:
            return False
        if not self.regex:
            return self.text in message
        pieces = re.split(r"\{\{(.*?)\}\}", self.text)
        pattern = "".join(p if i % 2 else re.escape(p) for i, p in enumerate(pieces))
        return re.search(pattern, message) is not None


def expectations(text: str) -> list[Expected]:
    """What the comments of a file (or a part, with lines as in the file) expect."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        at = line.find("//")
        if at < 0:
            continue
        for m in _COMMENT.finditer(line, at):
            place = m["place"]
            target: int | None = number
            if place == "above" or place == "below":
                target = number + (1 if place == "below" else -1)
            elif place == "unknown":
                target = None
            elif place:
                target = number + int(place)
            found.append(Expected(m["severity"], m["text"], target, bool(m["regex"])))
    return found


def unmet(text: str, file: str, produced: Iterable[Diagnostic]) -> list[str]:
    """Messages about what didn't come as expected; empty if all did."""
    wanted = expectations(text)
    problems = []
    for diagnostic in produced:
        rows = [(diagnostic.severity, diagnostic.message, diagnostic.location)]
        rows += [("note", note.message, note.location) for note in diagnostic.notes]
        for severity, message, location in rows:
            line = _line(location, file)
            match = next((w for w in wanted if w.matches(severity, message, line)), None)
            if match is not None:
                match.met = True
            elif severity != "note":  # notes may go without a comment, as in MLIR's own tests
                problems.append(f"{file}:{line or '?'}: error: unexpected {severity}: {message}")
    problems += [
        f'{file}:{w.line or "?"}: error: expected {w.severity} "{w.text}" was not produced'
        for w in wanted
        if not w.met
    ]
    return problems


def _line(location: Location, file: str) -> int | None:
    place = location.position()
    return place.line if place is not None and place.file == file else None
