"""A reason why a plan can't be."""

from __future__ import annotations

from attrs import frozen

from kt.ir.diagnostics import UNKNOWN, Location, Note, PassError


@frozen
class Violation:
    """One reason why a plan can't be: ``rule`` in one word, the rest as in a diagnostic."""

    rule: str
    message: str
    location: Location = UNKNOWN
    notes: tuple[Note, ...] = ()
    hint: str | None = None
    memory: str = ""
    """The memory that is concerned, if it is one."""

    def error(self) -> PassError:
        return PassError(self.message, self.location, notes=self.notes, hint=self.hint)
