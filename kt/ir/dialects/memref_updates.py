"""Memory that grows and elements updated as one step; import them from :mod:`kt.ir.dialects.memref`."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.constraints import ALIGNMENT, ANY_TYPE, INDEX, RANKED_MEMREF
from kt.ir.core import Operation, OpResult, Region, Value
from kt.ir.dialects.tensor import element_of
from kt.ir.opdef import operand, optional_attr, optional_operand, region, result, variadic_operand
from kt.ir.traits import (
    AllocEffect,
    HasParent,
    ReadEffect,
    Terminator,
    TypesMatchWith,
    WriteEffect,
)


class ReallocOp(Operation):
    """One-dimensional memory of another size, which begins with the old elements; the old is gone."""

    name = "memref.realloc"
    traits = (AllocEffect(), ReadEffect(), WriteEffect())
    assembly_format = (
        "$source (`` `(` $dynamic_size^ `)`)? attr-dict `:` type($source) `to` type($result)"
    )
    source: Value = operand(RANKED_MEMREF)
    dynamic_size: Value | None = optional_operand(INDEX)
    alignment: IntegerAttr | None = optional_attr(ALIGNMENT)
    result: OpResult = result(RANKED_MEMREF)

    def verify_(self) -> None:
        old: Any = self.source.type
        new: Any = self.result.type
        for what, type in (("source", old), ("result", new)):
            if type.rank != 1:
                raise self.error(f"expected a {what} of rank 1, got '{type}'")
            if type.layout is not None:
                raise self.error(f"unsupported layout for {what} memref type '{type}'")
        if old.memory_space is not new.memory_space:
            raise self.error(f"different memory spaces of source '{old}' and result '{new}'")
        if old.element_type is not new.element_type:
            raise self.error(f"different element types of source '{old}' and result '{new}'")
        dynamic = new.shape[0] == t.DYNAMIC
        if dynamic and self.dynamic_size is None:
            raise self.error(f"missing dimension operand for result type '{new}'")
        if not dynamic and self.dynamic_size is not None:
            raise self.error(f"unnecessary dimension operand for result type '{new}'")


class GenericAtomicRMWOp(Operation):
    """Replace an element by what a region makes of it, as one step; the result is the old element."""

    name = "memref.generic_atomic_rmw"
    traits = (
        ReadEffect(),
        WriteEffect(),
        TypesMatchWith("result", "memref", element_of, "result type matches element type of memref"),
    )
    assembly_format = "$memref `[` $indices `]` `:` type($memref) $atomic_body attr-dict"
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(ANY_TYPE)
    atomic_body: Region = region(single_block=True)

    def verify_(self) -> None:
        rank = self.memref.type.rank  # type: ignore[attr-defined]
        if len(self.indices) != rank:
            raise self.error("expects the number of subscripts to be equal to memref rank")
        if not self.atomic_body.blocks:
            raise self.error("expected a region with one block")
        arguments = self.atomic_body.block.arguments
        if len(arguments) != 1 or arguments[0].type is not self.result.type:
            raise self.error(f"expected the body to take one argument of type '{self.result.type}'")
        for op in self.atomic_body.walk():
            if op.has_trait(ReadEffect) or op.has_trait(WriteEffect):
                raise op.error("body of 'memref.generic_atomic_rmw' should contain only operations "
                               "with no side effects")  # fmt: skip


class AtomicYieldOp(Operation):
    """The new element."""

    name = "memref.atomic_yield"
    traits = (HasParent(("memref.generic_atomic_rmw",)), Terminator())
    assembly_format = "$value attr-dict `:` type($value)"
    value: Value = operand(ANY_TYPE)

    def verify_(self) -> None:
        around: Any = self.parent_op
        if around is not None and around.results and self.value.type is not around.results[0].type:
            raise self.error(
                f"types mismatch between yield op: '{self.value.type}' and its parent: "
                f"'{around.results[0].type}'"
            )
