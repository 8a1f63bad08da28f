"""Text of the `agen` ops that move one vector per time step."""

from __future__ import annotations

from typing import Any

from kt.ir import types as t
from kt.ir.core import Operation, Value
from kt.ir.dialects.agen import (
    CompositeIndirectLoadAndStoreOp,
    CompositeLoadAndStoreOp,
    CompositeLoadOp,
    CompositeMemoryInterleaveOp,
    CompositeStoreOp,
)
from kt.parse.syntax.agen_base import (
    HIDDEN,
    Attributes,
    Operands,
    Place,
    Places,
    Subscripts,
    add_places,
    names,
    optional,
    write_multicast,
    write_place,
    write_places,
    write_types,
)
from kt.parse.syntax_api import (
    Pending,
    PendingBlock,
    PendingRegion,
    fail,
    printer,
    syntax,
)


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
    p.attr_dict(op, elided=HIDDEN)
    p.newline()
    p.region(op.regions[0], entry_args=False)
    write_types(p, *memories)


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
    operands = Operands()
    operands.add((src,), src_type)
    operands.add((dst,), dst_type)
    for part in (names(src_at), names(dst_at), time, optional(multicast)):
        operands.add(part)
    maps = {"src_map": src_at, "dst_map": dst_at}
    return operands.pending(cls, maps, attributes, regions=[_step(region, iv)])


@printer("agen.composite_load_and_store")
def print_composite_copy(p: Any, op: CompositeLoadAndStoreOp) -> None:
    p.write(" src:")
    write_place(p, op.src, op.src_map, op.src_indices)
    p.write(" dst:")
    write_place(p, op.dst, op.dst_map, op.dst_indices)
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
    operands = Operands()
    operands.add((memref,), memref_type)
    operands.add(names(subscripts))
    operands.add(time)
    step = _step(region, (handle, vector))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, regions=[step])


@printer("agen.composite_load")
def print_composite_load(p: Any, op: CompositeLoadOp) -> None:
    p.write(" ")
    write_place(p, op.memref, op.affine_map, op.indices)
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
    operands = Operands()
    operands.add((memref,), memref_type)
    operands.add(names(subscripts))
    operands.add(())
    operands.add(time)
    step = _step(region, None)
    return operands.pending(cls, {"affine_map": subscripts}, attributes, regions=[step])


@printer("agen.composite_store")
def print_composite_store(p: Any, op: CompositeStoreOp) -> None:
    p.write(" ")
    write_place(p, op.memref, op.affine_map, op.indices)
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
    operands = Operands()
    for side, place in sides.items():
        operands.add((place[0],) if place is not None else (), type_of.get(side))
    for place in sides.values():
        operands.add(names(place[1]) if place is not None else ())
    operands.add(optional(multicast))
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
            write_place(p, memref, getattr(op, f"{side}_map"), getattr(op, f"{side}_indices"))
            memories.append(memref)
    write_multicast(p, op)
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
    operands = Operands()
    maps = add_places(operands, places, (indirect, direct))
    operands.add(optional(multicast))
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
    operands = Operands()
    maps = add_places(operands, places, (indirect, direct))
    operands.add(optional(multicast))
    operands.add(time)
    return operands.pending(cls, maps, attributes, regions=[_step(region, None)])


@printer("agen.composite_indirect_load", "agen.composite_indirect_store")
def print_composite_indirect(p: Any, op: Any) -> None:
    p.write(" ")
    write_places(p, op)
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
