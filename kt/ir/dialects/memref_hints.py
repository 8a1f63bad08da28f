"""Scopes and hints of ``memref``; import them from :mod:`kt.ir.dialects.memref`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import IntegerAttr
from kt.ir.constraints import BOOL_ATTR, INDEX, RANKED_MEMREF, AttrConstraint
from kt.ir.core import Operation, OpResult, Region, Value
from kt.ir.opdef import attr, operand, region, variadic_operand, variadic_result
from kt.ir.traits import (
    HasParent,
    ImplicitTerminator,
    Pure,
    ReadEffect,
    RecursiveEffects,
    ReturnLike,
    Terminator,
    WriteEffect,
)

LOCALITY = AttrConstraint(
    "32-bit signless integer attribute whose minimum value is 0 and whose maximum value is 3",
    lambda a: isinstance(a, IntegerAttr) and a.type is t.i32 and 0 <= a.value <= 3,
    IntegerAttr,
)


class AllocaScopeOp(Operation):
    """Run a region; memory that ``memref.alloca`` takes in it is given back behind it."""

    name = "memref.alloca_scope"
    traits = (RecursiveEffects(), ImplicitTerminator("memref.alloca_scope.return"))
    outputs: tuple[OpResult, ...] = variadic_result()
    body_region: Region = region(single_block=True)

    def verify_(self) -> None:
        end = self.body_region.block.last_op
        if isinstance(end, AllocaScopeReturnOp):
            found = tuple(v.type for v in end.values)
            wanted = tuple(v.type for v in self.outputs)
            if found != wanted:
                raise self.error(
                    f"its region returns {', '.join(map(str, found)) or 'nothing'}, but it has "
                    f"results of type {', '.join(map(str, wanted)) or 'none'}"
                )


class AllocaScopeReturnOp(Operation):
    """The results of the scope around."""

    name = "memref.alloca_scope.return"
    traits = (Pure(), HasParent(("memref.alloca_scope",)), ReturnLike(), Terminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


class PrefetchOp(Operation):
    """The hint that an element is soon read or written; ``locality`` 3 means: keep it in the cache."""

    name = "memref.prefetch"
    traits = (ReadEffect(), WriteEffect())
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    is_write: IntegerAttr = attr(BOOL_ATTR, key="isWrite")
    locality: IntegerAttr = attr(LOCALITY, key="localityHint")
    is_data: IntegerAttr = attr(BOOL_ATTR, key="isDataCache")

    def verify_(self) -> None:
        rank = self.memref.type.rank  # type: ignore[attr-defined]
        if len(self.indices) != rank:
            raise self.error(f"expected {rank} indices, got {len(self.indices)}")


class DistinctObjectsOp(Operation):
    """The operands, of which no two name the same memory: a promise."""

    name = "memref.distinct_objects"
    traits = (Pure(),)
    assembly_format = "$objects attr-dict `:` type($objects)"
    objects: tuple[Value, ...] = variadic_operand(RANKED_MEMREF)
    outcome: tuple[OpResult, ...] = variadic_result(RANKED_MEMREF)

    @staticmethod
    def infer_types(*groups: Sequence[Value], properties: dict[str, Any]) -> list[t.Type]:
        return [v.type for v in groups[0]]

    def verify_(self) -> None:
        if not self.objects:
            raise self.error("expected at least one operand")
        found, wanted = [v.type for v in self.outcome], [v.type for v in self.objects]
        if found != wanted:
            raise self.error("expected results of the operands' types")
