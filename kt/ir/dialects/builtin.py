"""``builtin``: the module, and casts between levels that a conversion leaves behind."""

from __future__ import annotations

from kt.ir.attributes import StringAttr
from kt.ir.constraints import ANY_TYPE
from kt.ir.core import Block, Operation, OpResult, Region, Value
from kt.ir.opdef import optional_attr, region, variadic_operand, variadic_result
from kt.ir.traits import (
    GraphRegion,
    IsolatedFromAbove,
    NoRegionArguments,
    NoTerminator,
    Pure,
    SingleBlock,
    Symbol,
    SymbolTable,
)


class ModuleOp(Operation):
    """A unit of IR: functions, devices and nested modules, looked up by name."""

    name = "builtin.module"
    traits = (
        IsolatedFromAbove(), NoRegionArguments(), SymbolTable(), Symbol(optional=True),
        GraphRegion(), NoTerminator(), SingleBlock(),
    )  # fmt: skip
    assembly_format = "($sym_name^)? attr-dict-with-keyword $body_region"
    default_dialect = "builtin"
    sym_name: StringAttr | None = optional_attr(StringAttr)
    sym_visibility: StringAttr | None = optional_attr(StringAttr)
    body_region: Region = region(single_block=True)

    @classmethod
    def empty(cls, name: str | None = None) -> ModuleOp:
        """A module without operations."""
        return cls.build(sym_name=name, regions=[Region([Block()])])


class UnrealizedConversionCastOp(Operation):
    """Values of one level seen as values of another; goes away when both sides are converted."""

    name = "builtin.unrealized_conversion_cast"
    traits = (Pure(),)
    assembly_format = "($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict"
    inputs: tuple[Value, ...] = variadic_operand(ANY_TYPE)
    outputs: tuple[OpResult, ...] = variadic_result(ANY_TYPE)
