"""``affine``: loops, conditions and subscripts given by affine maps and sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.affine.map import AffineMap
from kt.ir.attributes import (
    AffineMapAttr,
    Attribute,
    DenseArrayAttr,
    IntegerAttr,
    UnitAttr,
)
from kt.ir.constraints import (
    ANY_VECTOR,
    BOOL_ATTR,
    I64_ARRAY,
    INDEX,
    RANKED_MEMREF,
    AttrConstraint,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.affine_loops import ForOp as ForOp
from kt.ir.dialects.affine_loops import IfOp as IfOp
from kt.ir.dialects.affine_loops import ParallelOp as ParallelOp
from kt.ir.dialects.affine_loops import YieldOp as YieldOp
from kt.ir.dialects.affine_loops import check_map_operands
from kt.ir.dialects.common import Mixed, check_mixed, mixed
from kt.ir.dialects.memref_hints import LOCALITY
from kt.ir.dialects.tensor import element_of
from kt.ir.opdef import attr, operand, optional_attr, result, variadic_operand, variadic_result
from kt.ir.traits import AttrSizedOperands, Pure, ReadEffect, TypesMatchWith, WriteEffect


class _MapOp(Operation):
    """Base of pure ops on a map and its operands (dims, then symbols)."""

    traits = (Pure(),)
    map: AffineMapAttr = attr(AffineMapAttr)
    map_operands: tuple[Value, ...] = variadic_operand(INDEX)
    result: OpResult = result(INDEX)

    @classmethod
    def of(cls, map: AffineMap, operands: Sequence[Value], **named: Any) -> Any:
        """The op for a map and its operands, dims first."""
        return cls.build(operands, map=AffineMapAttr(map), **named)

    @property
    def dim_operands(self) -> tuple[Value, ...]:
        return self.map_operands[: self.map.map.num_dims]

    @property
    def symbol_operands(self) -> tuple[Value, ...]:
        return self.map_operands[self.map.map.num_dims :]

    def verify_(self) -> None:
        if len(self.map_operands) != self.map.map.num_inputs:
            raise self.error("operand count and affine map dimension and symbol count must match")


class ApplyOp(_MapOp):
    """The only result of an affine map."""

    name = "affine.apply"

    def verify_(self) -> None:
        super().verify_()
        if self.map.map.num_results != 1:
            raise self.error("mapping must produce one value")


class MinOp(_MapOp):
    """The least result of an affine map."""

    name = "affine.min"

    def verify_(self) -> None:
        super().verify_()
        if self.map.map.num_results < 1:
            raise self.error("affine map expect at least one result")


class MaxOp(_MapOp):
    """The greatest result of an affine map."""

    name = "affine.max"

    def verify_(self) -> None:
        super().verify_()
        if self.map.map.num_results < 1:
            raise self.error("affine map expect at least one result")


def _check_access(op: Operation, memref: Value, map: AffineMap, operands: Sequence[Value]) -> None:
    """One map result per dimension of the memref, and an operand per map input."""
    if map.num_results != memref.type.rank:  # type: ignore[attr-defined]
        raise op.error("affine map num results must equal memref rank")
    check_map_operands(op, map, operands, "subscript")


_LOADED = "result type matches element type of memref"
_STORED = "value type matches element type of memref"


class LoadOp(Operation):
    """One element of a memref, at subscripts that an affine map gives."""

    name = "affine.load"
    traits = (ReadEffect(), TypesMatchWith("result", "memref", element_of, _LOADED))
    assembly_format = (
        "$memref `` custom<AffineOperands>($indices, $map) attr-dict `:` type($memref)"
    )
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    map: AffineMapAttr = attr(AffineMapAttr)
    result: OpResult = result()

    def verify_(self) -> None:
        _check_access(self, self.memref, self.map.map, self.indices)


class StoreOp(Operation):
    """Replace one element of a memref, at subscripts that an affine map gives."""

    name = "affine.store"
    traits = (WriteEffect(), TypesMatchWith("value", "memref", element_of, _STORED))
    assembly_format = (
        "$value `,` $memref `` custom<AffineOperands>($indices, $map) attr-dict `:` type($memref)"
    )
    value: Value = operand()
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        _check_access(self, self.memref, self.map.map, self.indices)


def _check_vector(op: Operation, memref: Value, vector: Value) -> None:
    if t.element_type_of(memref.type) is not t.element_type_of(vector.type):
        raise op.error("requires memref and vector types of the same elemental type")


class VectorLoadOp(Operation):
    """Consecutive elements of a memref as a vector."""

    name = "affine.vector_load"
    traits = (ReadEffect(),)
    assembly_format = (
        "$memref `` custom<AffineOperands>($indices, $map) attr-dict "
        "`:` type($memref) `,` type($result)"
    )
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    map: AffineMapAttr = attr(AffineMapAttr)
    result: OpResult = result(ANY_VECTOR)

    def verify_(self) -> None:
        _check_access(self, self.memref, self.map.map, self.indices)
        _check_vector(self, self.memref, self.result)


class VectorStoreOp(Operation):
    """Replace consecutive elements of a memref by those of a vector."""

    name = "affine.vector_store"
    traits = (WriteEffect(),)
    assembly_format = (
        "$value `,` $memref `` custom<AffineOperands>($indices, $map) attr-dict "
        "`:` type($memref) `,` type($value)"
    )
    value: Value = operand(ANY_VECTOR)
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        _check_access(self, self.memref, self.map.map, self.indices)
        _check_vector(self, self.memref, self.value)


class PrefetchOp(Operation):
    """The hint that an element, at subscripts that an affine map gives, is soon read or written."""

    name = "affine.prefetch"
    traits = (ReadEffect(), WriteEffect())
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    map: AffineMapAttr = attr(AffineMapAttr)
    is_write: IntegerAttr = attr(BOOL_ATTR, key="isWrite")
    locality: IntegerAttr = attr(LOCALITY, key="localityHint")
    is_data: IntegerAttr = attr(BOOL_ATTR, key="isDataCache")

    def verify_(self) -> None:
        _check_access(self, self.memref, self.map.map, self.indices)


class DelinearizeIndexOp(Operation):
    """The digits of an index in a mixed basis, most significant first."""

    name = "affine.delinearize_index"
    traits = (Pure(),)
    linear_index: Value = operand(INDEX)
    dynamic_basis: tuple[Value, ...] = variadic_operand(INDEX)
    static_basis: DenseArrayAttr = attr(I64_ARRAY)
    multi_index: tuple[OpResult, ...] = variadic_result(INDEX)

    @property
    def basis(self) -> tuple[Mixed, ...]:
        """The extents; the first digit is unbounded if there is one basis element fewer."""
        return mixed(self.static_basis, self.dynamic_basis)

    @property
    def has_outer_bound(self) -> bool:
        """Whether the first digit has an extent too."""
        return len(self.multi_index) == len(self.static_basis)

    def verify_(self) -> None:
        basis, results = len(self.static_basis), len(self.multi_index)
        if not results:
            raise self.error("should return at least one index")
        if basis not in (results, results - 1):
            raise self.error(
                f"should return an index for each basis element and up to one extra index, "
                f"got {results} for {basis}"
            )
        _check_basis(self, self.static_basis, self.dynamic_basis)


class LinearizeIndexOp(Operation):
    """The index with the given digits in a mixed basis."""

    name = "affine.linearize_index"
    traits = (Pure(), AttrSizedOperands())
    multi_index: tuple[Value, ...] = variadic_operand(INDEX)
    dynamic_basis: tuple[Value, ...] = variadic_operand(INDEX)
    static_basis: DenseArrayAttr = attr(I64_ARRAY)
    disjoint: Attribute = optional_attr(
        AttrConstraint(
            "unit or bool attribute",
            lambda a: isinstance(a, UnitAttr) or (isinstance(a, IntegerAttr) and a.type is t.i1),
        ),
        default=IntegerAttr(0, t.i1),
    )
    linear_index: OpResult = result(INDEX)

    @property
    def is_disjoint(self) -> bool:
        """Whether each digit is promised to be less than its extent."""
        held = self.disjoint
        return not (isinstance(held, IntegerAttr) and not held.value)

    @property
    def basis(self) -> tuple[Mixed, ...]:
        return mixed(self.static_basis, self.dynamic_basis)

    def verify_(self) -> None:
        basis, digits = len(self.static_basis), len(self.multi_index)
        if basis not in (digits, digits - 1):
            raise self.error(
                "should be passed a basis element for each index except possibly the first, "
                f"got {basis} for {digits}"
            )
        _check_basis(self, self.static_basis, self.dynamic_basis)


def _check_basis(op: Operation, statics: DenseArrayAttr, dynamics: Sequence[Value]) -> None:
    check_mixed(op, "basis", statics.values, dynamics)
    if any(n <= 0 and n != t.DYNAMIC for n in statics):
        raise op.error("no basis element may be statically non-positive")
