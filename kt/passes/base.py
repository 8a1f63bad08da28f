"""What a pass is, and what it gets besides the IR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field, fields, frozen

from kt.ir.core import Operation
from kt.ir.diagnostics import UNKNOWN, Diagnostic, Location, Note

if TYPE_CHECKING:
    from kt.ir.rewriter import RewriteReport
    from kt.passes.instruments import Instrument


@frozen
class Pass:
    """A pass: a frozen class whose attrs fields are its options.

    ``name`` is what the command line calls it (an option ``max_tiles`` is written ``max-tiles``). ``run``
    changes the op it gets (the module, unless a pipeline text nests the pass in another op).
    Raise PassError for a kernel that can't be compiled; anything else that escapes is a bug.
    """

    name: ClassVar[str] = ""

    def run(self, module: Any, ctx: PassContext) -> None:
        """Change ``module``."""
        raise AssertionError(f"pass '{self.name}' has no run method")

    @classmethod
    def summary(cls) -> str:
        """First line of the docstring."""
        line = (cls.__doc__ or "").strip().partition("\n")[0]
        return f"{line[:-2]}." if line.endswith("::") else line

    def __str__(self) -> str:
        """The pass as in a pipeline: name and the options that aren't defaults."""
        given = []
        for f in fields(type(self)):
            value = getattr(self, f.name)
            if value != f.default:
                given.append(f"{f.name.replace('_', '-')}={option_text(value)}")
        return f"{self.name}{{{' '.join(given)}}}" if given else self.name


def option_text(value: Any) -> str:
    """An option's value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ",".join(map(option_text, value))
    text = str(value)
    return f'"{text}"' if not text or set(text) & set(' ,={}()"') else text


@define(eq=False)
class PassContext:
    """What passes share in one run.

    ``device`` is a ``kt.arch.Device`` or None; ``options`` are settings of the whole compilation.
    ``instruments`` watch every pass, also those that a pass runs itself.
    """

    device: Any = None
    options: dict[str, Any] = field(factory=dict)
    remarks: list[Diagnostic] = field(factory=list)
    statistics: dict[tuple[str, str], int] = field(factory=dict)
    fired: list[tuple[str, Location]] = field(factory=list)
    """Rules that fired in the running pass, for viewers."""
    instruments: list[Instrument] = field(factory=list)
    running: list[str] = field(factory=list)
    """Names of the passes at work, the outermost first."""

    def remark(
        self, message: str, location: Location = UNKNOWN, notes: Sequence[Note] = ()
    ) -> None:
        """Tell the user something that is no error."""
        self.remarks.append(Diagnostic(message, location, "remark", tuple(notes)))

    def warn(self, message: str, location: Location = UNKNOWN, notes: Sequence[Note] = ()) -> None:
        self.remarks.append(Diagnostic(message, location, "warning", tuple(notes)))

    def stat(self, name: str, count: int = 1) -> None:
        """Count something, under the name of the running pass."""
        if count:
            key = (self.running[-1] if self.running else "", name)
            self.statistics[key] = self.statistics.get(key, 0) + count

    def rewrote(self, report: RewriteReport) -> None:
        """Keep the rules that a pattern run applied."""
        self.fired.extend(report.fired)

    def run(self, passes: Iterable[Pass], op: Operation) -> None:
        """Run other passes from within a pass; instruments see them as nested."""
        from kt.passes.manager import PassManager

        PassManager(tuple(passes), verify_each=False).run(op, self)
