"""IR to text, as MLIR prints it: custom or generic form, aliases for maps and sets, name hints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import (
    Attribute,
    IntegerAttr,
    StringAttr,
)
from kt.ir.core import Block, Operation, Region, UnregisteredOp
from kt.ir.diagnostics import KtError
from kt.ir.text import (
    encode_string,
    location_text,
)
from kt.ir.traits import DistinctIdentity, SameOperandsAndResultType
from kt.parse.words import RESOURCES, WordWriter, defaults_of

PrintOp = Callable[["Printer", Operation], None]


def print_op(op: Operation, *, generic: bool = False, locations: bool = False) -> str:
    """Text of an operation with everything inside, ending in a newline.

    ``generic``: quoted names and all attributes. ``locations``: a trailing ``loc(…)`` on every op.
    """
    return Printer(op, generic, locations).run()


class Printer(WordWriter):
    """Writes one operation. Print functions of dialects get it as ``p``."""

    def __init__(self, root: Operation, generic: bool = False, locations: bool = False) -> None:
        super().__init__(root, generic)
        self.root = root
        self.generic = generic
        self.locations = locations
        self.indent = 0
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
        self.signatures.clear()
        if self.generic:
            self._collect_aliases(self.root)
        self.operation(self.root)

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
        self.values(op._operands)
        write(")")
        if op._successors:
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
        self.function_type([v.type for v in op._operands], [v.type for v in op.results])

    def _all_properties(self, op: Operation) -> dict[str, Attribute]:
        """Inherent attributes with the defaults of absent ones, as MLIR stores them."""
        if op.__class__ is UnregisteredOp:
            return op._properties or {}
        defaults, identity = defaults_of(op.__class__), _identity_key(op.__class__)
        if not defaults and identity is None:
            return op._properties or {}
        properties = {**(op._properties or {})}
        for key, value in defaults.items():
            properties.setdefault(key, value)
        if identity is not None:
            number = self.identities.setdefault(op, len(self.identities))
            properties[identity] = IntegerAttr(number, t.index)
        return properties


@cache
def _identity_key(cls: Any) -> str | None:
    found = cls.trait(DistinctIdentity)
    return found.key if found is not None else None


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


