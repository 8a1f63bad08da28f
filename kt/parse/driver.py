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

    def __init__(self, parser: Language, states: list[State], values: list[Any], kind: str | None,
                 start: int, end: int) -> None:  # fmt: skip
        super().__init__(kind)
        self.language = parser
        self.states = [state.index for state in states]
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


class State:
    """A parser state, filled in when it is first entered.

    ``row`` maps a token kind to the State to go to (shift) or to a reduction; ``goto`` maps the
    origin of a reduced rule to the next State. ``always`` is the reduction of a state that can do
    nothing else, whatever the next token is.
    """

    __slots__ = ("always", "filled", "goto", "index", "match", "quick", "row", "takes_op")

    def __init__(self, index: int) -> None:
        self.index = index
        self.filled = False
        self.row: dict[str, Any] = {}
        self.goto: dict[str, State] = {}
        self.always: Reduction | None = None
        self.match: lexer.Match = lexer.matcher(())
        self.takes_op = False
        self.quick = ",()[]"


Reduction = tuple[int, Callable[[Any], Any], str]
"""Number of values, function of them, origin of the rule."""


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
        self.states: list[State] = [State(i) for i in range(len(self.rows))]
        self.reducers: list[Any] = [None] * len(self.rules)
        self.after_results = frozenset(row["$RESULTS"] for row in self.rows if "$RESULTS" in row)
        self.op_begins = frozenset(row["$BOP"] for row in self.rows if row.get("$BOP", -1) >= 0)

    # -- tables, filled in lazily ------------------------------------------------------------------

    def _fill(self, state: State) -> None:
        """Make the rows of a state on first entry. Unit rules are stepped over in its targets."""
        state.filled = True
        row, goto = self.rows[state.index], self.gotos[state.index]
        only = set(row.values())
        if len(only) == 1 and min(only) < 0 and "$END" not in row:
            state.always = self._reduction(~only.pop())
        # The grammar of attributes knows `tensor<…>` as a rule, that of operations as one token.
        whole = "$TYPE" if "tensor" in row else ""
        specials = tuple(k for k in lexer.SPECIAL_KINDS if k in row and k != whole)
        state.match = lexer.matcher(specials)
        state.takes_op = "$BOP" in row
        if not lexer.BRACKET_KINDS.isdisjoint(specials):
            state.quick = ",)]"
        for kind, action in row.items():
            if action >= 0:
                state.row[kind] = self._target(state.index, action)
            else:
                state.row[kind] = self._reduction(~action)
        for origin, action in goto.items():
            state.goto[origin] = self._target(state.index, action)

    def _target(self, below: int, index: int) -> State:
        """The state entered from ``below``, past states that only reduce a unit rule."""
        while True:
            only = set(self.rows[index].values())
            if len(only) != 1 or "$END" in self.rows[index]:
                return self.states[index]
            number = ~only.pop()
            if number < 0 or self._reduction(number)[1] is not IDENTITY:
                return self.states[index]
            index = self.gotos[below][self.rules[number][0]]

    def _reduction(self, number: int) -> Any:
        found = self.reducers[number]
        if found is None:
            rule = self.rules[number]
            callback = self.callbacks(rule[2])
            if getattr(callback, "takes_parts", False):
                found = (rule[1], callback, rule[0])
            else:
                found = (rule[1], make_reducer(rule, callback), rule[0])
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

    # -- the loop ----------------------------------------------------------------------------------

    def parse(self, text: str, start: str, context: Context, base: int = 0) -> Any:
        """Parse all of ``text``; raises Unexpected or Failed. ``base`` is its offset in the file."""
        words = self.words
        types = context.builtin_types
        end_state = self.states[self.ends[start]]
        state = self.states[self.starts[start]]
        self._fill(state)
        states: list[State] = [state]
        values: list[Any] = []
        at = 0
        size = len(text)
        value: Any
        later: tuple[str, Any] | None = None
        reduction: Any
        while True:
            row = state.row
            if at < size and text[at] in state.quick:
                begin = at
                kind = value = text[at]
                at += 1
            else:
                m = state.match(text, at)
                if m is None:
                    begin = lexer.skip(text, at)
                    raise Unexpected(self, states, values, None, begin, begin + 1)
                kind = m.lastgroup
                value = m[kind]  # type: ignore[index]
                at = m.end()
                begin = at - len(value)
                if kind == "SSA":
                    kind = "$SSA"
                elif kind == "PUNCT":
                    kind = value
                    if value == "<" and "$BODY" in row:
                        at = lexer.balanced(text, begin)
                        if at < 0:
                            raise Unexpected(self, states, values, "<", begin, begin + 1)
                        kind, value = "$BODY", BodyText(text[begin:at])
                        value.context, value.offset = context, base + begin
                    elif value == ">=" and value not in row:
                        at -= 1
                        kind = ">"
                elif kind == "WORD":
                    if value in words:
                        kind, full = words[value]
                        if value in row and self.takes([s.index for s in states], value):
                            kind = value
                        elif kind in row:  # behind `%a =`: the op begins at its name
                            values[-2] = base + begin
                            value = full
                        elif state.takes_op:
                            later = (kind, full)
                            kind, value = "$BOP", base + begin
                        else:
                            kind = "$WORD"
                    elif value in row:
                        kind = value
                    elif value in types and "$TYPE" in row:
                        kind, value = "$TYPE", types[value]
                    else:
                        kind, value, at = self._word(text, value, at, row, context, base)
                elif kind == "SHAPED":
                    kind, value = "$TYPE", context.type(value, base + begin)
                elif kind == "OPERANDS":
                    kind, value = "$OPERANDS", tuple(lexer.names_in(value))
                elif kind == "FUNCTION_TYPE":
                    kind, value = "$FUNCTION_TYPE", context.type(value, base + begin)
                elif kind == "PROPS":
                    value = dict(context.attr(value[1:-1], base + begin + 1).entries)
                    kind = "$PROPS"
                elif kind == "RESULTS":
                    kind, value = "$RESULTS", _results(value)
                    if kind not in row:
                        later = (kind, value)
                        kind, value = "$BOP", base + begin
                elif kind == "STRING":
                    kind, value, later = self._string(text, value, at, state, values, base)
                elif kind == "END":
                    kind = "$END"
                else:
                    kind, value, at = self._other(text, kind, value, at, row, context, base)
            # Reduce until the token can be shifted.
            while True:
                action = row.get(kind)  # type: ignore[arg-type]
                if action.__class__ is State:
                    state = action
                    values.append(value)
                    states.append(state)
                    if not state.filled:
                        self._fill(state)
                    reduction = state.always
                elif action is None:
                    if begin >= size:
                        kind = "$END"
                    raise Unexpected(self, states, values, kind, begin, at)
                else:
                    reduction = action
                    value_kept = value
                    value = None
                while reduction is not None:
                    length, reduce, origin = reduction
                    if length:
                        parts = values[-length:]
                        if reduce is not IDENTITY:
                            try:
                                result = reduce(parts)
                            except (SyntaxFailure, ValueError, KtError) as error:
                                raise self._failed(error, origin, states, values, parts, base, at) from None
                            if length == 1:
                                values[-1] = result
                            else:
                                del values[-length:]
                                values.append(result)
                        del states[-length:]
                    else:
                        values.append(reduce(()))
                    state = states[-1].goto[origin]
                    states.append(state)
                    if not state.filled:
                        self._fill(state)
                    reduction = state.always
                row = state.row
                if action.__class__ is not State:
                    value = value_kept
                    if state is end_state and kind == "$END":
                        return values[-1]
                elif later is None:
                    break
                else:
                    kind, value = later
                    later = None

    def _string(
        self, text: str, literal: str, at: int, state: State, values: list[Any], base: int
    ) -> tuple[str, Any, tuple[str, Any] | None]:
        """A string, or the quoted name that begins an op in generic form."""
        begin = base + at - len(literal)
        try:
            value = lexer.decode_string(literal)
        except ValueError as error:
            raise Failed(SyntaxFailure(str(error)), begin, base + at) from None
        if state.index in self.after_results:
            values[-2] = begin
        elif state.takes_op:
            # An op that may go on with a string takes it, as MLIR's parsers do.
            action = state.row.get("$STRING")
            shifts = action.__class__ is State
            if action is None or (not shifts and text[lexer.skip(text, at) :][:1] == "("):
                return "$BOP", begin, ("$STRING", value)
        return "$STRING", value, None

    def _word(
        self, text: str, word: str, at: int, row: dict[str, Any], context: Context, base: int
    ) -> tuple[str, Any, int]:
        """A word that is neither keyword nor operation: type, attribute or identifier."""
        if "$TYPE" in row and word[-1].isdigit():
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
        self, text: str, kind: str, value: str, at: int, row: dict[str, Any], context: Context, base: int
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
        self, error: Exception, origin: str, states: list[State], values: list[Any], parts: list[Any],
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
            if states[i].index in self.op_begins:
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
