"""Folding: changed rows with a few lines around them, and how much was left out between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from attrs import frozen

from kt.view.difference import Difference, Mark, Row
from kt.view.listing import Line
from kt.view.tree import Node, Tree

ABBREVIATE = 5
"""Ancestors that a place names; the inner ones matter most."""


@frozen(eq=False)
class Hunk:
    """Rows to show together. ``place`` says where they are; ``lines`` and ``ops`` count what stayed the
    same between the hunk before and this one."""

    rows: list[Row]
    place: str
    lines: int
    ops: int


@frozen(eq=False)
class Folded:
    """All hunks of a difference, and what was left out behind the last one."""

    hunks: list[Hunk]
    lines: int
    ops: int
    hidden: int = 0
    """Changed rows outside of what was asked for."""


def fold(
    found: Difference,
    context: int | None = 3,
    func: str | None = None,
    ops: str | None = None,
) -> Folded:
    """Hunks with ``context`` lines around changes (None: everything in one hunk).

    ``func`` keeps only changes inside the symbol of that name, ``ops`` only changes of operations whose
    names fit the pattern.
    """
    rows = found.rows
    wanted = _wanted(found, func, ops)
    changed = [k for k, row in enumerate(rows) if row.mark is not Mark.SAME]
    kept = [k for k in changed if wanted(rows[k])]
    hidden = len(changed) - len(kept)
    if context is None:
        shown = [(0, len(rows))] if kept else []
    else:
        shown = list(_spans(kept, context, len(rows)))
    hunks = []
    at = 0
    for start, end in shown:
        lines, count = _skipped(found, at, start)
        hunks.append(Hunk(rows[start:end], place_of(found, rows[start:end]), lines, count))
        at = end
    lines, count = _skipped(found, at, len(rows))
    return Folded(hunks, lines, count, hidden)


def _spans(changed: list[int], context: int, total: int) -> Iterator[tuple[int, int]]:
    start = end = -1
    for k in changed:
        if start < 0:
            start, end = max(0, k - context), k + context + 1
        elif k - context <= end + 1:  # a fold of one line would not be shorter
            end = k + context + 1
        else:
            yield start, min(end, total)
            start, end = k - context, k + context + 1
    if start >= 0:
        yield start, min(end, total)


def _skipped(found: Difference, start: int, end: int) -> tuple[int, int]:
    """Lines and operations in rows that are not shown."""
    lines = [found.new_line(row) or found.old_line(row) for row in found.rows[start:end]]
    return end - start, sum(1 for line in lines if line and line.node > 0 and line.part == 0)


def _wanted(found: Difference, func: str | None, ops: str | None) -> Callable[[Row], bool]:
    if func is None and ops is None:
        return lambda row: True

    def check(row: Row) -> bool:
        for tree, line in _sides(found, row):
            if line.node < 0:
                continue
            if func is not None and func not in symbols_around(tree, line.node):
                continue
            if ops is not None and not fnmatchcase(tree.nodes[line.node].name, ops):
                continue
            return True
        return False

    return check


def symbols_around(tree: Tree, index: int) -> list[str]:
    """Names of the symbols that a node is in, itself included."""
    return [n.symbol for n in (*tree.path(index), tree.nodes[index]) if n.symbol]


def _sides(found: Difference, row: Row) -> Iterator[tuple[Tree, Line]]:
    if (line := found.new_line(row)) is not None:
        yield found.after.tree, line
    if (line := found.old_line(row)) is not None:
        yield found.before.tree, line


def place_of(found: Difference, rows: list[Row]) -> str:
    """Where the first change of some rows stands: ``@f › scf.for %i › ktdf.stage``."""
    first = next((row for row in rows if row.mark is not Mark.SAME), rows[0])
    tree, line = next(_sides(found, first))
    if line.node < 0:
        return "definitions"
    path = tree.path(line.node) if line.part == 0 else [*tree.path(line.node), tree.nodes[line.node]]
    listing = found.after if tree is found.after.tree else found.before
    words = [_word(node, listing.lines[listing.first[node.index]].text) for node in path if node.index > 0]
    words = [w for k, w in enumerate(words) if k == 0 or w != words[k - 1]]
    if len(words) > ABBREVIATE:
        words = [words[0], "…", *words[-(ABBREVIATE - 2) :]]
    return " › ".join(words) or "module"


def _word(node: Node, text: str) -> str:
    if node.symbol:
        return f"@{node.symbol}"
    if node.arguments and node.arguments[0]:
        name = text.partition("%")[2].partition(" ")[0].strip(",:()")
        if name and text.startswith(node.name.partition(".")[0]):
            return f"{node.name} %{name}"
    return node.name
