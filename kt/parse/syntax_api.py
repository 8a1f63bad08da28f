"""What a dialect's syntax module uses: decorators, records, and helpers for build and print functions.

A module ``kt/parse/syntax/<dialect>.py`` is imported when the grammar is built and when one of its
ops is met. ``grammars/README.md`` is the guide; ``func.py`` and ``scf.py`` are examples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kt.ir import types as t
from kt.ir.attributes import DenseArrayAttr
from kt.ir.types import DYNAMIC
from kt.parse.pending import Pending as Pending
from kt.parse.pending import PendingBlock as PendingBlock
from kt.parse.pending import PendingRegion as PendingRegion
from kt.parse.pending import empty_region as empty_region
from kt.parse.pending import fail as fail


@frozen
class OpSyntax:
    """Hand-written syntax of an op, type or attribute: grammar rule and build function."""

    name: str
    rule: str
    build: Callable[..., Any]


@frozen
class Directive:
    """A ``custom<Name>`` directive."""

    rule: str
    build: Callable[..., Any]


SYNTAX: dict[str, OpSyntax] = {}
"""By name of op, type or attribute."""
PRINTERS: dict[str, Callable[..., None]] = {}
DIRECTIVES: dict[str, Directive] = {}
DIRECTIVE_PRINTERS: dict[str, Callable[..., None]] = {}
ACTIONS: dict[str, Callable[..., Any]] = {}
"""Callbacks of grammar rules by rule name (or alias)."""


def syntax(*names: str, rule: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The build function of these ops (or types, attributes): ``build(cls, *children of rule)``."""

    def register(build: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            SYNTAX[name] = OpSyntax(name, rule, build)
        return build

    return register


def printer(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The print function of these ops: ``print(p, op)``, called behind the op's name."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        for name in names:
            PRINTERS[name] = function
        return function

    return register


def action(*rules: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The callback of grammar rules; without one a rule's value is the tuple of its children."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for rule in rules:
            ACTIONS[rule] = function
        return function

    return register


def directive(name: str, rule: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``custom<name>(…)``: ``build(args, *children of rule)`` fills the list ``args``, one entry for
    each argument of the directive (``ref`` arguments and strings come filled in)."""

    def register(build: Callable[..., Any]) -> Callable[..., Any]:
        DIRECTIVES[name] = Directive(rule, build)
        return build

    return register


def directive_printer(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """``print(p, op, *values of the arguments)`` for ``custom<name>``."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        DIRECTIVE_PRINTERS[name] = function
        return function

    return register


def segments(*sizes: int) -> DenseArrayAttr:
    """``operandSegmentSizes``."""
    return DenseArrayAttr.of(sizes, t.i32)


def static_array(values: Any) -> DenseArrayAttr:
    """``array<i64: …>`` of static entries (DYNAMIC where a value stands)."""
    return DenseArrayAttr.of(values, t.i64)


def dim(token: str) -> int:
    """The extent of a DIM token (``8x``, ``?x``)."""
    digits = token[:-1].strip()
    if digits == "?":
        return DYNAMIC
    extent = int(digits)
    return extent if extent < 1 << 63 else fail("invalid dimension: it doesn't fit 64 bits")


def typed_body(cls: type, body: Any) -> Any:
    """The type (or attribute) of ``type_or_body``: an elided ``<…>`` gets the name of ``cls``."""
    if not isinstance(body, BodyText):
        return body
    return body.resolve(cls)


class BodyText(str):
    """An elided ``<…>`` with the parse it belongs to, until its class is known."""

    __slots__ = ("context", "offset")
    context: Any
    offset: int

    def resolve(self, cls: Any) -> Any:
        """The type or attribute of ``cls`` with this body."""
        if issubclass(cls, t.Type):
            return self.context.type(f"!{cls.name}{self}", self.offset)
        return self.context.attr(f"#{cls.name}{self}", self.offset)
