"""Lexing and LALR parsing in one loop, on tables that Lark built.

``Language`` is a loaded grammar: action rows, reducers made on first use, and the tables that tell
words apart (operation names, names of dialect types and attributes).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kt.ir.diagnostics import KtError
from kt.parse import lexer
from kt.parse.pending import SyntaxFailure, as_failure
from kt.parse.tables import IDENTITY, Row, make_reducer
from kt.parse.tokens import next_token

if TYPE_CHECKING:
    from kt.parse.context import Context

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
    """A callback refused; ``offset`` is where the op begins, ``end`` where reading had come to.

    ``whole``: it is about all of that text (a type or attribute), not just an op that begins there.
    """

    def __init__(self, failure: SyntaxFailure, offset: int, end: int, whole: bool = True) -> None:
        super().__init__(failure.message)
        self.whole = whole
        self.failure = failure
        self.offset = offset
        self.end = end


def _nothing(text: str, at: int) -> None:
    """Stands for the matcher of a state that isn't filled in."""


UNFILLED: Any = (-1, None, "")
"""Stands for the reduction of a state whose rows aren't made yet."""


class State:
    """A parser state, filled in when it is first entered.

    ``row`` maps a token kind to the State to go to (shift), to a reduction, or to a Chain; ``goto``
    maps the origin of a reduced rule to the next State. ``always`` is the reduction of a state that
    can do nothing else, whatever the next token is.
    """

    __slots__ = ("always", "goto", "index", "match", "quick", "row", "takes_op")

    def __init__(self, index: int) -> None:
        self.index = index
        self.row: dict[str, Any] = {}
        self.goto: dict[str, State] = {}
        self.always: Any = UNFILLED
        self.match: lexer.Match = _nothing
        self.takes_op = False
        self.quick = ",()[]"


Reduction = tuple[int, Callable[[Any], Any], str]
"""Number of values, function of them, origin of the rule."""


class Chain:
    """What a token does behind reductions of nothing: all of those at once, then ``last``."""

    __slots__ = ("fresh", "last", "states", "values")

    def __init__(self, values: list[Any], states: list[State], last: Any) -> None:
        self.fresh = True  # its states may not be filled in yet
        self.values = values
        self.states = states
        self.last = last


NOTHING = object()


def _is_constant(value: Any) -> bool:
    """Whether the value of an empty rule may stand in several places."""
    if isinstance(value, tuple):
        return all(_is_constant(v) for v in value)
    return value is None or isinstance(value, (bool, int, str))


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
        self.adopt: Callable[[str], bool] = lambda name: False
        """Makes an operation declared later a known word, if it can."""
        self.fuse: Callable[[str], Any] = lambda kind: None
        """Matches all of an operation in its plainest form (see kt.parse.fused), by syntax class."""
        self.names = names
        """``!dialect.type`` and ``#dialect.attr`` with a rule of their own → kind."""
        self.states: list[State] = [State(i) for i in range(len(self.rows))]
        self.reducers: list[Any] = [None] * len(self.rules)
        self.after_results = frozenset(row["$RESULTS"] for row in self.rows if "$RESULTS" in row)
        self.op_begins = frozenset(row["$BOP"] for row in self.rows if row.get("$BOP", -1) >= 0)

    # -- tables, filled in lazily ------------------------------------------------------------------

    def _fill(self, state: State) -> None:
        """Make the rows of a state on first entry. Unit rules are stepped over in its targets."""
        row, goto = self.rows[state.index], self.gotos[state.index]
        only = self._only(row)
        state.always = None if only is None else self._reduction(only)
        # The grammar of attributes knows `tensor<…>` as a rule, that of operations as one token.
        whole = "$TYPE" if "tensor" in row else ""
        specials = tuple(k for k in lexer.SPECIAL_KINDS if k in row and k != whole)
        state.match = lexer.matcher(specials)
        state.takes_op = "$BOP" in row
        if not lexer.BRACKET_KINDS.isdisjoint(specials):
            state.quick = ",)]"
        for kind, action in row.items():
            state.row[kind] = self._action(state, kind, action)
        for origin, action in goto.items():
            state.goto[origin] = self._target(state.index, action)

    def _fill_all(self, chain: Chain) -> None:
        chain.fresh = False
        for state in chain.states:
            if state.always is UNFILLED:
                self._fill(state)

    def _action(self, state: State, kind: str, action: int) -> Any:
        """What a token does, with the reductions of nothing before that put together."""
        values: list[Any] = []
        states: list[State] = []
        last: Any = None
        while True:
            if action >= 0:
                last = self._target(state.index, action)
                break
            last = length, reduce, origin = self._reduction(~action)
            value = NOTHING if length else reduce(())
            if length or origin in self.starts or not _is_constant(value):
                break
            values.append(value)
            state = self._target(state.index, self.gotos[state.index][origin])
            states.append(state)
            following = self.rows[state.index].get(kind)
            if following is None:
                last = None
                break
            action = following
        return Chain(values, states, last) if values else last

    def _target(self, below: int, index: int) -> State:
        """The state entered from ``below``, past states that only reduce a unit rule."""
        while True:
            number = self._only(self.rows[index])
            if number is None or self._reduction(number)[1] is not IDENTITY:
                return self.states[index]
            index = self.gotos[below][self.rules[number][0]]

    def _only(self, row: Row) -> int | None:
        """The rule of a row that can do nothing but reduce by it; a start rule waits for the end."""
        found = set(row.values())
        number = ~found.pop() if len(found) == 1 else -1
        return number if number >= 0 and self.rules[number][0] not in self.starts else None

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
        states, values = self.begin(start)
        return self.run(text, start, context, states, values, 0, base)

    def begin(self, start: str) -> tuple[list[State], list[Any]]:
        """The stacks to begin with."""
        state = self.states[self.starts[start]]
        if state.always is UNFILLED:
            self._fill(state)
        return [state], []

    def run(
        self, text: str, start: str, context: Context, states: list[State], values: list[Any],
        at: int, base: int,
    ) -> Any:  # fmt: skip
        """Parse from ``at`` with these stacks, which are left as they are when an error is raised."""
        end_state = self.states[self.ends[start]]
        state: Any = states[-1]
        size = len(text)
        row = state.row
        kind: Any
        value: Any
        later: tuple[str, Any] | None = None
        reduction: Any
        while True:
            if at < size and text[at] in state.quick:
                begin = at
                kind = value = text[at]
                at += 1
            else:
                kind, value, begin, at, later = next_token(
                    self, text, at, state, states, values, context, base
                )
            # Reduce until the token can be shifted.
            while True:
                action = row.get(kind)
                if action.__class__ is Chain:
                    if action.fresh:
                        self._fill_all(action)
                    values += action.values
                    states += action.states
                    action = action.last
                shift = action.__class__ is State
                if shift:
                    state = action
                    values.append(value)
                    states.append(state)
                    reduction = state.always
                elif action is None:
                    raise Unexpected(self, states, values, kind, begin, at)
                else:
                    reduction = action
                while reduction is not None:
                    length, reduce, origin = reduction
                    if length > 0:
                        if reduce is not IDENTITY:
                            parts = values[-length:]
                            try:
                                result = reduce(parts)
                            except (SyntaxFailure, ValueError, OverflowError, KtError) as error:
                                stop = base + (at if shift else begin)
                                first = _line(text, stop) if start == "file" else base
                                raise self._failed(error, origin, states, values, parts, first, stop) from None
                            values[-length:] = (result,)
                        del states[-length:]
                    elif length:
                        self._fill(state)
                        reduction = state.always
                        continue
                    else:
                        values.append(reduce(()))
                    state = states[-1].goto[origin]
                    states.append(state)
                    reduction = state.always
                row = state.row
                if not shift:
                    if state is end_state and kind == "$END":
                        return values[-1]
                elif later is None:
                    break
                else:
                    kind, value = later
                    later = None

    def _failed(
        self, error: Exception, origin: str, states: list[State], values: list[Any], parts: list[Any],
        first: int, stop: int,
    ) -> Failed:  # fmt: skip
        """Find the op that a failing callback belongs to: the innermost BOP on the stack, else ``first``."""
        failure = error if isinstance(error, SyntaxFailure) else as_failure(error)
        if origin == "op_body":
            failure.message = f"custom op '{parts[0]}' {failure.message}"
        if origin == "op":
            return Failed(failure, parts[0], stop, False)
        for i in range(len(states) - 1, 0, -1):
            if states[i].index in self.op_begins:
                return Failed(failure, values[i - 1], stop, False)
        return Failed(failure, first, stop)


def _line(text: str, stop: int) -> int:
    """Where the line begins that ends at ``stop``: for a place outside of all operations (an alias)."""
    read = text[:stop].rstrip()
    line = read.rfind("\n") + 1
    return line + len(read[line:]) - len(read[line:].lstrip())
