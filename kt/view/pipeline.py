"""What a whole pipeline did: the differences between its stages, chosen and folded."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import pairwise
from typing import Any

from attrs import define, field, frozen

from kt.ir.diagnostics import KtError
from kt.view.difference import Difference, Mark, difference
from kt.view.hunks import Folded, Hunk, fold
from kt.view.record import Stage, compose


@frozen
class Selection:
    """What to show.

    ``passes``: names, ``name#2`` for the second of that name, patterns (``*loop*``) or numbers; None is
    all. ``first``, ``last``: limits in the same terms. ``against``: compare with the stage of that name
    instead of the one before. ``everything``: passes without a change as well, and all lines.
    """

    passes: tuple[str, ...] | None = None
    first: str | None = None
    last: str | None = None
    against: str | None = None
    everything: bool = False
    func: str | None = None
    ops: str | None = None
    context: int | None = 3
    why: bool = False


@define(eq=False, slots=False)
class PassDiff:
    """One pass and what it changed."""

    stage: Stage
    before: Stage
    selection: Selection
    shown: bool
    """Whether the selection wants its hunks."""
    pairs: dict[int, int] | None = None

    @cached_property
    def found(self) -> Difference:
        """All rows."""
        pairs = self.stage.pairs if self.pairs is None else self.pairs
        return difference(self.before.listing, self.stage.listing, pairs)

    @cached_property
    def folded(self) -> Folded:
        """The hunks that the selection wants."""
        s = self.selection
        context = None if s.everything else s.context
        return fold(self.found, context, s.func and s.func.removeprefix("@"), s.ops)

    @property
    def changed(self) -> bool:
        return self.before.listing is not self.stage.listing and self.found.changed

    def reasons(self, hunk: Hunk) -> list[str]:
        """Which rules made a hunk."""
        from kt.view import rules

        return rules.reasons(self.stage, self.found, hunk) if self.selection.why else []


@define(eq=False)
class PipelineDiff:
    """All passes of a run. Prints itself with rich, and as HTML in a notebook."""

    title: str
    stages: list[Stage]
    selection: Selection = Selection()
    overview: bool = True
    """Whether the table of all passes stands first."""
    columns: int | None = None
    words: bool = True
    theme: Any = None
    befores: Sequence[Stage] = ()
    """With these, each stage is compared with its partner in another run."""
    passes: list[PassDiff] = field(init=False)
    error: KtError | None = None

    def __attrs_post_init__(self) -> None:
        if self.befores:
            chosen = _chosen(self.stages, self.selection)
            self.passes = [
                PassDiff(stage, before, self.selection, stage.number in chosen)
                for before, stage in zip(self.befores, self.stages, strict=True)
            ]
        else:
            self.passes = list(_differences(self.stages, self.selection))

    @property
    def shown(self) -> list[PassDiff]:
        """The passes whose hunks are shown."""
        return [
            p for p in self.passes
            if p.shown and (p.stage.error or self.selection.everything or (p.changed and p.folded.hunks))
        ]  # fmt: skip

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from kt.view.screen import render

        yield from render(self, options.max_width)

    def _repr_html_(self) -> str:
        from kt.view.page import fragment

        return fragment(self)

    def __str__(self) -> str:
        """Plain text, 100 columns wide."""
        from kt.view.screen import render

        return "\n".join(line.plain.rstrip() for line in render(self, 100)) + "\n"

    def to_json(self) -> dict[str, Any]:
        """Plain values: passes, hunks, rows."""
        return {"title": self.title, "passes": [_pass_json(p) for p in self.passes]}


def _differences(stages: list[Stage], selection: Selection) -> list[PassDiff]:
    chosen = _chosen(stages, selection)
    base = find_stage(stages, selection.against) if selection.against else None
    found = []
    for before, stage in pairwise(stages):
        pairs = None
        if base is not None:
            if stage.number <= base.number:
                continue
            before = base
            pairs = compose(stages[base.number : stage.number + 1])
        found.append(PassDiff(stage, before, selection, stage.number in chosen, pairs))
    return found


def _chosen(stages: list[Stage], selection: Selection) -> set[int]:
    numbers = {s.number for s in stages}
    if selection.first is not None:
        first = find_stage(stages, selection.first).number
        numbers = {n for n in numbers if n >= first}
    if selection.last is not None:
        last = find_stage(stages, selection.last, last=True).number
        numbers = {n for n in numbers if n <= last}
    if selection.passes is not None:
        numbers &= {s.number for name in selection.passes for s in find_stages(stages, name)}
    return numbers


def find_stages(stages: Sequence[Stage], name: str) -> list[Stage]:
    """Stages by number, name, ``name#2``, or pattern. KtError if there is none."""
    if name.isdigit():
        found = [s for s in stages if s.number == int(name)]
    else:
        base, hash_, count = name.partition("#")
        found = [s for s in stages if fnmatchcase(s.name, base)]
        if hash_ and count.isdigit():
            found = found[int(count) - 1 : int(count)] if int(count) else []
    if not found:
        from difflib import get_close_matches

        known = list(dict.fromkeys(s.name for s in stages))
        near = get_close_matches(name.partition("#")[0], known, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"the passes are: {', '.join(known)}"
        raise KtError(f"the pipeline has no pass '{name}'", hint=hint, code="option")
    return found


def find_stage(stages: Sequence[Stage], name: str, last: bool = False) -> Stage:
    """The first (or last) of these stages."""
    return find_stages(stages, name)[-1 if last else 0]


# -- plain values ------------------------------------------------------------------------------------


def _pass_json(p: PassDiff) -> dict[str, Any]:
    stage = p.stage
    made: dict[str, Any] = {
        "number": stage.number,
        "pass": stage.name,
        "title": stage.title,
        "seconds": round(stage.seconds, 6),
        "changed": p.changed,
        "ops": {"before": len(p.before.tree.nodes) - 1, "after": len(stage.tree.nodes) - 1},
        "rules": dict(stage.rules()),
        "remarks": [d.message for d in stage.remarks],
        "statistics": stage.statistics,
    }
    if stage.error:
        made["error"] = stage.error
    if not p.changed:
        return made
    found = p.found
    for name in ("added", "removed", "edited", "moved"):
        made[name] = dict(sorted(getattr(found, name).items()))
    made["hunks"] = [_hunk_json(p, hunk) for hunk in p.folded.hunks] if p.shown else []
    return made


def _hunk_json(p: PassDiff, hunk: Hunk) -> dict[str, Any]:
    made: dict[str, Any] = {"place": hunk.place, "skipped_lines": hunk.lines}
    if p.selection.why:
        made["why"] = p.reasons(hunk)
    made["rows"] = rows = []
    for row in hunk.rows:
        old, new = p.found.old_line(row), p.found.new_line(row)
        entry: dict[str, Any] = {"mark": row.mark.value}
        if old is not None and row.old is not None:
            entry["old"] = row.old + 1
        if new is not None and row.new is not None:
            entry["new"] = row.new + 1
        line = new or old
        entry["text"] = " " * line.indent + line.text if line else ""
        if row.mark is Mark.EDIT and old is not None:
            entry["was"] = " " * old.indent + old.text
        rows.append(entry)
    return made
