"""Reading a program whose computation is a reduction or a contraction."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineMap, const, dim
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

    ``output`` are the subscripts of its result from the loops: what is stored, but for axes of extent 1.
    ``start`` is what the accumulators begin with: a tensor that is loaded, a fill, or an elementwise op
    of ``starts``, which are loaded. ``reduced`` are
    the loops that the output doesn't have. ``vector`` is the loop along the lanes: a parallel one
    (every lane is an element of the output) or a reduced one (lanes are partial results).
    ``epilogue`` is computed elementwise from the results, with ``extras`` as its other operands.
    """

    body: linalg.GenericOp
    loads: list[Operand]
    start: Operand | linalg.GenericOp
    store: Operand
    output: AffineMap
    extents: list[Mixed]
    reduced: list[int]
    combiner: Combiner | None
    starts: list[Operand] = field(factory=list)
    epilogue: linalg.GenericOp | None = None
    extras: list[Operand] = field(factory=list)
    vector: int = field(init=False)
    lanes: int = field(init=False)

    @property
    def all_loads(self) -> list[Operand]:
        """Everything that is loaded, in the order in which it travels."""
        return [*self.starts, *self.loads, *self.extras]

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
    last = epilogue_of(body)
    store = _check_shape(function, body, last)
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
    others, stored = _epilogue_maps(body, last, output)
    extents = _extents(body, maps, stored, reduced, access.sizes)
    loads = [
        _operand(i, value, map, extents, end, device, body)
        for i, (value, map) in enumerate(zip(body.inputs, maps, strict=True))
    ]
    count = len(loads)
    made = body.outputs[0].defining_op
    before = made if isinstance(made, linalg.GenericOp) else None
    inputs = _start_inputs(body, before, output)
    starts = [
        _operand(count + i, value, map, extents, end, device, body)
        for i, (value, map) in enumerate(inputs)
    ]
    count += max(1, len(starts))
    extras = [
        _operand(count + i, value, map, extents, end, device, body)
        for i, (value, map) in enumerate(others)
    ]
    program = ReductionProgram(
        body,
        loads,
        before or starts[0],
        Operand(count + len(extras), store, stored, access),
        output,
        extents,
        reduced,
        combiner_of(body),
        starts,
        last,
        extras,
    )
    _choose_vectors(program, device)
    return program


def epilogue_of(body: linalg.GenericOp) -> linalg.GenericOp | None:
    """The elementwise op that computes on from the result of a reduction, point by point."""
    users = {user: None for value in body.results for user in value.users}
    if len(users) != 1 or len(body.results) != 1:
        return None
    (op,) = users
    if not isinstance(op, linalg.GenericOp) or not is_pointwise(op) or len(op.results) != 1:
        return None
    return op if point_by_point(op, body.results[0]) is not None else None


def point_by_point(op: linalg.GenericOp, value: Value) -> AffineMap | None:
    """The loops of an elementwise op from the subscripts of an input that it reads once each, in order.

    Loops of extent 1 may be more than there are subscripts. None if it reads the input in another way.
    """
    maps = op.indexing_maps()
    written = maps[-1].dim_positions
    found = {m: None for v, m in zip(op.inputs, maps) if v is value}
    if len(found) != 1 or not maps[-1].is_permutation or written is None:
        return None
    (read,) = (m.dim_positions for m in found)
    if read is None or len(set(read)) != len(read):
        return None
    extents = op.extents()
    if [d for d in written if d in read] != list(read):
        return None
    if any(extents[d] != 1 for d in written if d not in read):
        return None
    loops = [dim(read.index(d)) if d in read else const(0) for d in range(op.num_loops)]
    return AffineMap(len(read), 0, loops)


def _epilogue_maps(
    body: linalg.GenericOp, last: linalg.GenericOp | None, output: AffineMap
) -> tuple[list[tuple[Value, AffineMap]], AffineMap]:
    """Other operands of an epilogue, and what is stored, at subscripts from the reduction's loops."""
    if last is None:
        return [], output
    loops = point_by_point(last, body.results[0])
    assert loops is not None
    results = output.results if body.indexing_maps()[-1].results else ()
    way = loops.compose(AffineMap(output.num_dims, 0, results))
    others, maps = [], last.indexing_maps()
    for value, map in zip(last.inputs, maps):
        if value is not body.results[0]:
            others.append((value, map.compose(way).simplify()))
    stored = maps[-1].compose(way).simplify()
    return others, stored if stored.results else output


def _start_inputs(
    body: linalg.GenericOp, before: linalg.GenericOp | None, output: AffineMap
) -> list[tuple[Value, AffineMap]]:
    """What the start is loaded or computed from, at subscripts from the reduction's loops."""
    if before is None:
        return [(body.outputs[0], output)]
    if not before.inputs:
        return []
    maps = before.indexing_maps()
    back = maps[-1].inverse_permutation()
    if back is None:
        raise refuse(
            before,
            "it can't be fused with the reduction that starts from it",
            "store the intermediate tensor and load it again",
        )
    results = output.results if before.num_loops else ()
    way = back.compose(AffineMap(output.num_dims, 0, results))
    return [(v, m.compose(way).simplify()) for v, m in zip(before.inputs, maps)]


def _check_shape(
    function: func.FuncOp, body: linalg.GenericOp, last: linalg.GenericOp | None
) -> ktdp.StoreOp:
    """Refuse what isn't one reduction between loads and a store, with an epilogue or without."""
    stores = [op for op in function.walk() if isinstance(op, ktdp.StoreOp)]
    stored = last or body
    if len(stores) != 1 or stores[0].data.defining_op is not stored or len(body.results) != 1:
        raise refuse(
            body,
            "a program has to be one reduction with one result, which is stored",
            "run insert-buffers and compute-group-extraction first; a reduction with several "
            "results has no schedule, so compute each by an op of its own",
        )
    for op in function.entry.ops:
        holds = any(isinstance(v.type, t.TensorType) for v in op.results)
        known = op in (body, last) or isinstance(op, (ktdp.LoadOp, tensor.EmptyOp)) or is_fill(op)
        known = known or (is_pointwise(op) and body.outputs[0].defining_op is op)
        if known or not holds:
            continue
        what = "it can't be fused with the reduction that uses it"
        if not is_pointwise(op):
            what = "it has no schedule yet"
        raise refuse(op, what, "store the intermediate tensor and load it again")
    if any(isinstance(x, linalg.IndexOp) for op in (body, stored) for x in op.body.ops):
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
    stored: AffineMap,
    reduced: list[int],
    sizes: Sequence[Mixed],
) -> list[Mixed]:
    """Extents of all loops: those of the output from its tile, the others from the inputs."""
    extents: dict[int, Mixed] = {}
    for expr, size in zip(stored.results, sizes, strict=True):
        if isinstance(expr, AffineDim):
            extents[expr.position] = size
    if stored.num_dims > body.num_loops:
        extents.setdefault(body.num_loops, 1)
    for value, map in zip(body.inputs, maps, strict=True):
        for expr, extent in zip(map.results, value.type.shape, strict=True):  # type: ignore[attr-defined]
            if isinstance(expr, AffineDim) and extent != t.DYNAMIC:
                extents.setdefault(expr.position, extent)
    missing = [d for d in range(stored.num_dims) if d not in extents]
    if missing:
        raise refuse(
            body,
            f"the extent of its loop d{missing[0]} isn't a known number",
            "give the tiles that are reduced fixed extents",
        )
    return [extents[d] for d in range(stored.num_dims)]


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
    vector = vector_loop(
        [(o.map, o.access.strides) for o in operands],
        program.extents,
        program.reduced,
        program.combiner is not None,
    )
    if vector is None:
        raise refuse(
            program.body,
            "no loop runs over single elements of all operands",
            "view the memory with the shape and strides that make the subscripts plain",
        )
    program.vector = vector
    types = [*body_types(program.body), *(o.element_type for o in operands)]
    for op in (program.start, program.epilogue):
        if isinstance(op, linalg.GenericOp):
            types += body_types(op)
    program.lanes = lanes_for(device, list(dict.fromkeys(types)), program.body)


def vector_loop(
    operands: Sequence[tuple[AffineMap, Sequence[Mixed | None]]],
    extents: Sequence[Mixed],
    reduced: Sequence[int],
    has_identity: bool,
) -> int | None:
    """The loop along the lanes, by the subscripts and strides of all operands."""
    choices = []
    for d, extent in enumerate(extents):
        if d in reduced and not (has_identity and isinstance(extent, int)):
            continue
        scattered = _scattered(operands, d)
        if scattered is not None:
            choices.append((extent == 1, scattered, d in reduced, -d, d))
    return min(choices)[-1] if choices else None


def _scattered(
    operands: Sequence[tuple[AffineMap, Sequence[Mixed | None]]], d: int
) -> int | None:
    """How many operands have elements that are no neighbours along a loop; None if it can't be."""
    count = 0
    for map, strides in operands:
        along = [lane_coefficient(e, d) for e in map.results]
        if None in along or sum(c or 0 for c in along) > 1:
            return None
        if 1 in along and strides[along.index(1)] != 1:
            count += 1
    return count
