"""Matching: what each handle of a pattern stands for in the IR.

Structure comes first: from the root down to the operations that its operands come from, then upwards
to users of what is bound. Native constraints follow in textual order, so they see a whole match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field

from kt.arch.natives import CONSTRAINTS
from kt.ir.core import Operation, OpResult, Value
from kt.ir.diagnostics import DeviceError, Note
from kt.ir.dialects import pdl
from kt.ir.dialects.pdl_types import RangeType

Entity = Any
"""An operation, value, type or attribute; a tuple of values or types for a range."""
Bindings = dict[Value, Entity]


def root_of(pattern: pdl.PatternOp) -> pdl.OperationOp:
    """The operation that a match starts at: the one the rewrite names, else the last one that no
    other operation of the pattern uses.
    """
    named = pattern.rewrite.root
    if named is not None:
        maker = named.defining_op
        assert isinstance(maker, pdl.OperationOp)
        return maker
    made = [op for op in pattern.matcher if isinstance(op, pdl.OperationOp)]
    free = [op for op in made if not _feeds_another(op)]
    return (free or made)[-1]


def _feeds_another(op: pdl.OperationOp) -> bool:
    results = [u for u in op.handle.users if isinstance(u, (pdl.ResultOp, pdl.ResultsOp))]
    return any(isinstance(u, pdl.OperationOp) for r in results for u in r.handle.users)


def constants(pattern: pdl.PatternOp) -> Bindings:
    """The handles that stand for constants of the matcher."""
    found: Bindings = {}
    for op in pattern.matcher:
        value = constant_of(op)
        if value is not None:
            found[op.results[0]] = value
    return found


def constant_of(op: Operation) -> Entity | None:
    """The attribute, type or types that an op of a pattern spells out."""
    if isinstance(op, pdl.AttributeOp):
        return op.value
    if isinstance(op, pdl.TypeOp):
        return op.constant
    if isinstance(op, pdl.TypesOp):
        return None if op.constant is None else tuple(op.constant)
    return None


def matches(pattern: pdl.PatternOp, fixed: Bindings, op: Operation) -> Bindings | None:
    """The bindings under which ``op`` is the root of a match; None if it is none."""
    first = _Match(dict(fixed))
    if not first.operation(root_of(pattern), op):
        return None
    others = [o for o in pattern.matcher if isinstance(o, pdl.OperationOp)]
    return next(_complete(pattern, others, first.bound), None)


def _complete(
    pattern: pdl.PatternOp, others: Sequence[pdl.OperationOp], bound: Bindings
) -> Iterator[Bindings]:
    """Bind operations that lie above what is bound, one after the other; then ask the natives."""
    open_ = [o for o in others if o.handle not in bound]
    if not open_:
        done = dict(bound)
        if _constraints_hold(pattern, done):
            yield done
        return
    above = next((o for o in open_ if _bound_operands(o, bound)), None)
    if above is None:
        return
    taken = {bound[o.handle] for o in others if o.handle in bound}
    for user in dict.fromkeys(u for v in _bound_operands(above, bound) for u in v.users):
        attempt = _Match(dict(bound))
        if user not in taken and attempt.operation(above, user):
            yield from _complete(pattern, others, attempt.bound)


def _bound_operands(op: pdl.OperationOp, bound: Bindings) -> list[Value]:
    """Values of the IR that an operation of the pattern must have among its operands."""
    found: list[Value] = []
    for handle in op.operand_values:
        entity = bound.get(handle)
        maker = handle.defining_op
        if entity is None and isinstance(maker, (pdl.ResultOp, pdl.ResultsOp)):
            made = bound.get(maker.parent_handle)
            entity = None if made is None else result_entity(maker, made)
        found += entity if isinstance(entity, tuple) else [] if entity is None else [entity]
    return found


def result_entity(handle: pdl.ResultOp | pdl.ResultsOp, op: Operation) -> Entity | None:
    """What ``pdl.result`` or ``pdl.results`` of an op is; None when it has no such result."""
    if handle.index is None:
        return tuple(op.results)
    number = handle.index.value
    if isinstance(handle.results[0].type, RangeType):
        groups = result_groups(op)
        return groups[number] if number < len(groups) else None
    return op.results[number] if number < len(op.results) else None


def result_groups(op: Operation) -> list[tuple[Value, ...]]:
    """Results by declared field (all in one group for an op that no dialect declares)."""
    declared = getattr(type(op), "fields", None)
    if declared is None or not declared.results:
        return [tuple(op.results)]
    groups = [getattr(op, f.name) for f in declared.results]
    return [g if isinstance(g, tuple) else () if g is None else (g,) for g in groups]


def _constraints_hold(pattern: pdl.PatternOp, bound: Bindings) -> bool:
    for op in pattern.matcher:
        if not isinstance(op, pdl.ApplyNativeConstraintOp):
            continue
        loose = next((v for v in op.operands if v not in bound), None)
        if loose is not None:
            raise DeviceError(
                f"native constraint '{op.callee.value}' gets a handle that nothing binds",
                op.location,
                notes=[Note("the handle is made here", loose.location)],
                hint="let an operation of the pattern use it, or make it a constant",
            )
        answer = CONSTRAINTS[op.callee.value].function(*(bound[v] for v in op.operands))
        if (answer is None) is not bool(op.is_negated.value):
            return False
        match = _Match(bound)
        if answer is not None and not all(map(match.bind, op.results, answer)):
            return False
    return True


@define
class _Match:
    bound: Bindings = field(factory=dict)

    def bind(self, handle: Value, entity: Entity) -> bool:
        """A handle stands for one entity everywhere."""
        known = self.bound.setdefault(handle, entity)
        return known is entity or known == entity

    def operation(self, wanted: pdl.OperationOp, op: Operation) -> bool:
        if wanted.handle in self.bound:
            return self.bound[wanted.handle] is op
        if wanted.op_name is not None and wanted.op_name.value != op.name:
            return False
        self.bound[wanted.handle] = op
        for name, handle in wanted.named_attributes.items():
            found = op.attr(name)
            if found is None or not self.attribute(handle, found):
                return False
        return self.each(wanted.operand_values, op.operands, self.value) and self.each(
            wanted.type_values, tuple(r.type for r in op.results), self.bind
        )

    def each(self, handles: Sequence[Value], entities: Sequence[Entity], match: Any) -> bool:
        """Handles one by one; one of them may be a range, which takes what the others leave."""
        ranges = [i for i, h in enumerate(handles) if isinstance(h.type, RangeType)]
        if len(ranges) > 1:
            raise DeviceError(
                "a pattern operation with several ranges among its operands or results can't be matched",
                handles[ranges[1]].location,
                hint="give all but one of them by single values",
            )
        spare = len(entities) - len(handles)
        if not ranges:
            return spare == 0 and all(map(match, handles, entities))
        if spare < -1:
            return False
        at = ranges[0]
        parts = [*entities[:at], tuple(entities[at : at + spare + 1]), *entities[at + spare + 1 :]]
        return all(map(match, handles, parts))

    def attribute(self, handle: Value, found: Any) -> bool:
        maker = handle.defining_op
        if isinstance(maker, pdl.AttributeOp) and maker.value_type is not None:
            type = getattr(found, "type", None)
            if type is None or not self.bind(maker.value_type, type):
                return False
        return self.bind(handle, found)

    def value(self, handle: Value, found: Any) -> bool:
        """A value, or a tuple of values for a range."""
        maker = handle.defining_op
        if isinstance(maker, (pdl.OperandOp, pdl.OperandsOp)) and maker.value_type is not None:
            many = isinstance(found, tuple)
            types = tuple(v.type for v in found) if many else found.type
            if not self.bind(maker.value_type, types):
                return False
        if isinstance(maker, (pdl.ResultOp, pdl.ResultsOp)):
            first = (found[0] if found else None) if isinstance(found, tuple) else found
            wanted = maker.parent_handle.defining_op
            if not isinstance(first, OpResult) or not isinstance(wanted, pdl.OperationOp):
                return False
            if not self.operation(wanted, first.owner):
                return False
            if result_entity(maker, first.owner) != found:
                return False
        return self.bind(handle, found)
