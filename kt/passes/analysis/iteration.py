"""The iteration space of a program: its loops, its operands in memory, its vectors."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field, frozen

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineExpr, AffineMap, const, dim, split_dim
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import ktdp, linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.access import TileAccess
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.structured import body_types
from kt.passes.analysis.target import lanes_for

Mixed = int | Value


@frozen(eq=False)
class Operand:
    """A load or a store of a program: operand ``number`` of its computation.

    ``map`` gives the subscripts of ``access.memref`` from the loops.
    """

    number: int
    op: ktdp.LoadOp | ktdp.StoreOp
    map: AffineMap
    access: TileAccess

    @property
    def lookup_dims(self) -> set[int]:
        """The loops with which coordinates that are looked up vary."""
        axes = {a for x in self.access.lookups for a in x.map.used_dims}
        results = self.map.results
        return {
            d
            for a in axes
            if a < len(results)
            for d in AffineMap(self.map.num_dims, 0, (results[a],)).used_dims
        }

    @property
    def element_type(self) -> t.Type:
        return self.access.memref.type.element_type  # type: ignore[attr-defined]


@define(eq=False)
class Program:
    """One computation over one iteration space, between loads and stores.

    ``body`` is the generic op with one result per store, None for a copy. ``extents`` are those of the loops by their number;
    ``vector`` is the loop that runs along the lanes (None without loops), ``lanes`` its step.
    """

    body: linalg.GenericOp | None
    loads: list[Operand]
    stores: list[Operand]
    extents: list[Mixed]
    vector: int = field(init=False)
    lanes: int = field(init=False)

    @property
    def store(self) -> Operand:
        """The first store."""
        return self.stores[0]

    @property
    def order(self) -> list[int]:
        """The loops, outermost first: as in the output, the one along the lanes innermost."""
        return [d for d in range(len(self.extents)) if d != self.vector] + [self.vector]

    @property
    def tail(self) -> bool | None:
        """Whether the last vector is shorter; None if that is known only at run time."""
        extent = self.extents[self.vector]
        return bool(extent % self.lanes) if isinstance(extent, int) else None


def plan_vectors(program: Program, device: Device) -> None:
    """Choose the loop along the lanes and the number of lanes."""
    program.vector = _vector_loop(program)
    if program.body is None:
        program.lanes = copy_lanes(device, program.store.element_type)
    else:
        operands = *program.loads, *program.stores
        types = [*body_types(program.body), *(o.element_type for o in operands)]
        program.lanes = lanes_for(device, list(dict.fromkeys(types)), program.body)


def copy_lanes(device: Device, element: t.Type) -> int:
    """Elements that a copy moves at once: as many bytes as the widest vector has."""
    kind = device.compute_kind
    if kind is None:
        return 1
    own = device.lanes(kind, element)
    if own:
        return own
    widths = [
        device.lanes(kind, x) * x.itemsize  # type: ignore[attr-defined]
        for x in device.element_types(kind)
    ]
    size: int = element.itemsize  # type: ignore[attr-defined]
    return max(1, max(widths, default=size) // size)


def _vector_loop(program: Program) -> int:
    """The innermost loop with more than one point whose elements are neighbours in most outputs.

    For copies to several places the input counts as well.
    """
    stores = program.stores
    ends = [*stores, *program.loads] if program.body is None and len(stores) > 1 else stores
    dims = _plain_dims(program.store.map)
    looked_up = {d for o in (*program.loads, *stores) for d in o.lookup_dims}
    wide = [d for d in dims if d not in looked_up and program.extents[d] != 1]
    wide = wide or [d for d in dims if d not in looked_up][-1:]
    if not wide:
        raise PassError(
            "every element has coordinates of its own that are looked up, so there are no vectors",
            program.store.op.location,
            hint="look up rows instead of single elements",
        )
    neighbours = {
        d: sum(lane_coefficient(e, d) == 1 and stride == 1
               for end in ends
               for e, stride in zip(end.map.results, end.access.strides, strict=True))
        for d in wide
    }  # fmt: skip
    return max(reversed(wide), key=lambda d: neighbours[d])


def _plain_dims(map: AffineMap) -> list[int]:
    found = map.dim_positions
    assert found is not None
    return list(found)


def output_extents(op: Operation, map: AffineMap, sizes: Sequence[Mixed]) -> list[Mixed]:
    """Extents of the loops from the output; PassError if it doesn't have every loop as an axis."""
    if not map.is_permutation:
        raise refuse(
            op,
            f"its output has the subscripts {map}, which are no permutation of the loops",
            "write each element of the output once, at the loops' own indices",
        )
    extents: list[Mixed] = [0] * map.num_dims
    for d, size in zip(_plain_dims(map), sizes, strict=True):
        extents[d] = size
    return extents


def lane_coefficient(expr: AffineExpr, vector: int) -> int | None:
    """0 if a subscript is the same for all lanes, 1 if it grows with the lane, None for the rest."""
    found = split_dim(expr, vector)
    return found[0] if found is not None and found[0] in (0, 1) else None


def runs_along_lanes(operand: Operand, vector: int, user: Operation) -> bool:
    """Whether an operand has a different element for each lane; PassError for odd subscripts."""
    found = [lane_coefficient(e, vector) for e in operand.map.results]
    if None in found or sum(c or 0 for c in found) > 1:
        raise PassError(
            f"can't load vectors along subscripts {operand.map}: along d{vector} the elements of one "
            "vector must be consecutive subscripts of one dimension, or all the same",
            user.location,
            notes=[Note("loaded here", operand.op.location)],
            hint="view the memory with the shape and strides that make the subscripts plain",
        )
    return 1 in found


def stage_map(map: AffineMap, vector: int) -> AffineMap:
    """The map of an operand inside the compute stage, where loops run over one vector only.

    The subscript that grows with the lanes is the lane, a plain loop stays (it has one point); all
    else is the only element of its axis.
    """
    results: list[AffineExpr] = []
    for e in map.results:
        if lane_coefficient(e, vector):
            results.append(dim(vector))
        else:
            results.append(e if isinstance(e, AffineDim) else const(0))
    return AffineMap(map.num_dims, 0, results)


def is_parallel(op: linalg.GenericOp) -> bool:
    """Whether all loops may run in any order."""
    return all(kind == PARALLEL for kind in op.iterator_types())
