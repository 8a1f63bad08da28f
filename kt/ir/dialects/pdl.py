"""``pdl``: rewrite patterns as IR, the language of a device's own rewrites.

A pattern's body describes what to match; its last op, ``pdl.rewrite``, what to make of it. Matching
and rewriting are done by the passes; this file has structure and verification.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.build import infer_type
from kt.ir.constraints import ANY_ATTR, BOOL_ATTR, I32_ATTR, array_of
from kt.ir.core import Operation, OpResult, Value
from kt.ir.diagnostics import Note
from kt.ir.dialects.pdl_types import (
    ANY_HANDLE,
    ATTRIBUTE,
    BENEFIT,
    NAMES,
    OPERATION,
    RANGE,
    TYPE,
    TYPE_RANGE,
    TYPES,
    VALUE,
    VALUE_RANGE,
    VALUES,
    OperationType,
)
from kt.ir.opdef import (
    SINGLE,
    attr,
    operand,
    optional_attr,
    optional_operand,
    region,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import (
    AttrSizedOperands,
    HasParent,
    IsolatedFromAbove,
    NoRegionArguments,
    NoTerminator,
    SingleBlock,
    Symbol,
    Terminator,
)


class PdlOp(Operation):
    """Base of all ops that stand in a pattern."""

    @property
    def in_rewrite(self) -> bool:
        """Whether this op makes something (rather than matching it)."""
        return isinstance(self.parent_op, RewriteOp)


class BindingOp(PdlOp):
    """Base of matcher entities, which must be used by the matcher or the rewrite to be bound."""

    def verify_(self) -> None:
        if isinstance(self.parent_op, PatternOp) and not _has_binding_use(self):
            raise self.error(
                "expected a bindable user when defined in the matcher body of a `pdl.pattern`"
            )


# -- the pattern -----------------------------------------------------------------------------------


class PatternOp(Operation):
    """A pattern: ops that match, then one ``pdl.rewrite``. Higher ``benefit`` goes first."""

    name = "pdl.pattern"
    default_dialect = "pdl"
    traits = (IsolatedFromAbove(), SingleBlock(), NoTerminator(), NoRegionArguments(), Symbol(True))
    assembly_format = "($sym_name^)? `:` `benefit` `(` $benefit `)` attr-dict-with-keyword $content"
    benefit: IntegerAttr = attr(BENEFIT)
    sym_name: StringAttr | None = optional_attr(StringAttr)
    content = region(single_block=True)

    @property
    def matcher(self) -> Iterator[Operation]:
        """The matching ops, in order."""
        return (op for op in self.regions[0].block.ops if not isinstance(op, RewriteOp))

    @property
    def rewrite(self) -> RewriteOp:
        last = self.regions[0].block.last_op
        if not isinstance(last, RewriteOp):
            raise self.error("expected body to terminate with `pdl.rewrite`")
        return last

    def verify_(self) -> None:
        foreign = next((op for op in self.regions[0].walk() if op.dialect != "pdl"), None)
        if foreign is not None:
            raise self.error(
                "expected only `pdl` operations within the pattern body",
                notes=[Note("see non-`pdl` operation defined here", foreign.location)],
            )
        _ = self.rewrite
        if not any(isinstance(op, OperationOp) for op in self.matcher):
            raise self.error("the pattern must contain at least one `pdl.operation`")
        self._verify_connected()

    def _verify_connected(self) -> None:
        ops = [
            op
            for op in self.matcher
            if isinstance(op, (OperandOp, OperandsOp, OperationOp, ResultOp, ResultsOp))
        ]
        reached: list[Operation] = []
        work = ops[:1]
        while work:
            op = work.pop()
            if op in reached:
                continue
            reached.append(op)
            near = [v.defining_op for v in op.operands] + [u for r in op.results for u in r.users]
            work += [n for n in near if n in ops and n not in reached]
        lost = next((op for op in ops if op not in reached), None)
        if lost is not None:
            raise self.error(
                "the operations must form a connected component",
                notes=[Note("see a disconnected value / operation here", lost.location)],
            )


class RewriteOp(PdlOp):
    """What to make of a match: actions in its body, or the name of an external function."""

    name = "pdl.rewrite"
    default_dialect = "pdl"
    traits = (
        AttrSizedOperands(),
        Terminator(),
        HasParent(("pdl.pattern",)),
        SingleBlock(),
        NoTerminator(),
        NoRegionArguments(),
    )
    root: Value | None = optional_operand(OPERATION)
    external_args: tuple[Value, ...] = variadic_operand(ANY_HANDLE)
    external: StringAttr | None = optional_attr(StringAttr, key="name")
    content = region()

    @property
    def actions(self) -> Iterator[Operation]:
        """The actions, in order."""
        return iter(self.regions[0].blocks[0].ops) if self.regions[0].blocks else iter(())

    def verify_(self) -> None:
        empty = all(block.is_empty for block in self.regions[0].blocks)
        if self.external is not None:
            if not empty:
                raise self.error("expected rewrite region to be empty when rewrite is external")
        elif self.external_args:
            raise self.error("expected no external arguments when the rewrite is specified inline")
        elif empty:
            raise self.error(
                "expected rewrite region to be non-empty if external name is not specified"
            )


# -- entities --------------------------------------------------------------------------------------


class AttributeOp(BindingOp):
    """An attribute: any, of a type, or a constant."""

    name = "pdl.attribute"
    assembly_format = "(`:` $value_type^)? (`=` $value^)? attr-dict-with-keyword"
    value_type: Value | None = optional_operand(TYPE)
    value: Attribute | None = optional_attr(ANY_ATTR)
    handle: OpResult = result(ATTRIBUTE)

    def verify_(self) -> None:
        if self.in_rewrite:
            if self.value is None:
                raise self.error("expected constant value when specified within a `pdl.rewrite`")
        else:
            BindingOp.verify_(self)
        if self.value is not None and self.value_type is not None:
            raise self.error("expected only one of [`type`, `value`] to be set")


class TypeOp(BindingOp):
    """A type: any, or a constant."""

    name = "pdl.type"
    assembly_format = "attr-dict (`:` $constant^)?"
    constant: Attribute | None = optional_attr(t.Type, key="constantType")
    handle: OpResult = result(TYPE)


class TypesOp(BindingOp):
    """A list of types: any, or a constant one."""

    name = "pdl.types"
    assembly_format = "attr-dict (`:` $constant^)?"
    constant: ArrayAttr | None = optional_attr(
        array_of(t.Type, "type array attribute"), key="constantTypes"
    )
    handle: OpResult = result(TYPE_RANGE)


class OperandOp(BindingOp):
    """A value that comes from outside of the match; of a type if one is given."""

    name = "pdl.operand"
    traits = (HasParent(("pdl.pattern",)),)
    assembly_format = "(`:` $value_type^)? attr-dict"
    value_type: Value | None = optional_operand(TYPE)
    handle: OpResult = result(VALUE)


class OperandsOp(BindingOp):
    """A list of values from outside of the match."""

    name = "pdl.operands"
    traits = (HasParent(("pdl.pattern",)),)
    assembly_format = "(`:` $value_type^)? attr-dict"
    value_type: Value | None = optional_operand(TYPE_RANGE)
    handle: OpResult = result(VALUE_RANGE)


class OperationOp(PdlOp):
    """An operation to match or to make, with operands, named attributes and result types."""

    name = "pdl.operation"
    traits = (AttrSizedOperands(),)
    operand_values: tuple[Value, ...] = variadic_operand(VALUES)
    attribute_values: tuple[Value, ...] = variadic_operand(ATTRIBUTE)
    type_values: tuple[Value, ...] = variadic_operand(TYPES)
    op_name: StringAttr | None = optional_attr(StringAttr, key="opName")
    attribute_names: ArrayAttr = attr(NAMES, key="attributeValueNames")
    handle: OpResult = result(OPERATION)

    @property
    def named_attributes(self) -> dict[str, Value]:
        """The handles of attributes by name."""
        names = [a.value for a in self.attribute_names]  # type: ignore[attr-defined]
        return dict(zip(names, self.attribute_values, strict=True))

    def verify_(self) -> None:
        names = [a.value for a in self.attribute_names]  # type: ignore[attr-defined]
        if len(names) != len(self.attribute_values):
            raise self.error(
                f"expected the same number of attribute values and attribute names, got "
                f"{len(names)} names and {len(self.attribute_values)} values"
            )
        repeated = next((n for i, n in enumerate(names) if n in names[:i]), None)
        if repeated is not None:
            raise self.error(f"attribute '{repeated}' occurs more than once", code="strict")
        if self.in_rewrite:
            if self.op_name is None:
                raise self.error("must have an operation name when nested within a `pdl.rewrite`")
            self._verify_result_types()
        elif isinstance(self.parent_op, PatternOp) and not _has_binding_use(self):
            raise self.error(
                "expected a bindable user when defined in the matcher body of a `pdl.pattern`"
            )

    def _verify_result_types(self) -> None:
        """Result types of a created op are given, inferred, or those of the op it replaces."""
        assert self.op_name is not None
        words = "must have inferable or constrained result types when nested within `pdl.rewrite`"
        for i, value in enumerate(self.type_values):
            maker = value.defining_op
            if isinstance(maker, (TypeOp, TypesOp)) and maker.in_rewrite and maker.constant is None:
                raise self.error(words, notes=[Note(f"result type #{i} was not constrained")])
        made = registry.lookup_op(self.op_name.value)
        if self.type_values or made is None or not made.fields.results or self._replaces():
            return
        if not _infers_results(made):
            raise self.error(
                words,
                notes=[
                    Note(
                        f"operation is created in a non-inferrable context, but "
                        f"'{self.op_name.value}' does not infer its result types"
                    )
                ],
            )

    def _replaces(self) -> bool:
        return any(
            isinstance(u, ReplaceOp) and u.repl_operation is self.result for u in self.result.users
        )


def _infers_results(made: Any) -> bool:
    """Whether ``build`` of an op class can do without result types."""
    if getattr(made, "infer_types", None) is not None:
        return True
    known: dict[str, t.Type] = {f.name: t.index for f in made.fields.operands}
    return all(
        f.kind == SINGLE and (f.constraint.exact or infer_type(made, f.name, known))
        for f in made.fields.results
    )


class ResultOp(PdlOp):
    """Result number ``index`` of an operation."""

    name = "pdl.result"
    assembly_format = "$index `of` $parent_handle attr-dict"
    index: IntegerAttr = attr(I32_ATTR)
    parent_handle: Value = operand(OPERATION)
    handle: OpResult = result(VALUE)


class ResultsOp(PdlOp):
    """All results of an operation, or one of its result groups."""

    name = "pdl.results"
    index: IntegerAttr | None = optional_attr(I32_ATTR)
    parent_handle: Value = operand(OPERATION)
    handle: OpResult = result(VALUES)

    def verify_(self) -> None:
        if self.index is None and not VALUE_RANGE.holds(self.result.type):
            raise self.error(
                "expected `pdl.range<value>` result type when no index is specified, but got: "
                f"'{self.result.type}'"
            )


class RangeOp(PdlOp):
    """Values or types in a row."""

    name = "pdl.range"
    assembly_format = "custom<PdlRange>($arguments, type($arguments), type($handle)) attr-dict"
    traits = (HasParent(("pdl.rewrite",)),)
    arguments: tuple[Value, ...] = variadic_operand(ANY_HANDLE)
    handle: OpResult = result(RANGE)

    def verify_(self) -> None:
        element = self.result.type.element  # type: ignore[attr-defined]
        for value in self.operands:
            if getattr(value.type, "element", value.type) is not element:
                raise self.error(
                    f"expected operand to have element type '{element}', but got '{value.type}'"
                )


# -- natives and actions ---------------------------------------------------------------------------


class ApplyNativeConstraintOp(PdlOp):
    """A condition that a named function decides; it may bind results. ``isNegated`` turns it round."""

    name = "pdl.apply_native_constraint"
    assembly_format = "$callee `(` $args `:` type($args) `)` (`:` type($bound)^ )? attr-dict"
    callee: StringAttr = attr(StringAttr, key="name")
    is_negated: IntegerAttr = optional_attr(
        BOOL_ATTR, key="isNegated", default=IntegerAttr(0, t.i1)
    )
    args: tuple[Value, ...] = variadic_operand(ANY_HANDLE)
    bound: tuple[OpResult, ...] = variadic_result(ANY_HANDLE)

    def verify_(self) -> None:
        if not self.operands:
            raise self.error("expected at least one argument")
        if any(isinstance(r.type, OperationType) for r in self.results):
            raise self.error("returning an operation from a constraint is not supported")


class ApplyNativeRewriteOp(PdlOp):
    """An action done by a named function."""

    name = "pdl.apply_native_rewrite"
    traits = (HasParent(("pdl.rewrite",)),)
    assembly_format = "$callee (`(` $args^ `:` type($args) `)`)? (`:` type($made)^)? attr-dict"
    callee: StringAttr = attr(StringAttr, key="name")
    args: tuple[Value, ...] = variadic_operand(ANY_HANDLE)
    made: tuple[OpResult, ...] = variadic_result(ANY_HANDLE)

    def verify_(self) -> None:
        if not self.operands and not self.results:
            raise self.error("expected at least one argument or result")


class ReplaceOp(PdlOp):
    """Redirect all uses of an op's results to another op or to values, then erase it."""

    name = "pdl.replace"
    traits = (AttrSizedOperands(), HasParent(("pdl.rewrite",)))
    assembly_format = (
        "$op_value `with` (`(` $repl_values^ `:` type($repl_values) `)`)? "
        "($repl_operation^)? attr-dict"
    )
    op_value: Value = operand(OPERATION)
    repl_operation: Value | None = optional_operand(OPERATION)
    repl_values: tuple[Value, ...] = variadic_operand(VALUES)

    def verify_(self) -> None:
        if self.repl_operation is not None and self.repl_values:
            raise self.error(
                "expected no replacement values to be provided when the replacement operation is "
                "present"
            )


class EraseOp(PdlOp):
    """Erase an op, which must be unused by then."""

    name = "pdl.erase"
    traits = (HasParent(("pdl.rewrite",)),)
    assembly_format = "$op_value attr-dict"
    op_value: Value = operand(OPERATION)


def _has_binding_use(op: Operation) -> bool:
    """Whether an entity is used as part of the match, or in the rewrite."""
    for user in (u for r in op.results for u in r.users):
        if not isinstance(user, (ResultOp, ResultsOp)) or _has_binding_use(user):
            return True
    return False
