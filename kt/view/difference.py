"""What changed between two moments of a module: rows of lines, and operations by kind."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from enum import Enum

from attrs import define, field, frozen

from kt.view.listing import Line, Listing
from kt.view.match import Pairs


class Mark(Enum):
    """What happened to a line."""

    SAME = " "
    EDIT = "~"
    OLD = "-"
    NEW = "+"
    LEFT = "<"
    """It stands elsewhere now (the row shows where it was)."""
    CAME = ">"
    """It stood elsewhere (the row shows where it is)."""


@frozen
class Row:
    """One line before (its number from 0), after, or both. LEFT and CAME rows name their other half in
    ``other``."""

    mark: Mark
    old: int | None
    new: int | None
    other: int | None = None


@define(eq=False)
class Difference:
    """The rows in order, and which operations appeared, vanished, changed, moved."""

    before: Listing
    after: Listing
    rows: list[Row]
    added: Counter[str] = field(factory=Counter)
    removed: Counter[str] = field(factory=Counter)
    edited: Counter[str] = field(factory=Counter)
    moved: Counter[str] = field(factory=Counter)

    @property
    def changed(self) -> bool:
        return any(row.mark is not Mark.SAME for row in self.rows)

    def old_line(self, row: Row) -> Line | None:
        return self.before.lines[row.old] if row.old is not None else None

    def new_line(self, row: Row) -> Line | None:
        return self.after.lines[row.new] if row.new is not None else None

    @property
    def ops(self) -> tuple[int, int]:
        """Number of operations before and after."""
        return len(self.before.tree.nodes) - 1, len(self.after.tree.nodes) - 1


def difference(before: Listing, after: Listing, pairs: Pairs) -> Difference:
    """Compare two listings whose operations are paired (index after → index before)."""
    partners = _line_partners(before, after, pairs)
    chain = _longest_chain(partners)
    rows: list[Row] = []
    moved_new = {j: i for j, i in partners.items() if j not in chain}
    moved_old = {i: j for j, i in moved_new.items()}
    i = j = 0
    for new in [*sorted(chain), len(after.lines)]:
        old = chain[new] if new in chain else len(before.lines)
        rows += _gap(before, after, (i, old), (j, new), moved_old, moved_new)
        if new in chain:
            same = before.lines[old].text == after.lines[new].text
            rows.append(Row(Mark.SAME if same else Mark.EDIT, old, new))
        i, j = old + 1, new + 1
    found = Difference(before, after, rows)
    _count(found, pairs)
    return found


def _line_partners(before: Listing, after: Listing, pairs: Pairs) -> dict[int, int]:
    """Lines after → lines before that belong to the same operation and the same part of it."""
    where: dict[tuple[int, int], int] = {}
    last_part: dict[int, int] = {}
    for number, line in enumerate(before.lines):
        if line.node >= 0:
            where[line.node, line.part] = number
            last_part[line.node] = line.part
    names = {_definition(line.text): k for k, line in enumerate(before.lines) if line.node < 0}
    ends = {line.node: line.part for line in after.lines}
    partners: dict[int, int] = {}
    for number, line in enumerate(after.lines):
        if line.node < 0:
            old = names.get(_definition(line.text))
        else:
            node = pairs.get(line.node, -1)
            part = line.part
            if part and part == ends[line.node]:
                part = last_part.get(node, -1) or -1
            elif part and part == last_part.get(node):
                part = -1
            old = where.get((node, part))
        if old is not None:
            partners[number] = old
    return partners


def _definition(text: str) -> str:
    return text.partition(" = ")[0]


def _longest_chain(partners: dict[int, int]) -> dict[int, int]:
    """The longest part of the pairs that is in the same order on both sides."""
    tails: list[int] = []
    tail_keys: list[int] = []
    previous: dict[int, int | None] = {}
    for new, old in sorted(partners.items()):
        at = bisect_left(tails, old)
        if at == len(tails):
            tails.append(old)
            tail_keys.append(new)
        else:
            tails[at], tail_keys[at] = old, new
        previous[new] = tail_keys[at - 1] if at else None
    chain: dict[int, int] = {}
    at_key = tail_keys[-1] if tail_keys else None
    while at_key is not None:
        chain[at_key] = partners[at_key]
        at_key = previous[at_key]
    return chain


def _gap(
    before: Listing,
    after: Listing,
    olds: tuple[int, int],
    news: tuple[int, int],
    moved_old: dict[int, int],
    moved_new: dict[int, int],
) -> list[Row]:
    """Rows for lines between two partners: equal texts pair up, the rest came or went."""
    old = [before.lines[i].text if i not in moved_old else i for i in range(*olds)]
    new = [after.lines[j].text if j not in moved_new else (j,) for j in range(*news)]
    if not old or not new:
        opcodes = [("replace", 0, len(old), 0, len(new))]
    else:
        opcodes = SequenceMatcher(None, old, new, False).get_opcodes()
    rows = []
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            rows += [Row(Mark.SAME, olds[0] + i1 + k, news[0] + j1 + k) for k in range(i2 - i1)]
            continue
        for i in range(olds[0] + i1, olds[0] + i2):
            mark = Mark.LEFT if i in moved_old else Mark.OLD
            rows.append(Row(mark, i, None, moved_old.get(i)))
        for j in range(news[0] + j1, news[0] + j2):
            mark = Mark.CAME if j in moved_new else Mark.NEW
            rows.append(Row(mark, None, j, moved_new.get(j)))
    return rows


def _count(found: Difference, pairs: Pairs) -> None:
    """Operations by kind; those whose lines all stayed don't count."""
    old_nodes, new_nodes = found.before.tree.nodes, found.after.tree.nodes
    kept = set(pairs.values())
    stayed_new = {line.node for r in found.rows if r.mark is Mark.SAME and (line := found.new_line(r)) and line.part == 0}
    stayed_old = {line.node for r in found.rows if r.mark is Mark.SAME and (line := found.old_line(r)) and line.part == 0}
    listed_old, listed_new = set(found.before.first), set(found.after.first)
    for node in new_nodes[1:]:
        if node.index not in pairs and (node.index not in listed_new or node.index not in stayed_new):
            found.added[node.name] += 1
    for node in old_nodes[1:]:
        if node.index not in kept and (node.index not in listed_old or node.index not in stayed_old):
            found.removed[node.name] += 1
    for row in found.rows:
        line = found.new_line(row)
        if line is None or line.node < 0 or line.part:
            continue
        name = new_nodes[line.node].name
        if row.mark is Mark.EDIT:
            found.edited[name] += 1
        elif row.mark is Mark.CAME:
            found.moved[name] += 1
