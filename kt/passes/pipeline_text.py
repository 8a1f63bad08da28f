"""Pipelines as text: ``builtin.module(canonicalize, func.func(cse), some-pass{n=4 on=true})``.

Also mlir-opt's flags: ``--canonicalize``, ``--some-pass="n=4 on=true"``.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import NOTHING, fields, frozen

from kt.ir.diagnostics import PassError
from kt.passes.base import Pass
from kt.passes.registry import lookup_pass


@frozen
class Nested:
    """Passes that run on every op called ``anchor`` directly inside the current one."""

    anchor: str
    items: tuple[Pass | Nested, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.items))})"


Item = Pass | Nested
_TOKEN = re.compile(r"\s*([A-Za-z_][\w.-]*|[(),{]|$)")
_OPTION = re.compile(r"""\s*([\w-]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*\}|[^\s{}"']+))?""")


def parse_pipeline(text: str) -> tuple[Item, ...]:
    """Passes of a pipeline text; an outer ``builtin.module(…)`` or ``any(…)`` may be left out."""
    parser = _Parser(text)
    items = parser.items()
    if parser.peek() != "":
        raise parser.error("expected ',' or the end")
    if (
        len(items) == 1
        and isinstance(items[0], Nested)
        and items[0].anchor in ("builtin.module", "any")
    ):
        return items[0].items
    return items


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def error(self, message: str) -> PassError:
        at = len(self.text) - len(self.text[self.at :].lstrip())
        return PassError(
            f"in pipeline at character {at + 1}: {message}",
            hint="a pipeline looks like 'builtin.module(canonicalize,some-pass{option=1})'",
        )

    def peek(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        return match[1] if match is not None else self.text[self.at]

    def take(self) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise self.error(f"unexpected '{self.text[self.at :].lstrip()[:1]}'")
        self.at = match.end()
        return match[1]

    def items(self) -> tuple[Item, ...]:
        if self.peek() in ("", ")"):
            return ()
        found = [self.item()]
        while self.peek() == ",":
            self.take()
            found.append(self.item())
        return tuple(found)

    def item(self) -> Item:
        name = self.peek()
        if not name[:1].isalpha():
            raise self.error("expected the name of a pass")
        self.take()
        if self.peek() == "(":
            self.take()
            inner = self.items()
            if self.peek() != ")":
                raise self.error("expected ')'")
            self.take()
            return Nested(name, inner)
        options = ""
        if self.peek() == "{":
            self.take()
            options = self.braces()
        return make_pass(name, options)

    def braces(self) -> str:
        """Text up to the closing brace."""
        depth, start = 1, self.at
        while self.at < len(self.text):
            depth += {"{": 1, "}": -1}.get(self.text[self.at], 0)
            self.at += 1
            if depth == 0:
                return self.text[start : self.at - 1]
        raise self.error("expected '}'")


def make_pass(name: str, options: str = "") -> Pass:
    """A pass by name, with options as text: ``n=4 on=true sizes=1,2``."""
    cls = lookup_pass(name)
    hints = typing.get_type_hints(cls)
    known = {f.name.replace("_", "-"): f for f in fields(cls)}
    given: dict[str, Any] = {}
    at = 0
    while options[at:].strip():
        match = _OPTION.match(options, at)
        if match is None:
            raise PassError(f"options of pass '{name}': can't read '{options[at:].strip()}'")
        at = match.end()
        key = match[1].replace("_", "-")
        if key not in known:
            words = ", ".join(known) or "none"
            raise PassError(f"pass '{name}' has no option '{match[1]}'", hint=f"options: {words}")
        f = known[key]
        given[f.name] = _option_value(name, key, match[2], hints[f.name])
    missing = [k for k, f in known.items() if f.default is NOTHING and f.name not in given]
    if missing:
        raise PassError(f"pass '{name}' needs option '{missing[0]}'")
    return cls(**given)


def _option_value(name: str, key: str, text: str | None, kind: Any) -> Any:
    """The value of an option from its text and the type of its field."""
    kinds = [k for k in _alternatives(kind) if k is not type(None)]
    if text is None:
        text = "true"
    elif text[0] in "\"'{":
        text = text[1:-1]
    for option in kinds:
        try:
            return _convert(text, option)
        except ValueError:
            continue
    words = " or ".join(_words(k) for k in kinds)
    raise PassError(f"option '{key}' of pass '{name}' needs {words}, but got '{text}'")


def _alternatives(kind: Any) -> Sequence[Any]:
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return typing.get_args(kind)
    return (kind,)


def _words(kind: Any) -> str:
    if typing.get_origin(kind) is tuple:
        return f"a list of {_words(typing.get_args(kind)[0])} values"
    names = {int: "an integer", bool: "true or false", float: "a number", str: "a word"}
    return names.get(kind, str(kind))


def _convert(text: str, kind: Any) -> Any:
    if typing.get_origin(kind) in (tuple, list):
        inner = typing.get_args(kind)[0]
        return tuple(_convert(part.strip(), inner) for part in text.split(",") if part.strip())
    if typing.get_origin(kind) is typing.Literal:
        if text not in typing.get_args(kind):
            raise ValueError(text)
        return text
    if kind is bool:
        if text not in ("true", "false", "1", "0"):
            raise ValueError(text)
        return text in ("true", "1")
    return kind(text)


def passes_from_flags(flags: Iterable[str]) -> tuple[Item, ...]:
    """Passes of mlir-opt style flags, in their order.

    ``--name``, ``--name=options`` and ``--pass-pipeline=text`` are understood; one dash will do.
    """
    found: list[Item] = []
    for flag in flags:
        name, _, options = flag.lstrip("-").partition("=")
        if name == "pass-pipeline":
            found += parse_pipeline(options.strip("'\""))
        else:
            found.append(
                make_pass(name, options.strip("'\"") if options.count('"') != 1 else options)
            )
    return tuple(found)
