"""``agen``: ops that move one vector per time step."""

from __future__ import annotations

from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    IntegerAttr,
    StringAttr,
)
from kt.ir.constraints import I32_ATTR, INDEX, RANKED_MEMREF
from kt.ir.core import Operation, Value
from kt.ir.dialects.agen_base import (
    AgenDirectionAttr,
    YieldOp,
    check_access,
    check_element,
    check_subscripts,
    check_time,
    vector_argument,
)
from kt.ir.dialects.dataflow import (
    DATA_VECTOR,
    lanes_of,
)
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    optional_operand,
    region,
    variadic_operand,
)
from kt.ir.traits import (
    AttrSizedOperands,
    ImplicitTerminator,
    ReadEffect,
    SingleBlock,
    WriteEffect,
)


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
        vector = vector_argument(self)
        check_subscripts(self, self.src_map, self.src_indices, "source ")
        check_subscripts(self, self.dst_map, self.dst_indices, "destination ")
        lanes = lanes_of(vector)
        check_access(self, "load", self.src, self.src_map, lanes)
        stored = lanes if self.stored is None else lanes_of(self.stored.type)
        check_access(self, "store", self.dst, self.dst_map, stored)
        check_element(self, self.src, vector)
        check_element(self, self.dst, vector if self.stored is None else self.stored.type)
        check_time(self, self.load_time_addr_map, self.src)
        check_time(self, self.store_time_addr_map, self.dst)


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
        vector = vector_argument(self)
        check_subscripts(self, self.affine_map, self.indices)
        check_access(self, "load", self.memref, self.affine_map, lanes_of(vector))
        check_element(self, self.memref, vector)
        check_time(self, self.time_addr_map, self.memref)


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
        check_subscripts(self, self.affine_map, self.indices)
        stored = self.stored
        lanes = lanes_of(stored.type) if stored is not None else None
        check_access(self, "store", self.memref, self.affine_map, lanes)
        if stored is not None:
            check_element(self, self.memref, stored.type)
        check_time(self, self.time_addr_map, self.memref)


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
        vector = vector_argument(self)
        for side in ("indirect_src", "direct_src", "indirect_dst", "direct_dst"):
            memref, map = getattr(self, side), getattr(self, f"{side}_map")
            if (memref is None) != (map is None):
                raise self.error(f"'{side}' and '{side}_map' must come together")
            if map is not None:
                check_subscripts(self, map, getattr(self, f"{side}_indices"), f"{side} ")
        check_access(self, "load", self.direct_src, self.direct_src_map, lanes_of(vector))
        stored = vector if self.stored is None else self.stored.type
        check_access(self, "store", self.direct_dst, self.direct_dst_map, lanes_of(stored))
        check_element(self, self.direct_src, vector)
        check_element(self, self.direct_dst, stored)


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
        vector = vector_argument(self)
        check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        check_access(self, "load", self.direct, self.direct_map, lanes_of(vector))
        check_element(self, self.direct, vector)


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
        check_subscripts(self, self.indirect_map, self.indirect_indices, "indirect ")
        check_subscripts(self, self.direct_map, self.direct_indices, "direct ")
        stored = self.stored
        lanes = lanes_of(stored.type) if stored is not None else None
        check_access(self, "store", self.direct, self.direct_map, lanes)


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
