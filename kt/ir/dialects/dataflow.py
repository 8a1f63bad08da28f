"""``dataflow``: one program per hardware unit, FIFOs and tokens between units, views of memories.

Handles of units, groups and addresses are plain ``index`` values. The same program unit is the
program of every unit that it lists.
"""

from __future__ import annotations

from typing import Any, ClassVar

from kt.ir import registry
from kt.ir import types as t
from kt.ir.attributes import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    Attribute,
    DictAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    attribute,
)
from kt.ir.constraints import (
    BOOL_ATTR,
    I32_ATTR,
    INDEX,
    RANKED_MEMREF,
    TypeConstraint,
    array_of,
)
from kt.ir.core import Operation, OpResult, Value
from kt.ir.opdef import (
    attr,
    operand,
    optional_attr,
    region,
    result,
    variadic_operand,
)
from kt.ir.traits import ImplicitTerminator, Pure, SingleBlock, Terminator

# -- types and attributes --------------------------------------------------------------------------


@attribute
class CustomVectorType(t.ShapedType):
    """``!dataflow.custom_vector<24xf16>``: a vector whose elements MLIR's own vectors don't allow."""

    name = "dataflow.custom_vector"
    size: int
    element_type: t.Type

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)

    def parameters(self) -> str:
        return f"<{self.size}x{self.element_type}>"


@attribute
class CustomMXFloatType(t.Type):
    """``!dataflow.custom<mxfp8>`` or ``!dataflow.mxfp<6>``: micro-scaled float of ``width`` bits."""

    name: ClassVar[str] = "dataflow.mxfp"
    width: int

    def head(self) -> str:
        return "dataflow.custom" if self.width in (4, 8) else self.name

    def parameters(self) -> str:
        return f"<mxfp{self.width}>" if self.width in (4, 8) else f"<{self.width}>"


@attribute
class CustomMXIntType(t.Type):
    """``!dataflow.custom<mxint4>`` or ``!dataflow.mxint<8>``: micro-scaled integer."""

    name: ClassVar[str] = "dataflow.mxint"
    width: int

    def head(self) -> str:
        return "dataflow.custom" if self.width == 4 else self.name

    def parameters(self) -> str:
        return "<mxint4>" if self.width == 4 else f"<{self.width}>"


@attribute
class BracketEnumAttr(EnumAttr):
    """Base of keyword attributes written in their dialect's brackets: ``#dataflow<direction X>``."""

    name: ClassVar[str] = ""
    cases: ClassVar[tuple[str, ...]] = ()

    def head(self) -> str:
        return self.name.partition(".")[0]

    def parameters(self) -> str:
        return f"<{self.name.partition('.')[2]} {self.value}>"


@attribute
class DirectionAttr(BracketEnumAttr):
    """``#dataflow<direction Clockwise>``: how data is routed on the ring."""

    name: ClassVar[str] = "dataflow.direction"
    cases: ClassVar[tuple[str, ...]] = ("PseudoRandom", "CounterClockwise", "Clockwise", "BothWays")


for _kind in (CustomVectorType, CustomMXFloatType, CustomMXIntType, DirectionAttr):
    registry.ATTRIBUTES[_kind.name] = _kind
registry.ATTRIBUTES["dataflow.custom"] = CustomMXFloatType  # or CustomMXIntType: the word decides

DATA_VECTOR = TypeConstraint(
    "data vector", lambda x: isinstance(x, (t.VectorType, CustomVectorType))
)

# -- units -----------------------------------------------------------------------------------------


class GetUnitOp(Operation):
    """The handle of a hardware unit.

    ``unit_name`` is unique, ``unit_type`` the lower-cased kind. The discardable attributes ``core``
    and ``corelet`` (i32) say where it is; memories that all cores share have neither.
    """

    name = "dataflow.get_unit"
    traits = (Pure(),)
    assembly_format = "attr-dict `:` type($unit)"
    unit_name: StringAttr = attr(StringAttr, key="name")
    unit_type: StringAttr = attr(StringAttr, key="type")
    unit: OpResult = result(INDEX)

    def _place(self, key: str) -> int | None:
        found = self.attributes.get(key)
        return found.value if isinstance(found, IntegerAttr) else None

    @property
    def core(self) -> int | None:
        """The core that the unit belongs to; None for what all cores share."""
        return self._place("core")

    @property
    def corelet(self) -> int:
        """The sub-core; -1 when there is none."""
        found = self._place("corelet")
        return -1 if found is None else found

    def verify_(self) -> None:
        for key in ("core", "corelet"):
            found = self.attributes.get(key)
            if found is not None and (not isinstance(found, IntegerAttr) or found.value < 0):
                raise self.error(f"attribute '{key}' must be a non-negative integer")


class GetLocalUnitOp(Operation):
    """The handle of a part of a unit."""

    name = "dataflow.get_local_unit"
    traits = (Pure(),)
    assembly_format = "$unit_id attr-dict `:` type($unit)"
    part_name: StringAttr = attr(StringAttr, key="name")
    unit_id: Value = operand(INDEX)
    unit: OpResult = result(INDEX)


class ProgramUnitOp(Operation):
    """The program that each of the listed units runs; the block argument is the unit itself."""

    name = "dataflow.program_unit"
    traits = (ImplicitTerminator("dataflow.return"), SingleBlock())
    precision: StringAttr | None = optional_attr(StringAttr)
    units: tuple[Value, ...] = variadic_operand(INDEX)
    program = region(single_block=True)

    @property
    def self_handle(self) -> Value | None:
        """The ``iter_arg``: the handle of the unit that runs the program."""
        arguments = self.regions[0].block.arguments
        return arguments[0] if arguments else None

    def verify_(self) -> None:
        arguments = self.regions[0].blocks[0].arguments
        if len(arguments) > 1 or any(a.type is not t.index for a in arguments):
            raise self.error("expects at most one block argument, of type index")
        if any(isinstance(op, ProgramUnitOp) for op in self.ancestors()):
            raise self.error("can't stand inside another program unit", code="strict")
        if len(set(self.operands)) != len(self.operands):
            raise self.error("lists a unit twice", code="strict")


class ReturnOp(Operation):
    """Ends a program unit."""

    name = "dataflow.return"
    traits = (Terminator(),)


class CreateGroupOp(Operation):
    """One handle for several units."""

    name = "dataflow.create_group"
    traits = (Pure(),)
    assembly_format = "`(` ($units^ `:` type($units))? `)` attr-dict `:` type($group)"
    units: tuple[Value, ...] = variadic_operand(INDEX)
    group: OpResult = result(INDEX)


class CreateMulticastGroupOp(Operation):
    """A producer and the units that share what it sends."""

    name = "dataflow.create_multicast_group"
    traits = (Pure(),)
    assembly_format = "`(` $producer `->` `(` $consumers `)` `)` attr-dict `:` type($group)"
    producer: Value = operand(INDEX)
    consumers: tuple[Value, ...] = variadic_operand(INDEX)
    num_consumers: IntegerAttr = attr(I32_ATTR)
    group_id: IntegerAttr = attr(I32_ATTR)
    count: IntegerAttr = attr(I32_ATTR)
    group: OpResult = result(INDEX)

    def verify_(self) -> None:
        if self.consumers and self.num_consumers.value != len(self.consumers):
            raise self.error(
                f"says num_consumers = {self.num_consumers.value}, but lists {len(self.consumers)}",
                code="strict",
            )


# -- synchronisation and data ----------------------------------------------------------------------


class SyncSendOp(Operation):
    """Give one token to another unit, after one's own outstanding transfers if so asked."""

    name = "dataflow.sync_send"
    assembly_format = "$to_unit attr-dict `:` type($to_unit)"
    to_unit: Value = operand(INDEX)
    wait: IntegerAttr | None = optional_attr(BOOL_ATTR, key="wait_immediately_for_async_transfers")
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")


class SyncRecvOp(Operation):
    """Wait for one token of another unit and take it."""

    name = "dataflow.sync_recv"
    assembly_format = "$from_unit attr-dict `:` type($from_unit)"
    from_unit: Value = operand(INDEX)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")


class ImplicitSyncOnStreamingBufferOp(Operation):
    """Ask the hardware to hand a buffer over in pieces of ``buffer_size``."""

    name = "dataflow.implicit_sync_on_streaming_buffer"
    assembly_format = (
        "$memory_unit `,` $dst_unit `,` $buffer_size attr-dict `:` type($memory_unit) `,` "
        "type($dst_unit) `,` type($buffer_size)"
    )
    memory_unit: Value = operand(RANKED_MEMREF)
    dst_unit: Value = operand(INDEX)
    buffer_size: Value = operand(INDEX)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")


class SendOp(Operation):
    """Put one vector into the FIFO to another unit."""

    name = "dataflow.send"
    assembly_format = "$to_unit `,` $send_data attr-dict `:` type($send_data)"
    to_unit: Value = operand(INDEX)
    send_data: Value = operand(DATA_VECTOR)
    direction: DirectionAttr | None = optional_attr(DirectionAttr, key="dir")
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")


class ReceiveOp(Operation):
    """Take one vector out of the FIFO from another unit."""

    name = "dataflow.receive"
    assembly_format = "$from_unit attr-dict `:` type($data)"
    from_unit: Value = operand(INDEX)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")
    data: OpResult = result(DATA_VECTOR)


class OpaqueOp(Operation):
    """A call of an auxiliary function that only the device knows."""

    name = "dataflow.opaque"
    assembly_format = "attr-dict"
    func_name: StringAttr = attr(StringAttr)
    read_write_register_dictionary: DictAttr = attr(DictAttr)
    read_only_register_dictionary: DictAttr = attr(DictAttr)
    parameter_dictionary: DictAttr = attr(DictAttr)
    debug_name: StringAttr | None = optional_attr(StringAttr, key="dbgName")


# -- views -----------------------------------------------------------------------------------------


def _verify_layout(op: Any) -> None:
    layout, rank = op.layout_map.map, op.view.type.rank
    if (layout.num_dims, layout.num_symbols, layout.num_results) != (rank, 0, 1):
        raise op.error(
            f"expects a layout map of {rank} dimensions, no symbols and one result for "
            f"'{op.view.type}', but got '{layout}'",
            code="strict",
        )
    unit = op.attributes.get("addr_unit")
    if unit is not None and (
        not isinstance(unit, StringAttr) or unit.value not in ("elements", "words")
    ):
        raise op.error(f'attribute \'addr_unit\' must be "elements" or "words", but is {unit}')


class GetLogicalMemoryViewOp(Operation):
    """A shaped face of a linear memory: index vector v is element ``layout_map(v)`` of it.

    The discardable attribute ``addr_unit`` says what the start address counts: ``"words"`` of the
    accessing unit, or ``"elements"`` of the view.
    """

    name = "dataflow.get_logical_memory_view"
    traits = (Pure(),)
    assembly_format = (
        "$from_unit `,` $start_address attr-dict `:` type($from_unit) `,` type($start_address) `,` "
        "type($view)"
    )
    from_unit: Value = operand(INDEX)
    start_address: Value = operand(INDEX)
    layout_map: AffineMapAttr = attr(AffineMapAttr)
    view: OpResult = result(RANKED_MEMREF)

    def verify_(self) -> None:
        _verify_layout(self)


class GetPagedLogicalMemoryViewOp(Operation):
    """A view in pages: each index set has its own start address."""

    name = "dataflow.get_paged_logical_memory_view"
    traits = (Pure(),)
    unit: Value = operand(INDEX)
    start_addr: Value = operand(INDEX)
    page_start_addrs: tuple[Value, ...] = variadic_operand(INDEX)
    layout_map: AffineMapAttr = attr(AffineMapAttr)
    idx_sets: ArrayAttr = attr(array_of(AffineSetAttr, "array of integer sets"))
    view: OpResult = result(RANKED_MEMREF)

    def verify_(self) -> None:
        _verify_layout(self)
        if len(self.idx_sets) != len(self.page_start_addrs):
            raise self.error(
                f"expects one start address per page, but got {len(self.page_start_addrs)} addresses "
                f"for {len(self.idx_sets)} index sets"
            )
        for i, (page, start) in enumerate(zip(self.idx_sets, self.page_start_addrs, strict=True)):
            maker = start.defining_op
            if maker is None or maker.name != "arith.constant":
                raise self.error(f"start address of page {i} must be an arith.constant")
            if not isinstance(page, AffineSetAttr) or page.set.as_box() is None:
                raise self.error(f"index set of page {i} must be a box, but is '{page}'")


def unit_of(value: Value) -> GetUnitOp | None:
    """The unit that a handle stands for, when it is defined by ``get_unit``."""
    op = value.defining_op
    return op if isinstance(op, GetUnitOp) else None


def lanes_of(type: Attribute) -> int | None:
    """Number of lanes of a data vector type; None for other types and unknown extents."""
    if isinstance(type, (t.VectorType, CustomVectorType)) and type.has_static_shape:
        return type.num_elements()
    return None
