"""The verifier: structure, declarations, traits, terminators, visibility of values, symbols.

One walk without recursion checks everything. What holds for most ops is decided by cheap tests
(types that an op class has accepted before; a set of the values visible here); only when such a
test fails is the exact rule applied, which also words the message. All findings are collected.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from attrs import define, field

from kt.ir import registry
from kt.ir.affine import AffineError
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.declared import ClassRules, rules_of, segments_of
from kt.ir.diagnostics import Diagnostic, KtError, Note, VerifyError
from kt.ir.dominance import DominanceInfo, block_ancestor, has_graph_regions
from kt.ir.traits import IsolatedFromAbove

MAX_ERRORS = 100
_type_of = attrgetter("type")


def verify(op: Operation, lenient: bool = False) -> None:
    """Check ``op`` and everything inside.

    Raises VerifyError with all findings (at most 100) in ``diagnostics``. ``lenient`` skips errors of
    code ``strict``: contradictions that upstream's verifier lets through.
    """
    run = _Verifier(lenient)
    run.whole(op)
    if run.errors:
        first, *rest = run.errors[:MAX_ERRORS]
        raise VerifyError(
            first.message, first.location, notes=first.notes, hint=first.hint, more=rest
        )
    if run.puzzled:
        raise run.puzzled[0]


class _Everything(set):
    """The visible values of unreachable code: all."""

    def issuperset(self, other: object) -> bool:
        return True


@define(eq=False)
class _Verifier:
    lenient: bool
    errors: list[Diagnostic] = field(factory=list)
    visible: set[Value] = field(factory=set)
    dominance: DominanceInfo = field(factory=DominanceInfo)
    todo: list[tuple[Callable[..., None], Any]] = field(factory=list)
    puzzled: list[Exception] = field(factory=list)
    """Of rules that looked at another op, which is malformed itself and reported as such."""

    def whole(self, root: Operation) -> None:
        self.one(root)
        self.regions(root)
        todo = self.todo
        while todo and len(self.errors) < MAX_ERRORS:
            step, argument = todo.pop()
            step(argument)

    def fail(self, op: Operation, message: str, *notes: Note) -> None:
        self.errors.append(Diagnostic(f"'{op.name}' op {message}", op.location, notes=notes))

    def collect(self, error: KtError) -> None:
        if not (self.lenient and error.code == "strict"):
            self.errors.extend(error.diagnostics)

    # -- one op ----------------------------------------------------------------------------------

    def one(self, op: Operation) -> None:
        """Everything about one op but its place and its regions' contents."""
        operands, results = op._operands, op.results
        for value in operands:
            uses = value._uses
            if uses is not op and (uses.__class__ is not dict or op not in uses):
                self.fail(op, f"isn't among the users of its operand #{operands.index(value)}")
        for value in results:
            uses = value._uses
            if uses is not None:
                self.users(op, value, uses)
        if op._attributes:
            self.discardable(op, op._attributes)
        rules = rules_of(op.__class__)
        if rules is None:
            return
        try:
            signature: Any = (tuple(map(_type_of, operands)), tuple(map(_type_of, results)))
            if rules.segmented:
                signature = (*signature, *segments_of(op))
            if signature not in rules.accepted:
                rules.check_types(op, signature)
            if rules.more or op.regions or op._successors or op._properties:
                rules.check_more(op)
            if rules.own:
                op.verify_()
        except KtError as error:
            self.collect(error)
        except AffineError as error:  # a map or set that can't be enumerated, evaluated, …
            self.fail(op, str(error))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            self.puzzled.append(error)

    def discardable(self, op: Operation, attributes: dict[str, Any]) -> None:
        """Attributes that a dialect claims (``ktdf_arch.bandwidth``) keep its rules on any op."""
        for name, value in attributes.items():
            dialect, dot, _ = name.partition(".")
            if dot and registry.load_dialect(dialect):
                rule = registry.ATTRIBUTE_RULES.get(dialect)
                if rule is not None:
                    try:
                        rule(op, name, value)
                    except KtError as error:
                        self.collect(error)

    def users(self, op: Operation, value: Value, uses: Any) -> None:
        for user in uses if uses.__class__ is dict else (uses,):
            if value not in user._operands:
                self.fail(op, f"has '{user.name}' among its users, which doesn't use it")

    # -- regions and blocks ----------------------------------------------------------------------

    def regions(self, op: Operation) -> None:
        """Plan the visit of everything inside ``op``; results become visible to those behind it."""
        if not op.regions:
            return
        todo = self.todo
        if op.has_trait(IsolatedFromAbove):
            todo.append((self.restore, self.visible))
            self.visible = set()
        rules = rules_of(op.__class__)
        if rules is not None and rules.symbol_table:
            self.symbols(op)
        for i in range(len(op.regions) - 1, -1, -1):
            region = op.regions[i]
            if region.parent is not op:
                self.fail(op, f"region #{i} has another parent")
            for block in region.blocks:
                if block.parent is not region:
                    self.fail(op, f"a block of region #{i} has another parent")
            if rules is not None:
                for block in region.blocks:
                    self.terminator(op, rules, i, block)
            if len(region.blocks) == 1:
                todo.append((self.enter, region.blocks[0]))
            elif region.blocks:
                self.many(region)

    def many(self, region: Region) -> None:
        """Visit blocks along the dominator tree: what is visible in one is visible below it."""
        tree = self.dominance.tree(region)
        for block in reversed(region.blocks):
            if not tree.is_reachable(block):
                self.todo += [(self.restore, self.visible), (self.enter, block)]
                self.todo.append((self.restore, _Everything()))
        below = tree.children()

        def visit(block: Block) -> None:
            self.todo.append((self.leave, block))
            self.todo += [(visit, child) for child in reversed(below[block])]
            self.todo.append((self.enter_open, block))

        self.todo.append((visit, region.blocks[0]))

    def restore(self, visible: set[Value]) -> None:
        self.visible = visible

    def enter(self, block: Block) -> None:
        self.todo.append((self.leave, block))
        self.enter_open(block)

    def enter_open(self, block: Block) -> None:
        around = block.parent_op
        self.visible.update(block.arguments)
        if around is not None and has_graph_regions(around):
            for op in block.ops:
                self.visible.update(op.results)
        for i, argument in enumerate(block.arguments):
            if (argument.block is not block or argument.index != i) and around is not None:
                self.fail(around, f"block argument #{i} doesn't know its block or number")
        first = block.first_op
        if first is not None and (first.parent is not block or first.prev_op is not None):
            self.fail(first, "isn't linked to the block around it")
        else:
            self.ops(first)

    def leave(self, block: Block) -> None:
        drop = self.visible.difference_update
        drop(block.arguments)
        for op in block.ops:
            drop(op.results)

    def ops(self, op: Operation | None) -> None:
        """Check ops in order, up to one with regions: it is continued behind those."""
        visible = self.visible
        issuperset, add, one = visible.issuperset, visible.update, self.one
        block = op.parent if op is not None else None
        before = op.prev_op if op is not None else None
        while op is not None:
            if op.prev_op is not before or op.parent is not block:
                self.fail(op, "isn't linked to the ops around it")
                return
            if not issuperset(op._operands):
                self.visibility(op)
            one(op)
            if op._successors:
                self.successors(op)
            if op.regions:
                self.todo.append((self.behind, op))
                self.regions(op)
                return
            add(op.results)
            before, op = op, op.next_op
        if block is not None and block.last_op is not before:
            self.fail(before, "isn't the last op that its block knows")  # type: ignore[arg-type]

    def behind(self, op: Operation) -> None:
        self.visible.update(op.results)
        self.ops(op.next_op)

    def terminator(self, op: Operation, rules: ClassRules, index: int, block: Block) -> None:
        """The rules about the end of a block of ``op``."""
        last = block.last_op
        one_block = len(op.regions[index].blocks) == 1
        if rules.implicit_terminator is not None:
            if last is None or last.name != rules.implicit_terminator:
                found = f", found '{last.name}'" if last is not None else ""
                words = f"expects regions to end with '{rules.implicit_terminator}'{found}"
                note = "in custom textual format, the absence of terminator implies "
                self.fail(op, words, Note(f"{note}'{rules.implicit_terminator}'"))
        elif last is None:
            if not (rules.no_terminator and one_block):
                text = "empty block: expect at least a terminator"
                self.errors.append(Diagnostic(text, op.location))
        elif not (rules.no_terminator and one_block):
            end = rules_of(last.__class__)
            if end is not None and not end.terminator:
                text = f"block with no terminator, has '{last.name}'"
                self.errors.append(Diagnostic(text, last.location))

    def successors(self, op: Operation) -> None:
        if op.next_op is not None:
            self.fail(op, "with block successors must terminate its parent block")
        for block in op._successors:
            if block.parent is not op.parent_region:
                self.fail(op, "branches to a block that isn't in its region")
            elif block is block.parent.blocks[0]:  # type: ignore[union-attr]
                self.fail(op, "entry block of region may not have predecessors")

    # -- values and symbols ----------------------------------------------------------------------

    def visibility(self, op: Operation) -> None:
        """Word the errors about operands that aren't visible at ``op``, by the exact rules."""
        for i, value in enumerate(op._operands):
            if value in self.visible:
                continue
            barrier = _barrier(value, op)
            if barrier is not None:
                note = Note("required by region isolation constraints", barrier.location)
                self.fail(op, "using value defined outside the region", note)
            elif not self.dominance.properly_dominates(value, op):
                note = Note(_place(value, op), value.location)
                self.fail(op, f"operand #{i} does not dominate this use", note)

    def symbols(self, table: Operation) -> None:
        """Names of one symbol table are unique."""
        seen: dict[str, Operation] = {}
        for op in (op for region in table.regions for block in region.blocks for op in block.ops):
            name = op.attr("sym_name")
            text = getattr(name, "value", None)
            if not isinstance(text, str):
                continue
            if text in seen:
                note = Note("see existing symbol definition here", seen[text].location)
                message = f"redefinition of symbol named '{text}'"
                self.errors.append(Diagnostic(message, op.location, notes=(note,)))
            seen.setdefault(text, op)


def _barrier(value: Value, user: Operation) -> Operation | None:
    """The isolated op between a value's region and its user, if the value is outside of it."""
    block = value.parent_block
    if block is None or block.parent is None:
        return None
    isolated: Operation | None = None
    op: Operation | None = user
    while op is not None and op.parent_region is not block.parent:
        op = op.parent_op
        if op is not None and isolated is None and op.has_trait(IsolatedFromAbove):
            isolated = op
    return isolated if op is not None else None


def _place(value: Value, user: Operation) -> str:
    """MLIR's words for where the definition stands relative to its user."""
    block, at = value.parent_block, user.parent
    if block is None or at is None:
        return "operand defined by an op that is in no block"
    if block is at:
        where = "same block"
    elif block.parent is at.parent:
        where = "same region"
    elif block_ancestor(block.parent, at) is not None:
        where = "parent region"
    elif block_ancestor(at.parent, block) is not None:
        where = "child region"
    else:
        where = ""
    if value.defining_op is not None:
        if not where:
            return "operand defined here (op is neither in a parent nor in a child region)"
        return f"operand defined here (op in {'the' if 'same' in where else 'a'} {where})"
    number = block.parent.blocks.index(block) if block.parent is not None else 0
    around = f" in {'the' if 'same' in where else 'a'} {where}" if where else ""
    return f"operand defined as a block argument (block #{number}{around})"
