"""The declarative assembly format: parsing the strings of ``Operation.assembly_format``.

The language is that of MLIR's operation definitions. This file only knows its structure;
``kt.parse`` compiles the elements to grammar rules, builders and printers.
"""

from __future__ import annotations

import re
from typing import Any

from attrs import frozen

_TOKEN = re.compile(
    r"\s*(?:(?P<literal>`[^`]*`)|\$(?P<var>\w+)|(?P<word>[A-Za-z][\w-]*)"
    r"|(?P<string>\"[^\"]*\")|(?P<punct>[()?:^,|<>]))"
)


class FormatError(ValueError):
    """A format string that can't be read; a mistake of a dialect's author."""


@frozen
class Literal:
    """Keyword or punctuation."""

    text: str


@frozen
class Whitespace:
    """Printed only: a blank, nothing (``` `` ```) or a newline."""

    text: str


@frozen
class Variable:
    """``$name``: an operand, attribute, region or successor."""

    name: str


@frozen
class AttrDict:
    """``attr-dict``, or ``attr-dict-with-keyword``."""

    keyword: bool = False


@frozen
class PropDict:
    """``prop-dict``."""


@frozen
class Everything:
    """``operands``, ``results``, ``regions`` or ``successors``."""

    kind: str


@frozen
class TypeOf:
    """``type($x)``, ``type(operands)``, ``type(results)``; ``qualified`` prints the full spelling."""

    target: Variable | Everything
    qualified: bool = False


@frozen
class FunctionalType:
    """``functional-type(inputs, results)``."""

    inputs: Variable | Everything
    results: Variable | Everything


@frozen
class Qualified:
    """``qualified($attr)``."""

    target: Variable


@frozen
class Ref:
    """``ref($x)`` or ``ref(type($x))``: known already, handed to a custom directive."""

    target: Variable | TypeOf | AttrDict


@frozen
class Custom:
    """``custom<Name>(arguments)``."""

    name: str
    arguments: tuple[object, ...]


@frozen
class Optional:
    """``(then)?`` or ``(then):(otherwise)?``; the anchor decides which one is printed."""

    then: tuple[object, ...]
    otherwise: tuple[object, ...]
    anchor: object
    anchor_in_else: bool = False


@frozen
class OIList:
    """``oilist(a | b)``: clauses in any order, each at most once."""

    clauses: tuple[tuple[object, ...], ...]


Element = object


def parse_format(text: str) -> tuple[Element, ...]:
    """The elements of a format string; raises FormatError."""
    return _Reader(text).all()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        at = 0
        end = len(text.rstrip())
        while at < end:
            m = _TOKEN.match(text, at)
            if m is None:
                raise FormatError(f"unexpected {text[at : at + 10]!r} in assembly format {text!r}")
            self.tokens.append((m.lastgroup or "", m[m.lastgroup or 0]))
            at = m.end()
        self.at = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def take(self, text: str | None = None) -> str:
        kind, found = self.peek()
        if not kind or (text is not None and found != text):
            raise FormatError(
                f"expected {text or 'more'}, got {found or 'the end'} in assembly format {self.text!r}"
            )
        self.at += 1
        return found

    def all(self) -> tuple[Element, ...]:
        elements, _ = self.sequence(())
        if self.at < len(self.tokens):
            self.take("the end")
        return elements

    def sequence(self, stop: tuple[str, ...]) -> tuple[tuple[Element, ...], Element | None]:
        """Elements up to one of ``stop``, and the one marked with ``^``."""
        found: list[Element] = []
        anchor: Element | None = None
        while self.peek()[0] and not (self.peek()[0] == "punct" and self.peek()[1] in stop):
            found.extend(self.element())
            if self.peek() == ("punct", "^"):
                self.take()
                anchor = found[-1]
        return tuple(found), anchor

    def element(self) -> list[Element]:
        kind, text = self.peek()
        if kind == "literal":
            self.take()
            return [_literal(part) for part in _split_literal(text[1:-1])]
        if (kind, text) == ("punct", "("):
            return [self.optional()]
        if kind == "word" and text == "oilist":
            self.take()
            self.take("(")
            clauses = []
            while True:
                clause, _ = self.sequence(("|", ")"))
                clauses.append(clause)
                if self.take() == ")":
                    return [OIList(tuple(clauses))]
        return [self.directive()]

    def optional(self) -> Optional:
        self.take("(")
        then, anchor = self.sequence((")",))
        self.take(")")
        otherwise: tuple[Element, ...] = ()
        in_else = False
        if self.peek() == ("punct", ":"):
            self.take()
            self.take("(")
            otherwise, other = self.sequence((")",))
            self.take(")")
            if anchor is None:
                anchor, in_else = other, True
        self.take("?")
        if anchor is None:
            raise FormatError(f"optional group without anchor '^' in assembly format {self.text!r}")
        return Optional(then, otherwise, anchor, in_else)

    def directive(self) -> Element:
        kind, text = self.peek()
        if kind == "var":
            self.take()
            return Variable(text)
        if kind == "string":
            self.take()
            return Literal(text[1:-1])
        if kind != "word":
            raise FormatError(f"unexpected {text!r} in assembly format {self.text!r}")
        self.take()
        match text:
            case "attr-dict":
                return AttrDict()
            case "attr-dict-with-keyword":
                return AttrDict(True)
            case "prop-dict":
                return PropDict()
            case "operands" | "results" | "regions" | "successors":
                return Everything(text)
            case "type":
                return TypeOf(self.argument(Variable, Everything))
            case "functional-type":
                self.take("(")
                inputs = self.directive()
                self.take(",")
                results = self.directive()
                self.take(")")
                return FunctionalType(inputs, results)  # type: ignore[arg-type]
            case "qualified":
                inner = self.argument(Variable, TypeOf)
                if isinstance(inner, TypeOf):
                    return TypeOf(inner.target, True)
                return Qualified(inner)
            case "ref":
                return Ref(self.argument(Variable, TypeOf, AttrDict))
            case "custom":
                return self.custom()
        raise FormatError(f"unknown directive '{text}' in assembly format {self.text!r}")

    def argument(self, *kinds: type) -> Any:
        self.take("(")
        inner = self.directive()
        self.take(")")
        if not isinstance(inner, kinds):
            raise FormatError(f"{inner} can't stand there in assembly format {self.text!r}")
        return inner

    def custom(self) -> Custom:
        self.take("<")
        name = self.take()
        self.take(">")
        self.take("(")
        arguments = []
        while self.peek() != ("punct", ")"):
            arguments.append(self.directive())
            if self.peek() == ("punct", ","):
                self.take()
        self.take(")")
        return Custom(name, tuple(arguments))


def _split_literal(text: str) -> list[str]:
    return [text] if not text.strip() or text == "\\n" else text.split()


def _literal(text: str) -> Element:
    if text == "\\n":
        return Whitespace("\n")
    return Literal(text) if text.strip() else Whitespace(text)


def walk(elements: tuple[Element, ...]) -> list[Element]:
    """All elements, those inside optional groups and lists included."""
    found: list[Element] = []
    for element in elements:
        found.append(element)
        if isinstance(element, Optional):
            found += walk(element.then) + walk(element.otherwise)
        elif isinstance(element, OIList):
            for clause in element.clauses:
                found += walk(clause)
        elif isinstance(element, Custom):
            found += element.arguments
    return found
