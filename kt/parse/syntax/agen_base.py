"""Text of the `agen` dialect: places, subscripts, operand segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kt.ir import types as t
from kt.ir.attributes import AffineMapAttr, Attribute
from kt.ir.core import Value
from kt.parse.syntax_api import (
    Pending,
    PendingRegion,
    segments,
)

Subscripts = tuple[Any, tuple[str, ...], tuple[str, ...]]
Place = tuple[str, Subscripts]
Places = tuple[str, Subscripts, str, Subscripts]
Attributes = dict[str, Attribute]


class Operands:
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


def names(subscripts: Subscripts) -> tuple[str, ...]:
    return (*subscripts[1], *subscripts[2])


def optional(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def write_place(p: Any, memref: Value, map: AffineMapAttr, indices: Sequence[Value]) -> None:
    """``%m[%i * 2, 0]``."""
    p.value(memref)
    p.write("[")
    dims = map.map.num_dims
    p.affine_operands(map.map, indices[:dims], indices[dims:])
    p.write("]")


def write_types(p: Any, *values: Value) -> None:
    p.write(" : ")
    p.types([v.type for v in values])


HIDDEN = (
    "affine_map", "src_map", "dst_map", "direct_map", "indirect_map", "direct_src_map",
    "direct_dst_map", "indirect_src_map", "indirect_dst_map", "operandSegmentSizes", "num_indices",
    "num_strides",
)  # fmt: skip


def write_multicast(p: Any, op: Any) -> None:
    if op.multicast_info is not None:
        p.write(" multicast_info = ")
        p.value(op.multicast_info)


def add_places(
    operands: Operands, places: Places, types: Sequence[t.Type]
) -> dict[str, Subscripts]:
    indirect, indirect_at, direct, direct_at = places
    operands.add((indirect,), types[0])
    operands.add((direct,), types[1])
    operands.add(names(indirect_at))
    operands.add(names(direct_at))
    return {"indirect_map": indirect_at, "direct_map": direct_at}


def write_places(p: Any, op: Any) -> None:
    p.write("indirect:")
    write_place(p, op.indirect, op.indirect_map, op.indirect_indices)
    p.write(" direct:")
    write_place(p, op.direct, op.direct_map, op.direct_indices)
    write_multicast(p, op)
