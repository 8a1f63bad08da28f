"""Reading a program: its loads, its one computation, its stores, with addresses as memrefs."""

from __future__ import annotations

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.builder import Builder
from kt.ir.core import Operation
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import func, kt, ktdp, linalg, tensor
from kt.ir.rewriter import apply_patterns
from kt.passes.analysis.access import TileAccess, along_loops, build_access
from kt.passes.analysis.aliasing import same_elements
from kt.passes.analysis.groups import refuse
from kt.passes.analysis.iteration import (
    Operand,
    Program,
    is_parallel,
    lane_coefficient,
    output_extents,
    plan_vectors,
)
from kt.passes.analysis.links import peers_of
from kt.passes.analysis.structured import is_relayout
from kt.passes.frontend.rules.operands import merge_inputs
from kt.passes.frontend.rules.results import join_results


def merge_loads(function: func.FuncOp) -> int:
    """One load for several of the same elements, and one input for it; how many loads went.

    A program stores behind all its loads, so they see the same contents.
    """
    kept: list[ktdp.LoadOp] = []
    merged = 0
    for load in [op for op in function.entry.ops if isinstance(op, ktdp.LoadOp)]:
        same = next((k for k in kept if same_elements(k.access_tile, load.access_tile)), None)
        if same is None:
            kept.append(load)
        else:
            load.replace_with([same.data])
            merged += 1
    if merged:
        apply_patterns(function, [merge_inputs], fold=False)
    return merged


def read_program(function: func.FuncOp, device: Device) -> Program:
    """The computation of a function, its address arithmetic inserted in front of the return."""
    stores = stores_of(function)
    end = function.entry.terminator
    assert end is not None
    sources = [_copied(store) for store in stores]
    loads = [load for load in sources if load is not None]
    if len(loads) == len(stores) and len(set(loads)) == 1:
        _only_body(function, stores)
        program = _read_copy(stores, loads[0], end, device)
        if program is not None and _copies_directly(program, device):
            return program
    for store in stores:
        load = store.data.defining_op
        if isinstance(load, ktdp.LoadOp):
            _identity_body(store, load)
    if len(stores) > 1 and not join_results(stores):
        raise refuse(
            stores[1],
            "it can't be computed along with the other store of its program",
            "store results over the same points",
            Note("the other store", stores[0].location),
        )
    body = _only_body(function, stores)
    if body is None:
        made = stores[0].data.defining_op
        assert made is not None
        raise refuse(made, "its result is stored as it is", "compute the tensor from loads")
    return _read_computation(stores, body, end, device)


def read_pulls(function: func.FuncOp, device: Device) -> list[Program] | None:
    """The copies of a program that does nothing but fetch from other tiles, several times; else None."""
    stores = stores_of(function)
    loads = [store.data.defining_op for store in stores]
    if len(stores) < 2 or not all(isinstance(load, ktdp.LoadOp) and _is_far(load) for load in loads):
        return None
    end = function.entry.terminator
    assert end is not None
    found = []
    for store, load in zip(stores, loads, strict=True):
        assert isinstance(load, ktdp.LoadOp)
        program = _read_copy([store], load, end, device)
        if program is None or not _copies_directly(program, device):
            return None
        found.append(program)
    return found


def _is_far(load: ktdp.LoadOp) -> bool:
    tile = load.access_tile.defining_op
    return isinstance(tile, ktdp.ConstructAccessTileOp) and isinstance(tile.base.defining_op, kt.PeerViewOp)


def stores_of(function: func.FuncOp) -> list[ktdp.StoreOp]:
    """The stores of a program, all at its top level."""
    stores = [op for op in function.walk() if isinstance(op, ktdp.StoreOp)]
    for op in stores:
        if op.parent is not function.entry:
            raise PassError(
                f"function @{function.symbol} is no program with its stores at the top level",
                op.location,
                hint="run compute-group-extraction first",
            )
    return stores


def _copied(store: ktdp.StoreOp) -> ktdp.LoadOp | None:
    """The load whose elements are stored, perhaps in another order."""
    made = store.data.defining_op
    if isinstance(made, linalg.GenericOp) and is_relayout(made):
        made = made.inputs[0].defining_op
    return made if isinstance(made, ktdp.LoadOp) else None


def _only_body(
    function: func.FuncOp, stores: list[ktdp.StoreOp]
) -> linalg.GenericOp | None:
    """The generic op that is left, None for a copy; PassError for all else on tensors.

    Of several stores each may have an op of its own.
    """
    generics: list[linalg.GenericOp] = []
    for op in function.entry.ops:
        if isinstance(op, linalg.GenericOp):
            generics.append(op)
        elif any(isinstance(v.type, t.TensorType) for v in op.results) and not isinstance(
            op, (ktdp.LoadOp, tensor.EmptyOp)
        ):
            raise refuse(
                op,
                "it has no schedule yet",
                "compute the tensor elementwise from loads, or pass it as a buffer",
            )
    for op in generics:
        if not is_parallel(op):
            raise refuse(
                op,
                "reductions and contractions have no schedule yet",
                "run this kernel with the KTIR executor; elementwise kernels compile",
            )
    stored = {store.data.defining_op for store in stores}
    for op in generics:
        if op not in stored and len(generics) > 1:
            raise refuse(
                op,
                "it can't be fused with the computation that uses its result",
                "store the intermediate tensor and load it again",
                Note("what is stored", stores[0].location),
            )
        if op not in stored:
            raise refuse(op, "its result isn't what is stored", "store its result directly")
    return generics[0] if generics else None


def _read_computation(
    stores: list[ktdp.StoreOp], body: linalg.GenericOp, end: Operation, device: Device
) -> Program:
    if len(body.results) != len(stores):
        raise refuse(body, "it has several results", "compute each result by an op of its own")
    loops = max(body.num_loops, 1)
    maps = [_with_axis(m, loops) for m in body.indexing_maps()]
    loads = [_load_of(body, i) for i in range(len(body.inputs))]
    accesses = [_access(load, end, device) for load in loads]
    outputs = [_access(store, end, device) for store in stores]
    written = maps[len(loads) :] if body.num_loops else [AffineMap(1, 0, (dim(0),))] * len(stores)
    spaces = [output_extents(body, m, a.sizes) for m, a in zip(written, outputs, strict=True)]
    extents = spaces[0]
    operands = []
    for i, load in enumerate(loads):
        build = Builder.before(end, load.location)
        source, map = along_loops(build, accesses[i], maps[i], extents)
        operands.append(Operand(i, load, map, source))
    results = [
        Operand(len(loads) + i, store, written[i], outputs[i]) for i, store in enumerate(stores)
    ]
    program = Program(body, operands, results, extents)
    plan_vectors(program, device)
    return program


def _load_of(body: linalg.GenericOp, number: int) -> ktdp.LoadOp:
    """The load that an input comes from."""
    load = body.inputs[number].defining_op
    if not isinstance(load, ktdp.LoadOp):
        raise refuse(body, f"input {number} isn't loaded from memory", "load it from a view")
    return load


def _access(op: ktdp.LoadOp | ktdp.StoreOp, end: Operation, device: Device) -> TileAccess:
    """The elements that an op loads or stores, with the arithmetic in front of the return."""
    return build_access(Builder.before(end, op.location), op.access_tile, device, lookups=True)


def _with_axis(map: AffineMap, loops: int) -> AffineMap:
    """The map over at least one loop, with at least one subscript."""
    return AffineMap(loops, 0, map.results or (const(0),))


def _read_copy(
    stores: list[ktdp.StoreOp], load: ktdp.LoadOp, end: Operation, device: Device
) -> Program | None:
    """Copies of one tile, the loops being those of the first store; None if the others' differ."""
    source = _access(load, end, device)
    accesses = [_access(store, end, device) for store in stores]
    rank = len(accesses[0].sizes)
    ways = [_copy_maps(store, rank) for store in stores]
    first, _ = ways[0]
    extents = output_extents(stores[0], ways[0][1], accesses[0].sizes)
    build = Builder.before(end, load.location)
    results = []
    for i, (store, access, (read, written)) in enumerate(zip(stores, accesses, ways, strict=True)):
        if read is not first:  # this store's loops, where both read the same elements
            inverse = read.inverse_permutation()
            if inverse is None:
                return None
            written = written.compose(inverse.compose(first)).simplify()
        elif output_extents(store, written, access.sizes) != extents:
            return None
        results.append(Operand(i + 1, store, written, access))
    made, map = along_loops(build, source, first, extents)
    program = Program(None, [Operand(0, load, map, made)], results, extents)
    plan_vectors(program, device)
    return program


def _copy_maps(store: ktdp.StoreOp, rank: int) -> tuple[AffineMap, AffineMap]:
    """Subscripts of the tile that is loaded and of the one that is stored, from the loops."""
    body = store.data.defining_op
    same = AffineMap.identity(rank)
    if not isinstance(body, linalg.GenericOp):
        return same, same
    read, written = (_with_axis(m, rank) for m in body.indexing_maps())
    return read, written if body.num_loops else same


def _copies_directly(program: Program, device: Device) -> bool:
    """Whether load and store engines can do the copy, without the compute unit.

    Not for broadcasts, and not if the way would lead from a scratchpad through shared memory. Copies
    to several places wait in the same memory.
    """
    (load,) = program.loads
    for operand in (load, *program.stores):
        along = [lane_coefficient(e, program.vector) for e in operand.map.results]
        if along.count(1) != 1 or None in along:
            return False
    source, target = load.access.memory, program.store.access.memory
    if any(store.access.memory != target for store in program.stores):
        return False
    if source != target or peers_of(load.access.memref) is not None:
        return True
    middle = device.copy_route(source, target).hops[0].target
    return not device.is_global(middle.key)


def _identity_body(store: ktdp.StoreOp, load: ktdp.LoadOp) -> linalg.GenericOp:
    """A generic op that yields its input, in front of the store."""
    build = Builder.before(store)
    type: t.TensorType = load.data.type  # type: ignore[assignment]
    rank = type.rank
    sizes = [n if n != t.DYNAMIC else build.create(tensor.DimOp, load.data, build.constant(i)).result
             for i, n in enumerate(type.shape)]  # fmt: skip
    empty = build.insert(tensor.EmptyOp.of(sizes, type.element_type, location=store.location))
    same = AffineMap.identity(rank)
    made = linalg.GenericOp.of(
        [load.data], [empty.result], [same, same], ["parallel"] * rank,
        lambda block, arguments: [arguments[0]], location=store.location,
    )  # fmt: skip
    store.set_operand(0, build.insert(made).results[0])
    return made
