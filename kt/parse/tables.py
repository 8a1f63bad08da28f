"""Lark's LALR tables in a plain form: dicts of str and int that the driver runs and the cache keeps.

A row of the action table maps a token kind to an action: the next state when it is ≥ 0, else
``~rule``. Kinds are the literal itself for keywords and punctuation (``"to"``, ``"("``) and
``$NAME`` for the terminals that the lexer matches by pattern.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Row = dict[str, int]

PREFIX = "KT_"
"""Of the terminals of our grammar files, so that no keyword's name is taken."""

# A rule: (origin, length, key of its callback, parts, trailing nones, one child stands for itself).
# A part is (position, whether its list is spliced in, nones before it).
Rule = tuple[str, int, str, tuple[tuple[int, bool, int], ...], int, bool]


def extract(lark: Any) -> dict[str, Any]:
    """The plain tables of a built ``Lark`` object (lark 1.3)."""
    table = lark.parser.parser._parse_table
    kinds = {t.name: _kind(t) for t in lark.terminals}
    numbers: dict[Any, int] = {}
    rules: list[Rule] = []
    rows: list[Row] = []
    gotos: list[Row] = []
    for state in range(len(table.states)):
        row: Row = {}
        goto: Row = {}
        for name, (action, arg) in table.states[state].items():
            if action.name == "Reduce":
                if arg not in numbers:
                    numbers[arg] = len(rules)
                    rules.append(_rule(arg))
                row[_key(kinds, name)] = ~numbers[arg]
            elif str(name).isupper():
                row[_key(kinds, name)] = arg
            else:
                goto[str(name)] = arg
        rows.append(row)
        gotos.append(goto)
    return {
        "rows": rows,
        "gotos": gotos,
        "rules": rules,
        "starts": {str(k): v for k, v in table.start_states.items()},
        "ends": {str(k): v for k, v in table.end_states.items()},
    }


def _key(kinds: dict[str, str], name: Any) -> str:
    """``$END`` and declared terminals have no pattern."""
    name = str(name)
    return kinds.get(name) or (name if name == "$END" else f"${name.removeprefix(PREFIX)}")


def _kind(terminal: Any) -> str:
    from lark.lexer import PatternStr

    if isinstance(terminal.pattern, PatternStr):
        return str(terminal.pattern.value)
    return f"${terminal.name}"


def _rule(rule: Any) -> Rule:
    options = rule.options
    symbols = rule.expansion
    if options.empty_indices:
        runs = "".join(str(int(b)) for b in options.empty_indices).split("0")
        nones = [len(run) for run in runs]
    else:
        nones = [0] * (len(symbols) + 1)
    parts = []
    pending = 0
    for i, symbol in enumerate(symbols):
        pending += nones[i]
        if options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            splice = not symbol.is_term and symbol.name.startswith("_")
            parts.append((i, splice, pending))
            pending = 0
    origin = str(rule.origin.name)
    return (
        origin,
        len(symbols),
        str(rule.alias or rule.options.template_source or origin),
        tuple(parts),
        pending + nones[len(symbols)],
        bool(options.expand1) and not rule.alias,
    )


IDENTITY = object()
"""Reducer of a rule whose only child is its value."""


def make_reducer(rule: Rule, callback: Callable[..., Any] | None) -> Any:
    """A function of the popped values; without callback a rule's value is the tuple of its parts."""
    origin, length, _, parts, trailing, expand_one = rule
    spliced = any(splice for _, splice, _ in parts)
    count = len(parts) + trailing + sum(nones for _, _, nones in parts)
    if origin.startswith("_"):
        return _list_reducer(parts)
    if expand_one and count == 1 and not spliced:
        if not parts:
            return lambda v: None
        if length == 1:
            return IDENTITY
        at = parts[0][0]
        return lambda v: v[at]
    if spliced:
        return _spliced_reducer(parts, trailing, callback)
    picks: list[int | None] = []
    for at, _, nones in parts:
        picks += [None] * nones + [at]
    picks += [None] * trailing
    return _picker(picks, length, callback)


def _picker(picks: list[int | None], length: int, callback: Callable[..., Any] | None) -> Any:
    whole = picks == list(range(length))
    if callback is None:
        return tuple if whole else eval(f"lambda v: ({_items(picks)})")
    if whole:
        return lambda v: callback(*v)
    return eval(f"lambda v: f({_items(picks)})", {"f": callback})


def _items(picks: list[int | None]) -> str:
    return "".join("None," if p is None else f"v[{p}]," for p in picks)


def _list_reducer(parts: tuple[tuple[int, bool, int], ...]) -> Any:
    """Of ``_rules`` and Lark's own star rules: a list that the parent splices in."""
    if len(parts) == 2 and parts[0][1] and not parts[1][1]:
        first, last = parts[0][0], parts[1][0]

        def append(v: list[Any]) -> list[Any]:
            v[first].append(v[last])
            return v[first]

        return append

    def collect(v: list[Any]) -> list[Any]:
        found: list[Any] = []
        for at, splice, nones in parts:
            found += [None] * nones
            if splice:
                found += v[at]
            else:
                found.append(v[at])
        return found

    return collect


def _spliced_reducer(
    parts: tuple[tuple[int, bool, int], ...], trailing: int, callback: Callable[..., Any] | None
) -> Any:
    collect = _list_reducer(parts)
    nones = [None] * trailing
    if callback is None:
        return lambda v: tuple(collect(v) + nones)
    return lambda v: callback(*collect(v), *nones)
