"""Reductions over the lanes of slices: a reshaped reduction whose result is spread over the lanes."""

from __future__ import annotations

from attrs import frozen

from kt.arch import Device
from kt.ir import types as t
from kt.ir.affine import AffineMap, const, dim
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, linalg, math, spyreop, tensor
from kt.ir.dialects.linalg_base import PARALLEL, REDUCTION
from kt.ir.rewriter import Pattern, Rewriter
from kt.passes.analysis.groups import refuse
from kt.passes.frontend.rules.generic import pointwise
from kt.passes.frontend.rules.tensors import reshape_exprs

_COMBINERS: dict[str, tuple[type[Operation], type[Operation]]] = {
    # kind: the op for floats, for integers
    "add": (arith.AddFOp, arith.AddIOp),
    "sub": (arith.AddFOp, arith.AddIOp),  # of all lanes but the first, which the sum is taken from
    "mul": (arith.MulFOp, arith.MulIOp),
    "max": (arith.MaximumFOp, arith.MaxSIOp),
    "min": (arith.MinimumFOp, arith.MinSIOp),
    "abs_max": (arith.MaximumFOp, arith.MaxSIOp),
}


@frozen(eq=False)
class SliceReductionToGeneric(Pattern):
    """``spyreop.slice_reduction`` on slices as wide as the device says.

    The tensor ``[…, n]`` is read as ``[…, n / width, width]``; ``in_slice`` reduces the last of these
    dimensions, ``across_slice`` the one before it.
    """

    device: Device | None

    def fits(self, op: Operation) -> bool:
        return isinstance(op, spyreop.SliceReductionOp)

    def rewrite(self, op: spyreop.SliceReductionOp, rw: Rewriter) -> bool:
        type = op.input.type
        assert isinstance(type, t.TensorType)
        width = self._width(op)
        if not type.has_static_shape or not type.rank or type.shape[-1] % width:
            raise refuse(
                op, f"its lanes are not whole slices of {width}",
                f"give the last dimension a static extent that {width} divides",
            )  # fmt: skip
        scope = op.reduction_scope.value
        if scope not in spyreop.PUBLIC_SCOPES:
            raise refuse(op, f"the scope '{scope}' has no public meaning", "use in_slice or across_slice")
        within = scope == "in_slice"
        count = type.shape[-1] // width
        shape = (*type.shape[:-1], count, width)
        source = _read(rw, op.input, AffineMap(len(shape), 0, reshape_exprs(shape, type.shape)), shape)
        along = type.rank - (0 if within else 1)
        reduced = _reduction(rw, op.reduction_kind.value, source, along)
        kept = [d for d in range(len(shape)) if d != along]
        spread = _read(rw, reduced, AffineMap.multi_dim(len(shape), kept), shape)
        back = AffineMap(type.rank, 0, reshape_exprs(type.shape, shape))
        rw.replace(op, [_read(rw, spread, back, type.shape)])
        return True

    def _width(self, op: Operation) -> int:
        if self.device is None:
            raise refuse(op, "the width of its slices is a fact of the device", "name a device")
        return self.device.slice_lanes(op)


def _read(rw: Rewriter, source: Value, map: AffineMap, shape: tuple[int, ...]) -> Value:
    """The elements of ``source`` at the subscripts that a map gives for those of the result."""
    element = t.element_type_of(source.type)
    output = rw.insert(tensor.EmptyOp.of(shape, element, location=rw.location)).result
    return pointwise(rw, [source], [map], output, lambda build, elements: elements).results[0]


def _reduction(rw: Rewriter, kind: str, source: Value, along: int) -> Value:
    """``source`` without one dimension."""
    type = source.type
    assert isinstance(type, t.TensorType)
    if kind == "abs_max":
        source = _magnitude(rw, source)
    if kind != "sub" or type.shape[along] == 1:
        return _fold(rw, kind, source, along)
    first, rest = (_part(rw, source, along, *span) for span in ((0, 1), (1, type.shape[along] - 1)))
    first, rest = _fold(rw, kind, first, along), _fold(rw, kind, rest, along)
    same = AffineMap.identity(type.rank - 1)
    subtract = arith.SubFOp if isinstance(type.element_type, t.FloatType) else arith.SubIOp
    output = _empty(rw, first)
    return pointwise(
        rw, [first, rest], [same, same], output, lambda build, v: [build.create(subtract, *v).result]
    ).results[0]


def _fold(rw: Rewriter, kind: str, source: Value, along: int) -> Value:
    type = source.type
    assert isinstance(type, t.TensorType)
    element, rank = type.element_type, type.rank
    combiner = _COMBINERS[kind][not isinstance(element, t.FloatType)]
    kept = [d for d in range(rank) if d != along]
    empty = tensor.EmptyOp.of([type.shape[d] for d in kept], element, location=rw.location)

    def body(block, arguments):
        return [Builder.at_end(block, rw.location).create(combiner, *arguments).results[0]]

    made = linalg.GenericOp.of(
        [source], [rw.insert(empty).result],
        [AffineMap.identity(rank), AffineMap.multi_dim(rank, kept)],
        [REDUCTION if d == along else PARALLEL for d in range(rank)], body, location=rw.location,
    )  # fmt: skip
    return rw.insert(made).results[0]


def _part(rw: Rewriter, source: Value, along: int, start: int, count: int) -> Value:
    type = source.type
    assert isinstance(type, t.TensorType)
    shape = tuple(count if d == along else n for d, n in enumerate(type.shape))
    lane = const(start) if count == 1 else dim(along) + start
    exprs = [lane if d == along else dim(d) for d in range(type.rank)]
    return _read(rw, source, AffineMap(type.rank, 0, exprs), shape)


def _magnitude(rw: Rewriter, source: Value) -> Value:
    element = t.element_type_of(source.type)
    absolute = math.AbsFOp if isinstance(element, t.FloatType) else math.AbsIOp
    same = AffineMap.identity(source.type.rank)  # type: ignore[attr-defined]
    return pointwise(
        rw, [source], [same], _empty(rw, source), lambda build, v: [build.create(absolute, *v).result]
    ).results[0]


def _empty(rw: Rewriter, like: Value) -> Value:
    type = like.type
    assert isinstance(type, t.TensorType)
    return rw.insert(tensor.EmptyOp.of(type.shape, type.element_type, location=rw.location)).result
