"""Ops on whole tensors become generic ops: elementwise ops, splats, named ops, reshapes, slices."""

from __future__ import annotations

from collections.abc import Sequence

from kt.ir import types as t
from kt.ir.affine import AffineExpr, AffineMap, const, dim
from kt.ir.attributes import DenseElementsAttr
from kt.ir.builder import number_attr
from kt.ir.core import Operation, Value
from kt.ir.dialects import arith, linalg, tensor
from kt.ir.dialects.linalg_base import LinalgOp
from kt.ir.rewriter import Pattern, Rewriter, pattern
from kt.ir.traits import Elementwise
from kt.passes.frontend.rules.generic import empty_like, move_ops, pointwise, scalar_form


class ElementwiseToGeneric(Pattern):
    """An arith, math, spyreop or kt op on tensors; scalar operands are captured by the body."""

    def fits(self, op: Operation) -> bool:
        return op.has_trait(Elementwise)

    def rewrite(self, op: Operation, rw: Rewriter) -> bool:
        if len(op.results) != 1 or not isinstance(op.result.type, t.TensorType):
            return False
        inputs = list(dict.fromkeys(v for v in op.operands if isinstance(v.type, t.TensorType)))
        if not inputs:
            return False
        output = empty_like(rw, inputs[0], op.result.type.element_type)
        same = AffineMap.identity(op.result.type.rank)

        def body(build, elements):
            of = dict(zip(inputs, elements, strict=True))
            return build.insert(scalar_form(op, [of.get(v, v) for v in op.operands])).results

        rw.replace(op, pointwise(rw, inputs, [same] * len(inputs), output, body))
        return True


class NamedToGeneric(Pattern):
    """A structured op with a name, with its own maps, iterators and body."""

    def fits(self, op: Operation) -> bool:
        return isinstance(op, LinalgOp) and not isinstance(op, linalg.GenericOp)

    def rewrite(self, op: LinalgOp, rw: Rewriter) -> bool:
        made = linalg.GenericOp.of(
            op.inputs, op.outputs, op.indexing_maps(), op.iterator_types(), location=op.location
        )
        for old, new in zip(op.body.arguments, made.body.arguments, strict=True):
            old.replace_all_uses_with(new)
        move_ops(op.body, made.body)
        rw.replace(op, rw.insert(made))
        return True


@pattern(tensor.SplatOp)
def splat_to_generic(op: tensor.SplatOp, rw: Rewriter) -> bool:
    """A scalar in every element."""
    sizes = tensor.EmptyOp.of(
        _sizes(op.result.type.shape, op.operands[1:]), op.operands[0].type, location=op.location
    )
    rw.replace(op, pointwise(rw, [], [], rw.insert(sizes).result, lambda b, _: [op.operands[0]]))
    return True


def _sizes(shape: Sequence[int], dynamic: Sequence[Value]) -> list[int | Value]:
    rest = iter(dynamic)
    return [next(rest) if n == t.DYNAMIC else n for n in shape]


@pattern(arith.ConstantOp)
def splat_constant_to_generic(op: arith.ConstantOp, rw: Rewriter) -> bool:
    """A dense constant with equal elements."""
    held, type = op.value, op.result.type
    if not isinstance(held, DenseElementsAttr) or not isinstance(type, t.TensorType):
        return False
    number = arith.constant_value(op.result)
    if number is None or not op.result.has_uses:
        return False
    if all(
        isinstance(user, tensor.ReshapeOp) and user.shape is op.result for user in op.result.users
    ):
        return False
    scalar = rw.constant(number_attr(number, type.element_type))
    output = rw.insert(
        tensor.EmptyOp.of(type.shape, type.element_type, location=op.location)
    ).result
    rw.replace(op, pointwise(rw, [], [], output, lambda b, _: [scalar]))
    return True


def _moved(op: Operation, rw: Rewriter, source: Value, exprs: Sequence[AffineExpr]) -> None:
    """Replace ``op`` by a generic that reads ``source`` at ``exprs`` of the result's subscripts."""
    type: t.TensorType = op.result.type  # type: ignore[assignment]
    output = rw.insert(
        tensor.EmptyOp.of(type.shape, type.element_type, location=op.location)
    ).result
    map = AffineMap(type.rank, 0, exprs)
    rw.replace(op, pointwise(rw, [source], [map], output, lambda b, elements: elements))


def _static(*values: Value) -> bool:
    return all(isinstance(v.type, t.TensorType) and v.type.has_static_shape for v in values)


def reshape_exprs(made: Sequence[int], source: Sequence[int]) -> list[AffineExpr]:
    """Subscripts of a row-major ``source`` for those of its reshaped form ``made``.

    From the innermost dimension outwards, the smallest runs of dimensions with equal products
    belong together; extents of 1 count for nothing.
    """
    exprs: list[AffineExpr] = [const(0)] * len(source)
    of_made = [d for d, n in enumerate(made) if n != 1]
    of_source = [d for d, n in enumerate(source) if n != 1]
    while of_source:
        group, left, wanted, have = [of_source.pop()], [], 1, 1
        wanted = source[group[0]]
        while wanted != have:
            if wanted < have:
                group.append(of_source.pop())
                wanted *= source[group[-1]]
            else:
                left.append(of_made.pop())
                have *= made[left[-1]]
        _assign(exprs, made, source, left, group)
    return exprs


def _assign(
    exprs: list[AffineExpr],
    made: Sequence[int],
    source: Sequence[int],
    left: Sequence[int],
    group: Sequence[int],
) -> None:
    """Subscripts of the source dims ``group`` from the result dims ``left`` (both innermost first)."""
    flat: AffineExpr = const(0)
    scale = 1
    for d in left:
        flat = flat + dim(d) * scale
        scale *= made[d]
    scale = 1
    for d in group:
        part = flat.floordiv(scale) if scale > 1 else flat
        exprs[d] = part % source[d] if d != group[-1] else part
        scale *= source[d]


@pattern(tensor.CollapseShapeOp, tensor.ExpandShapeOp)
def reshape_to_generic(op: Operation, rw: Rewriter) -> bool:
    """Merged or split dimensions: the same elements at computed subscripts."""
    source = op.operands[0]
    if not _static(source, op.result) or 0 in op.result.type.shape:
        return False
    _moved(op, rw, source, reshape_exprs(op.result.type.shape, source.type.shape))
    return True


@pattern(tensor.ReshapeOp)
def any_reshape_to_generic(op: tensor.ReshapeOp, rw: Rewriter) -> bool:
    """A reshape to a shape that the result type states."""
    if not _static(op.source, op.result) or 0 in op.result.type.shape:
        return False
    _moved(op, rw, op.source, reshape_exprs(op.result.type.shape, op.source.type.shape))
    return True


@pattern(tensor.ExtractSliceOp)
def slice_to_generic(op: tensor.ExtractSliceOp, rw: Rewriter) -> bool:
    """A slice at constant offsets."""
    numbers = [list(a.values) for a in (op.static_offsets, op.static_sizes, op.static_strides)]
    if op.offsets or op.sizes or op.strides or not _static(op.source, op.result):
        return False
    exprs: list[AffineExpr] = []
    shape = list(op.result.type.shape)
    kept = 0
    for offset, size, stride in zip(*numbers, strict=True):
        if kept < len(shape) and shape[kept] == size:
            begins = offset == 0 and stride == 1 and size != op.source.type.shape[len(exprs)]  # type: ignore[attr-defined]
            # A loop alone would say that the extents are equal.
            exprs.append(dim(kept) % size if begins else dim(kept) * stride + offset)
            kept += 1
        else:
            exprs.append(const(offset))
    _moved(op, rw, op.source, exprs)
    return True


TENSOR_RULES = (
    ElementwiseToGeneric(),
    NamedToGeneric(),
    splat_to_generic,
    splat_constant_to_generic,
    reshape_to_generic,
    any_reshape_to_generic,
    slice_to_generic,
)
