"""Whole operations as one token: an accelerator for the plain texts of common forms.

``%a, %b : i32`` behind ``arith.addi`` takes one match of a regular expression that is made of the
rule's right-hand side: without dictionary, optional groups, comments or aliases inside. Whatever it
doesn't match, or its builder refuses, goes through the rule, which also words the errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from kt.ir.diagnostics import KtError
from kt.parse import context as contexts
from kt.parse.lexer import SSA_PATTERN
from kt.parse.pending import Pending, SyntaxFailure

Fuse = Callable[[str, int, str, Any, int], tuple[Pending, int] | None]
"""(text, where the op's name ends, its name, context, offset of the text) → the record, its end."""

_BLANK = r"[ \t\r\n]*+"
_TYPE = (
    r"(?:tensor|memref|vector)<[^<>\"/-]*+>|![A-Za-z_]\w*+\.[\w.$]++(?:<[^<>\"/-]*+>)?+"
    r"|[a-z]\w*+(?![.$])"
)
_SSAS = rf"{SSA_PATTERN}(?:{_BLANK},{_BLANK}{SSA_PATTERN})*+"
_TYPES = rf"(?:{_TYPE})(?:{_BLANK},{_BLANK}(?:{_TYPE}))*+"
_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|\w+')
# At the end of a line, or of its region; `,` or `<` would go on.
_END = rf"(?!<)(?=[ \t]*+(?:[\r\n]|\}}|\Z|loc\())(?!{_BLANK}[,<])"
_names = re.compile(SSA_PATTERN).findall
_types = re.compile(_TYPE).findall


class Unfused(Exception):
    """Go through the rule."""


def type_of(context: Any, text: str, offset: int) -> Any:
    """The type of a text that ``_TYPE`` matched."""
    found = contexts.plain_type(text)
    if found is None:
        found = context.type(text, offset) if text[-1] == ">" or text[0] == "!" else context.builtin_type(text)
        if found is None:
            raise Unfused
    return found


# Symbol of a rule → its pattern and what becomes of the match ``{g}``; texts of nothing have neither.
_FORMS = {
    "SSA": (SSA_PATTERN, "{g}"),
    "ssas": (_SSAS, "tuple(names({g}))"),
    "ssas0": (f"(?:{_SSAS})?", "tuple(names({g}))"),
    "type": (_TYPE, "(plain({g}) or type_of(context, {g}, offset))"),
    "types": (_TYPES, "tuple([plain(t) or type_of(context, t, offset) for t in types({g})])"),
}
_ABSENT = ("attr_dict", "attr_dict_kw")


def compile_fuse(body: str, keywords: dict[str, tuple[str, ...]], build: Any) -> Fuse | None:
    """The matcher of a rule's right-hand side; None if no plain text of it ends with a type.

    ``keywords``: rules that are one word of several; ``build`` makes the record from all symbols.
    """
    symbols = _SYMBOL.findall(body)
    if not symbols or symbols[-1] not in ("type", "types"):
        return None
    pattern, items = "", []
    for symbol in symbols:
        if symbol in _ABSENT or symbol.startswith("format_optional_"):
            items.append("None")
        elif symbol in _FORMS:
            form, value = _FORMS[symbol]
            pattern += f"{_BLANK}({form})"
            items.append(value)
        elif symbol in keywords:
            pattern += rf"{_BLANK}({'|'.join(keywords[symbol])})\b(?![.$])"
            items.append("({g},)")
        elif symbol[0] == '"':
            word = symbol[1:-1]
            pattern += _BLANK + re.escape(word) + (r"\b(?![.$])" if word[-1].isalnum() else "")
            items.append(repr(word))
        else:
            return None
    return _matcher(pattern + _END, items, build)


def _matcher(pattern: str, items: list[str], build: Any) -> Fuse:
    groups, values = [], []
    for item in items:
        if "{g}" in item:
            groups.append(f"g{len(groups)}")
            item = item.replace("{g}", groups[-1])
        values.append(item)
    source = f"""def fuse(text, at, name, context, offset):
    m = match(text, at)
    if m is None:
        return None
    {", ".join(groups)}, = m.groups()
    try:
        return build([name, {", ".join(values)}]), m.end()
    except refusals:
        return None"""
    scope: dict[str, Any] = {
        "match": re.compile(pattern).match, "build": build, "names": _names, "types": _types,
        "plain": contexts.plain_type, "type_of": type_of,
        "refusals": (Unfused, SyntaxFailure, KtError, ValueError, OverflowError),
    }  # fmt: skip
    exec(source, scope)
    return scope["fuse"]


def compile_constant(build: Any, number: Callable[[Any, Any], Any]) -> Fuse:
    """The matcher of ``arith.constant``'s numbers: ``number`` makes an attribute of one and a type."""
    pattern = rf"{_BLANK}(-?[0-9]{{1,18}}+(?![.\w])|-?[0-9]++\.[0-9]*+(?:[eE][-+]?[0-9]++)?)"
    match = re.compile(rf"{pattern}{_BLANK}:{_BLANK}({_TYPE}){_END}").match

    def fuse(text: str, at: int, name: str, context: Any, offset: int) -> tuple[Pending, int] | None:
        m = match(text, at)
        if m is None or m.end() - at > 100:
            return None
        key = m[0]
        value = context.constants.get(key)
        try:
            if value is None:
                digits, type = m[1], type_of(context, m[2], offset)
                value = number(digits if "." in digits else int(digits), type)
                context.constants[key] = value
            return build([name, None, value]), m.end()
        except (Unfused, SyntaxFailure, KtError, ValueError, OverflowError):
            return None

    return fuse
