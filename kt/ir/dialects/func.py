"""``func``: functions, calls and returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, DictAttr, StringAttr, SymbolRefAttr, UnitAttr
from kt.ir.constraints import ANY_TYPE, FUNCTION_TYPE, AttrConstraint, array_of
from kt.ir.core import Block, BlockArgument, Operation, OpResult, Region, Value
from kt.ir.diagnostics import UNKNOWN, Location
from kt.ir.dialects.common import result_name
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
    variadic_result,
)
from kt.ir.traits import (
    ConstantLike,
    HasParent,
    IsolatedFromAbove,
    Pure,
    ReturnLike,
    Symbol,
    Terminator,
)

FLAT_SYMBOL = AttrConstraint(
    "flat symbol reference attribute",
    lambda a: isinstance(a, SymbolRefAttr) and not a.nested,
    SymbolRefAttr,
)
FUNCTION_TYPE_ATTR = AttrConstraint(
    "type attribute of function type", lambda a: isinstance(a, t.FunctionType), t.FunctionType
)
DICT_ARRAY = array_of(DictAttr, "Array of dictionary attributes")


class FuncOp(Operation):
    """A function: a name, a type, and a body unless it is only declared."""

    name = "func.func"
    traits = (IsolatedFromAbove(), Symbol())
    sym_name: StringAttr = attr(StringAttr)
    function_type: t.FunctionType = attr(FUNCTION_TYPE_ATTR)
    sym_visibility: StringAttr | None = optional_attr(StringAttr)
    arg_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    res_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    no_inline: UnitAttr | None = optional_attr(UnitAttr)
    body_region: Region = region()
    default_dialect = "func"

    @classmethod
    def of(
        cls,
        name: str,
        inputs: Iterable[t.Type] = (),
        results: Iterable[t.Type] = (),
        *,
        attributes: dict[str, Any] | None = None,
        visibility: str | None = None,
        location: Location = UNKNOWN,
    ) -> FuncOp:
        """A function with an empty entry block whose arguments have the types ``inputs``."""
        type = t.FunctionType(tuple(inputs), tuple(results))
        return cls.build(
            sym_name=name,
            function_type=type,
            sym_visibility=visibility,
            regions=[Region([Block(type.inputs)])],
            attributes=attributes,
            result_types=(),
            location=location,
        )

    @property
    def is_declaration(self) -> bool:
        """Whether there is no body."""
        return self.body_region.is_empty

    @property
    def symbol(self) -> str:
        """The function's name."""
        return self.sym_name.value

    @property
    def is_private(self) -> bool:
        """Whether only this module can call it."""
        return self.sym_visibility is not None and self.sym_visibility.value == "private"

    @property
    def entry(self) -> Block:
        """The entry block."""
        return self.body_region.blocks[0]

    @property
    def arguments(self) -> list[BlockArgument]:
        """Arguments of the entry block; empty for a declaration."""
        return [] if self.is_declaration else self.entry.arguments

    def argument_attrs(self, index: int) -> DictAttr:
        """Attributes of one argument."""
        return self.arg_attrs[index] if self.arg_attrs is not None else DictAttr()  # type: ignore

    def update_type(self) -> None:
        """Make ``function_type`` agree with the entry block, after its arguments changed."""
        types = tuple(a.type for a in self.entry.arguments)
        self.function_type = t.FunctionType(types, self.function_type.results)

    def verify_(self) -> None:
        inputs = self.function_type.inputs
        for what, held, expected in (
            ("argument", self.arg_attrs, len(inputs)),
            ("result", self.res_attrs, len(self.function_type.results)),
        ):
            if held is not None and len(held) != expected:
                raise self.error(
                    f"expects {what} attribute array to have the same number of elements as the "
                    f"number of function {what}s, got {len(held)}, but expected {expected}"
                )
        if self.is_declaration:
            if self.sym_visibility is None or self.sym_visibility.value == "public":
                raise self.error(
                    "symbol declaration cannot have public visibility",
                    hint="write 'func.func private', or give the function a body",
                )
            return
        arguments = self.entry.arguments
        if len(arguments) != len(inputs):
            raise self.error(
                f"entry block must have {len(inputs)} arguments to match function signature"
            )
        for i, (argument, type) in enumerate(zip(arguments, inputs, strict=True)):
            if argument.type is not type:
                raise self.error(
                    f"type of entry block argument #{i}('{argument.type}') must match the type of "
                    f"the corresponding argument in function signature('{type}')"
                )


class ReturnOp(Operation):
    """Leave the function with these values."""

    name = "func.return"
    traits = (Pure(), HasParent(("func.func",)), ReturnLike(), Terminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()

    def verify_(self) -> None:
        function = self.parent_op
        if not isinstance(function, FuncOp) or function.function_type is None:
            return
        expected = function.function_type.results
        if len(self.values) != len(expected):
            raise self.error(
                f"has {len(self.values)} operands, but enclosing function "
                f"(@{function.symbol}) returns {len(expected)}"
            )
        for i, (value, type) in enumerate(zip(self.values, expected, strict=True)):
            if value.type is not type:
                raise self.error(
                    f"type of return operand {i} ('{value.type}') doesn't match function result "
                    f"type ('{type}') in function @{function.symbol}"
                )


class CallOp(Operation):
    """Call a function of the module by name."""

    name = "func.call"
    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $outputs)"
    )
    callee: SymbolRefAttr = attr(FLAT_SYMBOL)
    arguments: tuple[Value, ...] = variadic_operand()
    arg_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    res_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    no_inline: UnitAttr | None = optional_attr(UnitAttr)
    outputs: tuple[OpResult, ...] = variadic_result()

    def verify_(self) -> None:
        from kt.ir.symbols import lookup

        if self.parent is None:
            return
        target = lookup(self, self.callee)
        if not isinstance(target, FuncOp):
            raise self.error(f"'{self.callee.root}' does not reference a valid function")
        _check_call(self, target.function_type, self.arguments, "callee")


def _check_call(
    op: Operation, type: t.FunctionType | None, arguments: tuple[Value, ...], what: str
) -> None:
    """Operands and results of a call against the type that it calls."""
    if type is None:  # of a function that is wrong itself
        return
    if len(arguments) != len(type.inputs):
        raise op.error(f"incorrect number of operands for {what}")
    for i, (value, expected) in enumerate(zip(arguments, type.inputs, strict=True)):
        if value.type is not expected:
            raise op.error(
                "operand type mismatch: expected operand type "
                f"'{expected}', but provided '{value.type}' for operand number {i}"
            )
    if len(op.results) != len(type.results):
        raise op.error(f"incorrect number of results for {what}")
    for i, (value, expected) in enumerate(zip(op.results, type.results, strict=True)):
        if value.type is not expected:
            raise op.error(
                f"result type mismatch at index {i}: op result type '{value.type}', "
                f"function result type '{expected}'"
            )


class CallIndirectOp(Operation):
    """Call a function value."""

    name = "func.call_indirect"
    assembly_format = "$callee `(` $callee_operands `)` attr-dict `:` type($callee)"
    callee: Value = operand(FUNCTION_TYPE)
    callee_operands: tuple[Value, ...] = variadic_operand()
    arg_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    res_attrs: ArrayAttr | None = optional_attr(DICT_ARRAY)
    outputs: tuple[OpResult, ...] = variadic_result()

    @staticmethod
    def infer_types(callee: Any, operands: Any, properties: dict[str, Any]) -> tuple[t.Type, ...]:
        return callee[0].type.results

    def verify_(self) -> None:
        type = self.callee.type
        assert isinstance(type, t.FunctionType)
        _check_call(self, type, self.callee_operands, "callee")


class ConstantOp(Operation):
    """A function of the module as a value."""

    name = "func.constant"
    traits = (ConstantLike(), Pure())
    assembly_format = "attr-dict $value `:` type($result)"
    value: SymbolRefAttr = attr(FLAT_SYMBOL)
    result: OpResult = result(ANY_TYPE)
    result_name_hint = result_name("f")

    def verify_(self) -> None:
        from kt.ir.symbols import lookup

        if self.parent is None:
            return
        target = lookup(self, self.value)
        if not isinstance(target, FuncOp):
            raise self.error(f"reference to undefined function '{self.value.root}'")
        if target.function_type is not self.result.type:
            raise self.error(
                f"reference to function with mismatched type: '{self.result.type}' here, "
                f"'{target.function_type}' at the function"
            )
