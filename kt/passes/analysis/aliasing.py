"""Which access tiles may share elements, and which have exactly the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kt.ir import types as t
from kt.ir.affine import AffineConst, AffineDim, AffineExpr
from kt.ir.core import BlockArgument, Operation, Value
from kt.ir.dialects import func, kt, ktdp
from kt.passes.analysis.linear import Linear, equivalent, linear_form
from kt.passes.analysis.placed import EXCHANGE


def may_alias(a: Value, b: Value) -> bool:
    """Whether two access tiles may have an element in common.

    Distinct pointer arguments of a function point to distinct buffers.
    """
    buffers = buffer_of(a), buffer_of(b)
    if any(buffers):
        return buffers[0] is buffers[1] and not _apart_in_a_dimension(a, b)
    first, second = _view_of(a), _view_of(b)
    if first is None or second is None:
        return True
    if (first.attr(EXCHANGE) is None) != (second.attr(EXCHANGE) is None):
        return False
    if _in_different_memories(first.memory_space, second.memory_space):
        return False
    bases = linear_form(first.offset), linear_form(second.offset)
    roots = _pointers(bases[0]), _pointers(bases[1])
    if roots[0] and roots[1] and not set(roots[0]) & set(roots[1]):
        return False
    if first.type.element_type is not second.type.element_type:
        return True  # the addresses count different units
    distance = bases[1].minus(bases[0]).number
    if distance == 0 and _same_layout(first, second) and _apart_in_a_dimension(a, b):
        return False
    span, other = _span(a, first), _span(b, second)
    if distance is None or span is None or other is None:
        return True
    return span[0] <= other[1] + distance and other[0] + distance <= span[1]


def same_elements(a: Value, b: Value) -> bool:
    """Whether two access tiles have the same elements in the same order."""
    x, y = a.defining_op, b.defining_op
    if a is b:
        return True
    if not isinstance(x, ktdp.ConstructAccessTileOp) or not isinstance(
        y, ktdp.ConstructAccessTileOp
    ):
        return False
    alike = ("access_tile_set", "access_tile_order")
    return (
        all(x.attr(key) is y.attr(key) for key in alike)
        and equivalent(x.base, y.base)
        and len(x.symbol_operands) == len(y.symbol_operands)
        and all(map(equivalent, x.symbol_operands, y.symbol_operands))
        and all(d.number == 0 for d in _differences(subscript_forms(x), subscript_forms(y)))
    )


def subscript_forms(tile: ktdp.ConstructAccessTileOp) -> list[Linear | None]:
    """The base coordinate per dimension as a linear form; None where it isn't one."""
    indices = [linear_form(v) for v in tile.indices]
    return [_evaluate(e, indices) for e in tile.subscripts.results]


def _evaluate(expr: AffineExpr, indices: Sequence[Linear]) -> Linear | None:
    if isinstance(expr, AffineConst):
        return Linear(expr.value, {})
    if isinstance(expr, AffineDim):
        return indices[expr.position]
    kind = getattr(expr, "kind", None)
    if kind not in ("add", "mul"):
        return None
    left, right = _evaluate(expr.lhs, indices), _evaluate(expr.rhs, indices)  # type: ignore[attr-defined]
    if left is None or right is None:
        return None
    if kind == "add":
        return left.plus(right)
    return None if right.number is None else Linear(0, {}).plus(left, right.number)


def _differences(first: Sequence[Linear | None], second: Sequence[Linear | None]) -> list[Linear]:
    unknown = Linear(1, {})
    return [
        unknown if a is None or b is None else b.minus(a)
        for a, b in zip(first, second, strict=True)
    ]


def buffer_of(tile: Value) -> Value | None:
    """The compiler's buffer that an access tile lies in: a ``kt.buffer``, or a program's argument."""
    base = _base_of(tile)
    if base is None or isinstance(base, BlockArgument):
        return base
    return base if isinstance(base.defining_op, kt.BufferOp) else None


def space_of(tile: Value) -> ktdp.MemorySpaceAttr | None:
    """Memory space of the view that an access tile lies in; None for buffers of the compiler."""
    view = _view_of(tile)
    return None if view is None else view.memory_space


def index_views(ops: Iterable[Operation]) -> list[Value]:
    """The memrefs in which some of the ops look up coordinates."""
    return [v for op in ops if isinstance(op, ktdp.ConstructIndirectAccessTileOp) for v in op.index_views]


def may_change(tile: Value, view: Value) -> bool:
    """Whether an access tile may share elements with a view or buffer, as far as bases tell."""
    made = view.defining_op
    buffer = buffer_of(tile)
    if buffer is not None or not isinstance(made, ktdp.ConstructMemoryViewOp):
        return buffer is view
    own = _view_of(tile)
    if own is None:
        return True
    if _in_different_memories(own.memory_space, made.memory_space):
        return False
    roots = _pointers(linear_form(own.offset)), _pointers(linear_form(made.offset))
    return not (roots[0] and roots[1]) or bool(set(roots[0]) & set(roots[1]))


def _view_of(tile: Value) -> ktdp.ConstructMemoryViewOp | None:
    base = _base_of(tile)
    view = base.defining_op if base is not None else None
    return view if isinstance(view, ktdp.ConstructMemoryViewOp) else None


def _base_of(tile: Value) -> Value | None:
    """The view or buffer that an access tile lies in, be it the tile's own one or that of others.

    What a tile does to its own one, others see: all tiles run the same program.
    """
    made = tile.defining_op
    base = getattr(made, "base", None)
    if not isinstance(made, ktdp.TileSpaceOp) or not isinstance(base, Value):
        return None
    while isinstance(base.defining_op, kt.PeerViewOp):
        base = base.defining_op.source
    return base


def _in_different_memories(a: ktdp.MemorySpaceAttr, b: ktdp.MemorySpaceAttr) -> bool:
    if a.kind != b.kind:
        return True
    return None not in (a.tile, b.tile) and a.tile != b.tile


def _pointers(base: Linear) -> list[Value]:
    """Function arguments that an address may point into."""
    return [
        leaf
        for leaf, count in base.terms.items()
        if count == 1
        and isinstance(leaf, BlockArgument)
        and isinstance(leaf.block.parent_op, func.FuncOp)
    ]


def _same_layout(a: ktdp.ConstructMemoryViewOp, b: ktdp.ConstructMemoryViewOp) -> bool:
    if a.static_strides is not b.static_strides or len(a.strides) != len(b.strides):
        return False
    return all(map(equivalent, a.strides, b.strides))


def _apart_in_a_dimension(a: Value, b: Value) -> bool:
    """Whether the coordinate ranges of two tiles of equally laid out views don't meet somewhere.

    Coordinates stay inside their view, so different coordinates are different elements.
    """
    x, y = a.defining_op, b.defining_op
    if not isinstance(x, ktdp.ConstructAccessTileOp) or not isinstance(
        y, ktdp.ConstructAccessTileOp
    ):
        return False
    if x.box is None or y.box is None:
        return False
    starts = subscript_forms(x), subscript_forms(y)
    for (lo, hi), (lo2, hi2), first, second in zip(x.box, y.box, *starts, strict=True):
        shift = None if first is None or second is None else second.minus(first).number
        if shift is not None and (hi <= lo2 + shift or hi2 + shift <= lo):
            return True
    return False


def _span(tile: Value, view: ktdp.ConstructMemoryViewOp) -> tuple[int, int] | None:
    """First and last element that a tile may touch, relative to the base of its view.

    Where a subscript isn't known, the whole dimension counts: no access leaves its view.
    """
    op = tile.defining_op
    if t.DYNAMIC in view.static_strides.values:
        return None
    low = high = 0
    sizes = view.mixed_sizes
    starts: list[Linear | None] = [None] * len(sizes)
    box: Sequence[tuple[int, int]] = ((0, 0),) * len(sizes)
    if isinstance(op, ktdp.ConstructAccessTileOp) and op.box is not None:
        starts, box = subscript_forms(op), op.box
    for start, (lo, hi), stride, size in zip(
        starts, box, view.static_strides.values, sizes, strict=True
    ):
        if start is not None and start.number is not None:
            first, last = start.number + lo, start.number + hi - 1
        elif isinstance(size, int):
            first, last = 0, size - 1
        else:
            return None
        low += min(first * stride, last * stride)
        high += max(first * stride, last * stride)
    return low, high
