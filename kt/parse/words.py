"""The words of printed IR: types, attributes, names of values, dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.affine import format_expr
from kt.ir.attributes import Attribute, DistinctAttr, FloatAttr, IntegerAttr, LocationAttr
from kt.ir.core import Block, Operation, Value
from kt.ir.text import (
    attribute_text,
    distinct_text,
    encode_string,
    entry_text,
    function_text,
    parameters_of,
    symbol_text,
)
from kt.parse.aliases import PREFIXES, Aliases
from kt.parse.naming import UNKNOWN_NAME, Naming

RESOURCES = "kt.resources"
"""Attribute of a module that holds its file's ``{-# … #-}`` sections, printed behind it."""


@cache
def defaults_of(cls: Any) -> dict[str, Attribute]:
    """Inherent attributes that needn't be written, since their absence means the same."""
    return {f.key or f.name: f.default for f in cls.fields.attrs if f.default is not None}


class WordWriter:
    """Writes parts of operations. Print functions of dialects get it, as a printer, as ``p``."""

    def __init__(self, root: Operation, generic: bool) -> None:
        self.parts: list[str] = []
        self.write: Callable[[str], None] = self.parts.append
        """Append text."""
        self.naming = Naming(root, generic)
        self.names = self.naming.values
        self.aliases = Aliases()
        self.texts: dict[Attribute, str] = {}
        self.signatures: dict[tuple[t.Type | None, ...], str] = {}
        """Function types by their parts."""
        self.distinct: dict[Attribute, int] = {}
        """Distinct attributes, numbered as they come."""

    # -- text of types and attributes --------------------------------------------------------------

    def text(self, attr: Attribute) -> str:
        """Text of a type or attribute, aliases used."""
        found = self.texts.get(attr)
        if found is None:
            prefix = PREFIXES.get(attr.__class__)
            if isinstance(attr, DistinctAttr):
                number = self.distinct.setdefault(attr, len(self.distinct))
                found = distinct_text(number, attr, self.text)
            elif prefix is None:
                found = attribute_text(attr, self.text)
            elif isinstance(attr, LocationAttr):
                found = self.aliases.location(attr.location, False)
            else:
                found = self.aliases.attribute(attr, prefix)
            self.texts[attr] = found
        return found

    def type(self, type: t.Type) -> None:
        """Write a type."""
        self.write(self.texts.get(type) or self.text(type))

    def types(self, types: Sequence[t.Type]) -> None:
        """Write types, separated by commas."""
        self.write(", ".join([self.text(x) for x in types]))

    def elided_type(self, type: t.Type) -> None:
        """Write a dialect's type without its name: ``<…>``."""
        self.write(parameters_of(type, self.text))

    def attribute(self, attr: Attribute) -> None:
        """Write an attribute."""
        self.write(self.text(attr))

    def bare(self, attr: Attribute) -> None:
        """Write an attribute, a number without its type."""
        if isinstance(attr, IntegerAttr) and attr.type is not t.i1:
            self.write(str(attr.value))
        elif isinstance(attr, FloatAttr):
            self.write(numbers.format_float(attr.value, attr.type.dtype_name))  # type: ignore[attr-defined]
        else:
            self.write(self.text(attr))

    def elided_attribute(self, attr: Attribute) -> None:
        """Write a dialect's attribute without its name."""
        self.write(parameters_of(attr, self.text))

    def function_type(self, inputs: Sequence[t.Type], results: Sequence[t.Type]) -> None:
        """Write ``(T) -> U``."""
        key = (*inputs, None, *results)
        found = self.signatures.get(key)
        if found is None:
            found = self.signatures[key] = function_text(inputs, results, self.text)
        self.write(found)

    def arrow_types(self, types: Sequence[t.Type]) -> None:
        """Write `` -> T``, `` -> (T, U)``, or nothing."""
        if types:
            one = len(types) == 1 and not isinstance(types[0], t.FunctionType)
            body = ", ".join([self.text(x) for x in types])
            self.write(f" -> {body}" if one else f" -> ({body})")

    def arrow_list(self, values: Sequence[Value]) -> None:
        """Write `` -> (T, U)``, the types of some values, or nothing."""
        if values:
            self.write(f" -> ({', '.join([self.text(v.type) for v in values])})")

    def symbol(self, name: str) -> None:
        """Write ``@name``."""
        self.write(symbol_text(name))

    def string(self, text: str) -> None:
        """Write a quoted string."""
        self.write(encode_string(text))

    # -- values ------------------------------------------------------------------------------------

    def name(self, value: Value) -> str:
        """The printed name of a value."""
        return self.names.get(value) or UNKNOWN_NAME

    def value(self, value: Value) -> None:
        """Write a value's name."""
        self.write(self.name(value))

    def rename(self, value: Value, name: str) -> None:
        """Print a value under another name (of an outer value that it stands for)."""
        self.names[value] = name

    def values(self, values: Sequence[Value]) -> None:
        """Write names, separated by commas."""
        names = self.names
        try:
            self.write(", ".join([names[v] for v in values]))
        except KeyError:
            self.write(", ".join([self.name(v) for v in values]))

    def subscripts(self, values: Sequence[Value]) -> None:
        """Write ``[%i, %j]``."""
        self.write("[")
        self.values(values)
        self.write("]")

    def mixed_list(self, statics: Sequence[int], values: Sequence[Value]) -> None:
        """Write ``[4, %n]``: each DYNAMIC takes the next value."""
        rest = iter(values)
        words = [self.name(next(rest)) if n == t.DYNAMIC else str(n) for n in statics]
        self.write(f"[{', '.join(words)}]")

    def affine_operands(self, map: Any, dims: Sequence[Value], symbols: Sequence[Value] = ()) -> None:
        """Write the results of a map over values, separated by commas, without brackets."""
        words = [
            format_expr(e, lambda i: self.name(dims[i]), lambda i: f"symbol({self.name(symbols[i])})")
            for e in map.results
        ]
        self.write(", ".join(words))

    def successor(self, block: Block, values: Sequence[Value] = ()) -> None:
        """Write ``^bb1`` or ``^bb1(%a : T)``."""
        self.write(self.naming.blocks.get(block, "^INVALIDBLOCK"))
        if values:
            self.write("(")
            self.values(values)
            self.write(" : ")
            self.types([v.type for v in values])
            self.write(")")

    # -- attribute dictionaries --------------------------------------------------------------------

    def attr_dict(self, op: Operation, elided: Sequence[str] = (), keyword: bool = False) -> None:
        """Write `` {…}`` (`` attributes {…}``) or nothing: inherent and discardable attributes
        together, sorted, without the elided ones and without defaults."""
        properties, attributes = op._properties, op._attributes
        if not properties and not attributes:
            return
        entries = dict(attributes) if attributes else {}
        if properties:
            defaults = defaults_of(op.__class__)
            for key, value in properties.items():
                if key not in elided and defaults.get(key) is not value:
                    if key in ("operandSegmentSizes", "resultSegmentSizes"):
                        continue
                    entries[key] = value
        for key in (*elided, RESOURCES):
            entries.pop(key, None)
        if entries:
            self.write(" attributes " if keyword else " ")
            self.dictionary(entries)

    def dictionary(self, entries: dict[str, Attribute]) -> None:
        """Write ``{a = 1 : i32, b}``, sorted."""
        keys = [key for key in sorted(entries) if key != RESOURCES]
        body = ", ".join([entry_text(k, entries[k], self.text) for k in keys])
        self.write(f"{{{body}}}")
