"""Reading a program whose computation is a reduction or a contraction."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineMap, dim
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import func, ktdp, linalg, tensor
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.access import along_loops, build_access
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.iteration import Mixed, Operand, lane_coefficient
from kt.passes.analysis.structured import (
    Combiner,
    body_types,
    combiner_of,
    is_fill,
    is_pointwise,
)
from kt.passes.analysis.target import lanes_for


@define(eq=False)
class ReductionProgram:
    """One reduction over one iteration space, between loads and a store.

    ``start`` is what the accumulators begin with: a fill, or a tensor that is loaded. ``reduced`` are
    the loops that the output doesn't have. ``vector`` is the loop along the lanes: a parallel one
    (every lane is an element of the output) or a reduced one (lanes are partial results).
    """

    body: linalg.GenericOp
    loads: list[Operand]
    start: Operand | linalg.GenericOp
    store: Operand
    extents: list[Mixed]
    reduced: list[int]
    combiner: Combiner | None
    vector: int = field(init=False)
    lanes: int = field(init=False)

    @property
    def all_loads(self) -> list[Operand]:
        """Everything that is loaded, in the order in which it travels."""
        first = [self.start] if isinstance(self.start, Operand) else []
        return [*first, *self.loads]

    @property
    def along_reduction(self) -> bool:
        """Whether the lanes hold partial results."""
        return self.vector in self.reduced

    @property
    def parallel_order(self) -> list[int]:
        """The loops of the output, outermost first; one along the lanes is innermost."""
        dims = [d for d in range(len(self.extents)) if d not in self.reduced]
        return [d for d in dims if d != self.vector] + [d for d in dims if d == self.vector]

    @property
    def reduced_order(self) -> list[int]:
        return [d for d in self.reduced if d != self.vector] + (
            [self.vector] if self.along_reduction else []
        )

    def varies(self, operand: Operand) -> bool:
        """Whether an operand changes while one vector of the output is accumulated."""
        return any(d in operand.map.used_dims for d in self.reduced)


def find_reduction(function: func.FuncOp) -> linalg.GenericOp | None:
    """The one reduction of a program; None if all its computations are elementwise."""
    found = [
        op
        for op in function.entry.ops
        if isinstance(op, linalg.GenericOp) and any(k != PARALLEL for k in op.iterator_types())
    ]
    return found[0] if found else None


def read_reduction(
    function: func.FuncOp, body: linalg.GenericOp, device: Device
) -> ReductionProgram:
    """The reduction of a function, its address arithmetic inserted in front of the return."""
    store = _check_shape(function, body)
    end = function.entry.terminator
    assert end is not None
    loops = body.num_loops
    maps = body.indexing_maps()
    output = maps[-1]
    reduced = [d for d, kind in enumerate(body.iterator_types()) if kind != PARALLEL]
    if not output.results:  # everything is reduced: one element along a loop of its own
        output = AffineMap(loops + 1, 0, (dim(loops),))
        loops += 1
    maps = [AffineMap(loops, 0, m.results) for m in maps[:-1]]
    access = build_access(Builder.before(end, store.location), store.access_tile, device)
    extents = _extents(body, maps, output, reduced, access.sizes)
    loads = [
        _operand(i, value, map, extents, end, device, body)
        for i, (value, map) in enumerate(zip(body.inputs, maps, strict=True))
    ]
    start: Operand | linalg.GenericOp
    made = body.outputs[0].defining_op
    if isinstance(made, linalg.GenericOp):
        start = made
    else:
        start = _operand(len(loads), body.outputs[0], output, extents, end, device, body)
    program = ReductionProgram(
        body,
        loads,
        start,
        Operand(len(loads) + 1, store, output, access),
        extents,
        reduced,
        combiner_of(body),
    )
    _choose_vectors(program, device)
    return program


def _check_shape(function: func.FuncOp, body: linalg.GenericOp) -> ktdp.StoreOp:
    """Refuse what isn't one reduction between loads and a store."""
    stores = [op for op in function.walk() if isinstance(op, ktdp.StoreOp)]
    if len(stores) != 1 or stores[0].data.defining_op is not body or len(body.results) != 1:
        raise refuse(
            body,
            "a program has to be one reduction with one result, which is stored",
            "run insert-buffers and compute-group-extraction first; a reduction with several "
            "results has no schedule, so compute each by an op of its own",
        )
    for op in function.entry.ops:
        holds = any(isinstance(v.type, t.TensorType) for v in op.results)
        if op is body or not holds or isinstance(op, (ktdp.LoadOp, tensor.EmptyOp)) or is_fill(op):
            continue
        what = "it can't be fused with the reduction that uses it"
        if not is_pointwise(op):
            what = "it has no schedule yet"
        raise refuse(op, what, "store the intermediate tensor and load it again")
    if any(isinstance(inner, linalg.IndexOp) for inner in body.body.ops):
        raise refuse(body, "its body uses loop indices as data", "load the indices from a buffer")
    if not body.indexing_maps()[-1].is_projected_permutation:
        raise refuse(
            body,
            f"its output has the subscripts {body.indexing_maps()[-1]}",
            "write each element of the output at the loops' own indices",
        )
    return stores[0]


def _extents(
    body: linalg.GenericOp,
    maps: Sequence[AffineMap],
    output: AffineMap,
    reduced: list[int],
    sizes: Sequence[Mixed],
) -> list[Mixed]:
    """Extents of all loops: those of the output from its tile, the others from the inputs."""
    extents: dict[int, Mixed] = {}
    for expr, size in zip(output.results, sizes, strict=True):
        assert isinstance(expr, AffineDim)
        extents[expr.position] = size
    for value, map in zip(body.inputs, maps, strict=True):
        for expr, extent in zip(map.results, value.type.shape, strict=True):  # type: ignore[attr-defined]
            if isinstance(expr, AffineDim) and extent != t.DYNAMIC:
                extents.setdefault(expr.position, extent)
    missing = [d for d in range(output.num_dims) if d not in extents]
    if missing:
        raise refuse(
            body,
            f"the extent of its loop d{missing[0]} isn't a known number",
            "give the tiles that are reduced fixed extents",
        )
    return [extents[d] for d in range(output.num_dims)]


def _operand(
    number: int,
    value: Value,
    map: AffineMap,
    extents: list[Mixed],
    end: Operation,
    device: Device,
    body: Operation,
) -> Operand:
    load = value.defining_op
    if not isinstance(load, ktdp.LoadOp):
        raise refuse(body, f"operand {number} isn't loaded from memory", "load it from a view")
    build = Builder.before(end, load.location)
    access, map = along_loops(build, build_access(build, load.access_tile, device), map, extents)
    if not map.results:
        map = AffineMap(map.num_dims, 0, (0,))
    return Operand(number, load, map, access)


def _choose_vectors(program: ReductionProgram, device: Device) -> None:
    """The loop along the lanes: one whose neighbours are neighbours in memory, if there is one.

    Parallel loops come first. Lanes with partial results need a combiner with an identity.
    """
    operands = [*program.all_loads, program.store]
    choices = []
    for d, extent in enumerate(program.extents):
        if d in program.reduced and (program.combiner is None or not isinstance(extent, int)):
            continue
        scattered = _scattered(operands, d)
        if scattered is not None:
            choices.append((extent == 1, scattered, d in program.reduced, -d, d))
    if not choices:
        raise refuse(
            program.body,
            "no loop runs over single elements of all operands",
            "view the memory with the shape and strides that make the subscripts plain",
        )
    program.vector = min(choices)[-1]
    types = [*body_types(program.body), *(o.element_type for o in operands)]
    program.lanes = lanes_for(device, list(dict.fromkeys(types)), program.body)


def _scattered(operands: Sequence[Operand], d: int) -> int | None:
    """How many operands have elements that are no neighbours along a loop; None if it can't be."""
    count = 0
    for operand in operands:
        along = [lane_coefficient(e, d) for e in operand.map.results]
        if None in along or sum(c or 0 for c in along) > 1:
            return None
        if 1 in along and operand.access.strides[along.index(1)] != 1:
            count += 1
    return count
