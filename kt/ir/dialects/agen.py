"""``agen``: vector accesses to memory views, as sets of index offsets in an order.

One vector consists of the elements at ``subscripts + p`` for the points p of the access set, lanes
sorted by the image of p under the order map. Composite ops do so once per point t of the time set
(in time order), with ``time_addr_map(t)`` added to the subscripts.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    attribute,
)
from kt.ir.constraints import ANY_VECTOR, I32_ATTR, INDEX, RANKED_MEMREF, array_of
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.dataflow import (
    DATA_VECTOR,
    BracketEnumAttr,
    DirectionAttr,
    GetLogicalMemoryViewOp,
    lanes_of,
)
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    optional_operand,
    region,
    result,
    variadic_operand,
)
from kt.ir.traits import (
    AttrSizedOperands,
    ImplicitTerminator,
    ReadEffect,
    ReturnLike,
    SingleBlock,
    Terminator,
    WriteEffect,
)


@attribute
class AgenDirectionAttr(BracketEnumAttr):
    """``#agen<direction Clockwise>``: how data is routed on the ring."""

    name: ClassVar[str] = "agen.direction"
    cases: ClassVar[tuple[str, ...]] = DirectionAttr.cases


registry.ATTRIBUTES[AgenDirectionAttr.name] = AgenDirectionAttr

SETS = array_of(I32_ATTR, "32-bit integer array attribute")


class YieldOp(Operation):
    """Ends a region of this dialect; an operand is the vector to store at this step."""

    name = "agen.yield"
    traits = (Terminator(), ReturnLike())
    assembly_format = "attr-dict ($values^ `:` type($values))?"
    values: tuple[Value, ...] = variadic_operand()


# -- checks ----------------------------------------------------------------------------------------


def _check_subscripts(op: Any, map: AffineMapAttr, indices: Any, what: str = "") -> None:
    if map.map.num_inputs != len(indices):
        raise op.error(f"expected {map.map.num_inputs} {what}map operands, but got {len(indices)}")


def _check_access(
    op: Any, prefix: str, memref: Value, map: AffineMapAttr, lanes: int | None
) -> None:
    """Dimensions of set, order and subscripts against the memref, points against lanes."""
    points: AffineSetAttr = getattr(op, f"{prefix}_set")
    order: AffineMapAttr = getattr(op, f"{prefix}_order")
    rank = memref.type.rank  # type: ignore[attr-defined]
    if points.set.num_dims != order.map.num_dims:
        raise op.error(
            f"{prefix} set and order dimensions should match, but are {points.set.num_dims} and "
            f"{order.map.num_dims}"
        )
    if points.set.num_dims != rank:
        raise op.error(
            f"{prefix} set and array dimensions should match, but are {points.set.num_dims} and {rank}",
            code="strict",
        )
    if map.map.num_results != rank:
        raise op.error(
            f"has {map.map.num_results} subscripts for '{memref.type}' of rank {rank}",
            code="strict",
        )
    if lanes is not None and points.set.num_symbols == 0 and points.set.count() != lanes:
        raise op.error(
            f"{prefix} set has {points.set.count()} points, but the vector has {lanes} lanes",
            code="strict",
        )


def _check_element(op: Any, memref: Value, vector: t.Type) -> None:
    mine, theirs = t.element_type_of(memref.type), t.element_type_of(vector)
    if mine is not theirs:
        raise op.error(
            f"moves elements of type {theirs}, but the memory view has {mine}", code="strict"
        )


def _check_time(op: Any, addr_map: AffineMapAttr | None, memref: Value) -> None:
    """Time attributes agree in dimensions and symbols; the map adds to every subscript."""
    steps, order = op.time_set.set, op.time_order.map
    if steps.num_dims != order.num_dims:
        raise op.error(
            f"time set and order dimensions should match, but are {steps.num_dims} and "
            f"{order.num_dims}",
            code="strict",
        )
    if addr_map is not None and addr_map.map.num_dims != steps.num_dims:
        raise op.error(
            f"time set and address map dimensions should match, but are {steps.num_dims} and "
            f"{addr_map.map.num_dims}",
            code="strict",
        )
    rank = memref.type.rank  # type: ignore[attr-defined]
    if addr_map is not None and addr_map.map.num_results != rank:
        raise op.error(
            f"time address map has {addr_map.map.num_results} results for rank {rank}",
            code="strict",
        )


def _vector_argument(op: Operation) -> t.Type:
    arguments = op.regions[0].blocks[0].arguments if op.regions[0].blocks else []
    if len(arguments) != 1 or not DATA_VECTOR.holds(arguments[0].type):
        raise op.error("expects a region with one block argument, a data vector")
    return arguments[0].type


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
        _check_subscripts(self, self.affine_map, self.indices)
        _check_access(self, "load", self.memref, self.affine_map, lanes_of(self.vector.type))
        _check_element(self, self.memref, self.vector.type)


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
        _check_subscripts(self, self.affine_map, self.indices)
        _check_access(self, "store", self.memref, self.affine_map, lanes_of(self.vector.type))
        _check_element(self, self.memref, self.vector.type)


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
        _check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        _check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        _check_access(self, "load", self.direct, self.direct_map, lanes_of(self.vector.type))
        _check_element(self, self.direct, self.vector.type)


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
        _check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        _check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        _check_access(self, "store", self.direct, self.direct_map, lanes_of(self.vector.type))
        _check_element(self, self.direct, self.vector.type)


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


# -- one vector per time step ----------------------------------------------------------------------


class CompositeOp(Operation):
    """Base of ops that move one vector per time step."""

    traits = (AttrSizedOperands(), SingleBlock())
    time_set: AffineSetAttr = attr(AffineSetAttr)
    time_order: AffineMapAttr = attr(AffineMapAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    step = region(single_block=True)

    @property
    def stored(self) -> Value | None:
        """What the region yields: the vector to store; None for the loaded one."""
        last = self.regions[0].block.last_op
        return last.operands[0] if isinstance(last, YieldOp) and last.operands else None

    def _check_step(self) -> None:
        block = self.regions[0].blocks[0] if self.regions[0].blocks else None
        if block is None or not isinstance(block.last_op, YieldOp):
            raise self.error("expects a region that ends with agen.yield")


class CompositeLoadAndStoreOp(CompositeOp):
    """Copy vectors from one memory view to another, one per time step."""

    name = "agen.composite_load_and_store"
    traits = (AttrSizedOperands(), SingleBlock(), ReadEffect(), WriteEffect())
    src: Value = operand(RANKED_MEMREF)
    dst: Value = operand(RANKED_MEMREF)
    src_indices: tuple[Value, ...] = variadic_operand(INDEX)
    dst_indices: tuple[Value, ...] = variadic_operand(INDEX)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    src_map: AffineMapAttr = attr(AffineMapAttr)
    dst_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    load_time_addr_map: AffineMapAttr = attr(AffineMapAttr)
    store_time_addr_map: AffineMapAttr = attr(AffineMapAttr)
    direction: AgenDirectionAttr | None = optional_attr(AgenDirectionAttr, key="dir")

    def verify_(self) -> None:
        self._check_step()
        vector = _vector_argument(self)
        _check_subscripts(self, self.src_map, self.src_indices, "source ")
        _check_subscripts(self, self.dst_map, self.dst_indices, "destination ")
        lanes = lanes_of(vector)
        _check_access(self, "load", self.src, self.src_map, lanes)
        stored = lanes if self.stored is None else lanes_of(self.stored.type)
        _check_access(self, "store", self.dst, self.dst_map, stored)
        _check_element(self, self.src, vector)
        _check_element(self, self.dst, vector if self.stored is None else self.stored.type)
        _check_time(self, self.load_time_addr_map, self.src)
        _check_time(self, self.store_time_addr_map, self.dst)


class CompositeLoadOp(CompositeOp):
    """Read vectors from a memory view, one per time step, and run the region on each."""

    name = "agen.composite_load"
    traits = (AttrSizedOperands(), SingleBlock(), ReadEffect())
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    affine_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    time_addr_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        self._check_step()
        vector = _vector_argument(self)
        _check_subscripts(self, self.affine_map, self.indices)
        _check_access(self, "load", self.memref, self.affine_map, lanes_of(vector))
        _check_element(self, self.memref, vector)
        _check_time(self, self.time_addr_map, self.memref)


class CompositeStoreOp(CompositeOp):
    """Write vectors to a memory view: what the region yields at each time step."""

    name = "agen.composite_store"
    traits = (AttrSizedOperands(), SingleBlock(), ImplicitTerminator("agen.yield"), WriteEffect())
    memref: Value = operand(RANKED_MEMREF)
    indices: tuple[Value, ...] = variadic_operand(INDEX)
    input_vector: Value | None = optional_operand(DATA_VECTOR)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    affine_map: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    time_addr_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        if self.input_vector is not None:
            raise self.error("can't have an input vector; yield it from the region")
        self._check_step()
        _check_subscripts(self, self.affine_map, self.indices)
        stored = self.stored
        lanes = lanes_of(stored.type) if stored is not None else None
        _check_access(self, "store", self.memref, self.affine_map, lanes)
        if stored is not None:
            _check_element(self, self.memref, stored.type)
        _check_time(self, self.time_addr_map, self.memref)


class CompositeIndirectLoadAndStoreOp(CompositeOp):
    """Copy vectors whose source or destination place is read from memory at each step."""

    name = "agen.composite_indirect_load_and_store"
    traits = (AttrSizedOperands(), SingleBlock(), ReadEffect(), WriteEffect())
    indirect_src: Value | None = optional_operand(RANKED_MEMREF)
    direct_src: Value = operand(RANKED_MEMREF)
    indirect_dst: Value | None = optional_operand(RANKED_MEMREF)
    direct_dst: Value = operand(RANKED_MEMREF)
    indirect_src_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_src_indices: tuple[Value, ...] = variadic_operand(INDEX)
    indirect_dst_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_dst_indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    indirect_src_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    direct_src_map: AffineMapAttr = attr(AffineMapAttr)
    indirect_dst_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    direct_dst_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    load_direct_time_addr_map: AffineMapAttr = attr(AffineMapAttr)
    store_direct_time_addr_map: AffineMapAttr = attr(AffineMapAttr)
    load_indirect_time_addr_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    store_indirect_time_addr_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    direction: AgenDirectionAttr | None = optional_attr(AgenDirectionAttr, key="dir")

    def verify_(self) -> None:
        self._check_step()
        vector = _vector_argument(self)
        for side in ("indirect_src", "direct_src", "indirect_dst", "direct_dst"):
            memref, map = getattr(self, side), getattr(self, f"{side}_map")
            if (memref is None) != (map is None):
                raise self.error(f"'{side}' and '{side}_map' must come together")
            if map is not None:
                _check_subscripts(self, map, getattr(self, f"{side}_indices"), f"{side} ")
        _check_access(self, "load", self.direct_src, self.direct_src_map, lanes_of(vector))
        stored = vector if self.stored is None else self.stored.type
        _check_access(self, "store", self.direct_dst, self.direct_dst_map, lanes_of(stored))
        _check_element(self, self.direct_src, vector)
        _check_element(self, self.direct_dst, stored)


class CompositeIndirectLoadOp(CompositeOp):
    """Read vectors whose place is read from memory at each step."""

    name = "agen.composite_indirect_load"
    traits = (AttrSizedOperands(), SingleBlock(), ReadEffect())
    indirect: Value = operand(RANKED_MEMREF)
    direct: Value = operand(RANKED_MEMREF)
    indirect_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    indirect_map: AffineMapAttr = attr(AffineMapAttr)
    direct_map: AffineMapAttr = attr(AffineMapAttr)
    load_set: AffineSetAttr = attr(AffineSetAttr)
    load_order: AffineMapAttr = attr(AffineMapAttr)
    time_addr_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        self._check_step()
        vector = _vector_argument(self)
        _check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        _check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        _check_access(self, "load", self.direct, self.direct_map, lanes_of(vector))
        _check_element(self, self.direct, vector)


class CompositeIndirectStoreOp(CompositeOp):
    """Write vectors to places that are read from memory at each step."""

    name = "agen.composite_indirect_store"
    traits = (AttrSizedOperands(), SingleBlock(), WriteEffect())
    indirect: Value = operand(RANKED_MEMREF)
    direct: Value = operand(RANKED_MEMREF)
    indirect_indices: tuple[Value, ...] = variadic_operand(INDEX)
    direct_indices: tuple[Value, ...] = variadic_operand(INDEX)
    multicast_info: Value | None = optional_operand(INDEX)
    time_symbols: tuple[Value, ...] = variadic_operand(INDEX)
    indirect_map: AffineMapAttr = attr(AffineMapAttr)
    direct_map: AffineMapAttr = attr(AffineMapAttr)
    store_set: AffineSetAttr = attr(AffineSetAttr)
    store_order: AffineMapAttr = attr(AffineMapAttr)
    time_addr_map: AffineMapAttr = attr(AffineMapAttr)

    def verify_(self) -> None:
        self._check_step()
        _check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        _check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        stored = self.stored
        lanes = lanes_of(stored.type) if stored is not None else None
        _check_access(self, "store", self.direct, self.direct_map, lanes)


class CompositeMemoryInterleaveOp(Operation):
    """Interleave the composite ops inside in bursts of ``granularity`` steps."""

    name = "agen.composite_memory_interleave"
    traits = (SingleBlock(), ImplicitTerminator("agen.yield"))
    granularity: IntegerAttr | None = optional_attr(I32_ATTR)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    members = region(single_block=True)

    def verify_(self) -> None:
        members = [op for op in self.regions[0].walk() if op.parent_op is self]
        kinds = [op.name for op in members if not isinstance(op, YieldOp)]
        composite = [op for op in members if isinstance(op, CompositeOp)]
        if len(composite) != len(kinds) or len(set(kinds)) > 1:
            raise self.error("expects composite memory ops of one kind", code="strict")


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
