"""Recording a pipeline for the viewer: one stage per pass, with names that stay."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from attrs import define, field

from kt.ir.core import Operation
from kt.ir.diagnostics import Diagnostic, KtError, Location
from kt.passes.base import Pass, PassContext
from kt.passes.instruments import Instrument, top_of
from kt.view.listing import Listing, list_lines, natural_names
from kt.view.match import Pairs, by_identity, by_structure, heirs
from kt.view.names import NameTable
from kt.view.tree import Tree

_Marks = tuple[float, int, int, dict[tuple[str, str], int]]
"""When a pass began, and how much the context had collected by then."""


@define(eq=False)
class Stage:
    """The module after one pass. ``number`` 0 is the input.

    ``pairs`` says which operation is which of the stage before; ``error`` is set for the pass that
    failed.
    """

    number: int
    name: str
    title: str
    """The pass with its options."""
    listing: Listing
    pairs: Pairs
    changed: bool
    seconds: float = 0.0
    remarks: tuple[Diagnostic, ...] = ()
    fired: tuple[tuple[str, Location], ...] = ()
    statistics: dict[str, int] = field(factory=dict)
    error: str = ""

    @property
    def tree(self) -> Tree:
        return self.listing.tree

    def rules(self) -> Counter[str]:
        """How often each rewrite rule was applied."""
        return Counter(rule for rule, _ in self.fired)


@define(eq=False)
class Recorder(Instrument):
    """Watches a pass manager. ``stages`` has one stage per pass, the input first.

    ``raw_names``: names as the printer gives them, renumbered after every pass. What a pass within a
    pass does counts as done by the outer one.
    """

    raw_names: bool = False
    stages: list[Stage] = field(factory=list)
    names: NameTable = field(factory=NameTable)
    seconds: float = 0.0
    """Time that the recording itself took."""
    _open: list[_Marks] = field(factory=list)

    def before(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        if not self.stages:
            self.start(top_of(op))
        marks = (time.perf_counter(), len(ctx.remarks), len(ctx.fired), dict(ctx.statistics))
        self._open.append(marks)

    def after(self, item: Pass, op: Operation, ctx: PassContext) -> None:
        marks = self._open.pop()
        if not self._open:
            self._add(item, op, ctx, marks)

    def failed(self, item: Pass, op: Operation, ctx: PassContext, error: Exception) -> None:
        # What the pass left half done may not be printable; the stage shows its input again.
        start, remarks, fired, _ = self._open.pop()
        if self._open:
            return
        last = self.stages[-1]
        message = error.message if isinstance(error, KtError) else f"{type(error).__name__}: {error}"
        self.stages.append(
            Stage(
                len(self.stages), item.name, str(item), last.listing, _identity(last.tree), False,
                time.perf_counter() - start, tuple(ctx.remarks[remarks:]), tuple(ctx.fired[fired:]),
                error=message,
            )
        )  # fmt: skip

    def start(self, module: Operation, title: str = "input") -> None:
        """The first stage."""
        tree = Tree.of(module)
        self.stages.append(Stage(0, "input", title, self._list(tree, None, {}), {}, True))

    def _add(self, item: Pass, op: Operation, ctx: PassContext, marks: _Marks) -> None:
        start, remarks, fired, statistics = marks
        now = time.perf_counter()
        last = self.stages[-1]
        tree = Tree.of(top_of(op))
        changed = not tree.same_as(last.tree)
        pairs = by_identity(last.tree, tree) if changed else _identity(last.tree)
        listing = self._list(tree, last.tree, pairs) if changed else last.listing
        counts = {
            key: n - statistics.get((name, key), 0)
            for (name, key), n in ctx.statistics.items()
            if n != statistics.get((name, key), 0)
        }
        stage = Stage(
            len(self.stages), item.name, str(item), listing, pairs, changed, now - start,
            tuple(ctx.remarks[remarks:]), tuple(ctx.fired[fired:]), counts,
        )  # fmt: skip
        self.stages.append(stage)
        self.seconds += time.perf_counter() - now

    def _list(self, tree: Tree, before: Tree | None, pairs: Pairs) -> Listing:
        if self.raw_names:
            return list_lines(tree)
        taken_over = heirs(before, tree, pairs) if before is not None else {}
        chosen = self.names.name_tree(tree, natural_names(tree.root), taken_over)
        return list_lines(tree, chosen, self.names.aliases)


def _identity(tree: Tree) -> Pairs:
    return {n.index: n.index for n in tree.nodes}


def stages_of(modules: Sequence[tuple[str, Operation]]) -> list[Stage]:
    """Modules that know nothing of each other, as stages with common names; each has a title."""
    names = NameTable()
    stages: list[Stage] = []
    for title, module in modules:
        tree = Tree.of(module)
        pairs: Pairs = {}
        taken_over = {}
        if stages:
            pairs = by_structure(stages[-1].tree, tree)
            taken_over = heirs(stages[-1].tree, tree, pairs)
        chosen = names.name_tree(tree, natural_names(module), taken_over)
        listing = list_lines(tree, chosen, names.aliases)
        changed = not stages or stages[-1].listing.text() != listing.text()
        stages.append(Stage(len(stages), title, title, listing, pairs, changed))
    return stages


def compose(stages: list[Stage]) -> Pairs:
    """Pairs between the first and the last of consecutive stages."""
    pairs = _identity(stages[-1].tree)
    for stage in reversed(stages[1:]):
        pairs = {new: stage.pairs[mid] for new, mid in pairs.items() if mid in stage.pairs}
    return pairs
