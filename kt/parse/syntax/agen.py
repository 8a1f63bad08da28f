"""Text of the `agen` dialect: accesses with subscripts, time steps and optional multicast groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import ArrayAttr, IntegerAttr, StringAttr
from kt.ir.dialects.agen import (
    SetTransferMaskStateOp,
    VectorLoadOp,
    VectorStoreOp,
    symbolic_parts,
)
from kt.ir.text import entry_text
from kt.parse.syntax import agen_composite as agen_composite
from kt.parse.syntax.agen_base import (
    HIDDEN,
    Attributes,
    Operands,
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
    fail,
    printer,
    syntax,
)

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
    operands = Operands()
    operands.add((memref,), memref_type)
    operands.add(names(subscripts))
    operands.add(optional(multicast))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, results=(vector,))


@printer("agen.vector_load")
def print_load(p: Any, op: VectorLoadOp) -> None:
    p.write(" ")
    write_place(p, op.memref, op.affine_map, op.indices)
    write_multicast(p, op)
    p.attr_dict(op, elided=HIDDEN)
    write_types(p, op.memref, op.vector)


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
    operands = Operands()
    operands.add((vector,), vector_type)
    operands.add((memref,), memref_type)
    operands.add(names(subscripts))
    return operands.pending(cls, {"affine_map": subscripts}, attributes, sized=False)


@printer("agen.vector_store")
def print_store(p: Any, op: VectorStoreOp) -> None:
    p.write(" ")
    p.value(op.vector)
    p.write(", ")
    write_place(p, op.memref, op.affine_map, op.indices)
    p.attr_dict(op, elided=HIDDEN)
    write_types(p, op.memref, op.vector)


# One vector at an index that is read


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
    operands = Operands()
    maps = add_places(operands, places, (indirect, direct))
    operands.add(optional(multicast))
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
    operands = Operands()
    operands.add((vector,), vector_type)
    maps = add_places(operands, places, (indirect, direct))
    operands.add(optional(multicast))
    return operands.pending(cls, maps, attributes)


@printer("agen.indirect_vector_load", "agen.indirect_vector_store")
def print_indirect(p: Any, op: Any) -> None:
    p.write(" ")
    store = not op.results
    if store:
        p.value(op.vector)
        p.write(" ")
    write_places(p, op)
    p.attr_dict(op, elided=HIDDEN)
    memories = (op.indirect, op.direct)
    write_types(p, *((op.vector, *memories) if store else (*memories, op.vector)))


# One vector at symbolic strides


def _symbolic(
    cls: type,
    operands: Operands,
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
    operands = Operands()
    operands.add((memref,), memref_type)
    return _symbolic(cls, operands, strided, optional(multicast), attributes, (vector,))


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
    operands = Operands()
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
    p.attr_dict(op, elided=HIDDEN)
    write_types(p, op.memref, op.vector)


# Masks


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
    for key, value in sorted(op.attributes.items()):
        if not _MASK_KEY.fullmatch(key):
            p.write(", ")
            p.write(entry_text(key, value, p.text))
    p.write("}")
    write_types(p, op.mask_value, op.state)
