"""Names that stay: a value that was printed once as ``%a`` is ``%a`` in every later text of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import define, field

from kt.ir.core import Value
from kt.ir.traits import ConstantLike
from kt.view.tree import Node, Tree

_ILLEGAL = re.compile(r"[^A-Za-z0-9_$.\-]")
_NUMBERED = re.compile(r"(.+?)_\d+$")


@define(eq=False)
class NameTable:
    """Names of values, over all moments of a run.

    Names are unique within a scope (a function, a program). A new value takes the name of the value
    that it stands for, else the one that the source or its creator suggests, else a fresh number.
    """

    names: dict[Value, str] = field(factory=dict)
    """Without ``%``; values of one op have the name of the op."""
    numbers: int = 0
    """Numbers below are taken."""
    aliases: dict[object, str] = field(factory=dict)
    """Names of ``#map`` and ``#set``."""

    def name_tree(
        self, tree: Tree, wishes: Mapping[Value, str], heirs: Mapping[Value, Value]
    ) -> dict[Value, str]:
        """Name all values of a tree; returns what each is called.

        ``wishes`` are the names that the printer would give, ``heirs`` says which values of the moment
        before the new ones replace.
        """
        later = bool(self.names)
        chosen: dict[Value, str] = {}
        taken: dict[int, set[str]] = {}
        fresh: list[tuple[Node, tuple[Value, ...]]] = []
        for node, group in _groups(tree):
            name = self.names.get(group[0])
            used = taken.setdefault(node.scope, set())
            if name is None or name in used:
                fresh.append((node, group))
            else:
                used.add(name)
                _give(chosen, group, name)
        # Heirs first: else a newcomer could take the name that one of them is to inherit.
        for node, group in sorted(fresh, key=lambda item: heirs.get(item[1][0]) not in self.names):
            value, used = group[0], taken[node.scope]
            wish = wishes.get(value, "")
            maker = value.defining_op
            if later and maker is not None and maker.trait(ConstantLike) is not None:
                name = self._constant(value, wish, heirs, used)
            else:
                name = self._new(value, wish, heirs, used)
            taken[node.scope].add(name)
            for value in group:
                self.names[value] = name
            _give(chosen, group, name)
        return chosen

    def _constant(
        self, value: Value, wish: str, heirs: Mapping[Value, Value], used: set[str]
    ) -> str:
        """A name that tells the value: names of other constants must not pass on to it."""
        old = heirs.get(value)
        if old is not None and attributes_of(old) == attributes_of(value):
            kept = self.names.get(old)
            if kept and kept not in used:
                return kept
        return _free(_legal(wish.removeprefix("%")) or "cst", used)

    def _new(
        self, value: Value, wish: str, heirs: Mapping[Value, Value], used: set[str]
    ) -> str:
        old = heirs.get(value)
        # The heir's name stands for what was there; then the source's own; then the printer's.
        for name in (self.names.get(old) if old is not None else None, value.name_hint):
            if name:
                name = _legal(name)
                if name not in used:
                    return name
        base = _legal(value.name_hint or wish.removeprefix("%").partition("#")[0])
        if base and not base[0].isdigit():
            return _free(base, used)
        # The printer's number, as long as no other value was ever called so.
        if not base or int(base) < self.numbers:
            base = str(self.numbers)
        self.numbers = int(base) + 1
        return base


def _groups(tree: Tree) -> list[tuple[Node, tuple[Value, ...]]]:
    """Values that share a name: the results of an op together, arguments one by one.

    Each comes with the node whose scope it belongs to: arguments belong inside.
    """
    groups = []
    for node in tree.nodes:
        if node.results:
            groups.append((node, node.results))
        for block in node.arguments:
            groups += [(_inside(tree, node), (argument,)) for argument in block]
    return groups


def _inside(tree: Tree, node: Node) -> Node:
    if not node.children:
        return node
    return tree.nodes[node.children[0]]


def _give(chosen: dict[Value, str], group: tuple[Value, ...], name: str) -> None:
    if len(group) == 1:
        chosen[group[0]] = f"%{name}"
    else:
        for i, value in enumerate(group):
            chosen[value] = f"%{name}#{i}"


def attributes_of(value: Value) -> object:
    """What a constant says, as far as the op still says it."""
    op = value.defining_op
    return op._properties if op is not None else None


def _legal(name: str) -> str:
    return _ILLEGAL.sub("_", name)


def _free(base: str, used: set[str]) -> str:
    if base not in used:
        return base
    match = _NUMBERED.match(base)
    base = match[1] if match else base
    number = 0
    while f"{base}_{number}" in used:
        number += 1
    return f"{base}_{number}"

