"""Text of the `agen` dialect: accesses with subscripts, time steps and optional multicast groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, ArrayAttr, Attribute, IntegerAttr, StringAttr
from kt.ir.core import Operation, Value
from kt.ir.dialects.agen import (
    CompositeIndirectLoadAndStoreOp,
    CompositeLoadAndStoreOp,
    CompositeLoadOp,
    CompositeMemoryInterleaveOp,
    CompositeStoreOp,
    SetTransferMaskStateOp,
    VectorLoadOp,
    VectorStoreOp,
    symbolic_parts,
)
from kt.parse.syntax_api import (
    Pending,
    PendingBlock,
    PendingRegion,
    fail,
    printer,
    segments,
    syntax,
)

Subscripts = tuple[Any, tuple[str, ...], tuple[str, ...]]
Place = tuple[str, Subscripts]
Places = tuple[str, Subscripts, str, Subscripts]
Attributes = dict[str, Attribute]


class _Operands:
    """Collects operand names, their types, and the size of each segment."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.types: list[t.Type | None] = []
        self.sizes: list[int] = []

    def add(self, names: Sequence[str], type: t.Type | None = t.index) -> None:
        self.names += names
        self.types += [type] * len(names)
        self.sizes.append(len(names))

    def pending(
        self,
        cls: type,
        maps: dict[str, Subscripts],
        attributes: Attributes,
        sized: bool = True,
        results: Sequence[t.Type] = (),
        regions: Sequence[PendingRegion] = (),
    ) -> Pending:
        properties: Attributes = {key: AffineMapAttr(value[0]) for key, value in maps.items()}
        if sized:
            properties["operandSegmentSizes"] = segments(*self.sizes)
        return Pending(
            cls,
            operands=self.names,
            types=self.types,
            result_types=results,
            properties=properties,
            attributes=attributes,
            regions=regions,
        )


def _names(subscripts: Subscripts) -> tuple[str, ...]:
    return (*subscripts[1], *subscripts[2])


def _optional(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def _write_place(p: Any, memref: Value, map: AffineMapAttr, indices: Sequence[Value]) -> None:
    """``%m[%i * 2, 0]``."""
    p.value(memref)
    p.write("[")
    dims = map.map.num_dims
    p.affine_operands(map.map, indices[:dims], indices[dims:])
    p.write("]")


def _write_types(p: Any, *values: Value) -> None:
    p.write(" : ")
    p.types([v.type for v in values])


_HIDDEN = (
    "affine_map", "src_map", "dst_map", "direct_map", "indirect_map", "direct_src_map",
    "direct_dst_map", "indirect_src_map", "indirect_dst_map", "operandSegmentSizes", "num_indices",
    "num_strides",
)  # fmt: skip


# One vector


@syntax("agen.vector_load", rule="agen_load")
def build_load(
    cls: type,
    memref: str,
    subscripts: Subscripts,
    multicast: str | None,
    attributes: Attributes,
    memref_type: t.Type,
    vector: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((memref,), memref_type)
    operands.add(_names(subscripts))
    operands.add(_optional(multicast))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, results=(vector,))


@printer("agen.vector_load")
def print_load(p: Any, op: VectorLoadOp) -> None:
    p.write(" ")
    _write_place(p, op.memref, op.affine_map, op.indices)
    _write_multicast(p, op)
    p.attr_dict(op, elided=_HIDDEN)
    _write_types(p, op.memref, op.vector)


def _write_multicast(p: Any, op: Any) -> None:
    if op.multicast_info is not None:
        p.write(" multicast_info = ")
        p.value(op.multicast_info)


@syntax("agen.vector_store", rule="agen_store")
def build_store(
    cls: type,
    vector: str,
    memref: str,
    subscripts: Subscripts,
    attributes: Attributes,
    memref_type: t.Type,
    vector_type: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((vector,), vector_type)
    operands.add((memref,), memref_type)
    operands.add(_names(subscripts))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, sized=False)


@printer("agen.vector_store")
def print_store(p: Any, op: VectorStoreOp) -> None:
    p.write(" ")
    p.value(op.vector)
    p.write(", ")
    _write_place(p, op.memref, op.affine_map, op.indices)
    p.attr_dict(op, elided=_HIDDEN)
    _write_types(p, op.memref, op.vector)


# One vector at an index that is read


def _add_places(
    operands: _Operands, places: Places, types: Sequence[t.Type]
) -> dict[str, Subscripts]:
    indirect, indirect_at, direct, direct_at = places
    operands.add((indirect,), types[0])
    operands.add((direct,), types[1])
    operands.add(_names(indirect_at))
    operands.add(_names(direct_at))
    return {"indirect_map": indirect_at, "direct_map": direct_at}


def _write_places(p: Any, op: Any) -> None:
    p.write("indirect:")
    _write_place(p, op.indirect, op.indirect_map, op.indirect_indices)
    p.write(" direct:")
    _write_place(p, op.direct, op.direct_map, op.direct_indices)
    _write_multicast(p, op)


@syntax("agen.indirect_vector_load", rule="agen_indirect_load")
def build_indirect_load(
    cls: type,
    places: Places,
    multicast: str | None,
    attributes: Attributes,
    indirect: t.Type,
    direct: t.Type,
    vector: t.Type,
) -> Pending:
    operands = _Operands()
    maps = _add_places(operands, places, (indirect, direct))
    operands.add(_optional(multicast))
    return operands.pending(cls, maps, attributes, results=(vector,))


@syntax("agen.indirect_vector_store", rule="agen_indirect_store")
def build_indirect_store(
    cls: type,
    vector: str,
    places: Places,
    multicast: str | None,
    attributes: Attributes,
    vector_type: t.Type,
    indirect: t.Type,
    direct: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((vector,), vector_type)
    maps = _add_places(operands, places, (indirect, direct))
    operands.add(_optional(multicast))
    return operands.pending(cls, maps, attributes)


@printer("agen.indirect_vector_load", "agen.indirect_vector_store")
def print_indirect(p: Any, op: Any) -> None:
    p.write(" ")
    store = not op.results
    if store:
        p.value(op.vector)
        p.write(" ")
    _write_places(p, op)
    p.attr_dict(op, elided=_HIDDEN)
    memories = (op.indirect, op.direct)
    _write_types(p, *((op.vector, *memories) if store else (*memories, op.vector)))


# One vector at symbolic strides


def _symbolic(
    cls: type,
    operands: _Operands,
    strided: tuple[tuple[str, ...], tuple[str, ...]],
    rest: tuple[str, ...],
    attributes: Attributes,
    results: Sequence[t.Type],
) -> Pending:
    indices, strides = strided
    operands.add((*indices, *strides, *rest))
    made = operands.pending(cls, {}, attributes, sized=False, results=results)
    made.properties = {
        "num_indices": IntegerAttr(len(indices), t.i32),
        "num_strides": IntegerAttr(len(strides), t.i32),
    }
    return made


@syntax("agen.symbolic_vector_load", rule="agen_symbolic_load")
def build_symbolic_load(
    cls: type,
    memref: str,
    strided: Any,
    multicast: str | None,
    attributes: Attributes,
    memref_type: t.Type,
    vector: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((memref,), memref_type)
    return _symbolic(cls, operands, strided, _optional(multicast), attributes, (vector,))


@syntax("agen.symbolic_vector_store", rule="agen_symbolic_store")
def build_symbolic_store(
    cls: type,
    vector: str,
    memref: str,
    strided: Any,
    attributes: Attributes,
    memref_type: t.Type,
    vector_type: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((vector,), vector_type)
    operands.add((memref,), memref_type)
    return _symbolic(cls, operands, strided, (), attributes, ())


@printer("agen.symbolic_vector_load", "agen.symbolic_vector_store")
def print_symbolic(p: Any, op: Any) -> None:
    p.write(" ")
    if not op.results:
        p.value(op.vector)
        p.write(", ")
    p.value(op.memref)
    indices, strides = symbolic_parts(op)
    p.write("[indices:(")
    p.values(indices)
    p.write("), strides:(")
    p.values(strides)
    p.write(")]")
    if op.results and op.multicast_info is not None:
        p.write(", multicast_info(")
        p.value(op.multicast_info)
        p.write(")")
    p.attr_dict(op, elided=_HIDDEN)
    _write_types(p, op.memref, op.vector)


# One vector per time step


def _step(region: PendingRegion | None, iv: tuple[str, t.Type] | None) -> PendingRegion:
    if region is None:
        region = PendingRegion([PendingBlock(None, [], [])])
    return region.set_arguments([iv] if iv is not None else [])


def _write_time(p: Any, op: Any) -> None:
    p.write("time_symbols(")
    p.values(op.time_symbols)
    p.write(")")


def _write_iv(p: Any, op: Operation) -> None:
    argument = op.regions[0].block.arguments[0]
    p.value(argument)
    p.write(":")
    p.type(argument.type)


def _write_step(p: Any, op: Operation, *memories: Value) -> None:
    """The attributes, the region and the memref types, on lines of their own."""
    p.newline()
    p.attr_dict(op, elided=_HIDDEN)
    p.newline()
    p.region(op.regions[0], entry_args=False)
    _write_types(p, *memories)


@syntax("agen.composite_load_and_store", rule="agen_composite_copy")
def build_composite_copy(
    cls: type,
    src: str,
    src_at: Subscripts,
    dst: str,
    dst_at: Subscripts,
    time: tuple[str, ...],
    iv: tuple[str, t.Type],
    multicast: str | None,
    attributes: Attributes,
    region: PendingRegion,
    src_type: t.Type,
    dst_type: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((src,), src_type)
    operands.add((dst,), dst_type)
    for names in (_names(src_at), _names(dst_at), time, _optional(multicast)):
        operands.add(names)
    maps = {"src_map": src_at, "dst_map": dst_at}
    return operands.pending(cls, maps, attributes, regions=[_step(region, iv)])


@printer("agen.composite_load_and_store")
def print_composite_copy(p: Any, op: CompositeLoadAndStoreOp) -> None:
    p.write(" src:")
    _write_place(p, op.src, op.src_map, op.src_indices)
    p.write(" dst:")
    _write_place(p, op.dst, op.dst_map, op.dst_indices)
    p.newline()
    p.write(" ")
    _write_time(p, op)
    p.write(", load_iv(")
    _write_iv(p, op)
    p.write(")")
    if op.multicast_info is not None:
        p.write(", multicast_info = ")
        p.value(op.multicast_info)
    _write_step(p, op, op.src, op.dst)


@syntax("agen.composite_load", rule="agen_composite_load")
def build_composite_load(
    cls: type,
    memref: str,
    subscripts: Subscripts,
    time: tuple[str, ...],
    handle: str,
    vector: t.Type,
    attributes: Attributes,
    region: PendingRegion,
    memref_type: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((memref,), memref_type)
    operands.add(_names(subscripts))
    operands.add(time)
    step = _step(region, (handle, vector))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, regions=[step])


@printer("agen.composite_load")
def print_composite_load(p: Any, op: CompositeLoadOp) -> None:
    p.write(" ")
    _write_place(p, op.memref, op.affine_map, op.indices)
    p.write(" ")
    _write_time(p, op)
    p.write(" (")
    _write_iv(p, op)
    p.write(")")
    _write_step(p, op, op.memref)


@syntax("agen.composite_store", rule="agen_composite_store")
def build_composite_store(
    cls: type,
    memref: str,
    subscripts: Subscripts,
    time: tuple[str, ...],
    attributes: Attributes,
    region: PendingRegion | None,
    memref_type: t.Type,
) -> Pending:
    operands = _Operands()
    operands.add((memref,), memref_type)
    operands.add(_names(subscripts))
    operands.add(())
    operands.add(time)
    step = _step(region, None)
    return operands.pending(cls, {"affine_map": subscripts}, attributes, regions=[step])


@printer("agen.composite_store")
def print_composite_store(p: Any, op: CompositeStoreOp) -> None:
    p.write(" ")
    _write_place(p, op.memref, op.affine_map, op.indices)
    p.write(" ")
    _write_time(p, op)
    _write_step(p, op, op.memref)


@syntax("agen.composite_indirect_load_and_store", rule="agen_indirect_copy")
def build_indirect_copy(
    cls: type,
    indirect_src: Place | None,
    src: str,
    src_at: Subscripts,
    indirect_dst: Place | None,
    dst: str,
    dst_at: Subscripts,
    multicast: str | None,
    time: tuple[str, ...],
    iv: tuple[str, t.Type],
    attributes: Attributes,
    region: PendingRegion,
    types: tuple[t.Type, ...],
) -> Pending:
    sides = {
        "indirect_src": indirect_src,
        "direct_src": (src, src_at),
        "indirect_dst": indirect_dst,
        "direct_dst": (dst, dst_at),
    }
    present = {side: place for side, place in sides.items() if place is not None}
    if len(types) != len(present):
        fail(f"expected {len(present)} memref types, got {len(types)}")
    type_of = dict(zip(present, types, strict=True))
    operands = _Operands()
    for side, place in sides.items():
        operands.add((place[0],) if place is not None else (), type_of.get(side))
    for place in sides.values():
        operands.add(_names(place[1]) if place is not None else ())
    operands.add(_optional(multicast))
    operands.add(time)
    maps = {f"{side}_map": place[1] for side, place in present.items()}
    return operands.pending(cls, maps, attributes, regions=[_step(region, iv)])


@printer("agen.composite_indirect_load_and_store")
def print_indirect_copy(p: Any, op: CompositeIndirectLoadAndStoreOp) -> None:
    memories = []
    for side in ("indirect_src", "direct_src", "indirect_dst", "direct_dst"):
        memref = getattr(op, side)
        if memref is not None:
            p.write(f" {side}:")
            _write_place(p, memref, getattr(op, f"{side}_map"), getattr(op, f"{side}_indices"))
            memories.append(memref)
    _write_multicast(p, op)
    p.write(" ")
    _write_time(p, op)
    p.write(", load_iv(")
    _write_iv(p, op)
    p.write(")")
    _write_step(p, op, *memories)


@syntax("agen.composite_indirect_load", rule="agen_composite_indirect_load")
def build_composite_indirect_load(
    cls: type,
    places: Places,
    multicast: str | None,
    time: tuple[str, ...],
    iv: tuple[str, t.Type],
    attributes: Attributes,
    region: PendingRegion,
    indirect: t.Type,
    direct: t.Type,
) -> Pending:
    operands = _Operands()
    maps = _add_places(operands, places, (indirect, direct))
    operands.add(_optional(multicast))
    operands.add(time)
    return operands.pending(cls, maps, attributes, regions=[_step(region, iv)])


@syntax("agen.composite_indirect_store", rule="agen_composite_indirect_store")
def build_composite_indirect_store(
    cls: type,
    places: Places,
    multicast: str | None,
    time: tuple[str, ...],
    attributes: Attributes,
    region: PendingRegion,
    indirect: t.Type,
    direct: t.Type,
) -> Pending:
    operands = _Operands()
    maps = _add_places(operands, places, (indirect, direct))
    operands.add(_optional(multicast))
    operands.add(time)
    return operands.pending(cls, maps, attributes, regions=[_step(region, None)])


@printer("agen.composite_indirect_load", "agen.composite_indirect_store")
def print_composite_indirect(p: Any, op: Any) -> None:
    p.write(" ")
    _write_places(p, op)
    p.write(" ")
    _write_time(p, op)
    if op.regions[0].block.arguments:
        p.write(", load_iv(")
        _write_iv(p, op)
        p.write(")")
    _write_step(p, op, op.indirect, op.direct)


# Interleaving and masks


@syntax("agen.composite_memory_interleave", rule="agen_interleave")
def build_interleave(cls: type, attributes: Attributes, region: PendingRegion) -> Pending:
    return Pending(cls, attributes=attributes, regions=[_step(region, None)])


@printer("agen.composite_memory_interleave")
def print_interleave(p: Any, op: CompositeMemoryInterleaveOp) -> None:
    # Without attributes the braces must still be there, else the region's are taken for them.
    if op.properties or op.attributes:
        p.attr_dict(op)
    else:
        p.write(" {}")
    p.write(" ")
    last = op.regions[0].block.last_op
    p.region(op.regions[0], entry_args=False, terminator=bool(last and last.attributes))


_MASK_KEY = re.compile(r"mask([A-Z])")
_MASK_TEXT = re.compile(
    r"\(\s*unmasked\s*=\s*(\d+)\s*:\s*i32\s*,\s*masked\s*=\s*(\d+)\s*:\s*i32\s*\)"
)


@syntax("agen.set_transfer_mask_state", rule="agen_mask_state")
def build_mask_state(
    cls: type, value: str, attributes: Attributes, value_type: t.Type, vector: t.Type
) -> Pending:
    counts: list[tuple[int, int]] = []
    for key in sorted(k for k in attributes if _MASK_KEY.fullmatch(k)):
        if key != f"mask{chr(ord('A') + len(counts))}":
            fail(f"patterns must be lettered from A without gaps, got '{key}'")
        text = attributes[key]
        found = _MASK_TEXT.fullmatch(text.value) if isinstance(text, StringAttr) else None
        if found is None:
            fail(f"expected \"(unmasked = <n> : i32, masked = <n> : i32)\" for '{key}'")
        counts.append((int(found[1]), int(found[2])))  # type: ignore[index]
    properties: Attributes = {}
    if counts:
        for i, name in enumerate(("num_unmasked_elements", "num_masked_elements")):
            properties[name] = ArrayAttr(tuple(IntegerAttr(c[i], t.i32) for c in counts))
    return Pending(
        cls,
        operands=(value,),
        types=(value_type,),
        result_types=(vector,),
        properties=properties,
        attributes=attributes,
    )


@printer("agen.set_transfer_mask_state")
def print_mask_state(p: Any, op: SetTransferMaskStateOp) -> None:
    p.write(" mask_value(")
    p.value(op.mask_value)
    p.write(f") {{num_slices = {op.num_slices.value} : i32, slice_mask_map = ")
    p.string(op.slice_mask_map.value)
    for i, (unmasked, masked) in enumerate(op.patterns):
        p.write(
            f', mask{chr(ord("A") + i)} = "(unmasked = {unmasked} : i32, masked = {masked} : i32)"'
        )
    p.write("}")
    _write_types(p, op.mask_value, op.state)
