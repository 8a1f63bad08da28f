"""Memrefs of a schedule as logical memory views of a program unit.

A view's start counts words of the unit that uses it. A symbolic start is the base of a tensor alone;
every displacement counts elements and stands in the layout (a constant) or in an extra leading
dimension of stride 1 that accesses subscript with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, const, dim
from kt.ir.attributes import AffineMapAttr, StringAttr
from kt.ir.builder import Builder
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, dataflow, ktdp, memref
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.index_maps import constant_index
from kt.passes.backend.dfir_values import CONSTANT, DYNAMIC

if TYPE_CHECKING:
    from kt.arch import Memory
    from kt.passes.backend.dfir_unit import UnitProgram


@frozen(eq=False)
class Place:
    """What is known of a memref of the schedule: where it starts and how it is laid out.

    ``base`` is a pointer argument (a byte address) or None; ``start`` is a constant in bytes;
    ``offsets`` are displacements in elements. ``copies`` holds the byte addresses of the candidates
    of a ``select_memref`` and ``phase`` the number that picks one.
    """

    memory: Memory | None
    element_type: t.Type
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    base: Value | None = None
    start: int = 0
    offsets: tuple[Value, ...] = ()
    extent: int = t.DYNAMIC
    """Elements that displacements may span, DYNAMIC if unknown."""
    copies: tuple[int, ...] = ()
    phase: Value | None = None
    shifts: tuple[int, ...] = ()
    """Bytes to add on each unit of the program; () if the place is the same on all."""
    peers: tuple[int, ...] = ()
    """Whose memory it is in, by core; () if it is in each core's own."""


@frozen(eq=False)
class View:
    """A logical view in a program unit; ``lead`` is the subscript of its extra dimension, if any."""

    value: Value
    lead: Value | None
    rank: int


def of_memory_view(op: ktdp.ConstructMemoryViewOp, unit: UnitProgram) -> Place:
    """The place of a tensor that the kernel names: pointer argument, constants, displacement."""
    type = op.results[0].type
    assert isinstance(type, t.MemRefType)
    strides = tuple(op.static_strides.values)
    if t.DYNAMIC in strides:
        raise PassError(
            "a view with strides known only at run time can't be lowered",
            op.location,
            hint="give the strides as numbers",
        )
    base, start, offsets = split_address(op.operands[0], unit)
    extent = (
        sum((n - 1) * s for n, s in zip(type.shape, strides, strict=True)) + 1
        if type.has_static_shape and not offsets
        else t.DYNAMIC
    )
    size = item_size(type)
    return Place(
        None, type.element_type, type.shape, strides, base, start * size, offsets, extent
    )


def split_address(value: Value, unit: UnitProgram) -> tuple[Value | None, int, tuple[Value, ...]]:
    """An address in elements as (pointer argument, constant, other terms)."""
    terms = _terms(value)
    pointers = [v for v in terms if _may_be_pointer(v, unit)]
    base = next((v for v in pointers if unit.is_pointer(v)), pointers[0] if pointers else None)
    start = 0
    offsets = []
    for term in terms:
        number = constant_index(term)
        if number is not None:
            start += number
        elif term is not base:
            offsets.append(term)
    if terms.count(base) > 1:  # type: ignore[arg-type]
        raise PassError("a pointer may be used once in an address, with coefficient 1", value.location)
    return base, start, tuple(offsets)


def _terms(value: Value) -> list[Value]:
    op = value.defining_op
    if isinstance(op, arith.AddIOp):
        return [*_terms(op.operands[0]), *_terms(op.operands[1])]
    return [value]


def _may_be_pointer(value: Value, unit: UnitProgram) -> bool:
    function = unit.values.function
    return (
        isinstance(value, BlockArgument)
        and value.block is function.body
        and value in unit.values.kernel_arguments
    )


def through_cast(op: Operation, place: Place, unit: UnitProgram) -> Place:
    """The place behind a cast of a memref."""
    type = op.results[0].type
    assert isinstance(type, t.MemRefType)
    if isinstance(op, memref.MemorySpaceCastOp):
        return evolve(place, memory=unit.device.memory_for_space(type.memory_space))
    if not isinstance(op, memref.ReinterpretCastOp):
        sizes = type.shape if type.has_static_shape else place.sizes
        return evolve(place, sizes=sizes)
    strides, offset = type.strides_and_offset()
    if t.DYNAMIC in strides:
        raise PassError("a cast to unknown strides can't be lowered", op.location)
    moved = place.offsets
    start = place.start
    if offset != t.DYNAMIC:
        start += offset * item_size(type)
    else:
        moved = (*moved, op.operands[1])
    return evolve(place, sizes=type.shape, strides=strides, offsets=moved, start=start)


def materialise(place: Place, unit: UnitProgram, builder: Builder, location: Operation) -> View:
    """The logical view of a place for this unit."""
    memory = place.memory
    if memory is None:
        raise PassError(
            "the memory of this view isn't known",
            location.location,
            hint="cast it to a memory of the device with memref.memory_space_cast",
        )
    word = unit.device.word_size(unit.kind, memory.kind)
    size = item_size(place.element_type)
    start, rest = _start(place, unit, builder, word)
    if rest % size:
        raise PassError(
            f"an address of {rest} bytes isn't a multiple of the element size {size}",
            location.location,
        )
    lead = _lead(place, unit)
    first = 0 if lead is None else 1
    layout: AffineExpr = const(rest // size)
    if lead is not None:
        layout = dim(0) + layout
    for i, stride in enumerate(place.strides):
        layout = dim(first + i) * stride + layout
    shape = place.sizes if lead is None else (place.extent, *place.sizes)
    op = builder.create(
        dataflow.GetLogicalMemoryViewOp,
        unit.memory_handle(memory, place.peers),
        start,
        layout_map=AffineMapAttr(AffineMap(len(shape), 0, (layout,))),
        attributes={"addr_unit": StringAttr("words")},
        result_types=[t.MemRefType(shape, place.element_type)],
        location=location.location,
    )
    return View(op.results[0], lead, len(shape))


def _start(place: Place, unit: UnitProgram, builder: Builder, word: int) -> tuple[Value, int]:
    """Start address in words, and bytes that are left for the layout."""
    if place.base is not None:
        return unit.launch.get(place.base, word), place.start
    if place.copies:
        return _selected(place, unit, builder, word), 0
    if place.shifts:
        return _shifted(place, unit, place.start, word), 0
    return unit.constants(place.start // word), place.start % word


def _shifted(place: Place, unit: UnitProgram, start: int, word: int) -> Value:
    """An address in words that differs from unit to unit."""
    addresses = [start + shift for shift in place.shifts]
    if any(address % word for address in addresses):
        raise PassError("a buffer in a shared memory must begin at a whole word")
    return unit.lookup([unit.constants(address // word) for address in addresses])


def _selected(place: Place, unit: UnitProgram, builder: Builder, word: int) -> Value:
    """``first + phase * distance``, in words: the copy that this iteration uses."""
    first, *others = place.copies
    steps = {b - a for a, b in zip(place.copies, others, strict=False)}
    if len(steps) != 1 or any(a % word for a in place.copies):
        raise PassError("copies of a buffer must lie at equal distances of whole words")
    assert place.phase is not None
    distance = unit.constants(steps.pop() // word)
    moved = builder.create(arith.MulIOp, unit.value(place.phase), distance).result
    base = _shifted(place, unit, first, word) if place.shifts else unit.constants(first // word)
    return builder.create(arith.AddIOp, moved, base).result


def _lead(place: Place, unit: UnitProgram) -> Value | None:
    """The displacement as a value of the program; None when there is none."""
    numbers = [v for v in place.offsets if unit.values.when(v) > CONSTANT or _number(v, unit)]
    if not numbers:
        return None
    total: Value | None = None
    dynamic = any(unit.values.when(v) == DYNAMIC for v in numbers)
    if dynamic:
        raise PassError(
            "a displacement that changes inside a program must be an index of the transfer",
            numbers[0].location,
        )
    for value in numbers:
        total = value if total is None else unit.sum_of(total, value)
    assert total is not None
    return unit.launch.get(total)


def _number(value: Value, unit: UnitProgram) -> int:
    return unit.values.number_on_core(value, 0)
