"""IR to text, as MLIR prints it: custom or generic form, aliases for maps and sets, name hints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from kt.ir import numbers
from kt.ir import types as t
from kt.ir.affine import format_expr
from kt.ir.attributes import (
    Attribute,
    DistinctAttr,
    FloatAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
)
from kt.ir.core import Block, Operation, Region, UnregisteredOp, Value
from kt.ir.diagnostics import KtError
from kt.ir.text import (
    attribute_text,
    distinct_text,
    encode_string,
    entry_text,
    function_text,
    location_text,
    parameters_of,
    symbol_text,
)
from kt.ir.traits import DistinctIdentity, SameOperandsAndResultType
from kt.parse.aliases import PREFIXES, Aliases
from kt.parse.naming import UNKNOWN_NAME, Naming

RESOURCES = "kt.resources"
"""Attribute of a module that holds its file's ``{-# … #-}`` sections, printed behind it."""
PrintOp = Callable[["Printer", Operation], None]


@cache
def _defaults(cls: Any) -> dict[str, Attribute]:
    """Inherent attributes that needn't be written, since their absence means the same."""
    return {f.key or f.name: f.default for f in cls.fields.attrs if f.default is not None}


def print_op(op: Operation, *, generic: bool = False, locations: bool = False) -> str:
    """Text of an operation with everything inside, ending in a newline.

    ``generic``: quoted names and all attributes. ``locations``: a trailing ``loc(…)`` on every op.
    """
    return Printer(op, generic, locations).run()


class Printer:
    """Writes one operation. Print functions of dialects get it as ``p``."""

    def __init__(self, root: Operation, generic: bool = False, locations: bool = False) -> None:
        self.root = root
        self.generic = generic
        self.locations = locations
        self.parts: list[str] = []
        self.write: Callable[[str], None] = self.parts.append
        """Append text."""
        self.naming = Naming(root, generic)
        self.names = self.naming.values
        self.indent = 0
        self.aliases = Aliases()
        self.texts: dict[Attribute, str] = {}
        self.distinct: dict[Attribute, int] = {}
        """Distinct attributes, numbered as they come."""
        self.default_dialects: list[str] = ["builtin"]
        self.custom: dict[Any, PrintOp | None] = {}
        self.identities: dict[Operation, int] = {}

    def run(self) -> str:
        """The whole text."""
        try:
            return self._run()
        except RecursionError:
            raise KtError("the operation is nested too deeply to be printed", self.root.location) from None

    def _run(self) -> str:
        self._pass()
        if self.aliases.locations:
            self.aliases.number_locations()
            self._pass()
        top, end = self.aliases.definitions()
        resources = self.root.attributes.get(RESOURCES) if self.root._attributes else None
        if isinstance(resources, StringAttr):
            end += f"\n{resources.value}\n"
        return f"{top}{''.join(self.parts)}\n{end}"

    def _pass(self) -> None:
        self.parts.clear()
        self.texts.clear()
        if self.generic:
            self._collect_aliases(self.root)
        self.operation(self.root)

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

    def _collect_aliases(self, root: Operation) -> None:
        """Generic form numbers aliases inner regions first, types before attributes, as MLIR does."""
        for op in root.walk(post_order=True):
            for value in op.operands:
                self.text(value.type)
            for result in op.results:
                self.text(result.type)
            entries = {**(op._properties or {}), **(op._attributes or {})}
            for key in sorted(entries):
                self.text(entries[key])

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
        self.write(function_text(inputs, results, self.text))

    def arrow_types(self, types: Sequence[t.Type]) -> None:
        """Write `` -> T``, `` -> (T, U)``, or nothing."""
        if types:
            one = len(types) == 1 and not isinstance(types[0], t.FunctionType)
            body = ", ".join([self.text(x) for x in types])
            self.write(f" -> {body}" if one else f" -> ({body})")

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
            defaults = _defaults(op.__class__)
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

    # -- structure ---------------------------------------------------------------------------------

    def newline(self) -> None:
        """Write a line end and the indentation."""
        self.write("\n" + "  " * self.indent)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Lines begun inside stand one step further in."""
        self.indent += 1
        yield
        self.indent -= 1

    def region(
        self,
        region: Region,
        entry_args: bool = True,
        terminator: bool = True,
        empty_block: bool = False,
    ) -> None:
        """Write ``{ … }``. ``entry_args``: the entry block's header, if it has arguments;
        ``terminator``: the last op of each block; ``empty_block``: a header for an empty entry."""
        self.write("{")
        if region.blocks:
            owner = region.parent
            self.default_dialects.append(getattr(owner, "default_dialect", None) or "")
            entry = region.blocks[0]
            header = (entry_args and bool(entry.arguments)) or (empty_block and entry.first_op is None)
            self._block(entry, header, terminator)
            for block in region.blocks[1:]:
                self._block(block, True, terminator)
            self.default_dialects.pop()
        self.newline()
        self.write("}")

    def _block(self, block: Block, header: bool, terminator: bool) -> None:
        if header:
            self.newline()
            self.write(self.naming.blocks[block])
            if block.arguments:
                self.write("(")
                for i, argument in enumerate(block.arguments):
                    self.write(", " if i else "")
                    self.argument(argument)
                self.write(")")
            self.write(":")
            self._predecessors(block)
        self.indent += 1
        line = "\n" + "  " * self.indent
        op = block.first_op
        # A terminator that says something (more than MLIR, which drops its attributes) is shown.
        last = block.last_op
        if terminator or (last is not None and last._attributes):
            last = None
        write, operation = self.write, self.operation
        while op is not None:
            if op is not last:
                write(line)
                operation(op)
            op = op.next_op
        self.indent -= 1

    def _predecessors(self, block: Block) -> None:
        """The comment ``  // 2 preds: ^bb0, ^bb1`` that MLIR puts behind a block header."""
        region = block.parent
        if region is None or region.blocks[0] is block:
            return
        found = []
        for other in region.blocks:
            last = other.last_op
            if last is not None:
                found += [self.naming.blocks[other]] * sum(1 for s in last.successors if s is block)
        if not found:
            self.write("  // no predecessors")
            return
        count = "pred" if len(found) == 1 else f"{len(found)} preds"
        self.write(f"  // {count}: {', '.join(found)}")

    def argument(self, argument: Any) -> None:
        """Write ``%arg0: T``."""
        self.write(f"{self.name(argument)}: {self.text(argument.type)}")
        self.location(argument.loc)

    def location(self, location: Any) -> None:
        """Write `` loc(…)`` if locations are wanted."""
        if self.locations:
            self.aliases.location(location, False)
            self.write(f" loc({location_text(location)})")

    def operation(self, op: Operation) -> None:
        """Write an operation: results, name, and the rest by its print function."""
        trailing = self.aliases.location(op.location, True) if self.locations else ""
        if op.results:
            self._results(op)
        cls = op.__class__
        if self.generic:
            self._generic(op)
        else:
            try:
                function = self.custom[cls]
            except KeyError:
                function = self.custom[cls] = custom_printer(cls)
            lossy = getattr(op, "needs_generic_form", None) if op.regions else None
            if function is None or (lossy is not None and lossy()):
                self._generic(op)
            else:
                name = cls.name
                default = self.default_dialects[-1]
                if default and name.startswith(default) and name[len(default)] == ".":
                    short = name[len(default) + 1 :]
                    # MLIR keeps the prefix where the rest has a dot: it would read as a dialect.
                    name = name if "." in short else short
                self._custom(op, name, function)
        if trailing:
            self.write(f" loc({trailing})")

    def _custom(self, op: Operation, name: str, function: PrintOp) -> None:
        """Custom form; an op that isn't valid, so that it has none, falls back to generic form."""
        mark, indent, depth = len(self.parts), self.indent, len(self.default_dialects)
        try:
            self.write(name)
            function(self, op)
        except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
            del self.parts[mark:], self.default_dialects[depth:]
            self.indent = indent
            self._generic(op)

    def _results(self, op: Operation) -> None:
        groups = self.naming.packs.get(op)
        if groups is not None:
            self.write(", ".join(n if c == 1 else f"{n}:{c}" for n, c in groups) + " = ")
            return
        first = self.names[op.results[0]]
        count = len(op.results)
        self.write(f"{first} = " if count == 1 else f"{first[:-2]}:{count} = ")

    def _generic(self, op: Operation) -> None:
        write = self.write
        write(encode_string(op.name))
        write("(")
        self.values(op.operands)
        write(")")
        if op.successors:
            write("[" + ", ".join(self.naming.blocks.get(b, "^INVALIDBLOCK") for b in op.successors) + "]")
        properties = self._all_properties(op)
        if properties:
            write(" <")
            self.dictionary(properties)
            write(">")
        if op.regions:
            write(" (")
            for i, region in enumerate(op.regions):
                write(", " if i else "")
                self.region(region, True, True, True)
            write(")")
        if op._attributes and list(op._attributes) != [RESOURCES]:
            write(" ")
            self.dictionary(op._attributes)
        write(" : ")
        self.function_type([v.type for v in op.operands], [v.type for v in op.results])

    def _all_properties(self, op: Operation) -> dict[str, Attribute]:
        """Inherent attributes with the defaults of absent ones, as MLIR stores them."""
        properties = dict(op._properties) if op._properties else {}
        if not isinstance(op, UnregisteredOp):
            for f in op.__class__.fields.attrs:  # type: ignore[attr-defined]
                if f.default is not None:
                    properties.setdefault(f.key or f.name, f.default)
        identity = op.trait(DistinctIdentity)
        if identity is not None:
            number = self.identities.setdefault(op, len(self.identities))
            properties[identity.key] = IntegerAttr(number, t.index)
        return properties


@cache
def custom_printer(cls: Any) -> PrintOp | None:
    """The print function of an op class; None if it only has generic form."""
    from kt.parse.format_printer import compile_printer
    from kt.parse.grammar import load_syntax
    from kt.parse.syntax_api import PRINTERS

    if not cls.name or cls is UnregisteredOp:
        return None
    load_syntax(cls.name.partition(".")[0])
    found = PRINTERS.get(cls.name)
    if found is None and cls.assembly_format is not None:
        found = compile_printer(cls)
        if cls.has_trait(SameOperandsAndResultType):
            return _one_type(found)
    return found


def _one_type(function: PrintOp) -> PrintOp:
    """For formats that write one type for all values: shapes may differ where one is dynamic."""

    def run(p: Any, op: Any) -> None:
        type = op.results[0].type
        for value in op._operands:
            if value.type is not type:
                raise ValueError("several types")
        function(p, op)

    return run


