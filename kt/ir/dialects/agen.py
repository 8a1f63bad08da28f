"""``agen``: vector accesses to memory views, as sets of index offsets in an order.

One vector consists of the elements at ``subscripts + p`` for the points p of the access set, lanes
sorted by the image of p under the order map. Composite ops do so once per point t of the time set
(in time order), with ``time_addr_map(t)`` added to the subscripts.
"""

from __future__ import annotations

import re
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
)
from kt.ir.constraints import ANY_VECTOR, I32_ATTR, INDEX, RANKED_MEMREF, array_of
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.agen_base import AgenDirectionAttr as AgenDirectionAttr
from kt.ir.dialects.agen_base import YieldOp as YieldOp
from kt.ir.dialects.agen_base import check_access, check_element, check_subscripts
from kt.ir.dialects.agen_composite import (
    CompositeIndirectLoadAndStoreOp as CompositeIndirectLoadAndStoreOp,
)
from kt.ir.dialects.agen_composite import CompositeIndirectLoadOp as CompositeIndirectLoadOp
from kt.ir.dialects.agen_composite import CompositeIndirectStoreOp as CompositeIndirectStoreOp
from kt.ir.dialects.agen_composite import CompositeLoadAndStoreOp as CompositeLoadAndStoreOp
from kt.ir.dialects.agen_composite import CompositeLoadOp as CompositeLoadOp
from kt.ir.dialects.agen_composite import CompositeMemoryInterleaveOp as CompositeMemoryInterleaveOp
from kt.ir.dialects.agen_composite import CompositeOp as CompositeOp
from kt.ir.dialects.agen_composite import CompositeStoreOp as CompositeStoreOp
from kt.ir.dialects.dataflow import (
    DATA_VECTOR,
    GetLogicalMemoryViewOp,
    lanes_of,
)
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    optional_operand,
    result,
    variadic_operand,
)
from kt.ir.traits import (
    AttrSizedOperands,
    ReadEffect,
    WriteEffect,
)

SETS = array_of(I32_ATTR, "32-bit integer array attribute")


# -- one vector ------------------------------------------------------------------------------------


class VectorLoadOp(Operation):
    """Read one vector from a memory view."""

    name = "agen.vector_load"
    traits = (AttrSizedOperands(), ReadEffect())
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    affine_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    vector: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_subscripts(self, self.affine_map, self.indices)
        check_access(self, "load", self.memref, self.affine_map, lanes_of(self.vector.type))
        check_element(self, self.memref, self.vector.type)


class VectorStoreOp(Operation):
    """Write one vector to a memory view."""

    name = "agen.vector_store"
    traits = (WriteEffect(),)
    vector: Value = operand(DATA_VECTOR)
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    affine_map: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")

    def verify_(self) -> None:
        check_subscripts(self, self.affine_map, self.indices)
        check_access(self, "store", self.memref, self.affine_map, lanes_of(self.vector.type))
        check_element(self, self.memref, self.vector.type)


class IndirectVectorLoadOp(Operation):
    """Read one vector at a place given by an index that is itself read from memory."""

    name = "agen.indirect_vector_load"
    traits = (AttrSizedOperands(), ReadEffect())
    indirect: Value = operand(RANKED_MEMREF)
    direct: Value = operand(RANKED_MEMREF)
    indirect_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    indirect_map: AffineMapAttr = attr(AffineMapAttr)
    direct_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    vector: OpResult = result(DATA_VECTOR)

    def verify_(self) -> None:
        check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        check_access(self, "load", self.direct, self.direct_map, lanes_of(self.vector.type))
        check_element(self, self.direct, self.vector.type)


class IndirectVectorStoreOp(Operation):
    """Write one vector at a place given by an index that is itself read from memory."""

    name = "agen.indirect_vector_store"
    traits = (AttrSizedOperands(), WriteEffect())
    vector: Value = operand(DATA_VECTOR)
    indirect: Value = operand(RANKED_MEMREF)
    direct: Value = operand(RANKED_MEMREF)
    indirect_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    indirect_map: AffineMapAttr = attr(AffineMapAttr)
    direct_map: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")

    def verify_(self) -> None:
        check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        check_access(self, "store", self.direct, self.direct_map, lanes_of(self.vector.type))
        check_element(self, self.direct, self.vector.type)


class SymbolicVectorLoadOp(Operation):
    """Read one vector at Σ index · stride of a one-dimensional view."""

    name = "agen.symbolic_vector_load"
    traits = (ReadEffect(),)
    memref: Value = operand(RANKED_MEMREF)
    rest: tuple[Value, ...] = variadic_operand(INDEX)
    num_indices: IntegerAttr = attr(I32_ATTR)
    num_strides: IntegerAttr = attr(I32_ATTR)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    vector: OpResult = result(DATA_VECTOR)

    @property
    def multicast_info(self) -> Value | None:
        extra = self.rest[self.num_indices.value + self.num_strides.value :]
        return extra[0] if extra else None

    def verify_(self) -> None:
        _check_symbolic(self, self.memref, self.vector.type, most=1)


class SymbolicVectorStoreOp(Operation):
    """Write one vector at Σ index · stride of a one-dimensional view."""

    name = "agen.symbolic_vector_store"
    traits = (WriteEffect(),)
    vector: Value = operand(DATA_VECTOR)
    memref: Value = operand(RANKED_MEMREF)
    rest: tuple[Value, ...] = variadic_operand(INDEX)
    num_indices: IntegerAttr = attr(I32_ATTR)
    num_strides: IntegerAttr = attr(I32_ATTR)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")

    def verify_(self) -> None:
        _check_symbolic(self, self.memref, self.vector.type, most=0)


def symbolic_parts(op: Any) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Indices and strides of a symbolic access."""
    n = op.num_indices.value
    return op.rest[:n], op.rest[n : n + op.num_strides.value]


def _check_symbolic(op: Any, memref: Value, vector: t.Type, most: int) -> None:
    indices, strides = op.num_indices.value, op.num_strides.value
    if indices < 1 or indices != strides or not 0 <= len(op.rest) - 2 * indices <= most:
        raise op.error(
            f"expects as many strides as indices, at least one, got {indices} and {strides}"
        )
    if memref.type.rank != 1:  # type: ignore[attr-defined]
        raise op.error(f"expects a view of rank 1, but got '{memref.type}'")
    view = memref.defining_op
    if not isinstance(view, GetLogicalMemoryViewOp) or not view.layout_map.map.is_identity:
        raise op.error("expects a memory view with an identity layout")
    if len(getattr(vector, "shape", ())) != 1 or t.element_type_of(vector) is not t.element_type_of(
        memref.type
    ):
        raise op.error(f"expects a vector of rank 1 with the elements of '{memref.type}'")


class SetTransferMaskStateOp(Operation):
    """The mask of the executing unit's next transfers: which lanes take ``mask_value`` instead.

    The vector is cut into slices; ``slice_mask_map`` has a term per slice: ``(0)`` nothing masked,
    ``(1)`` all, ``(A|B)`` the union of patterns. Pattern number i repeats
    ``num_unmasked_elements[i]`` unmasked, then ``num_masked_elements[i]`` masked lanes.
    """

    name = "agen.set_transfer_mask_state"
    mask_value: Value = operand(INDEX)
    num_slices: IntegerAttr = attr(I32_ATTR)
    slice_mask_map: StringAttr = attr(StringAttr)
    num_unmasked_elements: ArrayAttr | None = optional_attr(SETS)
    num_masked_elements: ArrayAttr | None = optional_attr(SETS)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    state: OpResult = result(ANY_VECTOR)

    @property
    def patterns(self) -> list[tuple[int, int]]:
        """(unmasked, masked) of each pattern, A first."""
        pairs = zip(self.num_unmasked_elements or (), self.num_masked_elements or (), strict=True)
        return [(u.value, m.value) for u, m in pairs]  # type: ignore[attr-defined]

    def slice_terms(self) -> list[str]:
        """What stands in the parentheses of ``slice_mask_map``."""
        text = self.slice_mask_map.value.replace(" ", "")
        terms = re.findall(r"\(([^()]*)\)", text)
        if "".join(f"({term})" for term in terms) != text:
            raise self.error(f'slice_mask_map "{text}" must be terms in parentheses', code="strict")
        return terms

    def verify_(self) -> None:
        unmasked, masked = self.num_unmasked_elements, self.num_masked_elements
        if (unmasked is None) != (masked is None) or len(unmasked or ()) != len(masked or ()):
            raise self.error("num_unmasked_elements and num_masked_elements must be equally long")
        terms, slices = self.slice_terms(), self.num_slices.value
        if len(terms) != slices:
            raise self.error(
                f"slice_mask_map has {len(terms)} terms for {slices} slices", code="strict"
            )
        letters = [chr(ord("A") + i) for i in range(len(unmasked or ()))]
        for term in terms:
            if term not in ("0", "1") and not all(x in letters for x in term.split("|")):
                raise self.error(f"'({term})' names a pattern that isn't given", code="strict")
        lanes = lanes_of(self.state.type)
        for u, m in self.patterns:
            if lanes is not None and (lanes % slices or u + m <= 0 or lanes // slices % (u + m)):
                raise self.error(
                    f"pattern of {u} + {m} lanes doesn't divide a slice of {lanes / slices:g} lanes",
                    code="strict",
                )
