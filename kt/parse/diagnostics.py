"""Parse errors in words: what was expected, what stands there, and the nearest known name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from kt.ir import registry
from kt.ir.diagnostics import FileLoc, ParseError, Source
from kt.parse.driver import Language, Unexpected

_WORDS = {
    "$SSA": "an SSA value", "$WORD": "an identifier", "$STRING": "a string", "$INT": "an integer",
    "$HEX": None, "$FLOAT": "a number", "$SYMBOL": "a symbol name", "$CARET": "a block name",
    "$TYPE": "a type", "$TYPE_ALIAS": None, "$ATTR": "an attribute", "$ALIAS": None, "$DENSE": None,
    "$DIM": "a dimension", "$SCALABLE_DIM": None, "$ANY_SHAPE": None, "$BODY": "'<'",
    "$NEVER": None, "$WHOLE": None, "$FUNCTION_TYPE": None, "$OPERANDS": "'('", "$PROPS": None,
    "$BOP": "an operation", "$RESULTS": None, "$RESOURCES": None, "$END": "the end of the input",
}  # fmt: skip
_MANY = 8


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """A hint that names the most similar known name."""
    found = difflib.get_close_matches(name, list(known), 1, cutoff)
    return f"did you mean '{found[0]}'?" if found else None


def _words(language: Language, states: list[int]) -> list[str]:
    """What the parser would take, exactly, in words; types and operations as one item each."""
    found: list[str] = []
    row = language.rows[states[-1]]
    kinds = [kind for kind in row if language.takes(states, kind)]
    hidden: set[str] = set()
    if "$TYPE" in kinds or any(k in kinds for k in ("tensor", "memref")):
        hidden |= {"tensor", "memref", "vector", "complex", "tuple", "("}
        hidden |= {k for k in kinds if k.startswith("$DIALECT")}
        found.append("a type")
    if "$ATTR" in kinds or "$DENSE" in kinds:
        hidden |= {"true", "false", "unit", "[", "{", "@", "-", "loc", "affine_map", "affine_set",
                   "strided", "dense_resource", "distinct", "$INT", "$FLOAT", "$STRING", "$SYMBOL", "("}  # fmt: skip
        hidden |= {k for k in kinds if k.startswith("$DIALECT")}
        found = ["an attribute"]
        hidden.add("$TYPE")
    if any(k.startswith("$OP_") for k in kinds):
        found.append("an operation")
    if "$INT" in kinds:
        hidden.add("-")
    for kind in sorted(kinds, key=lambda k: (k.startswith("$"), k)):
        if kind in hidden or kind.startswith("$OP_"):
            continue
        word = _WORDS.get(kind, f"'{kind}'") if kind.startswith("$") else f"'{kind}'"
        if word and word not in found:
            found.append(word)
    return found


def _list(words: list[str]) -> str:
    if len(words) > _MANY:
        words = [*words[:_MANY], "…"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def as_parse_error(error: Unexpected, source: Source, base: int = 0) -> ParseError:
    """The ParseError of text that the grammar doesn't take; ``base`` is where the text begins."""
    language, states = error.language, error.states
    text = source.text
    start, end = base + error.start, base + error.end
    got = text[start:end]
    op = _open_op(error)
    location = FileLoc(source, start, max(1, end - start))
    if error.kind is None and got in "\"'`":
        return ParseError("expected '\"' at the end of the string" if got == '"' else
                          f"unexpected character {got!r}", location)  # fmt: skip
    if error.kind == "$WORD" and _at_op(language, states):
        return _unknown_op(got, location)
    words = _words(language, states)
    where = f" in '{op}'" if op else ""
    if error.kind == "$END":
        got_text = "the end of the input"
        location = FileLoc(source, _last_token(text), 1)
    else:
        got_text = f"'{got}'" if error.kind is not None else f"the character {got!r}"
        previous = text[:start].rstrip()
        on_later_line = text.count("\n", len(previous), start) > 0
        inside = not _at_op(language, states)
        if previous and len(previous) > base and inside and (on_later_line or _is_name(error.kind)):
            # Something is missing: point behind the last good token, as MLIR does.
            location = FileLoc(source, _behind(text, len(previous), start), 1)
    expected = f"expected {_list(words)}" if words else "unexpected text"
    notes = _open_brackets(error, source, base) if error.kind == "$END" else ()
    return ParseError(f"{expected}, got {got_text}{where}", location, notes=notes)


def _is_name(kind: str | None) -> bool:
    return kind in ("$SSA", "$WORD", "$STRING", "$BOP", "$CARET")


def _behind(text: str, end: int, start: int) -> int:
    """Behind the last good token if only white space follows, else (a comment) at the next one."""
    return end if not text[end:start].strip() and "//" not in text[text.rfind("\n", 0, end) + 1 : end] else start


def _at_op(language: Language, states: list[int]) -> bool:
    row = language.rows[states[-1]]
    return any(k == "$BOP" or k.startswith("$OP_") for k in row)


def _unknown_op(name: str, location: FileLoc) -> ParseError:
    dialect, dot, _ = name.partition(".")
    registry.load_all()
    known = [n for n in registry.OPS if "." in n]
    generic = f'an operation without a custom form is written as "{name}"(…)'
    if not dot:
        known += [n.partition(".")[2] for n in registry.OPS]
    elif name in registry.OPS:
        return ParseError(f"operation '{name}' has no custom form", location, hint=generic)
    elif dialect in registry.dialect_names():
        known = [n for n in registry.OPS if n.startswith(f"{dialect}.")]
    hint = nearest(name, known, 0.6 if not dot or dialect in registry.dialect_names() else 0.8)
    return ParseError(f"custom op '{name}' is unknown", location, hint=hint or generic)


def _last_token(text: str) -> int:
    return max(0, len(text.rstrip()) - 1) + 1 if text.strip() else 0


def _open_op(error: Unexpected) -> str | None:
    """Name of the innermost op that has begun and isn't complete."""
    for i in range(len(error.states) - 1, 0, -1):
        if error.states[i] in error.language.op_begins:
            for value in error.values[i : i + 2]:
                if isinstance(value, str) and value in error.language.words:
                    return value
            return None
    return None


def _open_brackets(error: Unexpected, source: Source, base: int) -> tuple[Any, ...]:
    """Notes for brackets that are still open at the end of the input."""
    from kt.ir.diagnostics import Note
    from kt.parse import lexer

    open_at: list[tuple[str, int]] = []
    at = base
    match = lexer.matcher(())
    while at < len(source.text):
        m = match(source.text, at)
        if m is None or m.lastgroup == "END":
            break
        at = m.end()
        token = m[m.lastgroup or 0]
        if m.lastgroup == "PUNCT":
            if token in ("{", "(", "["):
                open_at.append((token, at - 1))
            elif token in ("}", ")", "]") and open_at:
                open_at.pop()
    if not open_at:
        return ()
    bracket, where = open_at[-1]
    return (Note(f"'{bracket}' opened here", FileLoc(source, where, 1)),)
