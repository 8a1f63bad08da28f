"""What the next token is: the parser's state decides between keyword, name, type and operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kt.parse import lexer
from kt.parse.pending import SyntaxFailure
from kt.parse.syntax_api import BodyText

if TYPE_CHECKING:
    from kt.parse.context import Context
    from kt.parse.driver import Language, State

MAX_DIGITS = 4000
"""Of a number: the cost of reading one grows with the square."""
_MAX_COUNT_DIGITS = 6
_NUMBERS = frozenset(("INT", "HEX", "FLOAT", "DIM", "SCALABLE_DIM"))
_SHAPED = frozenset(("tensor", "memref", "vector", "complex", "tuple"))
_BALANCED_ATTRS = frozenset(("affine_map", "affine_set", "array", "strided", "dense_resource"))

Token = tuple[Any, Any, int, int, Any]
"""Kind, value, begin, end, and the token that stands behind a zero-width BOP."""


def next_token(
    language: Language, text: str, at: int, state: State, states: list[State], values: list[Any],
    context: Context, base: int,
) -> Token:  # fmt: skip
    """The token at ``at`` that fits the state; one that doesn't fit is returned as it looks."""
    row = state.row
    m = state.match(text, at)
    if m is None:
        begin = lexer.skip(text, at)
        return None, text[begin : begin + 1], begin, begin + 1, None
    kind: Any = m.lastgroup
    value: Any = m[kind]
    at = m.end()
    begin = at - len(value)
    if kind == "PUNCT":
        if value == "<" and "$BODY" in row:
            return *_body_token(text, begin, context, base), None
        if value == ">=" and value not in row:
            return ">", ">", begin, at - 1, None
        return value, value, begin, at, None
    if kind == "SSA":
        return "$SSA", value, begin, at, None
    if kind == "WORD":
        if value in language.words:
            return _operation(language, text, value, begin, at, state, states, values, context, base)
        if value in row:
            return value, value, begin, at, None
        if "$TYPE" in row:
            try:
                found = context.builtin_type(value)
            except SyntaxFailure as error:
                raise _refusal(error.message, base + begin, base + at, error.hint) from None
            if found is not None:
                return "$TYPE", found, begin, at, None
        begins = state.takes_op or state.index in language.after_results
        if begins and "." in value and language.adopt(value):
            return _operation(language, text, value, begin, at, state, states, values, context, base)
        return *_word(text, value, begin, at, row, context, base), None
    if kind == "SHAPED":
        return "$TYPE", context.type(value, base + begin), begin, at, None
    if kind == "RESULTS":
        names = _results(value, base + begin, base + at)
        if "$RESULTS" in row:
            return "$RESULTS", names, begin, at, None
        return "$BOP", base + begin, begin, at, ("$RESULTS", names)
    if kind == "STRING":
        return _string(language, text, value, begin, at, state, values, base)
    if kind == "END":
        return "$END", value, begin, at, None
    return *_other(language, text, kind, value, begin, at, row, context, base), None


def _operation(
    language: Language, text: str, word: str, begin: int, at: int, state: State, states: list[State],
    values: list[Any], context: Context, base: int,
) -> Token:  # fmt: skip
    """A word that names an operation, perhaps without its dialect: that, a keyword or a plain word."""
    row = state.row
    kind, full = language.words[word]
    if word in row and language.takes([s.index for s in states], word):
        return word, word, begin, at, None
    behind = kind in row
    if not behind and not state.takes_op:
        return "$WORD", word, begin, at, None
    token = (kind, full)
    fuse = language.fuse(kind)
    if fuse is not None:
        whole = fuse(text, at, full, context, base + at)
        if whole is not None:
            token, at = ("$WHOLE", whole[0]), whole[1]
    if behind:  # `%a =`: the op begins at its name, not at its results
        values[-2] = base + begin
        return token[0], token[1], begin, at, None
    return "$BOP", base + begin, begin, at, token


def _body_token(text: str, begin: int, context: Context, base: int) -> tuple[str, Any, int, int]:
    """An elided type: ``<…>`` as a whole."""
    at = closing(text, begin, base)
    value = BodyText(text[begin:at])
    value.context, value.offset = context, base + begin
    return "$BODY", value, begin, at


def _string(
    language: Language, text: str, literal: str, begin: int, at: int, state: State,
    values: list[Any], base: int,
) -> Token:  # fmt: skip
    """A string, or the quoted name that begins an op in generic form."""
    try:
        value = lexer.decode_string(literal)
    except ValueError as error:
        raise _refusal(str(error), base + begin, base + at) from None
    if state.index in language.after_results:
        values[-2] = base + begin
    elif state.takes_op:
        # An op that may go on with a string takes it, as MLIR's parsers do.
        action = state.row.get("$STRING")
        shifts = hasattr(action, "row")
        if action is None or (not shifts and text[lexer.skip(text, at) :][:1] == "("):
            return "$BOP", base + begin, begin, at, ("$STRING", value)
    return "$STRING", value, begin, at, None


def _word(
    text: str, word: str, begin: int, at: int, row: dict[str, Any], context: Context, base: int
) -> tuple[str, Any, int, int]:
    """A word that is neither keyword nor operation nor builtin type."""
    follows = lexer.skip(text, at)
    if text[follows : follows + 1] == "<":
        if word in _SHAPED and "$TYPE" in row:
            end = closing(text, follows, base)
            return "$TYPE", context.type(text[begin:end], base + begin), begin, end
        if word in ("dense", "sparse") and "$DENSE" in row:
            end = closing(text, follows, base)
            return "$DENSE", (text[begin:end], base + begin), begin, end
        if word in _BALANCED_ATTRS and "$ATTR" in row:
            end = closing(text, follows, base)
            if word == "dense_resource":
                end = lexer.resource_end(text, end)
            return "$ATTR", context.attr(text[begin:end], base + begin), begin, end
    return "$WORD", word, begin, at


def closing(text: str, at: int, base: int) -> int:
    """End of the ``<…>`` at ``at``; refuses one that is never closed."""
    end = lexer.balanced(text, at)
    if end < 0:
        hint = None
        if text[:at].rstrip().endswith("affine_set"):
            hint = "affine constraints are written with '>=', '<=' or '=='"
        raise _refusal("'<' is never closed", base + at, base + at + 1, hint)
    return end


def _refusal(message: str, begin: int, end: int, hint: str | None = None) -> Exception:
    from kt.parse.driver import Failed

    return Failed(SyntaxFailure(message, hint), begin, end)


def _other(
    language: Language, text: str, kind: str, value: str, begin: int, at: int,
    row: dict[str, Any], context: Context, base: int,
) -> tuple[str, Any, int, int]:  # fmt: skip
    """Fused tokens, and those that are rarer than names, words and punctuation."""
    if kind == "OPERANDS":
        return "$OPERANDS", tuple(lexer.names_in(value)), begin, at
    if kind == "FUNCTION_TYPE":
        return "$FUNCTION_TYPE", context.type(value, base + begin), begin, at
    if kind == "PROPS":
        found: Any = context.attr(value[1:-1], base + begin + 1)
        return "$PROPS", dict(found.entries), begin, at
    if kind in ("HASH", "BANG"):
        return _dialect_name(language, text, kind, value, begin, at, row, context, base)
    if kind == "SYMBOL":
        name = value[1:]
        return "$SYMBOL", lexer.decode_string(name) if name[0] == '"' else name, begin, at
    if at - begin > MAX_DIGITS and kind in _NUMBERS:
        raise _refusal(f"a number of {at - begin} digits; {MAX_DIGITS} are read", base + begin, base + at)
    return f"${kind}", value, begin, at


def _dialect_name(
    language: Language, text: str, kind: str, value: str, begin: int, at: int,
    row: dict[str, Any], context: Context, base: int,
) -> tuple[str, Any, int, int]:  # fmt: skip
    """``#name`` and ``!name``: an alias, a name with a rule of its own, or a whole attribute (type)."""
    own = language.names.get(value)
    if own is not None and own in row:
        return own, value, begin, at
    end = closing(text, at, base) if text[at : at + 1] == "<" else at
    alias = end == at and "." not in value
    if kind == "HASH":
        if alias:
            return "$ALIAS", context.alias(value, base + begin), begin, at
        return "$ATTR", context.attr(text[begin:end], base + begin), begin, end
    if alias:
        return "$TYPE_ALIAS", context.alias(value, base + begin), begin, at
    return "$TYPE", context.type(text[begin:end], base + begin), begin, end


def _results(text: str, begin: int, end: int) -> Any:
    """``%a =`` → "%a"; ``%a:2, %b =`` → [("%a", 2), ("%b", 1)]."""
    text = text[:-1].rstrip()
    if "," not in text and ":" not in text:
        return text
    found = []
    for part in text.split(","):
        name, _, count = part.strip().partition(":")
        if len(count) > _MAX_COUNT_DIGITS:
            raise _refusal(f"an operation has no more than {10**_MAX_COUNT_DIGITS - 1} results", begin, end)
        found.append((name, int(count or 1)))
    return found
