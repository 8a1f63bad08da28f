"""Rewriting: the actions of a pattern, in textual order, in front of the matched root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define

from kt.arch.natives import REWRITES
from kt.ir import types as t
from kt.ir.attributes import Attribute, SymbolRefAttr
from kt.ir.build import infer_result_types
from kt.ir.core import Operation, UnregisteredOp, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import pdl
from kt.ir.opdef import SINGLE
from kt.ir.registry import lookup_op
from kt.ir.rewriter import Rewriter
from kt.ir.symbols import lookup
from kt.passes.patterns.matcher import Bindings, constant_of, result_entity

SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")


def apply(pattern: pdl.PatternOp, root: Operation, bound: Bindings, rw: Rewriter) -> None:
    """Do what the pattern's rewrite says with a match."""
    actions = _Actions(bound, root, rw)
    rewrite = pattern.rewrite
    if rewrite.external is not None:
        arguments = [bound[v] for v in rewrite.external_args]
        REWRITES[rewrite.external.value].function(rw, *([root] if rewrite.root else []), *arguments)
        return
    for action in rewrite.actions:
        actions.do(action)


@define(eq=False)
class _Actions:
    bound: Bindings
    root: Operation
    rw: Rewriter

    def do(self, action: Operation) -> None:
        match action:
            case pdl.AttributeOp() | pdl.TypeOp() | pdl.TypesOp():
                self.bound[action.results[0]] = constant_of(action)
            case pdl.OperationOp():
                self.bound[action.handle] = self.rw.insert(self.make(action))
            case pdl.ResultOp() | pdl.ResultsOp():
                self.bound[action.results[0]] = self.result(action)
            case pdl.RangeOp():
                self.bound[action.handle] = tuple(self.flat(action.arguments))
            case pdl.ApplyNativeRewriteOp():
                self.native(action)
            case pdl.ReplaceOp():
                self.replace(action)
            case pdl.EraseOp():
                self.erase(action)

    def flat(self, handles: Sequence[Value]) -> list[Any]:
        """Entities in a row, ranges opened up."""
        found: list[Any] = []
        for handle in handles:
            entity = self.bound[handle]
            found += entity if isinstance(entity, tuple) else (entity,)
        return found

    def fail(self, action: Operation, message: str, hint: str | None = None) -> PassError:
        return PassError(
            message, action.location, notes=[Note("applied to this", self.root.location)], hint=hint
        )

    def result(self, action: pdl.ResultOp | pdl.ResultsOp) -> Any:
        op = self.bound[action.parent_handle]
        found = result_entity(action, op)
        if found is None:
            raise self.fail(action, f"'{op.name}' has only {len(op.results)} results")
        return found

    # -- making ops --------------------------------------------------------------------------------

    def make(self, action: pdl.OperationOp) -> Operation:
        """A detached op as ``pdl.operation`` describes it."""
        assert action.op_name is not None
        name = action.op_name.value
        cls = lookup_op(name)
        operands = self.flat(action.operand_values)
        given = {k: self.bound[v] for k, v in action.named_attributes.items()}
        if cls is None:
            types = self.flat(action.type_values) or self.replaced_types(action) or []
            return UnregisteredOp.make(
                name, operands, types, {}, given, location=self.root.location
            )
        declared = {f.key or f.name for f in cls.fields.attrs} | set(SEGMENTS)  # type: ignore[attr-defined]
        properties = {k: v for k, v in given.items() if k in declared}
        attributes = {k: v for k, v in given.items() if k not in declared}
        types = self.flat(action.type_values)
        if not types and cls.fields.results:  # type: ignore[attr-defined]
            types = self.inferred_types(action, cls, operands, properties)
        return cls(operands, types, properties, attributes, location=self.root.location)

    def inferred_types(
        self,
        action: pdl.OperationOp,
        cls: Any,
        operands: list[Value],
        properties: dict[str, Attribute],
    ) -> Sequence[t.Type]:
        """Result types by the op's own rule, else those of the op that it replaces."""
        try:
            return tuple(infer_result_types(cls, _groups(cls, operands, properties), properties))
        except (TypeError, ValueError, IndexError, KeyError) as error:
            found = self.replaced_types(action)
            if found is None:
                raise self.fail(
                    action, f"the result types of '{cls.name}' don't follow from its operands",
                    "write them: -> (%type : !pdl.type)",
                ) from error  # fmt: skip
            return found

    def replaced_types(self, action: pdl.OperationOp) -> Sequence[t.Type] | None:
        for user in action.handle.users:
            if isinstance(user, pdl.ReplaceOp) and user.repl_operation is action.handle:
                return tuple(r.type for r in self.bound[user.op_value].results)
        return None

    # -- changing ops --------------------------------------------------------------------------------

    def native(self, action: pdl.ApplyNativeRewriteOp) -> None:
        function = REWRITES[action.callee.value].function
        made = function(self.rw, *(self.resolved(action, v) for v in action.operands)) or ()
        self.bound.update(zip(action.results, made, strict=True))

    def resolved(self, action: Operation, handle: Value) -> Any:
        """What a native gets for a handle: for a symbol the function that it names."""
        entity = self.bound[handle]
        if not isinstance(entity, SymbolRefAttr):
            return entity
        found = lookup(action, entity)
        if found is None:
            raise self.fail(action, f"the file of the pattern has no function {entity}")
        return found

    def replace(self, action: pdl.ReplaceOp) -> None:
        old = self.bound[action.op_value]
        if action.repl_operation is not None:
            new = list(self.bound[action.repl_operation].results)
        else:
            new = self.flat(action.repl_values)
        if len(new) != len(old.results):
            raise self.fail(
                action,
                f"'{old.name}' has {len(old.results)} results, but {len(new)} values replace it",
            )
        for before, after in zip(old.results, new, strict=True):
            if before.type is not after.type:
                raise self.fail(
                    action, f"a value of type '{after.type}' replaces one of type '{before.type}'"
                )
        self.step_over(old)
        self.rw.replace(old, new)

    def erase(self, action: pdl.EraseOp) -> None:
        old = self.bound[action.op_value]
        if any(r.has_uses for r in old.results):
            raise self.fail(action, f"'{old.name}' is erased although its results are used")
        self.step_over(old)
        self.rw.erase(old)

    def step_over(self, op: Operation) -> None:
        """Keep the insertion point when the op behind it goes."""
        if self.rw.anchor is op:
            self.rw.move_to(op.parent, op.next_op)  # type: ignore[arg-type]


def _groups(cls: Any, operands: list[Value], properties: dict[str, Attribute]) -> list[list[Value]]:
    """Operands by declared field."""
    declared = cls.fields.operands
    sizes: Any = properties.get(SEGMENTS[0])
    if sizes is None:
        variable = [f for f in declared if f.kind != SINGLE]
        if len(variable) > 1:
            raise ValueError("segments are missing")
        spare = len(operands) - len(declared) + len(variable)
        sizes = [1 if f.kind == SINGLE else spare for f in declared]
    rest = iter(operands)
    groups = [[next(rest) for _ in range(n)] for n in sizes]
    if next(rest, None) is not None or len(groups) != len(declared):
        raise ValueError("operands don't fit the op")
    return groups
