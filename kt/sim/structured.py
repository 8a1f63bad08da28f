"""Structured operations on NumPy: a body evaluated over a whole iteration space at once.

Each operand is *placed*: its axes are put where its indexing map says, extent 1 where the map
doesn't mention a dimension, so that the body is evaluated once on arrays that broadcast against each
other. A batch of tiles is one more axis in front. Reductions whose combiner is one known operation
become array reductions, sums of products of two operands matrix products; any other combiner is
folded in index order, evaluated at once over the remaining dimensions.

Precision: sums and products of floats narrower than f32 are accumulated in f32 and rounded once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import define, field, frozen

from kt.ir import types as t
from kt.ir.affine import AffineDim, AffineMap
from kt.ir.core import Block, Operation, Value
from kt.ir.numbers import DType
from kt.sim.access import read_all, write_all
from kt.sim.contraction import combine, contract
from kt.sim.doubt import SUMS, doubt
from kt.sim.errors import Diverged, Fault
from kt.sim.interp import Frame, Interpreter, Step
from kt.sim.placement import BodyFrame, Placement
from kt.sim.values import Distributed, Poison, Undefined, View, dtype_of, rank_of

COMBINERS = (
    "arith.addf", "arith.mulf", "arith.addi", "arith.muli", "arith.maximumf", "arith.minimumf",
    "arith.maxnumf", "arith.minnumf", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui",
    "arith.andi", "arith.ori", "arith.xori",
)  # fmt: skip
MAX_POINTS = 1 << 24
"""Points of an iteration space that a reduction evaluates at once."""

_CASTS = ("arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp", "kt.convert")
_PRODUCTS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}


@define
class Operands:
    """Values of inputs and destinations of one execution."""

    inputs: list[Any]
    destinations: list[Any]
    frame: Frame

    def destination(self, number: int) -> Any:
        """Contents of a destination (Undefined when a tensor has none)."""
        value = self.destinations[number]
        return read_all(value, self.frame) if isinstance(value, (View, Distributed)) else value


@frozen
class Reduction:
    """One output that combines ``term`` over the dimensions that its map leaves out."""

    combiner: Operation
    term: Value
    factors: tuple[Value, Value] | None
    """Both sides when the term is a product of two different operands."""


@define(slots=False)
class Structured:
    """A structured operation, prepared: maps, body, and how each output comes about."""

    op: Operation
    interp: Interpreter
    maps: Sequence[AffineMap]
    block: Block
    inputs: Sequence[Value]
    outputs: Sequence[Value]
    axes: int
    placements: list[Placement] = field(init=False)
    reduced: list[tuple[int, ...]] = field(init=False)
    """Per output: the dimensions that its map leaves out."""
    reductions: list[Reduction] | None = field(init=False, default=None)
    steps: list[Step] = field(init=False)
    uses_accumulator: list[bool] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.placements = [Placement.of(m, self.axes) for m in self.maps]
        count = len(self.inputs)
        used = [set(m.used_dims) for m in self.maps[count:]]
        self.reduced = [tuple(d for d in range(self.axes) if d not in u) for u in used]
        self.uses_accumulator = [a.has_uses for a in self.block.arguments[count:]]
        skipped: set[Operation] = set()
        if any(self.uses_accumulator) and any(self.reduced):
            found = [self._match(i) for i in range(len(self.outputs))]
            if all(found):
                self.reductions = [r for r in found if r is not None]
                skipped = {r.combiner for r in self.reductions}
                skipped |= {_defining(r.term) for r in self.reductions if r.factors}
        body = [op for op in self.block.ops if op not in skipped and op is not self.block.last_op]
        self.steps = [self.interp.prepare(op) for op in body]

    @property
    def yielded(self) -> tuple[Value, ...]:
        return self.block.last_op.operands if self.block.last_op is not None else ()

    def __call__(self, frame: Frame) -> None:
        operands = Operands(
            [self._input(v, frame) for v in self.inputs], [frame[v] for v in self.outputs], frame
        )
        extents = self._extents(operands)
        if self._combines_once(operands, extents):
            results = self._pointwise(operands, extents)
        elif self.reductions is not None:
            results = self._reduce(operands, extents)
        elif any(self.uses_accumulator) and any(self.reduced):
            results = self._fold(operands, extents)
        else:
            results = self._pointwise(operands, extents)
        finish(self.op, self.outputs, results, frame)

    @staticmethod
    def _input(value: Value, frame: Frame) -> Any:
        found = frame[value]
        if isinstance(found, (View, Distributed)):
            return read_all(found, frame)
        if isinstance(found, (Undefined, Poison)):
            raise found.refuse()
        return found

    def _extents(self, operands: Operands) -> tuple[int, ...]:
        extents: list[int | None] = [None] * self.axes
        for value, map, type in zip(
            [*operands.inputs, *operands.destinations],
            self.maps,
            [v.type for v in (*self.inputs, *self.outputs)],
        ):
            rank = rank_of(type)
            if rank == 0:
                continue
            shape = value.shape[len(value.shape) - rank :]
            for extent, expr in zip(shape, map.results):
                if isinstance(expr, AffineDim) and extents[expr.position] is None:
                    extents[expr.position] = extent
        if None in extents:
            raise Fault(
                f"no operand is subscripted by d{extents.index(None)} alone, so its extent is unknown"
            )
        return tuple(extents)  # type: ignore[arg-type]

    def _body(self, operands: Operands, extents: tuple[int, ...]) -> BodyFrame:
        body = BodyFrame(operands.frame, extents)
        for argument, value, placement in zip(
            self.block.arguments, operands.inputs, self.placements
        ):
            body[argument] = placement.place(value, extents)
        return body

    def _run(self, body: BodyFrame, steps: Sequence[Step] | None = None) -> None:
        try:
            for step in self.steps if steps is None else steps:
                step(body)
        except Diverged:
            body.part(body.tiles)

    def _accumulator(self, operands: Operands, number: int, extents: tuple[int, ...]) -> Any:
        """A destination's contents, placed; None when it is a tensor without contents."""
        value = operands.destination(number)
        if isinstance(value, Undefined) and value.written is None:
            return None
        return self.placements[len(self.inputs) + number].place(value, extents)

    # -- outputs without a reduction -------------------------------------------------------------

    def _combines_once(self, operands: Operands, extents: tuple[int, ...]) -> bool:
        """Whether each element is combined with one term, so that the body as it stands says all.

        A step of a loop that accumulates vectors is such a reduction.
        """
        if self.reductions is None or self.op.name != "linalg.generic" or doubt() is not None:
            return False
        if any(extents[d] != 1 for reduced in self.reduced for d in reduced):
            return False
        return not any(isinstance(value, Undefined) for value in operands.destinations)

    @cached_property
    def whole(self) -> list[Step]:
        """The steps of the body with its combiners."""
        return [self.interp.prepare(op) for op in self.block.ops if op is not self.block.last_op]

    def _pointwise(self, operands: Operands, extents: tuple[int, ...]) -> list[Any]:
        body = self._body(operands, extents)
        count = len(self.inputs)
        for i, used in enumerate(self.uses_accumulator):
            if used:
                found = self._accumulator(operands, i, extents)
                body[self.block.arguments[count + i]] = (
                    operands.destinations[i] if found is None else found
                )
        self._run(body, self.whole if self.reductions is not None else None)
        return [self._result(body[v], i, operands, extents) for i, v in enumerate(self.yielded)]

    def _result(self, array: Any, number: int, operands: Operands, extents: tuple[int, ...]) -> Any:
        value = self.outputs[number]
        rank = rank_of(value.type)
        shape = operands.destinations[number].shape
        placement = self.placements[len(self.inputs) + number]
        old = operands.destinations[number]
        if isinstance(old, (View, Distributed)) and placement.positions is None:
            old = operands.destination(number)
        found = placement.unplace(array, extents, tuple(shape[len(shape) - rank :]), old)
        return np.ascontiguousarray(found, dtype_of(value.type).compute)

    # -- reductions by a known combiner ----------------------------------------------------------

    def _match(self, number: int) -> Reduction | None:
        """The combiner and the term of an output, if the body has that form."""
        value = self.yielded[number]
        accumulator = self.block.arguments[len(self.inputs) + number]
        combiner = value.defining_op
        if combiner is None or combiner.name not in COMBINERS or combiner.parent is not self.block:
            return None
        if accumulator.users != (combiner,) or combiner.operands.count(accumulator) != 1:
            return None
        if value.num_uses != 1:
            return None
        (term,) = [v for v in combiner.operands if v is not accumulator]
        return Reduction(combiner, term, self._factors(combiner, term))

    def _factors(self, combiner: Operation, term: Value) -> tuple[Value, Value] | None:
        product = term.defining_op
        if product is None or product.name != _PRODUCTS.get(combiner.name) or not term.has_one_use:
            return None
        if product.parent is not self.block:
            return None
        of = dtype_of(product.result.type)
        if self.op.name == "linalg.generic" and of.is_float and of.bits < 32:
            return None  # a product that the body states is rounded as it says
        sources = [self._source(v) for v in product.operands]
        if None in sources or sources[0] is sources[1]:
            return None
        return product.operands  # type: ignore[return-value]

    def _source(self, value: Value) -> Value | None:
        """The input that a value is, but for conversions."""
        while (op := value.defining_op) is not None and op.name in _CASTS:
            value = op.operands[0]
        return value if value in self.block.arguments[: len(self.inputs)] else None

    def _reduce(self, operands: Operands, extents: tuple[int, ...]) -> list[Any]:
        assert self.reductions is not None
        placed = self._body(operands, extents)
        starts = [self._accumulator(operands, i, extents) for i in range(len(self.reductions))]
        axis, size = self._cut(extents)
        totals: list[list[Any]] = [[] for _ in self.reductions]
        for first in range(0, extents[axis] if axis is not None else 1, size):
            window = None if axis is None else (axis, first, first + size)
            body, part = self._part(operands, placed, extents, window)
            self._run(body)
            for found, start, total, reduced in zip(self.reductions, starts, totals, self.reduced):
                start = None if start is None else _along(start, window, self.axes)
                total.append(self._total(found, body, start, reduced, part))
        whole = [t[0] if len(t) == 1 else np.concatenate(t, axis - self.axes) for t in totals]  # type: ignore[operator]
        return [self._result(total, i, operands, extents) for i, total in enumerate(whole)]

    def _cut(self, extents: tuple[int, ...]) -> tuple[int | None, int]:
        """A dimension to evaluate in parts, and their size, where the whole space is too large."""
        assert self.reductions is not None
        points = math.prod(extents)
        kept = [d for d in range(self.axes) if all(d not in r for r in self.reduced)]
        plain = all(op.name != "linalg.index" for op in self.block.ops)
        if points <= MAX_POINTS or not kept or not plain or all(r.factors for r in self.reductions):
            return None, 1
        axis = max(kept, key=lambda d: extents[d])
        return axis, max(1, MAX_POINTS // max(1, points // extents[axis]))

    def _part(
        self, operands: Operands, placed: BodyFrame, extents: tuple[int, ...], window: Any
    ) -> tuple[BodyFrame, tuple[int, ...]]:
        """The body's frame for a part of the space, and the part's extents."""
        if window is None:
            return placed, extents
        axis, first, end = window
        part = tuple(min(end, e) - first if d == axis else e for d, e in enumerate(extents))
        body = BodyFrame(operands.frame, part)
        for argument in self.block.arguments[: len(self.inputs)]:
            body[argument] = _along(placed[argument], window, self.axes)
        return body, part

    def _total(
        self, found: Reduction, body: BodyFrame, start: Any, reduced: Any, extents: tuple[int, ...]
    ) -> np.ndarray:
        of = dtype_of(found.combiner.result.type)
        total = self._sum(found, body, start, reduced, extents, of)
        active = doubt()
        if active is None or not of.is_float or found.combiner.name not in SUMS:
            return total
        count = math.prod(extents[d] for d in reduced)
        return active.about_sum(
            total, self._magnitude(found, body, start, reduced, extents, total), count, of
        )

    def _sum(
        self,
        found: Reduction,
        body: Any,
        start: Any,
        reduced: Any,
        extents: tuple[int, ...],
        of: DType,
    ) -> np.ndarray:
        if found.factors is not None:
            p, q = (body[v] for v in found.factors)
            return contract(p, q, reduced, extents, start, of)
        total = combine(found.combiner.name, body[found.term], reduced, extents, start, of)
        shape = tuple(1 if d in reduced else e for d, e in enumerate(extents))
        return np.broadcast_to(total, (*total.shape[: total.ndim - self.axes], *shape))

    def _magnitude(
        self,
        found: Reduction,
        body: BodyFrame,
        start: Any,
        reduced: Any,
        extents: tuple[int, ...],
        total: np.ndarray,
    ) -> np.ndarray:
        """The sum of the terms' absolute values; of a product, the product's."""
        if found.combiner.name == "arith.mulf":
            return np.abs(total)
        values = found.factors or (found.term,)
        sizes = {v: np.abs(np.asarray(body[v], np.float64)) for v in values}
        first = None if start is None else np.abs(np.asarray(start, np.float64))
        return self._sum(found, sizes, first, reduced, extents, dtype_of(t.f64))

    # -- any other combiner ----------------------------------------------------------------------

    def _fold(self, operands: Operands, extents: tuple[int, ...]) -> list[Any]:
        count = len(self.inputs)
        body = self._body(operands, extents)
        placed = [body[a] for a in self.block.arguments[:count]]
        state = [self._start(operands, i, extents, placed) for i in range(len(self.outputs))]
        dims = sorted({d for reduced in self.reduced for d in reduced})
        for point in itertools.product(*(range(extents[d]) for d in dims)):
            at = dict(zip(dims, point))
            here = BodyFrame(operands.frame, extents)
            here.point = at
            for argument, array in zip(self.block.arguments, [*placed, *state]):
                here[argument] = array[self._window(array, at)]
            self._run(here)
            for i, value in enumerate(self.yielded):
                state[i][self._window(state[i], at)] = here[value]
        return [self._result(s, i, operands, extents) for i, s in enumerate(state)]

    def _window(self, array: np.ndarray, at: dict[int, int]) -> tuple[Any, ...]:
        """The part of a placed array at a point of the folded dimensions (axes are kept)."""
        lead = array.ndim - self.axes
        index: list[Any] = [slice(None)] * array.ndim
        for d, i in at.items():
            if array.shape[lead + d] > 1:
                index[lead + d] = slice(i, i + 1)
        return tuple(index)

    def _start(
        self, operands: Operands, number: int, extents: tuple[int, ...], placed: list[Any]
    ) -> Any:
        """A writable accumulator that covers the batch, the kept dimensions and 1 for folded ones."""
        found = self._accumulator(operands, number, extents)
        if found is None:
            raise operands.destinations[number].refuse()
        batch = any(a.ndim > self.axes for a in [*placed, found])
        lead = (len(operands.frame.tiles),) if batch else ()
        shape = tuple(1 if d in self.reduced[number] else e for d, e in enumerate(extents))
        return np.array(np.broadcast_to(found, (*lead, *shape)))


def _along(array: np.ndarray, window: tuple[int, int, int] | None, axes: int) -> np.ndarray:
    """The part of a placed array in a window (axis, first, end) of the space."""
    if window is None:
        return array
    axis, first, end = window
    place = array.ndim - axes + axis
    if array.shape[place] == 1:
        return array
    return array[(slice(None),) * place + (slice(first, end),)]


def _defining(value: Value) -> Operation:
    op = value.defining_op
    assert op is not None
    return op


def finish(op: Operation, outputs: Sequence[Value], results: Sequence[Any], frame: Frame) -> None:
    """Deliver the outputs: to the op's results, or into the memory of memref destinations."""
    tensors = iter(op.results)
    for value, found in zip(outputs, results):
        if isinstance(value.type, t.MemRefType):
            write_all(frame[value], found, frame)
        else:
            frame[next(tensors)] = found
