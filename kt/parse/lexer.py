"""Token patterns. One compiled regex for each set of special tokens that a parser state may take.

A match skips white space and comments first. Words, punctuation and literals are told apart by
group; whether a word is a keyword, a type, an operation or a plain identifier depends on the
parser's state and is decided by the driver.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

_SKIP = r"[ \t\r\n]*+(?://[^\n\r]*+[ \t\r\n]*+)*+"
_ID = r"[A-Za-z$._-][\w$.-]*"
_SSA = rf"%(?:[0-9]+|{_ID})"
_STRING = r'"(?:[^"\\\n]|\\.)*+"'

_BASE = (
    ("SSA", rf"{_SSA}(?:#[0-9]+)?"),
    ("WORD", r"[A-Za-z_][\w$.]*"),
    ("PUNCT", r"->|::|==|>=|<=|\.\.\.|[,:(){}\[\]=<>+*?|-]"),
    ("HEX", r"0x[0-9a-fA-F]+"),
    ("FLOAT", r"[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?"),
    ("INT", r"[0-9]+"),
    ("STRING", _STRING),
    ("HASH", r"#(?:[0-9]+|[A-Za-z$._-][\w$.-]*)"),
    ("SYMBOL", rf"@(?:[A-Za-z_][\w$.]*|{_STRING})"),
    ("BANG", r"!(?:[0-9]+|[A-Za-z_][\w$.-]*)"),
    ("CARET", r"\^(?:[0-9]+|[A-Za-z$._-][\w$.-]*)"),
    ("RESOURCES", r"\{-#(?s:.)*?#-\}"),
    ("END", r"\Z"),
)
_SPECIAL = {
    "$BOP": ("RESULTS", rf"{_SSA}(?::[0-9]+)?(?:\s*,\s*{_SSA}(?::[0-9]+)?)*+\s*=(?!=)"),
    "$RESULTS": ("RESULTS", rf"{_SSA}(?::[0-9]+)?(?:\s*,\s*{_SSA}(?::[0-9]+)?)*+\s*=(?!=)"),
    "$TYPE": ("SHAPED", r"(?:tensor|memref|vector|complex|tuple)<[^<>\"/-]*+>"),
    # Fused tokens: texts that repeat, with a complete rule beside each for what they don't match.
    "$FUNCTION_TYPE": (
        "FUNCTION_TYPE",
        r"\((?:[^()<>{}\"%#-]|<[^<>()\"-]*+>)*+\)\s*->\s*"
        r"(?:\((?:[^()<>{}\"%#-]|<[^<>()\"-]*+>)*+\)|[A-Za-z_!][\w.$]*+(?:<[^<>()\"-]*+>)?+(?!\s*<))",
    ),
    "$OPERANDS": ("OPERANDS", rf"\((?:\s*{_SSA}(?:#[0-9]+)?(?:\s*,\s*{_SSA}(?:#[0-9]+)?)*+)?\s*\)"),
    "$PROPS": ("PROPS", r"<\{[^{}<>\"/]*+(?:<[^<>\"/-]*+>[^{}<>\"/]*+)*+\}>"),
    "$DIM": ("DIM", r"(?:\?|[0-9]+)\s*x"),
    "$SCALABLE_DIM": ("SCALABLE_DIM", r"\[\s*[0-9]+\s*\]\s*x"),
    "$ANY_SHAPE": ("ANY_SHAPE", r"\*\s*x"),
    "$RESOURCES": ("RESOURCES", r"\{-#(?s:.)*?#-\}"),
}
SPECIAL_KINDS = tuple(_SPECIAL)
BRACKET_KINDS = frozenset(("$FUNCTION_TYPE", "$OPERANDS", "$SCALABLE_DIM"))
"""Special tokens that begin with a bracket: states that take them can't split brackets off unseen."""
SSA_PATTERN = rf"{_SSA}(?:#[0-9]+)?"
names_in = re.compile(SSA_PATTERN).findall

Match = Callable[[str, int], re.Match[str] | None]


@cache
def matcher(specials: tuple[str, ...]) -> Match:
    """The ``match`` function of a state that takes these special tokens."""
    first = dict(_SPECIAL[kind] for kind in specials)
    groups = [*first.items(), *((k, p) for k, p in _BASE if k not in first)]
    body = "|".join(f"(?P<{name}>{pattern})" for name, pattern in groups)
    return re.compile(f"{_SKIP}(?:{body})").match


# A balanced body: `>=` and `<=` are comparisons inside parentheses only (`#d.map<#d.a<x>= 1>`).
_ATOM = r'[^<>()"\-/]++|->?|/(?!/)|//[^\n\r]*+|"(?:[^"\\]|\\.)*+"'
_ANGLES = rf"<(?:{_ATOM})*+>"
_PARENS = rf"\((?:>=|<=|{_ATOM})*+\)"
for _ in range(3):
    _ANGLES, _PARENS = (
        rf"<(?:{_ATOM}|{_PARENS}|{_ANGLES})*+>",
        rf"\((?:>=|<=|{_ATOM}|{_PARENS}|{_ANGLES})*+\)",
    )
_BODY = re.compile(_ANGLES)
_NUMBERS = re.compile(r"<[\[\]0-9eE+.,\s-]*+(?<!-)>")
"""A body of plain numbers, which may be a million of them."""
_DEEP = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n\r]*|->|[<>()]')


def balanced(text: str, at: int) -> int:
    """End of the ``<…>`` that begins at ``at``; -1 if it isn't closed."""
    found = _NUMBERS.match(text, at) or _BODY.match(text, at)
    if found is not None:
        return found.end()
    open_brackets: list[str] = []
    for token in _DEEP.finditer(text, at):
        bracket = token[0]
        if bracket in "(<":
            if not (bracket == "<" and open_brackets[-1:] == ["("] and text.startswith("=", token.end())):
                open_brackets.append(bracket)
        elif bracket == ")":
            if open_brackets.pop() != "(":
                return -1
        elif bracket == ">" and open_brackets[-1] == "<":
            open_brackets.pop()
            if not open_brackets:
                return token.end()
    return -1


_skip = re.compile(_SKIP).match


def skip(text: str, at: int) -> int:
    """Offset of the next token."""
    found = _skip(text, at)
    return found.end() if found else at


_ESCAPE = re.compile(r"\\(?:([nt\\\"])|([0-9a-fA-F]{2}))|\\")
_PLAIN = {"n": b"\n", "t": b"\t", "\\": b"\\", '"': b'"'}


def decode_string(literal: str) -> str:
    """The text of a quoted string; bytes that aren't UTF-8 become surrogate escapes."""
    body = literal[1:-1]
    if "\\" not in body:
        return body
    raw = bytearray()
    at = 0
    for m in _ESCAPE.finditer(body):
        raw += body[at : m.start()].encode("utf-8", "surrogateescape")
        if m[1]:
            raw += _PLAIN[m[1]]
        elif m[2]:
            raw.append(int(m[2], 16))
        else:
            raise ValueError("unknown escape in string literal")
        at = m.end()
    raw += body[at:].encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


_RESOURCE_TYPE = re.compile(rf"{_SKIP}:{_SKIP}(?:tensor|vector)\s*(?=<)")


def resource_end(text: str, at: int) -> int:
    """End of ``dense_resource<key>`` with its type, which belongs to it."""
    found = _RESOURCE_TYPE.match(text, at)
    if found is None:
        return at
    end = balanced(text, found.end())
    return end if end > 0 else at
