"""Reading a program: its loads, its one computation, its store, with addresses as memrefs."""

from __future__ import annotations

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.builder import Builder
from kt.ir.core import Operation
from kt.ir.diagnostics import Note, PassError
from kt.ir.dialects import func, ktdp, linalg, tensor
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
from kt.passes.analysis.structured import is_relayout
from kt.passes.frontend.rules.operands import merge_inputs


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
    store = _only_store(function)
    body = _only_body(function, store)
    end = function.entry.terminator
    assert end is not None
    load = store.data.defining_op
    if body is not None and is_relayout(body):
        load = body.inputs[0].defining_op
    if body is None or (is_relayout(body) and isinstance(load, ktdp.LoadOp)):
        program = _read_copy(store, body, load, end, device)
        if _copies_directly(program, device):
            return program
        body = body or _identity_body(store, load)  # type: ignore[arg-type]
    return _read_computation(store, body, end, device)


def _only_store(function: func.FuncOp) -> ktdp.StoreOp:
    stores = [op for op in function.walk() if isinstance(op, ktdp.StoreOp)]
    for op in stores:
        if op.parent is not function.entry or len(stores) > 1:
            raise PassError(
                f"function @{function.symbol} is no program with one store at its top level",
                op.location,
                notes=[
                    Note("another store", other.location) for other in stores if other is not op
                ][:1],
                hint="run compute-group-extraction first",
            )
    return stores[0]


def _only_body(function: func.FuncOp, store: ktdp.StoreOp) -> linalg.GenericOp | None:
    """The one generic op that is left, None for a copy; PassError for all else on tensors."""
    generics = []
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
        if any(isinstance(inner, linalg.IndexOp) for inner in op.body.ops):
            raise refuse(op, "its body uses loop indices as data", "load the indices from a buffer")
    if len(generics) > 1:
        raise refuse(
            generics[-1],
            "it can't be fused with the computation that its operand comes from",
            "store the intermediate tensor and load it again",
            Note("the other computation", generics[0].location),
        )
    if generics and store.data.defining_op is not generics[0]:
        raise refuse(generics[0], "its result isn't what is stored", "store its result directly")
    return generics[0] if generics else None


def _read_computation(
    store: ktdp.StoreOp, body: linalg.GenericOp, end: Operation, device: Device
) -> Program:
    loops = max(body.num_loops, 1)
    maps = [_with_axis(m, loops) for m in body.indexing_maps()]
    loads = [_load_of(body, i) for i in range(len(body.inputs))]
    accesses = [_access(load, end, device) for load in loads]
    access = _access(store, end, device)
    if len(body.results) != 1:
        raise refuse(body, "it has several results", "compute each result by an op of its own")
    output = maps[-1] if body.num_loops else AffineMap(1, 0, (dim(0),))
    extents = output_extents(body, output, access.sizes)
    operands = []
    for i, load in enumerate(loads):
        build = Builder.before(end, load.location)
        source, map = along_loops(build, accesses[i], maps[i], extents)
        operands.append(Operand(i, load, map, source))
    program = Program(body, operands, Operand(len(loads), store, output, access), extents)
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
    return build_access(Builder.before(end, op.location), op.access_tile, device)


def _with_axis(map: AffineMap, loops: int) -> AffineMap:
    """The map over at least one loop, with at least one subscript."""
    return AffineMap(loops, 0, map.results or (const(0),))


def _read_copy(
    store: ktdp.StoreOp,
    body: linalg.GenericOp | None,
    load: Operation | None,
    end: Operation,
    device: Device,
) -> Program:
    if not isinstance(load, ktdp.LoadOp):
        assert load is not None
        raise refuse(load, "its result is stored as it is", "compute the tensor from loads")
    source, access = _access(load, end, device), _access(store, end, device)
    rank = len(access.sizes)
    maps = [AffineMap.identity(rank)] * 2
    if body is not None:
        maps = [_with_axis(m, rank) for m in body.indexing_maps()]
    output = maps[1] if body is None or body.num_loops else AffineMap.identity(rank)
    extents = output_extents(store, output, access.sizes)
    build = Builder.before(end, load.location)
    source, map = along_loops(build, source, maps[0], extents)
    operand = Operand(0, load, map, source)
    program = Program(None, [operand], Operand(1, store, output, access), extents)
    plan_vectors(program, device)
    return program


def _copies_directly(program: Program, device: Device) -> bool:
    """Whether load and store engines can do the copy, without the compute unit.

    Not for broadcasts, and not if the way would lead from a scratchpad through shared memory.
    """
    (load,) = program.loads
    along = [lane_coefficient(e, program.vector) for e in load.map.results]
    if along.count(1) != 1 or None in along:
        return False
    source, target = load.access.memory, program.store.access.memory
    if source != target:
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
