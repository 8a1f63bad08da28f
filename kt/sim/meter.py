"""Counting what a run of KTIR does, per tile: bytes and granules of memory, arithmetic, exchanges.

A meter on a machine is told of every access and every operation; what its counts cost is up to a
model (:mod:`kt.sim.estimate`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field

from kt.ir import types as t
from kt.ir.core import Operation
from kt.ir.dialects.linalg import LinalgOp
from kt.sim.semantics import SEMANTICS
from kt.sim.values import dtype_of, rank_of

_FREE_IN_BODY = ("linalg.index", "linalg.yield", "arith.constant")


@define
class Traffic:
    """Use of one kind of memory: bytes, granules and accesses, by tile."""

    shared: bool
    read: np.ndarray
    written: np.ndarray
    granules: np.ndarray
    accesses: np.ndarray


@define
class Work:
    """Executions of one operation on one element type, by tile.

    ``elements`` counts results of element-wise operations or multiplications of a contraction;
    ``vectors`` counts them in vectors of the meter's lanes, rounded up for every execution.
    """

    elements: np.ndarray
    vectors: np.ndarray


@define(eq=False)
class Meter:
    """Counts of one launch. ``lanes`` gives the vector length of an element type."""

    granule: int = 128
    lanes: Callable[[t.Type], int] = lambda type: 1
    tiles: int = 1
    memories: dict[str, Traffic] = field(factory=dict, init=False)
    work: dict[tuple[str, str, bool], Work] = field(factory=dict, init=False)
    """By operation, element type, and whether it works on single values; contractions are ``matmul``."""
    messages: list[tuple[int, int, int]] = field(factory=list, init=False)
    """Deliveries between tiles: producer, consumer, bytes."""
    exchanged: np.ndarray = field(init=False)
    """By tile, the bytes of partial results of the deliveries that it took part in."""

    def begin(self, tiles: int) -> None:
        """Forget everything; the launch has so many tiles."""
        self.tiles = tiles
        self.memories, self.work, self.messages = {}, {}, []
        self.exchanged = np.zeros(tiles)

    # -- memory ----------------------------------------------------------------------------------

    def box(
        self, bank: Any, address: Any, shape: Any, strides: Any, size: int, tiles: Any, verb: str
    ) -> None:
        """An access to a strided box; ``address`` is an int or one per tile."""
        if 0 in shape:
            return
        starts = np.broadcast_to(np.asarray(address), (len(tiles),)) % self.granule
        counts = [
            granules(int(start), tuple(shape), tuple(strides), size, self.granule)
            for start in starts
        ]
        self._access(bank, tiles, math.prod(shape) * size, counts, verb)

    def points(self, bank: Any, byte: np.ndarray, batched: bool, tiles: Any, size: int, verb: str) -> None:  # fmt: skip
        """An access to elements at byte addresses."""
        parts = byte if batched else [byte] * len(tiles)
        counts = [len(np.unique(part // self.granule)) for part in parts]
        self._access(
            bank, tiles, (byte.size // (len(tiles) if batched else 1)) * size, counts, verb
        )

    def _access(self, bank: Any, tiles: Any, size: int, counts: list[int], verb: str) -> None:
        traffic = self.memories.get(bank.name)
        if traffic is None:
            zeros = [np.zeros(self.tiles) for _ in range(4)]
            traffic = self.memories[bank.name] = Traffic(
                bank.rows == 1 and not bank.per_tile, *zeros
            )
        (traffic.read if verb == "reads" else traffic.written)[tiles] += size
        traffic.granules[tiles] += counts
        traffic.accesses[tiles] += 1

    # -- arithmetic ------------------------------------------------------------------------------

    def count(self, name: str, type: t.Type, elements: int, tiles: Any, times: int = 1) -> None:
        """``times`` executions of an operation on ``elements`` elements (0: one single value)."""
        key = (name, dtype_of(type).name, not elements)
        work = self.work.get(key)
        if work is None:
            work = self.work[key] = Work(np.zeros(self.tiles), np.zeros(self.tiles))
        lanes = max(1, self.lanes(t.element_type_of(type)))
        work.elements[tiles] += max(elements, 1) * times
        work.vectors[tiles] += -(-max(elements, 1) // lanes) * times

    def wrap(self, op: Operation, step: Any) -> Any:
        """The step of an operation, counted; as it is if the operation costs nothing."""
        counted = self._counter(op)
        if counted is None:
            return step

        def metered(frame: Any) -> Any:
            pending = step(frame)
            if not getattr(frame, "axes", 0):  # the body of a structured op is counted with it
                counted(frame)
            return pending

        return metered

    def _counter(self, op: Operation) -> Any:
        around = op.parent.parent_op if op.parent is not None else None
        if isinstance(around, LinalgOp) or getattr(around, "name", "") == "ktdp.inter_tile_reduce":
            return None  # counted with the operation around it
        if isinstance(op, LinalgOp):
            return self._structured(op)
        if op.name not in SEMANTICS or not op.results:
            return None
        result = op.results[0]
        # Operations that compare are work of the type that they compare.
        type = op.operands[0].type if op.name in ("arith.cmpf", "arith.cmpi") else result.type

        def elementwise(frame: Any) -> None:
            elements = extent(frame[result], result.type)
            self.count(op.name, type, elements, frame.tiles)

        return elementwise

    def _structured(self, op: Any) -> Any:
        body = [inner for inner in op.body.ops if inner.name not in _FREE_IN_BODY]
        if not body:
            return None
        maps = op.indexing_maps()
        values = [*op.inputs, *op.outputs]
        contraction = is_contraction(op, body)

        def structured(frame: Any) -> None:
            extents = [1] * op.num_loops
            for value, map in zip(values, maps):
                shape = shape_of(frame[value], value.type)
                for size, expr in zip(shape, map.results):
                    if (place := getattr(expr, "position", None)) is not None:
                        extents[place] = size
            points = math.prod(extents)
            if contraction:
                self.count("matmul", op.inputs[0].type, points, frame.tiles)
                return
            for inner in body:
                self.count(inner.name, inner.results[0].type, points, frame.tiles)
            if op.name == "linalg.generic":
                self.count(op.name, op.outputs[0].type, points, frame.tiles)

        return structured

    # -- exchanges -------------------------------------------------------------------------------

    def deliver(
        self, op: Any, tiles: Sequence[int], sources: Mapping[int, Sequence[int]], combiner: Any
    ) -> None:
        """A delivery reached by ``tiles``; ``sources`` gives the producers that a consumer needs."""
        types = [value.type for value in op.results]
        size = sum(math.prod(type.shape) * dtype_of(type).itemsize for type in types)
        self.exchanged[list(tiles)] += size
        for consumer, producers in sources.items():
            self.messages += [(p, consumer, size) for p in producers if p != consumer]
            for inner in combiner:
                elements = extent(None, inner.results[0].type)
                self.count(
                    inner.name, inner.results[0].type, elements, [consumer], len(producers) - 1
                )


def is_contraction(op: Any, body: Sequence[Operation]) -> bool:
    """Whether a structured op sums products over a dimension."""
    names = [inner.name for inner in body]
    products = sum(name in ("arith.mulf", "arith.muli") for name in names)
    sums = sum(name in ("arith.addf", "arith.addi") for name in names)
    others = [n for n in names if n.split(".")[1][:3] not in ("mul", "add", "ext")]
    return products == 1 and sums == 1 and not others and "reduction" in _iterators(op)


def _iterators(op: Any) -> set[str]:
    maps = op.indexing_maps()
    used = {d for map in maps[len(op.inputs) :] for d in map.used_dims}
    return {"parallel" if d in used else "reduction" for d in range(op.num_loops)}


def shape_of(value: Any, type: t.Type) -> tuple[int, ...]:
    """Extents of a value without the axis of the batch."""
    rank = rank_of(type)
    if t.DYNAMIC not in getattr(type, "shape", ()):
        return tuple(getattr(type, "shape", ()))
    shape = tuple(value.shape)
    return shape[len(shape) - rank :]


def extent(value: Any, type: t.Type) -> int:
    """Number of elements; 0 for a single value."""
    return math.prod(shape_of(value, type)) if isinstance(type, t.ShapedType) else 0


@functools.lru_cache(maxsize=4096)
def granules(start: int, shape: tuple[int, ...], strides: tuple[int, ...], size: int, granule: int) -> int:  # fmt: skip
    """How many aligned granules a strided box touches: ``strides`` in bytes, elements of ``size``."""
    start += sum((n - 1) * s for n, s in zip(shape, strides) if s < 0)
    dims = sorted(((abs(s), n) for n, s in zip(shape, strides) if n > 1 and s), reverse=True)
    run = size
    while dims and dims[-1][0] <= run:
        stride, count = dims.pop()
        run += stride * (count - 1)
    outer = np.zeros(1, np.int64)
    for stride, count in dims:
        outer = (outer[:, None] + np.arange(count) * stride).reshape(-1)
    firsts = np.sort((start + outer) // granule)
    lasts = np.sort((start + outer + run - 1) // granule)
    before = np.concatenate([firsts[:1] - 1, lasts[:-1]])
    return int(np.maximum(0, lasts - np.maximum(firsts - 1, before)).sum())
