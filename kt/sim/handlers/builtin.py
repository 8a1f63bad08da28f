"""Casts between an address and the memory there."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.diagnostics import RunError
from kt.sim.interp import Frame, Interpreter, Step, handles
from kt.sim.values import View, dtype_of


@handles("builtin.unrealized_conversion_cast")
def conversion(op: Any, interp: Interpreter) -> Step:
    """An index becomes a memref: the byte address in the memory that the type names."""
    operands, results = op.operands, op.results
    if len(operands) != len(results):
        raise RunError("a conversion of one value to several can't be executed")
    if not isinstance(results[0].type, t.MemRefType) or isinstance(operands[0].type, t.MemRefType):

        def pass_on(frame: Frame) -> None:
            for source, value in zip(operands, results):
                frame[value] = frame[source]

        return pass_on
    type = results[0].type
    strides, offset = type.strides_and_offset()
    if t.DYNAMIC in (*type.shape, *strides, offset):
        raise RunError(f"the address of a memref without static shape and layout: {type}")
    dtype = dtype_of(type)

    def step(frame: Frame) -> None:
        bank = interp.machine.bank(type.memory_space)
        address = frame[operands[0]]
        frame[results[0]] = View(
            bank,
            bank.row_number(frame.tiles),
            address + offset * dtype.itemsize,
            type.shape,
            strides,
            dtype,
            pointer=address,
        )

    return step
