"""Buffers of the orchestrator become addresses inside the programs that use them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kt.arch.memories import Part
from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, IntegerAttr
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, builtin, func, ktdp, memref
from kt.ir.types import FunctionType
from kt.passes.analysis.placed import ADDRESS, STEP, in_part

if TYPE_CHECKING:
    from kt.arch import Device


def bind_buffers(module: Operation, device: Device) -> int:
    """Replace allocations with an address by that address in every program; how many there were.

    In device memory every compute tile has a copy of its own, at equal distances; in a memory that
    some cores share, every core has its part.
    """
    allocations = [
        op for op in module.walk() if isinstance(op, memref.AllocOp) and op.attr(ADDRESS) is not None
    ]
    for op in allocations:
        for user in list(op.results[0].users):
            if isinstance(user, func.CallOp):
                while op.results[0] in user.operands:
                    _bind(user, user.operands.index(op.results[0]), op, module, device)
        op.erase()
    _drop_unreachable(module)
    return len(allocations)


def _drop_unreachable(module: Operation) -> None:
    """Erase programs that nothing calls any more, as their buffers have no addresses."""
    called = {op.callee.leaf for op in module.walk_type(func.CallOp)}
    for function in list(module.walk_type(func.FuncOp)):
        takes = [x for x in function.function_type.inputs if isinstance(x, t.MemRefType)]
        if not takes or function.symbol in called:
            continue
        around = function.parent_op
        alone = isinstance(around, builtin.ModuleOp) and around.attr("sym_name") is not None
        (around if alone and around is not None else function).erase()


def _bind(
    call: func.CallOp, number: int, place: memref.AllocOp, module: Operation, device: Device
) -> None:
    """Drop one argument of a call; the function that is called makes the memref itself."""
    call.operands = [v for i, v in enumerate(call.operands) if i != number]
    for function in module.walk_type(func.FuncOp):
        if function.symbol != call.callee.leaf:
            continue
        old: FunctionType = function.function_type
        kept = [x for i, x in enumerate(old.inputs) if i != number]
        if not function.is_declaration:
            argument = function.arguments[number]
            argument.replace_all_uses_with(_buffer(function, argument.type, place, device))
            function.entry.erase_argument(number)
        function.function_type = FunctionType(tuple(kept), old.results)
        marks = function.arg_attrs
        if marks is not None:
            rest = [a for i, a in enumerate(marks) if i != number]
            function.arg_attrs = ArrayAttr(tuple(rest)) if any(map(len, rest)) else None  # type: ignore[arg-type]


def _buffer(function: func.FuncOp, type: t.Type, place: memref.AllocOp, device: Device) -> Value:
    assert isinstance(type, t.MemRefType)
    build = Builder.at_start(function.entry, function.location)
    address, distance = place.attr(ADDRESS), place.attr(STEP)
    assert isinstance(address, IntegerAttr)
    start: Value = build.constant(address.value)
    memory = device.memory_for_space(type.memory_space)
    assert memory is not None
    part = device.part(memory.kind)
    if isinstance(distance, IntegerAttr):
        part = Part(1, math.prod(_grid(function)), distance.value)
    if part.count > 1:
        start = in_part(build, tile_number(build, function), start, part)
    return build.create(builtin.UnrealizedConversionCastOp, [start], result_types=[type]).results[0]


def _grid(function: func.FuncOp) -> list[int]:
    grid = function.attr("grid")
    return [n.value for n in grid.elements] if grid is not None else [1]  # type: ignore[attr-defined]


def tile_number(build: Builder, function: func.FuncOp) -> Value:
    """The number of the compute tile that runs a program, row-major over its grid."""
    extents = _grid(function)
    ids = build.create(ktdp.GetComputeTileIdOp, result_types=[t.index] * len(extents)).results
    number: Value = ids[0]
    for extent, id in zip(extents[1:], ids[1:], strict=True):
        scaled = build.create(arith.MulIOp, number, build.constant(extent)).result
        number = build.create(arith.AddIOp, scaled, id).result
    return number
