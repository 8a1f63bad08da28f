"""`ktdf` movement and work: FIFO slots, transfers between memories and slots, templates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from kt.ir import types as t
from kt.ir.affine import AffineMap
from kt.ir.attributes import AffineMapAttr, DenseArrayAttr, StringAttr
from kt.ir.constraints import ANY_SHAPED, ANY_TYPE, I64_ARRAY, INDEX, TypeConstraint
from kt.ir.core import Operation, OpResult, Value
from kt.ir.dialects.ktdf_types import FIFO_DATA, FIFO_SLOT, MEMREF_OR_SLOT, FifoSlotType
from kt.ir.opdef import attr, operand, optional_attr, result, variadic_operand, variadic_result
from kt.ir.traits import AllElementTypesMatch, AttrSizedOperands, DestinationStyle


class FifoAllocateOp(Operation):
    """FIFO slots, in the order in which their channels carry them; one operand per ``?`` count."""

    name = "ktdf.fifo.allocate"
    assembly_format = "`(` $dynamic_sizes `)` attr-dict `->` qualified(type($slots))"
    dynamic_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    slots: tuple[OpResult, ...] = variadic_result(FIFO_SLOT)

    def mixed_sizes(self) -> tuple[int | Value, ...]:
        """Capacity of each slot, a Value where it is dynamic."""
        rest = iter(self.dynamic_sizes)
        return tuple(
            next(rest) if slot.type.count == t.DYNAMIC else slot.type.count  # type: ignore[attr-defined]
            for slot in self.slots
        )

    def verify_(self) -> None:
        if not self.slots:
            raise self.error("requires at least one slot")
        dynamic = sum(slot.type.count == t.DYNAMIC for slot in self.slots)  # type: ignore[attr-defined]
        if dynamic != len(self.dynamic_sizes):
            raise self.error(
                f"number of dynamic size operands ({len(self.dynamic_sizes)}) must match number of "
                f"dynamic sizes in result types ({dynamic})"
            )


def _verify_amount(op: Operation, slot: FifoSlotType, data: t.ShapedType) -> None:
    """A slot and the data that fills or leaves it hold the same number of elements."""
    dynamic = slot.count == t.DYNAMIC
    if dynamic is data.has_static_shape:
        raise op.error("FIFO slot and data must both be dynamic or both be static")
    if not dynamic and data.num_elements() != slot.count:
        raise op.error(
            f"data total elements ({data.num_elements()}) must match FIFO slot size ({slot.count})"
        )


class ReadFromFifoOp(Operation):
    """Takes the next value of a slot. A memref result is the FIFO itself, only used in this region."""

    name = "ktdf.read_from_fifo"
    traits = (AllElementTypesMatch(("fifo_slot", "result")),)
    assembly_format = "$fifo_slot attr-dict `:` type($fifo_slot) `->` type($result)"
    fifo_slot: Value = operand(FIFO_SLOT)
    result: OpResult = result(FIFO_DATA)

    def verify_(self) -> None:
        _verify_amount(self, self.fifo_slot.type, self.result.type)  # type: ignore[arg-type]


class WriteToFifoOp(Operation):
    """Puts a value into a slot."""

    name = "ktdf.write_to_fifo"
    traits = (AllElementTypesMatch(("data", "fifo_slot")),)
    assembly_format = "$data `,` $fifo_slot attr-dict `:` type($data) `,` type($fifo_slot)"
    data: Value = operand(FIFO_DATA)
    fifo_slot: Value = operand(FIFO_SLOT)

    def verify_(self) -> None:
        _verify_amount(self, self.fifo_slot.type, self.data.type)  # type: ignore[arg-type]


@frozen(eq=False)
class TransferSide:
    """One end of a transfer: a box of a memref, or a slot (no map, sizes optional)."""

    value: Value
    map: AffineMap | None
    indices: tuple[Value, ...]
    sizes: tuple[int | Value, ...] | None
    """Extents of the box; a Value where one is dynamic; None when no ``size`` is written."""

    @property
    def is_fifo(self) -> bool:
        return isinstance(self.value.type, FifoSlotType)

    def static_count(self) -> int | None:
        """Elements that are moved, when that is a known number."""
        if self.sizes is None:
            count = self.value.type.count if self.is_fifo else t.DYNAMIC  # type: ignore[attr-defined]
            return None if count == t.DYNAMIC else count
        count = 1
        for size in self.sizes:
            if not isinstance(size, int):
                return None
            count *= size
        return count


class DataTransferOp(Operation):
    """Copies a box of elements, in row-major order, between memories and FIFO slots.

    The boxes of the two sides may differ in shape; the sequence of elements counts. Discardable
    ``transfer_mode``: ``"splat"`` repeats one element, ``"pad"`` extends with zeros, to fill a slot;
    ``"keep"`` leaves the elements in the slot that they come from, for the next transfer.
    """

    name = "ktdf.data_transfer"
    traits = (AllElementTypesMatch(("source", "destination")), AttrSizedOperands())
    source: Value = operand(MEMREF_OR_SLOT)
    source_indices: tuple[Value, ...] = variadic_operand(INDEX)
    source_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    destination: Value = operand(MEMREF_OR_SLOT)
    dest_indices: tuple[Value, ...] = variadic_operand(INDEX)
    dest_sizes: tuple[Value, ...] = variadic_operand(INDEX)
    source_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    dest_map: AffineMapAttr | None = optional_attr(AffineMapAttr)
    static_source_sizes: DenseArrayAttr | None = optional_attr(I64_ARRAY)
    static_dest_sizes: DenseArrayAttr | None = optional_attr(I64_ARRAY)

    @property
    def source_side(self) -> TransferSide:
        return _side(
            self.source,
            self.source_map,
            self.source_indices,
            self.static_source_sizes,
            self.source_sizes,
        )

    @property
    def dest_side(self) -> TransferSide:
        return _side(
            self.destination,
            self.dest_map,
            self.dest_indices,
            self.static_dest_sizes,
            self.dest_sizes,
        )

    @property
    def transfer_mode(self) -> str | None:
        """``"splat"``, ``"pad"`` or None."""
        mode = self.attr("transfer_mode")
        return mode.value if isinstance(mode, StringAttr) else None

    def sides(self) -> Iterator[tuple[str, TransferSide]]:
        """``source`` and ``dest`` with their sides."""
        yield "source", self.source_side
        yield "dest", self.dest_side

    def side_of(self, value: Value) -> TransferSide | None:
        """The side that a memref or slot is on (the source if it is both)."""
        return next((side for _, side in self.sides() if side.value is value), None)

    def verify_(self) -> None:
        sides = dict(self.sides())
        for word, side in sides.items():
            if side.is_fifo:
                if side.map is not None:
                    raise self.error(f"{word}_map must be absent for fifo {word}")
                if side.indices:
                    raise self.error(f"FIFO slot {word} cannot have indices specified")
            else:
                self._verify_memref_side(word, side)
            static = self.static_source_sizes if word == "source" else self.static_dest_sizes
            given = self.source_sizes if word == "source" else self.dest_sizes
            dynamic = sum(n == t.DYNAMIC for n in static or ())
            if len(given) != dynamic:
                raise self.error(
                    f"number of dynamic {word} sizes ({len(given)}) must match number of dynamic "
                    f"entries in static_{word}_sizes ({dynamic})"
                )
        self._verify_contradictions(sides["source"], sides["dest"])

    def _verify_memref_side(self, word: str, side: TransferSide) -> None:
        rank = side.value.type.rank  # type: ignore[attr-defined]
        if side.map is None:
            raise self.error(f"{word}_map must be present when {word} is a memref")
        if side.map.num_symbols:
            raise self.error(
                f"{word}_map must have 0 symbols (dims-only); got {side.map.num_symbols}"
            )
        if side.map.num_results != rank:
            raise self.error(
                f"{word} memref has rank {rank} but {word}_map has {side.map.num_results} results"
            )
        if len(side.indices) != side.map.num_dims:
            raise self.error(
                f"{word}_indices count ({len(side.indices)}) must match {word}_map dim count "
                f"({side.map.num_dims})"
            )
        count = len(side.sizes or ())
        if count != rank:
            raise self.error(f"{word} size count ({count}) must match memref rank ({rank})")

    def _verify_contradictions(self, source: TransferSide, dest: TransferSide) -> None:
        """What upstream's verifier lets through and its lowering refuses or gets wrong."""
        if source.is_fifo and dest.is_fifo:
            raise self.error(
                "moves from one FIFO slot to another",
                hint="read_from_fifo and write_to_fifo pass a value on",
                code="strict",
            )
        self._verify_box("source", source)
        self._verify_box("dest", dest)
        moved, kept = source.static_count(), dest.static_count()
        written = source.sizes is not None and dest.sizes is not None
        if written and self.transfer_mode is None and None not in (moved, kept) and moved != kept:
            raise self.error(
                f"source size ({moved} elements) differs from dest size ({kept})", code="strict"
            )

    def _verify_box(self, word: str, side: TransferSide) -> None:
        """The written sizes fit into the memref or the slot."""
        type: Any = side.value.type
        extents = () if side.is_fifo else type.shape
        for i, size in enumerate(side.sizes or ()):
            if not isinstance(size, int):
                continue
            if size < 0:
                raise self.error(f"{word} size #{i} is negative: {size}", code="strict")
            if extents and t.DYNAMIC != extents[i] < size:
                raise self.error(
                    f"{word} size #{i} ({size}) exceeds extent {extents[i]} of the memref",
                    code="strict",
                )
        count = side.static_count()
        if side.is_fifo and count is not None and t.DYNAMIC != type.count < count:
            raise self.error(
                f"{word} size ({count} elements) exceeds the FIFO slot ({type.count})",
                code="strict",
            )


def _side(
    value: Value,
    map: AffineMapAttr | None,
    indices: tuple[Value, ...],
    static: DenseArrayAttr | None,
    dynamic: tuple[Value, ...],
) -> TransferSide:
    sizes: tuple[int | Value, ...] | None = None
    if static is not None:
        rest = iter(dynamic)
        sizes = tuple(next(rest, n) if n == t.DYNAMIC else n for n in static)
    return TransferSide(value, None if map is None else map.map, indices, sizes)


TEMPLATE_RESULT = TypeConstraint(
    "ranked tensor of any type values, or scalar or vector", lambda x: not isinstance(x, t.MemRefType)
)


class OpaqueOp(Operation):
    """An instruction template of the code generator, in destination style.

    ``template_name`` names it; other attributes are its parameters. Memref inputs are read, memref
    outputs read and written; each tensor output gives a result. Without outputs the template works
    element by element: its results are scalars (in the body of a structured op) or vectors.
    """

    name = "ktdf.opaque"
    traits = (AttrSizedOperands(), DestinationStyle())
    inputs: tuple[Value, ...] = variadic_operand(ANY_TYPE)
    outputs: tuple[Value, ...] = variadic_operand(ANY_SHAPED)
    template_name: StringAttr = attr(StringAttr)
    tensors: tuple[OpResult, ...] = variadic_result(TEMPLATE_RESULT)

    def result_name_hint(self) -> str:
        """Results are named after the template."""
        return self.template_name.value

    def effects_(self) -> frozenset[str]:
        """Memref inputs are read, memref outputs read and written; tensors have no effects."""
        found: set[str] = set()
        if any(isinstance(v.type, t.MemRefType) for v in self.inputs):
            found.add("read")
        if any(isinstance(v.type, t.MemRefType) for v in self.outputs):
            found |= {"read", "write"}
        return frozenset(found)

    def verify_(self) -> None:
        at = len(self.inputs)
        if not self.outputs and not any(isinstance(r.type, t.TensorType) for r in self.results):
            self._verify_lanes()
            return
        for i, value in enumerate(self.outputs, at):
            if not isinstance(value.type, (t.TensorType, t.MemRefType)):
                raise self.error(f"expected that operand #{i} is a tensor or a memref")
        tensors = [
            (i, v) for i, v in enumerate(self.outputs, at) if isinstance(v.type, t.TensorType)
        ]
        if len(tensors) != len(self.results):
            raise self.error(
                f"expected the number of tensor results ({len(self.results)}) to be equal to the "
                f"number of output tensors ({len(tensors)})"
            )
        for (i, value), made in zip(tensors, self.results, strict=True):
            if value.type is not made.type:
                raise self.error(
                    f"expected type of operand #{i} ('{value.type}') to match type of "
                    f"corresponding result ('{made.type}')"
                )

    def _verify_lanes(self) -> None:
        """Operands and results of an elementwise template are scalars or vectors of equal length."""
        shapes = {v.type.shape if isinstance(v.type, t.VectorType) else () for v in self.operands}
        shapes |= {r.type.shape if isinstance(r.type, t.VectorType) else () for r in self.results}
        buffers = [v for v in self.operands if isinstance(v.type, (t.TensorType, t.MemRefType))]
        if buffers and self.results:
            shaped = buffers[0]
            raise self.error(f"operand of type '{shaped.type}' needs an output to go with it")
        if len(shapes) > 1:
            raise self.error("expected that all operands and results have the same number of lanes")
