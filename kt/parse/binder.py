"""From pending records to IR: operations are made, names are bound region by region.

For each region first every block argument and result of its blocks is defined, then operands are
bound, then nested regions follow; the names end with their region. A use may therefore stand before
its definition (dominance is the verifier's business). Nesting depth costs no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kt.ir import registry
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, UnregisteredOp, Value
from kt.ir.diagnostics import Diagnostic, FileLoc, KtError, Location, Note, ParseError
from kt.ir.traits import (
    ImplicitTerminator,
    IsolatedFromAbove,
    SingleBlock,
    Terminator,
)
from kt.parse.context import Context
from kt.parse.core_actions import LateLocation
from kt.parse.diagnostics import nearest
from kt.parse.pending import Pending, PendingRegion

_MAX_ERRORS = 20
_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")

Names = dict[str, Value]
_Frame = tuple[list[tuple[Region, PendingRegion, Operation, Pending]], Names, list[str]]


class Binder:
    """Binds one file. ``errors`` collects what is wrong; :meth:`finish` raises them together."""

    def __init__(self, context: Context, allow_unregistered: bool = True) -> None:
        self.context = context
        self.source = context.source
        self.allow_unregistered = allow_unregistered
        self.errors: list[Diagnostic] = []
        self.inherent: dict[Any, frozenset[str]] = {}

    def bind(self, records: Sequence[Pending], block: Block) -> None:
        """Make the operations of ``records`` in ``block``."""
        names: Names = {}
        frame = self._fill([(block, records)], names, {})
        stack: list[_Frame] = [frame]
        while stack:
            todo, names, defined = stack[-1]
            if not todo:
                stack.pop()
                for name in defined:
                    del names[name]
                continue
            region, pending, op, record = todo.pop()
            inner: Names = {} if op.has_trait(IsolatedFromAbove) else names
            stack.append(self._region(region, pending, op, record, inner))

    def finish(self) -> None:
        """Raise what was found."""
        if self.errors:
            first, *more = self.errors
            raise ParseError(first.message, first.location, notes=first.notes, hint=first.hint, more=more)

    def _error(self, message: str, location: Location, notes: tuple[Note, ...] = (), hint: str | None = None) -> None:
        found = Diagnostic(message, location, "error", notes, hint)
        if found not in self.errors:
            self.errors.append(found)
        if len(self.errors) >= _MAX_ERRORS:
            self.finish()

    # -- regions -----------------------------------------------------------------------------------

    def _region(
        self, region: Region, pending: PendingRegion, op: Operation, record: Pending, names: Names
    ) -> _Frame:
        labels: dict[str, Block] = {}
        blocks: list[tuple[Block, Sequence[Pending]]] = []
        if not pending.blocks and record.custom and not pending.absent and self._single_block(op):
            region.append(Block())
        defined: list[str] = []
        for entry in pending.blocks:
            block = Block()
            region.blocks.append(block)
            block.parent = region
            if entry.label is not None:
                if entry.label in labels:
                    self._error(f"redefinition of block '{entry.label}'", self._find(entry.label, record.offset))
                labels[entry.label] = block
            for i, (name, type, location) in enumerate(entry.arguments):
                where = self.context.location(record.offset) if location is None else self._resolve(location)
                argument = BlockArgument(type, block, i, None, where)
                block.arguments.append(argument)
                if name:
                    argument.name_hint = None if name[1].isdigit() else name[1:]
                    self._define(name, argument, names, defined, record.offset)
            blocks.append((block, entry.ops))
        frame = self._fill(blocks, names, labels, defined)
        if record.custom and not pending.absent:
            self._terminate(region, op)
        return frame

    @staticmethod
    def _single_block(op: Operation) -> bool:
        fields = op.__class__.fields.regions  # type: ignore[attr-defined]
        return (
            op.has_trait(SingleBlock)
            or op.has_trait(ImplicitTerminator)
            or any(f.single_block for f in fields)
        )

    @staticmethod
    def _terminate(region: Region, op: Operation) -> None:
        """Add the implicit terminator where the text leaves it out."""
        trait: Any = op.trait(ImplicitTerminator)
        if trait is None:
            return
        for block in region.blocks:
            last = block.last_op
            if last is None or not last.has_trait(Terminator):
                cls = registry.lookup_op(trait.terminator)
                if cls is not None:
                    block.append(cls(location=op.location))

    def _fill(
        self,
        blocks: Sequence[tuple[Block, Sequence[Pending]]],
        names: Names,
        labels: dict[str, Block],
        defined: list[str] | None = None,
    ) -> _Frame:
        """Make the ops of one region and bind them; its frame lists the regions inside."""
        defined = [] if defined is None else defined
        todo: list[tuple[Region, PendingRegion, Operation, Pending]] = []
        made: list[tuple[Operation, Pending]] = []
        make = self._make
        for block, records in blocks:
            last = block.last_op
            for record in records:
                op = make(record)
                made.append((op, record))
                op.parent = block
                op.prev_op = last
                op.next_op = None
                if last is None:
                    block.first_op = op
                else:
                    last.next_op = op
                last = op
                written = record.result_names
                if written is not None:
                    if type(written) is str and len(op.results) == 1:
                        if written in names:
                            self._redefined(written, names[written], record.offset)
                            continue
                        value = op.results[0]
                        names[written] = value
                        defined.append(written)
                        if not written[1].isdigit():
                            value.name_hint = written[1:]
                    else:
                        self._define_results(written, op, names, defined, record)
            block.last_op = last
        for op, record in made:
            if record.operands:
                self._operands(op, record, names)
                if record.custom and not record.regions:
                    self._implied(op)
            if record.successors:
                op._successors = tuple([self._block(label, labels, record) for label in record.successors])
            if record.regions:
                op.regions = regions = tuple([Region() for _ in record.regions])
                for region, pending in zip(regions, record.regions, strict=True):
                    region.parent = op
                    todo.append((region, pending, op, record))
        todo.reverse()
        return todo, names, defined

    # -- operations --------------------------------------------------------------------------------

    def _make(self, record: Pending) -> Operation:
        cls = record.cls
        op: Any = cls.__new__(cls)
        if cls is UnregisteredOp:
            self._unregistered(op, record)
        op._operands = ()
        op.results = tuple([OpResult(type, op, i) for i, type in enumerate(record.result_types)])
        op._properties = record.properties
        op._attributes = None
        op.regions = ()
        op._successors = ()
        op._order = None
        op.location = (
            FileLoc(self.source, record.offset) if record.location is None else self._resolve(record.location)
        )
        if record.attributes:
            self._attributes(op, record.attributes)
        return op

    def _unregistered(self, op: Any, record: Pending) -> None:
        op.op_name = record.op_name
        if not self.allow_unregistered:
            registry.load_all()
            self._error(
                f"operation '{record.op_name}' is not registered",
                FileLoc(self.source, record.offset),
                hint=nearest(record.op_name or "", registry.OPS)
                or "unregistered operations are kept with --allow-unregistered",
            )

    def _attributes(self, op: Operation, attributes: dict[str, Any]) -> None:
        """Sort the dictionary's entries into inherent and discardable ones."""
        cls = op.__class__
        inherent = self.inherent.get(cls)
        if inherent is None:
            inherent = frozenset(f.key or f.name for f in cls.fields.attrs)  # type: ignore[attr-defined]
            if cls is not UnregisteredOp:
                inherent = inherent.union(_SEGMENTS)
            self.inherent[cls] = inherent
        if inherent.isdisjoint(attributes):
            op._attributes = dict(attributes)
            return
        properties = dict(op._properties or {})
        rest: dict[str, Any] = {}
        for key, value in attributes.items():
            if key not in inherent:
                rest[key] = value
            elif key in properties:
                self._error(f"attribute '{key}' is given twice: by the syntax and in the dictionary", op.location)
            else:
                properties[key] = value
        op._properties = properties
        op._attributes = rest or None

    def _operands(self, op: Operation, record: Pending, names: Names) -> None:
        try:
            values = [names[name] for name in record.operands]
        except KeyError:
            values = [self._lookup(name, names, record) for name in record.operands]
        if record.types is not None:
            if len(record.types) != len(values):
                self._error(
                    f"custom op '{op.name}' expected {len(values)} operand types, got {len(record.types)}",
                    FileLoc(self.source, record.offset),
                )
                return
            for i, stated in enumerate(record.types):
                if values[i].type is not stated and stated is not None:
                    self._mismatch(record, i, values[i], stated)
        op._operands = tuple(values)
        for value in values:
            if value._uses is None:
                value._uses = op
            else:
                value._add_use(op)

    def _implied(self, op: Any) -> None:
        """Parts that custom text leaves out, such as the body of a named linalg op."""
        add = getattr(op, "add_implied_parts", None)
        if add is not None and not self.errors:
            try:
                add()
            except KtError as error:
                self._error(error.message, op.location, hint=error.diagnostics[0].hint)

    def _lookup(self, name: str, names: Names, record: Pending) -> Value:
        found = names.get(name)
        if found is None and name.endswith("#0"):
            found = names.get(name[:-2])
        if found is None:
            base, _, number = name.partition("#")
            where = self._find(name, record.offset)
            if number and base in names:
                self._error(f"reference to invalid result number: '{name}'", where)
            else:
                self._error(f"use of undeclared SSA value name '{name}'", where, hint=nearest(name, names))
            found = names[name] = BlockArgument(_unknown_type(), Block(), 0)
        return found

    def _mismatch(self, record: Pending, index: int, value: Value, stated: Any) -> None:
        if isinstance(value, BlockArgument) and value.block.parent is None and value.type is _unknown_type():
            return  # undeclared; reported already
        name = record.operands[index]
        defined = value.location.position()
        notes = (Note(f"'{name}' is defined here", defined),) if defined else ()
        self._error(
            f"use of value '{name}' expects different type than prior uses: '{stated}' vs '{value.type}'",
            self._find(name, record.offset), notes,
        )  # fmt: skip

    def _block(self, label: str, labels: dict[str, Block], record: Pending) -> Block:
        found = labels.get(label)
        if found is None:
            self._error(f"reference to an undefined block '{label}'", self._find(label, record.offset),
                        hint=nearest(label, labels))  # fmt: skip
            found = labels[label] = Block()
        return found

    # -- names -------------------------------------------------------------------------------------

    def _define(self, name: str, value: Value, names: Names, defined: list[str], offset: int) -> None:
        if name in names:
            self._redefined(name, names[name], offset)
            return
        names[name] = value
        defined.append(name)

    def _redefined(self, name: str, old: Value, offset: int) -> None:
        start = self.source.text.rfind("\n", 0, offset) + 1
        where = self._find(name, start)
        previous = old.location.position()
        notes = (Note("previously defined here", previous),) if previous else ()
        self._error(f"redefinition of SSA value '{name}'", where, notes)

    def _define_results(
        self, written: Any, op: Operation, names: Names, defined: list[str], record: Pending
    ) -> None:
        groups = [(written, 1)] if isinstance(written, str) else written
        total = sum(count for _, count in groups)
        where = FileLoc(self.source, record.offset)
        if not op.results:
            self._error("cannot name an operation with no results", where)
            return
        if total != len(op.results):
            self._error(
                f"operation defines {len(op.results)} results but was provided {total} to bind", where
            )
            return
        at = 0
        for name, count in groups:
            for i in range(count):
                value = op.results[at]
                self._define(name if i == 0 else f"{name}#{i}", value, names, defined, record.offset)
                if not name[1].isdigit():
                    value.name_hint = name[1:] if i == 0 else None
                at += 1

    def _find(self, name: str, offset: int) -> FileLoc:
        """The first occurrence of a name behind ``offset``, comments and strings left out."""
        word = re.escape(name)
        pattern = re.compile(rf"//[^\n\r]*|\"(?:[^\"\\\n]|\\.)*\"|({word})(?![\w$.#-])")
        for m in pattern.finditer(self.source.text, offset):
            if m[1]:
                return FileLoc(self.source, m.start(), len(name))
        return FileLoc(self.source, offset)

    def _resolve(self, location: Any) -> Location:
        if isinstance(location, LateLocation):
            return location.resolve()
        return location


def _unknown_type() -> Any:
    from kt.ir.types import OpaqueType

    return OpaqueType("kt.unknown")
