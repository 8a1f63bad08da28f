"""Instruction templates: functions beside a device that say what its instructions compute.

A template is a straight line of scalar ops. It may call other templates of its file; the device gives
each one with these calls put in place, so that whoever runs or embeds it needs nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from kt.ir.attributes import FloatAttr, IntegerAttr
from kt.ir.clone import clone_ops
from kt.ir.core import Block, Operation, Region, Value
from kt.ir.diagnostics import DeviceError
from kt.ir.dialects.func import CallOp, FuncOp, ReturnOp

TEMPLATE = "kt.template"
ULP = "kt.ulp"
DEFAULT_ULP = 2
"""What a template may be off that states nothing."""


def ulp_of(function: Operation) -> float:
    """Units in the last place that what a function computes may be off (``kt.ulp``)."""
    stated = function.attr(ULP)
    if stated is None:
        return DEFAULT_ULP
    if not isinstance(stated, (IntegerAttr, FloatAttr)) or not 0 <= stated.value < math.inf:
        raise DeviceError(
            f"attribute '{ULP}' must be a number of at least 0, but is {stated}", function.location
        )
    return stated.value


def templates_of(modules: Iterable[Operation]) -> dict[str, Operation]:
    """The templates of some modules by name, later ones before earlier ones of a name."""
    found = {
        op.symbol: op
        for module in modules
        for op in module.walk_type(FuncOp)
        if op.attr(TEMPLATE) is not None and not op.is_declaration
    }
    return {name: _flat(op, found) for name, op in found.items()}


def _flat(function: FuncOp, known: Mapping[str, FuncOp]) -> Operation:
    """A function without calls (itself, if it makes none)."""
    if not any(isinstance(op, CallOp) for op in function.entry.ops):
        return function
    types = [a.type for a in function.entry.arguments]
    block = Block(types)
    returned = _inline(function, block.arguments, block, known, ())
    block.append(ReturnOp.build(returned, location=function.location))
    return FuncOp(
        (), (), function.properties, function.attributes, [Region([block])],
        location=function.location,
    )  # fmt: skip


def _inline(
    function: FuncOp,
    operands: Iterable[Value],
    into: Block,
    known: Mapping[str, FuncOp],
    around: tuple[FuncOp, ...],
) -> list[Value]:
    """Put copies of a function's ops at the end of a block; the values that it returns."""
    if function in around:
        raise DeviceError(f"the template '@{function.symbol}' calls itself", function.location)
    values: dict[Value, Value] = dict(zip(function.entry.arguments, operands, strict=True))
    for op in function.entry.ops:
        if isinstance(op, ReturnOp):
            return [values[v] for v in op.operands]
        if isinstance(op, CallOp):
            callee = known.get(op.callee.root)
            if callee is None:
                raise DeviceError(
                    f"the template '@{function.symbol}' calls '@{op.callee.root}', which is no template",
                    op.location,
                    hint="give the called function a body and the attribute kt.template",
                )
            passed = [values[v] for v in op.operands]
            made = _inline(callee, passed, into, known, (*around, function))
            values.update(zip(op.results, made, strict=True))
        else:
            for copy in clone_ops([op], values):
                into.append(copy)
    raise DeviceError(f"the template '@{function.symbol}' doesn't return", function.location)
