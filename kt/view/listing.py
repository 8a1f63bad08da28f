"""A module as numbered lines that know which operation they belong to."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from attrs import define, field, frozen

from kt.ir.attributes import Attribute
from kt.ir.core import Operation, Value
from kt.ir.text import attribute_text
from kt.parse.aliases import PREFIXES
from kt.parse.naming import Naming
from kt.parse.printer import Printer
from kt.view.tree import Tree


@frozen(eq=False)
class Line:
    """One line of a listing. ``text`` has no indentation; ``indent`` counts characters.

    ``node`` is the index of the operation, -1 for definitions of aliases. ``part`` counts the lines of
    one operation (0: the one with its name; later ones close or separate its regions).
    """

    text: str
    indent: int
    node: int
    part: int


@define(eq=False)
class Listing:
    """The lines of a module at one moment."""

    tree: Tree
    lines: list[Line]
    first: dict[int, int] = field(factory=dict)
    """Node → number of its first line."""
    last: dict[int, int] = field(factory=dict)
    """Node → number of its last line."""

    def text(self) -> str:
        """The module as text, ending in a newline."""
        return "\n".join(" " * line.indent + line.text for line in self.lines) + "\n"


class _ListingPrinter(Printer):
    """The printer with names from a table; notes where each operation begins and ends."""

    def __init__(self, root: Operation, names: dict[Value, str] | None, aliases: dict[Any, str] | None) -> None:
        super().__init__(root)
        self.fixed_aliases = aliases
        self.used_aliases: dict[Attribute, str] = {}
        if names is not None:
            self.naming.values.update(names)
            self.naming.packs.clear()
        self.begins: dict[Operation, int] = {}
        self.ends: dict[Operation, int] = {}

    def operation(self, op: Operation) -> None:
        self.begins[op] = len(self.parts)
        super().operation(op)
        self.ends[op] = len(self.parts)

    def text(self, attr: Attribute) -> str:
        if self.fixed_aliases is None:
            return super().text(attr)
        found = self.texts.get(attr)
        if found is None:
            prefix = PREFIXES.get(attr.__class__)
            found = attribute_text(attr, self.text) if prefix is None else self._alias(attr, prefix)
            self.texts[attr] = found
        return found

    def _alias(self, attr: Attribute, prefix: str) -> str:
        assert self.fixed_aliases is not None
        name = self.fixed_aliases.get(attr)
        if name is None:
            count = sum(1 for known in self.fixed_aliases.values() if known.startswith(f"#{prefix}"))
            name = self.fixed_aliases[attr] = f"#{prefix}{count or ''}"
        self.used_aliases[attr] = name
        return name

    def definitions(self) -> list[str]:
        """Lines for the aliases that the text uses."""
        if self.fixed_aliases is None:
            return self.aliases.definitions()[0].splitlines()
        order = sorted(self.used_aliases.items(), key=lambda item: (item[1].rstrip("0123456789"), _tail(item[1])))
        return [f"{name} = {attribute_text(attr)}" for attr, name in order]


def _tail(name: str) -> int:
    digits = name[len(name.rstrip("0123456789")) :]
    return int(digits or 0)


def natural_names(root: Operation) -> dict[Value, str]:
    """The names that the ordinary printer gives."""
    return Naming(root, False).values


def list_lines(
    tree: Tree, names: dict[Value, str] | None = None, aliases: dict[Any, str] | None = None
) -> Listing:
    """Print a module with these names (None: the printer's own)."""
    printer = _ListingPrinter(tree.root, names, aliases)
    printer.operation(tree.root)
    lines = [Line(text, 0, -1, 0) for text in printer.definitions()]
    return _owned(tree, printer, lines)


def _owned(tree: Tree, printer: _ListingPrinter, lines: list[Line]) -> Listing:
    """Cut the text into lines and give each to the innermost op around its first character."""
    offsets = list(accumulate(map(len, printer.parts), initial=0))
    starts = {offsets[printer.begins[n.op]]: n.index for n in reversed(tree.nodes) if n.op in printer.begins}
    ends = {n.index: offsets[printer.ends[n.op]] for n in tree.nodes if n.op in printer.ends}
    text = "".join(printer.parts)
    opens = sorted(starts)
    listing = Listing(tree, lines)
    parts: dict[int, int] = {}
    stack: list[int] = []
    position = cursor = 0
    for raw in text.split("\n"):
        body = raw.lstrip(" ")
        here = position + len(raw) - len(body)
        while cursor < len(opens) and opens[cursor] <= here:
            stack.append(starts[opens[cursor]])
            cursor += 1
        while len(stack) > 1 and ends[stack[-1]] <= here:
            stack.pop()
        owner = stack[-1] if stack else 0
        if body or lines:
            number = len(lines)
            lines.append(Line(body, len(raw) - len(body), owner, parts.get(owner, 0)))
            parts[owner] = parts.get(owner, 0) + 1
            listing.first.setdefault(owner, number)
            listing.last[owner] = number
        position += len(raw) + 1
    while lines and not lines[-1].text:
        lines.pop()
    return listing
