"""Which operation of one moment is which of the next: by identity first, then by what they say."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from difflib import SequenceMatcher

from kt.ir.core import Value
from kt.view.tree import Node, Tree

Pairs = dict[int, int]
"""Index of a node after → index of the node before."""


def by_identity(before: Tree, after: Tree) -> Pairs:
    """Pairs for two moments of one module: same operations, then those that took their places."""
    known = {node.op: node.index for node in before.nodes}
    pairs = {n.index: known[n.op] for n in after.nodes if n.op in known}
    used = set(pairs.values())
    for key in (_same_and_place, _shape_and_place, _kind_and_place, _same):
        _pair_off(before, after, pairs, used, key)
    return pairs


def by_structure(before: Tree, after: Tree) -> Pairs:
    """Pairs for two modules that know nothing of each other: functions by name, then by order."""
    pairs: Pairs = {0: 0}
    used = {0}
    todo = [(before.nodes[0], after.nodes[0])]
    while todo:
        old, new = todo.pop()
        for i, j in _aligned(
            [before.nodes[i] for i in old.children], [after.nodes[i] for i in new.children]
        ):
            pairs[j.index] = i.index
            used.add(i.index)
            todo.append((i, j))
    _pair_off(before, after, pairs, used, _same)
    return pairs


def heirs(before: Tree, after: Tree, pairs: Pairs) -> dict[Value, Value]:
    """Values of the moment before that values of the paired operations stand for.

    A new op without a partner may still be a copy of one that lives on elsewhere: then it, too, may use
    that one's names.
    """
    found: dict[Value, Value] = {}
    models: dict[Hashable, deque[int]] = defaultdict(deque)
    for node in before.nodes:
        models[_same_and_place(node, before)].append(node.index)
    for node in after.nodes:
        index = pairs.get(node.index)
        if index is None:
            same = models.get(_same_and_place(node, after))
            if not same:
                continue
            index = same[0]
            same.rotate(-1)
        old = before.nodes[index]
        found.update(zip(node.results, old.results, strict=False))
        for mine, theirs in zip(node.arguments, old.arguments, strict=False):
            found.update(zip(mine, theirs, strict=False))
    return found


# -- keys --------------------------------------------------------------------------------------------


def _same_and_place(node: Node, tree: Tree) -> Hashable:
    return (node.signature, node.location)


def _shape_and_place(node: Node, tree: Tree) -> Hashable:
    # Several ops may come from one line of the kernel; a structured op and its successor share it.
    types = tuple([value.type for value in node.results])
    return (node.name, node.location, types, len(node.operands))


def _kind_and_place(node: Node, tree: Tree) -> Hashable:
    # A scalar operation inside of what was a tensor operation of that name is another one.
    return (node.name, node.location, tree.nodes[node.parent].name if node.parent >= 0 else "")


def _same(node: Node, tree: Tree) -> Hashable:
    function = tree.function_of(node.index)
    return (node.signature, function.symbol if function is not None else "")


def _pair_off(
    before: Tree, after: Tree, pairs: Pairs, used: set[int], key: Callable[[Node, Tree], Hashable]
) -> None:
    """Pair what is left on both sides and has the same key, in order."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for node in before.nodes:
        if node.index not in used:
            waiting[key(node, before)].append(node.index)
    if not waiting:
        return
    for node in after.nodes:
        if node.index not in pairs:
            queue = waiting.get(key(node, after))
            if queue:
                pairs[node.index] = queue.popleft()
                used.add(pairs[node.index])


def _aligned(old: list[Node], new: list[Node]) -> Iterable[tuple[Node, Node]]:
    """Partners among the children of two partners."""
    symbols = {n.symbol: n for n in old if n.symbol}
    named = [(symbols[n.symbol], n) for n in new if n.symbol in symbols and n.symbol]
    yield from named
    done_old, done_new = {a.index for a, _ in named}, {b.index for _, b in named}
    old = [n for n in old if n.index not in done_old]
    new = [n for n in new if n.index not in done_new]
    matcher = SequenceMatcher(None, [n.signature for n in old], [n.signature for n in new], False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(old[i1:i2], new[j1:j2], strict=True)
        elif tag == "replace":
            waiting: dict[str, deque[Node]] = defaultdict(deque)
            for node in old[i1:i2]:
                waiting[node.name].append(node)
            for node in new[j1:j2]:
                if waiting[node.name]:
                    yield waiting[node.name].popleft(), node
