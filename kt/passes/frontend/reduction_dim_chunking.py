"""reduction-dim-chunking: reductions that are too long for the scratchpad run in several parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineMap, AffineSet, dim
from kt.ir.attributes import AffineMapAttr, AffineSetAttr
from kt.ir.builder import Builder
from kt.ir.clone import clone_ops
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import ktdp, linalg, scf
from kt.ir.dialects.ktdp_types import AccessTileType
from kt.ir.dialects.linalg_base import PARALLEL
from kt.passes.analysis.aliasing import same_elements
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.target import compute_kind, device_of
from kt.passes.frontend.place_buffers import scratchpads
from kt.passes.frontend.rules.epilogues import Epilogue
from kt.passes.manager import Pass, PassContext, register_pass
from kt.passes.schedule.plan_json import is_key, read_table

if TYPE_CHECKING:
    from kt.arch import Device

Part = tuple[Value | None, int]
"""Offset (None: 0) and extent of a part of a loop."""


@register_pass
@frozen
class ReductionDimChunking(Pass):
    """Cut reduced loops into chunks whose operands fit the scratchpad, one vector of results at a time.

    The result is kept where it is stored in the end: each chunk loads it, goes on accumulating and
    stores it again. The outermost reduced loops are cut first. ``chunk`` gives the elements per
    chunk of the outermost reduced loop instead, ``plan`` those of single reductions as JSON, numbered in
    textual order: ``{"0": {"chunk": {"1": 1024}}}`` (a loop that isn't named is not cut)::

        %s = linalg.generic {sum over d1} ins(%x : tensor<4x9000xf16>) outs(%zero)
        ktdp.store %s, %t

        ktdp.store %zero, %t
        scf.for %k = 0 to 8192 step 1024 {
          %part = ktdp.load %x[…, %k] -> tensor<4x1024xf16>
          %a = ktdp.load %t
          %s = linalg.generic {sum over d1} ins(%part) outs(%a)
          ktdp.store %s, %t
        }
        …                                         // the same for the last 808 elements

    The last chunk stands behind the loops also where it is as long as the others, if an elementwise op
    takes the result (see fuse-epilogues).
    """

    name = "reduction-dim-chunking"
    chunk: int = 0
    plan: str = ""

    def run(self, module: Operation, ctx: PassContext) -> None:
        given = read_chunks(self.plan)
        reductions = stored_reductions(module)
        strange = next((n for n in given if n >= len(reductions)), None)
        if strange is not None:
            raise PassError(
                f"the plan speaks of reduction {strange}, but the kernel has {len(reductions)} that can be cut",
                module.location,
                hint=NUMBERING,
            )
        if not reductions:
            return
        device = device_of(module, ctx)
        generics = module.walk_type(linalg.GenericOp)
        followed = {x.reduction for g in generics if (x := Epilogue.of(g)) and not x.shares}
        for number, op in enumerate(reductions):
            sizes = (
                checked_chunks(op, given[number], number) if number in given
                else _given(op, self.chunk) if self.chunk
                else chunk_sizes(op, device)
            )  # fmt: skip
            if sizes:
                _Chunks(op, sizes, op in followed).build()
                ctx.stat("chunked")
                why = "as the plan says" if number in given else "since its operands don't fit the scratchpad"
                parts = ", ".join(f"{n} elements of d{d}" for d, n in sizes.items())
                ctx.remark(f"reduced in parts, {why}: {parts}", op.location)


NUMBERING = "reductions that store what they load and reduce are numbered in the order of the text, from 0"


def stored_reductions(module: Operation) -> list[linalg.GenericOp]:
    """The reductions that can be cut, in textual order."""
    return [op for op in module.walk_type(linalg.GenericOp) if _is_stored_reduction(op)]


def read_chunks(text: str) -> dict[int, dict[int, int]]:
    """Chunks by dimension, by number of the reduction, from JSON."""
    data = json.loads(text) if text else {}
    found: dict[int, dict[int, int]] = {}
    for number, entry in data.items() if isinstance(data, dict) else [("", None)]:
        chunks = entry.get("chunk") if isinstance(entry, dict) and list(entry) == ["chunk"] else None
        table = read_table(chunks, 1)
        if not is_key(number) or table is None:
            raise PassError(
                f"not a plan: a reduction has chunks of at least 1 element, by dimension, got {text[:200]}",
                hint=f'{NUMBERING}: {{"reductions": {{"0": {{"chunk": {{"1": 1024}}}}}}}}',
            )
        found[int(number)] = table
    return found


def checked_chunks(op: linalg.GenericOp, given: dict[int, int], number: int) -> dict[int, int]:
    """The chunks that a plan gives to a reduction, without those that cut nothing."""
    able, extents = _can_be_cut(op), _extents(op)
    for d in given:
        if d not in able:
            raise PassError(
                f"the plan cuts dimension {d} of reduction {number}, which can't be cut",
                op.location,
                hint=f"dimensions that can: {', '.join(map(str, able)) or 'none'}",
            )
    return {d: n for d, n in given.items() if n < extents[d]}


def planned_chunks(op: linalg.GenericOp, device: Device) -> dict[int, int]:
    """Elements per chunk of all dimensions that can be cut, as this pass finds fit."""
    extents, cut = _extents(op), chunk_sizes(op, device)
    return {d: cut.get(d, extents[d]) for d in _can_be_cut(op)}


def _is_stored_reduction(op: linalg.GenericOp) -> bool:
    """A reduction of loaded tensors with one result, which is just stored."""
    return (
        len(op.results) == 1
        and any(kind != PARALLEL for kind in op.iterator_types())
        and op.results[0].has_one_use
        and isinstance(op.results[0].users[0], ktdp.StoreOp)
        and all(isinstance(v.defining_op, ktdp.LoadOp) for v in op.inputs)
        and all(n != t.DYNAMIC for v in op.inputs for n in v.type.shape)  # type: ignore[attr-defined]
    )


def _extents(op: linalg.GenericOp) -> dict[int, int]:
    return {
        e.position: n
        for v, map in zip(op.operands, op.indexing_maps(), strict=True)
        for e, n in zip(map.results, v.type.shape, strict=True)  # type: ignore[attr-defined]
        if isinstance(e, AffineDim)
    }


def _can_be_cut(op: linalg.GenericOp) -> list[int]:
    """Reduced loops along which every operand has a subscript of its own or doesn't vary."""
    found = []
    for d, kind in enumerate(op.iterator_types()):
        plain = all(
            not e.depends_on_dim(d) or isinstance(e, AffineDim)
            for map in op.indexing_maps()
            for e in map.results
        )
        boxes = all(
            getattr(v.defining_op.access_tile.defining_op, "box", None) is not None  # type: ignore[union-attr]
            for v, map in zip(op.inputs, op.indexing_maps())
            if d in map.used_dims
        )
        if kind != PARALLEL and plain and boxes:
            found.append(d)
    return found


def _given(op: linalg.GenericOp, chunk: int) -> dict[int, int]:
    dims, extents = _can_be_cut(op), _extents(op)
    return {dims[0]: chunk} if dims and extents[dims[0]] > chunk else {}


def chunk_sizes(op: linalg.GenericOp, device: Device) -> dict[int, int]:
    """Chunk per reduced loop that has to be cut; none if the operands of one vector fit.

    A quarter of the scratchpad may hold one copy of the operands: there are two copies, and half of
    the memory may be taken by buffers that live across programs.
    """
    pads = scratchpads(device)
    if not pads:
        return {}
    room = (device.memory(pads[0]).size or 0) // 4
    extents = _extents(op)
    unit = compute_kind(device)
    lanes = max(device.lanes(unit, x) for x in device.element_types(unit))
    sizes = dict(extents)
    cut: dict[int, int] = {}
    for d in _can_be_cut(op):
        if _bytes(op, sizes, lanes) <= room:
            break
        low, high = 1, extents[d]
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if _bytes(op, {**sizes, d: middle}, lanes) <= room else (low, middle - 1)
        if low >= lanes:
            low -= low % lanes
        sizes[d] = cut[d] = low
    return {d: n for d, n in cut.items() if n < extents[d]}


def _bytes(op: linalg.GenericOp, sizes: Mapping[int, int], lanes: int) -> int:
    """Bytes of all operands for one vector of results along the innermost loop of the output."""
    kinds = op.iterator_types()
    inner = max(op.indexing_maps()[-1].used_dims, default=None)
    total = 0
    for value, map in zip(op.inputs, op.indexing_maps()):
        count = 1
        for e, extent in zip(map.results, value.type.shape, strict=True):  # type: ignore[attr-defined]
            if isinstance(e, AffineDim):
                reduced = kinds[e.position] != PARALLEL
                count *= sizes[e.position] if reduced else 1
            elif any(e.depends_on_dim(d) and k != PARALLEL for d, k in enumerate(kinds)):
                count *= extent
        last = map.results[-1] if map.results else None  # neighbours in most tensors
        along = isinstance(last, AffineDim) and last.position == inner
        total += count * (lanes if along else 1) * item_size(value.type)
    return total


def vector_bytes(op: linalg.GenericOp, lanes: int) -> int:
    """Bytes of all operands of a reduction for one vector of results."""
    return _bytes(op, _extents(op), lanes)


@frozen(eq=False)
class _Chunks:
    """One reduction being cut."""

    op: linalg.GenericOp
    sizes: Mapping[int, int]
    followed: bool
    """Whether an elementwise op takes the result, so that the last chunk has to stand alone."""

    @property
    def store(self) -> ktdp.StoreOp:
        (user,) = self.op.results[0].users
        assert isinstance(user, ktdp.StoreOp)
        return user

    def build(self) -> None:
        store, start = self.store, self.op.outputs[0]
        build = Builder.before(store, self.op.location)
        made = start.defining_op
        in_place = isinstance(made, ktdp.LoadOp) and same_elements(
            made.access_tile, store.access_tile
        )
        if not in_place:
            build.create(ktdp.StoreOp, start, store.access_tile)
        self.emit(build, list(self.sizes), {}, self.followed)
        store.erase()
        self.op.erase()

    def emit(
        self, build: Builder, dims: list[int], parts: dict[int, Part], alone: bool
    ) -> None:
        """Loops over full chunks, then the rest, of the first of some loops; the others inside.

        Where the last chunk has to stand ``alone``, the loops leave it out.
        """
        if not dims:
            self.accumulate(build, parts)
            return
        (d, *rest), extent, chunk = dims, _extents(self.op)[dims[0]], self.sizes[dims[0]]
        whole = extent - (extent % chunk or (chunk if alone else 0))
        loop = scf.ForOp.of(
            build.constant(0), build.constant(whole), build.constant(chunk), location=build.location
        )
        build.insert(loop)
        inside = Builder.at_end(loop.body, build.location)
        self.emit(inside, rest, {**parts, d: (loop.induction_variable, chunk)}, False)
        inside.create(scf.YieldOp)
        if whole < extent:
            self.emit(build, rest, {**parts, d: (build.constant(whole), extent - whole)}, alone)

    def accumulate(self, build: Builder, parts: dict[int, Part]) -> None:
        """Go on with the result where it is stored, by one part of the operands."""
        op, store = self.op, self.store
        inputs = [
            _part(build, v, map, parts) for v, map in zip(op.inputs, op.indexing_maps())
        ]
        old = build.create(
            ktdp.LoadOp, store.access_tile, result_types=[op.results[0].type]
        ).data
        made = linalg.GenericOp.of(
            inputs, [old], op.indexing_maps(), op.iterator_types(), location=op.location
        )
        known: dict[Value, Value] = dict(zip(op.body.arguments, made.body.arguments, strict=True))
        for inner in clone_ops(list(op.body.ops), known):
            made.body.append(inner)
        build.insert(made)
        build.create(ktdp.StoreOp, made.results[0], store.access_tile)


def _part(build: Builder, value: Value, map: AffineMap, parts: Mapping[int, Part]) -> Value:
    """Load only a part of an operand."""
    axes = {
        axis: parts[e.position]
        for axis, e in enumerate(map.results)
        if isinstance(e, AffineDim) and e.position in parts
    }
    load = value.defining_op
    assert isinstance(load, ktdp.LoadOp)
    if not axes:
        return value
    tile = load.access_tile.defining_op
    assert isinstance(tile, ktdp.ConstructAccessTileOp)
    order, box = tile.permutation, tile.box
    assert order is not None and box is not None
    bounds = [list(pair) for pair in box]
    results = list(tile.subscripts.results)
    indices = list(tile.indices)
    shape = list(value.type.shape)  # type: ignore[attr-defined]
    for axis, (offset, extent) in axes.items():
        d = order[axis]
        bounds[d][1] = bounds[d][0] + extent
        shape[axis] = extent
        if offset is not None:
            results[d] = results[d] + dim(len(indices))
            indices.append(offset)
    exprs = [e for d, (lo, hi) in enumerate(bounds) for e in (dim(d) - lo, -dim(d) + (hi - 1))]
    space = AffineSet(len(bounds), 0, tuple(exprs), (False,) * len(exprs))
    made = build.create(
        ktdp.ConstructAccessTileOp,
        tile.base,
        indices,
        [],
        base_map=AffineMapAttr(AffineMap(len(indices), 0, results)),
        access_tile_set=AffineSetAttr(space),
        access_tile_order=tile.access_tile_order,
        result_types=[AccessTileType(shape)],
        location=tile.location,
    )
    element = t.element_type_of(value.type)
    return build.create(
        ktdp.LoadOp, made.tile, result_types=[t.TensorType(tuple(shape), element)], location=load.location
    ).data
