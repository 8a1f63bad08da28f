"""What keeps an elementwise op from being computed on the accumulators of a reduction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineMap
from kt.ir.core import Operation, Value
from kt.ir.dialects import ktdp, linalg
from kt.ir.dialects.linalg_base import PARALLEL
from kt.ir.effects import is_effect_free
from kt.passes.analysis.aliasing import may_alias, same_elements
from kt.passes.analysis.buffers import item_size
from kt.passes.analysis.costs import FREE
from kt.passes.analysis.registers import lane_bytes, peak_of_block, registers_of
from kt.passes.analysis.structured import body_types, combiner_of, is_pointwise
from kt.passes.analysis.target import compute_kind
from kt.passes.frontend.place_buffers import scratchpads
from kt.passes.frontend.reduction_dim_chunking import vector_bytes
from kt.passes.frontend.rules.epilogues import Epilogue, Prologue
from kt.passes.frontend.rules.reductions import vector_loop

if TYPE_CHECKING:
    from kt.arch import Device


Part = Epilogue | Prologue


def obstacle(part: Part, device: Device) -> str | None:
    """Why an elementwise op can't be computed along with the reduction; None if it can."""
    checks = (
        _other_users, _unfit_body, _unfit_operands, _overwritten, _shorter_vectors, _many_registers,
        _no_room, _single_element, _one_at_a_time,
    )  # fmt: skip
    return next((why for check in checks if (why := check(part, device)) is not None), None)


def _parts(part: Part) -> list[linalg.GenericOp]:
    """All computations that the program would have: the reduction, what is before and behind it."""
    op = part.reduction
    around = [op.outputs[0].defining_op, *op.results[0].users]
    return list(dict.fromkeys([op, part.op, *(x for x in around if isinstance(x, linalg.GenericOp))]))


# -- what the program would have to do ---------------------------------------------------------------


def _other_users(part: Part, device: Device) -> str | None:
    if part.store is None:
        return "what is computed isn't just stored"
    whose = "its result" if isinstance(part, Prologue) else "the result of the reduction"
    return f"{whose} is used elsewhere, too" if part.shares else None


def _unfit_body(part: Part, device: Device) -> str | None:
    if any(isinstance(op, linalg.IndexOp) for op in part.op.body.ops):
        return "it uses loop indices as data"
    if not part.reduction.indexing_maps()[-1].is_projected_permutation:
        return "the reduction has no output with plain subscripts"
    return None


def _unfit_operands(part: Part, device: Device) -> str | None:
    for value, map in zip(part.op.inputs, part.op.indexing_maps()):
        if value is part.loaded.data:
            continue
        if not _is_direct(value):
            return "another operand isn't loaded at coordinates known in advance"
        plain = [e for e in map.results if not isinstance(e, AffineConst)]
        if not AffineMap(map.num_dims, 0, plain).is_projected_permutation:
            return f"another operand is read at {map}"
    for value in part.reduction.inputs:
        if not _is_direct(value):
            return "an operand of the reduction isn't loaded at coordinates known in advance"
    start = part.reduction.outputs[0]
    if not is_pointwise(start.defining_op) and not _is_direct(start):
        return "the reduction starts from a value that isn't loaded"
    store = part.store
    if store is None or not _is_plain_tile(store.access_tile):
        return "the result is stored at coordinates that are looked up"
    return None


def _is_direct(value: Value) -> bool:
    op = value.defining_op
    return isinstance(op, ktdp.LoadOp) and _is_plain_tile(op.access_tile)


def _is_plain_tile(tile: Value) -> bool:
    op = tile.defining_op
    return isinstance(op, ktdp.ConstructAccessTileOp) and None not in (op.box, op.permutation)


def _overwritten(part: Part, device: Device) -> str | None:
    """The program runs where its store is, and loads all operands there."""
    store = part.store
    assert store is not None
    for load, in_place in _loads(part):
        op: Operation | None = load.next_op if load.parent is store.parent else part.stored.next_op
        while op is not None and op is not store:
            for inner in op.walk():
                if isinstance(inner, ktdp.StoreOp):
                    if inner is not part.stored and may_alias(inner.access_tile, load.access_tile):
                        return "a store in between may overwrite an operand"
                elif not (inner.regions or isinstance(inner, ktdp.LoadOp) or is_effect_free(inner)):
                    return f"'{inner.name}' stands in between"
            op = op.next_op
        if may_alias(load.access_tile, store.access_tile) and not (
            in_place and same_elements(load.access_tile, store.access_tile)
        ):
            return "its store may overwrite an operand"
    return None


def _loads(part: Part) -> Iterator[tuple[ktdp.LoadOp, bool]]:
    """All that is loaded; whether that is where the same elements are stored."""
    store = part.store
    for op in _parts(part):
        last = op is part.op and store is not None and store.data in (*op.results, *part.reduction.results)
        maps = op.indexing_maps()
        for value, map in zip(op.operands, maps, strict=True):
            if isinstance(value.defining_op, ktdp.LoadOp) and value is not part.loaded.data:
                yield value.defining_op, last and map is maps[-1]


# -- what the device has room for --------------------------------------------------------------------


def _types(op: linalg.GenericOp) -> list[t.Type]:
    tensors = [t.element_type_of(v.type) for v in (*op.inputs, *op.results)]
    return list(dict.fromkeys([*body_types(op), *tensors]))


def _lanes(device: Device, types: Iterable[t.Type]) -> int:
    unit = compute_kind(device)
    return min((n for x in types if (n := device.lanes(unit, x))), default=0)


def _shorter_vectors(part: Part, device: Device) -> str | None:
    alone = _lanes(device, _types(part.reduction))
    both = _lanes(device, [x for op in _parts(part) for x in _types(op)])
    if both < alone:
        return f"its types leave vectors {both} lanes, and the reduction has {alone}"
    return None


def _many_registers(part: Part, device: Device) -> str | None:
    """Each computation must get along with the memory of the compute unit."""
    memory = registers_of(device)
    lanes = _lanes(device, [x for op in _parts(part) for x in _types(op)])
    peaks = [peak_of_block(op.body, lane_bytes(lanes)).bytes for op in _parts(part)]
    if memory is None or memory.size is None or max(peaks) <= memory.size:
        return None
    return f"it would need {max(peaks)} bytes of registers, and there are {memory.size}"


def _no_room(part: Part, device: Device) -> str | None:
    """One vector of everything must fit in what reduction-dim-chunking leaves to the operands."""
    pads = scratchpads(device)
    room = (device.memory(pads[0]).size or 0) // 4 if pads else 0
    parts = _parts(part)
    lanes = _lanes(device, [x for op in parts for x in _types(op)])
    needed = vector_bytes(part.reduction, lanes)
    others = [v for op in parts if op is not part.reduction for v in (*op.inputs, *op.results)]
    needed += lanes * sum(item_size(v.type) for v in others)
    return None if needed <= room else f"its operands don't fit beside {needed} bytes of the reduction's"


def _single_element(part: Part, device: Device) -> str | None:
    """Lanes lie along a loop of the reduction: an axis of extent 1 that the op adds is none."""
    op, reduction, store = part.op, part.reduction, part.store
    assert store is not None
    if op.num_loops <= len(reduction.indexing_maps()[-1].results):
        return None
    vector = _vector(reduction, store)
    if vector is None or reduction.extents()[vector] == 1:
        return "it adds an axis to a reduction whose loops have one iteration"
    return None


def _one_at_a_time(part: Part, device: Device) -> str | None:
    """Where lanes hold partial results, an op costs as much for one element as for a vector.

    A program of its own takes whole vectors, once the first has come through the scratchpad.
    """
    op, reduction, store = part.op, part.reduction, part.store
    assert store is not None
    reduced = [d for d, kind in enumerate(reduction.iterator_types()) if kind != PARALLEL]
    if _vector(reduction, store) not in reduced:
        return None
    unit, pad = compute_kind(device), next(iter(scratchpads(device)), device.global_memory.kind)
    rows = math.prod(op.extents()) / device.num_slices([unit])
    cost = sum(device.cost(unit, inner.name) for inner in op.body.ops if inner.name not in FREE)
    more = rows * cost * (1 - 1 / max(1, _lanes(device, _types(op))))
    saved = device.route(pad, unit).latency + device.route(unit, pad).latency
    if more <= saved:
        return None
    return (
        f"for one element at a time it takes {more:.0f} cycles more than in whole vectors, and a program "
        f"less saves {saved}"
    )


def _vector(reduction: linalg.GenericOp, store: ktdp.StoreOp) -> int | None:
    """The loop along the lanes that the reduction is going to have."""
    tiles = [(m, _strides(v.defining_op)) for v, m in zip(reduction.inputs, reduction.indexing_maps())]
    tiles.append((reduction.indexing_maps()[-1], _strides(store)))
    reduced = [d for d, kind in enumerate(reduction.iterator_types()) if kind != PARALLEL]
    return vector_loop(tiles, reduction.extents(), reduced, combiner_of(reduction) is not None)


def _strides(op: Operation | None) -> Sequence[int | None]:
    """Elements between neighbours along each axis of a tile; None where that isn't a number."""
    assert isinstance(op, (ktdp.LoadOp, ktdp.StoreOp))
    tile = op.access_tile.defining_op
    assert isinstance(tile, ktdp.ConstructAccessTileOp)
    base = tile.base.defining_op
    if isinstance(base, ktdp.ConstructMemoryViewOp):
        steps = [s if isinstance(s, int) else None for s in base.mixed_strides]
    else:
        steps = list(tile.base.type.strides_and_offset()[0])  # type: ignore[attr-defined]
    return [steps[d] for d in tile.permutation or ()]
