"""tile-size-selection: put the plan's tile sizes in the place of the reserved ones.

Before::

    %s0 = ktdf.tiling.reserve_size {…, kt.dim = 0 : i64} : index     // kt.plan: tile = {"0" = 4}
    %b = memref.alloc(%s0) : memref<?x1x32xf16, "near">

After::

    %c4 = arith.constant 4 : index
    %b = memref.alloc() : memref<4x1x32xf16, "near">

Buffers get static shapes, through private results and ``select_memref``. Guarantees that no
``reserve_size`` is left; a tile is never larger than the loop it cuts.
"""

from __future__ import annotations

from attrs import frozen

from kt.ir import types as t
from kt.ir.builder import Builder
from kt.ir.core import Operation, Value
from kt.ir.diagnostics import PassError
from kt.ir.dialects import arith, ktdf, memref
from kt.passes.analysis.index_maps import constant_index
from kt.passes.analysis.nests import loop_dim, programs
from kt.passes.base import Pass, PassContext
from kt.passes.registry import register_pass
from kt.passes.schedule.plan import Plan, plan_of


@register_pass
@frozen
class TileSizeSelection(Pass):
    """Replace reserved tile sizes by those of the plan."""

    name = "tile-size-selection"

    def run(self, module: Operation, ctx: PassContext) -> None:
        for program in programs(module):
            plan = plan_of(program) or Plan()
            for op in program.walk():
                if isinstance(op, ktdf.ReserveSizeOp):
                    size = _size(op, plan)
                    op.replace_with([Builder.before(op).constant(size)])
                    ctx.stat("tiles")
            for op in program.walk():
                if isinstance(op, memref.AllocOp):
                    _make_static(op)


def _size(op: ktdf.ReserveSizeOp, plan: Plan) -> int:
    dim = loop_dim(op)
    size = plan.tile.get(dim, 1) if dim is not None else 1
    totals = [
        constant_index(user.operands[0])
        for user in op.size.users
        if isinstance(user, arith.CeilDivUIOp)
    ]
    if not totals:
        return size
    known = [n for n in totals if n is not None]
    chosen = min([size, *known])
    if chosen < op.min_value.value or chosen % op.divisibility.value:
        raise PassError(
            f"the plan's tile of {chosen} iterations for dimension {dim} must be a multiple of "
            f"{op.divisibility.value} and at least {op.min_value.value}",
            op.location,
            hint="change the tile in the plan",
        )
    return max(1, chosen)


def _make_static(op: memref.AllocOp) -> None:
    """An alloc whose sizes are known gets a static type, and so does all that passes it on."""
    type = op.results[0].type
    assert isinstance(type, t.MemRefType)
    sizes = iter([constant_index(v) for v in op.operands])
    shape = [next(sizes, None) if n == t.DYNAMIC else n for n in type.shape]
    if type.has_static_shape or None in shape:
        return
    static = t.MemRefType(tuple(shape), type.element_type, type.layout, type.memory_space)  # type: ignore[arg-type]
    made = Builder.before(op).create(memref.AllocOp, [], result_types=[static])
    made.attributes.update(op.attributes)
    op.replace_with(made.results)
    _propagate(made.results[0])


def _propagate(value: Value) -> None:
    """Give results that stand for ``value`` its type."""
    for user in value.users:
        passed: list[Value] = []
        if isinstance(user, ktdf.PrivateYieldOp):
            private = user.parent_op
            assert private is not None
            passed = [private.results[i] for i, v in enumerate(user.operands) if v is value]
        elif isinstance(user, ktdf.SelectMemrefOp):
            passed = [user.results[0]]
        for result in passed:
            if result.type is not value.type:
                result.type = value.type
                _propagate(result)
