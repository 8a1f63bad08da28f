"""The greedy rewriter: a worklist of ops, folding, patterns, dead code, and unique constants.

A pattern looks at one op and changes the IR through the :class:`Rewriter` it gets, so that the driver
knows what to look at again::

    @pattern("arith.muli")
    def double(op, rw):
        '''x * 2 = x + x'''
        if not is_constant(op.rhs, 2):
            return False
        rw.replace(op, rw.create(AddIOp, op.lhs, op.lhs))
        return True

Each applied rule is recorded with the location of its op in :attr:`RewriteReport.fired`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from attrs import define, field

from kt.ir.builder import Builder, constant_op
from kt.ir.core import Block, Operation, Region, UnregisteredOp, Value
from kt.ir.dce import simplify_regions
from kt.ir.diagnostics import InternalError, Location
from kt.ir.effects import is_dead
from kt.ir.folding import CHANGED, fold
from kt.ir.traits import ConstantLike, IsolatedFromAbove


class Pattern:
    """A rewrite rule. Subclasses set ``root`` and define ``rewrite``.

    ``root`` is an op class, an op name, a tuple of these, or None for every op. Of several patterns
    for an op, those of higher ``benefit`` are tried first, else the earlier in the list.
    """

    root: ClassVar[Any] = None
    benefit: ClassVar[int] = 1

    @property
    def name(self) -> str:
        """How reports call the rule."""
        return type(self).__name__

    def rewrite(self, op: Any, rw: Rewriter) -> bool | None:
        """Change the IR and return True, or change nothing and return False (or None)."""
        return False

    def fits(self, op: Operation) -> bool:
        """Whether ops like this one are candidates (asked once per class or unregistered name)."""
        roots = self.root if isinstance(self.root, tuple) else (self.root,)
        return any(
            root is None or (op.name == root if isinstance(root, str) else isinstance(op, root))
            for root in roots
        )


@define(eq=False)
class FunctionPattern(Pattern):
    """A pattern made of a function; see :func:`pattern`."""

    function: Callable[[Any, Rewriter], bool | None]
    root: Any
    benefit: int
    rule: str

    @property
    def name(self) -> str:
        return self.rule

    def rewrite(self, op: Any, rw: Rewriter) -> bool | None:
        return self.function(op, rw)


def pattern(
    *roots: str | type[Operation], benefit: int = 1, name: str | None = None
) -> Callable[[Callable[[Any, Rewriter], bool | None]], FunctionPattern]:
    """Decorator: a pattern for these op names or classes from ``f(op, rewriter) -> bool``."""

    def make(function: Callable[[Any, Rewriter], bool | None]) -> FunctionPattern:
        rule = name or function.__name__.strip("_").replace("_", "-")
        return FunctionPattern(function, roots or None, benefit, rule)

    return make


CANONICALIZATIONS: dict[str, list[Pattern]] = {}
"""Canonicalization patterns by dialect, see :func:`canonicalization`."""


def canonicalization(
    *roots: str | type[Operation], benefit: int = 1, name: str | None = None
) -> Callable[[Callable[[Any, Rewriter], bool | None]], FunctionPattern]:
    """As :func:`pattern`, and registered for the pass ``canonicalize``."""

    def make(function: Callable[[Any, Rewriter], bool | None]) -> FunctionPattern:
        made = pattern(*roots, benefit=benefit, name=name)(function)
        first = roots[0] if isinstance(roots[0], str) else roots[0].name
        CANONICALIZATIONS.setdefault(first.partition(".")[0], []).append(made)
        return made

    return make


@define(eq=False)
class RewriteReport:
    """What a run did. ``fired`` has (rule, location of the op) for each change, in order."""

    fired: list[tuple[str, Location]] = field(factory=list)
    iterations: int = 0
    converged: bool = True

    @property
    def changed(self) -> bool:
        return bool(self.fired)

    def counts(self) -> dict[str, int]:
        """How often each rule fired, most frequent first."""
        return dict(Counter(rule for rule, _ in self.fired).most_common())


@define(eq=False, slots=False)
class Rewriter(Builder):
    """How patterns change the IR: a builder in front of the op at hand, and tracked changes."""

    driver: _Driver = field(kw_only=True)

    def inserted(self, op: Operation) -> None:
        for inner in op.walk():
            self.driver.push(inner)

    def replace(self, op: Operation, *values: Value | Operation | Sequence[Value]) -> None:
        """Replace the results of ``op`` and erase it. Each value may be an op (all its results)."""
        new: list[Value] = []
        for value in values:
            if isinstance(value, Value):
                new.append(value)
            else:
                new.extend(value.results if isinstance(value, Operation) else value)
        for old, value in zip(op.results, new, strict=True):
            self.replace_uses(old, value)
        self.erase(op)

    def replace_uses(
        self, old: Value, new: Value, where: Callable[[Operation], bool] | None = None
    ) -> None:
        """Replace a value in its users (those for which ``where`` holds)."""
        for user in old.users:
            self.driver.push(user)
        old.replace_all_uses_with(new, where)
        if not old.has_uses and old.defining_op is not None:
            self.driver.push(old.defining_op)

    def erase(self, op: Operation) -> None:
        """Erase an op without uses."""
        self.driver.erase(op)

    def update(self, op: Operation) -> None:
        """Tell that operands, attributes or regions of ``op`` were changed in place."""
        self.driver.push_around(op)

    def set_operands(self, op: Operation, operands: Iterable[Value]) -> None:
        """Change the operands of an op."""
        old = op.operands
        op.operands = tuple(operands)
        for value in old:
            if value.defining_op is not None:
                self.driver.push(value.defining_op)
        self.driver.push_around(op)

    def inline_before(self, block: Block, anchor: Operation, values: Sequence[Value] = ()) -> None:
        """Move all ops of a block in front of ``anchor``, with arguments replaced by ``values``."""
        for argument, value in zip(block.arguments, values, strict=True):
            self.replace_uses(argument, value)
        for op in block.ops:
            self.driver.push(op)
            op.move_before(anchor)

    def move_before(self, op: Operation, anchor: Operation) -> None:
        op.move_before(anchor)
        self.driver.push_around(op)


@define(eq=False)
class _Constants:
    """One constant op per value and type in each isolated region, in front of its entry block."""

    scopes: dict[Region, dict[tuple[Any, Any], Operation]] = field(factory=dict)
    owned: dict[Operation, tuple[Region, tuple[Any, Any]]] = field(factory=dict)

    def adopt(self, op: Operation) -> Operation | None:
        """Take over a constant found in the IR; returns the one that stands for it, if another."""
        home = _home(op)
        if home is None:
            return None
        key = (op.attr("value"), op.results[0].type)
        kept = self.scopes.setdefault(home, {}).get(key)
        if kept is not None and kept is not op:
            return kept
        entry = home.blocks[0]
        if entry.first_op is not op and not (op.parent is entry and op.prev_op in self.owned):
            op.move_before(entry.first_op)  # type: ignore[arg-type]
        self._own(op, home, key)
        return None

    def get(self, value: Any, type: Any, near: Operation) -> Operation | None:
        """The constant for use at ``near``, made if need be."""
        home = _home(near)
        if home is None:
            return None
        key = (value, type)
        found = self.scopes.setdefault(home, {}).get(key)
        if found is None:
            found = constant_op(value, type, near.location)
            home.blocks[0].prepend(found)
            self._own(found, home, key)
        return found

    def _own(self, op: Operation, home: Region, key: tuple[Any, Any]) -> None:
        self.scopes[home][key] = op
        self.owned[op] = (home, key)

    def forget(self, op: Operation) -> None:
        place = self.owned.pop(op, None)
        if place is not None:
            self.scopes[place[0]].pop(place[1], None)


def _home(op: Operation) -> Region | None:
    """The region whose entry block holds the constants that ``op`` uses."""
    region = op.parent_region
    while region is not None:
        around = region.parent
        if (
            around is None
            or isinstance(around, UnregisteredOp)
            or around.has_trait(IsolatedFromAbove)
        ):
            return region
        if around.parent is None:
            return region
        region = around.parent.parent
    return None


def apply_patterns(
    root: Operation,
    patterns: Iterable[Pattern] = (),
    *,
    fold: bool = True,
    max_iterations: int = 10,
    check: bool = False,
) -> RewriteReport:
    """Fold and rewrite everything inside ``root`` until nothing changes.

    Ops are visited in order; changed ops, their users and operands again. With ``fold``, constants
    are folded, made unique per isolated region and moved to its front. Dead ops and unreachable
    blocks always go. An iteration looks at every op once more; after ``max_iterations``, or when
    rules fire endlessly, the report says ``converged = False``. ``check`` compares the IR before and
    after every rule with what the rule returns (slow; InternalError if they differ).
    """
    driver = _Driver(root, tuple(patterns), fold, check)
    report = driver.report
    changed = True
    while changed and report.iterations < max_iterations and not driver.endless:
        report.iterations += 1
        changed = driver.iterate()
    report.converged = not changed
    return report


@define(eq=False)
class _Driver:
    root: Operation
    patterns: tuple[Pattern, ...]
    folding: bool
    check: bool
    report: RewriteReport = field(factory=RewriteReport)
    stack: list[Operation] = field(factory=list)
    waiting: set[Operation] = field(factory=set)
    by_class: dict[Any, tuple[Pattern, ...]] = field(factory=dict)
    constants: _Constants = field(factory=_Constants)
    rewriter: Rewriter = field(init=False)
    limit: int = 0
    endless: bool = False

    def __attrs_post_init__(self) -> None:
        self.rewriter = Rewriter(None, driver=self)

    def iterate(self) -> bool:
        """Visit every op, and what changes on the way; whether anything changed."""
        fired = self.report.fired
        start = len(fired)
        self.constants = _Constants()
        ops = [op for op in self.root.walk() if op is not self.root]
        if self.folding:
            ops = [op for op in ops if not (op.has_trait(ConstantLike) and self.adopt(op))]
        self.limit = len(fired) + 10_000 + 100 * len(ops)
        self.stack, self.waiting = ops[::-1], set(ops)
        while self.stack:
            op = self.stack.pop()
            if op in self.waiting:
                self.waiting.remove(op)
                self.visit(op)
                if len(fired) > self.limit:
                    self.endless = True
                    break
        removed = simplify_regions(self.root, self.erase)
        fired.extend(("region-simplification", self.root.location) for _ in range(removed))
        return len(fired) > start

    def visit(self, op: Operation) -> None:
        """Apply the first thing that applies to one op."""
        if is_dead(op):
            self.report.fired.append(("dead", op.location))
            self.erase(op)
            return
        if self.folding:
            if op.has_trait(ConstantLike):
                self.adopt(op)
                return
            if self.fold(op):
                return
        rewriter = self.rewriter
        for rule in self.rules(op):
            rewriter.block, rewriter.anchor = op.parent, op
            place = rewriter.location = op.location
            if self.checked(rule, op) if self.check else rule.rewrite(op, rewriter):
                self.report.fired.append((rule.name, place))
                return

    def rules(self, op: Operation) -> tuple[Pattern, ...]:
        key = op.name if isinstance(op, UnregisteredOp) else type(op)
        found = self.by_class.get(key)
        if found is None:
            fitting = [p for p in self.patterns if p.fits(op)]
            found = self.by_class[key] = tuple(sorted(fitting, key=lambda p: -p.benefit))
        return found

    def adopt(self, op: Operation) -> bool:
        """Make a constant unique; True if it was replaced by an equal one."""
        kept = self.constants.adopt(op)
        if kept is None:
            return False
        self.report.fired.append(("unique-constant", op.location))
        self.replace(op, [kept.results[0]])
        return True

    def fold(self, op: Operation) -> bool:
        found = fold(op)
        if found is None:
            return False
        place = op.location
        if found is CHANGED:
            self.push_around(op)
        else:
            values: list[Value] = []
            for old, new in zip(op.results, found, strict=True):
                if not isinstance(new, Value):
                    made = self.constants.get(new, old.type, op)
                    if made is None:
                        return False
                    new = made.results[0]
                values.append(new)
            self.replace(op, values)
        self.report.fired.append((f"fold {op.name}", place))
        return True

    def replace(self, op: Operation, values: Sequence[Value]) -> None:
        for old, new in zip(op.results, values, strict=True):
            for user in old.users:
                self.push(user)
            old.replace_all_uses_with(new)
        self.erase(op)

    def push(self, op: Operation) -> None:
        if op not in self.waiting and op is not self.root:
            self.waiting.add(op)
            self.stack.append(op)

    def push_around(self, op: Operation) -> None:
        """An op changed: look at it, and at the users of its results."""
        for value in op.results:
            for user in value.users:
                self.push(user)
        self.push(op)

    def erase(self, op: Operation) -> None:
        """Erase an op; ops that may be dead now are looked at."""
        sources = [v.defining_op for inner in op.walk() for v in inner._operands]
        for inner in op.walk():
            self.waiting.discard(inner)
            self.constants.forget(inner)
        op.erase()
        for source in sources:
            if source is not None and source.parent is not None:
                self.push(source)

    def checked(self, rule: Pattern, op: Operation) -> bool:
        before = fingerprint(self.root)
        changed = bool(rule.rewrite(op, self.rewriter))
        if changed != (before != fingerprint(self.root)):
            said = "a change but made none" if changed else "no change but made one"
            raise InternalError(f"pattern '{rule.name}' reports {said}", self.rewriter.location)
        return changed


def fingerprint(root: Operation) -> int:
    """A number that changes when anything inside ``root`` changes (in this process)."""
    return hash(
        tuple(
            (
                id(op),
                tuple(map(id, op._operands)),
                tuple((id(v), id(v.type)) for v in op.results),
                tuple((k, id(v)) for k, v in sorted((op._properties or {}).items())),
                tuple((k, id(v)) for k, v in sorted((op._attributes or {}).items())),
                tuple(map(id, op._successors)),
                tuple((id(b), *map(id, b.arguments)) for r in op.regions for b in r.blocks),
                id(op.parent),
            )
            for op in root.walk()
        )
    )
