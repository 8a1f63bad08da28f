"""Lexing and LALR parsing in one loop, on tables that Lark built.

``Language`` is a loaded grammar: action rows, reducers made on first use, and the tables that tell
words apart (operation names, names of dialect types and attributes).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kt.ir.diagnostics import KtError
from kt.parse import lexer
from kt.parse.pending import SyntaxFailure
from kt.parse.syntax_api import BodyText
from kt.parse.tables import IDENTITY, Row, make_reducer

if TYPE_CHECKING:
    from kt.parse.attributes import Context

_SHAPED = frozenset(("tensor", "memref", "vector", "complex", "tuple"))
_BALANCED_ATTRS = frozenset(
    ("affine_map", "affine_set", "array", "strided", "dense_resource", "sparse", "distinct", "opaque")
)


class Unexpected(Exception):
    """The text doesn't go on as the grammar wants; ``kind`` is None for an unknown character."""

    def __init__(self, parser: Language, states: list[int], values: list[Any], kind: str | None,
                 start: int, end: int) -> None:  # fmt: skip
        super().__init__(kind)
        self.language = parser
        self.states = states
        self.values = values
        self.kind = kind
        self.start = start
        self.end = end


class Failed(Exception):
    """A callback refused; ``offset`` is where the op (or the text) begins."""

    def __init__(self, failure: SyntaxFailure, offset: int, end: int) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.offset = offset
        self.end = end


class Language:
    """A grammar ready to run."""

    def __init__(
        self,
        tables: dict[str, Any],
        callbacks: Callable[[str], Callable[..., Any] | None],
        words: dict[str, tuple[str, str]],
        names: dict[str, str],
    ) -> None:
        self.rows: list[Row] = tables["rows"]
        self.gotos: list[Row] = tables["gotos"]
        self.rules = tables["rules"]
        self.starts: dict[str, int] = tables["starts"]
        self.ends: dict[str, int] = tables["ends"]
        self.callbacks = callbacks
        self.words = words
        """Operation names, also without their default dialect: word → (kind, full name)."""
        self.names = names
        """``!dialect.type`` and ``#dialect.attr`` with a rule of their own → kind."""
        self.matchers: list[lexer.Match | None] = [None] * len(self.rows)
        self.reducers: list[Any] = [None] * len(self.rules)
        self.after_results = frozenset(row["$RESULTS"] for row in self.rows if "$RESULTS" in row)
        self.op_begins = frozenset(row["$BOP"] for row in self.rows if row.get("$BOP", -1) >= 0)

    def _matcher(self, state: int) -> lexer.Match:
        row = self.rows[state]
        found = lexer.matcher(tuple(kind for kind in lexer.SPECIAL_KINDS if kind in row))
        self.matchers[state] = found
        return found

    def _reducer(self, number: int) -> Any:
        rule = self.rules[number]
        origin, length = rule[0], rule[1]
        found = (origin, length, make_reducer(rule, self.callbacks(rule[2])))
        self.reducers[number] = found
        return found

    def takes(self, states: list[int], kind: str) -> bool:
        """Whether the parser would shift ``kind`` now (LALR rows alone promise too much)."""
        stack = states[:]
        rows, gotos, rules = self.rows, self.gotos, self.rules
        while True:
            action = rows[stack[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                return True
            rule = rules[~action]
            if rule[1]:
                del stack[-rule[1] :]
            stack.append(gotos[stack[-1]][rule[0]])

    def parse(self, text: str, start: str, context: Context, base: int = 0) -> Any:
        """Parse all of ``text``; raises Unexpected or Failed. ``base`` is its offset in the file."""
        rows, gotos = self.rows, self.gotos
        matchers, reducers = self.matchers, self.reducers
        words = self.words
        end_state = self.ends[start]
        states = [self.starts[start]]
        values: list[Any] = []
        row = rows[states[0]]
        at = 0
        later: tuple[str, Any] | None = None
        while True:
            m = (matchers[states[-1]] or self._matcher(states[-1]))(text, at)
            if m is None:
                begin = lexer.skip(text, at)
                raise Unexpected(self, states, values, None, begin, begin + 1)
            kind = m.lastgroup
            value: Any = m[kind]  # type: ignore[index]
            at = m.end()
            if kind == "SSA":
                kind = "$SSA"
            elif kind == "WORD":
                if value in row and (value not in words or self.takes(states, value)):
                    kind = value
                elif value in words:
                    kind, full = words[value]
                    if kind in row:  # behind `%a =`: the op begins at its name, not at its results
                        values[-2] = base + at - len(value)
                        value = full
                    elif "$BOP" in row:
                        later = (kind, full)
                        kind, value = "$BOP", base + at - len(value)
                    else:
                        kind = "$WORD"
                else:
                    kind, value, at = self._word(text, value, at, row, context, base)
            elif kind == "PUNCT":
                kind = value
                if value == "<" and "$BODY" in row:
                    begin = at - 1
                    at = lexer.balanced(text, begin)
                    if at < 0:
                        raise Unexpected(self, states, values, "<", begin, begin + 1)
                    kind, value = "$BODY", BodyText(text[begin:at])
                    value.context, value.offset = context, base + begin
                elif value == ">=" and value not in row:
                    at -= 1
                    kind = ">"
            elif kind == "RESULTS":
                kind, value = "$RESULTS", _results(value)
                if kind not in row:
                    later = (kind, value)
                    kind, value = "$BOP", base + m.start("RESULTS")
            elif kind == "STRING":
                try:
                    value = lexer.decode_string(value)
                except ValueError as error:
                    raise Failed(SyntaxFailure(str(error)), base + m.start(kind), base + at) from None
                kind = "$STRING"
                if states[-1] in self.after_results:
                    values[-2] = base + m.start("STRING")
                elif "$BOP" in row and (
                    kind not in row
                    or (row[kind] < 0 and text[lexer.skip(text, at) :][:1] == "(")
                ):  # an op that may go on with a string takes it, as MLIR's parsers do
                    later = (kind, value)
                    kind, value = "$BOP", base + m.start("STRING")
            elif kind == "END":
                kind = "$END"
            else:
                kind, value, at = self._other(text, kind, value, at, row, context, base)
            # Reduce until the token can be shifted.
            while True:
                action = row.get(kind)  # type: ignore[arg-type]
                if action is None:
                    if m.lastgroup == "END":
                        raise Unexpected(self, states, values, "$END", at, at)
                    raise Unexpected(self, states, values, kind, m.start(m.lastgroup), at)  # type: ignore
                if action >= 0:
                    states.append(action)
                    values.append(value)
                    row = rows[action]
                    if later is None:
                        break
                    kind, value = later
                    later = None
                    continue
                origin, length, reduce = reducers[~action] or self._reducer(~action)
                if reduce is IDENTITY:
                    states.pop()
                elif length:
                    parts = values[-length:]
                    del values[-length:]
                    del states[-length:]
                    try:
                        values.append(reduce(parts))
                    except (SyntaxFailure, ValueError, KtError) as error:
                        raise self._failed(error, origin, states, values, parts, base, at) from None
                else:
                    values.append(reduce(()))
                state = gotos[states[-1]][origin]
                states.append(state)
                if state == end_state and kind == "$END":
                    return values[-1]
                row = rows[state]

    def _word(
        self, text: str, word: str, at: int, row: Row, context: Context, base: int
    ) -> tuple[str, Any, int]:
        """A word that is neither keyword nor operation: type, attribute or identifier."""
        if "$TYPE" in row:
            found = context.builtin_type(word)
            if found is not None:
                return "$TYPE", found, at
        follows = lexer.skip(text, at)
        if text[follows : follows + 1] == "<":
            begin = at - len(word)
            if word in _SHAPED and "$TYPE" in row:
                end = self._body(text, follows, base)
                return "$TYPE", context.type(text[begin:end], base + begin), end
            if word in ("dense", "sparse") and "$DENSE" in row:
                end = self._body(text, follows, base)
                return "$DENSE", (text[begin:end], base + begin), end
            if word in _BALANCED_ATTRS and "$ATTR" in row:
                end = self._body(text, follows, base)
                if word == "dense_resource":
                    end = lexer.resource_end(text, end)
                return "$ATTR", context.attr(text[begin:end], base + begin), end
        return "$WORD", word, at

    def _body(self, text: str, at: int, base: int) -> int:
        end = lexer.balanced(text, at)
        if end < 0:
            raise Failed(SyntaxFailure("'<' is never closed"), base + at, base + at + 1)
        return end

    def _other(
        self, text: str, kind: str, value: str, at: int, row: Row, context: Context, base: int
    ) -> tuple[str, Any, int]:
        """Tokens that are rarer than names, words and punctuation."""
        begin = at - len(value)
        if kind in ("HASH", "BANG"):
            own = self.names.get(value)
            if own is not None and own in row:
                return own, value, at
            end = at
            if text[at : at + 1] == "<":
                end = self._body(text, at, base)
            if kind == "HASH":
                if end == at and "." not in value:
                    return "$ALIAS", context.alias(value, base + begin), at
                return "$ATTR", context.attr(text[begin:end], base + begin), end
            if end == at and "." not in value:
                return "$TYPE_ALIAS", context.alias(value, base + begin), at
            return "$TYPE", context.type(text[begin:end], base + begin), end
        if kind == "SYMBOL":
            value = value[1:]
            if value[0] == '"':
                value = lexer.decode_string(value)
        return f"${kind}", value, at

    def _failed(
        self, error: Exception, origin: str, states: list[int], values: list[Any], parts: list[Any],
        base: int, at: int,
    ) -> Failed:  # fmt: skip
        """Find the op that a failing callback belongs to: the innermost BOP on the stack."""
        failure = error
        if not isinstance(failure, SyntaxFailure):
            from kt.parse.pending import as_failure

            failure = as_failure(error)
        if origin == "op":
            return Failed(failure, parts[0], base + at)
        for i in range(len(states) - 1, 0, -1):
            if states[i] in self.op_begins:
                return Failed(failure, values[i - 1], base + at)
        return Failed(failure, base, base + at)


def _results(text: str) -> Any:
    """``%a =`` → "%a"; ``%a:2, %b =`` → [("%a", 2), ("%b", 1)]."""
    text = text[:-1].rstrip()
    if "," not in text and ":" not in text:
        return text
    found = []
    for part in text.split(","):
        name, _, count = part.strip().partition(":")
        found.append((name, int(count or 1)))
    return found
